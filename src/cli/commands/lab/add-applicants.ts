/** The applicants of a log or of files -> what they are added to, with what velocities count in the files. */

import { statSync } from 'node:fs';
import type { DecisionFields } from '../../../audit/entry/entry.ts';
import type { LogPlace } from '../../../audit/place.ts';
import type { ToldLabels } from '../../../decision/rows/count-velocities.ts';
import type { CountingOf } from '../../../lab/backtest/add-log.ts';
import type { ApplicantTally } from '../../../lab/backtest/applicant-rows.ts';
import type { JointFacts } from '../../../lab/backtest/joint-facts.ts';
import { readLines } from '../../../platform/files/text-lines.ts';
import { namesPeople } from '../../../policy/identities.ts';
import { factMeant } from '../../../policy/read/mistakes/facts.ts';
import type { ShownBacktest } from '../../../report/applicants/backtest.ts';
import { printable } from '../../../text.ts';
import { ColumnNotes } from '../../input/column-notes.ts';
import { countVelocities } from '../../input/count-velocities.ts';
import { readFactsFile, readParquetChunks, unitOf } from '../../input/facts-file.ts';
import { isReadOnce, nameOfInput, openInput } from '../../input/open-input.ts';
import { type Io, say, UsageError } from '../../io.ts';
import type { ImpactOptions } from '../../options/impact.ts';
import { checkIsLog, logPlaceOf } from '../../options/log-place.ts';
import { counting } from '../../progress.ts';

/** Which applicants are read, and what of them. */
export interface ReadOptions extends Pick<ImpactOptions, 'log' | 'keys' | 'columns' | 'from' | 'to'> {
  readonly files?: readonly string[];
  readonly columnNotes?: ColumnNotes | undefined;
  /** What velocities count of labels. */
  readonly told?: ToldLabels | undefined;
  /** The day of rows without one, yyyy-MM-dd. */
  readonly at: string;
  /** Whether it is asked what was decided on rows: one that says so in a way that cannot be read is not counted. */
  readonly asksDecided?: boolean;
  /** The column, key or fact with the probability of the holdout. */
  readonly holdout?: string | undefined;
  /** To what the decisions of a log are added, and by which facts each is read. Default: all to the tally. */
  readonly countingOf?: CountingOf;
}

/**
 * Adds the applicants of a log or of files, with progress, and says which cannot be read. Gives what a report says of
 * the files.
 */
export async function addApplicants(
  tally: ApplicantTally,
  joint: JointFacts,
  options: ReadOptions,
  io: Io,
): Promise<Pick<ShownBacktest, 'columns' | 'velocities'>> {
  const { log, files = [], told, columnNotes = new ColumnNotes(files.length > 1) } = options;
  const velocities = await countVelocities(joint, files, { ...options, columnNotes }, io, told);
  await counting(io, 'applicant', async (tell) => {
    if (log !== undefined) await addDecisions(tally, joint, { ...options, log }, io, tell);
    const problems: string[] = [];
    const shares = sharesBefore(files);
    let read = 0;
    for (const [i, facts] of files.entries()) {
      const addProblem = (problem: string) => {
        const place = files.length > 1 ? `${facts}: ` : '';
        if (problems.length < MOST_SAID) problems.push(`${place}${problem}`);
      };
      const tellInFile = (inFile: number) => tell(read + inFile, shares?.[i]);
      read += await addLines(
        tally,
        joint,
        { ...options, facts, columnNotes, counts: velocities?.counts.get(facts), addProblem },
        io,
        tellInFile,
      );
    }
    await sayProblems(problems, tally, io);
  });
  return { columns: columnNotes.files, ...(velocities ? { velocities } : {}) };
}

/** For each of several files the share of bytes in those before; undefined if a size is not known. */
function sharesBefore(files: readonly string[]): readonly number[] | undefined {
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  if (files.length < 2 || sizes.includes(0)) return undefined;
  const sum = (some: readonly number[]) => some.reduce((all, size) => all + size, 0);
  return sizes.map((_, i) => sum(sizes.slice(0, i)) / sum(sizes));
}

/**
 * `week`, `month`, or the fact that an option names by its path, the name of its column, or the end of its path. Throws
 * a usage error for a name of none or of several, and for a fact that may identify a person, or that is computed.
 */
export function findBy(name: string, { facts }: JointFacts): string {
  if (name === 'week' || name === 'month') return name;
  const meant = facts.has(name) ? undefined : factMeant(name, facts);
  const by = meant?.isSure && meant.word !== undefined ? meant.word : name;
  const definition = facts.get(by);
  if (!definition) {
    const hint = meant ? `; ${meant.hint}` : '';
    throw new UsageError(`--by: the policies have no fact ${printable(name)}${hint}`);
  }
  if (namesPeople(by, facts)) throw new UsageError(`--by: ${by} is personal`);
  if (definition.compute) throw new UsageError(`--by: ${by} is computed; expected a fact that is given`);
  return by;
}

/** The most problems that are said one by one. */
const MOST_SAID = 10;

/** Gives the number of rows or lines. */
async function addLines(
  tally: ApplicantTally,
  joint: JointFacts,
  file: Parameters<typeof readFactsFile>[1] & ReadOptions & { readonly addProblem: (problem: string) => void },
  io: Io,
  tell: (read: number) => void,
): Promise<number> {
  const { ApplicantBuffer, ChunkRows } = await import('../../../lab/backtest/applicant-rows.ts');
  const { readDecided } = await import('../../../lab/backtest/decided-then.ts');
  const { from: first = '', to: last = '9999', asksDecided = false } = file;
  const isWithin = (day: string) => day >= first && day <= last;
  const addUnread = (number: number, problem: string) => {
    tally.addUnjudged('unreadable', 1, problem);
    file.addProblem(`${unitOf(file.facts)} ${number}: ${problem}`);
  };
  let read = 0;
  if (unitOf(file.facts) === 'row') {
    for await (const chunk of readParquetChunks(joint, file, io)) {
      const unread = new Set<number>();
      for (let row = 0; row < chunk.rows; row++) {
        const decided = asksDecided ? readDecided(chunk.decidedAt(row).decided) : {};
        const problem = chunk.problemAt(row) ?? ('problem' in decided ? decided.problem : undefined);
        if (problem === undefined) continue;
        addUnread(chunk.numberAt(row), problem);
        unread.add(row);
      }
      const isMeant = (row: number) => !unread.has(row) && isWithin(chunk.days.at(row));
      tally.addRows(new ChunkRows(chunk, joint), isMeant);
      read += chunk.rows;
      tell(read);
    }
    return read;
  }
  const counting = { tally, joint };
  const buffer = new ApplicantBuffer();
  // An empty place for what people decided is one in any line.
  const none = asksDecided && (await saysDisposition(file.facts, io)) ? { disposition: null } : {};
  for await (const line of readFactsFile(joint, file, io)) {
    const decided = asksDecided && !('problem' in line) ? readDecided({ ...none, ...line.decided }) : {};
    if ('problem' in line) addUnread(line.number, line.problem);
    else if ('problem' in decided) addUnread(line.number, decided.problem);
    else if (isWithin(line.at)) {
      const { number, clientReference: reference, facts, at, timeMs } = line;
      const name = { line: number, ...(reference === undefined ? {} : { clientReference: reference }) };
      buffer.add({ name, day: at, timeMs, facts, reference, decided }, counting);
    }
    read += 1;
    tell(read);
  }
  buffer.flush();
  return read;
}

/** Whether a line of a file of JSON says what people decided. Throws a usage error for standard input and pipes. */
async function saysDisposition(file: string, io: Io): Promise<boolean> {
  const { isTableFile } = await import('../../../decision/rows/table-file.ts');
  if (isTableFile(file)) return false;
  if (isReadOnce(file)) {
    const name = printable(nameOfInput(file));
    throw new UsageError(`--labels: ${name} is read once, and files are read twice: name a file`);
  }
  for await (const line of readLines(openInput(file, io))) {
    if ('text' in line && line.text.includes('"disposition"')) return true;
  }
  return false;
}

async function addDecisions(
  tally: ApplicantTally,
  joint: JointFacts,
  options: ReadOptions & { readonly log: string },
  io: Io,
  tell: (read: number) => void,
): Promise<void> {
  const { addLog } = await import('../../../lab/backtest/add-log.ts');
  const place = logPlaceOf(options.log, options, io);
  checkIsLog(options.log);
  const isWanted = await filterOf(place, options);
  const problems = await addLog(
    tally,
    options.countingOf ?? joint,
    { ...place, isWanted, holdout: options.holdout },
    tell,
  );
  await sayProblems(
    problems.map(({ id, problem }) => `${printable(id)}: ${problem}`),
    tally,
    io,
  );
}

/** Which records are within the times. */
export async function filterOf(
  place: LogPlace,
  { from, to }: Pick<ImpactOptions, 'from' | 'to'>,
): Promise<(record: DecisionFields) => boolean> {
  const { homeOf } = await import('../../../audit/home.ts');
  const { passes, readQuery } = await import('../../../audit/read/filter.ts');
  const filter = await readQuery({ from, to }, await homeOf(place));
  return (record) => passes(record, filter) === true;
}

/** Says the first of the rows or records that cannot be read, and how many more there are. */
async function sayProblems(problems: readonly string[], tally: ApplicantTally, { stderr }: Io): Promise<void> {
  const said = problems.slice(0, MOST_SAID);
  const more = tally.unreadable - said.length;
  const rest = more > 0 && said.length > 0 ? [`and ${more.toLocaleString('en')} more`] : [];
  await say(stderr, [...said, ...rest].map((line) => `verdict: ${line}\n`).join(''));
}
