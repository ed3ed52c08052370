/** What a log is called and when it was begun -> `log.json`, and back. */

import { join } from 'node:path';
import { VerdictError } from '../errors.ts';
import { readExactFile } from './entry/canonical.ts';
import * as is from './entry/schema.ts';
import { type Files, isCode, readWhole, realFiles } from './store/files.ts';
import { wrapIoErrors } from './store/io-errors.ts';

/** The log's own file. */
export interface LogFile {
  /** A UUID, version 7, of when it was begun. */
  readonly log: string;
  /** Who keeps it, as its checkpoints name it. */
  readonly origin: string;
  /** ISO 8601, UTC: the instant of the UUID. */
  readonly createdAt: string;
}

/** As a signed note has it: a name that stands between spaces. */
export const ORIGIN: is.Type = {
  expected: '1 to 200 visible ASCII characters without spaces',
  is: (value) => typeof value === 'string' && /^[!-~]{1,200}$/.test(value),
};

const FORMAT: is.Type = { expected: '1', is: (value) => value === 1 };
const SHAPE: is.Shape = { format: FORMAT, log: is.ID, origin: ORIGIN, createdAt: is.INSTANT };

/** The bytes of `log.json`. */
export function formatLogFile({ log, origin, createdAt }: LogFile): string {
  return `${JSON.stringify({ format: 1, log, origin, createdAt })}\n`;
}

/** What `log.json` says; undefined for anything but the bytes that are written for it. */
export function readLogFile(bytes: Uint8Array): LogFile | undefined {
  const file = readExactFile(bytes, SHAPE) as LogFile | undefined;
  // A day that was changed would not show elsewhere.
  return file && instantOf(file.log) === file.createdAt ? file : undefined;
}

/** What `log.json` of a folder says. Rejects with CONFIGURATION_INVALID where there is none, or it is not as it was written. */
export async function readLog(dir: string, files: Files = realFiles): Promise<LogFile> {
  const bytes = await wrapIoErrors('read', () => readWhole(files, join(dir, 'log.json'))).catch((error: unknown) => {
    if (error instanceof VerdictError && isCode(error.cause, 'ENOTDIR', 'EISDIR')) return undefined;
    throw error;
  });
  if (!bytes)
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      'found no audit log in that folder: `verdict audit init` begins one',
    );
  const log = readLogFile(bytes);
  if (!log) throw new VerdictError('CONFIGURATION_INVALID', 'log.json of the audit log is not as it was written');
  return log;
}

/** The clocks of the machines that write one log may differ by so much. */
const CLOCKS_MS = 86_400_000;

/** Whether a chain was begun before its log, as their names say. Nobody who writes a log begins one so. */
export function isTooOld(chain: string, log: string): boolean {
  return Date.parse(instantOf(chain)) < Date.parse(instantOf(log)) - CLOCKS_MS;
}

/** When a UUID of version 7 was made (RFC 9562, section 5.7: its first 48 bits are milliseconds). */
export function instantOf(uuid: string): string {
  return new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)).toISOString();
}
