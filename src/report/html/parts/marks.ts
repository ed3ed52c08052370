/** Truths and outcomes -> marks that can be told apart without colour: each has a sign and a word. */

import type { RecordedOutcome } from '../../../audit/entry/entry.ts';
import { TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { type Child, type Markup, span } from '../markup.ts';

const TRUTH_SIGNS = { true: '✓', false: '×', unknown: '?' } as const;

/** The name of a truth, in words and in the stylesheet. */
export function truthName(truth: Truth): keyof typeof TRUTH_SIGNS {
  return truth === TRUE ? 'true' : truth === UNKNOWN ? 'unknown' : 'false';
}

/** A truth: `✓ true`, or its sign with another word. */
export function truthMark(truth: Truth, word?: string): Markup {
  const name = truthName(truth);
  return signed(`truth ${name}`, TRUTH_SIGNS[name], word ?? name);
}

const OUTCOME_SIGNS: Readonly<Record<RecordedOutcome, string>> = {
  ...{ accept: '●', review: '◆', reject: '■' },
  aborted: '○',
};

/** An outcome: its word with a shape of its own. */
export function outcomeMark(outcome: RecordedOutcome): Markup {
  return signed(`outcome ${outcome}`, OUTCOME_SIGNS[outcome], outcome);
}

/** Words after a sign, which only repeats them and is not read aloud. */
export function signed(look: string, sign: string, ...words: readonly Child[]): Markup {
  return span({ class: look }, span({ class: 'sign', 'aria-hidden': 'true' }, sign), ' ', words);
}

/** A property of a rule or a record, such as `final`. */
export function flag(word: string): Markup {
  return span({ class: 'flag' }, word);
}

/** Words of less weight. */
export function soft(...words: readonly Child[]): Markup {
  return span({ class: 'soft' }, words);
}
