/** A problem of a file that people write: its code, message and position -> its text with the line and carets. */

import { type ErrorCode, VerdictError } from './errors.ts';
import { readGiven } from './platform/given/read-given.ts';
import { count, HIDDEN, printable } from './text.ts';

/**
 * Every diagnostic code with its meaning in one sentence. The codes are stable: tools and suppressions may name them.
 * `docs/checks/` has a page for each.
 */
export const DIAGNOSTIC_CODES = {
  'file-unreadable': 'A file does not exist or cannot be read.',
  'file-too-large': 'A file is larger than a policy, mapping or list can sensibly be.',
  'file-outside': "A path leaves the policy's folder, or in tests the project.",
  'file-cycle': 'A rule-set file includes itself, directly or through others.',
  'yaml-syntax': 'The text is not valid YAML, or almost certainly not what you meant.',
  'yaml-feature': 'Anchors, aliases, merge keys, tags and further documents are not part of the language.',
  'csv-syntax': 'The text is not CSV.',
  'too-deep': 'The text nests deeper than any sensible file.',
  'too-large': 'A text, a test, a rule or the whole policy is too large to work with.',
  'not-checked': 'A check was not finished, because the policy is too large for it.',
  'too-many': 'There are more problems than are listed.',
  'duplicate-key': 'A map has the same key twice.',
  'duplicate-name': 'An id or a name is used twice.',
  'unknown-key': 'A key that the language does not have.',
  'unknown-fact': 'A fact that neither the catalog nor the file declares.',
  'unknown-operator': 'An operator that the language does not have.',
  'unknown-condition': 'A named condition that is not declared.',
  'unknown-list': 'A list that is not declared.',
  'unknown-parameter': 'A parameter that is not declared.',
  'missing-key': 'A required key is missing.',
  'null-value': 'A key, an entry or a cell has no value.',
  empty: 'An empty map, list or text where something is required.',
  'wrong-type': 'A value of another type than the one expected.',
  'wrong-value': 'A value that is not allowed.',
  malformed: 'An id, name, code, path, day or duration in the wrong form.',
  'operator-type': "An operator that the fact's type does not have.",
  'wrong-format': 'A text that no value of its fact can equal or contain, because of the format of the fact.',
  'list-formats': 'A list in which facts of different formats are looked up.',
  'fact-types': 'Two facts of different types compared with each other.',
  'bad-pattern': 'A regular expression that RE2 refuses.',
  'bad-message': 'A message with a placeholder that cannot be read or must not be shown.',
  cycle: 'Named conditions that refer to each other in a circle.',
  'no-effect': 'A rule or row with neither `then` nor `points`, or `final` without `then`.',
  'points-sign': 'Negative points on a rule that asks for review or reject.',
  'row-length': 'A row of a table with too few or too many cells.',
  'rows-overlap': 'Two rows of a table with `unique: true` that may match at once.',
  'score-bands': 'A review band that is not below the reject band.',
  'rules-lost': 'An edit, while a service watches its policy, that takes away most rules, or all of them.',
  'guarantee-broken': 'A guarantee that some applicant breaks.',
  'guarantee-unproved': 'A guarantee that is neither proved nor refuted.',
  'not-supported': 'A part of the language that the program that reads the policy does not support.',
  'empty-list': 'A list without entries.',
  'hidden-character': 'A text with a control character, or one that is invisible or reverses the text beside it.',
  'typographic-quotes': 'A literal or list entry between typographic quotes, which are part of the text.',
  'mixed-scripts': 'A literal or list entry with letters of two scripts in one word.',
  'no-active-rule': 'A policy with `default: accept` and no rule that is active today: it accepts every applicant.',
  'no-such-number': 'A phone number that no numbering plan has.',
  'unused-condition': 'A named condition that nothing refers to.',
  'unused-list': 'A list that no test uses.',
  'unused-parameter': 'A parameter that nothing uses.',
  'unused-fact': 'A fact that is declared and that nothing reads.',
  'unused-allow': 'A comment that should silence a warning, but silences none.',
  'unused-file': 'A rule set, or a table in CSV, that no policy uses.',
  'unknown-file': 'A file that is neither a policy, nor a rule set, nor a mapping.',
  'version-unchanged': 'A policy whose content changed since a revision, while its version did not.',
  'unread-status': 'Signals are read from a part of an answer whose status no source of the mapping looks at.',
  'source-elsewhere': 'A source covers signals that are read from a part of an answer that has another status.',
  'expired-rule': 'A rule that has ended.',
  'expired-entry': 'An entry of a list that has ended.',
  'duplicate-entry': 'An entry that its list has twice.',
  'conflicting-entry': 'An entry that one rule accepts and another rule rejects.',
  'same-condition': 'Two rules, or rows, with the same condition.',
  'never-true': 'A test that no known value passes, alone or together with the other tests of its fact.',
  'always-true': 'A test that every known value passes, alone or given the other tests of its fact.',
  'never-fires': 'A rule whose tests cannot all hold.',
  covered: 'A rule that changes no outcome, because another rule asks for as much whenever it fires.',
  'never-decides': 'A rule that never decides, because a final rule decides whenever it fires.',
  'never-matters': "A rule that fires for no applicant, or that changes no applicant's outcome.",
  'never-reached': 'An outcome or a score band that the policy asks for and that no applicant gets.',
  undecided: 'A question of `verdict check --deep` that was not answered.',
  'accept-no-effect': 'An accept that changes no outcome, since the default is accept.',
  'points-without-score': 'Points in a policy without `score`.',
  'score-without-points': 'A score to which no rule adds points.',
  'band-never-reached': 'A band of the score in which no sum of points lies.',
  'band-always-reached': 'A band of the score that every sum of points reaches.',
  'points-overrule-then': 'A rule whose own points always ask for more than its `then`.',
  'table-gap': 'A table with rows around a combination, but none for it.',
  'border-gap': 'Two rules whose ranges leave out the value at which they meet.',
  'shared-border': 'Two rules, or rows, whose ranges both include the value at which they meet.',
  'notice-reveals': 'A notice for the applicant that names a fact or has a placeholder.',
  'notice-language': 'A notice that lacks a language of other notices.',
  'fires-on-missing': 'A rule that can fire because a fact is missing.',
  'broad-accept': 'A final accept that is not limited to particular people.',
  'unknown-ignored': 'A rule that rejects, and lets applicants through whose facts are missing.',
  'stage-repeats': 'A stage that asks for no new variable.',
  'unasked-variable': 'A variable that no stage asks for, though rules read facts that need it.',
  'unread-variable': 'A variable that stages ask for, though no rule reads a fact that needs it.',
  'ratio-invalid': 'A ratio that is invalid for all or almost all applicants.',
  'milder-level': 'A rule that is strict with one level or count and lets a riskier one through.',
  'counts-strangers': 'A velocity that counts strangers together, such as everybody of a free mail service.',
  'single-entry': 'An `any` with a single entry of several tests, which all have to hold.',
  'near-pattern': 'A pattern, an ending or a wildcard that matches other texts than it seems to.',
  'fixed-birthday': 'A date of birth compared with a fixed day, which means another age each day.',
  'fact-as-text': 'A text that is compared with the path of a fact, in place of the fact.',
  'near-placeholder': 'A message with the name of a fact or parameter that is not a placeholder.',
  'wrong-scale': 'A number on another scale than is meant: 0.8 of 100, 60 percent of 1, or 5.000 for 5000.',
} as const;

/** The codes of warnings that older versions gave. */
export const REMOVED_CODES: readonly string[] = ['outcome-gap', 'outdated-text'];

/** A stable name for a kind of problem. */
export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;

/** A position in a text: 1-based line and column, and the length on that line, in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A position in a file, with the text of its line. */
export interface Place {
  readonly file: string;
  readonly position: Position;
  readonly line: string;
}

/** A point in a text: 1-based line and column, in UTF-16 code units. */
export interface Point {
  readonly line: number;
  readonly column: number;
}

/** A part of a file, from `start` to just before `end`, that is replaced by a text. */
export interface Edit {
  readonly start: Point;
  readonly end: Point;
  readonly text: string;
}

/** A second place that a problem is about, such as a declaration. */
export interface RelatedPlace extends Place {
  /** A message about the second place: `$riskyScore is declared here`. */
  readonly message: string;
}

/** A problem that is shown like a diagnostic; its code may be of another kind. */
export interface Finding {
  readonly code: string;
  /** An error keeps the file from being loaded or exported; a warning does not. */
  readonly severity: 'error' | 'warning';
  /** What was found, then what was expected. */
  readonly message: string;
  /** The file as the user or the including file named it; absent if the name is not known. */
  readonly file?: string;
  /** Absent if the problem is about the whole file. */
  readonly position?: Position;
  /** The text of the line at `position`. */
  readonly line?: string;
  /** What to do about it, such as `did you mean "phone.riskLevel"?`. */
  readonly hint?: string;
  /** Another place that the problem is about: the declaration of the parameter whose value does not fit. */
  readonly related?: RelatedPlace;
  /** Edits that correct the file, if there is one right answer; `verdict check --fix` makes them. */
  readonly fix?: readonly Edit[];
}

/** One problem of one file. */
export interface Diagnostic extends Finding {
  readonly code: DiagnosticCode;
  readonly file: string;
}

/** A warning that a comment in its file silences: `# verdict: allow covered (why it is intended)`. */
export interface SilencedDiagnostic extends Diagnostic {
  /** Why it is intended, as the comment says. */
  readonly reason: string;
}

/**
 * A file that does not load, with all of its problems. Any line of a policy may name a person, so that the message has
 * none, and `diagnostics`, which have them, are not enumerable: a logger does not print them.
 */
export class DiagnosticsError extends VerdictError {
  override readonly name = 'DiagnosticsError';
  declare readonly diagnostics: readonly Diagnostic[];

  constructor(
    code: Extract<ErrorCode, 'POLICY_INVALID' | 'MAPPING_INVALID' | 'TESTS_INVALID'>,
    diagnostics: readonly Diagnostic[],
  ) {
    super(code, list(diagnostics, formatForLogs));
    Object.defineProperty(this, 'diagnostics', { value: diagnostics });
  }
}

/** The message of an error with the lines of its files, but for those that are known to name people. */
export function messageWithLines({ diagnostics }: DiagnosticsError): string {
  return list(diagnostics, (diagnostic) => {
    const { related: _, ...shown } = diagnostic;
    return isPrivate(diagnostic) ? formatDiagnosticLine(diagnostic) : formatDiagnostic(shown);
  });
}

function list(diagnostics: readonly Diagnostic[], format: (diagnostic: Diagnostic) => string): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return `${count(errors.length, 'error')}:\n${listProblems(diagnostics, format).join('\n')}`;
}

/** An answer for people names so many problems: those after them often follow from the first. */
export const MOST_NAMED = 20;

/** A text for each problem, errors first if there are too many, and how many there are beside them. */
export function listProblems<Problem extends Pick<Diagnostic, 'severity'>, Shown = string>(
  problems: readonly Problem[],
  format: (problem: Problem) => Shown,
): readonly (Shown | string)[] {
  if (problems.length <= MOST_NAMED) return problems.map(format);
  const isMild = ({ severity }: Problem) => Number(severity !== 'error');
  const errorsFirst = problems.toSorted((one, other) => isMild(one) - isMild(other));
  const more = `and ${count(problems.length - MOST_NAMED, 'more problem')}`;
  return [...errorsFirst.slice(0, MOST_NAMED).map(format), more];
}

const PRIVATE_LINES = new WeakSet<Diagnostic>();

/** Marks a diagnostic whose line may name a person: the line is shown to those who check the file, but not logged. */
export function keepLineFromLogs(diagnostic: Diagnostic): void {
  PRIVATE_LINES.add(diagnostic);
}

/** Whether the line of a diagnostic may name a person. */
export function isPrivate(diagnostic: Diagnostic): boolean {
  return diagnostic.code === 'wrong-format' || PRIVATE_LINES.has(diagnostic);
}

/** What a message or a hint may quote: an email, or as many digits as a phone number has. */
const ADDRESSES = /[^\s"'`]{1,64}@[^\s"'`]{1,255}|\+?\d(?:[ ().-]?\d){8,30}/g;

/** A text with an ellipsis in place of each address and each long number. */
export function withoutAddresses(text: string): string {
  return text.replace(ADDRESSES, '…');
}

/** Formats a diagnostic for the log of a service. */
function formatForLogs(diagnostic: Diagnostic): string {
  const { line: _, related: _related, hint, ...shown } = diagnostic;
  return formatDiagnostic({
    ...shown,
    message: withoutAddresses(clip(diagnostic.message)),
    ...(hint === undefined || isPrivate(diagnostic) ? {} : { hint: withoutAddresses(clip(hint)) }),
  });
}

/** The parts of a diagnostic that a terminal may show in different styles. */
export type DiagnosticPart = 'place' | 'error' | 'warning' | 'carets' | 'hint';

/** Gives a part of a diagnostic its style. */
export type DiagnosticStyler = (part: DiagnosticPart, text: string) => string;

const PLAIN: DiagnosticStyler = (_, text) => text;

/**
 * `file:line:column: error[code]: message`, the line with carets under the position, the same for a related place,
 * and the hint.
 */
export function formatDiagnostic(diagnostic: Finding): string {
  return readGiven('REQUEST_INVALID', 'the diagnostic', () => styleDiagnostic(diagnostic, PLAIN));
}

/** `formatDiagnostic` with its parts in styles. */
export function styleDiagnostic(diagnostic: Finding, style: DiagnosticStyler): string {
  const { position, line, hint, related } = diagnostic;
  const parts = [headline(diagnostic, style)];
  if (position && line !== undefined) parts.push(excerpt(line, position, style));
  if (related) {
    parts.push(`${style('place', `${placeWords(related)}:`)} ${printable(related.message)}`);
    parts.push(excerpt(related.line, related.position, style));
  }
  if (hint !== undefined) parts.push(`  ${style('hint', 'hint:')} ${printable(clip(hint))}`);
  return parts.join('\n');
}

/** `file:line:column: error[code]: message`, without the line and the hint. */
export function formatDiagnosticLine(diagnostic: Diagnostic): string {
  return headline(diagnostic, PLAIN);
}

function headline({ file, position, severity, code, message }: Finding, style: DiagnosticStyler): string {
  const what = `${style(severity, `${severity}[${code}]:`)} ${printable(clip(message))}`;
  if (file === undefined) return what;
  const where = position ? placeWords({ file, position }) : printable(file);
  return `${style('place', `${where}:`)} ${what}`;
}

/** `file:line:column`. */
export function placeWords({ file, position }: Pick<Place, 'file' | 'position'>): string {
  return `${printable(file)}:${position.line}:${position.column}`;
}

/** Sorts diagnostics in the order of `files`, then by position, errors before warnings at one position. */
export function sortDiagnostics<Given extends Diagnostic>(
  diagnostics: readonly Given[],
  files: readonly string[],
): Given[] {
  const order = new Map(files.map((file, i) => [file, i]));
  const compare = [
    (d: Diagnostic) => order.get(d.file) ?? -1,
    (d: Diagnostic) => d.position?.line ?? 0,
    (d: Diagnostic) => d.position?.column ?? 0,
    (d: Diagnostic) => (d.severity === 'error' ? 0 : 1),
  ];
  return [...diagnostics].sort((a, b) => {
    const by = compare.find((key) => key(a) !== key(b));
    return by ? by(a) - by(b) : 0;
  });
}

/** At most this many characters of a line are shown around the position. */
const EXCERPT_WIDTH = 120;

/** A longer message quotes a file that was not written for people. */
const MESSAGE_WIDTH = 300;

function clip(message: string): string {
  return message.length <= MESSAGE_WIDTH ? message : `${message.slice(0, MESSAGE_WIDTH)}…`;
}

function excerpt(line: string, { line: number, column, length }: Position, style: DiagnosticStyler): string {
  const start = line.length <= EXCERPT_WIDTH ? 0 : Math.max(0, column - 1 - EXCERPT_WIDTH / 2);
  const shown = line.slice(start, start + EXCERPT_WIDTH);
  // Escapes would shift the carets, so each control character becomes replacement characters of its length.
  const text = shown.replace(/\t/g, ' ').replace(HIDDEN, (c) => '\uFFFD'.repeat(c.length));
  const gutter = String(number);
  const carets = '^'.repeat(Math.max(1, Math.min(length, text.length - (column - 1 - start))));
  const indent = ' '.repeat(column - 1 - start);
  return `  ${gutter} | ${text}\n  ${' '.repeat(gutter.length)} | ${indent}${style('carets', carets)}`;
}
