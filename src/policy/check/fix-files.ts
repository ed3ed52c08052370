/** Paths of files and folders -> the same files, with every problem fixed that has one right answer. */

import { readFileSync } from 'node:fs';
import type { Diagnostic, Edit } from '../../diagnostics.ts';
import { realPathOf, replaceFile } from '../../platform/files/disk-file.ts';
import { type Source, sourceOf } from '../../platform/files/source.ts';
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
  const bytes = new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(path));
  const mark = bytes.startsWith('\ufeff') ? '\ufeff' : '';
  if (bytes !== mark + source.text) return [];
  const { text, made } = applyFixes(source, found);
  replaceFile(path, mark + text);
  return made.map((diagnostic) => ({ diagnostic, replaced: (diagnostic.fix ?? []).map((edit) => cut(source, edit)) }));
}

/** The text of a source with the fixes made, and whose fixes these are. */
export function applyFixes(source: Source, diagnostics: readonly Diagnostic[]) {
  const taken: (readonly [start: number, end: number, text: string])[] = [];
  const made = diagnostics.filter(({ fix = [] }) => {
    const edits = fix.map(({ start, end, text }) => [source.offsetOf(start), source.offsetOf(end), text] as const);
    const isFree = edits.every(([start, end]) => taken.every(([from, to]) => end < from || start > to));
    if (isFree) taken.push(...edits);
    return isFree && edits.length > 0;
  });
  let text = source.text;
  for (const [start, end, replacement] of taken.toSorted(([a], [b]) => b - a)) {
    text = text.slice(0, start) + replacement + text.slice(end);
  }
  return { text, made };
}

function cut(source: Source, { start, end }: Edit): string {
  return source.text.slice(source.offsetOf(start), source.offsetOf(end));
}
