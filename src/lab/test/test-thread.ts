/** A folder -> the results of its tests, computed in a thread of its own: the caller's goes on. */

import { DiagnosticsError } from '../../diagnostics.ts';
import { offer } from '../../platform/thread.ts';
import { runTests, type TestReport } from './run-tests.ts';

/** What a caller shows of a run; `problems`: how many errors the files of tests have, so that none was run. */
export interface TestSummary extends Pick<TestReport, 'passed' | 'failed' | 'skipped'> {
  /** The names of those that failed. */
  readonly failing: readonly string[];
  readonly problems: number;
}

export type TestFunctions = { readonly summaryOf: (folder: string) => TestSummary };

function summaryOf(folder: string): TestSummary {
  try {
    const { results, passed, failed, skipped } = runTests([folder]);
    const failing = results.filter(({ result }) => result === 'failed').map(({ name }) => name);
    return { passed, failed, skipped, failing, problems: 0 };
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    return { passed: 0, failed: 0, skipped: 0, failing: [], problems: error.diagnostics.length };
  }
}

offer({ summaryOf } satisfies TestFunctions);
