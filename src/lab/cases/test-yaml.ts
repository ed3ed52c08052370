/** A test as data -> its YAML, as an item of `tests`; and files of tests, new ones and those with further tests. */

import { dirname, relative, sep } from 'node:path';
import { firedReasons, type Verdict } from '../../decision/meaning/verdict.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { dayNumber, dayWithYears } from '../../facts/day.ts';
import { type Fact, type Facts, isMissing, NEVER, shownValue } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { flowYaml, Source } from '../../platform/files/source.ts';
import { isObject } from '../../platform/json.ts';
import { parseYaml, type Yaml } from '../../platform/yaml.ts';
import { hasBands, type Policy } from '../../policy/language.ts';
import { count } from '../../text.ts';
import { MOST_DAYS_AGO, MOST_UNDETERMINED_EXPECTED } from '../limits.ts';
import type { TestHead } from '../test/read-tests.ts';
import { expectedScore } from '../test/test-case.ts';

/** The keys of a test that are written; those that are absent are left out. */
export interface WrittenTest {
  readonly name: string;
  readonly description?: string | undefined;
  /** Of several policies of the file, the one that is tested. */
  readonly policy?: string | undefined;
  readonly at?: string | undefined;
  readonly with?: Readonly<Record<string, unknown>> | undefined;
  readonly from?: string | undefined;
  readonly missing?: Readonly<Record<string, unknown>> | undefined;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  readonly expect?: object | undefined;
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] } | undefined;
}

/** The lines of a test; the first begins with a dash. */
export function testLines({ table, ...test }: WrittenTest): readonly string[] {
  const lines = Object.entries(test).flatMap(([key, value]) => entryLines(key, value));
  const all = [...lines, ...(table ? tableLines(table) : [])];
  return all.map((line, i) => `${i === 0 ? '- ' : '  '}${line}`);
}

/** Wider maps have a line for each entry. */
const WIDEST = 100;

function entryLines(key: string, value: unknown): readonly string[] {
  if (value === undefined || isEmpty(value)) return [];
  const line = `${key}: ${typeof value === 'string' && SENTENCE.test(value) ? value : flowYaml(value)}`;
  if (line.length <= WIDEST || typeof value !== 'object') return [line];
  return [
    `${key}:`,
    ...Object.entries(value as object).map(([name, each]) => `  ${flowYaml(name)}: ${flowYaml(each)}`),
  ];
}

/** A text of several words that needs no quotes behind a key. */
const SENTENCE = /^[A-Za-z][\w./-]*,?( [\w./()-]+,?)* [\w./()-]*[\w)]$/;

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function tableLines({ columns, rows }: NonNullable<WrittenTest['table']>): readonly string[] {
  return ['table:', `  columns: ${flowYaml(columns)}`, '  rows:', ...rows.map((row) => `    - ${flowYaml(row)}`)];
}

/** A test, and the comment above it. */
export interface CommentedTest {
  readonly test: WrittenTest;
  readonly comment?: string | undefined;
}

/** Tests as lines, with an empty one before each; without indentation. */
export function commentedLines(tests: readonly CommentedTest[]): readonly string[] {
  return tests.flatMap(({ test, comment }) => [
    '',
    ...(comment === undefined ? [] : [`# ${comment}`]),
    ...testLines(test),
  ]);
}

/** Undefined if the file has no list of tests with a line for each, below which others can be written. */
export function appendTests(text: string, tests: readonly CommentedTest[]): string | undefined {
  const list = testsIn(text);
  const last = list?.items.at(-1);
  if (!list || !last || text[list.start] !== '-') return undefined;
  const lineEnd = text.indexOf('\n', Math.max(last.end - 1, 0));
  const at = lineEnd < 0 ? text.length : lineEnd + 1;
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = ' '.repeat(list.start - (text.lastIndexOf('\n', list.start) + 1));
  const lines = commentedLines(tests).map((line) => (line === '' ? line : indent + line));
  const added = lines.map((line) => line + newLine).join('');
  const wholeText = text.slice(0, at) + (lineEnd < 0 ? newLine : '') + added + text.slice(at);
  // A last test with an unexpected end would swallow the lines below it.
  return testsIn(wholeText)?.items.length === list.items.length + tests.length ? wholeText : undefined;
}

function testsIn(text: string): Extract<Yaml, { kind: 'list' }> | undefined {
  const root = parseYaml(new Source('', text, []));
  const list = root?.kind === 'map' ? root.entries.get('tests')?.value : undefined;
  return list?.kind === 'list' ? list : undefined;
}

/** The name, with a number if another test has it; it is taken then. */
export function takeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name} (${n})`;
  taken.add(free);
  return free;
}

/** What a file of tests says of all its tests. */
export interface NewTestFile {
  /** Relative to the file. */
  readonly policies: readonly string[];
  readonly mapping?: string | undefined;
  /** yyyy-MM-dd. */
  readonly at: string;
  /** Sets of facts by name, as a test writes facts. */
  readonly facts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The text, with a line for each fact of a set. */
export function newTests({ policies, mapping, at, facts = {} }: NewTestFile, tests: readonly CommentedTest[]): string {
  const [policy] = policies;
  const sets = Object.entries(facts).flatMap(([name, set]) => {
    const lines = Object.entries(set).map(([path, value]) => `    ${flowYaml(path)}: ${flowYaml(value)}`);
    return [`  ${flowYaml(name)}:`, ...lines];
  });
  const [, ...lines] = commentedLines(tests).map((line) => (line === '' ? line : `  ${line}`));
  const head = [
    `policy: ${flowYaml(policies.length > 1 ? policies : policy)}`,
    ...(mapping === undefined ? [] : [`mapping: ${flowYaml(mapping)}`]),
    `at: ${at}`,
    ...(sets.length > 0 ? ['', 'facts:', ...sets] : []),
  ];
  return `${[...head, '', 'tests:', ...lines].join('\n')}\n`;
}

/** The path of a file as a file of tests names it. */
export function pathFrom(testFile: string, path: string): string {
  return relative(dirname(testFile), path).split(sep).join('/');
}

/** A fact as a test has it; a day is relative to that of the decision. */
export function writtenFact(path: string, fact: Fact, at: string, facts: FactTable): unknown {
  if (isMissing(fact)) return { missing: fact.missing };
  const value = shownValue(fact);
  if (facts.get(path)?.type !== 'date' || value === NEVER) return value;
  const day = dayNumber(String(value));
  const days = dayNumber(at) - day;
  if (days === 0) return 'today';
  if (days > 0 && days <= MOST_DAYS_AGO) return `${count(days, 'day')} ago`;
  const years = Number(at.slice(0, 4)) - Number(String(value).slice(0, 4));
  return years > 0 && dayWithYears(years, at) === day ? `${count(years, 'year')} ago` : value;
}

/** Facts by path, as a test has them. */
export function writtenFacts(all: Facts, at: string, facts: FactTable): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...all].map(([path, fact]) => [path, writtenFact(path, fact, at, facts)]));
}

/** What suggested and recorded tests expect, in the order of columns. */
export const EXPECTED = ['outcome', 'reasons', 'score', 'undetermined'] as const;

type Expected = Partial<Record<(typeof EXPECTED)[number], unknown>>;

/** What is expected of a decision like this one. */
export function expectationOf({ outcome, score, undetermined, ...verdict }: Verdict, policy: Policy): Expected {
  const open = undetermined.map(({ rule }) => rule);
  return {
    outcome,
    reasons: [...new Set(firedReasons({ reasons: verdict.reasons }).map(({ code }) => code))],
    ...(hasBands(policy) ? { score: expectedScore(score) } : {}),
    ...(open.length > 0 && open.length <= MOST_UNDETERMINED_EXPECTED ? { undetermined: open } : {}),
  };
}

/** The head of a policy in the new file, which has no tests and sets no parameters. */
export function ofNewFile(file: string, head: TestHead, policies: number): TestHead {
  const named = policies > 1 ? pathFrom(file, head.tested.path) : undefined;
  return { ...head, named, parameters: {}, names: new Set() };
}

/** The beginning of the new file; `heads` are those of one file, one for each policy. */
export function headOfNew(file: string, heads: readonly TestHead[], tests: readonly CommentedTest[]): NewTestFile {
  const [first] = heads as readonly [TestHead];
  const used = new Set(tests.flatMap(({ test }) => test.from ?? []));
  const mapping = first.mappingPath === undefined ? undefined : pathFrom(file, first.mappingPath);
  return {
    policies: heads.map(({ tested }) => pathFrom(file, tested.path)),
    ...{ mapping, at: first.at },
    facts: Object.fromEntries(first.sets.filter((set) => used.has(set)).map((set) => [set, setOf(set, heads)])),
  };
}

/** The facts that a set gives, those of each policy's own among them. */
function setOf(set: string, heads: readonly TestHead[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    heads.flatMap(({ factsOf, at, policy }) => {
      const given = factsOf(set, at);
      const facts = readFacts(given, policy.facts, at);
      return [...given.keys()].map((path) => {
        const fact = facts.get(path) ?? { missing: 'notGiven' };
        return [path, writtenFact(path, fact, at, policy.facts)];
      });
    }),
  );
}
