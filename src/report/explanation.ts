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
import { CATALOG_TABLE, type FactTable } from '../facts/catalog.ts';
import type { Outcome } from '../policy/language.ts';
import { isOperator, operatorRow } from '../policy/operators.ts';
import { count, printable } from '../text.ts';
import { failedLines, printSections, reasonSections } from './decision.ts';
import {
  type Block,
  type Marked,
  MOST_RULES,
  outcome,
  paragraph,
  type Styler,
  soft,
  strong,
  type Words,
} from './outline.ts';
import { plain, sectionLines, tableLines } from './plain-text.ts';
import { amountWords, factCell, type StateSetting, stateWords, testPhrase, testStates } from './words/fact-states.ts';
import { causeWords, sourceName, sourceState } from './words/missing.ts';
import { noticeLines, reasonLines } from './words/reasons.ts';

export interface ExplanationView {
  readonly style?: Styler;
  /** The facts of the policy. Default: the catalog. */
  readonly table?: FactTable;
  /** Shows all rules that did not fire, not only the nearest. */
  readonly all?: boolean;
  /** The option that shows all of them. Default: --all. */
  readonly others?: string;
  /** The rest of the first line, after the outcome. Default: the policy and the day. */
  readonly title?: string;
  /** Shown at the end. */
  readonly notes?: readonly string[];
}

function aloneSentence(finals: readonly string[]): string {
  const [only] = finals;
  return finals.length === 1 ? `The final rule ${only} decided alone.` : `${finals.length} final rules decided alone.`;
}

/** The text of an explanation. Control characters in values from outside are escaped. */
export function printExplanation(explanation: Explanation, view: ExplanationView = {}): string {
  const { style = (_, text) => text, all = false, table = CATALOG_TABLE } = view;
  const { outcome, policy, day, undetermined, notFired, shadow, decidedBy } = explanation;
  const setting = { day, table };
  const { title = `policy ${policy.name} ${policy.version}, on ${day}`, notes = [], others = '--all' } = view;
  const [because, besides] = reasonSections({ ...explanation, table }, style);
  const alone = decidedBy === undefined ? [] : [`  ${aloneSentence(decidedBy)}`];
  return printSections(outcome, title, style, [
    ['Because', [...alone, ...because]],
    ['Besides', besides],
    ['The applicant may be told', noticeLines(explanation.reasons)],
    ['Failed sources', failedLines(explanation)],
    ['Could not be determined', undetermined.flatMap((rule) => openLines(rule, setting))],
    ['Did not fire, the nearest first', missedLines(notFired, all ? notFired.length : MOST_RULES, setting, others)],
    ['Shadow rules, without effect', shadow.map((each) => `  ${shadowWords(each, outcome)}`)],
    [SETTLED_TITLE, sectionLines(settledBlocks(explanation, setting), style)],
    [changesTitle(explanation), sectionLines(changeBlocks(explanation, setting), style)],
    ['Note', notes.map((note) => `  ${printable(note)}`)],
  ]);
}

/** The text about one rule of an explanation: what it did or what stopped it. Undefined where there is no such rule. */
export function printRule(
  explanation: Explanation,
  id: string,
  { style, table }: Required<Pick<ExplanationView, 'style' | 'table'>>,
): string | undefined {
  const { outcome, reasons, undetermined, notFired, shadow, day } = explanation;
  const fired = reasons.find((reason) => reason.because === 'fired' && reason.rule === id);
  if (fired) return `${id} fired\n${reasonLines([fired], { ...explanation, table }, style).join('\n')}\n`;
  const open = undetermined.find(({ rule }) => rule === id);
  if (open) return `${id} could not be determined\n${openLines(open, { day, table }).join('\n')}\n`;
  const missed = notFired.find(({ rule }) => rule === id);
  if (missed) return `${id} did not fire\n${missedLines([missed], 1, { day, table }, '').join('\n')}\n`;
  const shadowed = shadow.find(({ rule }) => rule === id);
  return shadowed && `${shadowWords(shadowed, outcome)}\n`;
}

/** What a shadow rule does, and what it would have done if it were live. */
function shadowWords({ rule, result, wouldBe }: ExplainedShadow, outcome: Outcome): string {
  const does = result === 'fires' ? 'fires' : 'could not be determined';
  const would = wouldBe === outcome ? `still be ${outcome}` : `be ${wouldBe}`;
  return `${rule} ${does}; were it live, the outcome would ${would}`;
}

const NOT_SEARCHED = 'the tests that it would need were not found out in time';

function openLines(open: OpenRule, setting: StateSetting): readonly string[] {
  const { rule, asks, outcome, points, missing, wouldFireWith, isSearched } = open;
  const meanwhile = [
    asks ? `asks for ${asks} until it is known` : [],
    points ? `${pointWords(points)} possible` : [],
  ].flat();
  const fires = outcome === null || outcome === asks ? 'it would fire if' : `it would fire, for ${outcome}, if`;
  return [
    `  ${rule}: ${meanwhile.join(', ') || 'asks for nothing'}`,
    ...missing.map(({ fact, cause }) => `    - ${fact}: ${causeWords(fact, cause, setting.table)}`),
    ...(isSearched === false ? [`    ${NOT_SEARCHED}`] : wouldFireWith.length === 0 ? ['    it can never fire'] : []),
    ...wouldFireWith.map(
      (test, i) => `    ${i === 0 ? fires : 'and'.padStart(fires.length)} ${openWords(test, setting)}`,
    ),
  ];
}

function openWords(test: TurningTest, setting: StateSetting): string {
  const isMissing = 'missing' in test.is || (test.other && 'missing' in test.other.is);
  const words = plain(testPhrase(test, setting.table));
  return isMissing ? words : `${words} (it is ${plain(stateWords(test.fact, test.is, setting))})`;
}

function missedLines(
  missed: readonly MissedRule[],
  most: number,
  setting: StateSetting,
  others: string,
): readonly string[] {
  const rows = missed.slice(0, most).flatMap((each): string[][] => {
    const asks = [each.outcome ?? [], each.points ? pointWords(each.points) : []].flat().join(' ');
    const name = [each.rule, `${asks}${each.final ? ', final' : ''}${each.shadow ? ', shadow' : ''}`];
    if (each.isSearched === false) return [[...name, NOT_SEARCHED, '', '']];
    if (each.stoppedBy.length === 0) return [[...name, 'its tests contradict each other: it can never fire', '', '']];
    return each.stoppedBy.map((test, i) => [
      ...(i === 0 ? name : ['', '']),
      plain(testPhrase(test, setting.table)),
      plain(testStates(test, setting)),
      missWords(test),
    ]);
  });
  if (rows.length === 0) return [];
  const hidden = missed.length - most;
  const more = hidden > 0 ? [`  and ${count(hidden, 'rule')} more, further away: ${others} shows them`] : [];
  return [...tableLines([['rule', 'asks for', 'would have needed', 'is', 'missed by'], ...rows]), ...more];
}

function pointWords(points: number): string {
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
  otherwise: 'is known; it would have to be different',
  another: 'only another phone number or email has it',
};
