/** Arguments, environment and standard input -> the output and exit code of the command line. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Io } from '../../../src/cli/io.ts';
import { run } from '../../../src/cli/program.ts';
import { temporaryFolder } from '../policy/policy.ts';

/** The result of a run. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The input of a run besides its arguments. */
export interface RunSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Makes standard input a terminal. */
  readonly isStdinTerminal?: boolean;
  readonly signal?: AbortSignal;
  /** Called with the complete stdout so far. */
  readonly onOutput?: (stdout: string) => void;
  /** The same for stderr. */
  readonly onErrors?: (stderr: string) => void;
  /** Makes standard output a terminal with this number of columns. */
  readonly columns?: number;
  /** Makes standard error a closed pipe. */
  readonly isStderrBroken?: boolean;
  /** Whether nobody says who reads or erases facts on record. */
  readonly isNobody?: boolean;
}

/** Who reads and erases facts on record, where a run does not say it. */
export const ACTOR = { by: 'A. Okafor', why: 'Asked by the supervisor.' };

const BY_FACTS = ['--subject', '--fact', '--where'];

const READING = ['audit show', 'audit erase', 'test record'];

function withActor(args: readonly string[]): readonly string[] {
  const command = args.slice(0, 2).join(' ');
  const mayRead = ['audit search', 'audit events'].includes(command) && args.some((arg) => BY_FACTS.includes(arg));
  const says = args.some((arg) => ['--by', '--unrecorded', '--help'].includes(arg));
  return (mayRead || READING.includes(command)) && !says ? [...args, '--by', ACTOR.by, '--why', ACTOR.why] : args;
}

/** Runs the command line in this process. */
export async function runCli(args: readonly string[], setting: RunSetting = {}): Promise<Ran> {
  const out = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        if (name === 'stderr' && setting.isStderrBroken) return done(new Error('EPIPE'));
        out[name] += String(chunk);
        if (name === 'stdout') setting.onOutput?.(out.stdout);
        else setting.onErrors?.(out.stderr);
        done();
      },
    });
  const stdout = sink('stdout');
  if (setting.columns !== undefined) Object.assign(stdout, { isTTY: true, columns: setting.columns });
  const stderr = sink('stderr');
  // The same as in main.ts.
  stderr.on('error', () => {});
  const stdin = Readable.from(setting.stdin === undefined ? [] : [Buffer.from(setting.stdin)]);
  if (setting.isStdinTerminal) Object.assign(stdin, { isTTY: true });
  const exitCode = await run(setting.isNobody ? args : withActor(args), {
    stdin,
    stdout,
    stderr,
    env: setting.env ?? {},
    interruptible: (work) => work(setting.signal ?? new AbortController().signal),
  });
  return { exitCode, ...out };
}

/** Runs the command line with `--html`: the page that it writes. */
export async function pageOf(args: readonly string[], setting: RunSetting = {}): Promise<string> {
  const file = join(temporaryFolder({}), 'page.html');
  await runCli([...args, '--html', file], setting);
  return readFileSync(file, 'utf8');
}

/** The streams of a command that is read alone: nobody sees what it prints. */
export function silentIo(env: Readonly<Record<string, string>> = {}): Io {
  return {
    ...{ stdin: Readable.from([]), stdout: new PassThrough().resume(), stderr: new PassThrough().resume(), env },
    interruptible: (work) => work(new AbortController().signal),
    finish: () => {},
  };
}
