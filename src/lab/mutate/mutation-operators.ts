/** One small edit of a policy, as somebody might make it by mistake: what all operators of mutation give. */

import type { Condition } from '../../policy/language.ts';

/** The operators, each with what it does to a policy. */
export const OPERATORS = {
  threshold: 'a limit moved by one step',
  operator: 'an operator replaced by another',
  value: 'a value taken out of a list of values',
  'list-entry': 'an entry taken out of a list',
  test: 'a part of a condition removed',
  join: '`all` and `any` swapped, or a count changed by one',
  not: '`not` removed or added',
  parameter: 'a parameter changed by one, or flipped',
  computation: 'a fact computed in another way',
  rule: 'a rule removed',
  row: 'a row of a table removed',
  outcome: 'another outcome',
  points: 'points changed by one, or removed',
  final: '`final` removed',
  unknown: 'the other `whenUnknown`',
  shadow: 'a rule in shadow mode made live',
  band: 'a band of the score moved by one, or removed',
  default: 'another default',
} as const;

/** The name of an operator of mutation. */
export type MutationOperator = keyof typeof OPERATORS;

/** A part of a condition, and what is put in its place. */
export interface PartMutation {
  readonly operator: MutationOperator;
  /** Unique among the edits of one condition, and equal for the same edit of other values of parameters. */
  readonly name: string;
  readonly part: Condition;
  readonly replacement: Condition;
  /** What people see: the part that is edited, and what it becomes; undefined if it is removed. */
  readonly shown: readonly [before: Condition, after: Condition | undefined];
}
