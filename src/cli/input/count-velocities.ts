/** Files of facts, and the velocities that are read -> what each row or line counts of those before it. */

import type { CountedVelocities, VelocityCounter } from '../../decision/rows/count-velocities.ts';
import type { FactReader } from '../../decision/rows/fact-columns.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { type Io, orCannotRun, say } from '../io.ts';
import { loadColumns } from './columns.ts';
import { type FactsFile, readFactsFile } from './facts-file.ts';

/**
 * Counts what the velocities that are read would have counted for the rows of all files together, as of each; undefined
 * if files give all counts.
 */
export async function countVelocities(
  reader: FactReader & { readonly read: ReadonlySet<string> },
  files: readonly string[],
  options: Pick<FactsFile, 'at' | 'columns'>,
  io: Io,
): Promise<CountedVelocities | undefined> {
  const { velocitiesIn } = await import('../../facts/velocity.ts');
  const velocities = new Map([...velocitiesIn(reader.facts)].filter(([path]) => reader.read.has(path)));
  if (velocities.size === 0 || files.length === 0) return undefined;
  const uncounted = (why: string): CountedVelocities => {
    const problems = new Map([...velocities.keys()].map((path) => [path, why]));
    return { counts: new Map(), velocities, problems, from: undefined, leftOut: 0 };
  };
  if (files.includes('-')) return uncounted('standard input is read once: name a file');
  const { VelocityCounter: Counter } = await import('../../decision/rows/count-velocities.ts');
  const { HOW_TO_INSTALL, openDuckDb } = await import('../../decision/rows/duckdb.ts');
  const db = await openDuckDb().catch(() => undefined);
  // Lines may give all counts.
  if (!db) return uncounted(`DuckDB, an optional package, counts them: ${HOW_TO_INSTALL}`);
  try {
    const counter = new Counter(db, velocities, reader.facts);
    for (const facts of files) await addTo(counter, reader.facts, { ...options, facts }, io);
    return await orCannotRun(() => counter.count());
  } finally {
    db.close();
  }
}

async function addTo(counter: VelocityCounter, table: FactTable, file: FactsFile, io: Io): Promise<void> {
  const { endingOf } = await import('../../decision/rows/row-file.ts');
  const ending = endingOf(file.facts);
  if (ending === '.parquet') {
    const { columns } = await loadColumns(file.columns, table);
    return orCannotRun(() => counter.addParquet(file.facts, columns));
  }
  // Without rules, no column is missed.
  const lines = readFactsFile({ facts: table, rules: [] }, file, io);
  return counter.addLines(file.facts, lines, { hasColumns: ending === '.csv' });
}

/** Says which velocities of files are missing, and why, and until when counts can be too low. */
export async function sayCounted(counted: CountedVelocities | undefined, stderr: Io['stderr']): Promise<void> {
  const { velocities = new Map(), problems = new Map(), from } = counted ?? {};
  for (const [path, problem] of problems) await say(stderr, `note: ${path} is missing: ${problem}\n`);
  const windows = [...velocities].flatMap(([path, { withinMs }]) => (problems.has(path) ? [] : withinMs));
  if (from === undefined || windows.length === 0) return;
  const { dayOfInstant } = await import('../../facts/day.ts');
  const [first, whole] = [from, from + Math.max(...windows)].map((ms) => dayOfInstant(ms));
  await say(stderr, `note: nothing before ${first} is counted: until ${whole} velocities can be too low\n`);
}
