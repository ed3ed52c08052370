/** A log and its keys -> the decisions on record with their bodies, batch by batch, and the erasures among them. */

import type { DecisionFields, Entry, ErasureFields } from '../../entry/entry.ts';
import * as is from '../../entry/schema.ts';
import { checkKeys } from '../../keys/index-keys.ts';
import { readLog } from '../../log-file.ts';
import { keysFolder, type LogPlace } from '../../place.ts';
import { positionWords, TamperedError } from '../../tampered-error.ts';
import { IdSet } from '../../verify/id-set.ts';
import { duplicateIdError, positionsOf } from '../lookup.ts';
import { BodyReader, type LocatedEntry, type OpenedBody, readEntries } from '../read-log.ts';
import type { LocatedDecision } from './shredded-decisions.ts';

/** A decision with the texts of its body, or why nobody can read it. */
export interface OpenedDecision extends LocatedDecision {
  readonly opened: OpenedBody;
}

/** What some lines of a log have. */
export interface DecisionBatch {
  readonly decisions: readonly OpenedDecision[];
  readonly erasures: readonly ErasureFields[];
}

/** Which decisions of which log. */
export interface WantedDecisions extends LogPlace {
  /** Default: all. */
  readonly isWanted?: (entry: Entry & DecisionFields) => boolean;
}

/** The id of a log whose keys these are. Rejects with CONFIGURATION_INVALID if there is no log, or they are not. */
export async function openLog(place: LogPlace): Promise<string> {
  const { log } = await readLog(place.dir);
  // With the keys of another log, the key of every record would seem to be missing.
  await checkKeys(keysFolder(place), log);
  return log;
}

/**
 * The wanted decisions of a log, in its order, and all erasures. Rejects with AUDIT_FAILED if a line is not as it was
 * written or two records have one id.
 */
export async function* readDecisions(wanted: WantedDecisions, log: string): AsyncGenerator<DecisionBatch> {
  const { dir, isWanted = () => true } = wanted;
  const bodies = new BodyReader(keysFolder(wanted));
  const ids = new IdSet();
  for await (const batch of readEntries(dir, log)) {
    const decisions: OpenedDecision[] = [];
    const erasures: ErasureFields[] = [];
    for (const located of batch) {
      const { entry, segment, line } = located;
      if (entry.kind === 'erasure') erasures.push(entry);
      if (entry.kind !== 'decision' && entry.kind !== 'note') continue;
      // The fast reader does not check the format of ids.
      if (!is.ID.is(entry.id) || !ids.add(entry.id)) throw await idError(dir, located);
      if (entry.kind !== 'decision' || !isWanted(entry)) continue;
      const opened = bodies.openCached(entry) ?? (await bodies.open(entry));
      decisions.push({ entry, segment, line, opened });
    }
    yield { decisions, erasures };
  }
}

async function idError(dir: string, { entry, segment, line }: LocatedEntry): Promise<Error> {
  const positions = 'id' in entry ? ((await positionsOf(dir, [entry.id])).get(entry.id) ?? []) : [];
  if (positions.length > 1) return duplicateIdError(positions);
  const where = positionWords({ chain: entry.chain, segment, line });
  return new TamperedError(`${where} is not as it was written: expected a unique id, ${is.ID.expected}`);
}
