/** A log, and the id or the reference of a decision -> the decision on record. */

import { InvalidArgumentError } from 'commander';
import { ID } from '../../audit/entry/schema.ts';
import type { LogIndex } from '../../audit/index/log-index.ts';
import type { LogPlace } from '../../audit/place.ts';
import type { DecisionRecord } from '../../audit/query/decision-record.ts';
import { type Io, UsageError } from '../io.ts';
import { hasKeys, type KeysOptions, logPlaceOf, mayExist, readSecret, withIndex } from '../options/log-place.ts';

export function readId(text: string): string {
  const id = text.toLowerCase();
  if (ID.is(id)) return id;
  throw new InvalidArgumentError(
    'Expected the id of a decision, a UUID of version 7; --reference takes your own reference.',
  );
}

/** Loads a decision, and says whether there are keys to read it with. */
export async function loadNamedDecision(
  { dir, id: given, reference, ...options }: KeysOptions & { dir: string; id: string | undefined; reference?: string },
  io: Io,
): Promise<{ readonly record: DecisionRecord; readonly hasKeys: boolean }> {
  const { readRecord } = await import('../../audit/query/decision-record.ts');
  const place = logPlaceOf(dir, options, io);
  if ((given === undefined) === (reference === undefined)) {
    throw new UsageError('name one decision: give its id, or --reference');
  }
  const isKeyed = hasKeys(place, options, io, mayExist);
  // With the keys of another log, the decision's own key would seem to be missing.
  if (isKeyed) await checkKeysOf(place);
  const record = await withIndex(place, io, async (index) => {
    const by = index ? { index } : {};
    const id = given ?? (await idOf(await readSecret(reference ?? '', io, 'the reference'), place, by));
    return readRecord(place, id, by);
  });
  if (!record) throw new UsageError('the log has no decision with that id');
  return { record, hasKeys: isKeyed };
}

/** How many decisions of one reference a message lists. */
const LISTED = 20;

/** The id of the decision with this reference. */
async function idOf(reference: string, place: LogPlace, by: { readonly index?: LogIndex }): Promise<string> {
  const { searchLog } = await import('../../audit/query/search.ts');
  const { rows, total } = await searchLog(place, { reference }, { limit: LISTED, ...by });
  const [found] = rows;
  if (!found) throw new UsageError('the log has no decision with that reference');
  if (total === 1) return found.id;
  const lines = rows.map(({ at, id, outcome }) => `  ${at}  ${id}  ${outcome}`);
  const rest =
    total > rows.length ? [`  and ${total - rows.length} earlier ones: verdict audit search lists them`] : [];
  const problem = `${total} decisions have that reference; show one of them by its id, the newest first:`;
  throw new UsageError([problem, ...lines, ...rest].join('\n'));
}

async function checkKeysOf(place: LogPlace): Promise<void> {
  const { homeOf } = await import('../../audit/home.ts');
  const { readLog } = await import('../../audit/place.ts');
  const { checkKeys } = await import('../../audit/keys/key-folder.ts');
  const { log, keys } = await homeOf(place);
  await checkKeys(keys, (await readLog(log)).log);
}
