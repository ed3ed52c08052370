/** Pairs of policies, and applicants of the past -> a backtest of each pair, in one pass. */

import type { Backtest } from '../../../../lab/backtest/backtest.ts';
import type { JointFacts } from '../../../../lab/backtest/joint-facts.ts';
import type { Joined, LabelJoin } from '../../../../lab/backtest/labels.ts';
import type { ShownBacktest } from '../../../../report/applicants/backtest.ts';
import { filesOf } from '../../../input/files-of.ts';
import { type Io, orCannotRun, UsageError } from '../../../io.ts';
import { today } from '../../../options/arguments.ts';
import { logPlaceOf } from '../../../options/log-place.ts';
import type { Comparison, CountOptions, Plan } from './plan.ts';

type Counted = Pick<
  ShownBacktest,
  'backtest' | 'edits' | 'joined' | 'decidedBy' | 'holdout' | 'velocities' | 'columns'
>;

/** A backtest of each comparison, in their order. */
export async function countAll(
  { shape, then }: Plan,
  options: CountOptions,
  io: Io,
): Promise<readonly [Counted, ...Counted[]]> {
  const { comparison } = shape;
  const runs = shape.is === 'sweep' ? shape.runs : [];
  const { joint, edits } = comparison;
  const { BacktestTally: Tally } = await import('../../../../lab/backtest/backtest.ts');
  const { inOnePass } = await import('../../../../lab/backtest/in-one-pass.ts');
  const { withFacts } = await import('../../../../lab/backtest/joint-facts.ts');
  const { addApplicants, findBy } = await import('../add-applicants.ts');
  const { worst: most, at = today(joint.timeZone), facts = [], cost: costs } = options;
  const by = [...new Set(options.by?.map((name) => findBy(name, joint)))];
  const asked = (of: JointFacts) => withFacts(by, of);
  if (options.engine !== undefined) {
    const { countInClickHouse } = await import('./count-in-clickhouse.ts');
    const { url = '', table = '' } = options;
    const count = ({ policies, joint, compares }: Comparison) =>
      countInClickHouse(policies, asked(joint), { ...options, url, table, by, at, compares }, io);
    const counted: [Counted, ...Counted[]] = [await count(comparison)];
    for (const each of runs) counted.push(await count(each));
    return counted;
  }
  const join = await joinOf(options, io);
  const start = ({ policies, joint, edits, ...compared }: Comparison) => {
    const counted = { by, worst: most, hasLabels: join !== undefined, costs, onRows: edits?.addRows };
    return new Tally(policies, joint, { ...compared, ...counted });
  };
  const [first, ...rest] = [start(comparison), ...runs.map(start)] as const;
  const all = inOnePass([first, ...rest], join, then.is === 'policy' ? then.sides : undefined);
  const counting = shape.is === 'as of' ? shape.countingOf(all) : all;
  const files = filesOf(facts, '--facts');
  const countingOf = typeof counting === 'function' ? { countingOf: counting } : {};
  const asksDecided = join !== undefined;
  const read = { ...options, files, at, told: join?.told, asksDecided, ...countingOf };
  const ofFiles = await addApplicants(typeof counting === 'function' ? all : counting, asked(joint), read, io);
  const joined = join?.result();
  if (joined) checkDecided(joined, first.result());
  const shown = {
    ...ofFiles,
    ...(joined ? { joined, decidedBy: then.is === 'policy' ? then.name : then.is, holdout: options.holdout } : {}),
  };
  const one = { backtest: first.result(), ...(edits ? { edits: edits.result() } : {}), ...shown };
  return [one, ...rest.map((tally) => ({ backtest: tally.result() }))];
}

/** Throws a usage error if nothing at all says what was decided then. */
function checkDecided({ notDecided }: Joined, { decided }: Backtest): void {
  if (notDecided === 0 || notDecided < decided) return;
  const lines = '"decision": { "outcome": "accept" }';
  throw new UsageError(
    '--labels: nothing says what was decided then, and who was rejected has no label; give the file a column outcome ' +
      `(lines of JSON: ${lines}), or name the policy of then with --against`,
  );
}

/** Reads the labels; undefined without any. */
async function joinOf(
  { labels: file, label, mature: matureDays = 0, log, ...options }: CountOptions,
  io: Io,
): Promise<LabelJoin | undefined> {
  if (file === undefined) return undefined;
  const { LabelJoin: Join, readLabels, readNotedLabels } = await import('../../../../lab/backtest/labels.ts');
  const labels = await orCannotRun(async () => {
    const noted = log === undefined ? undefined : await readNotedLabels(logPlaceOf(log, options, io));
    return file === 'log' && noted ? noted : { ...readLabels(file, label), reviews: noted?.reviews };
  });
  // A file of labels may be old; without days it counts as of today, as a log does.
  return new Join(labels, { asOf: labels.lastDay ?? today(), matureDays });
}
