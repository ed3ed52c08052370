/** A policy -> what cases can reach of it: the goals of every rule, test, border, band and notice. */

import { conditionWords } from '../../../decision/explain/sentence.ts';
import { FALSE, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { EVERY_TRUTH, TRUTH_BITS } from '../../../decision/meaning/truth-sets.ts';
import { cellsIn } from '../../../policy/cells/cells.ts';
import type { Condition, Policy, Rule, Test } from '../../../policy/language.ts';
import { placeOf } from '../../../policy/source-map.ts';
import { bandItems } from './bands.ts';
import { type Border, bordersOf, type Side } from './borders.ts';
import { type Counters, type DayCounts, NOTICES } from './counters.ts';
import { type Goal, type Item, KINDS, OF_ALL_DAYS, truthGoals } from './item.ts';
import { possibleTruths } from './possible.ts';

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
      known.push(rule);
      found.set(part, known);
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
  const { scoreNotice, defaultNotice } = counters.policy;
  const given = { score: scoreNotice, default: defaultNotice };
  return NOTICES.filter((of) => given[of] !== undefined).map((of): Item => {
    const at = counters.noticeAt(of);
    const goals = [{ name: 'given', countOn: ({ counts }: DayCounts) => counts[at] ?? 0 }];
    return { key: `notice ${of}`, kind: 'notice', name: `the ${of}`, ...OF_ALL_DAYS, goals };
  });
}
