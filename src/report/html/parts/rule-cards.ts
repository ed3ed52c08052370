/** All rules of a policy with where they stand -> their cards, in groups: what fired first, what is far away folded. */

import { FALSE, TRUE, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { count } from '../../../text.ts';
import { type Child, element, type Markup } from '../markup.ts';
import { truthMark } from './marks.ts';
import type { PhraseSetting } from './phrases.ts';
import { ruleCard } from './rule-card.ts';
import type { RuleStanding } from './standing.ts';

/** Undetermined rules are open where there are no more: of dozens, their first lines say enough. */
const MOST_OPEN = 5;

/** So many of the rules that did not fire are listed; the others lie one fold deeper. */
const MOST_NEAR = 20;

/** The cards; `isNearestFirst` where those that did not fire come in that order, not in the policy's. */
export function ruleGroups(all: readonly RuleStanding[], setting: PhraseSetting, isNearestFirst: boolean): Child {
  const of = (standing: RuleStanding['standing'], isShadow?: boolean) =>
    all.filter((each) => each.standing === standing && (isShadow === undefined || each.rule.shadow === isShadow));
  const fired = of('fired', false);
  const open = of('undetermined', false);
  const shadow = [...of('fired', true), ...of('undetermined', true)];
  const rest = of('notFired');
  const inactive = of('inactive');
  const cards = (rules: readonly RuleStanding[], isOpen: boolean) =>
    rules.map((rule) => ruleCard(rule, setting, isOpen));
  return [
    element(
      'p',
      { class: 'legend' },
      `${count(all.length, 'rule')}. Each is a tree of conditions; its tests stand beside what they met on ${setting.day}: `,
      truthMark(TRUE),
      ' ',
      truthMark(FALSE),
      ' ',
      truthMark(UNKNOWN),
      ' A test is unknown where a fact is missing. Days are counted from the day of the decision.',
    ),
    group('Fired', fired.length, cards(fired, true)),
    group('Could not be determined', open.length, cards(open, open.length <= MOST_OPEN)),
    group('Shadow rules: tried, without effect', shadow.length, cards(shadow, false)),
    group(isNearestFirst ? 'Did not fire, nearest first' : "Did not fire, in the policy's order", rest.length, [
      cards(rest.slice(0, MOST_NEAR), false),
      fold(`${count(rest.length - MOST_NEAR, 'more rule')}`, cards(rest.slice(MOST_NEAR), false)),
    ]),
    group('Not active on that day', inactive.length, fold(count(inactive.length, 'rule'), cards(inactive, false))),
  ];
}

function group(title: string, size: number, content: Child): Child {
  if (size === 0) return undefined;
  return [element('h3', {}, `${title} (${size})`), element('div', { class: 'cards' }, content)];
}

function fold(title: string, cards: readonly Markup[]): Child {
  if (cards.length === 0) return undefined;
  return element('details', { class: 'more' }, element('summary', {}, title), cards);
}
