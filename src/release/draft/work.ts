/** The files of a draft -> what the checker finds, what its tests say, and tests that are missing, for its editor. */

import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { matcherOf } from '../../decision/matcher/matcher.ts';
import { type Diagnostic, DiagnosticsError } from '../../diagnostics.ts';
import { acceptCases } from '../../lab/cases/accept-cases.ts';
import { suggestCases } from '../../lab/cases/suggest-cases.ts';
import { headOfEach, shortList, suggestedTests } from '../../lab/cases/suggest-tests.ts';
import { appendTests } from '../../lab/cases/test-yaml.ts';
import { Steps } from '../../lab/steps.ts';
import { gapsOf } from '../../lab/test/coverage/coverage.ts';
import { itemWords } from '../../lab/test/coverage/items.ts';
import { TestReader } from '../../lab/test/read-tests.ts';
import { type CaseInFile, readTests, runCases, TestCoverage } from '../../lab/test/run-tests.ts';
import type { TestCase } from '../../lab/test/test-case.ts';
import { applyEdits, flowYaml } from '../../platform/files/source.ts';
import { policyFilesIn } from '../../policy/check/candidates.ts';
import { checkFiles } from '../../policy/check/check-files.ts';
import { plain, sectionLines } from '../../report/plain-text.ts';
import { failedIn, failureWords } from '../../report/tests.ts';
import { reasonBlocks } from '../../report/words/reasons.ts';
import { printable } from '../../text.ts';
import { inFolder, refused, type Texts } from '../files.ts';
import { testsIn } from '../tests.ts';

/** A problem in a file of a draft; `file` is its path there. */
export type Found = Omit<Diagnostic, 'related'>;

/** What the checker finds, errors and warnings by file and position. */
export async function checkDraft(files: Texts): Promise<readonly Found[]> {
  return inFolder(files, (folder) => checkFiles([folder]).diagnostics.map((each) => shownOf(each, folder)));
}

function shownOf({ related: _, ...each }: Diagnostic, folder: string): Found {
  return { ...each, file: pathIn(folder, each.file) };
}

function pathIn(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/');
}

/** What the tests of a draft say. */
export interface TestsRun {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly {
    readonly file: string;
    readonly line: number;
    readonly name: string;
    readonly why: string;
  }[];
  /** By file and line, what the tests reach of what is written there: all of it, a part, or nothing. */
  readonly reached: readonly Reached[];
}

export interface Reached {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly share: 'all' | 'part' | 'none';
  /** What no test reaches. */
  readonly open: readonly string[];
}

/** Runs the tests. Rejects with a `DiagnosticsError` if a policy or a file of tests has errors. */
export async function testDraft(files: Texts): Promise<TestsRun> {
  return inFolder(files, (folder) => {
    const coverage = new TestCoverage();
    const { results, passed, skipped } = runCases(casesIn(folder), { coverage });
    const failed = failedIn(results).map((each) => ({
      ...{ file: pathIn(folder, each.file), line: each.place.position.line },
      ...{ name: each.name, why: failureWords(each) },
    }));
    return { passed, skipped, failed, reached: reachedOf(coverage, folder) };
  });
}

function casesIn(folder: string, reader = new TestReader({ allowOnly: false })): readonly CaseInFile[] {
  return testsIn(folder, reader);
}

function reachedOf(coverage: TestCoverage, folder: string): readonly Reached[] {
  const items = coverage.policies().flatMap((each) => each.coverage.items);
  const placed = items.flatMap((item) => (item.place ? [{ place: item.place, item }] : []));
  const byLine = Map.groupBy(placed, ({ place }) => `${place.position.line} ${place.file}`);
  return [...byLine.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const goals = same.reduce((sum, { item }) => sum + item.goals.length, 0);
    const open = same.flatMap(({ item }) => gapsOf(item).map((goal) => `${itemWords(item)}: ${goal}`));
    const share = open.length === 0 ? 'all' : open.length < goals ? 'part' : 'none';
    return [{ file: pathIn(folder, first.place.file), line: first.place.position.line, share, open } as const];
  });
}

/** The files of tests with tests for what no test reaches; they expect what is decided now. Rejects as `testDraft`. */
export async function missingTests(files: Texts, steps: number): Promise<Texts> {
  return inFolder(files, async (folder) => {
    const [reader, coverage] = [new TestReader({ allowOnly: false }), new TestCoverage()];
    runCases(casesIn(folder, reader), { coverage });
    const written = new Map<string, string>();
    for (const { file, head } of headOfEach(reader.heads)) {
      const found = await suggestCases(head, coverage.gapsOf(head.tested), new Steps(steps));
      const tests = suggestedTests(found, head).map(({ test, reaches }) => ({
        ...{ test, comment: printable(shortList(reaches, 2, 'goal')) },
      }));
      const path = pathIn(folder, file);
      const text = appendTests(written.get(path) ?? readFileSync(join(folder, path), 'utf8'), tests);
      if (text === undefined) throw refused(`${path}: expected each test on lines of its own, to add tests below them`);
      if (tests.length > 0) written.set(path, text);
    }
    return Object.fromEntries(written);
  });
}

/** The files of tests whose failing tests expect what is decided now. Rejects as `testDraft`. */
export async function acceptedTests(files: Texts): Promise<Texts> {
  return inFolder(files, (folder) => {
    const accepted = acceptCases(casesIn(folder)).files;
    return Object.fromEntries(
      accepted.map(({ file, source, edits }) => {
        const path = pathIn(folder, file);
        const mark = files[path]?.startsWith('\ufeff') ? '\ufeff' : '';
        return [path, mark + applyEdits(source.text, edits)];
      }),
    );
  });
}

/**
 * What each policy decides today of facts that are written as a test writes them: a line with the outcome, and why.
 * Rejects as `testDraft`; what is wrong with the facts are lines too.
 */
export async function tryFacts(files: Texts, mapping: string, facts: string): Promise<readonly string[]> {
  return inFolder(files, (folder) => {
    const file = join(folder, `try-${randomUUID()}.test.yaml`);
    const policies = policyFilesIn(folder).map((path) => pathIn(folder, path));
    const lines = facts.split(/\r?\n/).map((line) => `      ${line}\n`);
    const head = `policy: ${flowYaml(policies)}\nmapping: ${flowYaml(mapping)}\nat: today\ntests:\n  - name: try\n`;
    writeFileSync(file, `${head}    facts:\n${lines.join('')}    expect: { outcome: accept }\n`);
    try {
      return readTests([file], new TestReader({ allowOnly: false })).flatMap(({ case: each }) => decidedLines(each));
    } catch (error) {
      if (!(error instanceof DiagnosticsError) || error.diagnostics.some((each) => each.file !== file)) throw error;
      return error.diagnostics.map(({ message, hint }) => [message, hint].filter((text) => text).join('; '));
    }
  });
}

function decidedLines({ policy, facts, at: day }: TestCase): readonly string[] {
  const decision = matcherOf(policy).verdict(facts, day);
  const decisive = decision.reasons.filter((reason) => reason.decisive);
  const why = sectionLines(reasonBlocks(decisive, { decision, policy, day }, 'text'), plain);
  return [`${policy.name}: ${decision.outcome}`, ...why.map((line) => `${policy.name}: ${line.trim()}`)];
}
