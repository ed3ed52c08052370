/** Truths and outcomes -> marks that can be told apart without colour: each has a sign and a word. */

import { TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Outcome } from '../../../policy/language.ts';
import { element, type Markup } from '../markup.ts';

/** How a truth looks. The class names are those of the stylesheet. */
interface TruthLook {
  readonly class: 'true' | 'false' | 'unknown';
  readonly sign: string;
}

const LOOKS: Readonly<Record<'true' | 'false' | 'unknown', TruthLook>> = {
  true: { class: 'true', sign: '✓' },
  false: { class: 'false', sign: '×' },
  unknown: { class: 'unknown', sign: '?' },
};

/** What a truth is called, in words and in the stylesheet. */
export function truthName(truth: Truth): 'true' | 'false' | 'unknown' {
  return truth === TRUE ? 'true' : truth === UNKNOWN ? 'unknown' : 'false';
}

/** A truth: `✓ true`, or its sign with another word. */
export function truthMark(truth: Truth, word?: string): Markup {
  const name = truthName(truth);
  const { class: look, sign } = LOOKS[name];
  return element(
    'span',
    { class: `truth ${look}` },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
    ' ',
    word ?? name,
  );
}

const OUTCOME_SIGNS: Readonly<Record<Outcome, string>> = { accept: '●', review: '◆', reject: '■' };

/** An outcome: its word with a shape of its own. */
export function outcomeMark(outcome: Outcome): Markup {
  return element(
    'span',
    { class: `outcome ${outcome}` },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, OUTCOME_SIGNS[outcome]),
    ' ',
    outcome,
  );
}

/** Something that holds of a rule or a record, such as `final`. */
export function flag(word: string): Markup {
  return element('span', { class: 'flag' }, word);
}
