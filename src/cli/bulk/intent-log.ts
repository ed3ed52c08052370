/**
 * The journal of intents: a file of lines that says which rows were begun, and by which runs. Lines are only ever added,
 * so that it serves as the lock too: of two runs the one whose line stands first goes on.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { splitLines } from '../../platform/lines.ts';
import { isRunning, type ProcessId, thisProcess } from '../../platform/process.ts';
import { CouldNotRunError } from '../io.ts';
import { Appender } from './append.ts';

/** A run begins. */
interface RunLine extends ProcessId {
  readonly run: string;
  /** The secret under which rows without a reference are named; that of the first run counts. */
  readonly key: string;
  readonly at: string;
}

/** A line: a run begins or ends; a row is about to be sent, or turned out not to have been. */
type IntentLine =
  | RunLine
  | { readonly ended: string }
  | { readonly begun: string; readonly line: number }
  | { readonly unsent: string; readonly error: string };

/** The lines by the key that each kind begins with: the types of its values, `object` for null. */
const SHAPES: readonly Readonly<Record<string, readonly string[]>>[] = [
  { begun: ['string'], line: ['number'] },
  { unsent: ['string'], error: ['string'] },
  { ended: ['string'] },
  {
    run: ['string'],
    key: ['string'],
    pid: ['number'],
    host: ['string'],
    start: ['string', 'object'],
    space: ['string', 'object'],
    boot: ['string', 'object'],
    machine: ['string', 'object'],
    at: ['string'],
  },
];

/** A row that was begun. */
export interface Begun {
  readonly reference: string;
  readonly line: number;
}

/** The journal of one run, which alone may go on. */
export class IntentLog {
  /** The secret under which rows without a reference are named, the same for every run on the file. */
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

  /** Notes that a row was not sent after all; were the note lost, the row would be in doubt for nothing. */
  unsend(reference: string, error: string): Promise<void> {
    return this.#append({ unsent: reference, error });
  }

  /** All rows that were begun, in the order of the file; the same reference once for each time. */
  async *begun(): AsyncGenerator<Begun> {
    for await (const { found } of readIntents(this.#file)) {
      if ('begun' in found) yield { reference: found.begun, line: found.line };
    }
  }

  /** Lets the next run begin. */
  async close(): Promise<void> {
    await this.#append({ ended: this.#run }).catch(() => {
      // The process ends, and with it the run.
    });
    await this.#appender.close();
  }

  #append(line: IntentLine): Promise<void> {
    return this.#appender.append(JSON.stringify(line));
  }
}

/** What to do with what earlier runs left. */
export interface IntentLogSetting {
  /** Takes runs on other machines for ended. */
  readonly takeOver: boolean;
  onBegun(reference: string): void;
  onUnsent(reference: string): void;
}

/** Begins a run. Throws `CouldNotRunError` where another one is going on, or the file is something else. */
export async function openIntentLog(file: string, setting: IntentLogSetting): Promise<IntentLog> {
  await checkKind(file);
  const appender = new Appender(await open(file, 'a', 0o600));
  const own: RunLine = {
    run: randomUUID(),
    key: randomBytes(32).toString('hex'),
    ...thisProcess(),
    at: new Date().toISOString(),
  };
  try {
    // An empty line in front, so that half a line of a run that was killed ends there.
    await appender.append(`\n${JSON.stringify(own)}`);
    const key = await readEarlier(file, own, setting);
    return new IntentLog(file, own.run, key, appender);
  } catch (error) {
    await new IntentLog(file, own.run, own.key, appender).close();
    throw error;
  }
}

/** Reads all lines up to the own one, and makes sure that no earlier run is going on; the key is that of the first run. */
async function readEarlier(file: string, own: RunLine, setting: IntentLogSetting): Promise<string> {
  const runs = new Map<string, RunLine>();
  let key = own.key;
  for await (const { found } of readIntents(file)) {
    if ('begun' in found) setting.onBegun(found.begun);
    else if ('unsent' in found) setting.onUnsent(found.unsent);
    else if ('ended' in found) runs.delete(found.ended);
    else {
      if (runs.size === 0 && key === own.key) key = found.key;
      // What comes behind gives way to this run.
      if (found.run === own.run) break;
      runs.set(found.run, found);
    }
  }
  for (const run of runs.values()) {
    const running = isRunning(run);
    if (running) throw new CouldNotRunError(`another run is writing ${file} (process ${run.pid})`);
    if (running === undefined && !setting.takeOver) {
      throw new CouldNotRunError(
        `a run on another machine, or in another container, has not said that it ended: see that it has, and add --take-over`,
      );
    }
  }
  return key;
}

/** The lines of the file. Half a line is passed over where a run begins behind it: what was not durable was not sent. */
async function* readIntents(file: string): AsyncGenerator<{ readonly found: IntentLine }> {
  let torn: number | undefined;
  for await (const { bytes, number } of splitLines(createReadStream(file))) {
    const text = bytes?.toString('utf8') ?? '';
    if (text === '') continue;
    const found = readLine(text);
    if (torn !== undefined && !(found && 'run' in found)) {
      throw new CouldNotRunError(`${file}, line ${torn}, cannot be read: was the file changed?`);
    }
    torn = found ? undefined : number;
    if (found) yield { found };
  }
}

function readLine(text: string): IntentLine | undefined {
  try {
    const data = JSON.parse(text);
    const isOf = (shape: (typeof SHAPES)[number]) =>
      Object.entries(shape).every(([name, types]) => Object.hasOwn(data, name) && types.includes(typeof data[name]));
    return SHAPES.some(isOf) ? data : undefined;
  } catch {
    return undefined;
  }
}

const BEGINNING = '{"run":';
const HEAD_BYTES = 4096;

/** Nothing is written to a file that is not a journal: one begins with a run, before which may stand halves of such lines. */
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
    if (!first.startsWith(BEGINNING)) throw new CouldNotRunError(`${file} is there, and is no journal`);
  } finally {
    await handle.close();
  }
}
