/** An examined condition -> the tests that made it true, or the missing facts that left it unknown. */

import { type Cause, type Facts, type FactValue, isMissing, shownValue } from '../facts/fact.ts';
import type { Test } from '../policy/language.ts';
import { type Examined, factAt } from './truth.ts';

/** One test on the true branches of a rule that fired. */
export interface Evidence {
  readonly fact: string;
  readonly operator: string;
  /** The argument as written in the policy; `{ fact }` for a test against another fact. */
  readonly expected: unknown;
  /** The fact's value, texts as they came; absent where the fact is missing. */
  readonly value?: FactValue;
  /** Under an odd number of `not`: the test is false, and that it is false counts. */
  readonly negated?: true;
  /** The other fact of a test against a fact. */
  readonly other?: { readonly fact: string; readonly value?: FactValue };
}

/** A fact that was needed and is missing; `error` where a test of a known fact failed. */
export interface MissingEvidence {
  readonly fact: string;
  readonly cause: Cause | 'error';
}

/** The tests on the branches that have their parent's truth, each once, in the order of the condition. */
export function gatherEvidence(examined: Examined, facts: Facts): Evidence[] {
  const found = new Map<string, Evidence>();
  for (const { test, isNegated } of decisiveTests(examined)) {
    const key = `${isNegated}${test.key}`;
    if (!found.has(key)) found.set(key, describeTest(test, isNegated, facts));
  }
  return [...found.values()];
}

/** The missing facts on the unknown branches, each once, in the order of the condition. */
export function gatherMissing(examined: Examined, facts: Facts): MissingEvidence[] {
  const found = new Map<string, MissingEvidence>();
  for (const { test } of decisiveTests(examined)) {
    const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
    const missing = paths.flatMap((path): MissingEvidence[] => {
      const fact = factAt(facts, path);
      return isMissing(fact) ? [{ fact: path, cause: fact.missing }] : [];
    });
    for (const item of missing.length > 0 ? missing : [{ fact: test.fact, cause: 'error' } as const]) {
      if (!found.has(item.fact)) found.set(item.fact, item);
    }
  }
  return [...found.values()];
}

interface DecisiveTest {
  readonly test: Test;
  readonly isNegated: boolean;
}

/** From the top down, every part whose truth is its parent's (under `not`, its opposite, which is all that it can have). */
function* decisiveTests({ condition, truth, parts }: Examined, isNegated = false): Generator<DecisiveTest> {
  if (condition.kind === 'test') yield { test: condition, isNegated };
  for (const part of parts) {
    if (condition.kind === 'not') yield* decisiveTests(part, !isNegated);
    else if (part.truth === truth) yield* decisiveTests(part, isNegated);
  }
}

function describeTest(test: Test, isNegated: boolean, facts: Facts): Evidence {
  return {
    fact: test.fact,
    operator: test.operator,
    expected: test.expected,
    ...valueAt(facts, test.fact),
    ...(isNegated ? { negated: true } : {}),
    ...(test.other === undefined ? {} : { other: { fact: test.other, ...valueAt(facts, test.other) } }),
  };
}

function valueAt(facts: Facts, path: string): { value?: FactValue } {
  const fact = factAt(facts, path);
  return isMissing(fact) ? {} : { value: shownValue(fact) };
}
