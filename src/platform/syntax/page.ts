/** A text -> its lines, as people see them: indentation, keys, quotes, brackets. */

import type { SyntaxProblem } from './compose.ts';

/** A line without its end, by offsets in the text. */
export interface Line {
  readonly index: number;
  readonly start: number;
  readonly text: string;
}

/** The lines of a text. */
export class Page {
  readonly text: string;
  readonly lines: readonly Line[];

  constructor(text: string) {
    this.text = text;
    let start = 0;
    this.lines = text.split('\n').map((each, index) => {
      const line = { index, start, text: each.replace(/\r$/, '') };
      start += each.length + 1;
      return line;
    });
  }

  /** The line of an offset. */
  lineAt(offset: number): Line {
    let low = 0;
    let high = this.lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lines[middle]?.start ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return this.lines[low] as Line;
  }

  /** The next line above that says something. */
  above({ index }: Line): Line | undefined {
    for (let at = index - 1; at >= 0; at--) if (this.#says(at)) return this.lines[at];
    return undefined;
  }

  /** The next line below that says something. */
  below({ index }: Line): Line | undefined {
    for (let at = index + 1; at < this.lines.length; at++) if (this.#says(at)) return this.lines[at];
    return undefined;
  }

  #says(index: number): boolean {
    const line = this.lines[index];
    return line !== undefined && saysSomething(line);
  }

  /** The lines outside any text of several lines after `|` or `>`. */
  get structural(): readonly Line[] {
    let textBelow = Number.POSITIVE_INFINITY;
    return this.lines.filter((line) => {
      if (saysSomething(line) && indentOf(line) <= textBelow) textBelow = Number.POSITIVE_INFINITY;
      const isInText = textBelow < Number.POSITIVE_INFINITY;
      if (!isInText && /(^|[:\s])[|>][-+\d]*\s*(#.*)?$/.test(line.text)) textBelow = keyColumn(line);
      return !isInText;
    });
  }
}

/** The line of a problem and those beside it that say something: the parser may notice late. */
export function linesNear({ start }: SyntaxProblem, page: Page): readonly Line[] {
  const line = page.lineAt(start);
  return [page.above(line), line, page.below(line)].filter((each) => each !== undefined);
}

/** Whether a line has more than white space and a comment. */
function saysSomething({ text }: Line): boolean {
  return /^\s*[^\s#]/.test(text);
}

/** How many characters of white space a line begins with. */
export function indentOf({ text }: Line): number {
  return text.search(/\S|$/);
}

/** Where the key of a line begins: after its hyphens. */
export function keyColumn({ text }: Line): number {
  return /^\s*(?:-\s+)*/.exec(text)?.[0].length ?? 0;
}

/** A text in quotes, as YAML reads it back. */
export function quote(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", "''")}'`;
}

/** The spans of a line that are in straight quotes; one without its end goes on to the end of the line. */
function quotedSpans(line: string): readonly { readonly start: number; readonly end: number }[] {
  const spans = /(?<=^\s*|[[{,]\s*|[:\-\s]\s+)(?:"(?:[^"\\]|\\.)*("|$)|'(?:[^']|'')*('|$))/g;
  return [...line.matchAll(spans)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

/** A line with everything between quotes, and its comment, replaced by `x`: what remains is structure. */
export function bare(line: string): string {
  const masked = quotedSpans(line).reduceRight((text, { start, end }) => {
    const last = text[end - 1] === text[start] && end - start > 1 ? end - 1 : end;
    return text.slice(0, start + 1) + 'x'.repeat(last - start - 1) + text.slice(last);
  }, line);
  return masked.replace(/(^|\s)#.*$/, (comment) => ' '.repeat(comment.length));
}
