/** Final accepts of more applicants than those that they name -> warnings. */

import type { FactTable } from '../../../facts/catalog.ts';
import { fold } from '../../fold.ts';
import type { Condition } from '../../language.ts';
import { operatorRow } from '../../operators.ts';
import type { Check } from '../context.ts';

const HINT = 'name whom it means: `is`, `in` or `inList` of applicant.phoneNo, applicant.email or a fact of your own';

export function checkBroadAccepts({ policy, warn, nodeOf }: Check): void {
  for (const rule of policy.rules) {
    if (!rule.final || rule.then !== 'accept' || rule.shadow || isNarrow(rule.when, policy.facts)) continue;
    const message = `the final rule "${rule.id}" accepts everybody who passes a test that strangers can pass too`;
    warn(nodeOf(rule, 'final'), 'broad-accept', `${message}: only a stricter final rule can stop them`, HINT);
  }
}

/**
 * A final accept passes over every rule that is not final, so it should name whom it means. A narrow one asks, in
 * every way in which it can fire, for exact values of what tells one applicant from another: of the applicant's own
 * data, or of a text or number of the caller's. Anything else (a country, a kind of line, a level, a domain) is true
 * of strangers too.
 */
function isNarrow(condition: Condition, facts: FactTable): boolean {
  return fold(condition, {
    test: ({ fact, operator, type, other }) => {
      const origin = facts.get(fact)?.origin;
      const tellsApart =
        origin === 'applicant' || (origin === 'caller' && ['string', 'integer', 'number'].includes(type));
      return tellsApart && other === undefined && operatorRow(operator).isNaming;
    },
    not: () => false,
    // With fewer broad parts than the count, every choice includes a narrow part.
    atLeast: (count, parts) => parts.filter((isPartNarrow) => !isPartNarrow).length < count,
  });
}
