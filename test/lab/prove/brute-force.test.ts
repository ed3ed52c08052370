/** Properties of random small policies against every applicant, and of random policies against random applicants. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { evaluate, TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Fact, Facts } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { proveProperties } from '../../../src/lab/prove/prove.ts';
import { CLAIMS, keepsTo, OUTCOMES, type Outcome, type Policy } from '../../../src/policy/language.ts';
import { ALL_FACTS, aSmallCase, DAY, type SmallCase } from '../../support/decision/small-world.ts';
import { loadPolicyAsIs } from '../../support/runners/case.ts';
import type { PlainPolicy } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-proof-'));

/** Everybody: for each fact its values, in ascending order where they have one, and at index 0 a missing fact. */
class Everybody {
  readonly #policy: Policy;
  readonly #options: readonly (readonly (Fact | undefined)[])[];
  readonly #outcomes: readonly Outcome[];
  readonly people: readonly Facts[];
  readonly paths: readonly string[];

  constructor(policy: Policy, paths: readonly string[]) {
    this.#policy = policy;
    this.paths = paths;
    this.#options = paths.map((path) => [undefined, ...(ALL_FACTS[path]?.values ?? []).map((value) => ({ value }))]);
    let given: Map<string, Fact>[] = [new Map()];
    for (const [i, path] of paths.entries()) {
      given = given.flatMap((each) =>
        (this.#options[i] ?? []).map((fact) => (fact ? new Map([...each, [path, fact]]) : each)),
      );
    }
    this.people = given.map((each) => readFacts(each, policy.facts, DAY));
    const matcher = matcherOf(policy);
    this.#outcomes = this.people.map((facts) => matcher.outcome(facts, DAY).outcome);
  }

  breaksGuarantee(id: string): boolean {
    const guarantee = this.#policy.guarantees.find((each) => each.id === id);
    if (!guarantee) throw new Error('no such guarantee');
    return this.people.some(
      (facts, i) => evaluate(guarantee.when, facts, DAY) === TRUE && !keepsTo(guarantee, this.#outcomes[i] as Outcome),
    );
  }

  gets(outcome: string): boolean {
    return this.#outcomes.some((each) => each === outcome);
  }

  /** Whether somebody who is not accepted is accepted with fewer facts. */
  isHelpedByMissing(): boolean {
    // Those with fewer facts come first, fact by fact.
    const accepts = this.#outcomes.map((outcome) => outcome === 'accept');
    for (let i = 0; i < accepts.length; i++) {
      accepts[i] ||= this.#others(
        i,
        (option) => option > 0,
        () => 0,
      ).some((other) => accepts[other]);
    }
    return accepts.some((each, i) => each && this.#outcomes[i] !== 'accept');
  }

  isMilderWhenHigher(path: string): boolean {
    const at = this.paths.indexOf(path);
    const rank = (i: number) => OUTCOMES.indexOf(this.#outcomes[i] as Outcome);
    const last = (this.#options[at]?.length ?? 1) - 1;
    return this.#outcomes.some((_, i) =>
      this.#others(
        i,
        (option, fact) => fact === at && option > 0 && option < last,
        (option) => option + 1,
      ).some((other) => rank(other) < rank(i)),
    );
  }

  /** The applicants who differ in one fact. */
  #others(i: number, isMeant: (option: number, fact: number) => boolean, to: (option: number) => number): number[] {
    const found: number[] = [];
    let step = 1;
    for (let fact = this.#options.length - 1; fact >= 0; fact--) {
      const { length } = this.#options[fact] as { length: number };
      const option = Math.floor(i / step) % length;
      if (isMeant(option, fact)) found.push(i + (to(option) - option) * step);
      step *= length;
    }
    return found;
  }
}

const isOrdered = (path: string) => ['number', 'integer', 'level'].includes(ALL_FACTS[path]?.definition.type ?? '');

/** Whether there are few enough applicants. */
function isSmall({ paths }: SmallCase): boolean {
  return paths.reduce((product, path) => product * ((ALL_FACTS[path]?.values.length ?? 0) + 1), 1) <= 800;
}

describe('a property of a small policy', () => {
  it('is proved where nobody breaks it, and refuted where somebody does', async () => {
    const cases = fc.sample(fc.tuple(aSmallCase.filter(isSmall), fc.nat(1e6)), sampled(8, 2000));
    const seen = { proved: 0, refuted: 0, undecided: 0 };
    for (const [{ policy: plain, paths }, die] of cases) {
      const conditions = (plain.rules ?? []).map(({ when }) => when);
      const guarantees = conditions.slice(0, 3).map((when, i) => {
        const claim = CLAIMS[(die + i) % 3] ?? 'never';
        const outcome = claim === 'atLeast' ? OUTCOMES[1 + (die % 2)] : OUTCOMES[die % 3];
        return { id: `g${i}`, [claim]: outcome, when };
      });
      const policy = loadPolicyAsIs({ ...plain, guarantees } as PlainPolicy, folder);
      const everybody = new Everybody(policy, paths);
      const ordered = paths.filter(isOrdered).slice(0, 2);
      const proofs = await proveProperties(policy, {
        at: DAY,
        properties: ['guarantee', 'missing-never-helps', 'reachable', ...ordered.map((path) => `monotone:${path}`)],
      });
      for (const { property, result, applicants } of proofs) {
        seen[result] += 1;
        const { kind, about, name } = property;
        const shown = `${name} of ${JSON.stringify({ ...plain, guarantees })}: ${JSON.stringify(applicants)}`;
        if (result === 'undecided') continue;
        const isBroken = {
          guarantee: () => everybody.breaksGuarantee(about),
          'missing-never-helps': () => everybody.isHelpedByMissing(),
          monotone: () => everybody.isMilderWhenHigher(about),
          reachable: () => !everybody.gets(about),
          outage: () => false,
          'every-rule-matters': () => false,
        }[kind]();
        expect(result, shown).toBe(isBroken ? 'refuted' : 'proved');
      }
    }
    expect(seen.refuted).toBeGreaterThan(cases.length / 2);
    expect(seen.proved).toBeGreaterThan(cases.length / 2);
    // A pair may be in a state that its facts exclude.
    expect(seen.undecided).toBeLessThan((seen.proved + seen.refuted) / 10);
  });
});
