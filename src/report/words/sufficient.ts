/** What an outcome stands on, and what would lead to another -> the words that text and page share. */

import type { Remedy, StandsOn } from '../../decision/explain/explanation.ts';

/** What the section of the facts that an outcome stands on is called. */
export const SUFFICIENT_TITLE = 'Facts that settle the outcome';

/** What is said of the facts. */
export interface SufficientWords {
  /** What they are. */
  readonly lead: string;
  /** What follows from them, in the two parts between which the outcome stands. */
  readonly before: string;
  readonly after: string;
  /** What else there is to know of them. */
  readonly notes: readonly string[];
}

/** The words about a smallest set of facts that forces the outcome. */
export function sufficientWords({ facts, least }: StandsOn): SufficientWords {
  const size = facts.length;
  const after = ', whatever all other facts are.';
  if (size === 0)
    return { lead: 'No fact has to be known.', before: 'It is ', after: ' whatever the facts are.', notes: [] };
  const set = least === size ? 'are the smallest set that settles' : 'settle';
  return {
    ...(size === 1
      ? { lead: 'This one fact settles the outcome.', before: 'As long as it stays as it is, it is ' }
      : { lead: `These ${size} facts ${set} the outcome.`, before: 'As long as they stay as they are, it is ' }),
    after,
    notes: [
      least === size
        ? []
        : `No set of fewer than ${least} does; whether one of fewer than ${size} does was not found out in time.`,
      facts.some(({ is }) => 'missing' in is)
        ? 'A missing fact is among them where the outcome could be another if it were known.'
        : [],
    ].flat(),
  };
}

/** How a fact could come to be what it would need to be. */
export const REMEDY_WORDS: Readonly<Record<Remedy, string>> = {
  askAgain: 'can be asked for again',
  give: 'can be given',
  mapping: 'the mapping has to be mended',
  otherwise: 'is known; it would have to differ',
  another: 'only another phone number or email has it',
};
