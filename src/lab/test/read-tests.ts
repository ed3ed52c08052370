/** A file of tests -> its cases, or every problem with its position. */

import { type Diagnostic, keepLineFromLogs, sortDiagnostics } from '../../diagnostics.ts';
import { dayOfInstant } from '../../facts/day.ts';
import type { GivenFact } from '../../facts/fact.ts';
import { normalise } from '../../facts/mapping/normalise.ts';
import { readFacts } from '../../facts/read.ts';
import { reportAt, type Span } from '../../platform/files/source.ts';
import { parseJson } from '../../platform/json.ts';
import { parseYaml, type ScalarNode, type Yaml } from '../../platform/yaml.ts';
import { isNull, readFields } from '../../platform/yaml-fields.ts';
import { findGreaterPart } from '../../policy/cells/nested-counts.ts';
import { keySetOf, readValues, type ValuesOf } from '../../policy/read/key.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { lettersOf } from '../../text.ts';
import { type Context, joined, policyWith, prepare, type ReadingOptions, readParameters } from './context.ts';
import { EXPECTATION_KEYS, type ExpectedNames, expectationOf, nodesOf, noteNodes } from './expectation.ts';
import { type Answer, EXPECTATION_SYNONYMS, expectationMeant, FILE_SYNONYMS, TEST_SYNONYMS } from './mistakes.ts';
import { FilesBeside, Policies } from './named-files.ts';
import { type CaseRow, readTable } from './table.ts';
import type { Expectation, TestCase } from './test-case.ts';
import { TEST_FILE_KEYS, TEST_KEYS } from './test-keys.ts';
import { givenOn, readWrittenFacts, readWrittenMissing, type WrittenFacts } from './written-facts.ts';

/** A file of tests as read. */
export interface ReadTests {
  /** Empty if there is an error among the diagnostics. */
  readonly cases: readonly TestCase[];
  /** The errors of the file, of the files that it names, and of the policy, by file and position. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads files of tests; a policy that several of them test is read once. */
export class TestReader {
  /** Each file that was opened, existing or not, with its fingerprint just before. */
  readonly stamps = new Map<string, string>();
  /** What each file of tests without errors says of all its tests, for each of its policies. */
  readonly heads: { readonly file: string; readonly head: TestHead }[] = [];
  readonly #policies = new Policies(this.stamps);
  readonly #options: ReadingOptions;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  read(file: string): ReadTests {
    const files = new FilesBeside(file, this.stamps);
    const heads: TestHead[] = [];
    const cases = readRoot(files, this.#policies, this.#options, heads) ?? [];
    const diagnostics = sortDiagnostics(files.diagnostics, files.names);
    if (diagnostics.length > 0) return { cases: [], diagnostics };
    this.heads.push(...heads.map((head) => ({ file, head })));
    return { cases, diagnostics };
  }
}

/** What a file of tests says of all its tests of one policy. */
export interface TestHead extends Pick<Context, 'at' | 'tested' | 'parameters' | 'policy'> {
  /** The policy as the file names it, if it names several. */
  readonly named?: string | undefined;
  /** The path of the mapping that the file names. */
  readonly mappingPath: string | undefined;
  /** The names of all tests. */
  readonly names: ReadonlySet<string>;
  /** The names of the sets of facts. */
  readonly sets: readonly string[];
  /** The facts of a set on a day, as given. */
  factsOf(set: string, day: string): ReadonlyMap<string, GivenFact>;
}

/** The cases; adds the head for each policy. */
function readRoot(
  files: FilesBeside,
  policies: Policies,
  options: ReadingOptions,
  heads: TestHead[],
): readonly TestCase[] | undefined {
  const source = files.openRoot();
  const root = source && parseYaml(source);
  const answer = root?.kind === 'list' ? { hint: 'write `tests:` above the list, and `policy:` and `at:`' } : undefined;
  const keys = keySetOf(TEST_FILE_KEYS, { synonyms: FILE_SYNONYMS });
  const fields = root && readFields(root, 'a file of tests', keys, answer);
  if (!fields) return undefined;
  const { today = dayOfInstant(Date.now()) } = options;
  const values = readValues(fields, TEST_FILE_KEYS, today);
  const { policy: named = [], tests = [] } = values;
  return readWithEach(named, files.diagnostics, (each) => {
    const context = prepare(values, { named: each, allNamed: named, files, policies, ...options, today });
    if (!context) return [];
    const cases = tests.flatMap((test) => readTest(test, context));
    heads.push(headOf(context));
    return cases;
  });
}

function headOf({ named, allNamed, taken, sets, reported, ...context }: Context): TestHead {
  const { at, tested, parameters, policy, mappingPath } = context;
  return {
    ...{ at, tested, parameters, policy, mappingPath, names: taken, sets: [...sets.keys()] },
    ...(allNamed.length > 1 ? { named: String(named.value) } : {}),
    factsOf: (set, day) => givenOn(day, sets.get(set) ?? [], policy.facts, reported),
  };
}

/** `- burst:` in place of `- name: burst`: the name of a test that has it as a key. */
function nameAsKey(node: Yaml): string | undefined {
  const [first] = node.kind === 'map' && !node.entries.has('name') ? node.entries : [];
  if (!first) return undefined;
  const [key, { value }] = first;
  const isOfTest = Object.hasOwn(TEST_KEYS, key) || Object.hasOwn(TEST_SYNONYMS, lettersOf(key));
  return !isOfTest && (isNull(value) || value.kind === 'map') ? key : undefined;
}

/** `- burst`: a test that is its name alone. */
function nameAlone(node: Yaml): Answer | undefined {
  if (node.kind !== 'scalar' || isNull(node)) return undefined;
  const { start, end, source } = node;
  const text = `name: ${source.text.slice(start, end)}`;
  return { hint: `write \`- ${text}\``, fix: [{ start, end, text }] };
}

type TestValues = ValuesOf<typeof TEST_KEYS>;

function readTest(node: Yaml, context: Context): readonly TestCase[] {
  const asKey = nameAsKey(node);
  if (asKey !== undefined) {
    const hint = `write \`name: ${asKey}\`, and the other keys below it`;
    return reportAt(node, 'missing-key', 'a test needs the key "name"', { hint }) ?? [];
  }
  const fields = readFields(node, 'a test', keySetOf(TEST_KEYS, { synonyms: TEST_SYNONYMS }), nameAlone(node));
  if (!fields) return [];
  const values = readValues(fields, TEST_KEYS, context.today);
  if (!isFor(values.policy, context)) return [];
  const { at = context.at, skip, only = false, name } = values;
  const nameNode = fields.get('name')?.value ?? node;
  if (name !== undefined) takeName(name, nameNode, context);
  if (only && !context.allowOnly) {
    const hint = 'remove it before you commit';
    reportAt(fields.get('only')?.key ?? node, 'wrong-value', 'found `only`, which leaves other tests out', { hint });
  }
  const parameters = readParameters(values.with, context.policy, context.parameters);
  const policy = values.with ? policyWith(context, parameters, values.with) : context.policy;
  const { facts: table } = context.policy;
  const base = factsOf(values, at, context);
  const expected = values.expect && readExpectation(values.expect, context.names);
  const expect = expected?.expect;
  const rows =
    values.table &&
    readTable(values.table, { facts: table, names: context.names, open: (file) => context.files.open(file) });
  if (!policy || name === undefined) return [];
  const share = { policy, tested: context.tested, parameters, at, skip, only };
  const caseOf = (title: string, span: Span, row?: CaseRow): TestCase | undefined => {
    const all: Expectation = { ...expect, ...row?.expect };
    if (row?.isPartial) return undefined;
    if (Object.keys(all).length === 0) return reportNothing(span, row !== undefined, fields.isMeant('expect'));
    const given = new Map(base);
    for (const [path, fact] of row ? givenOn(at, [row.facts], table, context.reported) : []) given.set(path, fact);
    const place = span.source.placeOf(span.start, span.end);
    const named = context.allNamed.length > 1 ? `${title} (${context.named.value})` : title;
    const testCase = { name: named, place, ...share, facts: readFacts(given, table, at), expect: all };
    // A set of facts may have another count, which the test leaves as it is.
    const own = new Set([
      ...(values.facts?.kind === 'map' ? values.facts.entries.keys() : []),
      ...(row?.facts.keys() ?? []),
    ]);
    const wrong = findGreaterPart(new Map([...testCase.facts].filter(([path]) => own.has(path))), table);
    if (wrong) {
      const message = `no applicant has a greater ${wrong.part} than ${wrong.whole}, which counts all of it`;
      return reportAt(row ? span : (values.facts ?? span), 'wrong-value', message);
    }
    return noteNodes(testCase, new Map([...(expected?.nodes ?? []), ...(row?.nodes ?? [])]));
  };
  if (!fields.isMeant('table')) return [caseOf(name, nameNode) ?? []].flat();
  return withTitles(name, rows ?? []).flatMap(([title, row]) => caseOf(title, row.span, row) ?? []);
}

/** The facts of a test without those of its rows: of its sets, then of its answer, then its own. */
function factsOf({ missing, facts, ...values }: TestValues, at: string, context: Context): Map<string, GivenFact> {
  const { policy, reported } = context;
  const ownFacts = joined(
    missing && readWrittenMissing(missing, '`missing`', policy.facts),
    facts && readWrittenFacts(facts, '`facts`', policy.facts),
  );
  return new Map([
    ...givenOn(at, setsOf(values, context), policy.facts, reported),
    ...answerOf(values.answer, at, context),
    ...givenOn(at, ownFacts, policy.facts, reported),
  ]);
}

/** The rows of a test, each with the name of its case. */
function withTitles(name: string, rows: readonly CaseRow[]): readonly (readonly [title: string, row: CaseRow])[] {
  const taken = new Set<string>();
  return rows.map((row, i) => {
    const title = row.name === undefined ? `${name}, row ${i + 1}` : `${name}: ${row.name}`;
    if (taken.has(title)) reportAt(row.span, 'duplicate-name', `two rows have the name "${row.name}"`);
    taken.add(title);
    return [title, row];
  });
}

/** Whether a test is for the policy that is read. */
function isFor(policies: TestValues['policy'], { named, allNamed }: Context): boolean {
  const knownNames = allNamed.map(({ value }) => String(value));
  for (const node of policies ?? []) {
    const word = String(node.value);
    if (knownNames.includes(word)) continue;
    const message = `found "${word}"; \`policy\` of a test must be one of the policies of the file`;
    reportAt(node, 'wrong-value', message, { unknown: { word, known: knownNames } });
  }
  return policies?.some(({ value }) => value === named.value) ?? true;
}

function takeName(name: string, node: Yaml, { taken }: Context): void {
  if (taken.has(name)) reportAt(node, 'duplicate-name', `two tests have the name "${name}"`);
  taken.add(name);
}

/** A test that expects nothing could never fail. */
function reportNothing(span: Span, isRow: boolean, isExpectWrong: boolean): undefined {
  // What is wrong with `expect` is reported already.
  if (isExpectWrong) return undefined;
  const what = isRow ? 'this row' : 'this test';
  const hint = isRow ? 'add a column such as outcome, or `expect` to the test' : 'add `expect: { outcome: … }`';
  return reportAt(span, 'missing-key', `${what} expects nothing, so that it could never fail`, { hint });
}

function setsOf({ from = [] }: Pick<TestValues, 'from'>, { sets }: Context): readonly WrittenFacts[] {
  return from.flatMap((node) => {
    const name = String(node.value);
    const set = sets.get(name);
    if (set) return set;
    const message = `found "${name}"; \`from\` must name a set of \`facts\` of this file`;
    return reportAt(node, 'wrong-value', message, { unknown: { word: name, known: sets.keys() } }) ?? [];
  });
}

/** What is expected, and where it stands. */
function readExpectation(node: Yaml, names: ExpectedNames) {
  const keys = keySetOf(EXPECTATION_KEYS, { synonyms: EXPECTATION_SYNONYMS });
  const fields = readFields(node, '`expect`', keys, expectationMeant(node));
  if (!fields) return undefined;
  return { expect: expectationOf(readValues(fields, EXPECTATION_KEYS, names)), nodes: nodesOf(fields) };
}

/** The facts of an answer, as if everything had been asked for. */
function answerOf(
  node: Yaml | undefined,
  at: string,
  { files, mapping, policy }: Context,
): ReadonlyMap<string, GivenFact> {
  const source = node && files.open(node);
  if (!node || !source) return new Map();
  const parsed = parseJson(source.text);
  if (parsed.problem !== undefined) {
    const line = parsed.line === undefined ? '' : ` (line ${parsed.line})`;
    return reportAt(node, 'file-unreadable', `the file ${parsed.problem}${line}`) ?? new Map();
  }
  return normalise(
    { body: parsed.value },
    mapping,
    { variables: IDENTITY_VARIABLES, composite: true },
    policy.facts,
    at,
  );
}

/** Reads with each policy in turn. A problem that only some of several policies cause is reported with their names. */
function readWithEach<Read>(
  policies: readonly ScalarNode[],
  diagnostics: Diagnostic[],
  read: (policy: ScalarNode) => readonly Read[],
): readonly Read[] {
  const problems = new Map<string, { readonly problem: Diagnostic; readonly among: string[] }>();
  const found = policies.flatMap((policy) => {
    const first = diagnostics.length;
    const items = read(policy);
    for (const problem of diagnostics.splice(first)) {
      const { file, position, code, message } = problem;
      const key = JSON.stringify([file, position, code, message]);
      const entry = problems.get(key) ?? { problem, among: [] };
      entry.among.push(String(policy.value));
      problems.set(key, entry);
    }
    return items;
  });
  for (const { problem, among } of problems.values()) {
    const isOfAll = among.length === policies.length;
    diagnostics.push(isOfAll ? problem : withNames(problem, among));
  }
  return found;
}

function withNames(problem: Diagnostic, policies: readonly string[]): Diagnostic {
  const named = { ...problem, message: `${problem.message} (${policies.join(', ')})` };
  // The line of the problem may be private, and what marks it is the object.
  keepLineFromLogs(named);
  return named;
}
