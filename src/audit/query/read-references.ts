/** Ids of decisions -> the references of their callers, which no clear field has, without the rest of each record. */

import { readDecision } from '../entry/body.ts';
import { homeOf } from '../home.ts';
import type { LogIndex } from '../index/log-index.ts';
import type { LogPlace } from '../place.ts';
import { BodyReader } from '../read/read-log.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { readDecisionsAbout } from './search-index.ts';

/** Leaves out decisions without a reference, and those whose body cannot be read, such as erased ones. */
export async function readReferences(
  place: LogPlace,
  ids: readonly string[],
  index: LogIndex,
): Promise<ReadonlyMap<string, string>> {
  return wrapIoErrors('read', async () => {
    const [home, found] = await Promise.all([homeOf(place), readDecisionsAbout(index, ids)]);
    const bodies = new BodyReader(home.keys);
    const read = async ({ entry }: (typeof found)[number]) => {
      const opened = await bodies.open(entry);
      const reference = 'texts' in opened ? readDecision(entry, opened.texts)?.decision.clientReference : undefined;
      return reference === undefined ? [] : [[entry.id, reference] as const];
    };
    return new Map((await Promise.all(found.map(read))).flat());
  });
}
