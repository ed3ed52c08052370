/** The facts that settle an outcome, and what would change it -> the words that text and page share. */

import type { Changes, Remedy, StandsOn } from '../../decision/explain/explanation.ts';

export const SUFFICIENT_TITLE = 'Facts that settle the outcome';

export interface SufficientWords {
  readonly lead: string;
  /** The parts of the second sentence before and after the outcome. */
  readonly before: string;
  readonly after: string;
  readonly notes: readonly string[];
}

export function sufficientWords({ facts, isIrreducible }: StandsOn): SufficientWords {
  const size = facts.length;
  if (size === 0)
    return { lead: 'No fact has to be known.', before: 'It is ', after: ' whatever the facts are.', notes: [] };
  const notes = [
    isIrreducible ? [] : 'The search was stopped before it was clear whether each of them is needed.',
    facts.some(({ is }) => 'missing' in is)
      ? 'A missing fact is listed where the outcome could be another if it were known.'
      : [],
  ].flat();
  const [lead, stay] =
    size === 1
      ? ['This one fact settles the outcome.', 'it stays as it is']
      : [
          `These ${size} facts settle the outcome${isIrreducible ? '; none of them can be left out' : ''}.`,
          'they stay as they are',
        ];
  return { lead, before: `As long as ${stay}, it is `, after: ', whatever all other facts are.', notes };
}

/** What is counted: facts, or changes where a source brings several facts at once. */
export function changeNoun({ sets }: Changes): 'fact' | 'change' {
  return sets.some((set) => set.some(({ source }) => source !== undefined)) ? 'change' : 'fact';
}

/** For a search that left out sets for want of examples. */
export const INEXACT_WORDS = 'A set may be missing: for some facts no example was found that fits.';

/** For a search that was stopped without a result. */
export const STOPPED_WORDS = 'No set was found, but not every set of up to three changes could be checked.';

/** How a fact could get the value that it needs. */
export const REMEDY_WORDS: Readonly<Record<Remedy, string>> = {
  askAgain: 'can be requested again',
  give: 'can be supplied',
  mapping: 'the mapping has to be fixed',
  otherwise: 'is known; it would have to be different',
  another: 'only another phone number or email has it',
};
