/** A text and replacements in it -> the edited text, and what changes, line by line. */

import type { Replacement } from '../../../platform/files/source.ts';

/** The text with the replacements made, which do not overlap. */
export function editText(text: string, edits: readonly Replacement[]): string {
  let edited = text;
  for (const { start, end, text: own } of edits.toSorted((one, other) => other.start - one.start)) {
    edited = edited.slice(0, start) + own + edited.slice(end);
  }
  return edited;
}

/** Lines that change, with the number of the first. */
export interface Hunk {
  readonly line: number;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** The lines that replacements change. */
export function hunksOf(text: string, edits: readonly Replacement[]): readonly Hunk[] {
  const groups: { start: number; end: number; edits: Replacement[] }[] = [];
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    const start = text.lastIndexOf('\n', edit.start - 1) + 1;
    const from = edit.end > edit.start && text[edit.end - 1] === '\n' ? edit.end - 1 : edit.end;
    const next = text.indexOf('\n', from);
    const end = next < 0 ? text.length : next + 1;
    const last = groups.at(-1);
    if (last && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.edits.push(edit);
    } else groups.push({ start, end, edits: [edit] });
  }
  return groups.map(({ start, end, edits: own }) => {
    const moved = own.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
    const old = text.slice(start, end);
    return { line: text.slice(0, start).split('\n').length, old: linesOf(old), now: linesOf(editText(old, moved)) };
  });
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
