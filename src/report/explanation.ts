/** An explanation -> text: why, why not, the facts that settle the outcome, and what would change it. */

import { ANY_VALUE } from '../decision/explain/describe-change.ts';
import type {
  Changes,
  ExplainedShadow,
  Explanation,
  MissedRule,
  NeededFact,
  OpenRule,
  Remedy,
  TurningTest,
} from '../decision/explain/explanation.ts';
import type { Outcome } from '../policy/language.ts';
import { isOperator, operatorRow } from '../policy/operators.ts';
import { count } from '../text.ts';
import { printSections, type Section, type ShownDecision, sectionTexts, verdictSections } from './decision.ts';
import {
  type Block,
  type Marked,
  MOST_RULES,
  outcome,
  paragraph,
  type Styler,
  soft,
  strong,
  type TextBlock,
  type Words,
} from './outline.ts';
import { amountWords, factCell, type StateSetting, stateWords, testPhrase, testStates } from './words/fact-states.ts';
import { sourceName, sourceState } from './words/missing.ts';

export interface ExplanationView {
  readonly style: Styler;
  /** Shows all rules that did not fire, not only the nearest. */
  readonly all?: boolean | undefined;
  /** The option that shows all of them. Default: --all. */
  readonly others?: string;
}

/** A decision with its explanation, which may take its place. */
export interface Explained extends ShownDecision {
  readonly explanation: Explanation;
}

/** The text of an explanation. */
export function printExplanation(explained: Explained, view: ExplanationView): string {
  const { explanation, policy, day } = explained;
  const setting = { day, table: policy.facts };
  const sections: readonly Section[] = [
    ...ruleSections(explained, view),
    [SETTLED_TITLE, settledBlocks(explanation, setting)],
    [changesTitle(explanation), changeBlocks(explanation, setting)],
  ];
  return printSections(explained, sections, view.style);
}

/** What it says of the rules alone, which may be a single one. */
export function printRules(explained: Explained, style: Styler): string {
  return sectionTexts(ruleSections(explained, { all: true }), style).join('\n');
}

function ruleSections(explained: Explained, view: Pick<ExplanationView, 'all' | 'others'>): readonly Section[] {
  const { explanation, policy, day } = explained;
  const { undetermined, notFired, shadow, outcome: to } = explanation;
  const setting = { day, table: policy.facts };
  return [
    ...verdictSections(explained),
    ['Could not be determined', openBlocks(undetermined, setting)],
    ['Did not fire, the nearest first', missedBlocks(notFired, setting, view)],
    ['Shadow rules, without effect', shadow.map((each) => paragraph(shadowWords(each, to)))],
  ];
}

/** What a shadow rule does, and what it would have done if it were live. */
function shadowWords({ rule, result, wouldBe }: ExplainedShadow, to: Outcome): string {
  const does = result === 'fires' ? 'fires' : 'could not be determined';
  const would = wouldBe === to ? `still be ${to}` : `be ${wouldBe}`;
  return `${rule} ${does}; were it live, the outcome would ${would}`;
}

/** Rules that could not be determined, with the tests that would make them fire. */
function openBlocks(open: readonly OpenRule[], setting: StateSetting): readonly TextBlock[] {
  const rows = open.flatMap(({ rule, asks, outcome: to, points, wouldFireWith, isSearched }) => {
    const then = to === null || to === asks ? [] : `${to} if it fires`;
    const what = [asks ? `${asks} until it is known` : [], then, points ? `${signed(points)} possible` : []].flat();
    return testRows([rule, what.join(', ') || 'nothing'], wouldFireWith, isSearched, setting);
  });
  return rows.length === 0 ? [] : [{ is: 'table', columns: ['rule', 'asks for', 'would fire if', 'is'], rows }];
}

/** Rules that did not fire, with the tests that stopped them. */
function missedBlocks(
  missed: readonly MissedRule[],
  setting: StateSetting,
  { all = false, others = '--all' }: Pick<ExplanationView, 'all' | 'others'>,
): readonly TextBlock[] {
  if (missed.length === 0) return [];
  const shown = all ? missed : missed.slice(0, MOST_RULES);
  const hidden = missed.length - shown.length;
  const rows = shown.flatMap(({ rule, outcome: to, points, final, shadow, stoppedBy, isSearched }) => {
    const asks = [to ?? [], points ? signed(points) : []].flat().join(' ');
    const name = [rule, `${asks}${final ? ', final' : ''}${shadow ? ', shadow' : ''}`];
    return testRows(name, stoppedBy, isSearched, setting);
  });
  return [
    { is: 'table', columns: ['rule', 'asks for', 'would have needed', 'is', 'missed by'], rows },
    ...(hidden > 0 ? [paragraph(`and ${count(hidden, 'rule')} more, further away: ${others} shows them`)] : []),
  ];
}

/** A row for each test that would have to change, after the name of its rule. */
function testRows(
  name: readonly string[],
  tests: readonly TurningTest[],
  isSearched: boolean | undefined,
  setting: StateSetting,
): readonly (readonly Words[])[] {
  if (isSearched === false) return [[...name, 'the steps ended before its tests were found']];
  if (tests.length === 0) return [[...name, 'its tests contradict each other: it can never fire']];
  return tests.map((test, i) => [
    ...(i === 0 ? name : ['', '']),
    testPhrase(test, setting.table),
    testStates(test, setting),
    missWords(test),
  ]);
}

function signed(points: number): string {
  return points < 0 ? String(points) : `+${points}`;
}

/** The distance, or for names, which have none, whether they are in the list. */
function missWords({ missedBy, is, other, operator, negated }: TurningTest): string {
  if ('missing' in is || (other && 'missing' in other.is)) return '';
  if (missedBy?.amount === 0) return 'is at the limit';
  if (missedBy) return amountWords(missedBy);
  if (!isOperator(operator)) return '';
  const { argument, negates } = operatorRow(operator);
  if (negates !== undefined) return '';
  if (argument === 'values') return negated ? 'one of them' : 'none of them';
  if (argument === 'list') return negated ? 'in the list' : 'not in the list';
  return '';
}

export const SETTLED_TITLE = 'Facts that settle the outcome';

export function changesTitle({ changes }: Explanation): string {
  return `What would lead to ${changes.to}`;
}

/** A longer list of facts is folded on a page. */
const MOST_OPEN = 8;

/** What the facts settle, and those facts. */
export function settledBlocks({ standsOn, outcome: to }: Explanation, setting: StateSetting): readonly Block[] {
  const { facts, isIrreducible } = standsOn;
  const size = facts.length;
  if (size === 0)
    return [paragraph('No fact has to be known.'), paragraph('It is ', outcome(to), ' whatever the facts are.')];
  const [lead, stay] =
    size === 1
      ? ['This one fact settles the outcome.', 'it stays as it is']
      : [
          `These ${size} facts settle the outcome${isIrreducible ? '; none of them can be left out' : ''}.`,
          'they stay as they are',
        ];
  const notes = [
    isIrreducible ? [] : 'The search was stopped before it was clear whether each of them is needed.',
    facts.some(({ is }) => 'missing' in is)
      ? 'A missing fact is listed where the outcome could be another if it were known.'
      : [],
  ].flat();
  const folded = size > MOST_OPEN ? `The ${size} facts` : undefined;
  return [
    paragraph(lead),
    paragraph(`As long as ${stay}, it is `, outcome(to), ', whatever all other facts are.'),
    ...notes.map((note) => paragraph(note)),
    {
      ...{ is: 'table', columns: ['fact', 'is'] },
      rows: facts.map(({ fact, is }) => [factCell(fact, setting.table), stateWords(fact, is, setting)]),
      page: { id: 'sufficient-facts', caption: 'The facts and their values', width: 'tight', folded },
    },
  ];
}

/** What would lead to another outcome, or why nothing is listed; none where the outcome is that one already. */
export function changeBlocks({ changes }: Explanation, setting: StateSetting): readonly Block[] {
  const { to, result, isExact } = changes;
  const inexact = isExact ? [] : [paragraph(soft(INEXACT_WORDS))];
  switch (result) {
    case 'there':
      return [];
    case 'found':
      return [...setBlocks(changes, setting), ...inexact];
    case 'never':
      return [
        paragraph('No values of any facts lead to ', outcome(to), ', with this phone number, email and IP.'),
        ...inexact,
      ];
    case 'moreThanThree':
      return [paragraph('More than three changes would be needed to lead to ', outcome(to), '.'), ...inexact];
    case 'stopped':
      return [paragraph('No set was found, but not every set of up to three changes could be checked.')];
  }
}

/** Alternatives, and what each of them takes. */
function setBlocks({ to, size, sets, more, isExact }: Changes, setting: StateSetting): readonly Block[] {
  const isOne = sets.length + more === 1;
  // Where a source brings several facts at once, they are one change.
  const noun = sets.flat().some(({ source }) => source !== undefined) ? 'changes' : 'facts';
  const isRemedied = sets.flat().some(({ remedy }) => remedy !== 'otherwise');
  const rows = sets.flatMap((set, i) =>
    setRows(set, setting).map((row, at) => [
      ...(isOne ? [] : [at > 0 ? '' : i === 0 ? '1' : `or ${i + 1}`]),
      ...row.slice(0, isRemedied ? undefined : -1),
    ]),
  );
  return [
    paragraph(
      isOne ? 'This change leads to ' : 'Any one of these changes leads to ',
      outcome(to),
      size === 1 ? '. ' : `: ${size} ${noun} together${isExact ? ', no fewer' : ''}. `,
      `${isOne ? 'It' : 'Each'} was decided again with its examples.`,
    ),
    {
      ...{ is: 'table', isGrouped: !isOne, rows },
      columns: [isOne ? [] : 'change', 'fact', 'is', 'would have to be', 'for example', isRemedied ? 'how' : []].flat(),
      page: { id: 'change-sets', caption: isOne ? 'The change' : 'The changes', width: 'wide' },
    },
    ...(more > 0 ? [paragraph(soft(`There are ${count(more, 'more change')} of that size.`))] : []),
  ];
}

/** The rows of a set. The facts of one source follow it, those left out that may have any value. */
function setRows(set: readonly NeededFact[], setting: StateSetting): readonly (readonly Words[])[] {
  return set.flatMap(({ fact, source, is, needs, example, remedy }, i) => {
    const and = i === 0 ? [] : soft('and ');
    const asked = [needs, stateWords(fact, { value: example }, setting)];
    const name = factCell(fact, setting.table);
    // The value that it would have to have is in the same row, so that this remedy needs no words.
    const how = source === undefined && remedy === 'otherwise' ? '' : REMEDY_WORDS[remedy];
    if (source === undefined) return [[[and, name], stateWords(fact, is, setting), ...asked, how]];
    const state: Marked = { mark: 'missing', of: sourceState(is) };
    return [
      ...(source === set[i - 1]?.source
        ? []
        : [[[and, 'the answer of ', strong(sourceName(source))], state, 'would have to come', '', how]]),
      ...(needs === ANY_VALUE ? [] : [[[soft('with '), name], '', ...asked, '']]),
    ];
  });
}

/** For a search that left out sets because no example fits. */
const INEXACT_WORDS = 'A set may be missing: for some facts no example was found that fits.';

/** How a fact could get the value that it needs. */
const REMEDY_WORDS: Readonly<Record<Remedy, string>> = {
  askAgain: 'can be requested again',
  give: 'can be supplied',
  mapping: 'the mapping has to be fixed',
  wait: 'is known once it was counted for long enough',
  otherwise: 'is known; it would have to be different',
  another: 'only another phone number or email has it',
};
