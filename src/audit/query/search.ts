/** A log's folder and a query -> the decisions on record that match, by clear fields or also by encrypted facts. */

import { VerdictError } from '../../errors.ts';
import { ANY_TEXT, ANYTHING, listOf, mapOf, optionsReader, SIGNAL, TEXT } from '../../platform/given/options.ts';
import { homeOf } from '../home.ts';
import type { LogIndex } from '../index/log-index.ts';
import { readLine } from '../index/news.ts';
import { readIndexKeys } from '../keys/key-folder.ts';
import { type LogPlace, readLog, readPlace } from '../place.ts';
import { asksPeople, asksWords, COUNT_KEYS, type CountKey } from '../read/count-by.ts';
import { CRITERION_ROWS, type SearchQuery } from '../read/criteria.ts';
import { type Filter, passes, readQuery } from '../read/filter.ts';
import { BodyReader, containsAny, readAt } from '../read/read-log.ts';
import { type CollectedResults, ResultCollector, readSearchEntry, type SearchEntry } from '../read/search-entry.ts';
import { type ChainFolder, listChain, listChains, readRawLines } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import type { ComparedFacts, FactFilter, SoughtFacts } from './fact-filter.ts';

/** How to search. */
export interface SearchOptions extends SoughtFacts {
  /** The most decisions to return, the newest first; 1 to 100,000. Default: 100. */
  readonly limit?: number;
  /** Also counts all decisions that match, by these keys. */
  readonly countBy?: readonly CountKey[];
  /** An index of the log. Where decisions are counted, or facts are sought, it narrows what is read, if to little. */
  readonly index?: LogIndex;
  readonly signal?: AbortSignal;
}

/** The result of a search. A search verifies nothing: it also finds records that were changed by hand. */
export interface SearchResult extends CollectedResults, Partial<ComparedFacts> {
  /** The number of pruned segments: their entries cannot be found. */
  readonly prunedSegments: number;
}

/** The highest limit. */
const MOST_ROWS = 100_000;

const DEFAULT_ROWS = 100;

const readOptions = optionsReader<SearchOptions>(
  'the options of the search',
  {
    'limit?': ANYTHING,
    'countBy?': listOf(TEXT, 'a list of keys'),
    'facts?': mapOf(ANY_TEXT, 'an object of texts, by the path of a fact'),
    'where?': TEXT,
    'index?': ANYTHING,
    'signal?': SIGNAL,
  },
  'REQUEST_INVALID',
);

/** Whether a decision has these terms is told by notes, which have to be known first. */
const NOTED = CRITERION_ROWS.flatMap(({ isNoted, terms = {} }) => (isNoted ? Object.keys(terms) : []));

/**
 * Searches a log. Processes may write to it meanwhile; an entry being written is not found. Memory grows by some 300
 * bytes a note, and with the rows returned. Rejects with REQUEST_INVALID for an invalid query; CONFIGURATION_INVALID
 * if there is no log, or if a subject or a fact is searched for with keys of another log; AUDIT_FAILED if a line or
 * file cannot be read; ABORTED.
 */
export async function searchLog(
  logPlace: LogPlace,
  query: SearchQuery = {},
  options: SearchOptions = {},
): Promise<SearchResult> {
  const place = readPlace(logPlace);
  const { limit = DEFAULT_ROWS, countBy, index, signal, ...sought } = readOptions(options);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST_ROWS) {
    throw new VerdictError('REQUEST_INVALID', `the limit has to be a whole number from 1 to ${MOST_ROWS}`);
  }
  if (countBy?.some((key) => !COUNT_KEYS.includes(key))) {
    throw new VerdictError('REQUEST_INVALID', `found an unknown key, expected some of ${COUNT_KEYS.join(', ')}`);
  }
  const home = await homeOf(place);
  const { keys } = home;
  const { log } = await readLog(home.log);
  const filter = await readQuery(query, home);
  let facts: FactFilter | undefined;
  const bodies = countBy?.some(asksWords) ? new BodyReader(keys) : undefined;
  if (bodies) await readIndexKeys(keys, log);
  if (sought.facts !== undefined || sought.where !== undefined) {
    await readIndexKeys(keys, log);
    // The reader of policies takes longer to load than a search of a small log takes.
    const { FactFilter } = await import('./fact-filter.ts');
    facts = new FactFilter(sought, home);
  }
  return wrapIoErrors('searched', async () => {
    const { segments, prunedSegments } = await listSegments(home.log);
    if (index && !facts && !countBy) {
      const { searchIndex } = await import('./search-index.ts');
      return { ...(await searchIndex(index, { filter, limit, mostCounted: Number.MAX_SAFE_INTEGER })), prunedSegments };
    }
    const collector = new ResultCollector(limit, countBy, bodies);
    const isNoted = filter.sought?.flat().some(({ kind }) => NOTED.includes(kind));
    const isJudged = isNoted === true || countBy?.some(asksPeople) === true;
    const scanning = { filter, isJudged, facts, collector, signal };
    if (!index || !(await scanByIndex(index, segments, scanning))) {
      if (isJudged) await collectNotes(segments, scanning);
      await scanSegments(segments, scanning);
    }
    facts?.throwIfUnread();
    return { ...collector.results(), prunedSegments, ...facts?.result() };
  });
}

/** The segments with the newest decisions first: of older ones, few rows or none are then kept. */
async function listSegments(log: Folder): Promise<{ segments: SegmentFile[]; prunedSegments: number }> {
  const segments: SegmentFile[] = [];
  let prunedSegments = 0;
  for (const chain of await listChains(log)) {
    const folder = await listChain(log, chain);
    const last = [...folder.segments.keys()].at(-1);
    for (const [segment, bytes] of folder.segments) {
      segments.push({ folder, chain, segment, bytes, isLast: segment === last });
    }
    // After an interrupted prune, a segment may exist beside its tombstone: it is searched.
    prunedSegments += [...folder.tombstones].filter((segment) => !folder.segments.has(segment)).length;
  }
  segments.sort((one, other) => Number(other.isLast) - Number(one.isLast) || other.segment - one.segment);
  return { segments, prunedSegments };
}

/** A segment of a log. */
interface SegmentFile {
  readonly folder: ChainFolder;
  readonly chain: string;
  readonly segment: number;
  /** Its length when it was listed; what is appended later is not read. */
  readonly bytes: number;
  /** Whether it is the last of its chain: it may be growing, so an unterminated last line is not an entry yet. */
  readonly isLast: boolean;
}

/** What lines are compared with, and where matches go. */
interface Scan {
  readonly filter: Filter;
  /** Whether the notes have to be known before the decisions: they tell which match, or how they are counted. */
  readonly isJudged: boolean;
  readonly facts: FactFilter | undefined;
  readonly collector: ResultCollector;
  readonly signal: AbortSignal | undefined;
}

/** Takes a decision if it passes. */
async function take(entry: DecisionEntry, bytes: Buffer, { filter, facts, collector }: Scan): Promise<void> {
  const isFound = passes(entry, filter, collector.judgedOf(entry.id));
  if (isFound === false || (facts && !(await facts.passes(bytes)))) return;
  if (isFound) collector.addDecision(entry);
  else collector.countUndecidable();
}

type DecisionEntry = Extract<SearchEntry, { kind: 'decision' }>;

/** Adds the notes of all segments: whether a decision matches may be told by a note that is read after it. */
async function collectNotes(files: readonly SegmentFile[], { collector, signal }: Scan): Promise<void> {
  const mayBeNote = containsAny(['"note"', '"case.opened"']);
  for (const { folder, segment, isLast } of files) {
    for await (const { bytes, isEnded } of readRawLines(folder, segment)) {
      throwIfAborted(signal);
      if ((isLast && !isEnded) || !bytes || !mayBeNote(bytes)) continue;
      await collector.addOther(bytes);
    }
  }
}

/**
 * Reads segments in bounded memory. Rejects with AUDIT_FAILED at the first line that cannot be read, and with ABORTED
 * once the signal aborts.
 */
async function scanSegments(files: readonly SegmentFile[], scan: Scan): Promise<void> {
  const { isJudged, collector, signal } = scan;
  for (const { folder, chain, segment, isLast } of files) {
    for await (const { number, bytes, isEnded } of readRawLines(folder, segment)) {
      throwIfAborted(signal);
      if (isLast && !isEnded) continue;
      const entry = readLine(bytes, { chain, segment, line: number });
      if (!entry || !bytes) continue;
      if (entry.kind === 'decision') await take(entry, bytes, scan);
      else if (entry.kind === 'erasure' || !isJudged) await collector.addOther(bytes);
    }
  }
}

/** The same by an index, in the same order; false if it does not narrow the search. */
async function scanByIndex(index: LogIndex, files: readonly SegmentFile[], scan: Scan): Promise<boolean> {
  const { collectOthers, isSame, narrowed, otherThanIndexed } = await import('./search-index.ts');
  const numbers = new Map(files.map(({ chain, segment }, n) => [`${chain} ${segment}`, n]));
  const { filter, isJudged, collector, signal } = scan;
  const positions = await narrowed(index, filter, ({ chain, segment, end }) => {
    const n = numbers.get(`${chain} ${segment}`);
    return end > (files[n ?? -1]?.bytes ?? 0) ? undefined : n;
  });
  if (!positions) return false;
  if (isJudged) {
    const ids = positions.map(({ id }) => id);
    await collectOthers(index, ids, collector);
  }
  for await (const { bytes, position } of readAt(index.log, positions)) {
    throwIfAborted(signal);
    const entry = readSearchEntry(bytes);
    if (entry?.kind !== 'decision' || !isSame(entry, position)) throw otherThanIndexed(position);
    if (passes(entry, filter, collector.judgedOf(entry.id)) === false) throw otherThanIndexed(position);
    await take(entry, bytes, scan);
  }
  if (!isJudged) await collectOthers(index, collector.ids(), collector);
  return true;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new VerdictError('ABORTED', 'the search was aborted');
}
