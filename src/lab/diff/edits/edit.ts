/** What an edit of a policy is, for people and for programs. */

import type { Place } from '../../../diagnostics.ts';
import { canonicalJson } from '../../../platform/digest.ts';

/** One edited thing of a policy: something that its data say otherwise, whether or not it changes a decision. */
export interface PolicyEdit {
  readonly kind: 'added' | 'removed' | 'renamed' | 'changed';
  /** Leads to it: `['rules', 'phone-voip', 'points']`. A removed thing has the path of the old policy. */
  readonly path: readonly string[];
  /** One sentence, without a full stop. No value of a personal fact is in it. */
  readonly text: string;
  /** Its place in the new files, or in the old ones if it is removed; absent if its value was set from outside. */
  readonly place?: Pick<Place, 'file'> & { readonly line: number };
}

/** An edit, with its place if it has one. */
export function editOf(
  kind: PolicyEdit['kind'],
  path: readonly string[],
  text: string,
  place?: Place | undefined,
): PolicyEdit {
  return { kind, path, text, ...(place ? { place: { file: place.file, line: place.position.line } } : {}) };
}

/** Whether two values are the same as JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || textOf(one) === textOf(other);
}

function textOf(value: unknown): string {
  return value === undefined ? '' : canonicalJson(value);
}

/** How a value changed: `25 is now 30`, `25 is new`, `25 is removed`; undefined is no value. */
export function changeWords(old: string | undefined, now: string | undefined): string {
  if (old === undefined) return `${now} is new`;
  return now === undefined ? `${old} is removed` : `${old} is now ${now}`;
}

/** The kind of a change between values that may be absent; a list without entries is. */
export function changeKind(old: unknown, now: unknown): PolicyEdit['kind'] {
  const isAbsent = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  if (isAbsent(old)) return 'added';
  return isAbsent(now) ? 'removed' : 'changed';
}

/** What was added to a map, removed from it and changed in it, in the order of the new one, removed last. */
export function changesOf<Value>(
  old: ReadonlyMap<string, Value>,
  now: ReadonlyMap<string, Value>,
  isEqual: (old: Value, now: Value) => boolean,
): readonly { readonly name: string; readonly old: Value | undefined; readonly now: Value | undefined }[] {
  const names = [...now.keys(), ...[...old.keys()].filter((name) => !now.has(name))];
  return names.flatMap((name) => {
    const [before, after] = [old.get(name), now.get(name)];
    return before !== undefined && after !== undefined && isEqual(before, after)
      ? []
      : [{ name, old: before, now: after }];
  });
}
