/** Files of applications, and velocities -> what each application would have counted, as of its own time. */

import { hash, randomUUID } from 'node:crypto';
import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { deriveFact } from '../../facts/compute.ts';
import { LAST_DAY } from '../../facts/day.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { columnOf } from '../sql/table-columns.ts';
import { pathCounted, type Velocities, valueKey } from '../velocity.ts';
import { fileError, type Numbered } from './fact-columns.ts';
import type { RowCounts } from './row-counts.ts';
import { type NumberRecord, SortedRecords } from './sorted-records.ts';
import { endingOf, isTableFile } from './table-file.ts';

/** What was counted. */
export interface CountedVelocities {
  /** By the name of the file. */
  readonly counts: ReadonlyMap<string, RowCounts>;
  /** Those of which some row has no count of its own. */
  readonly velocities: Velocities;
  /** Why one could not be counted, by its path: it is missing in rows without a count of their own. */
  readonly problems: ReadonlyMap<string, string>;
  /** The time of the first application, in milliseconds since 1970: nothing before it is counted. */
  readonly from: number | undefined;
  /** Rows without a time, and those that cannot be read: they have no counts and are not counted. */
  readonly leftOut: number;
}

/** A file. Each call reads its lines or rows from the beginning. */
export interface CountedFile {
  readonly name: string;
  lines(): AsyncIterable<Numbered<FactsLine>>;
}

/** The fields of a record; those of values follow. */
const [TIME, ROW, REFERENCE, FIRST, OUTCOME, VALUES] = [0, 1, 2, 3, 4, 5];

/** A record has the place of its row as one number: the file, and the number of the row in it. */
const ROWS_OF_FILE = 2 ** 32;

/** No value, no reference, no outcome. */
const NONE = 0;

/** The facts that counting reads: those that velocities count by, and the counts that files may have. */
export function factsCounted(velocities: Velocities): ReadonlySet<string> {
  const values = [...velocities.values()].flatMap((velocity) => [velocity.by, memberOf(velocity)]);
  return new Set([...values.map(pathCounted), 'applicant.email', ...velocities.keys()]);
}

/**
 * Counts as a store of velocity does: applications by their time, those of one time in the order of files and rows.
 * Rows of one reference are one application, with the counts of the first and each outcome at its time. Values are told
 * apart by 62 bits of their hash, with a salt of the run, since records may go to the disk. Undefined if the files give
 * all counts. Throws CONFIGURATION_INVALID for an unknown outcome.
 */
export async function countVelocitiesOf(
  files: readonly CountedFile[],
  wanted: Velocities,
  table: FactTable,
): Promise<CountedVelocities | undefined> {
  const lacking = new Set<string>();
  for (const file of files.filter(({ name }) => isTableFile(name))) await findLacking(file, wanted, lacking);
  // The columns of tables say whether there is anything to count.
  if (lacking.size === 0 && files.every(({ name }) => isTableFile(name))) return undefined;
  const names = [...new Set([...wanted.values()].flatMap((velocity) => [velocity.by, memberOf(velocity)]))];
  const applications = new Applications(names, table);
  try {
    const stats: FileStats[] = [];
    for (const file of files) {
      const counts = isTableFile(file.name) ? new Set<string>() : lacking;
      stats.push(await applications.add(file, stats.length, wanted, counts));
    }
    const velocities: Velocities = new Map([...wanted].filter(([path]) => lacking.has(path)));
    if (velocities.size === 0) return undefined;
    const problems = new Map(
      [...velocities].flatMap(([path, velocity]) => {
        const problem = stats.map((file) => problemOf(velocity, file)).find((each) => each !== undefined);
        return problem === undefined ? [] : [[path, problem] as const];
      }),
    );
    const counted = [...velocities].filter(([path]) => !problems.has(path));
    const wrong = stats.find(({ wrongOutcome }) => wrongOutcome !== undefined);
    if (wrong && counted.some(([, { where }]) => where)) throw unknownOutcome(wrong);
    const counts = stats.map(({ last }) => {
      return new Map([...velocities.keys()].map((path) => [path, new Int32Array(last + 1).fill(-1)]));
    });
    const countersOf = Map.groupBy(
      counted.map(([path, velocity]) => new Counter(path, velocity, names)),
      ({ withinMs }) => withinMs,
    );
    slide(applications, [...countersOf], counts);
    return {
      counts: new Map(stats.map(({ name }, i) => [name, counts[i] ?? new Map()])),
      ...{ velocities, problems },
      from: stats.flatMap(({ from }) => from ?? []).toSorted((one, other) => one - other)[0],
      leftOut: stats.reduce((sum, { unreadable, rows, timed }) => sum + unreadable + rows - timed, 0),
    };
  } finally {
    applications.close();
  }
}

/** Notes which velocities a table has no columns of. */
async function findLacking({ lines }: CountedFile, velocities: Velocities, lacking: Set<string>): Promise<void> {
  for await (const line of lines()) {
    if ('problem' in line) continue;
    for (const path of velocities.keys()) if (!line.facts.has(path)) lacking.add(path);
    return;
  }
  // Nothing says which counts the file has.
  for (const path of velocities.keys()) lacking.add(path);
}

/** How many rows of a file have what. */
interface FileStats {
  readonly name: string;
  rows: number;
  /** Lines that cannot be read. */
  unreadable: number;
  /** The greatest number of a row. */
  last: number;
  timed: number;
  /** The first time. */
  from: number | undefined;
  outcomes: number;
  /** The number of the first row with an unknown outcome. */
  wrongOutcome: number | undefined;
  readonly values: Map<string, number>;
}

/** The applications of all files, by time. */
class Applications {
  readonly #names: readonly string[];
  readonly #table: FactTable;
  readonly #salt = randomUUID();
  readonly #record: NumberRecord;
  readonly #byTime: SortedRecords;
  /** Those with a reference, until it is known which row of it is the first. */
  readonly #byReference: SortedRecords;

  constructor(names: readonly string[], table: FactTable) {
    [this.#names, this.#table] = [names, table];
    const width = VALUES + names.length;
    this.#record = new Float64Array(width);
    this.#byTime = new SortedRecords(width, [TIME, ROW]);
    this.#byReference = new SortedRecords(width, [REFERENCE, TIME, ROW]);
  }

  close(): void {
    this.#byTime.close();
    this.#byReference.close();
  }

  /** Adds a file; notes the velocities of which some line has no count. */
  async add(file: CountedFile, at: number, velocities: Velocities, lacking: Set<string>): Promise<FileStats> {
    const stats: FileStats = {
      ...{ name: file.name, rows: 0, unreadable: 0, last: 0, timed: 0, from: undefined },
      ...{ outcomes: 0, wrongOutcome: undefined, values: new Map() },
    };
    for await (const line of file.lines()) {
      if ('problem' in line) stats.unreadable += 1;
      else {
        for (const path of velocities.keys()) {
          const own = line.facts.get(path);
          if (!own || (isMissing(own) && own.missing === 'notGiven')) lacking.add(path);
        }
        this.#addLine(line, at, stats);
      }
    }
    if (stats.rows === 0) for (const path of velocities.keys()) lacking.add(path);
    return stats;
  }

  #addLine(line: { readonly number: number } & FactsLine, file: number, stats: FileStats): void {
    const { number, timeMs, clientReference, decided } = line;
    const record = this.#record;
    stats.rows += 1;
    stats.last = Math.max(stats.last, number);
    const outcome = decided === undefined ? NONE : 1 + OUTCOMES.indexOf(String(decided) as Outcome);
    if (decided !== undefined) stats.outcomes += 1;
    if (decided !== undefined && outcome === 0) stats.wrongOutcome ??= number;
    const facts = this.#withDomain(line.facts);
    for (const [i, name] of this.#names.entries()) {
      const key = valueKey(name, facts);
      record[VALUES + i] = key === undefined ? NONE : this.#hash(key);
      if (key !== undefined) stats.values.set(name, (stats.values.get(name) ?? 0) + 1);
    }
    if (timeMs === undefined) return;
    stats.timed += 1;
    stats.from = Math.min(stats.from ?? timeMs, timeMs);
    const row = file * ROWS_OF_FILE + number;
    record.set([timeMs, row, clientReference === undefined ? NONE : this.#hash(clientReference), row, outcome]);
    (clientReference === undefined ? this.#byTime : this.#byReference).add(record);
  }

  /** A hash as a positive double: without its first two bits it is neither negative, infinite nor NaN. */
  #hash(text: string): number {
    const bytes = hash('sha1', this.#salt + text, 'buffer');
    bytes[0] = (bytes[0] as number) & 0x3f;
    return bytes.readDoubleBE(0) || Number.MIN_VALUE;
  }

  /** The facts with the domain of the email address, if they have none. */
  #withDomain(facts: Facts): Facts {
    const domain = this.#table.get('applicant.emailDomain');
    if (!domain || !this.#names.includes('emailDomain') || facts.has('applicant.emailDomain')) return facts;
    const derived = readFact(domain, deriveFact('applicant.emailDomain', domain, facts, undefined), LAST_DAY);
    return new Map([...facts, ['applicant.emailDomain', derived]]);
  }

  /** Finds the first row of each reference: every row then has it. */
  joinReferences(): void {
    let [reference, first] = [NONE, NONE];
    for (const record of this.#byReference.sorted()) {
      if (record[REFERENCE] !== reference) [reference, first] = [record[REFERENCE] as number, record[ROW] as number];
      record[FIRST] = first;
      this.#byTime.add(record);
    }
    this.#byReference.close();
  }

  inTime(): Generator<NumberRecord> {
    return this.#byTime.sorted();
  }
}

/** What a velocity has in its window, by the value that it counts by. */
class Counter {
  readonly path: string;
  readonly withinMs: number;
  readonly #by: number;
  /** The field whose different values are counted. */
  readonly #member: number;
  /** The outcome of the rows that count; undefined if the first row of each application counts. */
  readonly #outcome: number | undefined;
  /** By value, how many rows in the window have each member. */
  readonly #seen = new Map<number, Map<number, number>>();

  constructor(path: string, velocity: Velocity, names: readonly string[]) {
    const { by, where, count, withinMs } = velocity;
    [this.path, this.withinMs] = [path, withinMs];
    this.#by = VALUES + names.indexOf(by);
    this.#member = count === 'applications' ? FIRST : VALUES + names.indexOf(count);
    this.#outcome = where && 1 + OUTCOMES.indexOf(where.value as Outcome);
  }

  /** What a row counts; -1 if it has nothing to count by. */
  countAt(record: NumberRecord): number {
    const value = record[this.#by] as number;
    return value === NONE ? -1 : (this.#seen.get(value)?.size ?? 0);
  }

  /** Adds a row to the window, or takes it away. */
  change(record: NumberRecord, by: 1 | -1): void {
    const [value, member] = [record[this.#by] as number, record[this.#member] as number];
    const isCounted = this.#outcome === undefined ? record[FIRST] === record[ROW] : record[OUTCOME] === this.#outcome;
    if (!isCounted || value === NONE || member === NONE) return;
    const members = this.#seen.get(value) ?? new Map<number, number>();
    const rows = (members.get(member) ?? 0) + by;
    if (rows === 0) members.delete(member);
    else members.set(member, rows);
    if (members.size === 0) this.#seen.delete(value);
    else this.#seen.set(value, members);
  }
}

/**
 * Goes through all rows once, and once more behind them for each window: what a row leaves behind is taken away.
 * `counts`: by file.
 */
function slide(
  applications: Applications,
  countersOf: readonly (readonly [withinMs: number, counters: readonly Counter[]])[],
  counts: readonly ReadonlyMap<string, Int32Array>[],
): void {
  applications.joinReferences();
  const windows = countersOf.map(([withinMs, counters]) => {
    const behind = applications.inTime();
    return { withinMs, counters, behind, last: behind.next().value as NumberRecord | undefined };
  });
  const countsOf = (path: string, row: number) => counts[Math.floor(row / ROWS_OF_FILE)]?.get(path);
  for (const record of applications.inTime()) {
    const [time, row, first] = [record[TIME] as number, record[ROW] as number, record[FIRST] as number];
    for (const window of windows) {
      const { withinMs, counters, behind } = window;
      while (window.last && (window.last[TIME] as number) <= time - withinMs) {
        for (const counter of counters) counter.change(window.last, -1);
        window.last = behind.next().value as NumberRecord | undefined;
      }
      for (const counter of counters) {
        const count =
          first === row ? counter.countAt(record) : (countsOf(counter.path, first)?.[first % ROWS_OF_FILE] ?? -1);
        countsOf(counter.path, row)?.fill(count, row % ROWS_OF_FILE, (row % ROWS_OF_FILE) + 1);
        counter.change(record, 1);
      }
    }
  }
}

/** What a velocity needs and no row of a file has. */
function problemOf(velocity: Velocity, { name, rows, timed, outcomes, values }: FileStats): string | undefined {
  const { by, where } = velocity;
  if (where?.key === 'disposition') return 'files do not say when a disposition was noted';
  const inColumn = (column: string) => (isTableFile(name) ? ` (column ${column})` : '');
  const needs: readonly (readonly [rows: number, what: string])[] = [
    [timed, `a time of day${inColumn('at')}`],
    ...[by, memberOf(velocity)].map((each) => {
      const path = pathCounted(each);
      return [values.get(each) ?? 0, `a valid ${path}${inColumn(columnOf(path))}`] as const;
    }),
    ...(where ? [[outcomes, `an outcome${inColumn('outcome')}`] as const] : []),
  ];
  const lacks = rows === 0 ? undefined : needs.find(([having]) => having === 0);
  return lacks && `no row of ${name} has ${lacks[1]}`;
}

function unknownOutcome({ name, wrongOutcome }: FileStats): Error {
  const place = `${name}, ${endingOf(name) === '.parquet' ? 'row' : 'line'} ${wrongOutcome}`;
  return fileError(`${place}: the outcome is none of ${OUTCOMES.join(', ')}`);
}

/** The name of the value whose different ones are counted; for applications that which they are counted by. */
function memberOf({ count, by }: Velocity): string {
  return count === 'applications' ? by : count;
}
