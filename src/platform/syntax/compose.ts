/** A YAML text -> its nodes as the parser understands it, and what it complains about. */

import { Composer, CST, type Document, type ErrorCode, Lexer, type ParsedNode, Parser } from 'yaml';

/** What the parser, or a look at its nodes, finds wrong. */
export interface SyntaxProblem {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  /**
   * Two are not errors of YAML: `DOUBTFUL_ENTRY`, an entry whose meaning in YAML cannot be intended, and
   * `TOO_DEEP`, nesting beyond `MAX_DEPTH`.
   */
  readonly code: ErrorCode | 'DOUBTFUL_ENTRY' | 'TOO_DEEP';
  readonly message: string;
}

/** A text in quotes that does not end on its line. */
export type LongText = Pick<SyntaxProblem, 'start' | 'end'>;

/** What a text contains. */
export interface Composed {
  /** Sorted by their start. */
  readonly problems: readonly SyntaxProblem[];
  readonly longTexts: readonly LongText[];
  /** The root node; null where the document is empty. */
  readonly contents: ParsedNode | null;
  /** Where a second document begins. */
  readonly second: number | undefined;
}

/** Looks at each lexeme, at the offset where it begins; false stops. */
type Look = (lexeme: string, offset: number) => boolean;

/** Deeper nesting is an attack or an accident, and would overflow the stack of recursive readers. */
export const MAX_DEPTH = 64;

/** Composes a text; undefined if `look` stops. */
export function composeText(text: string, look?: Look): Composed | undefined {
  const parser = new Parser();
  const composer = new Composer({ uniqueKeys: false, merge: false, schema: 'core', logLevel: 'silent' });
  const documents: Document.Parsed[] = [];
  const longTexts: LongText[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    const start = parser.offset;
    if (isLongText(lexeme)) longTexts.push({ start, end: start + lexeme.length });
    if (look && !look(lexeme, start)) return undefined;
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    // The parser keeps its own stack, so the depth is known before anything recursive runs.
    if (parser.stack.length > MAX_DEPTH) {
      const problem = { start, end: start + 1, code: 'TOO_DEEP', message: '' } as const;
      return { problems: [problem], longTexts, contents: null, second: undefined };
    }
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(true, text.length));
  const problems = documents
    .flatMap((document) => [...document.errors, ...document.warnings])
    .map(({ pos: [start, end], code, message }) => ({ start, end, code, message }))
    .sort((a, b) => a.start - b.start);
  return { problems, longTexts, contents: documents[0]?.contents ?? null, second: documents[1]?.range[0] };
}

function isLongText(lexeme: string): boolean {
  const mark = lexeme[0];
  return (mark === '"' || mark === "'") && (lexeme.includes('\n') || lexeme.length === 1 || !lexeme.endsWith(mark));
}

/** The type of the token that a lexeme begins. */
export function tokenType(lexeme: string): string {
  return CST.tokenType(lexeme) ?? '';
}

/** Whether a lexeme announces a scalar without quotes, which is the next lexeme. */
export function announcesPlain(lexeme: string): boolean {
  return lexeme === CST.SCALAR;
}
