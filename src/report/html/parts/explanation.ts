/** An explanation -> the facts that settle the outcome, and what would lead to another. */

import type { Changes, Explanation } from '../../../decision/explain/explanation.ts';
import { count } from '../../../text.ts';
import { valueWords } from '../../words/reasons.ts';
import { INEXACT_WORDS, REMEDY_WORDS, STOPPED_WORDS, sufficientWords } from '../../words/sufficient.ts';
import { type Child, details, p, summary } from '../markup.ts';
import { outcomeMark } from './marks.ts';
import { codeValue, factName, type PhraseSetting, stateWords } from './phrases.ts';
import { table } from './table.ts';

/** Longer lists of facts are collapsed. */
const MOST_OPEN = 8;

export function sufficientPart({ standsOn, outcome }: Explanation, setting: PhraseSetting): Child {
  const { facts } = standsOn;
  const { lead, before, after, notes } = sufficientWords(standsOn);
  const sentence = p(lead, ' ', before, outcomeMark(outcome), after);
  if (facts.length === 0) return sentence;
  const list = table({
    id: 'sufficient-facts',
    caption: 'The facts and their values',
    columns: ['Fact', 'Is'],
    width: 'tight',
    rows: facts.map(({ fact, is }) => [factName(fact), stateWords(is, fact, setting)]),
  });
  return [
    sentence,
    notes.map((note) => p(note)),
    facts.length <= MOST_OPEN ? list : details({ class: 'more' }, summary(`The ${facts.length} facts`), list),
  ];
}

/** What would lead to another outcome; undefined where that outcome is the present one. */
export function changesPart({ changes }: Explanation, setting: PhraseSetting): Child {
  const { to, result, isExact } = changes;
  if (result === 'there') return undefined;
  const inexact = isExact || result === 'stopped' ? undefined : p({ class: 'soft' }, INEXACT_WORDS);
  const sentences: Readonly<Record<Exclude<Changes['result'], 'found' | 'there'>, Child>> = {
    never: ['No values of any facts lead to ', outcomeMark(to), ', with this phone number, email and IP.'],
    moreThanThree: ['More than three facts would have to change to lead to ', outcomeMark(to), '.'],
    stopped: STOPPED_WORDS,
  };
  return [result === 'found' ? setsPart(changes, setting) : p(sentences[result]), inexact];
}

function setsPart({ to, sets, more }: Changes, setting: PhraseSetting): Child {
  const size = sets[0]?.length ?? 0;
  const isOne = sets.length + more === 1;
  return [
    p(
      `${count(size, 'fact')} would have to change to lead to `,
      outcomeMark(to),
      `, no fewer. ${isOne ? 'This' : 'Each of these sets'} is enough, and was decided again with its examples.`,
    ),
    table({
      id: 'change-sets',
      caption: `What would lead to ${to}`,
      columns: ['Set', 'Fact', 'Is', 'Would have to be', 'For example', 'How'],
      width: 'wide',
      groups: sets.map((set, i) => ({
        name: `${i + 1}`,
        rows: set.map(({ fact, is, needs, example, remedy }) => [
          factName(fact),
          stateWords(is, fact, setting),
          needs,
          codeValue(valueWords(example)),
          REMEDY_WORDS[remedy],
        ]),
      })),
    }),
    more > 0 ? p({ class: 'soft' }, `There are ${count(more, 'more set')} of that size.`) : undefined,
  ];
}
