/** Two versions of a condition -> a phrase for each thing that they ask otherwise. */

import { conditionWords, shownArgumentWords } from '../../../decision/explain/sentence.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { namesPersonalValue } from '../../../policy/identities.ts';
import type { Condition, Test } from '../../../policy/language.ts';
import { createConditionKey } from '../../../policy/sameness.ts';

/** A changed part of a condition. */
export interface ConditionEdit {
  readonly text: string;
  /** The test of the new version that it is about, if it is about one. */
  readonly test?: Test;
}

/** Equal for conditions that are written alike; the order of their parts does not count. */
export const shapeOf = createConditionKey({ named: (name) => JSON.stringify(name) });

/** The changed parts. */
export function conditionEdits(old: Condition, now: Condition, facts: FactTable): readonly ConditionEdit[] {
  if (shapeOf(old) === shapeOf(now)) return [];
  if (old.kind === 'test' && now.kind === 'test' && old.fact === now.fact) return [testEdit(old, now, facts)];
  if (old.kind === 'not' && now.kind === 'not') {
    return conditionEdits(old.of[0], now.of[0], facts).map((edit) => ({ ...edit, text: `not: ${edit.text}` }));
  }
  if (old.kind === 'atLeastOf' && now.kind === 'atLeastOf') {
    const edits = partEdits(old.of, now.of, 'counts', facts);
    const counts = [old, now].map(({ count, of }) => `${count} of ${of.length}`);
    return old.count === now.count ? edits : [{ text: `at least ${counts.join(' is now ')}` }, ...edits];
  }
  if (old.kind === 'any' && now.kind === 'any') return partEdits(old.of, now.of, 'suffices', facts);
  const [before, after] = [old, now].map((each) => (each.kind === 'all' ? each.of : [each])) as [
    readonly Condition[],
    readonly Condition[],
  ];
  const edits = partEdits(before, after, 'is asked', facts);
  // Another condition altogether is better said at once.
  const isOther = !before.some((part) => after.some((each) => isRelated(part, each)));
  return isOther ? [{ text: `the condition is now: ${conditionWords(now, facts)}` }] : edits;
}

function isRelated(one: Condition, other: Condition): boolean {
  if (shapeOf(one) === shapeOf(other)) return true;
  return one.kind === 'test' ? other.kind === 'test' && one.fact === other.fact : one.kind === other.kind;
}

const HOW = {
  'is asked': ['now also asks that', 'no longer asks that'],
  suffices: ['now also true if', 'no longer true if'],
  counts: ['now also counts whether', 'no longer counts whether'],
} as const;

/** The parts of a join: those that are written alike are paired, then tests of one fact, then joins of one kind. */
function partEdits(
  old: readonly Condition[],
  now: readonly Condition[],
  how: keyof typeof HOW,
  facts: FactTable,
): readonly ConditionEdit[] {
  const left = [...old];
  const take = (isPartner: (part: Condition) => boolean): Condition | undefined => {
    const at = left.findIndex(isPartner);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const unpaired = now.filter((part) => !take((each) => shapeOf(each) === shapeOf(part)));
  const isSameTest = (one: Condition, other: Condition) =>
    one.kind === 'test' && other.kind === 'test' && one.fact === other.fact && one.operator === other.operator;
  const pairs = new Map<Condition, Condition>();
  for (const isPartner of [isSameTest, isRelated]) {
    for (const part of unpaired) {
      const partner = pairs.has(part) || part.kind === 'named' ? undefined : take((each) => isPartner(each, part));
      if (partner) pairs.set(part, partner);
    }
  }
  const [added, removed] = HOW[how];
  return [
    ...unpaired.flatMap((part): readonly ConditionEdit[] => {
      const partner = pairs.get(part);
      if (partner) return conditionEdits(partner, part, facts);
      const text = `${added} ${conditionWords(part, facts)}`;
      return [part.kind === 'test' ? { text, test: part } : { text }];
    }),
    ...left.map((part) => ({ text: `${removed} ${conditionWords(part, facts)}` })),
  ];
}

function testEdit(old: Test, now: Test, facts: FactTable): ConditionEdit {
  const { fact, operator } = now;
  const [before, after] = [shownArgumentWords(old, facts), shownArgumentWords(now, facts)];
  const said = (one: Test, argument: string) => (one.operator === 'is' ? argument : `${one.operator} ${argument}`);
  const text = () => {
    if (old.operator !== operator) return `${fact} ${said(old, before)} is now ${said(now, after)}`;
    if (namesPersonalValue(now, facts)) return `${fact} ${operator}: other values (not shown)`;
    const [had, has] = [old.expected, now.expected];
    if (!Array.isArray(had) || !Array.isArray(has)) return `${fact} ${said(old, before)} is now ${after}`;
    const gone = had.filter((value) => !has.includes(value));
    const added = has.filter((value) => !had.includes(value));
    if (operator === 'between' || gone.length === had.length) return `${fact} ${operator} ${before} is now ${after}`;
    const changes = [
      ...(added.length > 0 ? [`now has ${added.join(', ')}`] : []),
      ...(gone.length > 0 ? [`no longer has ${gone.join(', ')}`] : []),
    ];
    return `${fact} ${operator} ${changes.join(', and ')}`;
  };
  return { text: text(), test: now };
}
