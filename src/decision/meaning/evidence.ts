/** A condition and facts -> the tests that make it true, or the missing facts that leave it unknown. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Cause, type Facts, type FactValue, isMissing, shownValue } from '../../facts/fact.ts';
import { cached } from '../../platform/cached.ts';
import { isObject } from '../../platform/json.ts';
import { countNeeded } from '../../policy/fold.ts';
import { namesPersonalValue } from '../../policy/identities.ts';
import { type Condition, type Test, testsOf } from '../../policy/language.ts';
import { isOperator } from '../../policy/operators.ts';
import { evaluate, factAt, negate, TRUE, type Truth, UNKNOWN } from './truth.ts';

/** A test that made a rule fire. */
export interface Evidence {
  readonly fact: string;
  readonly operator: string;
  /** The argument as written in the policy; `{ fact }` for a test against another fact. */
  readonly expected: unknown;
  /** The fact's value, a text as it came rather than folded; absent if the fact is missing. */
  readonly value?: FactValue;
  /** Set under an odd number of `not`: the test is false, which makes the condition true. */
  readonly negated?: true;
  /** The other fact of a test against a fact. */
  readonly other?: { readonly fact: string; readonly value?: FactValue };
}

/** A fact that a rule needs and that is missing, with its cause; `error` if the evaluation of a test on it failed. */
export interface MissingEvidence {
  readonly fact: string;
  readonly cause: Cause | 'error';
}

/** Lists the tests that make a true condition true, each once, in the order of the condition. */
export function gatherEvidence(condition: Condition, facts: Facts, day: string): Evidence[] {
  const evidence: Evidence[] = [];
  const seen = hasRepeats(condition) ? new Set<string>() : undefined;
  visitDecisive({ facts, day }, condition, TRUE, false, (test, isNegated) => {
    if (seen) {
      const key = `${isNegated}${test.key}`;
      if (seen.has(key)) return;
      seen.add(key);
    }
    evidence.push(describeTest(test, isNegated, facts));
  });
  return evidence;
}

/** Lists the missing facts that leave an unknown condition unknown, each once, in the order of the condition. */
export function gatherMissing(condition: Condition, facts: Facts, day: string): MissingEvidence[] {
  const missing: MissingEvidence[] = [];
  const add = (path: string, cause: MissingEvidence['cause']) => {
    if (!missing.some(({ fact }) => fact === path)) missing.push({ fact: path, cause });
  };
  visitDecisive({ facts, day }, condition, UNKNOWN, false, ({ fact: path, other: otherPath }) => {
    const fact = factAt(facts, path);
    const other = otherPath === undefined ? undefined : factAt(facts, otherPath);
    if (isMissing(fact)) add(path, fact.missing);
    if (otherPath !== undefined && other && isMissing(other)) add(otherPath, other.missing);
    else if (!isMissing(fact)) add(path, 'error');
  });
  return missing;
}

/** The facts and the day on which conditions are evaluated. */
interface EvaluationContext {
  readonly facts: Facts;
  readonly day: string;
}

/** Visits the tests on every branch with the truth of its parent (the opposite below `not`): these decide. */
function visitDecisive(
  context: EvaluationContext,
  condition: Condition,
  truth: Truth,
  isNegated: boolean,
  visit: (test: Test, isNegated: boolean) => void,
): void {
  if (condition.kind === 'test') {
    visit(condition, isNegated);
    return;
  }
  if (condition.kind === 'not') {
    visitDecisive(context, condition.of[0], negate(truth), !isNegated, visit);
    return;
  }
  // If all parts have to hold, or none may, they have the same truth, so none is evaluated again.
  const areAllDecisive =
    condition.of.length === 1 ||
    (truth !== UNKNOWN && countNeeded(condition) === (truth === TRUE ? condition.of.length : 1));
  // By index, as the policy is frozen (platform/freeze.ts).
  for (let i = 0; i < condition.of.length; i++) {
    const part = condition.of[i] as Condition;
    if (areAllDecisive || evaluate(part, context.facts, context.day) === truth) {
      visitDecisive(context, part, truth, isNegated, visit);
    }
  }
}

/** Whether a condition contains a test twice. */
const hasRepeats = cached((condition: Condition): boolean => {
  const keys = [...testsOf(condition)].map(({ key }) => key);
  return new Set(keys).size < keys.length;
});

function describeTest(test: Test, isNegated: boolean, facts: Facts): Evidence {
  const value = valueAt(facts, test.fact);
  const evidence: Writable<Evidence> = { fact: test.fact, operator: test.operator, expected: test.expected };
  if (value !== undefined) evidence.value = value;
  if (isNegated) evidence.negated = true;
  if (test.other !== undefined) {
    const other = valueAt(facts, test.other);
    evidence.other = other === undefined ? { fact: test.other } : { fact: test.other, value: other };
  }
  return evidence;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

function valueAt(facts: Facts, path: string): FactValue | undefined {
  const fact = factAt(facts, path);
  return isMissing(fact) ? undefined : shownValue(fact);
}

/** Replaces the values of personal facts that a policy names: most of them are those of other people. */
interface ListedValues {
  /** How many there are. */
  readonly listed: number;
}

/** Whether an argument is such a replacement. */
export function isListed(argument: unknown): argument is ListedValues {
  return typeof argument === 'object' && argument !== null && Object.hasOwn(argument, 'listed');
}

/** The argument to show: without the values of personal facts, but with names of lists, other facts and the rest. */
export function shownArgument(
  { fact, operator, expected }: { readonly fact: string; readonly operator: string; readonly expected: unknown },
  table: FactTable,
): unknown {
  // The argument is another fact (`{ fact }`), or replaced already.
  if (isObject(expected) || !isOperator(operator) || !namesPersonalValue({ fact, operator, other: undefined }, table))
    return expected;
  return { listed: Array.isArray(expected) ? expected.length : 1 } satisfies ListedValues;
}
