/**
 * The intent log of bulk runs: a file of lines that name the rows that were begun, and the runs that began them.
 * Lines are only appended, so the file is the lock as well: of two runs, the one whose line comes first continues.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import * as z from 'zod';
import { isRunning, thisProcess } from '../../platform/process.ts';
import { CouldNotRunError } from '../io.ts';
import { mayBeWritten, type OwnFile } from '../options/own-file.ts';
import { Appender, readJsonLines } from './append.ts';
import { MARK, type ReferenceSet } from './reference-set.ts';

const RUN = z.object({
  run: z.string(),
  /** The secret that derives references for rows without one; that of the first run counts. */
  key: z.string(),
  pid: z.number(),
  host: z.string(),
  start: z.string().nullable(),
  space: z.string().nullable(),
  boot: z.string().nullable(),
  machine: z.string().nullable(),
  at: z.string(),
});

/** A row is about to be sent. */
const BEGUN = z.object({ begun: z.string(), line: z.number() });

/** What decides the rows from here on: the digests of the policy and the mapping. */
const DECIDED_BY = z.object({ policy: z.string(), mapping: z.string() });

/** The kinds of lines, the most frequent first. Two more: a row was not sent after all; a run ends. */
const LINE = z.union([
  BEGUN,
  z.object({ unsent: z.string(), error: z.string() }),
  z.object({ ended: z.string() }),
  DECIDED_BY,
  RUN,
]);

type RunLine = z.infer<typeof RUN>;
/** What decides the rows of a run. */
export type DecidedBy = z.infer<typeof DECIDED_BY>;

/** How a run goes on with the file of an earlier one. */
export interface OpenOptions {
  /** Whether runs on other machines count as ended. */
  readonly takeOver: boolean;
  readonly decidedBy: DecidedBy;
  /** Whether earlier rows may have been decided by another policy or mapping. */
  readonly otherPolicy: boolean;
}

type IntentLine = z.infer<typeof LINE>;

/** The intent log as one run appends to it. No other run on the file continues meanwhile. */
export interface IntentLog {
  /** The secret that derives references for rows without one, the same for every run on the file. */
  readonly key: string;
  /** Resolves when the line is durable. */
  append(line: IntentLine): Promise<void>;
  /** Lets the next run begin. */
  close(): Promise<void>;
}

/**
 * Begins a run, and marks the rows that earlier runs began. Throws `CouldNotRunError` if another run is active, earlier
 * rows were decided otherwise, or the file is not an intent log.
 */
export async function openIntentLog(file: string, rows: ReferenceSet, options: OpenOptions): Promise<IntentLog> {
  const handle = await open(file, 'a', 0o600);
  if (!mayBeWritten(file, OWN)) {
    await handle.close();
    throw new CouldNotRunError(`${file} exists, but is not ${OWN.what}`);
  }
  const lines = new Appender(handle);
  const append = (line: IntentLine) => lines.append(JSON.stringify(line));
  const run: RunLine = {
    run: randomUUID(),
    key: randomBytes(32).toString('hex'),
    ...thisProcess(),
    at: new Date().toISOString(),
  };
  const close = async () => {
    await append({ ended: run.run }).catch(() => {
      // The run ends with this process anyway.
    });
    await lines.close();
  };
  try {
    // The empty line ends a torn line of a run that was killed.
    await lines.append(`\n${JSON.stringify(run)}`);
    const { key, decidedBy } = await readEarlier(file, run, rows, options.takeOver);
    if (decidedBy && !options.otherPolicy) compare(file, decidedBy, options.decidedBy);
    // Only of a run that goes on, so that a refused one leaves no trace.
    await append(options.decidedBy);
    return { key, append, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws if the rows of a file would be decided by two policies or mappings. */
function compare(file: string, earlier: DecidedBy, own: DecidedBy): void {
  const other = (['policy', 'mapping'] as const).find((name) => earlier[name] !== own[name]);
  if (other === undefined) return;
  throw new CouldNotRunError(
    `${file} belongs to decisions by another ${other}: name another file with --out, or add --other-policy`,
  );
}

/** Reads all lines before this run's and checks that no earlier run is active. The key is that of the first run. */
async function readEarlier(
  file: string,
  own: RunLine,
  rows: ReferenceSet,
  takeOver: boolean,
): Promise<{ readonly key: string; readonly decidedBy: DecidedBy | undefined }> {
  const active = new Map<string, RunLine>();
  let key: string | undefined;
  let decidedBy: DecidedBy | undefined;
  for await (const line of readIntents(file)) {
    if ('begun' in line) rows.set(line.begun, MARK.begun);
    else if ('unsent' in line) rows.clear(line.unsent, MARK.begun);
    else if ('ended' in line) active.delete(line.ended);
    else if ('policy' in line) decidedBy = line;
    else {
      key ??= line.key;
      // Runs behind this line give way to this run.
      if (line.run === own.run) break;
      active.set(line.run, line);
    }
  }
  for (const run of active.values()) {
    const running = isRunning(run);
    if (running) throw new CouldNotRunError(`another run is writing ${file} (process ${run.pid})`);
    if (running === undefined && !takeOver) {
      throw new CouldNotRunError(
        'found a run without its end on another machine, or in another container: if it has ended, add --take-over',
      );
    }
  }
  return { key: key ?? own.key, decidedBy };
}

/** The lines of the file. A torn line is skipped if a run begins behind it: its row was not durable, so not sent. */
export async function* readIntents(file: string): AsyncGenerator<IntentLine> {
  let torn: number | undefined;
  for await (const { number, value } of readJsonLines(file, LINE)) {
    if (torn !== undefined && !(value && 'run' in value)) {
      throw new CouldNotRunError(`${file}, line ${torn}, cannot be read: was the file changed?`);
    }
    torn = value ? undefined : number;
    if (value) yield value;
  }
}

const BEGINNING = '{"run":';

/** An intent log begins with a run, maybe after torn lines of runs. */
const OWN: OwnFile = {
  what: 'an intent log',
  headBytes: 4096,
  isOwn: (head) =>
    head
      .split('\n')
      .find((line) => !BEGINNING.startsWith(line))
      ?.startsWith(BEGINNING) !== false,
};
