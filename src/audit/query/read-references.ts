/** Ids of decisions -> the references of their callers, which no clear field has, without the rest of each record. */

import { readDecision } from '../entry/body.ts';
import { homeOf } from '../home.ts';
import type { LogIndex } from '../index/log-index.ts';
import type { LogPlace } from '../place.ts';
import { BodyReader, findDecision } from '../read/read-log.ts';
import { wrapIoErrors } from '../store/io-errors.ts';

/** Leaves out decisions without a reference, and those whose body cannot be read, such as erased ones. */
export async function readReferences(
  place: LogPlace,
  ids: readonly string[],
  index: Pick<LogIndex, 'find'>,
): Promise<ReadonlyMap<string, string>> {
  return wrapIoErrors('read', async () => {
    const home = await homeOf(place);
    const bodies = new BodyReader(home.keys);
    const read = async (id: string) => {
      const found = await findDecision(home.log, id, { index: { find: (each) => index.find(each, false) } });
      const opened = found && (await bodies.open(found.record));
      const body = opened && 'texts' in opened ? readDecision(found.record, opened.texts) : undefined;
      const reference = body?.decision.clientReference;
      return reference === undefined ? [] : [[id, reference] as const];
    };
    return new Map((await Promise.all(ids.map(read))).flat());
  });
}
