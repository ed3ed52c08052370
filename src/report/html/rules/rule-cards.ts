/** All rules of a policy with their standings -> their cards in groups: fired rules first, distant ones folded. */

import { FALSE, TRUE, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { count } from '../../../text.ts';
import { type Child, div, h3, type Markup, p } from '../markup.ts';
import { truthMark } from '../parts/marks.ts';
import type { PhraseSetting } from '../parts/phrases.ts';
import { folded } from '../parts/table.ts';
import { ruleCard } from './rule-card.ts';
import type { RuleStanding } from './standing.ts';

/** More undetermined rules than this are folded: their first lines say enough. */
const MOST_OPEN = 5;

/** The number of rules that did not fire that are listed; the others are folded together. */
const MOST_NEAR = 20;

/** The cards. `isNearestFirst`: `all` has the rules that did not fire in that order, and not in the policy's. */
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
    p(
      { class: 'legend' },
      `${count(all.length, 'rule')}. Each is a tree of conditions; `,
      `each test shows the value of its fact on ${setting.day}: `,
      truthMark(TRUE),
      ' ',
      truthMark(FALSE),
      ' ',
      truthMark(UNKNOWN),
      ' A test is unknown if a fact is missing. Days are counted from the day of the decision.',
    ),
    group('Fired', fired.length, cards(fired, true)),
    group('Could not be determined', open.length, cards(open, open.length <= MOST_OPEN)),
    group('Shadow rules: tried, without effect', shadow.length, cards(shadow, false)),
    group(isNearestFirst ? 'Did not fire, nearest first' : "Did not fire, in the policy's order", rest.length, [
      cards(rest.slice(0, MOST_NEAR), false),
      foldedCards(count(rest.length - MOST_NEAR, 'more rule'), cards(rest.slice(MOST_NEAR), false)),
    ]),
    group(
      'Not active on that day',
      inactive.length,
      foldedCards(count(inactive.length, 'rule'), cards(inactive, false)),
    ),
  ];
}

function group(title: string, size: number, content: Child): Child {
  if (size === 0) return undefined;
  return [h3(`${title} (${size})`), div({ class: 'cards' }, content)];
}

function foldedCards(title: string, cards: readonly Markup[]): Child {
  return cards.length === 0 ? undefined : folded(title, cards);
}
