/** The operators of mutation -> the edits that each makes of a policy, as people make them by mistake. */

import type { ArgumentKind } from '../../policy/arguments.ts';
import { type Condition, OUTCOMES, type Rule, type Test } from '../../policy/language.ts';
import { operatorRow } from '../../policy/operators.ts';
import { asksWhenUnknown } from '../../policy/weight.ts';
import { inPlaceOf, type PartEdit, type PolicyEdit, type RuleEdit } from './policy-change.ts';
import {
  type Asked,
  bandEdits,
  computationEdits,
  defaultEdits,
  entriesLeft,
  listEdits,
  parameterEdits,
} from './policy-mutations.ts';
import { moves, negation, swaps, withoutValues } from './test-mutations.ts';

/** A condition of several parts, or `not`. */
export type Joined = Exclude<Condition, { readonly kind: 'test' | 'named' }>;

/** What an operator edits; each key is a kind of place in a policy. */
export interface Operator {
  /** What it does to a policy, in words. */
  readonly what: string;
  readonly ofTest?: (test: Test) => readonly PartEdit[];
  readonly ofJoin?: (part: Joined) => readonly PartEdit[];
  readonly ofRule?: (rule: Rule) => readonly RuleEdit[];
  /** No test can expect what a rule in shadow mode does: its other edits would not show. */
  readonly ofShadowRule?: (rule: Rule) => readonly RuleEdit[];
  readonly ofPolicy?: (asked: Asked) => readonly PolicyEdit[];
  /** What it does not edit. */
  readonly leaves?: readonly {
    readonly what: string;
    readonly why: string;
    readonly count: (asked: Asked) => number;
  }[];
}

/** The operators. The edits of one place are made in this order. */
export const OPERATORS = {
  shadow: {
    what: 'a rule in shadow mode made live',
    ofShadowRule: (rule) => [withEffect(rule, 'mode: shadow', 'live', { shadow: false })],
    leaves: [
      {
        what: 'rules in shadow mode',
        why: 'tried only live: no test can see what they do',
        count: ({ policy }) => policy.rules.filter(({ shadow }) => shadow).length,
      },
    ],
  },
  threshold: { what: 'a limit moved by one step', ofTest: moves },
  operator: { what: 'an operator replaced by another', ofTest: swaps },
  value: { what: 'a value taken out of a list of values', ofTest: withoutValues },
  join: { what: '`all` and `any` swapped, or a count changed by one', ofJoin: swapJoins },
  test: { what: 'a part of a condition removed', ofJoin: removeParts },
  not: {
    what: '`not` removed or added',
    ofTest: negation,
    ofJoin: (part) => (part.kind === 'not' ? [inPlaceOf(part, 'removed', part.of[0])] : []),
    leaves: [
      {
        what: 'patterns',
        why: 'only negated: no other pattern is an obvious near miss',
        count: (asked) => testsBy(asked, 'pattern'),
      },
      {
        what: 'searched texts',
        why: 'only negated',
        count: (asked) => testsBy(asked, 'text'),
      },
    ],
  },
  rule: { what: 'a rule removed', ofRule: (rule) => (isRow(rule) ? [] : [removeRule('rule', rule)]) },
  row: { what: 'a row of a table removed', ofRule: (rule) => (isRow(rule) ? [removeRule('row', rule)] : []) },
  outcome: {
    what: 'another outcome',
    ofRule: (rule) => {
      const others = rule.then === undefined ? [] : OUTCOMES.filter((outcome) => outcome !== rule.then);
      return others.map((outcome) => withEffect(rule, `then: ${rule.then}`, `then: ${outcome}`, { then: outcome }));
    },
  },
  points: {
    what: 'points changed by one, or removed',
    ofRule: (rule) => {
      const { points = 0 } = rule;
      const others = points === 0 ? [] : [...new Set([points + 1, points - 1, 0])];
      return others.map((other) => withEffect(rule, `points: ${points}`, `points: ${other}`, { points: other }));
    },
  },
  final: {
    what: '`final` removed',
    ofRule: (rule) => (rule.final ? [withEffect(rule, 'final: true', 'removed', { final: false })] : []),
  },
  unknown: {
    what: 'the other `whenUnknown`',
    ofRule: (rule) => {
      const { points = 0, whenUnknown } = rule;
      const other = whenUnknown === 'review' ? 'ignore' : 'review';
      const isAsked = points !== 0 || asksWhenUnknown({ ...rule, whenUnknown: 'review' }) !== null;
      const [before, after] = [`whenUnknown: ${whenUnknown}`, `whenUnknown: ${other}`];
      return isAsked ? [withEffect(rule, before, after, { whenUnknown: other })] : [];
    },
  },
  'list-entry': {
    what: 'an entry taken out of a list',
    ofPolicy: listEdits,
    leaves: [
      {
        what: 'list entries',
        why: 'only lists of up to ten entries are tested entry by entry',
        count: entriesLeft,
      },
    ],
  },
  computation: { what: 'a fact computed in another way', ofPolicy: ({ policy }) => computationEdits(policy) },
  band: { what: 'a band of the score moved by one, or removed', ofPolicy: ({ policy }) => bandEdits(policy) },
  default: { what: 'another default', ofPolicy: ({ policy }) => defaultEdits(policy) },
  parameter: { what: 'a parameter changed by one, or flipped', ofPolicy: parameterEdits },
} as const satisfies Record<string, Operator>;

/** The name of an operator of mutation. */
export type MutationOperator = keyof typeof OPERATORS;

/** An edit, and the operator that makes it. */
export type By<Edit> = Edit & { readonly operator: MutationOperator };

/** The rows of the table, in its order. */
export const OPERATOR_ROWS: readonly (readonly [MutationOperator, Operator])[] = Object.entries(OPERATORS) as [
  MutationOperator,
  Operator,
][];

/** The edits that the operators of one kind of place make of a place. */
export function editsOf<Place, Edit>(
  place: Place,
  kindOf: (row: Operator) => ((place: Place) => readonly Edit[]) | undefined,
): readonly By<Edit>[] {
  return OPERATOR_ROWS.flatMap(([operator, row]) =>
    (kindOf(row)?.(place) ?? []).map((edit) => ({ ...edit, operator })),
  );
}

function swapJoins(part: Joined): readonly PartEdit[] {
  if (part.kind === 'not') return [];
  const { kind, of } = part;
  if (kind !== 'atLeastOf') {
    return of.length < 2 ? [] : [inPlaceOf(part, 'swapped', { kind: kind === 'all' ? 'any' : 'all', of })];
  }
  const counts = [part.count + 1, part.count - 1].filter((count) => count >= 1 && count <= of.length);
  return counts.map((count) => inPlaceOf(part, count > part.count ? 'more' : 'fewer', { ...part, count }));
}

function removeParts(part: Joined): readonly PartEdit[] {
  const { of } = part;
  if (part.kind === 'not' || of.length < 2) return [];
  return of.flatMap((child, i) => {
    const left = of.filter((_, at) => at !== i);
    // Fewer parts than have to hold would never hold: that is the count changed by one.
    if (part.kind === 'atLeastOf' && left.length < part.count) return [];
    return [{ ...inPlaceOf(part, `without ${i}`, { ...part, of: left }), shown: [child, undefined] as const }];
  });
}

/** A row of a table is a rule with a number behind a slash. */
function isRow({ id }: Rule): boolean {
  return id.includes('/');
}

function removeRule(what: 'rule' | 'row', { id }: Rule): RuleEdit {
  return { before: `${what} ${id}`, after: 'removed', rule: undefined };
}

function withEffect(rule: Rule, before: string, after: string, effect: Partial<Rule>): RuleEdit {
  return { before, after, rule: { ...rule, ...effect } };
}

function testsBy({ tests }: Asked, kind: ArgumentKind): number {
  return [...tests].filter(({ operator }) => operatorRow(operator).argument === kind).length;
}
