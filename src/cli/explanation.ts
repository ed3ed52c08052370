/** An explanation -> text for people: why, why not, what it stands on, and what would change it. */

import type {
  Changes,
  Explanation,
  FactState,
  MissedRule,
  NeededFact,
  OpenRule,
  Remedy,
  TurningTest,
} from '../decision/explain/explanation.ts';
import type { Distance } from '../decision/explain/miss.ts';
import { count, printable } from '../diagnostics.ts';
import { daysBetween, isDay } from '../facts/day.ts';
import { MOST_RULES } from './arguments.ts';
import type { Styler } from './io.ts';
import { CAUSE_WORDS, MISSING_FOUNDATION, OUTCOME_STYLES, reasonLines, testWords, valueWords } from './reasons.ts';

/** How much is shown. */
export interface ExplanationView {
  readonly style?: Styler;
  /** All rules that did not fire, not only the nearest. */
  readonly all?: boolean;
  /** What stands behind the outcome. Default: the policy and the day. */
  readonly title?: string;
  /** What else there is to say, at the end. */
  readonly notes?: readonly string[];
}

/** The text of an explanation. Whatever came from outside is shown without control characters. */
export function formatExplanation(explanation: Explanation, view: ExplanationView = {}): string {
  const { style = (_, text) => text, all = false } = view;
  const { outcome, policy, day, reasons, undetermined, notFired, shadow, decidedBy } = explanation;
  const { title = `policy ${policy.name} ${policy.version}, on ${day}`, notes = [] } = view;
  const of = (isDecisive: boolean) =>
    reasonLines(
      reasons.filter(({ decisive }) => decisive === isDecisive),
      explanation,
      style,
    );
  const alone = decidedBy === undefined ? [] : [`  The rule ${decidedBy} is final: it decided alone.`];
  const head = style(OUTCOME_STYLES[outcome], style('bold', outcome.toUpperCase()));
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Because', [...alone, ...of(true)]],
    ['Besides', of(false)],
    ['Could not be determined', undetermined.flatMap((rule) => openLines(rule, day))],
    ['Did not fire, the nearest first', missedLines(notFired, all ? notFired.length : MOST_RULES, day)],
    ['Shadow rules, without effect', shadow.map(({ rule, result }) => `  ${rule}: ${result}`)],
    ['Stands on', foundationLines(explanation)],
    [`What would lead to ${explanation.changes.to}`, changeLines(explanation.changes, day)],
    ['Note', notes.map((note) => `  ${printable(note)}`)],
  ];
  const texts = sections.filter(([, lines]) => lines.length > 0);
  return [
    `${head}  ${printable(title)}\n`,
    ...texts.map(([title, lines]) => `${style('bold', title)}\n${lines.join('\n')}\n`),
  ].join('\n');
}

/** What one rule of an explanation did, and what stopped it; undefined where it has no such rule. */
export function formatRule(explanation: Explanation, id: string, style: Styler): string | undefined {
  const { reasons, undetermined, notFired, shadow, day } = explanation;
  const fired = reasons.find((reason) => reason.because === 'fired' && reason.rule === id);
  if (fired) return `${id} fired\n${reasonLines([fired], explanation, style).join('\n')}\n`;
  const open = undetermined.find(({ rule }) => rule === id);
  if (open) return `${id} could not be determined\n${openLines(open, day).join('\n')}\n`;
  const missed = notFired.find(({ rule }) => rule === id);
  if (missed) return `${id} did not fire\n${missedLines([missed], 1, day).join('\n')}\n`;
  const tried = shadow.find(({ rule }) => rule === id);
  return tried && `${id} is a shadow rule, without effect: ${tried.result}\n`;
}

function openLines(open: OpenRule, day: string): readonly string[] {
  const { rule, asks, outcome, points, missing, wouldFireWith } = open;
  const meanwhile = [
    asks ? `asks for ${asks} until it is known` : [],
    points === undefined ? [] : `${pointWords(points)} possible`,
  ].flat();
  const fires = outcome === null || outcome === asks ? 'it would fire if' : `it would fire, for ${outcome}, if`;
  return [
    `  ${rule}: ${meanwhile.join(', ') || 'asks for nothing'}`,
    ...missing.map(({ fact, cause }) => `    - ${fact}: ${CAUSE_WORDS[cause]}`),
    ...(wouldFireWith.length === 0 ? ['    it can never fire'] : []),
    ...wouldFireWith.map((test, i) => `    ${i === 0 ? fires : 'and'.padStart(fires.length)} ${openWords(test, day)}`),
  ];
}

function openWords(test: TurningTest, day: string): string {
  const isMissing = 'missing' in test.is || (test.other && 'missing' in test.other.is);
  return isMissing ? testWords(test) : `${testWords(test)} (it is ${stateWords(test.is, day)})`;
}

function missedLines(missed: readonly MissedRule[], most: number, day: string): readonly string[] {
  const rows = missed.slice(0, most).flatMap((each): string[][] => {
    const asks = [each.outcome ?? [], each.points === undefined ? [] : pointWords(each.points)].flat().join(' ');
    const name = [each.rule, `${asks}${each.final ? ', final' : ''}${each.shadow ? ', shadow' : ''}`];
    if (each.stoppedBy.length === 0) return [[...name, 'its tests contradict each other: it can never fire', '', '']];
    return each.stoppedBy.map((test, i) => [
      ...(i === 0 ? name : ['', '']),
      testWords(test),
      [stateWords(test.is, day), ...(test.other ? [`${test.other.fact}: ${stateWords(test.other.is, day)}`] : [])].join(
        '; ',
      ),
      missWords(test),
    ]);
  });
  if (rows.length === 0) return [];
  const left = missed.length - most;
  const more = left > 0 ? [`  and ${count(left, 'rule')} more, further away`] : [];
  return [...tableLines([['rule', 'asks for', 'would have needed', 'is', 'missed by'], ...rows]), ...more];
}

function pointWords(points: number): string {
  return points < 0 ? String(points) : `+${points}`;
}

const UNITS: Readonly<Record<Distance['unit'], string>> = { number: '', days: 'day', levels: 'level' };

/** By how much; names are in a list or not, and have no distance. */
function missWords({ missedBy, is, other, operator, negated }: TurningTest): string {
  if ('missing' in is || (other && 'missing' in other.is)) return '';
  if (missedBy?.amount === 0) return 'is at the limit';
  if (missedBy)
    return UNITS[missedBy.unit] === '' ? String(missedBy.amount) : count(missedBy.amount, UNITS[missedBy.unit]);
  if (operator === 'in') return negated ? 'one of them' : 'none of them';
  if (operator === 'inList' || operator === 'inDomainList') return negated ? 'in the list' : 'not in the list';
  return '';
}

function stateWords(state: FactState, day: string): string {
  if ('missing' in state) return `missing: ${CAUSE_WORDS[state.missing]}`;
  if ('hidden' in state) return '(not shown)';
  const { value } = state;
  if (typeof value !== 'string' || !isDay(value)) return printable(valueWords(value));
  const age = daysBetween(value, day);
  return `${value} (${age < 0 ? `in ${count(-age, 'day')}` : `${count(age, 'day')} ago`})`;
}

function foundationLines({ standsOn: { facts, least: fewest }, outcome, day }: Explanation): readonly string[] {
  if (facts.length === 0) return [`  Nothing: it is ${outcome} whatever the facts are.`];
  const one = facts.length === 1;
  const least = fewest === facts.length ? 'no smaller set does' : `no set of fewer than ${fewest} does`;
  const isMissing = facts.some(({ is }) => 'missing' in is);
  return [
    `  As long as ${one ? 'this fact stays as it is' : `these ${facts.length} facts stay as they are`}, it is ${outcome}, whatever all others are (${least}):`,
    ...tableLines(facts.map(({ fact, is }) => [fact, stateWords(is, day)])),
    ...(isMissing ? [`  ${MISSING_FOUNDATION}`] : []),
  ];
}

const REMEDY_WORDS: Readonly<Record<Remedy, string>> = {
  askAgain: 'can be asked for again',
  give: 'can be given',
  mapping: 'needs the mapping to be mended',
  otherwise: '',
  another: 'only another number or email has it',
};

function changeLines({ result, sets, more, isExact }: Changes, day: string): readonly string[] {
  const inexact = isExact ? [] : ['  There may be others, for which no example could be built.'];
  switch (result) {
    case 'there':
      return [];
    case 'never':
      return [`  No values of any facts do, with this phone number, email and IP.`, ...inexact];
    case 'moreThanThree':
      return ['  More than three facts would have to be otherwise.', ...inexact];
    case 'stopped':
      return ['  The policy is too large to look at every set of up to three facts.'];
    case 'found': {
      const size = sets[0]?.length ?? 0;
      const which = sets.length + more === 1 ? 'This' : `Each of these sets`;
      const rows = sets.flatMap((set, i) => set.map((needed, n) => neededRow(needed, i, n, sets.length > 1, day)));
      const left = more > 0 ? [`  and ${count(more, 'more set')} of ${count(size, 'fact')}`] : [];
      return [
        `  ${count(size, 'fact')} would have to be otherwise, no fewer. ${which} is enough:`,
        ...tableLines([['', 'fact', 'is', 'would have to be', 'for example', ''], ...rows]),
        ...left,
        ...inexact,
      ];
    }
  }
}

function neededRow(
  { fact, is, needs, example, remedy }: NeededFact,
  set: number,
  place: number,
  isOneOfMany: boolean,
  day: string,
): string[] {
  const number = isOneOfMany && place === 0 ? `${set + 1}.` : '';
  return [number, fact, stateWords(is, day), printable(needs), printable(valueWords(example)), REMEDY_WORDS[remedy]];
}

/** A cell that is wider goes on in the next line. */
const CELL_WIDTH = 46;

/** Columns as wide as their widest cell. */
function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const lines = rows.flatMap((row): string[][] => {
    const cells = row.map(wrap);
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, i) => cells.map((cell) => cell[i] ?? ''));
  });
  const columns = Math.max(...lines.map((line) => line.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const shown = widths.map((width, i) => ({ width, i })).filter(({ width }) => width > 0);
  return lines.map((line) => `  ${shown.map(({ width, i }) => (line[i] ?? '').padEnd(width)).join('  ')}`.trimEnd());
}

/** A text in lines, broken between words. */
function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= CELL_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : `  ${word}`);
  }
  return lines;
}
