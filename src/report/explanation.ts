/** An explanation -> text: why, why not, the facts that settle the outcome, and what would change it. */

import { ANY_VALUE } from '../decision/explain/describe-change.ts';
import type {
  Changes,
  ExplainedShadow,
  Explanation,
  FactState,
  MissedRule,
  NeededFact,
  OpenRule,
  Remedy,
  StandsOn,
  TurningTest,
} from '../decision/explain/explanation.ts';
import { testWords, valueWords } from '../decision/explain/sentence.ts';
import { CATALOG_TABLE, type FactTable } from '../facts/catalog.ts';
import type { Outcome } from '../policy/language.ts';
import { isOperator, operatorRow } from '../policy/operators.ts';
import { count, printable } from '../text.ts';
import { failedLines, printSections, reasonSections } from './decision.ts';
import { MOST_RULES, outcome, type Styler, soft, type Words } from './outline.ts';
import { plain, tableLines } from './plain-text.ts';
import { causeWords, sourceName, sourceState } from './words/missing.ts';
import { amountWords, noticeLines, reasonLines, type StateSetting, stateWords } from './words/reasons.ts';

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
    [SUFFICIENT_TITLE, sufficientLines(explanation, setting)],
    [`What would lead to ${explanation.changes.to}`, changeLines(explanation.changes, setting)],
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
  return isMissing ? testWords(test) : `${testWords(test)} (it is ${stateText(test.fact, test.is, setting)})`;
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
      testWords(test),
      [
        stateText(test.fact, test.is, setting),
        ...(test.other ? [`${test.other.fact}: ${stateText(test.other.fact, test.other.is, setting)}`] : []),
      ].join('; '),
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

function stateText(path: string, state: FactState, setting: StateSetting): string {
  return plain(stateWords(path, state, setting));
}

function sufficientLines({ standsOn, outcome: to }: Explanation, setting: StateSetting): readonly string[] {
  const [lead, stays, ...notes] = sufficientWords(standsOn, to).map((words) => `  ${plain(words)}`);
  const rows = standsOn.facts.map(({ fact, is }) => [fact, stateText(fact, is, setting)]);
  return [lead ?? '', stays ?? '', ...tableLines(rows), ...notes];
}

function changeLines(changes: Changes, setting: StateSetting): readonly string[] {
  const { result, size, sets, more, isExact } = changes;
  const notes = changeNotes(changes).map((words) => `  ${plain(words)}`);
  if (result !== 'found') return notes;
  const noun = changeNoun(changes);
  const verb = noun === 'fact' ? 'would have to change' : size === 1 ? 'is needed' : 'are needed';
  const which = sets.length + more === 1 ? 'This' : 'Each of these sets';
  const rows = sets.flatMap((set, i) => {
    const number = sets.length > 1 ? `${i + 1}.` : '';
    return neededRows(set).map((row, at) => [at === 0 ? number : '', ...neededCells(row, setting)]);
  });
  const hidden = more > 0 ? [`  and ${count(more, 'more set')} of ${count(size, noun)}`] : [];
  return [
    `  ${count(size, noun)} ${verb}${isExact ? ', no fewer' : ''}. ${which} is enough:`,
    ...tableLines([['', 'fact', 'is', 'would have to be', 'for example', ''], ...rows]),
    ...hidden,
    ...notes,
  ];
}

/** A row of what a set needs: a fact, a source that has to answer, or a fact that its answer brings. */
interface NeededRow {
  readonly row: 'fact' | 'source' | 'answer';
  readonly needed: NeededFact;
  /** How it could come about; empty where the row says it already. */
  readonly how: string;
}

/** The rows of a set. The facts of one source stand below it, those left out that may have any value. */
export function neededRows(set: readonly NeededFact[]): readonly NeededRow[] {
  return set.flatMap((needed, i): readonly NeededRow[] => {
    const { source, needs, remedy } = needed;
    const how = REMEDY_WORDS[remedy];
    // The value that it would have to have is in the same row, so that this remedy needs no words.
    if (source === undefined) return [{ row: 'fact', needed, how: remedy === 'otherwise' ? '' : how }];
    return [
      ...(source === set[i - 1]?.source ? [] : [{ row: 'source', needed, how } as const]),
      ...(needs === ANY_VALUE ? [] : [{ row: 'answer', needed, how: '' } as const]),
    ];
  });
}

function neededCells({ row, needed, how }: NeededRow, setting: StateSetting): readonly string[] {
  const { fact, source = '', is, needs, example } = needed;
  if (row === 'source') return [sourceName(source), sourceState(is), 'would have to answer', '', how];
  const name = row === 'fact' ? [fact, stateText(fact, is, setting)] : [`  ${fact}`, ''];
  return [...name, printable(needs), printable(valueWords(example)), how];
}

export const SUFFICIENT_TITLE = 'Facts that settle the outcome';

/** What the facts settle: two sentences, and notes. */
export function sufficientWords({ facts, isIrreducible }: StandsOn, to: Outcome): readonly Words[] {
  const size = facts.length;
  if (size === 0) return ['No fact has to be known.', ['It is ', outcome(to), ' whatever the facts are.']];
  const [lead, stay] =
    size === 1
      ? ['This one fact settles the outcome.', 'it stays as it is']
      : [
          `These ${size} facts settle the outcome${isIrreducible ? '; none of them can be left out' : ''}.`,
          'they stay as they are',
        ];
  return [
    lead,
    [`As long as ${stay}, it is `, outcome(to), ', whatever all other facts are.'],
    isIrreducible ? [] : ['The search was stopped before it was clear whether each of them is needed.'],
    facts.some(({ is }) => 'missing' in is)
      ? ['A missing fact is listed where the outcome could be another if it were known.']
      : [],
  ].filter((words) => words.length > 0);
}

/** Why no changes are listed, and whether some may be missing; nothing where the outcome is that one already. */
export function changeNotes({ to, result, isExact }: Changes): readonly Words[] {
  const inexact = isExact ? [] : [soft(INEXACT_WORDS)];
  switch (result) {
    case 'there':
      return [];
    case 'found':
      return inexact;
    case 'never':
      return [['No values of any facts lead to ', outcome(to), ', with this phone number, email and IP.'], ...inexact];
    case 'moreThanThree':
      return [['More than three changes would be needed to lead to ', outcome(to), '.'], ...inexact];
    case 'stopped':
      return ['No set was found, but not every set of up to three changes could be checked.'];
  }
}

/** What is counted: facts, or changes where a source brings several facts at once. */
export function changeNoun({ sets }: Changes): 'fact' | 'change' {
  return sets.some((set) => set.some(({ source }) => source !== undefined)) ? 'change' : 'fact';
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
