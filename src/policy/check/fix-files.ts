/** Paths of files and folders -> the same files, with every problem fixed that has one right answer. */

import type { Diagnostic, Edit } from '../../diagnostics.ts';
import { realPathOf, replaceFile } from '../../platform/files/disk-file.ts';
import { applyEdits, type Replacement, type Source, sourceOf } from '../../platform/files/source.ts';
import { textForFile } from '../../platform/files/source-file.ts';
import { type CheckOptions, type CheckReport, checkFiles } from './check-files.ts';

/** A problem that was fixed, with the text that each edit of its fix replaced. */
export interface Fixed {
  readonly diagnostic: Diagnostic;
  readonly replaced: readonly string[];
}

/** The report about files after they were fixed. */
export interface FixReport extends CheckReport {
  /** What was fixed, in that order; positions are those before. */
  readonly fixed: readonly Fixed[];
}

/** Fixing one problem can show others. More rounds mean that one fix undoes another. */
const MOST_ROUNDS = 20;

/**
 * Checks files, makes the fixes of the diagnostics, and checks again until no fix is left. A file is replaced as a
 * whole, and only if it is still as it was checked. Throws an error of Node for a file that cannot be written.
 */
export function fixFiles(paths: readonly string[], options: CheckOptions): FixReport {
  const fixed: Fixed[] = [];
  for (let round = 1; ; round++) {
    const report = checkFiles(paths, options);
    const made = round > MOST_ROUNDS ? [] : fixOnce(report.diagnostics);
    if (made.length === 0) return { ...report, fixed };
    fixed.push(...made);
  }
}

/** Makes fixes in their files; one that overlaps an earlier one is left for the next check. */
export function fixOnce(diagnostics: readonly Diagnostic[]): readonly Fixed[] {
  const byFile = Map.groupBy(
    diagnostics.filter(({ fix }) => fix && sourceOf(fix)),
    ({ file }) => realPathOf(file) ?? file,
  );
  return [...byFile].flatMap(([path, found]) => {
    const sources = found.flatMap(({ fix }) => (fix && sourceOf(fix)) ?? []);
    const [source] = sources;
    // Policies that share a file read it one after another.
    return source && sources.every(({ text }) => text === source.text) ? fixFile(path, source, found) : [];
  });
}

function fixFile(path: string, source: Source, found: readonly Diagnostic[]): readonly Fixed[] {
  const { text, made } = applyFixes(source, found);
  const whole = textForFile(path, source, text);
  if (whole === undefined) return [];
  replaceFile(path, whole);
  return made.map((diagnostic) => ({ diagnostic, replaced: (diagnostic.fix ?? []).map((edit) => cut(source, edit)) }));
}

/** The text of a source with the fixes made, and whose fixes these are. */
export function applyFixes(source: Source, diagnostics: readonly Diagnostic[]) {
  const taken: Replacement[] = [];
  const made = diagnostics.filter(({ fix = [] }) => {
    const edits = fix.map(({ start, end, text }) => ({
      start: source.offsetOf(start),
      end: source.offsetOf(end),
      text,
    }));
    const isFree = edits.every((edit) => taken.every(({ start, end }) => edit.end < start || edit.start > end));
    if (isFree) taken.push(...edits);
    return isFree && edits.length > 0;
  });
  return { text: applyEdits(source.text, taken), made };
}

function cut(source: Source, { start, end }: Edit): string {
  return source.text.slice(source.offsetOf(start), source.offsetOf(end));
}
