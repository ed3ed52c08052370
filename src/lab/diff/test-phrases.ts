/** States of a text, or of one fact against another -> the tests that say just these. */

import { testWords } from '../../decision/explain/sentence.ts';
import { shownArgument } from '../../decision/meaning/evidence.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { isNamedList } from '../../policy/arguments.ts';
import { type Test, testsOf } from '../../policy/language.ts';
import { operatorRow } from '../../policy/operators.ts';
import { MOST_PHRASES_PAIRED } from '../limits.ts';
import type { Space } from '../space/space.ts';

/** What a test or its opposite says, and the states in which it is so. */
interface Phrase {
  readonly fact: string;
  readonly words: string;
  readonly states: ReadonlySet<number>;
  /** Whether the other policy has a list of this name with other entries. */
  readonly isOfOne: boolean;
}

const phrasesBySpace = new WeakMap<Space, ReadonlyMap<number, readonly Phrase[]>>();

/**
 * The test that is true of these states and of no other known ones, or its opposite, or two of them together, in words.
 * Undefined for facts other than texts and comparisons, and where no tests fit. `isOfOne` allows lists that are not the
 * same in both policies: the words then say whose.
 */
export function describeByTests(
  space: Space,
  variable: number,
  present: readonly number[],
  { isOfOne }: Pick<Phrase, 'isOfOne'>,
): string | undefined {
  const all = phrasesBySpace.get(space) ?? phrasesIn(space);
  phrasesBySpace.set(space, all);
  const phrases = (all.get(variable) ?? []).filter((phrase) => isOfOne || !phrase.isOfOne);
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
function phrasesIn(space: Space): ReadonlyMap<number, readonly Phrase[]> {
  const versions = new Map<string, Asked[]>();
  for (const [side, { policy, rules }] of [...space.sides.entries()].reverse()) {
    const isLast = side === space.sides.length - 1;
    const asking = [
      ...rules.map(({ id, when }) => ({ rule: id, when })),
      ...(isLast ? space.conditions : []).map((when) => ({ rule: undefined, when })),
    ];
    const tests = asking.flatMap(({ rule, when }) => [...testsOf(when)].map((test) => ({ rule, test })));
    for (const { rule, test } of tests) {
      if (test.type !== 'string' && test.other === undefined) continue;
      const states = space.statesOf(test).isTrue.join();
      const known = versions.get(test.key) ?? [];
      const same = known.find((each) => each.states === states);
      if (same) same.sides.add(side);
      else {
        const asked = { test, facts: policy.facts, isOld: side === 0, states, rule, sides: new Set([side]) };
        versions.set(test.key, [...known, asked]);
      }
    }
  }
  const alike = Map.groupBy([...versions.values()], ([first]) => wordsOf(first as Asked, false));
  const phrases = new Map<number, readonly Phrase[]>();
  for (const asked of versions.values()) {
    const [first] = asked as [Asked, ...Asked[]];
    const { variable } = space.statesOf(first.test);
    const isOfOne = asked.length > 1;
    const isAlone = alike.get(wordsOf(first, false))?.length === 1;
    const whose = (each: Asked) => (isOfOne ? policyWords(each) : isAlone ? '' : ruleWords(each));
    const own = [
      ...movesBetween(asked, space),
      ...asked.flatMap((each) => phrasesOf(each, { isOfOne, whose: whose(each) }, space)),
    ];
    phrases.set(variable, [...(phrases.get(variable) ?? []), ...own]);
  }
  return phrases;
}

function policyWords({ isOld }: Asked): string {
  return ` of the ${isOld ? 'old' : 'new'} policy`;
}

/** Of tests whose values are not shown, which one is meant. */
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
  const known = [...isTrue.keys()].slice(1);
  const isFalse = (at: number) => !isTrue[at] && !isUnknown[at];
  return [
    { fact, isOfOne, words: wordsOf(asked, false) + whose, states: new Set(known.filter((at) => isTrue[at])) },
    { fact, isOfOne, words: wordsOf(asked, true) + whose, states: new Set(known.filter(isFalse)) },
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
