/** The facts that settle an outcome and what would change it, held against a table of every applicant. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findChanges, findRetries, unitOf } from '../../../src/decision/explain/changes.ts';
import { type ChangeSet, searchCounterfactuals } from '../../../src/decision/explain/counterfactuals.ts';
import type { Model } from '../../../src/decision/explain/model/model.ts';
import { findSufficientFacts } from '../../../src/decision/explain/sufficient.ts';
import type { FactDefinition } from '../../../src/facts/catalog.ts';
import { type FactValue, isMissing } from '../../../src/facts/fact.ts';
import { toNumber } from '../../../src/policy/cells/sample-values.ts';
import { OUTCOMES } from '../../../src/policy/language.ts';
import { finish, modelOf } from '../../support/decision/explained.ts';
import {
  ALL_FACTS,
  aComparedCase,
  aDenseCase,
  aSmallCase,
  DAY,
  type SmallCase,
  Table,
} from '../../support/decision/small-world.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { loadPolicyAsIs, readPlainFacts } from '../../support/runners/case.ts';
import type { PlainFacts } from '../../support/runners/plain.ts';
import { referenceVerdict } from '../../support/runners/reference.ts';
import { sampled } from '../../support/sampled.ts';

const RUNS = sampled(2, 100);

type ApplicantCheck = (model: Model, plain: PlainFacts, table: Table, small: SmallCase) => void;

/** Checks every applicant of random small policies. */
function forEachApplicant(check: ApplicantCheck, runs = RUNS, cases = fc.oneof(aSmallCase, aDenseCase)): void {
  const folder = temporaryFolder();
  fc.assert(
    fc.property(cases, (small) => {
      const policy = loadPolicyAsIs(small.policy, folder);
      const table = new Table(small);
      for (const plain of small.applicants) {
        check(modelOf(policy, readPlainFacts(plain, policy, DAY), DAY), plain, table, small);
      }
    }),
    { numRuns: runs },
  );
}

describe('the facts that settle an outcome', () => {
  test('force it whatever the other facts are, and none can be left out', () => {
    let irreducible = 0;
    let sets = 0;
    forEachApplicant((model, plain, table) => {
      const { indexes, isIrreducible } = finish(findSufficientFacts(model, table.outcomeOf(plain)));
      const paths = indexes.map((index) => model.variables[index]?.path ?? '');
      expect(table.isForcedBy(plain, paths)).toBe(true);
      sets += 1;
      if (!isIrreducible) return;
      irreducible += 1;
      for (const path of paths) {
        const others = paths.filter((other) => other !== path);
        expect(table.isForcedBy(plain, others), `without ${path}`).toBe(false);
      }
    });
    expect(irreducible / sets).toBeGreaterThan(0.95);
  });

  test('force it where a computed fact is compared with another', () => {
    let settled = 0;
    const check: ApplicantCheck = (model, plain, table) => {
      const { indexes } = finish(findSufficientFacts(model, table.outcomeOf(plain)));
      const paths = indexes.map((index) => model.variables[index]?.path ?? '');
      expect(table.isForcedBy(plain, paths)).toBe(true);
      if (paths.length < 3) settled += 1;
      for (const to of OUTCOMES.filter((outcome) => outcome !== table.outcomeOf(plain))) {
        const { result } = finish(
          findChanges(model, [], { facts: readPlainFacts(plain, model.policy, DAY), day: DAY, to }),
        );
        const [smallest] = table.smallestChanges(plain, to);
        if (smallest) expect(['found', 'stopped']).toContain(result);
      }
    };
    forEachApplicant(check, sampled(6, 400), aComparedCase);
    expect(settled).toBeGreaterThan(10);
  });
});

describe('what would change an outcome', () => {
  test('every smallest set of up to three facts is found, and no other', () => {
    const found = { exact: 0, inexact: 0, ofThree: 0 };
    forEachApplicant((model, plain, table, { policy }) => {
      for (const to of OUTCOMES.filter((outcome) => outcome !== table.outcomeOf(plain))) {
        const { result, sets, isExact } = finish(searchCounterfactuals(model, to));
        const expected = table.smallestChanges(plain, to);
        const named = sets.map((set) => [...set.keys()].map((index) => model.variables[index]?.path ?? '').sort());
        for (const set of sets) {
          expect(referenceVerdict(policy, withChoices(plain, model, set), DAY).outcome).toBe(to);
        }
        found[isExact ? 'exact' : 'inexact'] += 1;
        if (named[0]?.length === 3) found.ofThree += 1;
        if (isExact) expect(named.map(String).sort()).toEqual(expected.map(String).sort());
        else expect(named[0]?.length ?? 4).toBeGreaterThanOrEqual(expected[0]?.length ?? 0);
        if (result === 'never') expect(table.isReachable(plain, to)).toBe(false);
      }
    });
    expect(found.exact).toBeGreaterThan(10 * found.inexact);
    expect(found.ofThree).toBeGreaterThan(0);
  });
});

describe('the missing facts of a source', () => {
  test('change together, and lead to the outcomes that are told', () => {
    const found = { sets: 0, withSource: 0, exact: 0, inexact: 0, several: 0 };
    const check: ApplicantCheck = (model, plain, table, { policy }) => {
      const paths = Object.keys(plain).filter((path) => 'missing' in (plain[path] ?? {}));
      const unit = unitOf(model, paths);
      // A fact that no rule reads changes nothing.
      const facts = unit.map((index) => model.variables[index]?.path ?? '');
      if (facts.length < 2) return;
      const outcome = table.outcomeOf(plain);
      for (const to of OUTCOMES.filter((each) => each !== outcome)) {
        const { size, sets, isExact } = finish(searchCounterfactuals(model, to, [unit]));
        const named = sets.map((set) => [...set.keys()].map((index) => model.variables[index]?.path ?? '').sort());
        for (const [i, set] of sets.entries()) {
          expect(referenceVerdict(policy, withChoices(plain, model, set), DAY).outcome).toBe(to);
          found.sets += 1;
          if (!facts.some((path) => named[i]?.includes(path))) continue;
          found.withSource += 1;
          expect(named[i]).toEqual(expect.arrayContaining(facts));
          expect(set.size).toBe(size - 1 + facts.length);
        }
        const smallest = table.smallestChanges(plain, to, facts);
        if (isExact) expect(named.map(String).sort()).toEqual(smallest.map(String).sort());
      }
      const source = { source: 'test', cause: 'sourceFailed', facts } as const;
      const context = { facts: readPlainFacts(plain, model.policy, DAY), day: DAY, outcome };
      const { retry } = finish(findRetries(model, [source], context));
      const possible = table.outcomesWith(plain, facts);
      if (retry?.isComplete) expect(retry.outcomes).toEqual(possible);
      else expect(possible).toEqual(expect.arrayContaining([...(retry?.outcomes ?? [])]));
      found[retry?.isComplete ? 'exact' : 'inexact'] += 1;
      if ((retry?.outcomes.length ?? 0) < 2) return;
      found.several += 1;
      const answered = { ...plain };
      for (const { fact, example } of retry?.needs ?? []) answered[fact] = { value: example };
      expect(referenceVerdict(policy, answered, DAY).outcome).toBe(retry?.outcomes[0]);
    };
    forEachApplicant(check, sampled(6, 100));
    expect(found.withSource).toBeGreaterThan(0);
    expect(found.sets).toBeGreaterThan(found.withSource);
    expect(found.several).toBeGreaterThan(0);
    expect(found.exact).toBeGreaterThan(5 * found.inexact);
  });
});

describe('the examples of what would change an outcome', () => {
  test('are the nearest: no nearer value of a fact does, while the others have theirs', () => {
    let compared = 0;
    const folder = temporaryFolder();
    const check = ({ policy: plain, applicants }: SmallCase) => {
      const policy = loadPolicyAsIs(plain, folder);
      const outcomeOf = (applicant: PlainFacts) => referenceVerdict(plain, applicant, DAY).outcome;
      for (const applicant of applicants) {
        const facts = readPlainFacts(applicant, policy, DAY);
        for (const to of OUTCOMES.filter((outcome) => outcome !== outcomeOf(applicant))) {
          const { sets } = finish(findChanges(modelOf(policy, facts, DAY), [], { facts, day: DAY, to }));
          for (const set of sets) {
            const examples = set.map(({ fact, example }) => [fact, { value: example }] as const);
            const changed = { ...applicant, ...Object.fromEntries(examples) };
            expect(outcomeOf(changed)).toBe(to);
            for (const { fact, example } of set) {
              for (const value of nearerValues(fact, applicant, example)) {
                compared += 1;
                expect(outcomeOf({ ...changed, [fact]: { value } }), `${fact}: ${value}`).not.toBe(to);
              }
            }
          }
        }
      }
    };
    fc.assert(fc.property(aSmallCase, check), { numRuns: sampled(15, 500) });
    expect(compared).toBeGreaterThan(20);
  });
});

/**
 * The values of a fact that are nearer to its present one than an example; none for values without an order. Of numbers
 * that need not be whole, those with no more digits than the present one and the policies' limits, which are whole.
 */
function nearerValues(path: string, plain: PlainFacts, example: FactValue): readonly FactValue[] {
  const { definition, values } = ALL_FACTS[path] as (typeof ALL_FACTS)[string];
  const { type } = definition;
  const now = plain[path];
  const numberOf = (value: FactValue) => toNumber(value, { type: type as FactDefinition['type'] });
  const from = now && 'value' in now ? numberOf(now.value as FactValue) : undefined;
  if (from === undefined) return [];
  const distance = (value: FactValue) => Math.abs((numberOf(value) ?? Number.NaN) - from);
  const isTold = (value: FactValue) => type !== 'number' || !Number.isInteger(from) || Number.isInteger(value);
  return values.filter((value) => isTold(value) && distance(value) > 0 && !(distance(value) >= distance(example)));
}

/** The facts with the choices of a set. */
function withChoices(plain: PlainFacts, model: Model, set: ChangeSet): PlainFacts {
  const changed = { ...plain };
  for (const [index, choice] of set) {
    const { path = '', choices = [] } = model.variables[index] ?? {};
    const fact = choices[choice]?.fact;
    expect(fact && !isMissing(fact)).toBe(true);
    if (fact && !isMissing(fact)) changed[path] = { value: fact.value };
  }
  return changed;
}
