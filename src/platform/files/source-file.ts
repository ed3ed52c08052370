/** The path of a text file that people write -> its text as a source, or a diagnostic. */

import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Diagnostic } from '../../diagnostics.ts';
import { isLinkOut } from './project.ts';
import { isTooLarge, MAX_FILE_BYTES, reportAbsent, reportFile, Source, type Span } from './source.ts';

/**
 * Reads a text file of a policy or mapping as UTF-8.
 * Undefined, with a diagnostic at `from` (or about the whole file), if the file is missing, too large or not UTF-8.
 */
export function readSource(path: string, shown: string, diagnostics: Diagnostic[], from?: Span): Source | undefined {
  const asked = { shown, diagnostics, from };
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) {
      return reportFile(asked, 'file-unreadable', 'a folder; expected a file', { hint: 'name each of its files' });
    }
    if (OF_OFFICE.test(path)) {
      const hint = 'save it as "CSV UTF-8 (comma delimited)", and name that file';
      return reportFile(asked, 'file-unreadable', 'a file of a spreadsheet or a document, not text', { hint });
    }
    if (!stats.isFile()) return reportFile(asked, 'file-unreadable', 'not a file');
    if (isTooLarge(asked, stats.size)) return undefined;
    const bytes = stats.size > 0 ? readFileSync(path) : readAtMost(path, MAX_FILE_BYTES + 1);
    if (isTooLarge(asked, bytes.length)) return undefined;
    const source = new Source(shown, new TextDecoder('utf-8', { fatal: true }).decode(bytes), diagnostics);
    source.isElsewhere = isLinkOut(path);
    return source;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      const hint = `save it as ${path.endsWith('.csv') ? '"CSV UTF-8 (comma delimited)"' : 'UTF-8'}`;
      return reportFile(asked, 'file-unreadable', 'the file is not UTF-8 text', { hint });
    }
    if (code === 'ENOENT') return reportAbsent(asked, namesIn(dirname(path)));
    return reportFile(asked, 'file-unreadable', `the file cannot be read (${code ?? 'unknown error'})`);
  }
}

/** The first bytes of a file whose size is not known: a file of the system, such as those in /proc, says 0. */
function readAtMost(path: string, most: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(most);
    let length = 0;
    for (let read = -1; read !== 0 && length < most; length += read)
      read = readSync(file, bytes, length, most - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** The edited text of a source as the bytes of its file; undefined if the file has changed since it was read. */
export function textForFile(path: string, source: Source, edited: string): string | undefined {
  const found = new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(path));
  const mark = found.startsWith('\ufeff') ? '\ufeff' : '';
  return found === mark + source.text ? mark + edited : undefined;
}

/** The files of programs that also save text. */
const OF_OFFICE = /\.(xlsx?|xlsm|xlsb|ods|numbers|docx?|pdf)$/i;

/** The names in a folder; undefined if there is no such folder. */
function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}
