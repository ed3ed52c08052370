/** A log and its keys -> the decisions on record with their bodies, and how many of them were erased. */

import {
  type DecisionFields,
  type Entry,
  type EntryPosition,
  type ErasureFields,
  hasBody,
  parseEntry,
} from '../../entry/entry.ts';
import * as is from '../../entry/schema.ts';
import { homeOf } from '../../home.ts';
import type { LogIndex } from '../../index/log-index.ts';
import { checkKeys } from '../../keys/key-folder.ts';
import { type LogHome, type LogPlace, readLog } from '../../place.ts';
import type { Filter } from '../../read/filter.ts';
import {
  BodyReader,
  duplicateIdError,
  type LocatedEntry,
  lineError,
  type OpenedBody,
  positionsOf,
  readAt,
  readEntries,
} from '../../read/read-log.ts';
import type { Folder } from '../../store/files.ts';
import { positionWords, TamperedError } from '../../store/io-errors.ts';
import { addRecord, ErasureIndex, IdSet, type ShreddedRecord, subjectMark } from '../../verify/record-sets.ts';
import { isSame, narrowed, otherThanIndexed, readAbout } from '../search-index.ts';

/** A decision with the texts of its body, or why it cannot be read. */
interface OpenedDecision extends LocatedDecision {
  readonly opened: OpenedBody;
}

/** What some lines of a log have. */
interface DecisionBatch {
  readonly decisions: readonly OpenedDecision[];
  readonly erasures: readonly ErasureFields[];
}

/** Which decisions of which log. */
export type WantedDecisions = LogPlace & {
  /** Default: all. */
  readonly isWanted?: (entry: Entry & DecisionFields) => boolean;
  /**
   * An index of the log, and a filter that all wanted decisions pass. If it leaves few, only these are read: each is
   * checked by itself, and the rest of the log is not.
   */
  readonly narrowing?: { readonly index: LogIndex; readonly filter: Filter };
};

/** A log, and its id. */
export interface FoundLog extends LogHome {
  readonly id: string;
}

/** Rejects with CONFIGURATION_INVALID if there is no log, or the keys belong to another log. */
export async function openLog(place: LogPlace): Promise<FoundLog> {
  const home = await homeOf(place);
  const { log: id } = await readLog(home.log);
  // With the keys of another log, the key of every record would seem to be missing.
  await checkKeys(home.keys, id);
  return { ...home, id };
}

/**
 * The wanted decisions of a log, in its order, and all erasures. Rejects with AUDIT_FAILED if a line is not as it was
 * written or two records have one id.
 */
export async function* readDecisions(
  { isWanted = () => true, narrowing }: Omit<WantedDecisions, keyof LogPlace>,
  { log: dir, keys, id }: FoundLog,
): AsyncGenerator<DecisionBatch> {
  const bodies = new BodyReader(keys);
  const ids = new IdSet();
  const positions = narrowing && (await narrowed(narrowing.index, narrowing.filter));
  if (positions) {
    const named: string[] = [];
    for await (const { bytes, position } of readAt(dir, positions)) {
      const parsed = parseEntry(bytes);
      if ('problem' in parsed) throw lineError(position, parsed.problem);
      const { line: entry } = parsed;
      if (entry.kind !== 'decision' || entry.chain !== position.chain || !isSame(entry, position)) {
        throw otherThanIndexed(position);
      }
      const located = { entry, segment: position.segment, line: position.line };
      if (!addRecord(ids, entry)) throw await idError(dir, located);
      if (!isWanted(entry)) continue;
      named.push(entry.id);
      yield { decisions: [{ ...located, opened: await bodies.open(entry) }], erasures: [] };
    }
    const others = (await readAbout(narrowing.index, named)).map(({ bytes }) => parseEntry(bytes));
    const erasures = others.flatMap((each) => ('line' in each && each.line.kind === 'erasure' ? [each.line] : []));
    yield { decisions: [], erasures };
    return;
  }
  for await (const batch of readEntries(dir, id)) {
    const decisions: OpenedDecision[] = [];
    const erasures: ErasureFields[] = [];
    for (const located of batch) {
      const { entry, segment, line } = located;
      if (entry.kind === 'erasure') erasures.push(entry);
      if (!hasBody(entry)) continue;
      // The fast reader does not check the format of ids.
      if (!is.ID.is(entry.id) || !addRecord(ids, entry)) throw await idError(dir, located);
      if (entry.kind !== 'decision' || !isWanted(entry)) continue;
      const opened = bodies.openCached(entry) ?? (await bodies.open(entry));
      decisions.push({ entry, segment, line, opened });
    }
    yield { decisions, erasures };
  }
}

async function idError(dir: Folder, { entry, segment, line }: LocatedEntry): Promise<Error> {
  const positions = 'id' in entry ? ((await positionsOf(dir, [entry.id])).get(entry.id) ?? []) : [];
  if (positions.length > 1) return duplicateIdError(positions);
  const where = positionWords({ chain: entry.chain, segment, line });
  return new TamperedError(`${where} is not as it was written: expected a unique id, ${is.ID.expected}`);
}

/** A decision's entry and its position. */
export interface LocatedDecision extends LocatedEntry {
  readonly entry: Entry & DecisionFields;
}

/** The id and the position of a decision. */
export interface DecisionPosition extends EntryPosition {
  readonly id: string;
}

export function positionOf({ entry: { id, chain }, segment, line }: LocatedDecision): DecisionPosition {
  return { id, chain, segment, line };
}

/** Ask for the result once the whole log was read. Keeps little of each decision. */
export class ShreddedDecisions {
  readonly #shredded: (DecisionPosition & ShreddedRecord)[] = [];
  readonly #erasures = new ErasureIndex();

  /** Adds a decision whose key is overwritten or missing. */
  add(decision: LocatedDecision): void {
    const subjects = Object.values(decision.entry.subjects).map(subjectMark);
    this.#shredded.push({ ...positionOf(decision), subjects });
  }

  addErasure(erasure: ErasureFields): void {
    this.#erasures.add(erasure);
  }

  /** How many decisions were erased for a subject of their own, and the others. */
  result(): { readonly erased: number; readonly others: readonly DecisionPosition[] } {
    const others = this.#shredded.filter((record) => this.#erasures.statusOf(record) !== 'erased');
    return {
      erased: this.#shredded.length - others.length,
      others: others.map(({ id, chain, segment, line }) => ({ id, chain, segment, line })),
    };
  }
}
