/** Files of tests -> which of their cases pass, and why the others fail. */

import { existsSync } from 'node:fs';
import { matcherOf } from '../../decision/matcher/matcher.ts';
import { firedReasons, type Verdict } from '../../decision/meaning/verdict.ts';
import { type Diagnostic, DiagnosticsError, type Place } from '../../diagnostics.ts';
import { RE2 } from '../../platform/formats/re2.ts';
import { FLAG, listOf, optionsReader, readArgument, TEXT } from '../../platform/given/options.ts';
import { candidatesAt, classify, distinct, isTestFile } from '../../policy/check/candidates.ts';
import type { Policy } from '../../policy/language.ts';
import { PolicyInGit } from '../../policy/read/files/policy-in-git.ts';
import { readUnchecked } from '../../policy/read/read-policy.ts';
import { placeOf } from '../../policy/source-map.ts';
import { type Coverage, CoverageCounter, type Gap } from './coverage/coverage.ts';
import { TestReader } from './read-tests.ts';
import { type Difference, differencesIn, differencesOf, type TestCase, type TestedPolicy } from './test-case.ts';

/** How files of tests are run. */
export interface TestOptions {
  /** Only cases whose name has this text, whatever its case. Default: all. */
  readonly filter?: string;
  /** Whether `only: true` is allowed, which leaves the other cases out. Default: true. */
  readonly allowOnly?: boolean;
  /** Whether to count what the cases reach of the policies. Default: false. */
  readonly coverage?: boolean;
}

/** The result of one case. */
export type TestResult = CaseOf & (Passed | Failed | Skipped);

interface CaseOf {
  /** The file of tests, as it was named. */
  readonly file: string;
  readonly name: string;
  readonly place: Place;
  /** How the decision differs from what is expected; empty unless it failed. */
  readonly differences: readonly Difference[];
}

interface Passed {
  readonly result: 'passed';
  readonly durationMs: number;
}

/** A case whose decision differs from what is expected. */
interface Failed {
  readonly result: 'failed';
  readonly durationMs: number;
  readonly verdict: Verdict;
  /** The rules that decided, or gave the points that did, where they stand. */
  readonly decidedBy: readonly { readonly rule: string; readonly place: Place | undefined }[];
  readonly case: TestCase;
}

interface Skipped {
  readonly result: 'skipped';
  readonly why: string;
}

/** The results of a run, in the order of the files and of their cases. */
export interface TestReport {
  readonly results: readonly TestResult[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What the cases reach of each policy, if it was asked for. */
  readonly coverage?: readonly CoveredPolicy[];
}

const PATHS = listOf(TEXT, 'a list of paths');

const readOptions = optionsReader<TestOptions>('the options of the tests', {
  ...{ 'filter?': TEXT, 'allowOnly?': FLAG, 'coverage?': FLAG },
});

/**
 * Runs the tests in files of tests: those that are named, and `*.test.yaml` in folders that are named and below them.
 * Throws a `DiagnosticsError` (`TESTS_INVALID`) that carries every problem if a file, or a policy that it tests, has an
 * error: no test is run then.
 */
export function runTests(paths: readonly string[], options: TestOptions = {}): TestReport {
  const { filter, allowOnly = true, coverage = false } = readOptions(options);
  readArgument('the paths', PATHS, paths);
  return runCases(readTests(paths, new TestReader({ allowOnly })), {
    ...{ filter, coverage: coverage ? new TestCoverage() : undefined },
  });
}

/** A case, and the file that it is from. */
export interface CaseInFile {
  readonly file: string;
  readonly case: TestCase;
}

/** The cases of files and folders. Throws a `DiagnosticsError` with the problems of all of them. */
export function readTests(paths: readonly string[], reader: TestReader): readonly CaseInFile[] {
  const diagnostics: Diagnostic[] = [];
  const cases: CaseInFile[] = [];
  for (const file of testFilesAt(paths)) {
    const testFile = reader.read(file);
    diagnostics.push(...testFile.diagnostics);
    for (const each of testFile.cases) cases.push({ file, case: each });
  }
  if (diagnostics.length > 0) throw new DiagnosticsError('TESTS_INVALID', onceEach(diagnostics));
  return cases;
}

/** Several files of tests may test one policy, whose problems each of them has. */
function onceEach(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keyOf = ({ file, position, code, message }: Diagnostic) => JSON.stringify([file, position, code, message]);
  return [...Map.groupBy(diagnostics, keyOf).values()].flatMap((same) => same.slice(0, 1));
}

/** What `runCases` may be given. */
interface RunOptions {
  readonly filter?: string | undefined;
  /** Called after each case, with how many are done. */
  readonly tell?: (done: number) => void;
  /** Counts the cases that are run. */
  readonly coverage?: TestCoverage | undefined;
}

/** Runs cases. */
export function runCases(cases: readonly CaseInFile[], { filter, tell, coverage }: RunOptions): TestReport {
  const text = filter?.toLowerCase() ?? '';
  const asked = cases.filter((each) => each.case.name.toLowerCase().includes(text));
  const hasOnly = asked.some((each) => each.case.only);
  const results = asked.map((each, i) => {
    const result = runOne(each, hasOnly);
    if (result.result !== 'skipped') coverage?.add(each.case);
    else if (each.case.skip !== undefined) coverage?.addSkipped(each.case);
    tell?.(i + 1);
    return result;
  });
  const count = (wanted: TestResult['result']) => results.filter(({ result }) => result === wanted).length;
  const covered = coverage && { coverage: coverage.policies() };
  return { results, passed: count('passed'), failed: count('failed'), skipped: count('skipped'), ...covered };
}

function runOne({ file, case: testCase }: CaseInFile, hasOnly: boolean): TestResult {
  const { name, place, skip, only, policy, facts, at, expect } = testCase;
  const about = { file, name, place, differences: [] };
  if (skip !== undefined) return { ...about, result: 'skipped', why: skip };
  if (hasOnly && !only) return { ...about, result: 'skipped', why: 'another test has `only: true`' };
  const begun = performance.now();
  const matcher = matcherOf(policy);
  const isPassed = differencesOf(testCase, matcher).length === 0;
  const durationMs = performance.now() - begun;
  if (isPassed) return { ...about, result: 'passed', durationMs };
  const verdict = matcher.verdict(facts, at);
  const decidedBy = decidersOf(verdict, policy);
  const differences = differencesIn(verdict, expect);
  return { ...about, result: 'failed', durationMs, differences, verdict, decidedBy, case: testCase };
}

/** The rules that decided: those that fired, else those that could not be determined; of a score, those with points. */
function decidersOf(verdict: Verdict, { rules }: Policy): Failed['decidedBy'] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const decisive = verdict.reasons.filter((reason) => reason.decisive);
  const score = decisive.find(({ because }) => because === 'score')?.code;
  const fired = firedReasons(verdict).filter((reason) => reason.decisive || (score && reason.points));
  const open = [
    ...decisive.filter((reason) => reason.because === 'undetermined'),
    ...(score === 'SCORE_UNDETERMINED' ? verdict.undetermined.filter(({ rule }) => byId.get(rule)?.points) : []),
  ];
  const isCertain = score === 'SCORE' || fired.some((reason) => reason.decisive);
  const ids = new Set([...fired, ...(isCertain ? [] : open)].map(({ rule }) => rule));
  return [...ids].map((id) => {
    const rule = byId.get(id);
    return { rule: id, place: rule && placeOf(rule) };
  });
}

/** Throws a `DiagnosticsError` (`TESTS_INVALID`) for paths without a file, and where no file of tests is found. */
function testFilesAt(paths: readonly string[]): readonly string[] {
  const problems: Diagnostic[] = [];
  const refuse = (file: string, message: string, code: Diagnostic['code'], hint: Pick<Diagnostic, 'hint'> = {}) =>
    problems.push({ code, severity: 'error', message, file, ...hint });
  const testPaths = paths.flatMap((path) => {
    const files = distinct(filesAt(path));
    if (files.length === 0) refuse(path, 'no file of tests (*.test.yaml) in this folder', 'unknown-file');
    return files;
  });
  for (const file of testPaths) {
    const { path, problem } = file;
    if (problem !== undefined) refuse(path, problem, 'file-unreadable');
    else if (!isTestFile(path) && classify(file).kind === 'policy') {
      const ownTests = path.replace(/\.ya?ml$/, '.test.yaml');
      const hint = existsSync(ownTests) ? { hint: `did you mean "${ownTests}"?` } : {};
      refuse(path, 'a policy; expected a file of tests', 'unknown-file', hint);
    }
  }
  if (problems.length > 0) throw new DiagnosticsError('TESTS_INVALID', problems);
  return distinct(testPaths).map(({ path }) => path);
}

function filesAt(path: string): ReturnType<typeof candidatesAt> {
  try {
    return candidatesAt([path], isTestFile);
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    throw new DiagnosticsError('TESTS_INVALID', error.diagnostics);
  }
}

/** The coverage of a policy, and the texts of its files by name. */
export interface CoveredPolicy {
  readonly coverage: Coverage;
  readonly texts: ReadonlyMap<string, string>;
}

/** Gives the earlier version of a policy; undefined if there was none, so that all of it is new. */
type PolicyBefore = (tested: TestedPolicy) => Policy | undefined;

/** Counts what the cases of tests reach. */
export class TestCoverage {
  readonly #counters = new Map<Policy, CoverageCounter>();
  readonly #before: PolicyBefore | undefined;

  /** With earlier versions of the policies, only what these do not mean alike is counted. */
  constructor(before?: PolicyBefore) {
    this.#before = before;
  }

  /** Counts a case. Throws as what gives the earlier versions does. */
  add({ tested, policy, facts, at }: TestCase): void {
    this.#counterOf(tested).add(matcherOf(policy).verdict(facts, at), facts, at, policy);
  }

  /** Takes the policy of a case that is to be skipped: nothing of it is reached by that. Throws as `add` does. */
  addSkipped({ tested }: TestCase): void {
    this.#counterOf(tested);
  }

  /** The policies in the order of their first cases. */
  policies(): readonly CoveredPolicy[] {
    return [...this.#counters.values()].map((counter) => ({ coverage: counter.coverage(), texts: counter.texts() }));
  }

  /** The goals of a policy that no case reached. Throws as `add` does. */
  gapsOf(tested: TestedPolicy): readonly Gap[] {
    return this.#counterOf(tested).gaps();
  }

  #counterOf(tested: TestedPolicy): CoverageCounter {
    const cached = this.#counters.get(tested.policy);
    if (cached) return cached;
    const since = this.#before?.(tested);
    const counter = new CoverageCounter(tested.policy, since ? { since } : {});
    this.#counters.set(tested.policy, counter);
    return counter;
  }
}

/**
 * Reads policies as they were in a git revision. Reading throws REQUEST_INVALID if there is no such revision,
 * CONFIGURATION_INVALID if git cannot be run, and POLICY_INVALID if the policy has errors there.
 */
export function inRevision(revision: string): PolicyBefore {
  return ({ path, mapping }) => {
    const { policy, diagnostics } = readUnchecked(new PolicyInGit(path, revision), { mapping, patterns: RE2 });
    // What is wrong with another file of the policy is reported where that is named.
    const isNew = diagnostics.some(({ code, position }) => code === 'file-unreadable' && position === undefined);
    if (!policy && !isNew) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
    return policy;
  };
}
