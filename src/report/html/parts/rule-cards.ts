/** All rules of a policy with their standings -> their cards, in groups. */

import type { TurningTest } from '../../../decision/explain/explanation.ts';
import { FALSE, TRUE, type Truth, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Rule } from '../../../policy/language.ts';
import { count } from '../../../text.ts';
import { noticeWords } from '../../decision.ts';
import { anchorOf, joined, names, outcome, soft, type Words } from '../../outline.ts';
import {
  distanceWords,
  foundWords,
  pathMarks,
  pointWords,
  type StateSetting,
  testPhrase,
  testStates,
} from '../../words/fact-states.ts';
import { type Child, details, div, h3, li, type Markup, p, span, strong, summary, ul } from '../markup.ts';
import { codeName, flag, instant, optional, truthMark, truthName, wordsOf } from './phrases.ts';
import {
  type Branch,
  isLeaf,
  type Leaf,
  openTests,
  openWord,
  type RuleStanding,
  type Standing,
  type TruthTree,
} from './standing.ts';
import { folded, pairs } from './table.ts';

/** More rules that fired than this are folded: their first lines say enough. */
const MOST_OPEN = 3;

/** The number of rules that did not fire that are listed; the others are folded together. */
const MOST_NEAR = 20;

/** The cards of rules that fired or could not be determined. */
export function foundRules(all: readonly RuleStanding[], setting: StateSetting): Child {
  const of = (standing: Standing, isShadow: boolean) =>
    all.filter((each) => each.standing === standing && each.rule.shadow === isShadow);
  const fired = of('fired', false);
  const open = of('undetermined', false);
  const shadow = [...of('fired', true), ...of('undetermined', true)];
  if (fired.length + open.length + shadow.length === 0) return p('No rule fired, and all could be determined.');
  return [
    p(
      { class: 'legend' },
      'Each rule is a tree of conditions. Each test shows the value of its fact: ',
      ([TRUE, FALSE, UNKNOWN] as const).map((truth) => [truthMark(truth), ' ']),
      'A test is unknown if a fact is missing. Days are counted from the day of the decision.',
    ),
    group('Fired', fired.length, cards(fired, setting, fired.length <= MOST_OPEN)),
    group('Could not be determined', open.length, cards(open, setting, false)),
    group('Shadow rules: tried, without effect', shadow.length, cards(shadow, setting, false)),
  ];
}

/** The cards of all other rules; undefined if there are none. `isNearestFirst`: `all` has them in that order. */
export function otherRules(all: readonly RuleStanding[], setting: StateSetting, isNearestFirst: boolean): Child {
  const rest = all.filter(({ standing }) => standing === 'notFired');
  const inactive = all.filter(({ standing }) => standing === 'inactive');
  if (rest.length + inactive.length === 0) return undefined;
  const [near, far] = [rest.slice(0, MOST_NEAR), rest.slice(MOST_NEAR)];
  return [
    group(isNearestFirst ? 'Nearest first' : "In the policy's order", rest.length, [
      cards(near, setting, false),
      foldedCards(count(far.length, 'more rule'), cards(far, setting, false)),
    ]),
    group(
      'Not active on that day',
      inactive.length,
      foldedCards(count(inactive.length, 'rule'), cards(inactive, setting, false)),
    ),
  ];
}

function cards(rules: readonly RuleStanding[], setting: StateSetting, isOpen: boolean): readonly Markup[] {
  return rules.map((rule) => ruleCard(rule, setting, isOpen));
}

function group(title: string, size: number, content: Child): Child {
  if (size === 0) return undefined;
  return [h3(`${title} (${size})`), div({ class: 'cards' }, content)];
}

function foldedCards(title: string, cards: readonly Markup[]): Child {
  return cards.length === 0 ? undefined : folded(title, cards);
}

const STANDINGS: Readonly<Record<Standing, readonly [truth: Truth, words: string]>> = {
  fired: [TRUE, 'fired'],
  undetermined: [UNKNOWN, 'undetermined'],
  notFired: [FALSE, 'not fired'],
  inactive: [FALSE, 'not active'],
};

/** The card; folded unless `isOpen`. */
function ruleCard(standing: RuleStanding, setting: StateSetting, isOpen: boolean): Markup {
  const { index, rule, standing: name, tree } = standing;
  const [truth, words] = STANDINGS[name];
  return details(
    { class: `rule ${name === 'inactive' ? 'inactive' : truthName(truth)}`, id: anchorOf(index), open: isOpen },
    summary(
      truthMark(truth, words),
      ' ',
      span({ class: 'what' }, strong(codeName(rule.id)), ' ', effectOf(rule), flags(standing)),
      ' ',
      span({ class: 'gist' }, wordsOf(gist(standing, setting))),
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
  return wordsOf(joined([then ? outcome(then) : [], points === undefined ? [] : pointWords(points)].flat(), ' '));
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
function gist({ tree, turning, standing, message, evidence }: RuleStanding, setting: StateSetting): Words {
  if (standing === 'fired') return foundWords(message, evidence, setting);
  if (standing === 'undetermined') return namedTests(openTests(tree), setting, openWord(tree));
  if (turning === undefined || standing === 'inactive') return [];
  return turning.length === 0
    ? 'its tests contradict each other, so that it can never fire'
    : namedTests(turning, setting);
}

/** Tests with the values of their facts. */
function namedTests(tests: readonly TurningTest[], setting: StateSetting, word = 'and'): Words {
  const left = tests.length - MOST_TESTS;
  const between = word === '' ? '; ' : `; ${word} `;
  return [
    joined(
      tests
        .slice(0, MOST_TESTS)
        .map((test) => [
          testPhrase(test, setting.table),
          ': ',
          soft(testStates(test, setting), test.missedBy ? `, ${distanceWords(test.missedBy)}` : ''),
        ]),
      soft(between),
    ),
    left > 0 ? `${between}${left} more` : '',
  ];
}

function propertiesOf({ rule, message: found }: RuleStanding): Markup {
  const { reason, message, notice, from, until, tags, owner } = rule;
  return pairs([
    ['Reason code', codeName(reason)],
    ['Message', found ?? message?.map(messagePart)],
    ['Notice for the applicant', optional(notice, (each) => wordsOf(joined(noticeWords(each), '; ')))],
    ['Active', activeDays(from, until)],
    ['Tags', tags.length === 0 ? undefined : wordsOf(names(tags))],
    ['Owner', owner],
  ]);
}

function messagePart(part: NonNullable<Rule['message']>[number]): string {
  if (typeof part === 'string') return part;
  return part.place === 'value' ? `{${part.fact}}` : `{daysSince ${part.fact}}`;
}

function activeDays(from: string | undefined, until: string | undefined): Child {
  if (from === undefined && until === undefined) return undefined;
  return [optional(from, (day) => ['from ', instant(day), ' ']), optional(until, (day) => ['until ', instant(day)])];
}

function drawTree(tree: TruthTree, setting: StateSetting): Markup {
  return ul({ class: 'tree', role: 'list' }, drawPart(tree, setting, 0));
}

/** Deeper parts are not indented further, so that there is room for their words. */
const DEEPEST_INDENT = 8;

function drawPart(tree: TruthTree, setting: StateSetting, depth: number): Markup {
  const [words, met] = isLeaf(tree) ? leafWords(tree, setting) : branchWords(tree);
  return li(
    { class: `${truthName(tree.truth)}${isLeaf(tree) ? ' leaf' : ''}` },
    div(
      { class: 'node' },
      truthMark(tree.truth),
      ' ',
      span({ class: 'words' }, words),
      ' ',
      span({ class: 'met' }, met),
    ),
    isLeaf(tree)
      ? undefined
      : ul(
          { role: 'list', ...(depth >= DEEPEST_INDENT ? { class: 'deep' } : {}) },
          tree.parts.map((part) => drawPart(part, setting, depth + 1)),
        ),
  );
}

/** What a test asks, and the value of its fact. */
function leafWords({ condition, is, other: state, missedBy }: Leaf, setting: StateSetting): readonly [Child, Child] {
  const { fact, other: path } = condition;
  const other = path === undefined || !state ? undefined : { fact: path, is: state };
  return [
    wordsOf([testPhrase({ ...condition, other }, setting.table), pathMarks([fact, path ?? fact], setting.table)]),
    [
      wordsOf(testStates({ fact, is, ...(other ? { other } : {}) }, setting)),
      missedBy ? ['; ', span({ class: 'miss' }, distanceWords(missedBy))] : '',
    ],
  ];
}

/** How parts are combined, and how many of them are true, false and unknown. */
function branchWords({ condition, parts }: Branch): readonly [Child, Child] {
  switch (condition.kind) {
    case 'all':
      return [strong('all of'), countWords(parts)];
    case 'any':
      return [strong('any of'), countWords(parts)];
    case 'atLeastOf':
      return [strong(`at least ${condition.count} of`), countWords(parts)];
    case 'not':
      return [strong('not'), undefined];
    case 'named':
      return [[codeName(condition.name), ', a named condition'], undefined];
  }
}

/** `2 true, 1 unknown`. */
function countWords(parts: readonly TruthTree[]): string {
  const counts = ([TRUE, FALSE, UNKNOWN] as const).map((truth) => {
    const n = parts.filter((part) => part.truth === truth).length;
    return n === 0 ? [] : `${n} ${truthName(truth)}`;
  });
  return counts.flat().join(', ');
}
