/** The hashes of a subject -> the keys of the texts about it in archived policies erased. */

import type { PolicyKeys } from '../keys/policy-keys.ts';

/** What was erased in archived policies. */
export interface ErasedTexts {
  /** How many texts: entries of lists with their notes, and literals. */
  readonly texts: number;
  /** Texts about the subject that were erased earlier. */
  readonly before: number;
  /** The digests of the archived forms without a record of this erasure: erased now, or in one that was interrupted. */
  readonly policies: readonly string[];
}

/**
 * Erases the texts about a subject in all archived policies. The key folder lists them, so that also an archived form
 * is reached that a crash cut off, or that is in a copy of the log alone.
 */
export async function erasePolicyTexts(
  keys: PolicyKeys,
  hashes: readonly string[],
  recorded: ReadonlySet<string>,
): Promise<ErasedTexts> {
  const policies = new Set<string>();
  let [texts, before] = [0, 0];
  for (const name of await keys.names()) {
    const file = await keys.read(name);
    if (!file) continue;
    const found = file.table.find(hashes);
    const live = found.filter((number) => file.table.keyOf(number));
    if (live.length > 0) await keys.erase(name, file, live);
    texts += live.length;
    before += found.length - live.length;
    if (found.length > 0 && (live.length > 0 || !recorded.has(file.archive))) policies.add(file.archive);
  }
  return { texts, before, policies: [...policies].sort() };
}
