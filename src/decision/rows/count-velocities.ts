/** Files of applications, and velocities -> what each application would have counted, as of its own time. */

import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { deriveFact } from '../../facts/compute.ts';
import { LAST_DAY } from '../../facts/day.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { DIALECTS } from '../sql/dialect.ts';
import { type ColumnMap, columnOf, columnsOf } from '../sql/table-columns.ts';
import { pathCounted, type Velocities, valueKey } from '../velocity.ts';
import type { DuckDb } from './duckdb.ts';
import { type FileShape, fileColumn, fileError, presentIn, readCell, registerReader } from './fact-columns.ts';
import { type Numbered, ROW_NUMBER, referenceIn, timeIn, valueIn } from './file-rows.ts';
import type { RowCounts } from './row-counts.ts';
import { endingOf, isTableFile, openRowFile } from './row-file.ts';

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

/** What velocities count by, or the different values of, such as `ip/24` and `phoneNo`. */
interface Value {
  readonly name: string;
  /** The column with its hash. */
  readonly column: string;
  /** The facts that it can be read from, the first that a file has, each with its function in DuckDB. */
  readonly from: readonly { readonly path: string; readonly reader: string }[];
}

type Counts = Map<string, Int32Array<SharedArrayBuffer>>;

/**
 * Counts as a store of velocity does, in memory: applications by their time, those of one time in the order of files
 * and rows. Rows of one reference are one application, with the counts of the first and each outcome at its time.
 * Values are told apart by 64 bits of their hash.
 */
export class VelocityCounter {
  readonly #db: DuckDb;
  readonly #velocities: Velocities;
  readonly #table: FactTable;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #files: string[] = [];
  readonly #lacking = new Set<string>();
  /** Reads Parquet files: not before it is known that something has to be counted. */
  readonly #pending: (() => Promise<void>)[] = [];
  #unreadable = 0;

  /** @param table the facts by which files are read */
  constructor(db: DuckDb, velocities: Velocities, table: FactTable) {
    this.#db = db;
    this.#velocities = velocities;
    this.#table = table;
    const names = new Set([...velocities.values()].flatMap((velocity) => [velocity.by, memberOf(velocity)]));
    this.#values = new Map([...names].map((name, i) => [name, this.#valueOf(name, i)]));
  }

  #valueOf(name: string, i: number): Value {
    const paths = [pathCounted(name), ...(name === 'emailDomain' ? ['applicant.email'] : [])];
    const from = paths.map((path, of) => ({ path, reader: `verdict_value_${i}_${of}` }));
    for (const { path, reader } of from) {
      registerReader(this.#db, reader, (text) => {
        const facts = this.#factsOf(path, text);
        return valueKey(name, path === pathCounted(name) ? facts : this.#withDomain(facts));
      });
    }
    return { name, column: `value_${i}`, from };
  }

  #factsOf(path: string, text: string): Facts {
    const definition = this.#table.get(path);
    if (!definition) return new Map();
    return new Map([[path, readCell(definition, valueIn(text, definition), text, LAST_DAY)]]);
  }

  /** The facts with the domain of the email address, if they have none. */
  #withDomain(facts: Facts): Facts {
    const domain = this.#table.get('applicant.emailDomain');
    if (!domain || facts.has('applicant.emailDomain')) return facts;
    const derived = readFact(domain, deriveFact('applicant.emailDomain', domain, facts, undefined), LAST_DAY);
    return new Map([...facts, ['applicant.emailDomain', derived]]);
  }

  /** Adds the rows of a Parquet file. Throws CONFIGURATION_INVALID if it or a column cannot be used. */
  async addParquet(file: string, map: ColumnMap = {}): Promise<void> {
    const at = this.#files.push(file) - 1;
    const rows = await openRowFile(this.#db, file);
    for (const path of this.#velocities.keys()) if (!this.#find(path, rows, map)) this.#lacking.add(path);
    this.#pending.push(() => this.#readParquet(at, file, map));
  }

  #find(path: string, shape: FileShape, map: ColumnMap) {
    const definition = this.#table.get(path);
    const columns = definition && presentIn(shape, columnsOf(path, definition.type, map));
    return columns && { definition, columns };
  }

  async #readParquet(at: number, file: string, map: ColumnMap): Promise<void> {
    const rows = await openRowFile(this.#db, file);
    const cells: string[] = [];
    const values = [...this.#values.values()].map(({ from }, i) => {
      const source = from.find(({ path }) => this.#find(path, rows, map));
      const found = source && this.#find(source.path, rows, map);
      if (!found) return 'NULL';
      const [cell = ''] = fileColumn(source.path, found.definition, found.columns, i, rows).forRead;
      cells.push(cell);
      return `${source.reader}(CAST(shown_${i} AS VARCHAR))`;
    });
    const keys = [`${ROW_NUMBER} AS number`, `${timeIn(rows)} AS ms`, `${referenceIn(rows)} AS reference`];
    const outcome = rows.types.has('outcome') ? 'CAST(file.outcome AS VARCHAR)' : 'NULL';
    const from = `(SELECT ${[...keys, `${outcome} AS outcome`, ...cells].join(', ')} FROM file)`;
    const added = await this.#add(at, from, values).catch((error: unknown) => {
      throw isOutOfMemory(error) ? error : rows.unreadable();
    });
    rows.checkCount(added);
  }

  /** Adds those lines or rows of a file that can be read. A file with columns says by them which counts it has. */
  async addLines(
    file: string,
    lines: AsyncIterable<Numbered<FactsLine>>,
    { hasColumns }: { readonly hasColumns: boolean },
  ): Promise<void> {
    const { connection } = this.#db;
    const at = this.#files.push(file) - 1;
    const values = [...this.#values.values()];
    const texts = ['reference', 'outcome', ...values.map(({ column }) => column)];
    const columns = ['number INTEGER', 'ms BIGINT', ...texts.map((name) => `${name} VARCHAR`)];
    await connection.run(`CREATE TABLE lines (${columns.join(', ')})`);
    const appender = await connection.createAppender('lines');
    let read = 0;
    for await (const line of lines) {
      if ('problem' in line) {
        this.#unreadable += 1;
        continue;
      }
      read += 1;
      const { number, timeMs, clientReference, decided, facts } = line;
      for (const path of this.#velocities.keys()) {
        const own = facts.get(path);
        if (!own || (!hasColumns && isMissing(own) && own.missing === 'notGiven')) this.#lacking.add(path);
      }
      const seen = this.#withDomain(facts);
      const outcome = decided === undefined ? undefined : String(decided);
      appender.appendInteger(number);
      if (timeMs === undefined) appender.appendNull();
      else appender.appendBigInt(BigInt(timeMs));
      for (const text of [clientReference, outcome, ...values.map(({ name }) => valueKey(name, seen))]) {
        if (text === undefined) appender.appendNull();
        else appender.appendVarchar(text);
      }
      appender.endRow();
    }
    appender.closeSync();
    // Nothing says which counts the file has.
    if (read === 0) for (const path of this.#velocities.keys()) this.#lacking.add(path);
    await this.#add(
      at,
      'lines',
      values.map(({ column }) => column),
    );
    await connection.run('DROP TABLE lines');
  }

  /** `file`: its place among the files. Gives the number of rows. */
  async #add(file: number, from: string, values: readonly string[]): Promise<number> {
    const { connection } = this.#db;
    const keys = 'file INTEGER, number INTEGER, ms BIGINT, reference UBIGINT, outcome VARCHAR';
    const ofValues = [...this.#values.values()].map(({ column }) => `, ${column} UBIGINT`);
    await connection.run(`CREATE TABLE IF NOT EXISTS seen (${keys}${ofValues.join('')})`);
    const hashes = ['reference', ...values].map((value) => `md5_number_lower(${value})`);
    const [reference, ...others] = hashes;
    const columns = [file, 'CAST(number AS INTEGER)', 'ms', reference, 'outcome', ...others];
    const { rowsChanged } = await connection.run(`INSERT INTO seen SELECT ${columns.join(', ')} FROM ${from}`);
    return rowsChanged;
  }

  /** Counts. Throws CONFIGURATION_INVALID for an unknown outcome, and if the rows do not fit into memory. */
  async count(): Promise<CountedVelocities | undefined> {
    const velocities: Velocities = new Map([...this.#velocities].filter(([path]) => this.#lacking.has(path)));
    if (velocities.size === 0) return undefined;
    const { connection } = this.#db;
    try {
      for (const read of this.#pending) await read();
      const files = await this.#inFiles();
      const problems = new Map(
        [...velocities].flatMap(([path, velocity]) => {
          const problem = files.map((file) => this.#problemOf(velocity, file)).find((each) => each !== undefined);
          return problem === undefined ? [] : [[path, problem] as const];
        }),
      );
      const counted = [...velocities].filter(([path]) => !problems.has(path));
      if (counted.some(([, { where }]) => where)) await this.#checkOutcomes();
      const counts = files.map(({ last }): Counts => {
        return new Map([...velocities.keys()].map((path) => [path, noCounts(last)]));
      });
      const ordered = 'SELECT *, row_number() OVER (ORDER BY ms, file, number) AS place FROM seen WHERE ms IS NOT NULL';
      // Without a reference, each row is an application of its own.
      const first = 'CASE WHEN reference IS NULL THEN place ELSE min(place) OVER (PARTITION BY reference) END';
      await connection.run(`CREATE TABLE applications AS SELECT *, ${first} AS first_place FROM (${ordered})`);
      await connection.run('DROP TABLE seen');
      for (const group of Map.groupBy(counted, ([, { by, where }]) => `${by} ${where !== undefined}`).values()) {
        await this.#countTogether(group, counts);
      }
      await this.#repeat(counts);
      const leftOut = files.reduce((sum, { rows, timed }) => sum + rows - timed, this.#unreadable);
      const from = files.flatMap(({ from }) => from ?? []).toSorted((one, other) => one - other)[0];
      const byFile = new Map(this.#files.map((file, i) => [file, counts[i] ?? new Map()]));
      return { counts: byFile, velocities, problems, from, leftOut };
    } catch (error) {
      if (isOutOfMemory(error)) {
        throw fileError('the velocities of so many rows cannot be counted in the memory that is left');
      }
      throw error;
    }
  }

  /** How many rows of each file have what. */
  async #inFiles(): Promise<readonly InFile[]> {
    const values = [...this.#values.values()].map(({ column }) => `count(${column})`);
    const columns = ['file', 'count(*)', 'max(number)', 'count(ms)', 'min(ms)', 'count(outcome)', ...values];
    const read = await this.#db.connection.runAndReadAll(`SELECT ${columns.join(', ')} FROM seen GROUP BY file`);
    const found = new Map(read.getRowsJS().map(([file, ...cells]) => [file, cells]));
    return this.#files.map((name, i) => {
      const [rows = 0, last = 0, timed = 0, from, outcomes = 0, ...filled] = found.get(i) ?? [];
      return {
        ...{ name, rows: Number(rows), last: Number(last), timed: Number(timed), outcomes: Number(outcomes) },
        from: from === undefined || from === null ? undefined : Number(from),
        values: new Map([...this.#values.keys()].map((value, at) => [value, Number(filled[at] ?? 0)])),
      };
    });
  }

  /** What a velocity needs and no row of a file has. */
  #problemOf(velocity: Velocity, { name, rows, timed, outcomes, values }: InFile): string | undefined {
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

  async #checkOutcomes(): Promise<void> {
    const known = OUTCOMES.map(DIALECTS.duckdb.text).join(', ');
    const sql = `SELECT file, number FROM seen WHERE outcome NOT IN (${known}) ORDER BY file, number LIMIT 1`;
    const [wrong] = (await this.#db.connection.runAndReadAll(sql)).getRowsJS();
    if (!wrong) return;
    const file = this.#files[Number(wrong[0])] ?? '';
    const place = `${file}, ${endingOf(file) === '.parquet' ? 'row' : 'line'} ${wrong[1]}`;
    throw fileError(`${place}: the outcome is none of ${OUTCOMES.join(', ')}`);
  }

  /** Counts velocities by one value, all of them by outcomes or none: each row of an application has an outcome. */
  async #countTogether(group: readonly (readonly [string, Velocity])[], counts: readonly Counts[]): Promise<void> {
    const [{ by, where: outcome }] = group.map(([, velocity]) => velocity) as [Velocity];
    const hashOf = (name: string) => this.#values.get(name)?.column ?? '';
    const of = `PARTITION BY ${hashOf(by)} ORDER BY`;
    // Those of one time come one after the other, so that rows are counted, and not times.
    const windows = [...new Set(group.map(([, { withinMs }]) => withinMs))];
    const sizes = windows.map((ms, i) => {
      const before = `count(*) OVER (${of} ms RANGE BETWEEN UNBOUNDED PRECEDING AND ${ms} PRECEDING)`;
      return `row_number() OVER (${of} place) - 1 - ${before} AS size_${i}`;
    });
    const counted = outcome ? '' : ' AND first_place = place';
    const rows = `SELECT *, ${sizes.join(', ')} FROM applications WHERE ${hashOf(by)} IS NOT NULL${counted}`;
    const numbers = group.map(([, velocity]) => {
      const { where, withinMs } = velocity;
      const size = `size_${windows.indexOf(withinMs)}`;
      const member = memberOf(velocity);
      if (member === by && !where) return size;
      const what = where
        ? `count(DISTINCT first_place) FILTER (WHERE outcome = ${DIALECTS.duckdb.text(where.value)})`
        : `count(DISTINCT ${hashOf(member)})`;
      return `${what} OVER (${of} place ROWS BETWEEN ${size} PRECEDING AND 1 PRECEDING)`;
    });
    const asDoubles = ['file', 'number', ...numbers].map((each) => `CAST(${each} AS DOUBLE)`);
    const sql = `SELECT ${asDoubles.join(', ')} FROM (${rows})`;
    await this.#each(sql, 2 + group.length, ([file, number, ...found]) => {
      for (const [i, [path]] of group.entries()) setCount(counts, path, [file, number], found[i]);
    });
  }

  /** Gives the rows of an application the counts of its first. */
  async #repeat(counts: readonly Counts[]): Promise<void> {
    const again = 'applications AS again JOIN applications AS first ON first.place = again.first_place';
    const asDoubles = ['again.file', 'again.number', 'first.file', 'first.number'].map(
      (each) => `CAST(${each} AS DOUBLE)`,
    );
    const sql = `SELECT ${asDoubles.join(', ')} FROM ${again} WHERE again.place <> first.place`;
    await this.#each(sql, 4, ([file, number, firstFile = 0, firstNumber = 0]) => {
      for (const path of counts[0]?.keys() ?? []) {
        setCount(counts, path, [file, number], counts[firstFile]?.get(path)?.[firstNumber]);
      }
    });
  }

  /** Reads rows of so many doubles, none of which is NULL. */
  async #each(sql: string, width: number, use: (row: readonly number[]) => void): Promise<void> {
    const result = await this.#db.connection.stream(sql);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) return;
      const vectors = Array.from({ length: width }, (_, i) => chunk.getColumnVector(i));
      for (let row = 0; row < chunk.rowCount; row++) use(vectors.map((vector) => vector.getItem(row) as number));
    }
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /Out of Memory/i.test(error.message);
}

/** How many rows of a file have what. */
interface InFile {
  readonly name: string;
  readonly rows: number;
  /** The greatest number of a row. */
  readonly last: number;
  readonly timed: number;
  /** The first time. */
  readonly from: number | undefined;
  readonly outcomes: number;
  readonly values: ReadonlyMap<string, number>;
}

/** The name of the value whose different ones are counted; for applications that which they are counted by. */
function memberOf({ count, by }: Velocity): string {
  return count === 'applications' ? by : count;
}

function noCounts(last: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer((last + 1) * Int32Array.BYTES_PER_ELEMENT)).fill(-1);
}

function setCount(
  counts: readonly Counts[],
  path: string,
  [file = 0, number = 0]: readonly (number | undefined)[],
  count: number | undefined,
): void {
  const numbers = counts[file]?.get(path);
  if (numbers && count !== undefined) numbers[number] = count;
}
