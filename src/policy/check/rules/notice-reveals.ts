/** Notices for the applicant that name a fact, or have a placeholder -> warnings. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Check } from '../context.ts';
import { noticesIn } from './notices.ts';

export function checkNotices(check: Check): void {
  const paths = pathPattern(check.policy.facts);
  for (const { whose, texts } of noticesIn(check)) {
    for (const { language, text, node } of texts) {
      const braces = /\{[^{}]*\}/.exec(text)?.[0];
      const path = paths.exec(text)?.[0];
      if (braces === undefined && path === undefined) continue;
      const found = braces === undefined ? `names the fact ${path}` : `has ${braces}, and a notice has no placeholders`;
      const which = language === undefined ? whose : `${whose} in ${language}`;
      const message = `the notice of ${which} ${found}: the applicant reads it and must not learn what is checked`;
      check.warn(node, 'notice-reveals', message, 'analysts read `message`, which can name facts');
    }
  }
}

/** Matches the path of any fact, the longest first. */
function pathPattern(facts: FactTable): RegExp {
  const paths = [...facts.keys()].sort((a, b) => b.length - a.length).map((path) => path.replaceAll('.', '\\.'));
  return new RegExp(`(?<![\\w.])(${paths.join('|')})(?![\\w])`);
}
