/** A rule and where it stands -> its card: what it asks for in one line, and its condition as a tree. */

import { FALSE, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Rule } from '../../../policy/language.ts';
import { type Child, element, type Markup } from '../markup.ts';
import { flag, outcomeMark, truthMark, truthName } from './marks.ts';
import { codeName, dayOf, distanceWords, listed, type PhraseSetting, stateWords, testPhrase } from './phrases.ts';
import { anchorOf, type RuleStanding, type Standing } from './standing.ts';
import { pairs } from './table.ts';
import { drawTree } from './tree.ts';

const WORDS: Readonly<Record<Standing, string>> = {
  fired: 'fired',
  undetermined: 'undetermined',
  notFired: 'not fired',
  inactive: 'not active',
};

const TRUTHS: Readonly<Record<Standing, Truth>> = {
  fired: TRUE,
  undetermined: UNKNOWN,
  notFired: FALSE,
  inactive: FALSE,
};

/** The card; folded unless `isOpen`. */
export function ruleCard(standing: RuleStanding, setting: PhraseSetting, isOpen: boolean): Markup {
  const { place, rule, standing: word, tree } = standing;
  const truth = TRUTHS[word];
  return element(
    'details',
    { class: `rule ${word === 'inactive' ? 'inactive' : truthName(truth)}`, id: anchorOf(place), open: isOpen },
    element(
      'summary',
      {},
      truthMark(truth, WORDS[word]),
      ' ',
      element('span', { class: 'what' }, element('strong', {}, codeName(rule.id)), ' ', effectOf(rule), flags(rule)),
      ' ',
      element('span', { class: 'gist' }, gist(standing, setting)),
    ),
    element(
      'div',
      { class: 'inside' },
      rule.description === undefined ? undefined : element('p', { class: 'description' }, rule.description),
      drawTree(tree, setting),
      about(rule),
    ),
  );
}

/** What a rule asks for where it fires: an outcome, points, or both. */
export function effectOf({ then, points }: Pick<Rule, 'then' | 'points'>): Child {
  const parts = [then ? outcomeMark(then) : [], points === undefined ? [] : pointWords(points)].flat();
  return parts.map((part, i) => [i === 0 ? '' : ' ', part]);
}

/** `+15 points`. */
export function pointWords(points: number): string {
  const sign = points < 0 ? '−' : '+';
  return `${sign}${Math.abs(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`;
}

function flags({ final, shadow, whenUnknown }: Rule): Child {
  const words = [final ? 'final' : [], shadow ? 'shadow' : [], whenUnknown === 'ignore' ? 'ignored where unknown' : []];
  return words.flat().map((word) => [' ', flag(word)]);
}

/** So many tests are named beside a rule that is folded. */
const MOST_TESTS = 2;

/** In one line, why a rule did not fire, or what it lacks. */
function gist({ turning, standing }: RuleStanding, setting: PhraseSetting): Child {
  if (turning === undefined || (standing !== 'notFired' && standing !== 'undetermined')) return undefined;
  if (turning.length === 0) return 'its tests contradict each other: it can never fire';
  const left = turning.length - MOST_TESTS;
  return [
    turning
      .slice(0, MOST_TESTS)
      .map((test, i) => [
        i === 0 ? '' : element('span', { class: 'soft' }, '; and '),
        testPhrase(test),
        element('span', { class: 'soft' }, [
          ': is ',
          stateWords(test.is, test.fact, setting),
          test.missedBy ? `, ${distanceWords(test.missedBy)}` : '',
        ]),
      ]),
    left > 0 ? `; and ${left} more` : '',
  ];
}

function about({ reason, message, notice, from, until, tags, owner }: Rule): Markup {
  return pairs([
    ['Reason code', codeName(reason)],
    [
      'Message',
      message && message.length > 0
        ? message.map((part) => (typeof part === 'string' ? part : place(part)))
        : undefined,
    ],
    ['Notice for the applicant', notice],
    ['Active', activeDays(from, until)],
    ['Tags', tags.length === 0 ? undefined : listed(tags.map((tag) => codeName(tag)))],
    ['Owner', owner],
  ]);
}

function place({ fact, place: of }: { readonly fact: string; readonly place: 'value' | 'daysSince' }): string {
  return of === 'value' ? `{${fact}}` : `{daysSince ${fact}}`;
}

function activeDays(from: string | undefined, until: string | undefined): Child {
  if (from === undefined && until === undefined) return undefined;
  return [from === undefined ? '' : ['from ', dayOf(from), ' '], until === undefined ? '' : ['until ', dayOf(until)]];
}
