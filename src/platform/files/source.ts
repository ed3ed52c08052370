/** The text of a file that people write -> places in it, and diagnostics at them. */

import {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  type Edit,
  keepLineFromLogs,
  type Place,
  type Point,
} from '../../diagnostics.ts';
import { didYouMean, type Effort, findMeant, type Meant, type Synonyms, toJson } from '../../text.ts';
import { allowancesOf } from './allowance.ts';

/**
 * The longest text, key or cell of a file, in UTF-16 code units: four pages. Whatever looks at texts, such as a guess
 * what was meant, never sees a longer one.
 */
const MAX_TEXT = 10_000;
/** In bytes of UTF-8. Larger files are refused before they are parsed; 10,000 rules are about 3 MB. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Further problems are not listed: no person wrote a file with that many. */
const MAX_DIAGNOSTICS = 1000;

/** A part of a source, by offsets in UTF-16 code units; `end` is exclusive. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** Where the value was declared, if the text only names it. */
  readonly origin?: Origin | undefined;
}

/** The declaration of a value that is named elsewhere. */
interface Origin {
  /** As it is written where the value is used: `$riskyScore`. */
  readonly name: string;
  readonly value: string | number | boolean | null;
  /** Undefined for a value that no file declares. */
  readonly span: Span | undefined;
}

/** A word that is not one of the known words. */
export interface Unknown {
  readonly word: string;
  readonly known: Iterable<string>;
  /** The position of the word, if it is only a part of what is reported. */
  readonly at?: { readonly start: number; readonly end: number };
  /** Words that people write instead of known ones. */
  readonly synonyms?: Synonyms | undefined;
  /** Finds the intended word in another way, if none of the known words matches. */
  readonly find?: ((effort: Effort) => Meant | undefined) | undefined;
}

/** A part of a source that is replaced, by offsets, and the text in its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits to a text. They must not overlap. */
export function applyEdits(text: string, edits: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text: inserted } of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}

/**
 * The most characters of unknown and known words that are compared for the hints of one list of diagnostics: a tenth
 * of a second, and a hundred unknown facts. In a file with more mistakes only the first ones have hints.
 */
const MOST_COMPARED = 4_000_000;

const efforts = new WeakMap<readonly Diagnostic[], Effort>();

const fixedSources = new WeakMap<readonly Edit[], Source>();

/** The source that a fix was found in; undefined for edits from elsewhere. */
export function sourceOf(fix: readonly Edit[]): Source | undefined {
  return fixedSources.get(fix);
}

/** The parts of a diagnostic beside its message. */
export interface DiagnosticDetails {
  readonly hint?: string | undefined;
  /** An unknown word and the known ones: a match becomes the hint, in place of `hint`, and maybe the fix. */
  readonly unknown?: Unknown | undefined;
  /** The fix, if there is one right answer: a value in place of the reported part, or replacements. */
  readonly fix?: { readonly value: string | number | boolean } | readonly Replacement[] | undefined;
  readonly severity?: 'error' | 'warning';
  readonly origin?: Origin | undefined;
  /** A second place, if the value has no origin. */
  readonly related?: RelatedSpan | undefined;
}

/** A second place of a problem, with a message. */
export interface RelatedSpan {
  readonly at: Span;
  readonly message: string;
}

const MISLEADING = /[\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** One file: its text, and its diagnostics. Files that are read together share one list of diagnostics. */
export class Source {
  readonly file: string;
  readonly text: string;
  readonly diagnostics: Diagnostic[];
  /** The codes of all diagnostics about this source. */
  readonly reported = new Set<DiagnosticCode>();
  /** The comments with characters that change the order of a line, or look like its end. */
  readonly misleadingComments: Span[] = [];
  /** Whether its lines may name people: the file of a list does. */
  isPrivate = false;
  /** Whether it was read before, perhaps by an earlier version that refused less. */
  isOnRecord = false;
  /** Whether a link out of the project leads to it: then diagnostics quote and fix nothing of it. */
  isElsewhere = false;
  /** Quotes a text that replaces a written one. */
  quote: (text: string, written: string) => string = quoteYaml;
  readonly #lineStarts: number[];

  constructor(file: string, text: string, diagnostics: Diagnostic[]) {
    this.file = file;
    this.text = text;
    this.diagnostics = diagnostics;
    this.#lineStarts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1);
  }

  /** Adds a diagnostic about the text from `start` to `end`. */
  report(start: number, end: number, code: DiagnosticCode, message: string, details: DiagnosticDetails = {}): void {
    this.reported.add(code);
    if (this.diagnostics.length > MAX_DIAGNOSTICS) return;
    if (this.diagnostics.length === MAX_DIAGNOSTICS) {
      const message = `more than ${MAX_DIAGNOSTICS} problems; the others are not listed`;
      this.diagnostics.push({ code: 'too-many', severity: 'error', message, file: this.file });
      return;
    }
    if (this.isElsewhere) {
      this.diagnostics.push({ ...this.#unquoted(start, end, code), severity: details.severity ?? 'error' });
      return;
    }
    const meant = this.#meantBy(details.unknown);
    const hint = meant?.hint ?? details.hint;
    const fix = meant ? wordFix(meant) : details.fix;
    const place = details.unknown?.at ?? { start, end };
    // The text only names a value that is declared elsewhere.
    const edits = fix && !details.origin ? this.#editsOf(place, fix) : undefined;
    const severity = details.severity ?? 'error';
    const diagnostic = {
      code,
      severity,
      message: details.origin ? aboutOrigin(details.origin, message) : message,
      ...this.placeOf(start, end),
      ...(hint === undefined ? {} : { hint }),
      ...relatedTo(details),
      ...(edits ? { fix: edits } : {}),
    };
    if (edits) fixedSources.set(edits, this.ofFile);
    if (this.isPrivate) keepLineFromLogs(diagnostic);
    if (severity === 'error' || !allowancesOf(this.diagnostics).silence(diagnostic)) this.diagnostics.push(diagnostic);
  }

  #unquoted(start: number, end: number, code: DiagnosticCode): Omit<Diagnostic, 'severity'> {
    const { file, position } = this.placeOf(start, end);
    const hint = 'a link out of the project is not quoted; name the file that it leads to';
    return { code, message: DIAGNOSTIC_CODES[code], file, position, hint };
  }

  /** Whether a CR stands alone, which ends a line for YAML and for editors, and not here; if so, reports it. */
  hasLoneReturn(code: DiagnosticCode): boolean {
    const at = this.text.search(/\r(?!\n)/);
    if (at < 0) return false;
    this.report(at, at + 1, code, 'found a CR without a LF: other programs end the line there', {
      hint: 'save the file with line ends LF or CRLF',
    });
    return true;
  }

  /** Records a comment, which begins with `#` at `start`: it may silence a warning that is reported later. */
  noteComment(start: number, written: string): void {
    const comment = written.slice(0, MAX_TEXT);
    if (MISLEADING.test(written)) this.misleadingComments.push({ source: this, start, end: start + written.length });
    allowancesOf(this.diagnostics).note(comment, { file: this.file, text: this.text, start }, (problem) =>
      this.report(start, start + comment.length, 'unused-allow', problem.message, { ...problem, severity: 'warning' }),
    );
  }

  /** Looks for a match only for problems that are listed, to save time. */
  #meantBy(unknown: Unknown | undefined): Meant | undefined {
    if (!unknown) return undefined;
    const effort = efforts.get(this.diagnostics) ?? { left: MOST_COMPARED };
    efforts.set(this.diagnostics, effort);
    const { word, known, synonyms, find } = unknown;
    return findMeant(word, known, { synonyms, effort }) ?? find?.(effort);
  }

  #editsOf(
    { start, end }: Omit<Replacement, 'text'>,
    fix: NonNullable<DiagnosticDetails['fix']>,
  ): readonly Edit[] | undefined {
    const written = () => this.text.slice(start, end);
    const valueText = (value: string | number | boolean) =>
      typeof value === 'string' ? this.quote(value, written()) : String(value);
    // A cell of CSV can have a comma only in quotes.
    const isCell = (each: Replacement) => this.quote === quoteCsv && each.start === start && each.end === end;
    const replacements =
      'value' in fix
        ? [{ start, end, text: valueText(fix.value) }]
        : fix.map((each) => (isCell(each) ? { ...each, text: this.quote(each.text, written()) } : each));
    const edits = replacements.map((replacement) => this.editOf(replacement));
    return edits.every((edit) => edit !== undefined) ? edits : undefined;
  }

  /** Whether a part of the text was guessed, so that a declaration may be misread. */
  get isGuessed(): boolean {
    return false;
  }

  /** The source of the whole file. */
  get ofFile(): Source {
    return this;
  }

  /** A replacement as an edit of the file; undefined if the file cannot have the text there. */
  editOf({ start, end, text }: Replacement): Edit | undefined {
    return { start: this.pointAt(start), end: this.pointAt(end), text };
  }

  /** The point of an offset. */
  pointAt(offset: number): Point {
    const index = this.#lineIndex(offset);
    return { line: index + 1, column: offset - (this.#lineStarts[index] ?? 0) + 1 };
  }

  /** The position of the text from `start` to `end`; of a text of several lines, that of its first. */
  placeOf(start: number, end: number): Place {
    const index = this.#lineIndex(start);
    const lineStart = this.#lineStarts[index] ?? 0;
    const lineEnd = (this.#lineStarts[index + 1] ?? this.text.length + 1) - 1;
    const line = this.text.slice(lineStart, this.text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd);
    const column = Math.min(start - lineStart, line.length) + 1;
    const length = Math.max(1, Math.min(end - start, line.length - column + 1));
    return { file: this.file, position: { line: index + 1, column, length }, line };
  }

  /** The offset of a point. */
  offsetOf({ line, column }: Point): number {
    return (this.#lineStarts[line - 1] ?? this.text.length) + column - 1;
  }

  /** The 1-based line of an offset. */
  lineAt(offset: number): number {
    return this.#lineIndex(offset) + 1;
  }

  #lineIndex(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function wordFix({ word, isSure }: Meant): DiagnosticDetails['fix'] {
  return isSure && word !== undefined ? { value: word } : undefined;
}

/** Adds a diagnostic about a node; returns undefined, as readers do for a node that they cannot read. */
export function reportAt(node: Span, code: DiagnosticCode, message: string, details?: DiagnosticDetails): undefined {
  const { source, start, end, origin } = node;
  source.report(start, end, code, message, origin ? { ...details, origin } : details);
}

/** Whether a text is too long to be looked at, which is reported at its node. */
export function isTooLong(node: Span, text: string): boolean {
  const problem = lengthProblem(text);
  if (problem !== undefined) reportAt(node, 'too-large', problem);
  return problem !== undefined;
}

/** What is wrong with a text that is too long to be looked at. */
export function lengthProblem({ length }: string): string | undefined {
  return length > MAX_TEXT ? `found ${length} characters; a text has at most ${MAX_TEXT}` : undefined;
}

/** The message about a value that is declared elsewhere. It may be personal, so the message does not quote it. */
function aboutOrigin({ name, value, span }: Origin, message: string): string {
  const problem = typeof value === 'string' ? message.replaceAll(`"${value}"`, 'a text') : message;
  return `${name}${span ? '' : ', as set'}: ${problem}`;
}

function relatedTo({ origin, related }: DiagnosticDetails): Pick<Diagnostic, 'related'> {
  const declaration = origin?.span ? { at: origin.span, message: `${origin.name} is declared here` } : related;
  if (!declaration || declaration.at.source.isElsewhere) return {};
  const { source, start, end } = declaration.at;
  return { related: { ...source.placeOf(start, end), message: declaration.message } };
}

/** A requested file: its name in diagnostics, and the node that names it, if any. */
interface AskedFile {
  readonly shown: string;
  readonly diagnostics: Diagnostic[];
  readonly from: Span | undefined;
}

/** Adds a diagnostic about a file that cannot be read: at the node that names it, or about the whole file. */
export function reportFile(
  { shown, diagnostics, from }: AskedFile,
  code: DiagnosticCode,
  message: string,
  about: Pick<Diagnostic, 'hint'> = {},
): undefined {
  if (from) reportAt(from, code, message, about);
  else diagnostics.push({ code, severity: 'error', message, file: shown, ...about });
}

/** Reports a file that does not exist, with its folder and a file of a similar name. */
export function reportAbsent(asked: AskedFile, names: Iterable<string> | undefined): undefined {
  const [, folder = '.', name = asked.shown] = /^(.*)[/\\]([^/\\]*)$/s.exec(asked.shown) ?? [];
  const [, hint] = NO_NAMES.find(([form]) => form.test(asked.shown)) ?? [];
  if (names) {
    const answer = hint === undefined ? didYouMean(name, names) : { hint };
    return reportFile(asked, 'file-unreadable', `no such file in the folder ${folder}`, answer);
  }
  return reportFile(asked, 'file-unreadable', `no such file: there is no folder ${folder}`);
}

/** What is not the name of a file, and how one is written. */
const NO_NAMES: readonly (readonly [form: RegExp, hint: string])[] = [
  [/[*?]/, 'name each file: a pattern is not followed'],
  [/\\/, 'separate the names of folders by /'],
  [/(^|\/)[^./]+$/, 'name the file with its ending, such as .yaml'],
];

/** Whether a file is too large; if so, reports it. */
export function isTooLarge(asked: AskedFile, bytes: number): boolean {
  if (bytes <= MAX_FILE_BYTES) return false;
  reportFile(asked, 'file-too-large', `the file has ${bytes} bytes; the limit is ${MAX_FILE_BYTES}`);
  return true;
}

/** Texts that need no quotes anywhere in a YAML file: words, paths, days, durations. */
const PLAIN = /^([A-Za-z_][\w./-]*|\d{4}-\d\d-\d\d|\d+ [a-z]+( ago)?)$/;
/** Exceptions: words that YAML 1.1 or 1.2 reads as another type. */
const OTHER_TYPES = /^(true|false|yes|no|on|off|y|n|null)$/i;

/** A text as a scalar of YAML, in the quotes of the scalar that it replaces. */
export function quoteYaml(text: string, written: string): string {
  if (written.startsWith("'") && !/[\n\r]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  const isPlain = !written.startsWith('"') && PLAIN.test(text) && !OTHER_TYPES.test(text);
  // JSON is YAML, and characters that editors do not show are escaped.
  return isPlain ? text : toJson(text);
}

/** A value as YAML on one line; `writeText` writes its texts and keys. */
export function flowYaml(value: unknown, writeText = (text: string) => quoteYaml(text, '')): string {
  if (typeof value === 'string') return writeText(value);
  if (Array.isArray(value)) return `[${value.map((each) => flowYaml(each, writeText)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${writeText(key)}: ${flowYaml(each, writeText)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** A text as a value of CSV (RFC 4180). */
export function quoteCsv(text: string, written: string): string {
  return written.startsWith('"') || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
