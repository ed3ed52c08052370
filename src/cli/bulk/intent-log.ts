/**
 * The intent log of bulk runs: a file of lines that name the rows that were begun, and the runs that began them.
 * Lines are only appended, so the file is the lock as well: of two runs, the one whose line comes first continues.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod';
import { splitLines } from '../../platform/files/lines.ts';
import { parseJson } from '../../platform/json.ts';
import { isRunning, thisProcess } from '../../platform/process.ts';
import { CouldNotRunError } from '../io.ts';
import { Appender } from './append.ts';
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

export interface Begun {
  readonly reference: string;
  readonly line: number;
}

/** The intent log as one run appends to it. No other run on the file continues meanwhile. */
export class IntentLog {
  /** The secret that derives references for rows without one, the same for every run on the file. */
  readonly key: string;
  readonly #file: string;
  readonly #run: string;
  readonly #appender: Appender;

  constructor(file: string, run: string, key: string, appender: Appender) {
    this.#file = file;
    this.#run = run;
    this.key = key;
    this.#appender = appender;
  }

  /** Resolves when it is durable that the row is about to be sent. */
  begin(reference: string, line: number): Promise<void> {
    return this.#append({ begun: reference, line });
  }

  /** Notes that a row was not sent after all. Without this note the next run would count the row as doubtful. */
  unsend(reference: string, error: string): Promise<void> {
    return this.#append({ unsent: reference, error });
  }

  /** All rows that were begun, in the order of the file, a repeated reference once for each time. */
  async *begun(): AsyncGenerator<Begun> {
    for await (const line of readIntents(this.#file)) {
      if ('begun' in line) yield { reference: line.begun, line: line.line };
    }
  }

  /** Lets the next run begin. */
  async close(): Promise<void> {
    await this.#append({ ended: this.#run }).catch(() => {
      // The run ends with this process anyway.
    });
    await this.#appender.close();
  }

  #append(line: IntentLine): Promise<void> {
    return this.#appender.append(JSON.stringify(line));
  }
}

/**
 * Begins a run, and marks the rows that earlier runs began. Throws `CouldNotRunError` if another run is active, earlier
 * rows were decided otherwise, or the file is not an intent log.
 */
export async function openIntentLog(file: string, rows: ReferenceSet, options: OpenOptions): Promise<IntentLog> {
  await checkKind(file);
  const appender = new Appender(await open(file, 'a', 0o600));
  const run: RunLine = {
    run: randomUUID(),
    key: randomBytes(32).toString('hex'),
    ...thisProcess(),
    at: new Date().toISOString(),
  };
  try {
    // The empty line ends a torn line of a run that was killed.
    await appender.append(`\n${JSON.stringify(run)}`);
    const { key, decidedBy } = await readEarlier(file, run, rows, options.takeOver);
    if (decidedBy && !options.otherPolicy) compare(file, decidedBy, options.decidedBy);
    // Only of a run that goes on, so that a refused one leaves no trace.
    await appender.append(JSON.stringify(options.decidedBy));
    return new IntentLog(file, run.run, key, appender);
  } catch (error) {
    await new IntentLog(file, run.run, run.key, appender).close();
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
async function* readIntents(file: string): AsyncGenerator<IntentLine> {
  let torn: number | undefined;
  for await (const { bytes, number } of splitLines(createReadStream(file))) {
    const text = bytes?.toString('utf8') ?? '';
    if (text === '') continue;
    const line = parseLine(text);
    if (torn !== undefined && !(line && 'run' in line)) {
      throw new CouldNotRunError(`${file}, line ${torn}, cannot be read: was the file changed?`);
    }
    torn = line ? undefined : number;
    if (line) yield line;
  }
}

function parseLine(text: string): IntentLine | undefined {
  const parsed = parseJson(text);
  return parsed.problem === undefined ? LINE.safeParse(parsed.value).data : undefined;
}

const BEGINNING = '{"run":';
const HEAD_BYTES = 4096;

/** Throws if the file is not an intent log, which begins with a run, maybe after torn lines of runs. */
async function checkKind(file: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    const first = lines.find((line) => !BEGINNING.startsWith(line)) ?? BEGINNING;
    if (!first.startsWith(BEGINNING)) throw new CouldNotRunError(`${file} exists, but is not an intent log`);
  } finally {
    await handle.close();
  }
}
