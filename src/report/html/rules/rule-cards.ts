/** All rules of a policy with their standings -> their cards, in groups. */

import { FALSE, TRUE, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { count } from '../../../text.ts';
import { type Child, div, h3, type Markup, p } from '../markup.ts';
import { truthMark } from '../parts/marks.ts';
import { joined, type PhraseSetting } from '../parts/phrases.ts';
import { folded } from '../parts/table.ts';
import { ruleCard } from './rule-card.ts';
import type { RuleStanding, Standing } from './standing.ts';

/** More rules that fired than this are folded: their first lines say enough. */
const MOST_OPEN = 3;

/** The number of rules that did not fire that are listed; the others are folded together. */
const MOST_NEAR = 20;

/** The cards of rules that fired or could not be determined. */
export function foundRules(all: readonly RuleStanding[], setting: PhraseSetting): Child {
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
      joined([truthMark(TRUE), truthMark(FALSE), truthMark(UNKNOWN)], ' '),
      ' A test is unknown if a fact is missing. Days are counted from the day of the decision.',
    ),
    group('Fired', fired.length, cards(fired, setting, fired.length <= MOST_OPEN)),
    group('Could not be determined', open.length, cards(open, setting, false)),
    group('Shadow rules: tried, without effect', shadow.length, cards(shadow, setting, false)),
  ];
}

/** The cards of all other rules; undefined if there are none. `isNearestFirst`: `all` has them in that order. */
export function otherRules(all: readonly RuleStanding[], setting: PhraseSetting, isNearestFirst: boolean): Child {
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

function cards(rules: readonly RuleStanding[], setting: PhraseSetting, isOpen: boolean): readonly Markup[] {
  return rules.map((rule) => ruleCard(rule, setting, isOpen));
}

function group(title: string, size: number, content: Child): Child {
  if (size === 0) return undefined;
  return [h3(`${title} (${size})`), div({ class: 'cards' }, content)];
}

function foldedCards(title: string, cards: readonly Markup[]): Child {
  return cards.length === 0 ? undefined : folded(title, cards);
}
