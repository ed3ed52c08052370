/** Invented applicants with what became of them -> files for `verdict backtest`. */

import { join } from 'node:path';
import { openDuckDb } from '../../../../src/decision/rows/duckdb.ts';
import { ANSWERS, type Invented, type Value } from './applicants.ts';
import type { Past } from './history.ts';

/** What a row says beside its facts. */
export interface RowsOptions {
  /** Whether the file has a column of what reviewers said. */
  readonly hasDispositions?: boolean;
  /** Whether what was decided then is left out of a row. */
  readonly isBlank?: (applicant: Invented, at: number) => boolean;
}

type History = ReadonlyMap<string, Past>;

const DATES = ['context.born', 'phone.porting.portedDate', 'email.address.firstSeen'];
const NEVER = 'phone.porting.portedDate';

/** `phone.riskLevel` is phone_risk_level. */
function columnOf(path: string): string {
  return path.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The text of a value, some of them in another spelling. */
function spelled(path: string, value: Value, at: number): Value {
  if (path === 'applicant.phoneNo' && at % 7 === 0) return `+${value}`;
  if (path === 'applicant.email' && at % 11 === 0) return String(value).toUpperCase();
  return value;
}

const isoOf = (time: number) => new Date(time).toISOString().replace('.000', '');

/** All applicants as CSV. */
export function csvOf(applicants: readonly Invented[], past: History, options: RowsOptions = {}): string {
  const { hasDispositions = false, isBlank = () => false } = options;
  const paths = [...new Set(applicants.flatMap(({ facts }) => Object.keys(facts)))];
  const names = [...paths.map(columnOf), `${columnOf(NEVER)}_never`];
  const rows = applicants.map((applicant, at) => {
    const { reference, time, facts } = applicant;
    const { outcome, disposition, letIn } = past.get(reference) as Past;
    const cells = paths.map((path) => {
      const value = facts[path];
      return value === undefined || value === 'never' ? '' : spelled(path, value, at);
    });
    const decided = isBlank(applicant, at) ? ['', ''] : [outcome, disposition];
    const ofThen = hasDispositions ? decided : decided.slice(0, 1);
    return [isoOf(time), reference, ...cells, facts[NEVER] === 'never' ? 'true' : '', ...ofThen, letIn ?? ''].join();
  });
  const head = ['at', 'client_reference', ...names, 'outcome', ...(hasDispositions ? ['disposition'] : []), 'let_in'];
  return `${[head.join(), ...rows].join('\n')}\n`;
}

/** All applicants as lines of JSON, with why a fact is missing and what reviewers said. */
export function linesOf(applicants: readonly Invented[], past: History): string {
  const lines = applicants.map(({ reference, time, facts, failed }, at) => {
    const given = Object.entries(facts).map(([path, value]) => [path, spelled(path, value, at)]);
    const { outcome, disposition, letIn } = past.get(reference) as Past;
    const missing = failed.flatMap((source) => WITH_ANSWERS.filter((path) => ANSWERS[source].test(path)));
    return JSON.stringify({
      facts: Object.fromEntries(given),
      missing: Object.fromEntries(missing.map((path) => [path, 'sourceFailed'])),
      at: isoOf(time),
      clientReference: reference,
      decision: { outcome, disposition: disposition || null, let_in: letIn },
    });
  });
  return `${lines.join('\n')}\n`;
}

/** Some facts of sources that fail. */
const WITH_ANSWERS = ['phone.type', 'phone.score', 'phone.porting.portedDate', 'email.address.score'];

/** The file of labels, in the order in which they became known. */
export function labelsCsv(past: History): string {
  const known = [...past].flatMap(([reference, { labels }]) =>
    labels.map(({ is, on }) => [reference, is, on] as const),
  );
  known.sort(([, , one], [, , other]) => (one < other ? -1 : one > other ? 1 : 0));
  return `${['reference,label,at', ...known.map((cells) => cells.join())].join('\n')}\n`;
}

/** Writes a CSV file of the folder as Parquet, each column by the type of its fact; gives the name. */
export async function writeParquet(folder: string, csv: string, applicants: readonly Invented[]): Promise<string> {
  const [from, to] = [join(folder, csv), join(folder, csv.replace('.csv', '.parquet'))];
  const types = new Map([
    ['at', 'TIMESTAMP'],
    [`${columnOf(NEVER)}_never`, 'BOOLEAN'],
    ['let_in', 'DOUBLE'],
  ]);
  for (const [path, value] of applicants.flatMap(({ facts }) => Object.entries(facts))) {
    const type = DATES.includes(path)
      ? 'DATE'
      : { number: 'DOUBLE', boolean: 'BOOLEAN', string: undefined }[typeof value as 'string'];
    if (type) types.set(columnOf(path), type);
  }
  const casts = [...types].map(([name, type]) => `CAST("${name}" AS ${type}) AS "${name}"`);
  const db = await openDuckDb();
  await db.connection.run(
    `COPY (SELECT * REPLACE (${casts.join()}) FROM read_csv('${from}', all_varchar = true)) TO '${to}' (FORMAT parquet)`,
  );
  db.close();
  return to;
}
