/** Policies and facts as plain data -> the inputs of a runner, by the project's own readers; and the live verdict. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { runLive } from '../../../src/decision/live/live.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Fact, Facts } from '../../../src/facts/fact.ts';
import { readFact } from '../../../src/facts/fact-reader.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { trimWhiteSpace } from '../../../src/text.ts';
import {
  EFFECTS,
  type PlainDecisionTable,
  type PlainFacts,
  type PlainList,
  type PlainPolicy,
  type PlainRuleSet,
} from './plain.ts';

/** Writes a policy over several files, as an analyst might, and loads it; throws if it has errors. */
export function loadPlainPolicy(plain: PlainPolicy, folder: string): Policy {
  return loadFiles(spreadFiles(plain), folder);
}

/** The same with one file for each rule set. */
export function loadPolicyAsIs(plain: PlainPolicy, folder: string): Policy {
  return loadFiles(filesOf(plain), folder);
}

/** Without the checks, which would take longer than all the rest. */
function loadFiles(files: Readonly<Record<string, string>>, folder: string): Policy {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return loadPolicy(join(folder, 'policy.yaml'));
}

/** Reads facts as they came, by the policy's table. */
export function readPlainFacts(plain: PlainFacts, { facts: table }: Policy, day: string): Facts {
  return new Map(
    Object.entries(plain).flatMap(([path, fact]): [string, Fact][] => {
      const definition = table.get(path);
      return definition ? [[path, readFact(definition, fact, day)]] : [];
    }),
  );
}

/** The live runner's verdict on known facts. */
export async function decideLive(policy: Policy, facts: Facts, day: string): Promise<Verdict> {
  const { verdict } = await runLive(policy, (path) => facts.get(path) ?? { missing: 'notGiven' }, day);
  return verdict;
}

/** A policy and its rule sets, a file for each. */
export function filesOf(policy: PlainPolicy): Record<string, string> {
  const files: Record<string, string> = {};
  const write = (file: string, { ruleSets, ...rest }: PlainRuleSet) => {
    const names = ruleSets?.map((_, i) => file.replace(/\.yaml$/, `-${i + 1}.yaml`)) ?? [];
    for (const [i, name] of names.entries()) write(name, ruleSets?.[i] ?? {});
    files[file] = toYaml({ ...rest, ...(ruleSets ? { ruleSets: names } : {}) });
  };
  write('policy.yaml', { policy: 'case', version: '1', ...policy } as PlainPolicy);
  return files;
}

/** A policy spread over files: half of its rules and all of its tables in a rule set, its lists in all their forms. */
function spreadFiles(policy: PlainPolicy): Record<string, string> {
  const { rules = [], tables, conditions, lists = {}, parameters = {}, ...rest } = policy;
  const half = Math.ceil(rules.length / 2);
  const [inFile, inPlace] = [true, false].map((isWanted) =>
    Object.entries(lists).filter(([, entries]) => Array.isArray(entries) && entries.every(isLine) === isWanted),
  ) as [[string, readonly string[]][], [string, PlainList][]];
  const [first, ...others] = inFile;
  const csvTables = (tables ?? []).map(tableToCsv);
  const inFileOrPlace = (i: number) => {
    const { columns, rows } = tables?.[i] ?? {};
    return csvTables[i] === undefined ? { columns, rows } : { rows: { file: `tables/${i}.csv` } };
  };
  // Some parameters in the policy, some in the rule set, some in both: the policy's value is in force.
  const declared = Object.entries(parameters);
  const own = declared.filter((_, i) => i % 3 !== 1);
  const defaults = [
    ...declared.filter((_, i) => i % 3 === 1),
    ...own.slice(1).map(([name]) => [name, 'another'] as const),
  ];
  const main = {
    policy: 'random',
    version: '1',
    ...rest,
    ...(first ? { lists: { [first[0]]: { file: 'lists/first.txt' } } } : {}),
    ...(own.length > 0 ? { parameters: Object.fromEntries(own) } : {}),
    ruleSets: ['sets/more.yaml'],
    rules: rules.slice(0, half),
  };
  const more = {
    ...(defaults.length > 0 ? { parameters: Object.fromEntries(defaults) } : {}),
    lists: Object.fromEntries(
      [...others, ...inPlace].map(([name, entries], i) => [name, i === 0 ? entries : { entries }]),
    ),
    conditions,
    ...(tables ? { tables: tables.map(({ rows, columns, ...table }, i) => ({ ...table, ...inFileOrPlace(i) })) } : {}),
    ...(rules.length > half ? { rules: rules.slice(half) } : {}),
  };
  return {
    'policy.yaml': toYaml(main),
    'sets/more.yaml': toYaml(more),
    ...Object.fromEntries(csvTables.flatMap((text, i) => (text === undefined ? [] : [[`sets/tables/${i}.csv`, text]]))),
    ...(first ? { 'lists/first.txt': `# entries\n\n${first[1].join(' # why\n')}\n` } : {}),
  };
}

/** A table as a CSV file; undefined if it has texts that would be trimmed, or values that are no text. */
function tableToCsv({ columns, rows }: PlainDecisionTable): string | undefined {
  const written = rows.map((cells) => cells.map((cell, i) => toCell(cell, EFFECTS.includes(columns[i] ?? ''))));
  if (written.some((cells) => cells.includes(undefined))) return undefined;
  const quote = (text = '') => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...written].map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

/** A cell of a fact may be written as YAML, of which JSON is a part. */
function toCell(cell: unknown, isEffect: boolean): string | undefined {
  if (typeof cell === 'number') return String(cell);
  const isBare = typeof cell === 'string' && cell !== '' && trimWhiteSpace(cell) === cell;
  if (isEffect) return isBare ? cell : undefined;
  return isBare && !/^[{["']/.test(cell) ? cell : typeof cell === 'boolean' ? `${cell}` : JSON.stringify(cell);
}

/** Whether a list file can contain the entry. */
function isLine(entry: unknown): boolean {
  return typeof entry === 'string' && !/[#\n]/.test(entry);
}

function toYaml(data: unknown): string {
  return stringify(data, { aliasDuplicateObjects: false });
}
