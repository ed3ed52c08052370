/** A database of PostgreSQL -> the files of a log, which are its rows, and the same lines to the byte. */

import type { Connections } from '../../../platform/homes/connections.ts';
import type { Query } from '../../../platform/homes/query.ts';
import type { EntryPosition } from '../../entry/entry.ts';
import {
  type AppendedLines,
  byName,
  codedError,
  type FileRange,
  type FileState,
  type Files,
  type FolderItem,
  NOT_OF_ROWS,
} from '../files.ts';
import { FOLDERS, SEGMENTS } from '../segment.ts';
import { changedError } from '../writer.ts';

/** Lines as they were appended, and where: `line` is the number of the first of them. */
export interface WrittenLines extends EntryPosition {
  /** In bytes of the segment. */
  readonly starts: readonly number[];
  readonly texts: readonly string[];
}

/** The index of a log, whose rows are written and removed in the transaction of the lines. */
interface IndexRows {
  added(query: Query, lines: WrittenLines): Promise<void>;
  removed(query: Query, chain: string, segment: number): Promise<void>;
}

/** So long without a beat of its writer, a chain is free. */
const SILENT = '60 seconds';

/** The lines that begin in so many bytes are read at a time. */
const READ_BYTES = 4 * 1024 * 1024;

/** All rows are looked through within this time. */
const SCAN_MS = 3_600_000;

const SQL = {
  chains: 'select id::text as name from log_chain order by id',
  files: `select name, length(bytes) as size from log_file where folder = $1 union all
    select name, length(bytes) from log_owner where folder = $1`,
  segments: 'select number, bytes as size from log_segment where chain = $1',
  hasChain: 'select from log_chain where id = $1',
  addChain: 'insert into log_chain (id) values ($1) on conflict do nothing returning id',
  beat: 'update log_chain set beat = now() where id = $1',
  isSilent: `select from log_chain where id = $1 and beat < now() - interval '${SILENT}' and not exists
    (select from log_owner where folder = 'chains/' || $1::text and at > now() - interval '${SILENT}')`,
  segment: 'select day::text as day, lines, bytes from log_segment where chain = $1 and number = $2',
  lines: `select line, start, text from log_entry where day = $1 and chain = $2 and segment = $3 and start >= $4
    and start < $5 order by start`,
  /** What no reader sees: files elsewhere, and lines that are not those which their segment counts. */
  strange: `select 'log_file ' || folder as name
      from (select folder from log_file union select folder from log_owner) as found
    where folder <> all ($1) and not exists (select from log_chain where folder = 'chains/' || id) union all
    select 'log_entry ' || chain || ' ' || segment from (
      select day, chain, segment, count(*) as lines, min(start) as first, max(start) as last from log_entry
        group by day, chain, segment) as written
    full join (select day, chain, number as segment, lines, bytes from log_segment) as owning
      using (day, chain, segment)
    where written.lines is distinct from owning.lines or first <> 0 or last >= bytes order by name limit 100`,
  /** The line that an offset is in. */
  before: `select coalesce(max(start), 0) as start from log_entry
    where day = $1 and chain = $2 and segment = $3 and start <= $4`,
  owning: `select owning.day::text as day
    from unnest($1::uuid[], $2::integer[]) with ordinality as asked(chain, segment, n)
    left join log_segment as owning on owning.chain = asked.chain and owning.number = asked.segment order by n`,
  /** The plan has the partitions of these days alone, and looks up each line, whatever statistics say. */
  ranges: `select asked.n, entry.text from
    unnest($1::uuid[], $2::integer[], $3::integer[], $4::date[]) with ordinality as asked(chain, segment, start, day, n)
    cross join lateral (select text from log_entry as entry where entry.day = asked.day and entry.day = any ($5::date[])
      and entry.chain = asked.chain and entry.segment = asked.segment and entry.start = asked.start offset 0) as entry`,
  addDay: 'select log_add_day($1::date)',
  dropDay: 'select log_drop_day($1::date)',
  /** Never again a segment that was pruned: there is a later one. */
  begin: `insert into log_segment (chain, number, day, lines, bytes) select $1::uuid, $2::integer, $3::date, 0, 0
    where not exists (select from log_segment where chain = $1::uuid and number > $2::integer) on conflict do nothing`,
  /** The lines are one text: in an array each quotation mark of their JSON would be escaped. */
  append: `with grown as (update log_segment set bytes = bytes + $3, lines = lines + cardinality($6::integer[])
      where chain = $1 and number = $2 and bytes = $4 returning day, lines - cardinality($6::integer[]) as before)
    insert into log_entry (day, chain, segment, line, start, text)
      select day, $1, $2, before + n, start, text
      from grown, unnest($6::integer[], string_to_array($5::text, E'\\n')) with ordinality as line(start, text, n)
      returning line`,
  removeSegment: 'delete from log_segment where chain = $1 and number = $2 returning day::text as day',
  hasDay: 'select from log_segment where day = $1 limit 1',
  removeLines: 'delete from log_entry where day = $1 and chain = $2 and segment = $3',
} as const;

/** A path in a log. */
type Place =
  | { readonly chain: string; readonly segment: number }
  | { readonly table: 'log_file' | 'log_owner'; readonly folder: string; readonly name: string };

function placeOf(path: string): Place {
  const [, chain = '', name = ''] = /^chains\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const segment = SEGMENTS.numberOf(name);
  if (segment !== undefined) return { chain, segment };
  const at = path.lastIndexOf('/');
  const file = path.slice(at + 1);
  const table = file.startsWith('owner-') ? 'log_owner' : 'log_file';
  return { table, folder: at < 0 ? '' : path.slice(0, at), name: file };
}

/** The files of the log that a database has. Errors have codes, as those of a file system. */
export function logRows(connections: Connections, index: IndexRows): Files {
  const rows = async <Row>(text: string, parameters: readonly unknown[] = []) =>
    (await connections.query(text, parameters)) as readonly Row[];
  const days = new Set<string>();

  const items = async (folder: string): Promise<FolderItem[]> => {
    const chain = chainOf(folder);
    const files = await rows<FolderItem>(SQL.files, [folder]);
    const chains = folder === 'chains' ? await rows<FolderItem>(SQL.chains) : [];
    const segments = chain === undefined ? [] : await rows<{ number: number; size: number }>(SQL.segments, [chain]);
    const strange = folder === '' ? await connections.query(SQL.strange, [['', ...FOLDERS]], SCAN_MS) : [];
    return [
      ...files.map(({ name, size }) => itemOf('file', name, size)),
      ...segments.map(({ number, size }) => itemOf('file', SEGMENTS.of(number), size)),
      ...(folder === '' ? FOLDERS : chains.map(nameOf)).map((name) => itemOf('folder', name)),
      ...(strange as readonly FolderItem[]).map(({ name }) => itemOf('other', name)),
    ].sort(byName);
  };

  const isFolder = async (path: string): Promise<boolean> => {
    if (path === '' || path === '.' || FOLDERS.includes(path)) return true;
    const chain = chainOf(path);
    return chain !== undefined && (await rows(SQL.hasChain, [chain])).length > 0;
  };

  const segmentOf = async (chain: string, segment: number) =>
    (await rows<{ day: string; lines: number; bytes: number }>(SQL.segment, [chain, segment]))[0];

  const stat = async (path: string): Promise<FileState> => {
    if (await isFolder(path)) return { kind: 'folder', size: 0, id: path };
    const place = placeOf(path);
    if ('chain' in place) {
      const found = await segmentOf(place.chain, place.segment);
      if (found) return { kind: 'file', size: found.bytes, id: path };
    } else {
      const text = `select length(bytes) as size from ${place.table} where folder = $1 and name = $2`;
      const [found] = await rows<{ size: number }>(text, [place.folder, place.name]);
      if (found) return { kind: 'file', size: Number(found.size), id: path };
    }
    throw codedError('ENOENT', path);
  };

  /** As from a file: the lines in their order, and a hole where a row is not the one that was inserted. */
  async function* readSegment(chain: string, segment: number, from: number, end: number): AsyncGenerator<Buffer> {
    const found = await segmentOf(chain, segment);
    if (!found) throw codedError('ENOENT', SEGMENTS.of(segment));
    const at = [found.day, chain, segment] as const;
    const last = Math.min(end, found.bytes);
    const [first] = from === 0 ? [] : await rows<{ start: number }>(SQL.before, [...at, from]);
    let position = first?.start ?? 0;
    let before = from === 0 ? 0 : undefined;
    for (let next = position; position < last; ) {
      const until = Math.min(last, next + READ_BYTES);
      const begin = position;
      const bytes: Buffer[] = [];
      const add = (part: Buffer) => {
        bytes.push(part);
        position += part.length;
      };
      for (const { line, start, text } of await rows<EntryRow>(SQL.lines, [...at, next, until])) {
        if (start > position) add(hole(start - position));
        add(before === undefined || line === before + 1 ? Buffer.from(`${text}\n`) : hole(text.length + 1));
        before = line;
      }
      if (position < until) add(hole(until - position));
      next = until;
      yield Buffer.concat(bytes).subarray(Math.max(0, from - begin), last - begin);
    }
  }

  async function* read(path: string, from = 0, length?: number): AsyncGenerator<Buffer> {
    const end = length === undefined ? Number.MAX_SAFE_INTEGER : from + length;
    const place = placeOf(path);
    if ('chain' in place) return yield* readSegment(place.chain, place.segment, from, end);
    const text = `select bytes from ${place.table} where folder = $1 and name = $2`;
    const [found] = await rows<{ bytes: Buffer }>(text, [place.folder, place.name]);
    if (!found) throw codedError((await isFolder(path)) ? 'EISDIR' : 'ENOENT', path);
    yield found.bytes.subarray(from, end);
  }

  const publish = async (path: string, bytes: Buffer, how: 'new' | 'replace'): Promise<void> => {
    const place = placeOf(path);
    if ('chain' in place) throw codedError('EINVAL', path);
    const then = how === 'new' ? 'nothing' : 'update set bytes = excluded.bytes';
    const text = `insert into ${place.table} (folder, name, bytes) values ($1, $2, $3)
      on conflict (folder, name) do ${then} returning name`;
    if ((await rows(text, [place.folder, place.name, bytes])).length === 0) throw codedError('EEXIST', path);
  };

  const append = async (path: string, { texts, size, day }: AppendedLines): Promise<void> => {
    const place = placeOf(path);
    if (!('chain' in place)) throw codedError('EINVAL', path);
    const { chain, segment } = place;
    // Before the transaction, which would hold the lock of a new partition.
    if (!days.has(day)) await rows(SQL.addDay, [day]);
    days.add(day);
    const lines = texts.map((text) => text.slice(0, -1));
    const starts: number[] = [];
    let end = size;
    for (const text of texts) {
      starts.push(end);
      end += Buffer.byteLength(text);
    }
    await connections.transaction(`chain ${chain}`, async (query) => {
      if (size === 0) await query(SQL.begin, [chain, segment, day]);
      const added = await query(SQL.append, [chain, segment, end - size, size, lines.join('\n'), starts]);
      if (added.length === 0) throw changedError('was removed, or has other bytes than expected');
      const [{ line }] = added as readonly [{ line: number }];
      await index.added(query, { chain, segment, line, starts, texts: lines });
    });
  };

  /**
   * Of a segment all that the transaction of its lines has added; a day without segments loses its partition. It may
   * take long, and the writer of the chain does not wait for it.
   */
  const removeSegment = (chain: string, segment: number) =>
    connections.transaction(
      'prune',
      async (query) => {
        const [removed] = (await query(SQL.removeSegment, [chain, segment])) as { day: string }[];
        if (!removed) throw codedError('ENOENT', SEGMENTS.of(segment));
        await index.removed(query, chain, segment);
        const isLast = (await query(SQL.hasDay, [removed.day])).length === 0;
        if (isLast) await query(SQL.dropDay, [removed.day]);
        else await query(SQL.removeLines, [removed.day, chain, segment]);
        days.delete(removed.day);
      },
      SCAN_MS,
    );

  return {
    ...NOT_OF_ROWS,
    read,
    list: async (folder) => {
      if (!(await isFolder(folder))) throw codedError('ENOENT', folder);
      return (await items(folder)).map(nameOf);
    },
    stat,
    makeFolder: async (path) => {
      const chain = chainOf(path);
      const made = chain === undefined ? [] : await rows(SQL.addChain, [chain]);
      if (made.length === 0) throw codedError('EEXIST', path);
    },
    unlink: async (path) => {
      const place = placeOf(path);
      if ('chain' in place) return removeSegment(place.chain, place.segment);
      const text = `delete from ${place.table} where folder = $1 and name = $2 returning name`;
      if ((await rows(text, [place.folder, place.name])).length === 0) throw codedError('ENOENT', path);
    },
    rows: {
      items,
      publish,
      log: {
        append,
        readRanges: async (ranges) => {
          const places = ranges.map(({ path }) => placeOf(path) as Extract<Place, { chain: string }>);
          const segments = [places.map(({ chain }) => chain), places.map(({ segment }) => segment)];
          const owning = (await rows<{ day: string | null }>(SQL.owning, segments)).map(({ day }) => day);
          const starts = ranges.map(({ start }) => start);
          const asked = [...segments, starts, owning, [...new Set(owning)]];
          const found = await rows<{ n: string; text: string }>(SQL.ranges, asked);
          const texts = new Map(found.map(({ n, text }) => [Number(n), text]));
          return ranges.map((range, i) => bytesIn(range, texts.get(i + 1)));
        },
        beat: async (chain) => void (await rows(SQL.beat, [chain])),
        isSilent: async (chain) => (await rows(SQL.isSilent, [chain])).length > 0,
      },
    },
  };
}

interface EntryRow {
  readonly line: number;
  readonly start: number;
  readonly text: string;
}

/** A line that was never written. */
function hole(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes[length - 1] = 0x0a;
  return bytes;
}

/** As much of the line as a range has. */
function bytesIn({ start, end }: FileRange, text: string | undefined): Buffer {
  return text === undefined ? Buffer.alloc(0) : Buffer.from(`${text}\n`).subarray(0, end - start);
}

/** The chain of a folder; undefined for any other folder. */
function chainOf(path: string): string | undefined {
  return /^chains\/([^/]+)$/.exec(path)?.[1];
}

function itemOf(kind: FolderItem['kind'], name: string, size = 0): FolderItem {
  return { name, kind, size: Number(size) };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
