/**
 * Conditions and facts -> plain logic over flat objects, and those objects: the input of other engines and of
 * hand-written code.
 */

import { LEVELS } from '../../src/facts/catalog.ts';
import { daysBetween } from '../../src/facts/day.ts';
import { type Facts, type FactValue, isMissing } from '../../src/facts/fact.ts';
import type { Condition, Test } from '../../src/policy/language.ts';
import type { OperatorName } from '../../src/policy/operators.ts';

/** A comparison of a value with a literal. */
export type Comparison = '<' | '<=' | '>' | '>=' | '==' | '!=';

/** Two-valued logic over the properties of an object. */
export type Logic =
  | { readonly kind: 'compare'; readonly key: string; readonly by: Comparison; readonly value: FactValue }
  | { readonly kind: 'in' | 'notIn'; readonly key: string; readonly values: readonly FactValue[] }
  | { readonly kind: 'between'; readonly key: string; readonly least: number; readonly most: number }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Logic[] }
  | { readonly kind: 'not'; readonly of: Logic };

/**
 * Facts as other engines get them, in a flat object: levels as steps from 0, dates as ages in days, texts folded,
 * and undefined for missing facts.
 */
export type View = Readonly<Record<string, FactValue | undefined>>;

/** The property name of a fact. */
export function keyOf(path: string): string {
  return path.replaceAll('.', '_');
}

/** Converts facts to a view. `types` gives the type of each fact, `day` the day from which ages are counted. */
export function viewOf(facts: Facts, types: ReadonlyMap<string, { readonly type: string }>, day: string): View {
  const entries = [...facts].map(([path, fact]): [string, FactValue | undefined] => {
    if (isMissing(fact)) return [keyOf(path), undefined];
    return [keyOf(path), plainValue(fact.value, types.get(path)?.type, day)];
  });
  return Object.fromEntries(entries);
}

/** A condition as plain logic. Throws if other engines cannot express it. */
export function logicOf(condition: Condition): Logic {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return { kind: condition.kind, of: condition.of.map(logicOf) };
    case 'not':
      return { kind: 'not', of: logicOf(condition.of[0]) };
    case 'named':
      return logicOf(condition.of[0]);
    case 'test':
      return logicOfTest(condition);
    case 'atLeastOf':
      throw new Error('other engines have no atLeastOf');
  }
}

const COMPARISONS: { readonly [Name in OperatorName]?: Comparison } = {
  is: '==',
  isNot: '!=',
  above: '>',
  atLeast: '>=',
  below: '<',
  atMost: '<=',
  withinLast: '<=',
  olderThan: '>',
};

function logicOfTest({ fact, type, operator, argument, other }: Test): Logic {
  const key = keyOf(fact);
  if (other !== undefined) throw new Error('a comparison of two facts is not part of the benchmark');
  // Durations are already numbers of days.
  const plain = (value: unknown) => plainValue(value as FactValue, type === 'date' ? 'number' : type, '');
  const by = COMPARISONS[operator];
  if (by) return { kind: 'compare', key, by, value: plain(argument) };
  if (operator === 'in' || operator === 'notIn') {
    return { kind: operator, key, values: (argument as readonly FactValue[]).map(plain) };
  }
  if (operator === 'between') {
    const [least, most] = argument as readonly [FactValue, FactValue];
    return { kind: 'between', key, least: Number(plain(least)), most: Number(plain(most)) };
  }
  throw new Error(`other engines have no ${operator}`);
}

function plainValue(value: FactValue, type: string | undefined, day: string): FactValue {
  if (type === 'level') return (LEVELS as readonly FactValue[]).indexOf(value);
  return type === 'date' ? daysBetween(String(value), day) : value;
}

/** The same logic without `not`: negations are pushed down into the comparisons. */
export function withoutNot(logic: Logic, isNegated = false): Logic {
  switch (logic.kind) {
    case 'not':
      return withoutNot(logic.of, !isNegated);
    case 'all':
    case 'any': {
      const kind = (logic.kind === 'all') === isNegated ? 'any' : 'all';
      return { kind, of: logic.of.map((part) => withoutNot(part, isNegated)) };
    }
    case 'compare':
      return isNegated ? { ...logic, by: OPPOSITES[logic.by] } : logic;
    case 'in':
    case 'notIn':
      return isNegated ? { ...logic, kind: logic.kind === 'in' ? 'notIn' : 'in' } : logic;
    case 'between': {
      const { key, least, most } = logic;
      const outside: readonly Logic[] = [
        { kind: 'compare', key, by: '<', value: least },
        { kind: 'compare', key, by: '>', value: most },
      ];
      return isNegated ? { kind: 'any', of: outside } : logic;
    }
  }
}

const OPPOSITES: Readonly<Record<Comparison, Comparison>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '==': '!=',
  '!=': '==',
};
