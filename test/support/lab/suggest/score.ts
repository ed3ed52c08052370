/** Answers and their true facts -> how many facts a suggested mapping gets right, case by case. */

// Run: node test/support/lab/suggest/score.ts [folder] [--missed]

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatDiagnostic } from '../../../../src/diagnostics.ts';
import { CATALOG_TABLE } from '../../../../src/facts/catalog.ts';
import { type Cause, type FactValue, isMissing, shownValue } from '../../../../src/facts/fact.ts';
import { type Mapping, readMapping } from '../../../../src/facts/mapping/mapping.ts';
import { normalise } from '../../../../src/facts/mapping/normalise.ts';
import { readFacts } from '../../../../src/facts/read.ts';
import { suggestMapping } from '../../../../src/lab/suggest/suggest.ts';

/** The day of every request. */
export const DAY = '2025-11-20';

const ASKED = { variables: ['phoneNo', 'email', 'ip'], composite: false, day: DAY } as const;

/** What an answer really says about a fact; the README of the fixtures explains the three forms. */
export type Truth = FactValue | { readonly missing: Cause } | { readonly unknowable: true; readonly value: FactValue };

/** An answer, and the truth by path as far as it is written down. */
interface Answer {
  readonly file: string;
  readonly body: unknown;
  readonly truths: ReadonlyMap<string, Truth>;
}

/** A value that the mapping gives and the answer does not. */
export interface Wrong {
  readonly file: string;
  readonly path: string;
  readonly value: FactValue;
  readonly truth: Truth;
}

/** The result for one case. */
export interface Score {
  readonly name: string;
  /** The number of answers that the mapping was suggested from. */
  readonly answers: number;
  /** The suggested mapping. */
  readonly text: string;
  /** The errors and warnings of `readMapping`. */
  readonly diagnostics: readonly string[];
  readonly loads: boolean;
  /** The paths of the facts that the first answer shows. */
  readonly wanted: readonly string[];
  /** Those that the mapping gives with the right value. */
  readonly right: readonly string[];
  /** Of all answers with a known truth. */
  readonly wrong: readonly Wrong[];
}

/** The names of a folder's cases, in order. */
export function caseNames(folder: string): readonly string[] {
  const names = readdirSync(folder).flatMap((file) => /^([^.]+)\.facts\.json$/.exec(file)?.[1] ?? []);
  return names.toSorted();
}

/** Suggests a mapping from the answers of a case and compares the facts that it gives with the truth. */
export function scoreCase(folder: string, name: string): Score {
  const answers = readAnswers(folder, name);
  const text = suggestMapping(answers.map(({ body }) => body));
  const { mapping, diagnostics } = loadText(text);
  const truths = answers[0]?.truths ?? new Map<string, Truth>();
  const wanted = [...truths].flatMap(([path, truth]) => (typeof truth === 'object' ? [] : [path]));
  const values = mapping ? answers.map(({ body }) => valuesOf(body, mapping)) : [];
  return {
    name,
    answers: answers.length,
    text,
    diagnostics,
    loads: mapping !== undefined,
    wanted,
    right: wanted.filter((path) => values[0]?.get(path) === truths.get(path)),
    wrong: values.flatMap((found, i) => (answers[i] ? wrongOf(answers[i], found) : [])),
  };
}

function readAnswers(folder: string, name: string): readonly Answer[] {
  const numbers = readdirSync(folder).flatMap((file) => {
    return file.startsWith(`${name}.`) ? (/^\.(\d+)\.json$/.exec(file.slice(name.length))?.[1] ?? []) : [];
  });
  const stems = [name, ...numbers.toSorted((a, b) => Number(a) - Number(b)).map((number) => `${name}.${number}`)];
  return stems.map((stem) => ({
    file: `${stem}.json`,
    body: readJson(join(folder, `${stem}.json`)),
    truths: new Map(Object.entries(readTruths(join(folder, `${stem}.facts.json`)))),
  }));
}

function readTruths(file: string): Record<string, Truth> {
  try {
    return readJson(file) as Record<string, Truth>;
  } catch (error) {
    // Further answers need no truth: they only help to read the first.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function loadText(text: string): { readonly mapping?: Mapping; readonly diagnostics: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-suggest-'));
  try {
    const file = join(folder, 'signals.yaml');
    writeFileSync(file, text);
    const { mapping, diagnostics } = readMapping(file, { shown: 'signals.yaml' });
    return { ...(mapping ? { mapping } : {}), diagnostics: diagnostics.map(formatDiagnostic) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The facts that the mapping gives, by path, as people see them. */
function valuesOf(body: unknown, mapping: Mapping): ReadonlyMap<string, FactValue> {
  const facts = readFacts(normalise({ body }, mapping, ASKED, CATALOG_TABLE, DAY), CATALOG_TABLE, DAY);
  return new Map([...facts].flatMap(([path, fact]) => (isMissing(fact) ? [] : [[path, shownValue(fact)] as const])));
}

function wrongOf({ file, truths }: Answer, found: ReadonlyMap<string, FactValue>): readonly Wrong[] {
  return [...truths].flatMap(([path, truth]) => {
    const value = found.get(path);
    return value === undefined || value === rightValue(truth) ? [] : [{ file, path, value, truth }];
  });
}

/** The only value that is right; undefined if no value is. */
export function rightValue(truth: Truth): FactValue | undefined {
  if (typeof truth !== 'object') return truth;
  return 'value' in truth ? truth.value : undefined;
}

/** The share of all wanted facts that are right, 0 to 1. */
export function totalOf(scores: readonly Score[]): number {
  const right = scores.reduce((sum, score) => sum + score.right.length, 0);
  const wanted = scores.reduce((sum, score) => sum + score.wanted.length, 0);
  return wanted === 0 ? 1 : right / wanted;
}

/** A table for people, with the wrong facts below it and, on demand, the missed ones. */
export function formatScores(scores: readonly Score[], { withMissed = false } = {}): string {
  const count = (pick: (score: Score) => readonly unknown[]) => {
    return String(scores.reduce((sum, score) => sum + pick(score).length, 0));
  };
  const rows = [
    ['case', 'answers', 'right', 'wanted', 'wrong', 'loads'],
    ...scores.map(({ name, answers, right, wanted, wrong, loads }) => [
      name,
      String(answers),
      String(right.length),
      String(wanted.length),
      String(wrong.length),
      loads ? 'yes' : 'NO',
    ]),
    ['total', '', count(({ right }) => right), count(({ wanted }) => wanted), count(({ wrong }) => wrong), ''],
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const share = `${(100 * totalOf(scores)).toFixed(1)} % of the wanted facts`;
  const wrong = scores.flatMap((score) => score.wrong.map(formatWrong));
  const missed = scores.flatMap(({ name, wanted, right }) => {
    return withMissed ? wanted.filter((path) => !right.includes(path)).map((path) => `missed: ${name}: ${path}`) : [];
  });
  const broken = scores.flatMap(({ name, diagnostics }) => diagnostics.map((text) => `${name}: ${text}`));
  return `${[...lines, share, ...wrong, ...missed, ...broken].join('\n')}\n`;
}

/** A wrong value and the truth. */
export function formatWrong({ file, path, value, truth }: Wrong): string {
  return `wrong: ${file}: ${path} is ${JSON.stringify(value)}; the truth is ${JSON.stringify(truth)}`;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { missed: { type: 'boolean' } }, allowPositionals: true });
  const folder = resolve(positionals[0] ?? resolve(import.meta.dirname, '../../../fixtures/suggest'));
  const scores = caseNames(folder).map((name) => scoreCase(folder, name));
  process.stdout.write(formatScores(scores, { withMissed: values.missed === true }));
  process.exitCode = scores.every(({ loads, wrong }) => loads && wrong.length === 0) ? 0 : 1;
}
