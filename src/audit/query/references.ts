/** Decisions on record -> the references of their callers, which are sealed, as far as the keys open them. */

import { readDecision } from '../entry/body.ts';
import { homeOf } from '../home.ts';
import type { LogIndex } from '../index/log-index.ts';
import type { LogPlace } from '../place.ts';
import { BodyReader } from '../read/read-log.ts';
import { readDecisionsAbout } from './search-index.ts';

/** By the ids of decisions. */
export async function referencesOf(
  ids: readonly string[],
  { place, index }: { readonly place: LogPlace; readonly index: LogIndex },
): Promise<ReadonlyMap<string, string>> {
  const bodies = new BodyReader((await homeOf(place)).keys);
  const references = new Map<string, string>();
  for (const { entry } of await readDecisionsAbout(index, ids)) {
    const opened = await bodies.open(entry);
    const reference = 'texts' in opened ? readDecision(entry, opened.texts)?.decision.clientReference : undefined;
    if (reference !== undefined) references.set(entry.id, reference);
  }
  return references;
}
