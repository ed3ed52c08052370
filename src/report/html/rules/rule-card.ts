/** A rule and its standing -> its card: one line that says what it asks for, and its condition as a tree. */

import { FALSE, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Rule } from '../../../policy/language.ts';
import { count } from '../../../text.ts';
import { type Child, details, div, type Markup, p, span, strong, summary } from '../markup.ts';
import { flag, outcomeMark, soft, truthMark, truthName } from '../parts/marks.ts';
import {
  codeName,
  dayOf,
  distanceWords,
  joined,
  noticePhrase,
  optional,
  type PhraseSetting,
  stateWords,
  testPhrase,
} from '../parts/phrases.ts';
import { pairs } from '../parts/table.ts';
import { anchorOf, type RuleStanding, type Standing } from './standing.ts';
import { drawTree } from './tree.ts';

const STANDINGS: Readonly<Record<Standing, readonly [truth: Truth, words: string]>> = {
  fired: [TRUE, 'fired'],
  undetermined: [UNKNOWN, 'undetermined'],
  notFired: [FALSE, 'not fired'],
  inactive: [FALSE, 'not active'],
};

/** The card; folded unless `isOpen`. */
export function ruleCard(standing: RuleStanding, setting: PhraseSetting, isOpen: boolean): Markup {
  const { index, rule, standing: name, tree } = standing;
  const [truth, words] = STANDINGS[name];
  return details(
    { class: `rule ${name === 'inactive' ? 'inactive' : truthName(truth)}`, id: anchorOf(index), open: isOpen },
    summary(
      truthMark(truth, words),
      ' ',
      span({ class: 'what' }, strong(codeName(rule.id)), ' ', effectOf(rule), flags(rule)),
      ' ',
      span({ class: 'gist' }, gist(standing, setting)),
    ),
    div(
      { class: 'inside' },
      optional(rule.description, (text) => p({ class: 'description' }, text)),
      drawTree(tree, setting),
      propertiesOf(rule),
    ),
  );
}

/** What a rule asks for if it fires: an outcome, points, or both. */
function effectOf({ then, points }: Rule): Child {
  return joined([then ? outcomeMark(then) : [], points === undefined ? [] : pointWords(points)].flat(), ' ');
}

/** `+15 points`. */
export function pointWords(points: number): string {
  return `${points < 0 ? '−' : '+'}${count(Math.abs(points), 'point')}`;
}

function flags({ final, shadow, whenUnknown }: Rule): Child {
  const words = [final ? 'final' : [], shadow ? 'shadow' : [], whenUnknown === 'ignore' ? 'ignored if unknown' : []];
  return words.flat().map((word) => [' ', flag(word)]);
}

/** The number of tests that a folded rule names. */
const MOST_TESTS = 2;

/** In one line, why a rule did not fire, or which facts it needs. */
function gist({ turning, standing }: RuleStanding, setting: PhraseSetting): Child {
  if (turning === undefined || (standing !== 'notFired' && standing !== 'undetermined')) return undefined;
  if (turning.length === 0) return 'its tests contradict each other, so that it can never fire';
  const left = turning.length - MOST_TESTS;
  return [
    joined(
      turning
        .slice(0, MOST_TESTS)
        .map((test) => [
          testPhrase(test, setting),
          soft(
            ': is ',
            stateWords(test.is, test.fact, setting),
            test.missedBy ? `, ${distanceWords(test.missedBy)}` : '',
          ),
        ]),
      soft('; and '),
    ),
    left > 0 ? `; and ${left} more` : '',
  ];
}

function propertiesOf({ reason, message, notice, from, until, tags, owner }: Rule): Markup {
  return pairs([
    ['Reason code', codeName(reason)],
    ['Message', message && message.length > 0 ? message.map(messagePart) : undefined],
    ['Notice for the applicant', optional(notice, noticePhrase)],
    ['Active', activeDays(from, until)],
    ['Tags', tags.length === 0 ? undefined : joined(tags.map((each) => codeName(each)))],
    ['Owner', owner],
  ]);
}

function messagePart(part: NonNullable<Rule['message']>[number]): string {
  if (typeof part === 'string') return part;
  return part.place === 'value' ? `{${part.fact}}` : `{daysSince ${part.fact}}`;
}

function activeDays(from: string | undefined, until: string | undefined): Child {
  if (from === undefined && until === undefined) return undefined;
  return [optional(from, (day) => ['from ', dayOf(day), ' ']), optional(until, (day) => ['until ', dayOf(day)])];
}
