/** A part of a Parquet file and two policies -> what a backtest counts of it, in a thread of its own. */

import { openDuckDb } from '../../decision/sql/duckdb/duckdb.ts';
import { type FilePart, openFileChunks } from '../../decision/sql/duckdb/file-chunks.ts';
import type { ColumnMap } from '../../decision/sql/table-columns.ts';
import { loadMapping } from '../../facts/mapping/mapping.ts';
import { offer } from '../../platform/thread.ts';
import type { Policy } from '../../policy/language.ts';
import { policyFromData } from '../../policy/read/parse.ts';
import { addChunks, type FirstAndLastDay } from '../impact/add-chunks.ts';
import { joinFacts } from '../impact/impact.ts';
import { type BacktestOptions, type BacktestState, BacktestTally, withRules } from './backtest.ts';
import { type JoinState, LabelJoin, type Labels } from './labels.ts';

/** A policy as data: those of the whole policy, and the ids of the rules that it has of these. */
export interface SentPolicy {
  readonly data: unknown;
  readonly rules: readonly string[];
}

/** What is counted. */
export interface CountedPart extends FilePart {
  readonly file: string;
  /** The day of rows without one, yyyy-MM-dd. */
  readonly at: string;
  readonly columns?: ColumnMap;
  readonly days: FirstAndLastDay;
  readonly policies: readonly [old: SentPolicy, now: SentPolicy];
  /** The file of the policies' mapping. */
  readonly mapping: string | undefined;
  readonly options: Omit<BacktestOptions, 'labelOf' | 'onDecided'>;
  readonly labels?: { readonly labels: Labels; readonly asOf: string; readonly matureDays: number };
  /** Where the number of rows that were read is told, in its first place. */
  readonly read: Int32Array<SharedArrayBuffer>;
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

export type BacktestFunctions = { readonly count: (part: CountedPart) => Promise<PartCounts> };

/** The most problems that are told one by one. */
const MOST_TOLD = 10;

async function count({
  file,
  at,
  columns,
  part,
  of,
  policies,
  mapping,
  labels,
  ...given
}: CountedPart): Promise<PartCounts> {
  const read = ({ data, rules }: SentPolicy): Policy => {
    const policy = policyFromData(data, { mapping: loadMapping(mapping) });
    return withRules(policy, (rule) => rules.includes(rule));
  };
  const pair = [read(policies[0]), read(policies[1])] as const;
  const joint = joinFacts(...pair);
  const join = labels && new LabelJoin(labels.labels, labels);
  const tally = new BacktestTally(pair, joint, {
    ...given.options,
    ...(join ? { labelOf: (applicant, before) => join.labelOf(applicant, before) } : {}),
  });
  const { by, holdout } = given.options;
  const asked = new Set([...joint.read, ...[...by, holdout ?? ''].filter((path) => joint.facts.has(path))]);
  const problems: string[] = [];
  const db = await openDuckDb();
  try {
    await db.connection.run('SET threads = 1');
    const reader = { ...joint, read: asked };
    const opened = await openFileChunks(reader, db, { file, at, part: { part, of }, ...(columns ? { columns } : {}) });
    await addChunks(tally, opened.chunks(), {
      days: given.days,
      onProblem: (row, problem) => {
        if (problems.length < MOST_TOLD) problems.push(`row ${row}: ${problem}`);
      },
      onRead: (rows) => Atomics.add(given.read, 0, rows),
    });
    return { tally: tally.state, join: join?.state, absent: opened.absent, problems };
  } finally {
    db.close();
  }
}

offer({ count } satisfies BacktestFunctions);
