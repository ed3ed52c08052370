/** Files of facts, and the velocities that are read -> what each row or line counts of those before it. */

import type { CountedVelocities, ToldLabels } from '../../decision/rows/count-velocities.ts';
import type { FactReader } from '../../decision/rows/fact-columns.ts';
import { printable } from '../../text.ts';
import { type Io, orCannotRun, say } from '../io.ts';
import { type FactsFile, readFactsFile } from './facts-file.ts';
import { isReadOnce, nameOfInput } from './open-input.ts';

/**
 * Counts what the velocities that are read would have counted for the rows of all files together, as of each; undefined
 * if files give all counts.
 */
export async function countVelocities(
  reader: FactReader & { readonly read: ReadonlySet<string> },
  files: readonly string[],
  options: Pick<FactsFile, 'at' | 'columns' | 'columnNotes' | 'holdout'>,
  io: Io,
  labels?: ToldLabels,
): Promise<CountedVelocities | undefined> {
  const { velocitiesIn } = await import('../../facts/velocity.ts');
  const velocities = new Map([...velocitiesIn(reader.facts)].filter(([path]) => reader.read.has(path)));
  if (velocities.size === 0 || files.length === 0) return undefined;
  const once = files.find(isReadOnce);
  if (once !== undefined) {
    const problem = `${printable(nameOfInput(once))} is read once: name a file`;
    const problems = new Map([...velocities.keys()].map((path) => [path, problem]));
    return { counts: new Map(), velocities, problems, from: undefined, leftOut: 0 };
  }
  const { countVelocitiesOf, factsCounted } = await import('../../decision/rows/count-velocities.ts');
  const counting = new Set(velocities.keys());
  const reading = { ...reader, read: factsCounted(velocities), needed: reader.read, counting };
  const sources = files.map((name) => ({
    name,
    lines: () => readFactsFile(reading, { ...options, facts: name }, io),
  }));
  return orCannotRun(() => countVelocitiesOf(sources, velocities, reader.facts, labels));
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
