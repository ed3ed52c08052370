/** The id of a rule -> its name, with a link to its card. */

import type { Policy } from '../../../policy/language.ts';
import { a, type Markup } from '../markup.ts';
import { codeName } from '../parts/phrases.ts';

/** The anchor of a rule on a page. Not made of its id, which may be any text if the policy was not checked. */
export function anchorOf(index: number): string {
  return `rule-${index + 1}`;
}

/** The id of a rule, with a link to its card if the policy has the rule. */
export function ruleLink(id: string, { rules }: Policy): Markup {
  const index = rules.findIndex((rule) => rule.id === id);
  return index < 0 ? codeName(id) : a({ href: `#${anchorOf(index)}` }, codeName(id));
}
