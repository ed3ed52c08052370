/** A folder of rules <-> its texts by path; a path or a file that cannot be in a release is refused. */

import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { UTF8 } from '../audit/entry/schema.ts';
import { type Diagnostic, DiagnosticsError, isPrivate, keepLineFromLogs } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import { makeFolder } from '../platform/files/disk-file.ts';
import { isBelow } from '../platform/files/project.ts';
import { isObject } from '../platform/json.ts';
import { candidatesAt } from '../policy/check/candidates.ts';
import { count, printable } from '../text.ts';

/** The texts of a release by path: policies, rule sets, tables, lists, the mapping and tests. */
export type Texts = Readonly<Record<string, string>>;

/** The error RELEASE_REFUSED. `why` quotes no text of the release. */
export function refused(why: string): VerdictError {
  return new VerdictError('RELEASE_REFUSED', why);
}

const [MOST_FILES, MOST_BYTES, LONGEST_PATH] = [2000, 16 * 1024 * 1024, 200];

/** A step of a path. None begins with a dot, and none ends with one, or with a space, which Windows would drop. */
const STEP = /^[\p{L}\p{N}_-](?:[\p{L}\p{N}._ -]*[\p{L}\p{N}_-])?$/u;

/**
 * Every text of a folder and those below it. Files whose name begins with a dot are left out. Throws RELEASE_REFUSED
 * for one that cannot be in a release, such as a file that is not UTF-8, or a link out of the project.
 */
export function readRules(folder: string): Texts {
  const texts = new Map<string, string>();
  let bytes = 0;
  for (const { path, problem } of candidatesAt([folder], () => true)) {
    const name = relative(folder, path).replaceAll(sep, '/');
    if (problem !== undefined) throw refused(`${printable(name)}: ${problem}`);
    const stats = statSync(path, { throwIfNoEntry: false });
    // Who reads a pipe waits.
    if (!stats?.isFile()) throw refused(`${printable(name)} is not a file`);
    bytes += stats.size;
    checkBytes(bytes);
    try {
      texts.set(name, UTF8.decode(readFileSync(path)));
    } catch {
      throw refused(`${printable(name)} cannot be read as UTF-8 text: a release has nothing else`);
    }
  }
  return checkTexts(Object.fromEntries(texts));
}

function checkBytes(bytes: number): void {
  if (bytes > MOST_BYTES) throw refused(`found ${bytes} bytes, expected up to ${MOST_BYTES} in all files together`);
}

/** Throws RELEASE_REFUSED unless all of it can be in a release. */
export function checkTexts(texts: unknown): Texts {
  if (!isObject(texts)) throw refused('the files of a release are texts by path');
  const entries = Object.entries(texts);
  if (entries.length > MOST_FILES)
    throw refused(`found ${count(entries.length, 'file')}, expected up to ${MOST_FILES}`);
  const paths = new Map<string, string>();
  let bytes = 0;
  for (const [path, text] of entries) {
    const shown = printable(path);
    if (typeof text !== 'string' || !text.isWellFormed()) throw refused(`${shown} is not a text`);
    const steps = path.split('/');
    const isSound = path.length <= LONGEST_PATH && path.normalize('NFC') === path && steps.every(isStep);
    const expected = 'expected folders and a name of letters, digits, dots, dashes and spaces, without a dot first';
    if (!isSound) throw refused(`${shown} cannot be the path of a file: ${expected}`);
    // The file, and the folders that it is in.
    for (const [i] of steps.entries()) {
      const named = `${steps.slice(0, i + 1).join('/')}${i < steps.length - 1 ? '/' : ''}`;
      const folded = foldedCase(named.replace(/\/$/, ''));
      const twin = paths.get(folded) ?? named;
      if (twin !== named)
        throw refused(`${printable(named)} and ${printable(twin)} are one path on some machines: rename one`);
      paths.set(folded, named);
    }
    bytes += Buffer.byteLength(text);
  }
  checkBytes(bytes);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1))) as Texts;
}

function isStep(step: string): boolean {
  return STEP.test(step) && step !== '__proto__';
}

/** Equal for names that a file system may not tell apart, such as those with ß and SS. */
function foldedCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** Writes texts into a folder that is empty, for their owner alone. */
export function writeRules(texts: Texts, folder: string): void {
  for (const [path, text] of Object.entries(texts)) {
    const file = join(folder, path);
    makeFolder(dirname(file), 0o700);
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  }
}

/** Files in a folder that is gone afterwards. */
export function inFolder<Result>(files: Texts, work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-release-'));
  const end = () => rmSync(folder, { recursive: true, force: true });
  const fail = (error: unknown): never => {
    end();
    throw error instanceof DiagnosticsError ? pathsFrom(folder, error) : error;
  };
  try {
    writeRules(files, folder);
    const result = work(folder);
    if (result instanceof Promise) return result.catch(fail).finally(end) as Result;
    end();
    return result;
  } catch (error) {
    return fail(error);
  }
}

/** The same problems, with paths that start at the folder: its own name is random. */
function pathsFrom(folder: string, { code, diagnostics }: DiagnosticsError): DiagnosticsError {
  const named = diagnostics.map(({ related: _, ...each }): Diagnostic => {
    const shown = { ...each, file: isBelow(folder, each.file) ? relative(folder, each.file) : each.file };
    if (isPrivate(each)) keepLineFromLogs(shown);
    return shown;
  });
  return new DiagnosticsError(code as ConstructorParameters<typeof DiagnosticsError>[0], named);
}

/** The salt, 64 hexadecimal digits, keeps a reader of the digest of a list from guessing its entries. */
export function digestOfText(path: string, text: string, salt: string): string {
  return `sha256:${createHmac('sha256', Buffer.from(salt, 'hex'))
    .update(JSON.stringify([path, text]))
    .digest('hex')}`;
}
