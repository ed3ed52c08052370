/** An explanation -> the facts that settle the outcome, and what would lead to another. */

import type { Changes, Explanation, NeededFact } from '../../../decision/explain/explanation.ts';
import { count } from '../../../text.ts';
import { changeNotes, changeNoun, neededRows, sufficientWords } from '../../explanation.ts';
import { sourceName, sourceState } from '../../words/missing.ts';
import { wordsOf } from '../html.ts';
import { type Child, details, p, span, strong, summary } from '../markup.ts';
import { factName, outcomeMark, type PhraseSetting, stateWords } from './phrases.ts';
import { NONE, table } from './table.ts';

/** Longer lists of facts are collapsed. */
const MOST_OPEN = 8;

export function sufficientPart({ standsOn, outcome }: Explanation, setting: PhraseSetting): Child {
  const { facts } = standsOn;
  const [lead = '', stays = '', ...notes] = sufficientWords(standsOn, outcome).map(wordsOf);
  const sentence = p(lead, ' ', stays);
  if (facts.length === 0) return sentence;
  const list = table({
    id: 'sufficient-facts',
    caption: 'The facts and their values',
    columns: ['Fact', 'Is'],
    width: 'tight',
    rows: facts.map(({ fact, is }) => [factName(fact, setting.table), stateWords(is, fact, setting)]),
  });
  return [
    sentence,
    notes.map((note) => p(note)),
    facts.length <= MOST_OPEN ? list : details({ class: 'more' }, summary(`The ${facts.length} facts`), list),
  ];
}

/** What would lead to another outcome; undefined where that outcome is the present one. */
export function changesPart({ changes }: Explanation, setting: PhraseSetting): Child {
  const { result } = changes;
  if (result === 'there') return undefined;
  const notes = changeNotes(changes).map((words) => p(wordsOf(words)));
  return [result === 'found' ? setsPart(changes, setting) : undefined, notes];
}

/** Alternatives, and what each of them takes. */
function setsPart(changes: Changes, setting: PhraseSetting): Child {
  const { to, size, sets, more, isExact } = changes;
  const noun = changeNoun(changes);
  const isOne = sets.length + more === 1;
  const isRemedied = sets.flat().some(({ remedy }) => remedy !== 'otherwise');
  const rowsOf = (set: readonly NeededFact[]) => setRows(set, isRemedied, setting);
  return [
    p(
      isOne ? 'This change leads to ' : 'Any one of these changes leads to ',
      outcomeMark(to),
      size === 1 ? '. ' : `: ${size} ${noun}s together${isExact ? ', no fewer' : ''}. `,
      `${isOne ? 'It' : 'Each'} was decided again with its examples.`,
    ),
    table({
      id: 'change-sets',
      caption: isOne ? 'The change' : 'The changes',
      columns: [
        ...(isOne ? [] : ['Change']),
        'Fact',
        'Is',
        'Would have to be',
        'For example',
        ...(isRemedied ? ['How'] : []),
      ],
      width: 'wide',
      ...(isOne
        ? { rows: sets.flatMap(rowsOf) }
        : { groups: sets.map((set, i) => ({ name: i === 0 ? '1' : `or ${i + 1}`, rows: rowsOf(set) })) }),
    }),
    more > 0 ? p({ class: 'soft' }, `There are ${count(more, 'more change')} of that size.`) : undefined,
  ];
}

/** The rows of a set; with a last column, where one of them says how it could come about. */
function setRows(set: readonly NeededFact[], isRemedied: boolean, setting: PhraseSetting): (readonly Child[])[] {
  return neededRows(set).map(({ row, needed, how }, i) => {
    const { fact, source = '', is, needs, example } = needed;
    const last = isRemedied ? [how || NONE] : [];
    const and = i === 0 ? '' : span({ class: 'and' }, 'and ');
    if (row === 'source') {
      const state = span({ class: 'missing' }, sourceState(is));
      return [[and, 'The answer of ', strong(sourceName(source))], state, 'would have to come', NONE, ...last];
    }
    const name = factName(fact, setting.table);
    const known =
      row === 'fact' ? [[and, name], stateWords(is, fact, setting)] : [[span({ class: 'and' }, 'with '), name], NONE];
    return [...known, needs, stateWords({ value: example }, fact, setting), ...last];
  });
}
