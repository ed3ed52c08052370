/** A box -> conditions for people: the named conditions and the tests of the policies that are equivalent to it. */

import { describeCells } from '../../decision/explain/describe-cells.ts';
import { testWords } from '../../decision/explain/sentence.ts';
import { shownArgument } from '../../decision/meaning/evidence.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { cached } from '../../platform/cached.ts';
import { isNamedList } from '../../policy/arguments.ts';
import { hasPersonalTexts, namesPersonalValue } from '../../policy/identities.ts';
import { type Condition, type Test, testsOf } from '../../policy/language.ts';
import { operatorRow } from '../../policy/operators.ts';
import { MOST_PHRASES_PAIRED, MOST_VALUES_LISTED } from '../limits.ts';
import { isPartOfList } from '../space/calendar.ts';
import { type DayRange, daysIn, type Space } from '../space/space.ts';
import type { Box } from '../space/truths.ts';
import type { StateSet, Tie, Variable } from '../space/variable.ts';

/**
 * A condition for each variable that may not have all its states, or for several that a named condition is about; and
 * one for a box in it that does not belong to it.
 */
export function describeBox(space: Space, box: Box, without?: Box): readonly string[] {
  const conditions = conditionsOf(space, box);
  if (!without) return conditions;
  // What holds in the whole box is said already.
  const further = without.map((states, i) => (states.join() === box[i]?.join() ? states.map(() => true) : states));
  const limited = [...further.keys()].filter((i) => !further[i]?.every(Boolean));
  const [inside, ...more] = conditionsOf(space, further);
  // A named condition says several variables as one.
  const isNamed = more.length === 0 && limited.length > 1 && limited.every((i) => i !== space.calendar);
  if (inside !== undefined && isNamed) return [...conditions, `not ${inside}`];
  const outside = limited.map((i) => {
    const states = box[i]?.map((isIn, state) => isIn && !without[i]?.[state]) ?? [];
    if (i !== space.calendar) return describeStates(space, i, states);
    return dayWords(daysIn(space, box.with(i, states)));
  });
  return [...conditions, outside.join('; or ')];
}

function conditionsOf(space: Space, box: Box): readonly string[] {
  const words = new Map(
    box.flatMap((states, i) => {
      if (states.every(Boolean)) return [];
      if (i === space.calendar) return describeDays(daysIn(space, box)).map((said) => [i, said] as const);
      return [[i, describeStates(space, i, isKnown(space, box, i) ? states.with(0, false) : states)] as const];
    }),
  );
  for (const { name, states } of namedBoxes(space)) {
    const variables = [...states.keys()].sort((a, b) => a - b);
    const [first] = variables;
    const isSame = variables.every((i) => words.has(i) && box[i]?.join() === states.get(i)?.join());
    if (!isSame || first === undefined) continue;
    const said = variables.map((i) => words.get(i)).join(', ');
    for (const i of variables) words.delete(i);
    words.set(first, `${name} (${said})`);
  }
  return [...words].sort(([one], [other]) => one - other).map(([, each]) => each);
}

/** Whether the other conditions of a box leave no applicant whose fact is missing. */
function isKnown({ ties }: Space, box: Box, variable: number): boolean {
  const excludes = ([of, states]: Tie[number]) =>
    of === variable ? states[0] : box[of]?.every((isIn, state) => !isIn || states[state]);
  return ties.some((tie) => tie.some(([of]) => of === variable) && tie.every(excludes));
}

/** Days that do not follow each other; a region itself says from when until when it is. */
function describeDays(ranges: readonly DayRange[]): readonly string[] {
  return ranges.length > 1 ? [dayWords(ranges)] : [];
}

function dayWords(ranges: readonly DayRange[]): string {
  const words = ranges.map(({ firstDay, lastDay }) => `from ${firstDay}${lastDay ? ` to ${lastDay}` : ''}`);
  return `the day is ${words.join(', or ')}`;
}

/** The values of texts that may identify a person are not shown. */
const HIDDEN = (path: string) => `${path} has one of several values (not shown)`;

function describeStates(space: Space, index: number, states: StateSet): string {
  const variable = space.variables[index] as Variable;
  const { path, axes, cells } = variable;
  // Of two facts that are compared, either may be the missing one.
  const other = axes.find((axis) => axis.other !== undefined && axis.other !== path)?.other;
  const orMissing = states[0] ? `, or ${other === undefined ? '' : 'one of them is '}missing` : '';
  const present = states.flatMap((isIn, i) => (isIn && i > 0 ? [i] : []));
  if (present.length === 0) return other === undefined ? `${path} is missing` : `${path} or ${other} is missing`;
  if (present.length === states.length - 1)
    return other === undefined ? `${path} is known` : `${path} and ${other} are known`;
  const isHidden = isHiddenIn(space, path);
  const tested =
    describeByTests(space, index, present, { isOfOne: false }) ??
    (isHidden || !areFewValues(variable, present)
      ? describeByTests(space, index, present, { isOfOne: true })
      : undefined) ??
    (isHidden ? HIDDEN(path) : undefined);
  if (tested !== undefined) return `${tested}${orMissing}`;
  // The axis that separates these states from all others describes them best.
  const others = states.flatMap((isIn, i) => (isIn || i === 0 ? [] : [i]));
  const telling = axes.findIndex((_, a) => {
    const inside = new Set(present.flatMap((i) => cells[a]?.[i] ?? []));
    return others.every((i) => cells[a]?.[i]?.every((cell) => !inside.has(cell)));
  });
  const axis = axes[telling];
  if (!axis) return `${path} is ${describeSamples(variable, present)}${orMissing}`;
  const foundCells = [...new Set(present.flatMap((i) => cells[telling]?.[i] ?? []))].sort((a, b) => a - b);
  const words = describeCells(axis, foundCells) ?? 'known';
  const subject = axis.other === undefined ? path : `${path} against ${axis.other}`;
  return `${subject} is ${words}${orMissing}`;
}

/** Whether texts are a few that the policies name. */
function areFewValues({ axes, cells }: Variable, present: readonly number[]): boolean {
  const isNamed = (state: number) =>
    axes.some((axis, a) => cells[a]?.[state]?.every((cell) => axis.cells[cell]?.words.startsWith('"')));
  return present.length <= MOST_VALUES_LISTED && present.every(isNamed);
}

/** States that no axis tells from the others by itself, such as days by age and by calendar: by what each axis says. */
function describeSamples({ axes, cells }: Variable, present: readonly number[]): string {
  const parts = present.map((state) =>
    axes.map((axis, a) => describeCells(axis, cells[a]?.[state] ?? []) ?? '').filter((words) => words !== ''),
  );
  return [...new Set(parts.map((words) => words.join(' and ')))].join(', or ');
}

/** A named condition, and the states of each of its variables in which it is true. */
interface NamedBox {
  readonly name: string;
  readonly states: ReadonlyMap<number, StateSet>;
}

/**
 * Those that rules or questions ask for, the ones of most facts first. A name that means other things in both policies
 * is left out.
 */
const namedBoxes = cached((space: Space): readonly NamedBox[] => {
  const found = new Map<string, NamedBox['states'] | undefined>();
  const seen = new Set<Condition>();
  const add = (condition: Condition): void => {
    if (condition.kind === 'test' || seen.has(condition)) return;
    seen.add(condition);
    for (const part of condition.of) add(part);
    if (condition.kind !== 'named') return;
    const box = boxOf(condition, space);
    const { name } = condition;
    found.set(name, found.has(name) && textOf(found.get(name)) !== textOf(box) ? undefined : box);
  };
  for (const { rules } of space.sides) for (const { when } of rules) add(when);
  for (const condition of space.conditions) add(condition);
  const boxes = [...found].flatMap(([name, states]) => (states ? [{ name, states }] : []));
  return boxes.sort((one, other) => other.states.size - one.states.size);
});

function textOf(box: NamedBox['states'] | undefined): string {
  return JSON.stringify(box && [...box]);
}

/** The states in which a condition is true; undefined if they are not a box. */
function boxOf(condition: Condition, space: Space): NamedBox['states'] | undefined {
  if (condition.kind === 'test') {
    const { variable, isTrue } = space.statesOf(condition);
    return new Map([[variable, isTrue]]);
  }
  if (condition.kind === 'named') return boxOf(condition.of[0], space);
  if (condition.kind !== 'all' && condition.kind !== 'any') return undefined;
  const parts = condition.of.map((part) => boxOf(part, space));
  const joined = new Map<number, StateSet>();
  for (const part of parts) {
    if (!part) return undefined;
    for (const [variable, states] of part) {
      const earlier = joined.get(variable);
      const isIn = (one: boolean, other: boolean) => (condition.kind === 'all' ? one && other : one || other);
      joined.set(variable, earlier ? states.map((each, at) => isIn(each, earlier[at] === true)) : states);
    }
  }
  // Alternatives of several facts are not a box.
  return condition.kind === 'all' || joined.size === 1 ? joined : undefined;
}

/** Whether cells of a fact would show values that a policy compares it with, and that may be of a person. */
function isHiddenIn({ sides }: Space, path: string): boolean {
  return sides.some(({ policy, rules }) => {
    const isPrivate = (test: Test) => test.fact === path && namesPersonalValue(test, policy.facts);
    return hasPersonalTexts(path, policy.facts) || rules.some(({ when }) => testsOf(when).some(isPrivate));
  });
}

/** What a test or its opposite says, and the states in which it is so. */
interface Phrase {
  readonly fact: string;
  readonly words: string;
  readonly states: ReadonlySet<number>;
  /** Whether the other policy, or another day, has a list of this name with other entries. */
  readonly isOfOne: boolean;
}

/**
 * The test that is true of these states and of no other known ones, or its opposite, or two tests together, in words.
 * Undefined for facts other than texts and comparisons, and where no tests fit. `isOfOne` allows lists that are not the
 * same in both policies: the words then say whose.
 */
function describeByTests(
  space: Space,
  variable: number,
  present: readonly number[],
  { isOfOne }: Pick<Phrase, 'isOfOne'>,
): string | undefined {
  const phrases = (phrasesIn(space).get(variable) ?? []).filter((phrase) => isOfOne || !phrase.isOfOne);
  const isSame = (states: ReadonlySet<number>) =>
    states.size === present.length && present.every((state) => states.has(state));
  const one = phrases.find(({ states }) => isSame(states));
  if (one) return one.words;
  const few = phrases.slice(0, MOST_PHRASES_PAIRED);
  for (const first of few) {
    const second = few.find(({ states }) => isSame(first.states.intersection(states)));
    // Both begin with the fact.
    if (second) return `${first.words} and ${second.words.slice(second.fact.length + 1)}`;
  }
  return undefined;
}

/** A test as the policies ask it: a list of one name may have other entries in the other policy. */
interface Asked {
  readonly test: Test;
  readonly facts: FactTable;
  readonly isOld: boolean;
  readonly states: string;
  /** The first rule that asks it; undefined for a further condition. */
  readonly rule: string | undefined;
  /** The indexes of the policies that ask it. */
  readonly sides: Set<number>;
}

/** The phrases of each variable, those of the new policy first. */
const phrasesIn = cached((space: Space): ReadonlyMap<number, readonly Phrase[]> => {
  const versions = new Map<string, Asked[]>();
  for (const [side, { policy, rules }] of [...space.sides.entries()].reverse()) {
    const isLast = side === space.sides.length - 1;
    const asking = [
      ...rules.map(({ id, when }) => ({ rule: id, when })),
      ...(isLast ? space.conditions : []).map((when) => ({ rule: undefined, when })),
    ];
    const tests = asking.flatMap(({ rule, when }) => [...testsOf(when)].map((test) => ({ rule, test })));
    for (const { rule, test } of tests) {
      const isByValues = test.type === 'string' || namesPersonalValue(test, policy.facts);
      if (!isByValues && test.other === undefined) continue;
      const states = space.statesOf(test).isTrue.join();
      const knownVersions = versions.get(test.key) ?? [];
      const same = knownVersions.find((each) => each.states === states);
      if (same) same.sides.add(side);
      else {
        const asked = { test, facts: policy.facts, isOld: side === 0, states, rule, sides: new Set([side]) };
        versions.set(test.key, [...knownVersions, asked]);
      }
    }
  }
  const alike = Map.groupBy([...versions.values()], ([first]) => wordsOf(first as Asked, false));
  const phrases = new Map<number, readonly Phrase[]>();
  for (const asked of versions.values()) {
    const [first] = asked as [Asked, ...Asked[]];
    const { variable } = space.statesOf(first.test);
    const isOfOne = asked.length > 1 || isPartOfList(first.test.argument);
    const isAlone = alike.get(wordsOf(first, false))?.length === 1;
    const whose = (each: Asked) => (asked.length > 1 ? policyWords(each) : isAlone ? '' : ruleWords(each));
    const ownPhrases = [
      ...movesBetween(asked, space),
      ...asked.flatMap((each) => phrasesOf(each, { isOfOne, whose: whose(each) }, space)),
    ];
    phrases.set(variable, [...(phrases.get(variable) ?? []), ...ownPhrases]);
  }
  return phrases;
});

function policyWords({ isOld }: Asked): string {
  return ` of the ${isOld ? 'old' : 'new'} policy`;
}

/** Which test it is, where values are not shown. */
function ruleWords(asked: Asked): string {
  const { rule, sides } = asked;
  return `${rule === undefined ? '' : ` in rule ${rule}`}${sides.size > 1 ? '' : policyWords(asked)}`;
}

/** What a test says, and its opposite. */
function phrasesOf(
  asked: Asked,
  { isOfOne, whose }: Pick<Phrase, 'isOfOne'> & { readonly whose: string },
  space: Space,
): readonly Phrase[] {
  const { fact } = asked.test;
  const { isTrue, isUnknown } = space.statesOf(asked.test);
  const knownStates = [...isTrue.keys()].slice(1);
  const isFalse = (at: number) => !isTrue[at] && !isUnknown[at];
  return [
    { fact, isOfOne, words: wordsOf(asked, false) + whose, states: new Set(knownStates.filter((at) => isTrue[at])) },
    { fact, isOfOne, words: wordsOf(asked, true) + whose, states: new Set(knownStates.filter(isFalse)) },
  ];
}

/** The values that only one version of a list has. */
function movesBetween(asked: readonly Asked[], space: Space): readonly Phrase[] {
  const [old, now] = [true, false].map((isOld) => asked.find((each) => each.isOld === isOld)?.test);
  if (!old || !now || !isNamedList(now.argument)) return [];
  const { sentence, negates } = operatorRow(now.operator);
  if (negates !== undefined) return [];
  const { fact } = now;
  const { name } = now.argument;
  const statesOf = (test: Test) => new Set(space.statesOf(test).isTrue.flatMap((isIn, at) => (isIn ? at : [])));
  const [before, after] = [statesOf(old), statesOf(now)];
  const phrases = [after.difference(before), before.difference(after)];
  return phrases.map((states, i) => {
    const words = sentence.replace('is', i === 0 ? 'is now' : 'is no longer').replace('…', () => name);
    return { fact, isOfOne: true, words: `${fact} ${words}`, states };
  });
}

function wordsOf({ test: { other, ...test }, facts }: Asked, isNegated: boolean): string {
  return testWords({
    ...test,
    expected: shownArgument({ ...test }, facts),
    ...(isNegated ? { negated: true } : {}),
    ...(other === undefined ? {} : { other: { fact: other } }),
  });
}
