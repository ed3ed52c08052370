/** Rows of files, and velocities -> applications, each row with the numbers that counting reads, sorted by time. */

import { hash, randomUUID } from 'node:crypto';
import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { deriveFact } from '../../facts/compute.ts';
import { instantOfDay, LAST_DAY } from '../../facts/day.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { namesCounted } from '../../facts/velocity.ts';
import { UNIT_MS } from '../../platform/files/times.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { APPLICATION_MS, type Identity, identityIn, isSameApplicant } from '../application.ts';
import { isOfFact, pathCounted, type Velocities, valueKey } from '../velocity.ts';
import type { Numbered } from './fact-columns.ts';
import { type NumberRecord, SortedRecords } from './sorted-records.ts';

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
export const [TIME, ROW, FIRST, BEGAN, IS_ONE_OF_MANY, OUTCOME] = [0, 1, 3, 4, 5, 6];
const [REFERENCE, IDENTITY] = [2, 7];
const VALUES = IDENTITY + IDENTITY_VARIABLES.length;

/** A record has the place of its row as one number: the file, and the number of the row in it. */
export const ROWS_OF_FILE = 2 ** 32;

/** No value, no reference, no outcome. */
export const NONE = 0;

/** What became known of a reference, in the order in which it was told. */
export interface ToldLabel {
  readonly reference: string;
  readonly label: keyof typeof LABEL_NUMBERS;
  /** The UTC day on which it became known, yyyy-MM-dd: it is known from its end on. */
  readonly day: string;
}

/** A label of an application, as a number, and from when on it is known. */
export interface AppliedLabel {
  readonly application: number;
  readonly began: number;
  readonly label: number;
  readonly knownMs: number;
}

/** A label as a number. */
export const LABEL_NUMBERS = { fraud: 1, genuine: 2 } as const;

/** How many rows of a file have what. */
export interface FileStats {
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
  references: number;
  /** The number of the first row with an unknown outcome. */
  wrongOutcome: number | undefined;
  readonly values: Map<string, number>;
}

/** What velocities read of a row, each as a number of its own: a key, a value, or whether it passes a filter. */
export class Fields {
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

export const keyField = ({ by }: Velocity) => `by ${by.join(' and ')}`;
export const valueField = ({ count, of }: Velocity) => `${count} ${of}`;
export const filterField = ({ where }: Velocity) => `where ${JSON.stringify(where)}`;

/** The applications of all files, by time. */
export class Applications {
  readonly #fields: Fields;
  readonly #table: FactTable;
  readonly #salt = randomUUID();
  readonly #record: NumberRecord;
  readonly #byTime: SortedRecords;
  /** By when their applications began, if some row is not the first of its own. */
  readonly #byBegin: SortedRecords;
  /** Those with a reference, until it is known which row is the first of their application. */
  readonly #byReference: SortedRecords;
  /** By the hash of a reference. */
  readonly #told: ReadonlyMap<number, readonly ToldLabel[]>;
  readonly #labels: AppliedLabel[] = [];
  #hasRepeats = false;

  constructor(fields: Fields, table: FactTable, told: Iterable<ToldLabel>) {
    [this.#fields, this.#table] = [fields, table];
    this.#told = Map.groupBy(told, ({ reference }) => this.#hash(reference));
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
      ...{ outcomes: 0, references: 0, wrongOutcome: undefined, values: new Map() },
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
    const written = decided?.outcome ?? undefined;
    const outcome = written === undefined ? NONE : 1 + OUTCOMES.indexOf(String(written) as Outcome);
    if (written !== undefined) stats.outcomes += 1;
    if (written !== undefined && outcome === 0) stats.wrongOutcome ??= number;
    if (clientReference !== undefined) stats.references += 1;
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

  /** Finds the first row of each application, which every row then has, and its labels. */
  joinReferences(): void {
    let ofReference: NumberRecord[] = [];
    const flush = () => {
      this.#hasRepeats = joinRows(ofReference) || this.#hasRepeats;
      for (const row of ofReference) this.#byTime.add(row);
      this.#addLabels(ofReference);
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

  /** A label of a reference is of all of its applications until then, as in the join of labels. */
  #addLabels(rows: readonly NumberRecord[]): void {
    const told = this.#told.get(rows[0]?.[REFERENCE] ?? NONE) ?? [];
    for (const { label, day } of told) {
      const knownMs = instantOfDay(day) + UNIT_MS.day;
      for (const row of rows) {
        const [application, began] = [row[FIRST] as number, timeOf(row)];
        if (application !== row[ROW] || began >= knownMs) continue;
        this.#labels.push({ application, began, label: LABEL_NUMBERS[label], knownMs });
      }
    }
  }

  /** In the order in which they became known; of those of one day, in that in which they were told. */
  labels(): readonly AppliedLabel[] {
    return this.#labels.sort((one, other) => one.knownMs - other.knownMs);
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
