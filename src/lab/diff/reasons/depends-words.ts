/** A change of reasons -> words: what of it depends on the rules that both policies have. */

import { type Formula, TRUE } from '../../solver/formula.ts';
import { noticeText } from '../edits/rule-edits.ts';
import { type Item, isAmong, type ReasonCase, type ReasonChange } from './reason-case.ts';

/** Where both policies give a notice by rules that they share, though not by the same ones. */
const BY_OTHERS = 'the rules that did not change lead to just this change';

/** A sentence for each code and notice that depends on these rules. */
export function dependsWords(
  items: ReasonCase,
  { added, removed }: ReasonChange,
  formulasOf: (item: Item) => readonly [old: Formula, now: Formula],
): readonly string[] {
  const words = items.flatMap((item) => {
    const { kind, value } = item;
    const formulas = formulasOf(item);
    const open = formulas.filter((each) => each.kind !== 'constant');
    if (open.length === 0) return [];
    if (open.length > 1 && kind === 'notices') return [BY_OTHERS];
    const isChanged = isAmong(item, added) || isAmong(item, removed);
    // A policy that gives it by itself keeps it unless the other gives it too.
    const isGiven = formulas.includes(TRUE) ? !isChanged : isChanged;
    const what = kind === 'codes' ? `the reason ${value}` : `the notice ${noticeText(value)}`;
    return [`${isGiven ? 'another' : 'no other'} rule gives ${what}`];
  });
  return [...new Set(words)];
}
