/** The guarantees of two policies -> a sentence for each that was added, removed or changed. */

import type { Guarantee, Policy } from '../../../policy/language.ts';
import { placeOf } from '../../../policy/source-map.ts';
import { conditionEdits } from './condition-edits.ts';
import { conditionWords } from './condition-words.ts';
import { changesOf, editOf, isSame, type PolicyEdit } from './edit.ts';
import type { Version } from './written.ts';

/** The edits of guarantees, by id. */
export function guaranteeEdits(old: Version, now: Version): readonly PolicyEdit[] {
  const isEqual = (one: Guarantee, other: Guarantee) => one === other;
  return changesOf(byId(old.policy), byId(now.policy), isEqual).flatMap(({ name, old: before, now: after }) => {
    const path = ['guarantees', name];
    const whole = (guarantee: Guarantee, { policy: { facts } }: Version) =>
      `${claimWords(guarantee)} if ${conditionWords(guarantee.when, facts)}`;
    if (!after) {
      const text = before && `guarantee ${name} is removed: ${whole(before, old)}`;
      return text ? [editOf('removed', path, text, placeOf(before))] : [];
    }
    const place = placeOf(after);
    if (!before) return [editOf('added', path, `guarantee ${name} is new: ${whole(after, now)}`, place)];
    const keys = Object.keys(KEYS) as (keyof typeof KEYS)[];
    const texts = keys.flatMap((key) => (before[key] === after[key] ? [] : KEYS[key](before, after)));
    // Where only the value of a parameter is another one, the parameter is the edited thing.
    const isWrittenAlike = isSame(old.written.guarantees.get(name), now.written.guarantees.get(name));
    return [
      ...[...new Set(texts)].map((text) => editOf('changed', path, `guarantee ${name}: ${text}`, place)),
      ...(isWrittenAlike ? [] : conditionEdits(before.when, after.when, now.policy.facts)).map(({ text, test }) =>
        editOf('changed', [...path, 'when'], `guarantee ${name}: ${text}`, (test && placeOf(test)) ?? place),
      ),
    ];
  });
}

/** The keys of a guarantee beside its condition; what it claims is said at once. */
const KEYS: Readonly<Record<Exclude<keyof Guarantee, 'id' | 'when'>, (old: Guarantee, now: Guarantee) => string>> = {
  claim: (...both) => both.map(claimWords).join(' is now '),
  outcome: (...both) => both.map(claimWords).join(' is now '),
  description: () => 'description edited',
};

function claimWords({ claim, outcome }: Guarantee): string {
  return `${claim === 'atLeast' ? 'at least' : claim} ${outcome}`;
}

function byId({ guarantees }: Policy): ReadonlyMap<string, Guarantee> {
  return new Map(guarantees.map((guarantee) => [guarantee.id, guarantee]));
}
