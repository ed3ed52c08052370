/** A policy -> what cases can reach of it: the goals of every rule, test, border, band and notice. */

import { TRUTH_BITS } from '../../decision/meaning/outcome-range.ts';
import { FALSE, TRUE, type Truth, UNKNOWN } from '../../decision/meaning/truth.ts';
import type { Place } from '../../diagnostics.ts';
import { cellsIn } from '../../policy/cells/cells.ts';
import type { Condition, Policy, Rule, Test } from '../../policy/language.ts';
import { placeOf } from '../../policy/source-map.ts';
import { conditionWords } from '../edits/condition-words.ts';
import { type Border, bordersOf, type Side } from './borders.ts';
import { BANDS, type Counters, type DayCounts, NOTICES } from './counters.ts';
import { possibleTruths } from './possible.ts';

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
} as const;

/** What the name of an item is the name of, where it does not say so itself. */
const NAMES: Readonly<Record<CoverageKind, string>> = {
  ...{ rule: 'rule ', row: 'row ', test: '', border: 'border of ', condition: 'condition ' },
  ...{ band: 'score, ', final: 'final rule ', notice: 'notice of ' },
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

const GOALS_OF_RULES = ['does not fire', 'undetermined', 'fires'] as const;
const GOALS_OF_TESTS = ['false', 'unknown', 'true'] as const;
const GOALS_OF_BANDS = ['not reached', 'undetermined', 'reached'] as const;
type TruthNames = readonly [ifFalse: string, ifUnknown: string, ifTrue: string];

/** In the order in which goals are listed. */
const TRUTHS = [TRUE, FALSE, UNKNOWN] as const;

const EVERY_TRUTH = TRUTH_BITS.false | TRUTH_BITS.unknown | TRUTH_BITS.true;

/** A goal for each of the truths that are possible. */
function truthGoals(names: TruthNames, possible: number, countOn: (truth: Truth, day: DayCounts) => number): Goal[] {
  return TRUTHS.filter((truth) => possible & bitOf(truth)).map((truth) => ({
    name: names[truth + 1] as string,
    countOn: (day) => countOn(truth, day),
  }));
}

function bitOf(truth: Truth): number {
  return truth === TRUE ? TRUTH_BITS.true : truth === FALSE ? TRUTH_BITS.false : TRUTH_BITS.unknown;
}

/** Everything that is counted in a policy, by kind, in the policy's order. */
export function itemsOf(counters: Counters): readonly Item[] {
  const { policy } = counters;
  const possible = policy.rules.map(({ when }) => possibleTruths(when, policy.facts));
  const items = [
    ...policy.rules.flatMap((rule, i) => ruleItems(rule, i, possible[i] as number, counters)),
    ...[...rulesOfParts(policy)].flatMap(([part, rules], i) =>
      part.kind === 'test' ? testItems(part, `test ${i}`, rules, counters) : conditionItems(part, rules, counters),
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
  const countOf = (truth: Truth, { counts, cases }: DayCounts): number => {
    if (truth !== FALSE) return counts[counters.ruleAt(index, truth)] ?? 0;
    return cases - [TRUE, UNKNOWN].reduce((sum, each) => sum + (counts[counters.ruleAt(index, each as Truth)] ?? 0), 0);
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
  const found = new Map<Test | NamedCondition, number[]>();
  // Each reference to a named condition is an object of its own; what it names is one.
  const references = new Map<Condition, NamedCondition>();
  const visit = (condition: Condition, rule: number): void => {
    let part = condition;
    if (part.kind === 'named') {
      part = references.get(part.of[0]) ?? part;
      references.set((part as NamedCondition).of[0], part as NamedCondition);
    }
    if (part.kind === 'test' || part.kind === 'named') {
      const known = found.get(part) ?? [];
      if (known.at(-1) === rule) return;
      found.set(part, [...known, rule]);
    }
    if (part.kind !== 'test') for (const child of part.of) visit(child, rule);
  };
  for (const [i, { when }] of rules.entries()) visit(when, i);
  return found;
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

function conditionItems(named: NamedCondition, rules: readonly number[], counters: Counters): readonly Item[] {
  const { name, of } = named;
  // The name of one test, or of another condition, has its truths.
  if (of[0].kind === 'test' || of[0].kind === 'named') return [];
  const possible = possibleTruths(named, counters.policy.facts);
  const goals = truthGoals(
    GOALS_OF_TESTS,
    possible,
    (truth, { counts }) => counts[counters.conditionAt(name, truth)] ?? 0,
  );
  return [{ key: `condition ${name}`, kind: 'condition', name, place: placeOf(of[0]), rules, subject: of[0], goals }];
}

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

const OF_ALL_DAYS = { place: undefined, rules: undefined, subject: undefined } as const;

/** The truths that a band can have if every rule can have its truths beside those of the others. */
function bandTruths(from: number, rules: readonly Rule[], possible: readonly number[]): number {
  const low = { least: 0, most: 0 };
  const high = { least: 0, most: 0 };
  let canWiden = false;
  for (const [i, rule] of rules.entries()) {
    const { points = 0, shadow, whenUnknown } = rule;
    const truths = possible[i] ?? EVERY_TRUTH;
    if (points === 0 || shadow) continue;
    const open = whenUnknown === 'ignore' ? 0 : points;
    const ends = (unknown: number) => [
      ...(truths & TRUTH_BITS.false ? [0] : []),
      ...(truths & TRUTH_BITS.unknown ? [unknown] : []),
      ...(truths & TRUTH_BITS.true ? [points] : []),
    ];
    if (open !== 0 && truths & TRUTH_BITS.unknown) canWiden = true;
    const [lows, highs] = [ends(Math.min(open, 0)), ends(Math.max(open, 0))];
    low.least += Math.min(...lows);
    low.most += Math.max(...lows);
    high.least += Math.min(...highs);
    high.most += Math.max(...highs);
  }
  return (
    (low.most >= from ? TRUTH_BITS.true : 0) |
    (high.least < from ? TRUTH_BITS.false : 0) |
    (canWiden && low.least < from && high.most >= from ? TRUTH_BITS.unknown : 0)
  );
}

function noticeItems(counters: Counters): readonly Item[] {
  const { scoreNotice, defaultNotice } = counters.policy;
  const given = { score: scoreNotice, default: defaultNotice };
  return NOTICES.filter((of) => given[of] !== undefined).map((of): Item => {
    const at = counters.noticeAt(of);
    const goals = [{ name: 'given', countOn: ({ counts }: DayCounts) => counts[at] ?? 0 }];
    return { key: `notice ${of}`, kind: 'notice', name: `the ${of}`, ...OF_ALL_DAYS, goals };
  });
}
