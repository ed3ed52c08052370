/** A declared list -> its entries by the value that they have in the format of the list. */

import { isIpBlock, type NamedList } from '../../arguments.ts';
import type { DeclaredList, Entry } from '../../read/values/declared-list.ts';
import { readFormattedText } from '../../read/values/formatted-text.ts';

/** The values of a list, each once. */
export function valuesOf({ entries, blocks }: NamedList): ReadonlySet<string> {
  return new Set([...entries.keys(), ...(blocks?.all.map(({ value }) => value) ?? [])]);
}

/** The entries of each value, in their order. */
export function entriesByValue({ entries, format }: DeclaredList): ReadonlyMap<string, readonly Entry[]> {
  return Map.groupBy(entries, ({ written, span }) => {
    // INVARIANT: a policy that is checked has no entry that cannot be read.
    const value = readFormattedText(written.value, span, { path: '', format, takesBlocks: true });
    return value !== undefined && isIpBlock(value) ? value.value : (value ?? '');
  });
}
