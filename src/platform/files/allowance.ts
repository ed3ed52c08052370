/** Comments `# verdict: allow covered (why it is intended)` -> the warnings that they silence on the line below. */

import {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  REMOVED_CODES,
  type SilencedDiagnostic,
} from '../../diagnostics.ts';
import { cached } from '../cached.ts';

/** A comment that is intended to silence a warning. */
interface Allowance {
  readonly file: string;
  /** As written, so it may not be a code; empty if the comment cannot be read. */
  readonly code: string;
  /** Why the warning is meant; without a reason the comment silences nothing. */
  readonly reason: string | undefined;
  /** The 1-based line whose warnings it silences; undefined for a comment that is not alone on its line. */
  readonly line: number | undefined;
  /** Why it never silences anything. */
  readonly problem: Problem | undefined;
  readonly report: ReportProblem;
  isUsed: boolean;
}

/** Adds a warning about the comment. */
type ReportProblem = (problem: Problem) => void;

interface Problem {
  readonly message: string;
  readonly hint?: string;
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
}

/** A comment with another word than `allow` is reported, because it would silently have no effect. */
const MEANT = /^#+\s*verdict\s*:?\s+(allow|ignore|disable|silence|suppress)\b/i;
const FORM = /^#\s*verdict:\s+allow\s+([A-Za-z][A-Za-z-]*)\s*(?:\((.*\S.*)\))?$/s;

const CODES = Object.keys(DIAGNOSTIC_CODES);
const FIRST_WARNING = CODES.indexOf('empty-list');

const HOW = 'write `# verdict: allow covered (why it is intended)`';

/** The allowances of files that are read together. */
class Allowances {
  /** The warnings that were silenced. */
  readonly silenced: SilencedDiagnostic[] = [];
  readonly #allowances: Allowance[] = [];

  /** Records a comment if it is intended to silence a warning. `start`: the offset of its `#` in `text`. */
  note(comment: string, { file, text, start }: CommentPlace, report: ReportProblem): void {
    if (!MEANT.test(comment)) return;
    const [, code = '', reason] = FORM.exec(comment.trim()) ?? [];
    const line = lineBelow(text, start);
    const problem = problemOf(code, reason, line);
    this.#allowances.push({ file, code, reason, line, problem, report, isUsed: false });
  }

  /** Whether a warning is silenced. */
  silence(warning: Diagnostic): boolean {
    const { code, file, position } = warning;
    const allowance = this.#allowances.find(
      (each) => each.reason && each.code === code && each.file === file && each.line === position?.line,
    );
    if (!allowance?.reason) return false;
    allowance.isUsed = true;
    this.silenced.push({ ...warning, reason: allowance.reason });
    return true;
  }

  /** Reports the comments that can never silence anything. */
  reportMalformed(): void {
    for (const { isUsed, problem, report } of this.#allowances) if (!isUsed && problem) report(problem);
  }

  /** Reports the comments that could silence a warning that was looked for, but did not. */
  reportUnused(wasLookedFor: (code: DiagnosticCode) => boolean): void {
    for (const { isUsed, problem, code, report } of this.#allowances) {
      if (isUsed || problem || !wasLookedFor(code as DiagnosticCode)) continue;
      const message = `the line below has no warning "${code}": this comment silences nothing`;
      report({ message, hint: 'remove it' });
    }
  }
}

interface CommentPlace {
  readonly file: string;
  readonly text: string;
  readonly start: number;
}

/** The first line below a comment that is not a comment itself; undefined if the comment is not alone on its line. */
function lineBelow(text: string, start: number): number | undefined {
  const before = text.slice(0, start).split('\n');
  if (before.at(-1)?.trim() !== '') return undefined;
  const [comments = ''] = /^([^\S\n]*#[^\n]*\n)*/.exec(text.slice(start)) ?? [];
  return before.length + comments.split('\n').length - 1;
}

function problemOf(code: string, reason: string | undefined, line: number | undefined): Problem | undefined {
  if (code === '') return { message: 'found a comment for verdict that cannot be read', hint: HOW };
  if (REMOVED_CODES.includes(code)) {
    return { message: `the check "${code}" no longer exists: this comment silences nothing`, hint: 'remove it' };
  }
  const index = CODES.indexOf(code);
  if (index < 0) return { message: `there is no warning "${code}"`, hint: HOW, unknown: { word: code, known: CODES } };
  if (index < FIRST_WARNING) return { message: `"${code}" is an error, which no comment silences` };
  if (reason === undefined) {
    return { message: `"${code}" is allowed without a reason, so it is still reported`, hint: HOW };
  }
  if (line !== undefined) return undefined;
  const message = 'this comment silences nothing: something stands before it on its line';
  return { message, hint: 'write it on a line of its own, above what it is about' };
}

/** The allowances of the files that share a list of diagnostics. */
export const allowancesOf = cached((_: readonly Diagnostic[]) => new Allowances());
