/** Notices for the applicant that name a fact, or have a placeholder -> warnings. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Check } from '../context.ts';

export function checkNotices({ policy, warn, nodeOf }: Check): void {
  const paths = pathPattern(policy.facts);
  for (const rule of policy.rules) {
    const { id, notice = '' } = rule;
    const braces = /\{[^{}]*\}/.exec(notice)?.[0];
    const path = paths.exec(notice)?.[0];
    if (braces === undefined && path === undefined) continue;
    const found = braces === undefined ? `names the fact ${path}` : `has ${braces}, and a notice has no placeholders`;
    const message = `the notice of "${id}" ${found}: the applicant reads it and must not learn what is checked`;
    warn(nodeOf(rule, 'notice'), 'notice-reveals', message, 'analysts read `message`, which can name facts');
  }
}

/** Matches the path of any fact, the longest first. */
function pathPattern(facts: FactTable): RegExp {
  const paths = [...facts.keys()].sort((a, b) => b.length - a.length).map((path) => path.replaceAll('.', '\\.'));
  return new RegExp(`(?<![\\w.])(${paths.join('|')})(?![\\w])`);
}
