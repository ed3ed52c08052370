/** Parquet files and two policies -> a backtest that all cores count, each a part of every file. */

import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { CountedVelocities } from '../../../../decision/sql/duckdb/count-velocities.ts';
import { endingOf } from '../../../../decision/sql/duckdb/row-file.ts';
import type { BacktestOptions, BacktestTally } from '../../../../lab/backtest/backtest.ts';
import type { BacktestFunctions, Counted as SentWork } from '../../../../lab/backtest/backtest-thread.ts';
import type { LabelJoin } from '../../../../lab/backtest/labels.ts';
import type { JointFacts } from '../../../../lab/impact/impact.ts';
import { findThread, Thread } from '../../../../platform/thread.ts';
import type { Policy } from '../../../../policy/language.ts';
import { policyData } from '../../../../policy/source-map.ts';
import { loadColumns } from '../../../input/columns.ts';
import { sayAbsent } from '../../../input/facts-file.ts';
import { type Io, orCannotRun } from '../../../io.ts';
import { counting } from '../../../progress.ts';
import { sayProblems } from '../measure-impact.ts';

/** Below this size, a second thread takes longer to begin than to count: some 200,000 rows. Chosen, not measured. */
const LEAST_BYTES = 8 * 2 ** 20;

/** What is counted, and to what it is added. */
interface Counted {
  readonly policies: readonly [old: Policy, now: Policy];
  readonly joint: JointFacts;
  readonly tally: BacktestTally;
  readonly join: LabelJoin | undefined;
  readonly counted: Omit<BacktestOptions, 'labelOf' | 'onDecided'>;
  readonly labels: SentWork['labels'];
  readonly at: string;
  readonly columns?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly mapping?: string | undefined;
  readonly velocities?: CountedVelocities | undefined;
}

const NAME = 'lab/backtest/backtest-thread';

/** Whether there are cores for it, and rows. */
export function isWorthThreads(files: readonly string[]): boolean {
  const areParquet = files.every((file) => endingOf(file) === '.parquet');
  const bytes = areParquet ? files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0) : [];
  return (
    availableParallelism() > 1 && bytes.reduce((sum, n) => sum + n, 0) >= LEAST_BYTES && findThread(NAME) !== undefined
  );
}

/** Adds all rows to the tally, with progress, and says which cannot be read. */
export async function countInThreads(files: readonly string[], given: Counted, io: Io): Promise<void> {
  const { policies, tally, join, counted, velocities, labels, at, columns, from = '', to = '9999', mapping } = given;
  const send = (policy: Policy) => ({ data: policyData(policy), rules: policy.rules.map(({ id }) => id) });
  const map = await loadColumns(columns, given.joint.facts);
  const read = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const sentPolicies = [send(policies[0]), send(policies[1])] as const;
  const days = [from, to] as const;
  const begun = { policies: sentPolicies, mapping, options: counted, labels, days, read };
  const threads = Array.from({ length: availableParallelism() }, () => new Thread<BacktestFunctions>(NAME, undefined));
  const problems: string[] = [];
  try {
    await counting(io, 'applicant', async (tell) => {
      const ticking = setInterval(() => tell(Atomics.load(read, 0)), 200);
      try {
        await Promise.all(threads.map((thread) => thread.call('begin', begun)));
        for (const file of files) {
          const sent = { file, at, ...map, counts: velocities?.counts.get(file), of: threads.length };
          const parts = await orCannotRun(() =>
            Promise.all(threads.map((thread, part) => thread.call('count', { ...sent, part }))),
          );
          for (const { tally: counts, join: joined, problems: some } of parts) {
            tally.merge(counts);
            if (joined) join?.merge(joined);
            problems.push(...some.map((problem) => (files.length > 1 ? `${file}: ${problem}` : problem)));
          }
          await sayAbsent(parts[0]?.absent ?? [], io.stderr);
        }
      } finally {
        clearInterval(ticking);
      }
    });
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
  await sayProblems(problems, tally, io);
}
