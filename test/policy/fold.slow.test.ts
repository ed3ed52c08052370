/** Every meaning of a condition against its definition, the truth in Kleene's logic, on random conditions and facts. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  bitOf,
  EVERY_TRUTH,
  evaluate,
  evaluateTest,
  FALSE,
  factAt,
  negate,
  TRUE,
  TRUTH_BITS,
  type Truth,
  truthsOf,
} from '../../src/decision/meaning/truth.ts';
import type { Facts } from '../../src/facts/fact.ts';
import { fold, pushDown } from '../../src/policy/fold.ts';
import { type Condition, conditionsOf, type Test } from '../../src/policy/language.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { aCase } from '../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../support/runners/case.ts';
import { sampled } from '../support/sampled.ts';

/** Checks the conditions of random policies, with the facts of several applicants. */
function forConditions(check: (condition: Condition, applicants: readonly Facts[], day: string) => void): void {
  const folder = temporaryFolder();
  const seen = new Set<Truth>();
  fc.assert(
    fc.property(aCase({ applicants: 5 }), ({ policy: plain, applicants, day }) => {
      const policy = loadPlainPolicy(plain, folder);
      const facts = applicants.map((applicant) => readPlainFacts(applicant, policy, day));
      for (const condition of conditionsOf(policy)) {
        for (const each of facts) seen.add(evaluate(condition, each, day));
        check(condition, facts, day);
      }
    }),
    { numRuns: sampled(5, 1000) },
  );
  expect(seen.size, 'truths that occurred').toBe(3);
}

function truthOfTest(test: Test, facts: Facts, day: string): Truth {
  const other = test.other === undefined ? undefined : factAt(facts, test.other);
  return evaluateTest(test, factAt(facts, test.fact), other, day);
}

/** At least `count` of some truths, as the policy language says it. */
function atLeast(count: number, parts: readonly Truth[]): Truth {
  if (parts.filter((truth) => truth === TRUE).length >= count) return TRUE;
  return parts.filter((truth) => truth !== FALSE).length < count ? FALSE : 0;
}

it('the truth of a condition is the fold of the truths of its tests', () => {
  forConditions((condition, applicants, day) => {
    for (const facts of applicants) {
      const truth = fold(condition, { test: (test) => truthOfTest(test, facts, day), not: negate, atLeast });
      expect(truth).toBe(evaluate(condition, facts, day));
    }
  });
});

it('a condition with every `not` pushed down has the same truth, and its negation the opposite one', () => {
  forConditions((condition, applicants, day) => {
    for (const facts of applicants) {
      const literal = (test: Test, isPositive: boolean) => {
        const truth = truthOfTest(test, facts, day);
        return isPositive ? truth : negate(truth);
      };
      const signed = fold(condition, pushDown({ literal, atLeast }));
      const truth = evaluate(condition, facts, day);
      expect([signed(true), signed(false)]).toEqual([truth, negate(truth)]);
    }
  });
});

it('where each test has one truth, so has the condition', () => {
  forConditions((condition, applicants, day) => {
    for (const facts of applicants) {
      const truths = truthsOf(condition, (test) => bitOf(truthOfTest(test, facts, day)));
      expect(truths).toBe(bitOf(evaluate(condition, facts, day)));
    }
  });
});

it('where tests can have several truths, the condition can have every truth that it has for one of them', () => {
  forConditions((condition, applicants, day) => {
    const truths = truthsOf(condition, (test) =>
      applicants.reduce((set, facts) => set | bitOf(truthOfTest(test, facts, day)), 0),
    );
    for (const facts of applicants) expect(truths & bitOf(evaluate(condition, facts, day))).not.toBe(0);
  });
});

/** A test of its own each time, since tests count as independent. */
function aTest(): Test {
  return {
    kind: 'test',
    fact: 'email.domain',
    type: 'string',
    operator: 'known',
    argument: true,
    other: undefined,
    expected: true,
    key: '',
  };
}

it('of conditions whose tests are independent, the truths are exact', () => {
  const leaf = fc.constant(undefined).map(aTest);
  const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
    const parts = fc.array(tie('condition'), { minLength: 1, maxLength: 3 });
    return {
      condition: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        tie('condition').map((part): Condition => ({ kind: 'not', of: [part] })),
        tie('condition').map((part): Condition => ({ kind: 'named', name: 'some', of: [part] })),
        parts.map((of): Condition => ({ kind: 'all', of })),
        parts.map((of): Condition => ({ kind: 'any', of })),
        fc.tuple(parts, fc.nat()).map(([of, n]): Condition => ({ kind: 'atLeastOf', count: (n % of.length) + 1, of })),
      ),
    };
  });
  const given = fc.array(fc.integer({ min: 1, max: EVERY_TRUTH }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(condition, given, (whole, sets) => {
      const tests: Test[] = [];
      fold<void>(whole, { test: (test) => tests.push(test), not: () => {}, atLeast: () => {} });
      if (tests.length > sets.length) return;
      const setOf = new Map(tests.map((test, i) => [test, sets[i] as number]));
      let possible = 0;
      for (const truths of choices(tests.map((test) => setOf.get(test) as number))) {
        const truthOf = new Map(tests.map((test, i) => [test, truths[i] as Truth]));
        possible |= bitOf(fold(whole, { test: (test) => truthOf.get(test) as Truth, not: negate, atLeast }));
      }
      expect(truthsOf(whole, (test) => setOf.get(test) as number)).toBe(possible);
    }),
    { numRuns: sampled(84, 10_000) },
  );
});

/** Every choice of one truth from each set. */
function choices(sets: readonly number[]): readonly (readonly Truth[])[] {
  const truths = [TRUE, FALSE, 0] as const;
  return sets.reduce<readonly (readonly Truth[])[]>(
    (all, set) => all.flatMap((some) => truths.flatMap((truth) => (set & bitOf(truth) ? [[...some, truth]] : []))),
    [[]],
  );
}

it('a condition of no parts is true: a row of a table that tests nothing', () => {
  const nothing: Condition = { kind: 'all', of: [] };
  expect(evaluate(nothing, new Map(), '2026-11-20')).toBe(TRUE);
  expect(truthsOf(nothing, () => EVERY_TRUTH)).toBe(TRUTH_BITS.true);
  expect(fold<Truth>(nothing, { test: () => FALSE, not: negate, atLeast })).toBe(TRUE);
});
