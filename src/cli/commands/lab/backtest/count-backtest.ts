/** Pairs of policies, and applicants of the past -> a backtest of each pair, in one pass. */

import type { CountingOf } from '../../../../lab/backtest/add-log.ts';
import type { ApplicantTally } from '../../../../lab/backtest/applicant-rows.ts';
import type { BacktestOptions, BacktestTally } from '../../../../lab/backtest/backtest.ts';
import type { EditCount } from '../../../../lab/backtest/edit-effects.ts';
import type { JointFacts } from '../../../../lab/backtest/joint-facts.ts';
import type { LabelJoin, Labels } from '../../../../lab/backtest/labels.ts';
import type { Policy } from '../../../../policy/language.ts';
import type { ShownBacktest } from '../../../../report/applicants/backtest.ts';
import { ColumnNotes } from '../../../input/column-notes.ts';
import { filesOf } from '../../../input/files-of.ts';
import { type Io, orCannotRun, UsageError } from '../../../io.ts';
import { today } from '../../../options/arguments.ts';
import type { ImpactOptions } from '../../../options/impact.ts';
import { logPlaceOf } from '../../../options/log-place.ts';

/** Which applicants, and what is counted. */
export interface CountOptions extends Pick<ImpactOptions, 'log' | 'keys' | 'columns' | 'from' | 'to' | 'worst'> {
  readonly mapping?: string | undefined;
  readonly facts?: readonly string[];
  /** The database with the table, in place of files and a log. */
  readonly engine?: 'clickhouse';
  readonly url?: string;
  readonly table?: string;
  readonly timeout?: number;
  readonly at?: string;
  readonly by?: readonly string[];
  readonly labels?: string;
  readonly label: string;
  readonly mature?: number;
  readonly holdout?: string;
}

/** Two policies to compare. */
export interface Comparison extends Pick<BacktestOptions, 'compares' | 'down'> {
  readonly policies: readonly [old: Policy, now: Policy];
  readonly joint: JointFacts;
  /** What counts the edits between them, where they are two versions of one policy. */
  readonly edits?: EditCount | undefined;
}

/** What is counted in one pass. */
export interface Plan {
  /** Their joint facts are the same but for the policies. */
  readonly comparisons: readonly [Comparison, ...Comparison[]];
  /** What stands between the applicants and the first tally, where the policy before depends on the applicant. */
  readonly asOf?: (tally: BacktestTally) => ApplicantTally | CountingOf;
}

/** Labels that were read, and how they are joined. */
interface ReadLabels {
  readonly Join: typeof LabelJoin;
  readonly sent: { readonly labels: Labels; readonly asOf: string; readonly matureDays: number };
}

type Counted = Pick<ShownBacktest, 'backtest' | 'edits' | 'joined' | 'velocities' | 'columns'>;

/** A backtest of each comparison, in their order. */
export async function countAll(
  { comparisons, asOf }: Plan,
  options: CountOptions,
  io: Io,
): Promise<readonly [Counted, ...Counted[]]> {
  const { BacktestTally: Tally } = await import('../../../../lab/backtest/backtest.ts');
  const { withFacts } = await import('../../../../lab/backtest/joint-facts.ts');
  const { addApplicants, findBy } = await import('../measure-impact.ts');
  const { countVelocities } = await import('../../../input/count-velocities.ts');
  const [{ joint }] = comparisons;
  const { worst: most, at = today(joint.timeZone), facts } = options;
  const byName = (name: string) => (name === 'week' || name === 'month' ? name : findBy(name, joint));
  const by = [...new Set(options.by?.map(byName))];
  const holdout = options.holdout === undefined ? undefined : findBy(options.holdout, joint, '--holdout');
  if (holdout !== undefined) {
    const { type = '' } = joint.facts.get(holdout) ?? {};
    if (type !== 'number') throw new UsageError(`--holdout: ${holdout} is of the type ${type}; expected a number`);
  }
  const asked = (of: JointFacts) => withFacts([...by, ...(holdout === undefined ? [] : [holdout])], of);
  if (options.engine !== undefined) {
    const { countInClickHouse } = await import('./count-in-clickhouse.ts');
    const { url = '', table = '' } = options;
    const [one, ...more] = comparisons;
    const count = async ({ policies, joint, compares }: Comparison) => ({
      ...(await countInClickHouse(policies, asked(joint), { ...options, url, table, by, at, compares }, io)),
    });
    const counted: [Counted, ...Counted[]] = [await count(one)];
    for (const each of more) counted.push(await count(each));
    return counted;
  }
  const labels = await readLabels(options, io);
  const start = ({ policies, joint, compares, down, edits }: Comparison) => {
    const join = labels && new labels.Join(labels.sent.labels, labels.sent);
    const counted = { compares, down, by, worst: most, ...(holdout === undefined ? {} : { holdout }) };
    const tally = new Tally(policies, joint, {
      ...counted,
      ...(join ? { labelOf: (applicant, before) => join.labelOf(applicant, before) } : {}),
      ...(edits ? { onRows: edits.addRows } : {}),
    });
    return { tally, join, edits };
  };
  const [first, ...rest] = comparisons;
  const started = [start(first), ...rest.map(start)] as const;
  const [{ tally: firstTally }] = started;
  const then = asOf?.(firstTally);
  const tally = typeof then === 'object' ? then : inOnePass(started.map((each) => each.tally));
  const files = facts === undefined ? [] : filesOf(facts, '--facts');
  const columnNotes = new ColumnNotes(files.length > 1);
  const velocities = await countVelocities(asked(joint), files, { ...options, at, columnNotes }, io);
  const read = {
    ...options,
    files,
    at,
    columnNotes,
    velocities,
    ...(typeof then === 'function' ? { countingOf: then } : {}),
  };
  await addApplicants(tally, asked(joint), read, io);
  const result = ({ tally, join, edits }: ReturnType<typeof start>): Counted => ({
    backtest: tally.result(),
    ...(edits ? { edits: edits.result() } : {}),
    ...(join ? { joined: join.result() } : {}),
  });
  const [one, ...more] = started;
  const { files: columns } = columnNotes;
  return [{ ...result(one), columns, ...(velocities ? { velocities } : {}) }, ...more.map(result)];
}

/** Hands the rows to all tallies, so that applicants are read once. */
function inOnePass(tallies: readonly BacktestTally[]): ApplicantTally {
  return {
    addRows(...rows) {
      for (const tally of tallies) tally.addRows(...rows);
    },
    addUnjudged(...counted) {
      for (const tally of tallies) tally.addUnjudged(...counted);
    },
    get unreadable() {
      return tallies[0]?.unreadable ?? 0;
    },
  };
}

/** Reads the labels, and how they are joined; undefined without labels. */
async function readLabels(
  { labels: file, label, mature: matureDays = 0, log, ...options }: CountOptions,
  io: Io,
): Promise<ReadLabels | undefined> {
  if (file === undefined) return undefined;
  const { LabelJoin: Join, readLabels: read, readNotedLabels } = await import('../../../../lab/backtest/labels.ts');
  const isLog = file === 'log' && log !== undefined;
  const labels = await orCannotRun(async () =>
    isLog ? readNotedLabels(logPlaceOf(log, options, io).dir) : read(file, label),
  );
  // A file of labels may be old; without days it counts as of today, as a log does.
  const asOf = labels.lastDay ?? today();
  return { Join, sent: { labels, asOf, matureDays } };
}
