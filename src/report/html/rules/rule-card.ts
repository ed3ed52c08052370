/** A rule and its standing -> its card: one line that says what it asks for, and its condition as a tree. */

import type { FactState, TurningTest } from '../../../decision/explain/explanation.ts';
import { FALSE, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Rule } from '../../../policy/language.ts';
import { type Child, details, div, type Markup, p, span, strong, summary } from '../markup.ts';
import { foundWords } from '../parts/evidence.ts';
import { flag, outcomeMark, soft, truthMark, truthName } from '../parts/marks.ts';
import {
  codeName,
  dayOf,
  distanceWords,
  factLabel,
  joined,
  noticePhrase,
  optional,
  type PhraseSetting,
  pointWords,
  stateWords,
  testPhrase,
} from '../parts/phrases.ts';
import { pairs } from '../parts/table.ts';
import { anchorOf } from './rule-link.ts';
import type { RuleStanding, Standing } from './standing.ts';
import { drawTree } from './tree.ts';
import { openTests } from './truth-tree.ts';

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
      span({ class: 'what' }, strong(codeName(rule.id)), ' ', effectOf(rule), flags(standing)),
      ' ',
      span({ class: 'gist' }, gist(standing, setting)),
    ),
    div(
      { class: 'inside' },
      optional(rule.description, (text) => p({ class: 'description' }, text)),
      drawTree(tree, setting),
      propertiesOf(standing),
    ),
  );
}

/** What a rule asks for if it fires: an outcome, points, or both. */
function effectOf({ then, points }: Rule): Child {
  return joined([then ? outcomeMark(then) : [], points === undefined ? [] : pointWords(points)].flat(), ' ');
}

function flags({ isDecisive, rule: { final, shadow, whenUnknown } }: RuleStanding): Child {
  const words = [
    isDecisive ? 'decisive' : [],
    final ? 'final' : [],
    shadow ? 'shadow' : [],
    whenUnknown === 'ignore' ? 'ignored if unknown' : [],
  ];
  return words.flat().map((word) => [' ', flag(word)]);
}

/** The number of tests that a folded rule names. */
const MOST_TESTS = 2;

/** In one line, what a rule found, why it did not fire, or which facts it needs. */
function gist({ tree, turning, standing, message, evidence }: RuleStanding, setting: PhraseSetting): Child {
  if (standing === 'fired') return foundWords(message, evidence, setting);
  if (standing === 'undetermined') return listed(openTests(tree), setting);
  if (turning === undefined || standing === 'inactive') return undefined;
  return turning.length === 0 ? 'its tests contradict each other, so that it can never fire' : listed(turning, setting);
}

/** Tests with the values of their facts. */
function listed(tests: readonly TurningTest[], setting: PhraseSetting): Child {
  const left = tests.length - MOST_TESTS;
  const stateOf = (fact: string, is: FactState) => stateWords(is, fact, setting);
  return [
    joined(
      tests
        .slice(0, MOST_TESTS)
        .map(({ is, other, missedBy, ...test }) => [
          testPhrase({ ...test, ...(other ? { other } : {}) }, setting),
          ': ',
          soft(
            stateOf(test.fact, is),
            other ? ['; ', factLabel(other.fact, setting.table), ': ', stateOf(other.fact, other.is)] : '',
            missedBy ? `, ${distanceWords(missedBy)}` : '',
          ),
        ]),
      soft('; and '),
    ),
    left > 0 ? `; and ${left} more` : '',
  ];
}

function propertiesOf({ rule, message: found }: RuleStanding): Markup {
  const { reason, message, notice, from, until, tags, owner } = rule;
  return pairs([
    ['Reason code', codeName(reason)],
    ['Message', found ?? message?.map(messagePart)],
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
