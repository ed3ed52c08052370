/** Two policies and parts of Parquet files -> what a backtest counts of it, in a thread of its own. */

import { openDuckDb } from '../../decision/sql/duckdb/duckdb.ts';
import { type FilePart, openFileChunks } from '../../decision/sql/duckdb/file-chunks.ts';
import { NO_COUNTS, type RowCounts } from '../../decision/sql/duckdb/row-counts.ts';
import type { ColumnMap } from '../../decision/sql/table-columns.ts';
import { CodedCause } from '../../errors.ts';
import { loadMapping } from '../../facts/mapping/mapping.ts';
import { offer } from '../../platform/thread.ts';
import type { Policy } from '../../policy/language.ts';
import { policyFromData } from '../../policy/read/parse.ts';
import { addChunks, type FirstAndLastDay } from '../impact/add-chunks.ts';
import { type JointFacts, joinFacts, withFacts } from '../impact/impact.ts';
import { type BacktestOptions, type BacktestState, BacktestTally, withRules } from './backtest.ts';
import { type JoinState, LabelJoin, type Labels } from './labels.ts';

/** A policy as data: those of the whole policy, and the ids of the rules that it has of these. */
export interface SentPolicy {
  readonly data: unknown;
  readonly rules: readonly string[];
}

/** What is counted of all files. */
export interface Counted {
  readonly policies: readonly [old: SentPolicy, now: SentPolicy];
  /** The file of the policies' mapping. */
  readonly mapping: string | undefined;
  readonly options: Omit<BacktestOptions, 'labelOf' | 'onDecided'>;
  readonly labels?: { readonly labels: Labels; readonly asOf: string; readonly matureDays: number } | undefined;
  readonly days: FirstAndLastDay;
  /** Where the number of rows that were read is told, in its first place. */
  readonly read: Int32Array<SharedArrayBuffer>;
}

/** A part of one file. */
export interface CountedPart extends FilePart {
  readonly file: string;
  /** The day of rows without one, yyyy-MM-dd. */
  readonly at: string;
  readonly columns?: ColumnMap;
  readonly counts?: RowCounts | undefined;
}

/** What was counted. */
export interface PartCounts {
  readonly tally: BacktestState;
  readonly join: JoinState | undefined;
  /** Columns of facts that are read and that the file lacks. */
  readonly absent: readonly string[];
  /** The first rows that cannot be read, with why. */
  readonly problems: readonly string[];
}

export type BacktestFunctions = {
  readonly begin: (counted: Counted) => void;
  readonly count: (part: CountedPart) => Promise<PartCounts>;
};

/** The most problems that are told one by one. */
const MOST_TOLD = 10;

/** Begins an empty count. */
let start: (() => Begun) | undefined;

interface Begun extends Pick<Counted, 'days' | 'read'> {
  readonly joint: JointFacts;
  readonly tally: BacktestTally;
  readonly join: LabelJoin | undefined;
}

function begin({ policies, mapping, labels, options, days, read }: Counted): void {
  const readPolicy = ({ data, rules }: SentPolicy): Policy => {
    const policy = policyFromData(data, { mapping: loadMapping(mapping) });
    return withRules(policy, (rule) => rules.includes(rule));
  };
  const pair = [readPolicy(policies[0]), readPolicy(policies[1])] as const;
  const joint = joinFacts(...pair);
  const { by, holdout } = options;
  const asked = withFacts([...by, ...(holdout === undefined ? [] : [holdout])], joint);
  start = () => {
    const join = labels && new LabelJoin(labels.labels, labels);
    const labelOf = join && { labelOf: join.labelOf.bind(join) };
    return { joint: asked, tally: new BacktestTally(pair, joint, { ...options, ...labelOf }), join, days, read };
  };
}

async function count({ file, at, columns, counts = NO_COUNTS, part, of }: CountedPart): Promise<PartCounts> {
  if (!start) throw new CodedCause('NOT_BEGUN');
  const { joint, tally, join, days, read } = start();
  const problems: string[] = [];
  const db = await openDuckDb();
  try {
    await db.connection.run('SET threads = 1');
    const opened = await openFileChunks(joint, db, {
      file,
      at,
      part: { part, of },
      counts,
      ...(columns ? { columns } : {}),
    });
    await addChunks(tally, opened.chunks(), {
      days,
      onProblem: (row, problem) => {
        if (problems.length < MOST_TOLD) problems.push(`row ${row}: ${problem}`);
      },
      onRead: (rows) => Atomics.add(read, 0, rows),
    });
    return { tally: tally.state, join: join?.state, absent: opened.absent, problems };
  } finally {
    db.close();
  }
}

offer({ begin, count } satisfies BacktestFunctions);
