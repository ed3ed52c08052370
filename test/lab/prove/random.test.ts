/** Properties of random policies with all features, over facts of the catalog, against many random applicants. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { evaluate, TRUE } from '../../../src/decision/meaning/truth.ts';
import { LEVELS } from '../../../src/facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../../src/facts/fact.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import { type Proof, proveProperties } from '../../../src/lab/prove/prove.ts';
import { isFrom, type SourceName } from '../../../src/lab/space/source-facts.ts';
import { CLAIMS, keepsTo, OUTCOMES, type Outcome, type Policy } from '../../../src/policy/language.ts';
import { asDerived, manyOf } from '../../support/lab/applicants.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs } from '../../support/runners/case.ts';
import type { PlainPolicy } from '../../support/runners/plain.ts';
import { IS_SOAK, sampled } from '../../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-proof-'));

/** What a property says of applicants, one by one or of two. */
class Claims {
  readonly #policy: Policy;
  readonly #day: string;

  constructor(policy: Policy, day: string) {
    this.#policy = policy;
    this.#day = day;
  }

  outcomeOf(facts: Facts): Outcome {
    return matcherOf(this.#policy).outcome(facts, this.#day).outcome;
  }

  /** Whether one applicant, or two of whom the second is the first in another state, break a property. */
  isBroken({ kind, about }: Proof['property'], [first, second]: readonly Facts[]): boolean {
    const [before, after] = [first, second].map((facts) => facts && this.outcomeOf(facts));
    if (!first || !before) return false;
    if (kind === 'guarantee') {
      const guarantee = this.#policy.guarantees.find(({ id }) => id === about);
      return !!guarantee && evaluate(guarantee.when, first, this.#day) === TRUE && !keepsTo(guarantee, before);
    }
    if (kind === 'reachable') return before === about;
    if (!after) return false;
    if (kind === 'monotone') return OUTCOMES.indexOf(after) < OUTCOMES.indexOf(before);
    return before !== 'accept' && after === 'accept';
  }

  /** An applicant in the other states that a property is about. */
  *pairsOf({ kind, about }: Proof['property'], facts: Facts, n: number): Generator<readonly Facts[]> {
    if (kind === 'guarantee' || kind === 'reachable') yield [facts];
    if (kind === 'missing-never-helps') {
      const paths = [...facts.keys()];
      // One fact after the other, and some of them at once.
      yield [facts, this.#without(facts, new Set([paths[n % paths.length] as string]), 'notGiven')];
      yield [facts, this.#without(facts, new Set(paths.filter((_, i) => (n >> i) & 1)), 'notGiven')];
    }
    if (kind === 'outage') {
      const own = [...facts.keys()].filter((path) => isFrom(about as SourceName, path, this.#policy.facts));
      yield [facts, this.#without(facts, new Set(own), 'sourceFailed')];
    }
    if (kind === 'monotone') yield* this.#higher(about, facts, n);
  }

  /** The facts without some; what is derived from them is derived again, or lost. */
  #without(facts: Facts, lost: ReadonlySet<string>, missing: 'notGiven' | 'sourceFailed'): Facts {
    const { facts: table } = this.#policy;
    const isLost = (path: string): boolean => lost.has(path) || (table.get(path)?.inputs ?? []).some(isLost);
    const left = [...facts].map(([path, fact]): [string, Fact] => [path, isLost(path) ? { missing } : fact]);
    return asDerived(new Map(left), table, this.#day);
  }

  *#higher(path: string, facts: Facts, n: number): Generator<readonly Facts[]> {
    const fact = facts.get(path);
    const definition = this.#policy.facts.get(path);
    if (!fact || !definition || isMissing(fact)) return;
    const { value } = fact;
    const [, most = Number.MAX_SAFE_INTEGER] = definition.range ?? [];
    const steps = [1, 2, 5, 10, 40, 90];
    const higher =
      definition.type === 'level'
        ? LEVELS[LEVELS.indexOf(value as (typeof LEVELS)[number]) + 1]
        : Number(value) + (steps[n % steps.length] ?? 1);
    if (higher === undefined || Number(higher) > most) return;
    yield [facts, asDerived(new Map([...facts, [path, { value: higher }]]), this.#policy.facts, this.#day)];
  }
}

/** The applicants of a proof, read again from their lines without some of the facts. */
function readApplicants(
  { applicants }: Proof,
  { facts: table }: Policy,
  day: string,
  without?: string,
): readonly Facts[] {
  return applicants.map(({ example }) => {
    const { [without ?? '']: _, ...facts } = example.facts;
    const read = readFactsLine(JSON.stringify({ ...example, facts }), table, day);
    if ('problem' in read) throw new Error(read.problem);
    return read.facts;
  });
}

/** Random guarantees about whom the rules are about. */
function guaranteesOf({ rules = [] }: PlainPolicy, die: number) {
  return rules.slice(0, 3).map(({ when }, i) => {
    const claim = CLAIMS[(die + i) % 3] ?? 'never';
    const outcome = claim === 'atLeast' ? OUTCOMES[1 + (die % 2)] : OUTCOMES[(die >> 2) % 3];
    return { id: `g${i}`, [claim]: outcome, when: i % 2 ? { not: when } : when };
  });
}

describe('a property of a random policy', () => {
  it('is broken by nobody if it is proved, and by the smallest applicant if it is refuted', async () => {
    const cases = fc.tuple(aCase({ applicants: sampled(10, 60) }), fc.nat(1e6));
    const seen = { proved: 0, refuted: 0, undecided: 0 };
    for (const [{ policy: plain, applicants, day }, die] of fc.sample(cases, sampled(1, 200))) {
      const policy = loadPolicyAsIs({ ...plain, guarantees: guaranteesOf(plain, die) } as PlainPolicy, folder);
      const isOrdered = (path: string) => ['number', 'integer', 'level'].includes(policy.facts.get(path)?.type ?? '');
      const ordered = Object.keys(applicants[0] ?? {})
        .filter(isOrdered)
        .slice(0, 2);
      const proofs = await proveProperties(policy, {
        ...{ at: day, steps: 10_000_000 },
        properties: [
          ...['guarantee', 'missing-never-helps', 'outage', 'reachable'],
          ...ordered.map((path) => `monotone:${path}`),
        ],
      });
      const people = [...manyOf(applicants, sampled(100, 10_000), policy, day)];
      for (const proof of proofs) {
        const { property, result, firstDay } = proof;
        // A rule may end: what holds at first may be refuted on a later day.
        const claims = new Claims(policy, firstDay);
        seen[result] += 1;
        const shown = `${property.name} of ${JSON.stringify([plain, die, day])}: ${JSON.stringify(proof.applicants)}`;
        if (proof.applicants.length === 0) {
          if (result === 'undecided') continue;
          for (const [n, facts] of people.entries()) {
            for (const pair of claims.pairsOf(property, facts, n)) {
              if (claims.isBroken(property, pair))
                expect.fail(`${shown} ${JSON.stringify(pair.map((each) => [...each]))}`);
            }
          }
          continue;
        }
        const found = readApplicants(proof, policy, firstDay);
        expect(
          found.map((facts) => claims.outcomeOf(facts)),
          shown,
        ).toEqual(proof.applicants.map(({ outcome }) => outcome));
        expect(claims.isBroken(property, found), shown).toBe(true);
        const given = proof.applicants.map(({ example }) => Object.keys(example.facts));
        for (const path of given[0] ?? []) {
          // Of two applicants, it is the second who may have fewer facts, or another value.
          const isOfBoth = given.every((paths) => paths.includes(path)) && property.about !== path;
          if (!isOfBoth) continue;
          const fewer = readApplicants(proof, policy, firstDay, path);
          expect(claims.isBroken(property, fewer), `without ${path}, ${shown}`).toBe(false);
        }
      }
    }
    expect(seen.proved).toBeGreaterThan(2);
    expect(seen.refuted).toBeGreaterThan(0);
    if (IS_SOAK) expect(seen.undecided).toBeLessThan((seen.proved + seen.refuted) / 8);
  });
});
