/** What a mistake of syntax is: the place, what is said of it, and the edits that make the text what was meant. */

import type { Replacement } from '../files/source.ts';
import type { Composed, SyntaxProblem } from './compose.ts';
import type { Page } from './page.ts';

/** A guess at the mistake behind a problem. It counts if the text with its edits can be read further. */
export interface Mistake {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  /** What was found, then what was expected. It quotes no text: a file may hold personal data. */
  readonly message: string;
  /** Default: the corrected line. */
  readonly hint?: string;
  readonly edits: readonly Replacement[];
  /** The 0-based line up to which the edits correct the text; default: the line of the problem. */
  readonly correctsUpTo?: number;
  /** Whether something else may have been meant, so that the edits are a proposal. */
  readonly isGuess?: boolean;
  /** Other edits: if the text with these can be read too, and says something else, the mistake is a guess. */
  readonly rivals?: readonly (readonly Replacement[])[];
}

/** Guesses of one kind, the likeliest first. */
export type Guesser = (problem: SyntaxProblem, page: Page, composed: Composed) => Iterable<Mistake>;
