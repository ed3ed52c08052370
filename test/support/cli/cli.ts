/** Arguments, environment and standard input -> what a run of the command line printed, and its exit code. */

import { Readable, Writable } from 'node:stream';
import { run } from '../../../src/cli/program.ts';

/** What came of a run. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run is given beside its arguments. */
export interface RunSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Called with everything printed on stdout so far. */
  readonly onOutput?: (stdout: string) => void;
  /** Standard output is a terminal with so many columns. */
  readonly columns?: number;
  /** Nobody listens to standard error. */
  readonly isStderrBroken?: boolean;
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
        done();
      },
    });
  const stdout = sink('stdout');
  if (setting.columns !== undefined) Object.assign(stdout, { isTTY: true, columns: setting.columns });
  const stderr = sink('stderr');
  // As main.ts has it.
  stderr.on('error', () => {});
  const exitCode = await run(args, {
    stdin: Readable.from(setting.stdin === undefined ? [] : [Buffer.from(setting.stdin)]),
    stdout,
    stderr,
    env: setting.env ?? {},
    signal: setting.signal ?? new AbortController().signal,
  });
  return { exitCode, ...out };
}
