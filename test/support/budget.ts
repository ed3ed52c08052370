/**
 * The house -> its size by stage. `npx node test/support/budget.ts` writes it to test/budget.json, with what the last
 * run of all tests took. A change may lower it without a word, and raises it only with a reason (CONTRIBUTING.md).
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CommandUnknownOpts } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { DIAGNOSTIC_CODES } from '../../src/diagnostics.ts';
import { BUDGET_FILE, RUN_FILE, type RunSize, stageOf } from './run-report.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What is counted: lines and exported names of `src`, and the test files that start processes. */
export const COUNTED = ['lines', 'exports', 'processTests'] as const;

type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

export interface Size {
  /** By stage, a folder of `src` or `test`; `files` are those beside the folders. */
  readonly stages: Readonly<Record<string, Counts>>;
  readonly cliOptions: number;
  readonly diagnosticCodes: number;
}

/** Names of `export const a`, `export function b` and the like, and lists in braces. */
const DECLARED = /^export (?:declare |abstract |async )*(?:function\*?|class|const|let|interface|type|enum) (?!\{)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;

/** The modules by which a file starts processes. */
const STARTS_PROCESSES = /from '(?:node:child_process|playwright-core)'/;
const OF_HELPERS = /from '(\.[^']*\/support\/[^']*)'/g;

export function measureHouse(): Size {
  const sources = readTypeScript('src');
  const tests = readTypeScript('test');
  const startsProcesses = ([file, text]: readonly [string, string]) =>
    [text, ...[...text.matchAll(OF_HELPERS)].map(([, path = '']) => tests.get(join(dirname(file), path)) ?? '')].some(
      (each) => STARTS_PROCESSES.test(each),
    );
  const starters = [...tests].filter((each) => each[0].endsWith('.test.ts') && startsProcesses(each));
  const names = new Set([...sources.keys(), ...starters.map(([file]) => file)].map(stageOf));
  const stages = [...names].sort().map((stage) => {
    const texts = [...sources].flatMap(([file, text]) => (stageOf(file) === stage ? text : []));
    const counts: Counts = {
      lines: sumOf(texts, (text) => text.split('\n').length - 1),
      exports: sumOf(texts, countExports),
      processTests: starters.filter(([file]) => stageOf(file) === stage).length,
    };
    return [stage, counts] as const;
  });
  return {
    stages: Object.fromEntries(stages),
    cliOptions: countOptions(createProgram({} as never, () => {})),
    diagnosticCodes: Object.keys(DIAGNOSTIC_CODES).length,
  };
}

function sumOf<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0);
}

function countExports(text: string): number {
  const listed = [...text.matchAll(LISTED)].flatMap(([, names = '']) => names.split(',').filter((name) => name.trim()));
  return [...text.matchAll(DECLARED)].length + listed.length;
}

function countOptions({ options, commands }: CommandUnknownOpts): number {
  return options.length + sumOf(commands, countOptions);
}

function readTypeScript(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => file.endsWith('.ts') && !file.includes('node_modules')).sort();
  return new Map(own.map((file) => [file, readFileSync(join(ROOT, folder, file), 'utf8')]));
}

if (process.argv[1] === import.meta.filename) {
  const { processes, slowest }: RunSize = JSON.parse(
    readFileSync(existsSync(RUN_FILE) ? RUN_FILE : BUDGET_FILE, 'utf8'),
  );
  writeFileSync(BUDGET_FILE, `${JSON.stringify({ ...measureHouse(), processes, slowest }, undefined, 2)}\n`);
}
