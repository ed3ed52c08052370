/** A policy -> what cases can reach of it: the goals of every rule, test, border, band and notice. */

import { conditionWords } from '../../../decision/explain/sentence.ts';
import { ScoreRange } from '../../../decision/meaning/outcome-range.ts';
import {
  bitOf,
  EVERY_TRUTH,
  FALSE,
  TRUE,
  TRUTH_BITS,
  type Truth,
  type TruthSet,
  truthsOf,
  UNKNOWN,
} from '../../../decision/meaning/truth.ts';
import type { Place } from '../../../diagnostics.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { type Axis, Cells, cellsIn } from '../../../policy/cells/cells.ts';
import { nextUp } from '../../../policy/cells/segments.ts';
import type { NumberCells } from '../../../policy/cells/value-axis.ts';
import { type Condition, type Policy, type Rule, type Test, testsOf } from '../../../policy/language.ts';
import { askedOf } from '../../../policy/operators.ts';
import { placeOf } from '../../../policy/source-map.ts';
import { weigh } from '../../../policy/weight.ts';
import { MOST_CELLS_COMBINED } from '../../limits.ts';
import { type Box, truthsIn } from '../../space/truths.ts';
import type { TestStates } from '../../space/variable.ts';
import { BANDS, type Counters, type DayCounts, NOTICES } from './counters.ts';

/** What is counted, in the order of reports, in words. */
export const KINDS = {
  rule: 'rules',
  row: 'rows of tables',
  test: 'tests',
  border: 'borders',
  condition: 'named conditions',
  band: 'score bands',
  final: 'final rules',
  notice: 'notices',
  removed: 'removed rules',
} as const;

/** The word before the name of an item, where the name alone does not say what it is. */
const NAMES: Readonly<Record<CoverageKind, string>> = {
  ...{ rule: 'rule ', row: 'row ', test: '', border: 'border of ', condition: 'condition ' },
  ...{ band: 'score, ', final: 'final rule ', notice: 'notice of ', removed: 'removed rule ' },
};

/** An item in words: `rule voip`, `border of phone.score: below 80 and 80`. */
export function itemWords({ kind, name }: Pick<Item, 'kind' | 'name'>): string {
  return `${NAMES[kind]}${name}`;
}

/** A kind of what is counted. */
export type CoverageKind = keyof typeof KINDS;

/** Something that a case should reach. */
export interface Goal {
  readonly name: string;
  /** The truth that the subject of the item has then; undefined if it is about something else. */
  readonly truth?: Truth;
  /** How many of the cases of a day reached it. */
  countOn(day: DayCounts): number;
}

/** A part of a policy, with everything that can happen to it. */
export interface Item {
  /** Unique, and equal for the same part of a policy with other values of its parameters. */
  readonly key: string;
  readonly kind: CoverageKind;
  /** In words; the place tells items of one name apart. */
  readonly name: string;
  readonly place: Place | undefined;
  /** The indexes of the rules that it belongs to; undefined for the score and the default, which are of all days. */
  readonly rules: readonly number[] | undefined;
  /** What it is about: a rule, a test or a named condition. */
  readonly subject: Rule | Test | Condition | undefined;
  readonly goals: readonly Goal[];
}

/** An item of no rule: it is counted on all days. */
export const OF_ALL_DAYS = { place: undefined, rules: undefined, subject: undefined } as const;

/** By the number of a truth, plus 1. */
type TruthNames = readonly [ifFalse: string, ifUnknown: string, ifTrue: string];

/** In the order in which goals are listed. */
const TRUTHS = [TRUE, FALSE, UNKNOWN] as const;

/** A goal for each of the truths that are possible. */
function truthGoals(names: TruthNames, possible: number, countOn: (truth: Truth, day: DayCounts) => number): Goal[] {
  return TRUTHS.filter((truth) => possible & bitOf(truth)).map((truth) => ({
    name: names[truth + 1] as string,
    truth,
    countOn: (day) => countOn(truth, day),
  }));
}

const GOALS_OF_RULES = ['does not fire', 'undetermined', 'fires'] as const;
const GOALS_OF_TESTS = ['false', 'unknown', 'true'] as const;

/** The truths that a condition of a policy can have, as `TRUTH_BITS`. */
type TruthsOf = (condition: Condition) => number;

/**
 * Everything that is counted in a policy, by kind, in the policy's order. Goals that cannot be reached are left out,
 * those of rules and conditions only if `isExact`: to find them takes longer than all the rest.
 */
export function itemsOf(counters: Counters, { isExact }: { readonly isExact: boolean }): readonly Item[] {
  const { policy } = counters;
  const truthsOf: TruthsOf = isExact ? (condition) => possibleTruths(condition, policy.facts) : () => EVERY_TRUTH;
  const possible = policy.rules.map(({ when }) => truthsOf(when));
  const items = [
    ...policy.rules.flatMap((rule, i) => ruleItems(rule, i, possible[i] as number, counters)),
    ...[...rulesOfParts(policy)].flatMap(([part, rules], i) =>
      part.kind === 'test'
        ? testItems(part, `test ${i}`, rules, counters)
        : conditionItems(part, rules, { counters, truthsOf }),
    ),
    ...bandItems(counters, possible),
    ...noticeItems(counters),
  ];
  const kinds = Object.keys(KINDS);
  return items
    .filter(({ goals }) => goals.length > 0)
    .sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function ruleItems(rule: Rule, index: number, possible: number, counters: Counters): readonly Item[] {
  const about = { name: rule.id, place: placeOf(rule), rules: [index], subject: rule };
  const canFire = (possible & TRUTH_BITS.true) !== 0;
  const countOf = (truth: Truth, day: DayCounts): number => {
    if (truth !== FALSE) return day.counts[counters.ruleAt(index, truth)] ?? 0;
    return day.cases - countOf(TRUE, day) - countOf(UNKNOWN, day);
  };
  const one = (name: string, at: number): readonly Goal[] => [{ name, countOn: ({ counts }) => counts[at] ?? 0 }];
  // The rows of a table are numbered: limits/1.
  const kind = rule.id.includes('/') ? 'row' : 'rule';
  const decides = rule.final && !rule.shadow && canFire;
  const gives = rule.notice !== undefined && rule.then !== undefined && !rule.shadow && canFire;
  return [
    { ...about, key: `rule ${index}`, kind, goals: truthGoals(GOALS_OF_RULES, possible, countOf) },
    { ...about, key: `final ${index}`, kind: 'final', goals: decides ? one('decides', counters.finalAt(index)) : [] },
    { ...about, key: `notice ${index}`, kind: 'notice', goals: gives ? one('given', counters.noticeAt(index)) : [] },
  ];
}

/** The tests and named conditions of a policy, where they stand, with the rules that ask them. */
function rulesOfParts({ rules }: Policy): ReadonlyMap<Test | NamedCondition, readonly number[]> {
  const places = new Map<Test | NamedCondition, number[]>();
  // Each reference to a named condition is an object of its own; what it names is one.
  const references = new Map<Condition, NamedCondition>();
  const visit = (condition: Condition, rule: number): void => {
    let part = condition;
    if (part.kind === 'named') {
      part = references.get(part.of[0]) ?? part;
      references.set((part as NamedCondition).of[0], part as NamedCondition);
    }
    if (part.kind === 'test' || part.kind === 'named') {
      const earlier = places.get(part) ?? [];
      if (earlier.at(-1) === rule) return;
      earlier.push(rule);
      places.set(part, earlier);
    }
    if (part.kind !== 'test') for (const child of part.of) visit(child, rule);
  };
  for (const [i, { when }] of rules.entries()) visit(when, i);
  return places;
}

type NamedCondition = Extract<Condition, { kind: 'named' }>;

function testItems(test: Test, key: string, rules: readonly number[], counters: Counters): readonly Item[] {
  const { cells, policy } = counters;
  const { axis, isTrue, isUnknown } = cells.of(test);
  const name = conditionWords(test, policy.facts);
  const every = (1n << BigInt(axis.cells.length)) - 1n;
  const possible =
    (isTrue === 0n ? 0 : TRUTH_BITS.true) |
    (isUnknown === 0n ? 0 : TRUTH_BITS.unknown) |
    ((isTrue | isUnknown) === every ? 0 : TRUTH_BITS.false);
  const [trueCells, unknownCells] = [cellsIn(isTrue), cellsIn(isUnknown)];
  const sum = (of: readonly number[], { counts }: DayCounts) =>
    of.reduce((total, cell) => total + (counts[counters.cellAt(axis, cell)] ?? 0), 0);
  const countOf = (truth: Truth, day: DayCounts): number => {
    if (truth === FALSE) return day.cases - sum(trueCells, day) - sum(unknownCells, day);
    return sum(truth === TRUE ? trueCells : unknownCells, day);
  };
  const about = { place: placeOf(test), rules, subject: test };
  return [
    { ...about, key, kind: 'test', name, goals: truthGoals(GOALS_OF_TESTS, possible, countOf) },
    ...bordersOf(test, cells).map((border) => borderItem(border, { ...about, key, name: test.fact }, counters)),
  ];
}

function borderItem(
  { axis, sides }: Border,
  { key, name: fact, ...about }: Omit<Item, 'kind' | 'goals'>,
  counters: Counters,
): Item {
  const goalOf = (side: Side): Goal => {
    const at = 'number' in side ? counters.numberAt(axis, side.number) : counters.cellAt(axis, side.cell);
    return { name: side.words, countOn: ({ counts }) => counts[at] ?? 0 };
  };
  const name = `${fact}: ${sides.map(({ words }) => words).join(' and ')}`;
  // With another value of a parameter it is another border.
  return { ...about, key: `${key} ${name}`, kind: 'border', name, goals: sides.map(goalOf) };
}

function conditionItems(
  named: NamedCondition,
  rules: readonly number[],
  { counters, truthsOf }: { readonly counters: Counters; readonly truthsOf: TruthsOf },
): readonly Item[] {
  const { name, of } = named;
  // The name of one test, or of another condition, has its truths.
  if (of[0].kind === 'test' || of[0].kind === 'named') return [];
  const goals = truthGoals(
    GOALS_OF_TESTS,
    truthsOf(named),
    (truth, { counts }) => counts[counters.conditionAt(name, truth)] ?? 0,
  );
  return [{ key: `condition ${name}`, kind: 'condition', name, place: placeOf(of[0]), rules, subject: of[0], goals }];
}

function noticeItems(counters: Counters): readonly Item[] {
  const { scoreNotices, defaultNotice } = counters.policy;
  const given = { ...scoreNotices, default: defaultNotice };
  return NOTICES.filter((of) => given[of] !== undefined).map((of): Item => {
    const at = counters.noticeAt(of);
    const goals = [{ name: 'given', countOn: ({ counts }: DayCounts) => counts[at] ?? 0 }];
    return {
      key: `notice ${of}`,
      kind: 'notice',
      name: of === 'default' ? 'the default' : `the ${of} band`,
      ...OF_ALL_DAYS,
      goals,
    };
  });
}

const GOALS_OF_BANDS = ['not reached', 'undetermined', 'reached'] as const;

/** The bands of the score that the policy has. `possible` are the truths that each rule can have. */
function bandItems(counters: Counters, possible: readonly number[]): readonly Item[] {
  const { score, rules } = counters.policy;
  return BANDS.flatMap((band): Item[] => {
    const from = score[band];
    if (from === undefined) return [];
    const goals = truthGoals(
      GOALS_OF_BANDS,
      bandTruths(from, rules, possible),
      (truth, { counts }) => counts[counters.bandAt(band, truth)] ?? 0,
    );
    return [{ key: `band ${band}`, kind: 'band', name: `${band} from ${from}`, ...OF_ALL_DAYS, goals }];
  });
}

/** The truths that a band can have if the truths of the rules do not depend on each other. */
function bandTruths(from: number, rules: readonly Rule[], possible: readonly number[]): number {
  const range = new ScoreRange();
  let canWiden = false;
  for (const [i, rule] of rules.entries()) {
    if (rule.shadow) continue;
    const weight = weigh(rule);
    // On another day the rule does nothing.
    const isOfDays = rule.from !== undefined || rule.until !== undefined;
    const truths = (possible[i] as number) | (isOfDays ? TRUTH_BITS.false : 0);
    range.add(weight, truths);
    if (weight.openLeast !== weight.openMost && truths & TRUTH_BITS.unknown) canWiden = true;
  }
  const { low, high } = range;
  return (
    (low.most >= from ? TRUTH_BITS.true : 0) |
    (high.least < from ? TRUTH_BITS.false : 0) |
    (canWiden && low.least < from && high.most >= from ? TRUTH_BITS.unknown : 0)
  );
}

/**
 * What lies on one side of a border: one number, or any number of a cell. Among fractions only the value that the test
 * names is next to its border.
 */
type Side = { readonly words: string } & ({ readonly number: number } | { readonly cell: number });

/** A border of a test. */
interface Border {
  readonly axis: Axis;
  /** The lower numbers first. */
  readonly sides: readonly [below: Side, above: Side];
}

/** The borders of a test, lowest first; none for a test against another fact. */
function bordersOf(test: Test, cells: Cells): readonly Border[] {
  // Of `is` and `in`, the truths say as much.
  if (askedOf(test.operator) !== 'limits') return [];
  const { axis, isTrue } = cells.of(test);
  const { numbers, firstValue } = axis;
  if (!numbers) return [];
  const values = axis.cells.length - firstValue;
  const truths = isTrue >> BigInt(firstValue);
  // The last cell has no neighbour.
  const changes = (truths ^ (truths >> 1n)) & ((1n << BigInt(values - 1)) - 1n);
  return cellsIn(changes).map((cell) => ({ axis, sides: sidesOf(test, cell, axis, numbers) }));
}

/** The sides of the border above a cell, by its index among the values. */
function sidesOf(test: Test, cell: number, { cells, firstValue }: Axis, numbers: NumberCells): Border['sides'] {
  const { steps, order } = numbers;
  const first = steps.firsts[cell + 1] as number;
  const single = (number: number): Side => ({ number, words: order.show(number) });
  if (steps.isWhole) return [single(first - 1), single(first)];
  const among = (index: number): Side => ({ cell: index, words: cells[index]?.words ?? '' });
  const named = [test.argument].flat().map(Number);
  const last = named.find((number) => nextUp(number) === first);
  if (last === undefined) return [among(firstValue + cell), single(first)];
  return [single(last), among(firstValue + cell + 1)];
}

/**
 * The truths that a condition can have, as `TRUTH_BITS`: never too few, and too many only where facts are tied in a way
 * that takes a solver to find.
 */
function possibleTruths(condition: Condition, facts: FactTable): TruthSet {
  const { axes, statesOf } = statesIn(condition, facts);
  const combinations = axes.reduce((product, { cells }) => product * cells.length, 1);
  const wholeSpace: Box = axes.map(({ cells }) => cells.map(() => true));
  const possible = truthsOf(condition, truthsIn(wholeSpace, { statesOf }));
  if (combinations > MOST_CELLS_COMBINED) return possible;
  let count = 0;
  for (let i = 0; i < combinations && count !== possible; i++) {
    const point = pointAt(i, axes);
    if (!canBe(axes, point)) continue;
    const box = axes.map(({ cells }, axis) => cells.map((_, cell) => cell === point[axis]));
    count |= truthsOf(condition, truthsIn(box, { statesOf }));
  }
  return count;
}

function statesIn(condition: Condition, facts: FactTable) {
  const cells = new Cells(testsOf(condition), facts);
  const cache = new Map<string, TestStates>();
  const setOf = (bits: bigint, { cells: all }: Axis) => all.map((_, i) => ((bits >> BigInt(i)) & 1n) === 1n);
  for (const test of testsOf(condition)) {
    if (cache.has(test.key)) continue;
    const { axis, isTrue, isUnknown } = cells.of(test);
    const variable = cells.axes.indexOf(axis);
    cache.set(test.key, { variable, isTrue: setOf(isTrue, axis), isUnknown: setOf(isUnknown, axis) });
  }
  return { axes: cells.axes, statesOf: ({ key }: { readonly key: string }) => cache.get(key) as TestStates };
}

/** The cell of each axis in the nth combination. */
function pointAt(n: number, axes: readonly Axis[]): readonly number[] {
  let rest = n;
  return axes.map(({ cells }) => {
    const cell = rest % cells.length;
    rest = Math.floor(rest / cells.length);
    return cell;
  });
}

/** Whether a fact is in the same state on all of its axes, and a pair of facts is missing where one of them is. */
function canBe(axes: readonly Axis[], point: readonly number[]): boolean {
  const states = new Map<string, string | undefined>();
  const stateAt = (i: number) => axes[i]?.cells[point[i] as number]?.state;
  for (const [i, { fact, other }] of axes.entries()) {
    if (other !== undefined) continue;
    if (states.has(fact) && states.get(fact) !== stateAt(i)) return false;
    states.set(fact, stateAt(i));
  }
  return axes.every(({ fact, other }, i) => {
    if (other === undefined) return true;
    const both = [states.get(fact), states.get(other)];
    if (stateAt(i) !== 'missing') return !both.includes('missing');
    return both.includes('missing') || both.includes(undefined);
  });
}
