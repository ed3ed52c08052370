/** Files of applications, and velocities -> what each application would have counted, as of its own time. */

import { hash, randomUUID } from 'node:crypto';
import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { deriveFact } from '../../facts/compute.ts';
import { LAST_DAY } from '../../facts/day.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { namesCounted } from '../../facts/velocity.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { APPLICATION_MS, type Identity, identityIn, isSameApplicant } from '../application.ts';
import { columnOf } from '../sql/table-columns.ts';
import { isOfFact, minutesBetween, pathCounted, sumOf, type Velocities, valueKey } from '../velocity.ts';
import { fileError, type Numbered } from './fact-columns.ts';
import { NONE_SEEN, NOTHING_TO_COUNT_BY, type RowCounts } from './row-counts.ts';
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

/**
 * The fields of a record: the row and its time, the reference, the first row of its application and that row's time,
 * whether the application has several, the outcome; then who the applicant is, then what velocities read. `joinRows`
 * writes three that follow each other.
 */
const [TIME, ROW, REFERENCE, FIRST, BEGAN, IS_ONE_OF_MANY, OUTCOME, IDENTITY] = [0, 1, 2, 3, 4, 5, 6, 7];
const VALUES = IDENTITY + IDENTITY_VARIABLES.length;

/** A record has the place of its row as one number: the file, and the number of the row in it. */
const ROWS_OF_FILE = 2 ** 32;

/** No value, no reference, no outcome. */
const NONE = 0;

/** The facts that counting reads: who applies, what velocities read, and the counts that files may have. */
export function factsCounted(velocities: Velocities): ReadonlySet<string> {
  const values = [...velocities.values()].flatMap(namesCounted);
  return new Set([...values, ...IDENTITY_VARIABLES].map(pathCounted).concat(...velocities.keys()));
}

/**
 * Counts as a store of velocity does: applications by their time, those of one time in the order of files and rows.
 * Rows of one reference, applicant and day are one application, which begins with the first and has the outcome of the
 * last so far. Values are told apart by 62 bits of their hash, with a salt of the run, since records may go to disk.
 * Undefined if the files give all counts. Throws CONFIGURATION_INVALID for an unknown outcome.
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
  const fields = new Fields(wanted.values());
  const applications = new Applications(fields, table);
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
    if (wrong && counted.some(([, { where }]) => where?.key === 'outcome')) throw unknownOutcome(wrong);
    const counts = stats.map(({ last }) => {
      return new Map(
        [...velocities.keys()].map((path) => [path, new Float64Array(last + 1).fill(NOTHING_TO_COUNT_BY)]),
      );
    });
    slide(applications, new Map(counted), fields, counts);
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

/** What velocities read of a row, each as a number of its own: a key, a value, or whether it passes a filter. */
class Fields {
  readonly #fields = new Map<string, FieldReader>();

  constructor(velocities: Iterable<Velocity>) {
    for (const velocity of velocities) {
      const { by, of = '', count, where } = velocity;
      this.#fields.set(keyField(velocity), ({ keys }, hash) => {
        const own = by.flatMap((name) => keys.get(name) ?? []);
        return own.length < by.length ? NONE : hash(JSON.stringify(own));
      });
      if (count === 'distinct' || count === 'sum') {
        this.#fields.set(valueField(velocity), ({ keys }, hash) => {
          const key = keys.get(of);
          if (key === undefined) return count === 'sum' ? Number.NaN : NONE;
          return count === 'sum' ? Number(key.slice(of.length + 1)) : hash(key);
        });
      }
      if (where?.key.startsWith('context.')) {
        this.#fields.set(filterField(velocity), ({ facts }) => Number(isOfFact(where, facts)));
      }
    }
  }

  get size(): number {
    return this.#fields.size;
  }

  /** The place of a field in a record. */
  placeOf(field: string): number {
    return VALUES + [...this.#fields.keys()].indexOf(field);
  }

  read(row: ReadRow, hash: (text: string) => number, record: NumberRecord): void {
    let place = VALUES;
    for (const read of this.#fields.values()) record[place++] = read(row, hash);
  }
}

/** What is read of a row: its facts, and the keys of the names that it has a value of. */
interface ReadRow {
  readonly facts: Facts;
  readonly keys: ReadonlyMap<string, string>;
}

type FieldReader = (row: ReadRow, hash: (text: string) => number) => number;

const keyField = ({ by }: Velocity) => `by ${by.join(' and ')}`;
const valueField = ({ count, of }: Velocity) => `${count} ${of}`;
const filterField = ({ where }: Velocity) => `where ${JSON.stringify(where)}`;

/** The applications of all files, by time. */
class Applications {
  readonly #fields: Fields;
  readonly #table: FactTable;
  readonly #salt = randomUUID();
  readonly #record: NumberRecord;
  readonly #byTime: SortedRecords;
  /** By when their applications began, if some row is not the first of its own. */
  readonly #byBegin: SortedRecords;
  /** Those with a reference, until it is known which row is the first of their application. */
  readonly #byReference: SortedRecords;
  #hasRepeats = false;

  constructor(fields: Fields, table: FactTable) {
    [this.#fields, this.#table] = [fields, table];
    const width = VALUES + fields.size;
    this.#record = new Float64Array(width);
    this.#byTime = new SortedRecords(width, [TIME, ROW]);
    this.#byBegin = new SortedRecords(width, [BEGAN, ROW]);
    this.#byReference = new SortedRecords(width, [REFERENCE, TIME, ROW]);
  }

  close(): void {
    for (const records of [this.#byTime, this.#byBegin, this.#byReference]) records.close();
  }

  /** Adds a file; notes the velocities of which some line has no count. */
  async add(file: CountedFile, at: number, velocities: Velocities, lacking: Set<string>): Promise<FileStats> {
    const stats: FileStats = {
      ...{ name: file.name, rows: 0, unreadable: 0, last: 0, timed: 0, from: undefined },
      ...{ outcomes: 0, wrongOutcome: undefined, values: new Map() },
    };
    const names = [...new Set([...velocities.values()].flatMap(namesCounted))];
    for await (const line of file.lines()) {
      if ('problem' in line) stats.unreadable += 1;
      else {
        for (const path of velocities.keys()) {
          const own = line.facts.get(path);
          if (!own || (isMissing(own) && own.missing === 'notGiven')) lacking.add(path);
        }
        this.#addLine(line, at, stats, names);
      }
    }
    if (stats.rows === 0) for (const path of velocities.keys()) lacking.add(path);
    return stats;
  }

  #addLine(
    line: { readonly number: number } & FactsLine,
    file: number,
    stats: FileStats,
    names: readonly string[],
  ): void {
    const { number, timeMs, clientReference, decided } = line;
    const record = this.#record;
    stats.rows += 1;
    stats.last = Math.max(stats.last, number);
    const outcome = decided === undefined ? NONE : 1 + OUTCOMES.indexOf(String(decided) as Outcome);
    if (decided !== undefined) stats.outcomes += 1;
    if (decided !== undefined && outcome === 0) stats.wrongOutcome ??= number;
    const facts = this.#withDerived(line.facts, names);
    const keys = new Map<string, string>();
    for (const name of names) {
      const key = valueKey(name, facts);
      if (key === undefined) continue;
      keys.set(name, key);
      stats.values.set(name, (stats.values.get(name) ?? 0) + 1);
    }
    if (timeMs === undefined) return;
    stats.timed += 1;
    stats.from = Math.min(stats.from ?? timeMs, timeMs);
    const row = file * ROWS_OF_FILE + number;
    const reference = clientReference === undefined ? NONE : this.#hash(clientReference);
    record.set([timeMs, row, reference, row, timeMs, 0, outcome]);
    this.#fields.read({ facts, keys }, this.#hash, record);
    if (clientReference === undefined) this.#byTime.add(record);
    else {
      const identity = identityIn(facts);
      for (const [i, variable] of IDENTITY_VARIABLES.entries()) {
        const value = identity[variable];
        record[IDENTITY + i] = value === undefined ? NONE : this.#hash(value);
      }
      this.#byReference.add(record);
    }
  }

  /** A hash as a positive double: without its first two bits it is neither negative, infinite nor NaN. */
  readonly #hash = (text: string): number => {
    const bytes = hash('sha1', this.#salt + text, 'buffer');
    bytes[0] = (bytes[0] as number) & 0x3f;
    return bytes.readDoubleBE(0) || Number.MIN_VALUE;
  };

  /** The facts with what is derived of the email address, where velocities read it and the file does not give it. */
  #withDerived(facts: Facts, names: readonly string[]): Facts {
    const derived = names.flatMap((name) => {
      if (name !== 'emailDomain' && name !== 'mailbox') return [];
      const path = pathCounted(name);
      const definition = this.#table.get(path);
      if (!definition || facts.has(path)) return [];
      return [[path, readFact(definition, deriveFact(path, definition, facts, undefined), LAST_DAY)] as const];
    });
    return derived.length === 0 ? facts : new Map([...facts, ...derived]);
  }

  /** Finds the first row of each application: every row then has it. */
  joinReferences(): void {
    let ofReference: NumberRecord[] = [];
    const flush = () => {
      this.#hasRepeats = joinRows(ofReference) || this.#hasRepeats;
      for (const row of ofReference) this.#byTime.add(row);
      ofReference = [];
    };
    for (const record of this.#byReference.sorted()) {
      if (ofReference[0] && ofReference[0][REFERENCE] !== record[REFERENCE]) flush();
      ofReference.push(record.slice());
    }
    flush();
    this.#byReference.close();
    if (this.#hasRepeats) for (const record of this.#byTime.sorted()) this.#byBegin.add(record);
  }

  inTime(): Generator<NumberRecord> {
    return this.#byTime.sorted();
  }

  /** By when their applications began: the order in which they leave a window. */
  inOrderOfBegin(): Generator<NumberRecord> {
    return (this.#hasRepeats ? this.#byBegin : this.#byTime).sorted();
  }

  /** Whether a row may belong to the application of an earlier one. */
  get hasRepeats(): boolean {
    return this.#hasRepeats;
  }
}

/** An application: what is known of the applicant by now, and its rows. */
interface Begun {
  identity: Identity<number>;
  readonly rows: [first: NumberRecord, ...others: NumberRecord[]];
}

/** Tells the applications of one reference apart, in the order of time; whether one has several rows. */
function joinRows(rows: readonly NumberRecord[]): boolean {
  const begun: Begun[] = [];
  for (const row of rows) {
    const identity = identityOf(row);
    const application = begun.findLast(({ identity: known, rows: [first] }) => {
      return timeOf(row) - timeOf(first) < APPLICATION_MS && isSameApplicant(known, identity);
    });
    if (application) {
      application.rows.push(row);
      application.identity = { ...application.identity, ...identity };
    } else begun.push({ identity, rows: [row] });
  }
  const repeated = begun.filter((each) => each.rows.length > 1);
  for (const { rows: all } of repeated) {
    const [first] = all;
    for (const row of all) row.set([first[ROW] as number, timeOf(first), 1], FIRST);
  }
  return repeated.length > 0;
}

function timeOf(record: NumberRecord): number {
  return record[TIME] as number;
}

function identityOf(record: NumberRecord): Identity<number> {
  const known = IDENTITY_VARIABLES.flatMap((variable, i) => {
    const value = record[IDENTITY + i] as number;
    return value === NONE ? [] : [[variable, value] as const];
  });
  return Object.fromEntries(known);
}

/** An application in a window: its value, and when it began. */
interface Member {
  readonly value: number;
  readonly began: number;
}

/** The applications of one key. */
class Members {
  readonly of = new Map<number, Member>();
  /** How many of those that count have each value. */
  readonly values = new Map<number, number>();
  counting = 0;

  change({ value }: Member, by: 1 | -1): void {
    this.counting += by;
    const left = (this.values.get(value) ?? 0) + by;
    if (left === 0) this.values.delete(value);
    else this.values.set(value, left);
  }
}

/** What a velocity has in a window, by the value that it counts by. */
class Counter {
  readonly path: string;
  readonly withinMs: number;
  readonly #velocity: Velocity;
  readonly #places: { readonly key: number; readonly value: number; readonly filter: number };
  readonly #since: number;
  /** The outcome of the applications that count. */
  readonly #outcome: number | undefined;
  readonly #outcomes: Outcomes;
  readonly #seen = new Map<number, Members>();
  /** The keys of an application, where its outcome matters. */
  readonly #keysOf = new Map<number, number[]>();

  constructor([path, velocity]: readonly [string, Velocity], fields: Fields, outcomes: Outcomes, moreMs = 0) {
    const { withinMs, where, since } = velocity;
    [this.path, this.withinMs, this.#velocity, this.#outcomes] = [path, withinMs + moreMs, velocity, outcomes];
    this.#places = {
      key: fields.placeOf(keyField(velocity)),
      ...{ value: fields.placeOf(valueField(velocity)), filter: fields.placeOf(filterField(velocity)) },
    };
    this.#since = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
    this.#outcome = where?.key === 'outcome' ? 1 + OUTCOMES.indexOf(where.value as Outcome) : undefined;
  }

  keyOf(record: NumberRecord): number {
    return record[this.#places.key] as number;
  }

  /** What a row counts of the others, after a time if not all of the window. */
  countAt(record: NumberRecord, after?: number): number {
    const key = this.keyOf(record);
    if (key === NONE) return NOTHING_TO_COUNT_BY;
    const { count } = this.#velocity;
    const members = this.#seen.get(key);
    const own = record[FIRST] as number;
    const began = record[BEGAN] as number;
    const isWhole = after === undefined && began - this.#velocity.withinMs >= this.#since - 1;
    if (isWhole && (count === 'applications' || count === 'distinct')) {
      const self = members?.of.get(own);
      const isIn = self !== undefined && this.#counts(own);
      if (count === 'applications') return (members?.counting ?? 0) - Number(isIn);
      return (members?.values.size ?? 0) - Number(isIn && members?.values.get(self.value) === 1);
    }
    const from = Math.max(after ?? began - this.#velocity.withinMs, this.#since - 1);
    const found = [...(members?.of ?? [])].flatMap(([application, member]) => {
      return application !== own && member.began > from && this.#counts(application) ? member : [];
    });
    if (count === 'applications') return found.length;
    if (count === 'distinct') return new Set(found.map(({ value }) => value)).size;
    if (count === 'sum') return sumOf(found.map(({ value }) => value));
    if (found.length === 0) return NONE_SEEN;
    const times = found.map((each) => each.began);
    const time = times.reduce((one, other) => (count === 'first' ? Math.min(one, other) : Math.max(one, other)));
    return minutesBetween(time, began);
  }

  enter(record: NumberRecord): void {
    const [key, value] = [this.keyOf(record), this.#valueOf(record)];
    if (key === NONE || value === undefined || this.#isOver(record)) return;
    const members = this.#seen.get(key) ?? new Members();
    this.#seen.set(key, members);
    const application = record[FIRST] as number;
    if (members.of.has(application)) return;
    const member = { value, began: record[BEGAN] as number };
    members.of.set(application, member);
    if (this.#counts(application)) members.change(member, 1);
    if (this.#outcome === undefined) return;
    this.#keysOf.set(application, [...(this.#keysOf.get(application) ?? []), key]);
  }

  leave(record: NumberRecord): void {
    const [key, application] = [this.keyOf(record), record[FIRST] as number];
    const members = this.#seen.get(key);
    const member = members?.of.get(application);
    if (!members || !member || this.#isOver(record)) return;
    if (this.#counts(application)) members.change(member, -1);
    members.of.delete(application);
    if (members.of.size === 0) this.#seen.delete(key);
    this.#keysOf.delete(application);
  }

  /** Before and after the outcome of an application changes: takes it out, and puts it in again. */
  recount(application: number, by: 1 | -1): void {
    if (!this.#counts(application)) return;
    for (const key of this.#keysOf.get(application) ?? []) {
      const members = this.#seen.get(key);
      const member = members?.of.get(application);
      if (members && member) members.change(member, by);
    }
  }

  #counts(application: number): boolean {
    return this.#outcome === undefined || this.#outcomes.get(application)?.outcome === this.#outcome;
  }

  /** Whether the window was past when the row came: it is the application of an earlier one. */
  #isOver(record: NumberRecord): boolean {
    return (record[BEGAN] as number) <= (record[TIME] as number) - this.withinMs;
  }

  /** Undefined for a row that does not count. */
  #valueOf(record: NumberRecord): number | undefined {
    const { count, where } = this.#velocity;
    if (where?.key.startsWith('context.') && record[this.#places.filter] !== 1) return undefined;
    if (count !== 'distinct' && count !== 'sum') return 0;
    const value = record[this.#places.value] as number;
    return Number.isNaN(value) || (count === 'distinct' && value === NONE) ? undefined : value;
  }
}

/** The last outcome of each application, as long as windows may ask for it. */
type Outcomes = Map<number, { readonly outcome: number; readonly began: number }>;

/**
 * Goes through all rows once, and once more behind them for each window: what a row leaves behind is taken away.
 * `counts`: by file.
 */
function slide(
  applications: Applications,
  velocities: Velocities,
  fields: Fields,
  counts: readonly ReadonlyMap<string, Float64Array>[],
): void {
  applications.joinReferences();
  const outcomes: Outcomes = new Map();
  const counters = [...velocities].map((each) => new Counter(each, fields, outcomes));
  // What an application of several rows counts by a new value is as of its first row.
  const late = applications.hasRepeats
    ? [...velocities].map((each) => new Counter(each, fields, outcomes, APPLICATION_MS))
    : [];
  const all = [...counters, ...late];
  const windows = [...Map.groupBy(all, ({ withinMs }) => withinMs)].map(([withinMs, group]) => {
    const behind = applications.inOrderOfBegin();
    return { withinMs, group, behind, last: behind.next().value as NumberRecord | undefined };
  });
  const longest = Math.max(0, ...all.map(({ withinMs }) => withinMs));
  const asksOutcome = [...velocities.values()].some(({ where }) => where?.key === 'outcome');
  /** The counts of applications of several rows, by the counter and the key. */
  const kept = new Map<number, { readonly began: number; readonly counts: Map<string, number> }>();
  for (const record of applications.inTime()) {
    const [time, row, first] = [record[TIME] as number, record[ROW] as number, record[FIRST] as number];
    const began = record[BEGAN] as number;
    for (const window of windows) {
      while (window.last && (window.last[BEGAN] as number) <= time - window.withinMs) {
        for (const counter of window.group) counter.leave(window.last);
        window.last = window.behind.next().value as NumberRecord | undefined;
      }
    }
    forget(kept, time - APPLICATION_MS);
    forget(outcomes, time - longest);
    const own = record[IS_ONE_OF_MANY] ? (kept.get(first)?.counts ?? new Map<string, number>()) : undefined;
    if (own) kept.set(first, { began, counts: own });
    for (const [i, counter] of counters.entries()) {
      const name = `${counter.path} ${counter.keyOf(record)}`;
      const after = first === row ? undefined : began - counter.withinMs;
      const count =
        own?.get(name) ?? (first === row ? counter : late[i])?.countAt(record, after) ?? NOTHING_TO_COUNT_BY;
      own?.set(name, count);
      counts[Math.floor(row / ROWS_OF_FILE)]
        ?.get(counter.path)
        ?.fill(count, row % ROWS_OF_FILE, (row % ROWS_OF_FILE) + 1);
    }
    for (const counter of all) counter.enter(record);
    const outcome = record[OUTCOME] as number;
    if (!asksOutcome || outcome === NONE) continue;
    for (const counter of all) counter.recount(first, -1);
    outcomes.set(first, { outcome, began });
    for (const counter of all) counter.recount(first, 1);
  }
}

/** Deletes what began by then; the earliest come first. */
function forget(known: Map<number, { readonly began: number }>, until: number): void {
  for (const [application, { began }] of known) {
    if (began > until) return;
    known.delete(application);
  }
}

/** What a velocity needs and no row of a file has. */
function problemOf(velocity: Velocity, { name, rows, timed, outcomes, values }: FileStats): string | undefined {
  const { where } = velocity;
  if (where?.key === 'disposition') return 'files do not say when a disposition was noted';
  const inColumn = (column: string) => (isTableFile(name) ? ` (column ${column})` : '');
  const needs: readonly (readonly [rows: number, what: string])[] = [
    [timed, `a time of day${inColumn('at')}`],
    ...namesCounted(velocity).map((each) => {
      const path = pathCounted(each);
      return [values.get(each) ?? 0, `a valid ${path}${inColumn(columnOf(path))}`] as const;
    }),
    ...(where?.key === 'outcome' ? [[outcomes, `an outcome${inColumn('outcome')}`] as const] : []),
  ];
  const lacks = rows === 0 ? undefined : needs.find(([having]) => having === 0);
  return lacks && `no row of ${name} has ${lacks[1]}`;
}

function unknownOutcome({ name, wrongOutcome }: FileStats): Error {
  const place = `${name}, ${endingOf(name) === '.parquet' ? 'row' : 'line'} ${wrongOutcome}`;
  return fileError(`${place}: the outcome is none of ${OUTCOMES.join(', ')}`);
}
