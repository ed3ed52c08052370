/** Files of applications, and velocities -> what each application would have counted, as of its own time. */

import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { namesCounted } from '../../facts/velocity.ts';
import { type Disposition, OUTCOMES, type Outcome, questionOf } from '../../policy/language.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { APPLICATION_MS } from '../application.ts';
import { columnOf } from '../sql/table-columns.ts';
import { minutesBetween, pathCounted, sumOf, type Velocities } from '../velocity.ts';
import {
  Applications,
  BEGAN,
  type CountedFile,
  FIRST,
  Fields,
  type FileStats,
  filterField,
  IS_ONE_OF_MANY,
  keyField,
  LABEL_NUMBERS,
  NONE,
  OUTCOME,
  ROW,
  ROWS_OF_FILE,
  TIME,
  type ToldLabel,
  valueField,
} from './counted-rows.ts';
import { fileError } from './fact-columns.ts';
import { NONE_SEEN, NOTHING_TO_COUNT_BY, type RowCounts } from './row-counts.ts';
import type { NumberRecord } from './sorted-records.ts';
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
  /** The last day of a label, yyyy-MM-dd, where labels are counted: nothing after it is known. */
  readonly labelsTo?: string | undefined;
}

/** The facts that counting reads: who applies, what velocities read, and the counts that files may have. */
export function factsCounted(velocities: Velocities): ReadonlySet<string> {
  const values = [...velocities.values()].flatMap(namesCounted);
  return new Set([...values, ...IDENTITY_VARIABLES].map(pathCounted).concat(...velocities.keys()));
}

/** The labels of a file, or what they lack to be counted. */
export type ToldLabels = readonly ToldLabel[] | { readonly lack: string };

/**
 * Counts as a store of velocity does: applications by their time, those of one time in the order of files and rows.
 * Rows of one reference, applicant and day are one application, which begins with the first and has the outcome of the
 * last so far. Values are told apart by 62 bits of their hash, with a salt of the run, since records may go to disk.
 * A label counts from the end of its day on. Undefined if the files give all counts. Throws CONFIGURATION_INVALID for
 * an unknown outcome.
 */
export async function countVelocitiesOf(
  files: readonly CountedFile[],
  wanted: Velocities,
  table: FactTable,
  labels: ToldLabels = NO_LABELS,
): Promise<CountedVelocities | undefined> {
  const lacking = new Set<string>();
  for (const file of files.filter(({ name }) => isTableFile(name))) await findLacking(file, wanted, lacking);
  // The columns of tables say whether there is anything to count.
  if (lacking.size === 0 && files.every(({ name }) => isTableFile(name))) return undefined;
  const fields = new Fields(wanted.values());
  const applications = new Applications(fields, table, 'lack' in labels ? [] : labels);
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
        const problem = stats.map((file) => problemOf(velocity, file, labels)).find((each) => each !== undefined);
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
    const days = 'lack' in labels || !counted.some(([, { where }]) => where?.key === 'disposition') ? [] : labels;
    return {
      counts: new Map(stats.map(({ name }, i) => [name, counts[i] ?? new Map()])),
      ...{ velocities, problems },
      from: stats.flatMap(({ from }) => from ?? []).toSorted((one, other) => one - other)[0],
      leftOut: stats.reduce((sum, { unreadable, rows, timed }) => sum + unreadable + rows - timed, 0),
      labelsTo: days.reduce<string | undefined>((last, { day }) => (last && last > day ? last : day), undefined),
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
  /** What is known of the applications that count; undefined if that does not matter. */
  readonly #asked: { readonly known: Known; readonly value: number } | undefined;
  readonly #seen = new Map<number, Members>();
  /** The keys of an application, where it matters what is known of it. */
  readonly #keysOf = new Map<number, number[]>();

  constructor([path, velocity]: readonly [string, Velocity], fields: Fields, known: KnownOf, moreMs = 0) {
    const { withinMs, where, since } = velocity;
    [this.path, this.withinMs, this.#velocity] = [path, withinMs + moreMs, velocity];
    this.#places = {
      key: fields.placeOf(keyField(velocity)),
      ...{ value: fields.placeOf(valueField(velocity)), filter: fields.placeOf(filterField(velocity)) },
    };
    this.#since = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
    this.#asked =
      where?.key === 'outcome'
        ? { known: known.outcome, value: 1 + OUTCOMES.indexOf(where.value as Outcome) }
        : where?.key === 'disposition'
          ? { known: known.label, value: LABEL_NUMBERS[where.value as ToldLabel['label']] }
          : undefined;
  }

  asks(known: Known): boolean {
    return this.#asked?.known === known;
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
    if (!this.#asked) return;
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

  /** Before and after what is known of an application changes: takes it out, and puts it in again. */
  recount(application: number, by: 1 | -1): void {
    if (!this.#counts(application)) return;
    for (const key of this.#keysOf.get(application) ?? []) {
      const members = this.#seen.get(key);
      const member = members?.of.get(application);
      if (members && member) members.change(member, by);
    }
  }

  #counts(application: number): boolean {
    return !this.#asked || this.#asked.known.get(application)?.value === this.#asked.value;
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

/** What was last known of each application. */
type Known = Map<number, { readonly value: number; readonly began: number }>;

interface KnownOf {
  /** As long as windows may ask for it. */
  readonly outcome: Known;
  readonly label: Known;
}

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
  const known: KnownOf = { outcome: new Map(), label: new Map() };
  const counters = [...velocities].map((each) => new Counter(each, fields, known));
  // What an application of several rows counts by a new value is as of its first row.
  const late = applications.hasRepeats
    ? [...velocities].map((each) => new Counter(each, fields, known, APPLICATION_MS))
    : [];
  const all = [...counters, ...late];
  const windows = [...Map.groupBy(all, ({ withinMs }) => withinMs)].map(([withinMs, group]) => {
    const behind = applications.inOrderOfBegin();
    return { withinMs, group, behind, last: behind.next().value as NumberRecord | undefined };
  });
  const longest = Math.max(0, ...all.map(({ withinMs }) => withinMs));
  const asking = {
    outcome: all.filter((counter) => counter.asks(known.outcome)),
    label: all.filter((counter) => counter.asks(known.label)),
  };
  const learn = (what: keyof KnownOf, application: number, value: number, began: number) => {
    for (const counter of asking[what]) counter.recount(application, -1);
    known[what].set(application, { value, began });
    for (const counter of asking[what]) counter.recount(application, 1);
  };
  const labels = asking.label.length === 0 ? [] : applications.labels();
  let told = 0;
  /** The counts of applications of several rows, by the counter and the key. */
  const kept = new Map<number, { readonly began: number; readonly counts: Map<string, number> }>();
  let passed = 0;
  for (const record of applications.inTime()) {
    const [time, row, first] = [record[TIME] as number, record[ROW] as number, record[FIRST] as number];
    const began = record[BEGAN] as number;
    for (const window of windows) {
      while (window.last && (window.last[BEGAN] as number) <= time - window.withinMs) {
        for (const counter of window.group) counter.leave(window.last);
        window.last = window.behind.next().value as NumberRecord | undefined;
      }
    }
    if (++passed % FORGET_EACH === 0) {
      forget(kept, time - APPLICATION_MS);
      forget(known.outcome, time - longest);
    }
    for (let label = labels[told]; label && label.knownMs <= time; label = labels[++told]) {
      learn('label', label.application, label.label, label.began);
    }
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
    if (asking.outcome.length > 0 && outcome !== NONE) learn('outcome', first, outcome, began);
  }
}

/** So many rows later: a map whose first entries are deleted one by one is passed from its beginning each time. */
const FORGET_EACH = 4096;

/** Deletes what began by then; the earliest come first. */
function forget(known: Map<number, { readonly began: number }>, until: number): void {
  for (const [application, { began }] of known) {
    if (began > until) return;
    known.delete(application);
  }
}

/** Why labels are not counted where a command reads none. */
const NO_LABELS: ToldLabels = {
  lack: 'it counts labels, which `verdict backtest --labels FILE` reads from a file with the columns reference and at',
};

/** What a velocity needs and no row of a file has, or the labels lack. */
function problemOf(velocity: Velocity, file: FileStats, labels: ToldLabels): string | undefined {
  const { name, rows, timed, outcomes, references, values } = file;
  const { where } = velocity;
  const isOfLabel = where?.key === 'disposition' && questionOf(where.value as Disposition) === 'label';
  if (where?.key === 'disposition' && !isOfLabel) return 'files do not say when somebody was approved or declined';
  if (isOfLabel && 'lack' in labels) return labels.lack;
  const inColumn = (column: string) => (isTableFile(name) ? ` (column ${column})` : '');
  const needs: readonly (readonly [rows: number, what: string])[] = [
    [timed, `a time of day${inColumn('at')}`],
    ...namesCounted(velocity).map((each) => {
      const path = pathCounted(each);
      return [values.get(each) ?? 0, `a valid ${path}${inColumn(columnOf(path))}`] as const;
    }),
    ...(where?.key === 'outcome' ? [[outcomes, `an outcome${inColumn('outcome')}`] as const] : []),
    ...(isOfLabel ? [[references, `a reference${inColumn('client_reference')}`] as const] : []),
  ];
  const lacks = rows === 0 ? undefined : needs.find(([having]) => having === 0);
  return lacks && `no row of ${name} has ${lacks[1]}`;
}

function unknownOutcome({ name, wrongOutcome }: FileStats): Error {
  const place = `${name}, ${endingOf(name) === '.parquet' ? 'row' : 'line'} ${wrongOutcome}`;
  return fileError(`${place}: the outcome is none of ${OUTCOMES.join(', ')}`);
}
