/** A folder -> the results of its tests, computed in a thread of its own: the caller's goes on. */

import { basename, relative } from 'node:path';
import { matcherOf } from '../../decision/matcher/matcher.ts';
import { firedReasons } from '../../decision/meaning/verdict.ts';
import { DiagnosticsError, formatDiagnosticLine, listProblems, withoutAddresses } from '../../diagnostics.ts';
import { offer } from '../../platform/thread.ts';
import { TestReader } from './read-tests.ts';
import { type CaseInFile, readTests, runCases, type TestReport } from './run-tests.ts';

/** What a caller shows of a run; `problems`: the errors of the files of tests, so that none was run. */
export interface TestSummary extends Pick<TestReport, 'passed' | 'failed' | 'skipped'> {
  /** The names of those that failed. */
  readonly failing: readonly string[];
  readonly problems: readonly string[];
  /** By the name of a policy and the id of a rule, the names of the cases in which it fires. */
  readonly fired: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

export type TestFunctions = { readonly summaryOf: (folder: string) => TestSummary };

function summaryOf(folder: string): TestSummary {
  try {
    const cases = readTests([folder], new TestReader({ allowOnly: true }));
    const { results, passed, failed, skipped } = runCases(cases, {});
    const failing = results.filter(({ result }) => result === 'failed').map(({ name }) => name);
    const ran = cases.filter((_, i) => results[i]?.result !== 'skipped');
    return { passed, failed, skipped, failing, problems: [], fired: firedIn(ran) };
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    // A test may name a person.
    const problems = listProblems(error.diagnostics, (each) => {
      const file = relative(folder, each.file) || basename(folder);
      return withoutAddresses(formatDiagnosticLine({ ...each, file }));
    });
    return { passed: 0, failed: 0, skipped: 0, failing: [], problems, fired: new Map() };
  }
}

function firedIn(cases: readonly CaseInFile[]): TestSummary['fired'] {
  const fired = new Map<string, Map<string, string[]>>();
  for (const { name, policy, facts, at } of cases.map((each) => each.case)) {
    const verdict = matcherOf(policy).verdict(facts, at);
    const byRule = fired.get(policy.name) ?? new Map<string, string[]>();
    fired.set(policy.name, byRule);
    for (const { rule } of [...firedReasons(verdict), ...verdict.shadow.filter(({ result }) => result === 'fires')]) {
      byRule.set(rule, [...(byRule.get(rule) ?? []), name]);
    }
  }
  return fired;
}

offer({ summaryOf } satisfies TestFunctions);
