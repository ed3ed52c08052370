/** A decision and its facts -> the facts that were missing, why, and which rules needed them. */

import type { MissingEvidence } from '../../../decision/meaning/evidence.ts';
import { factAt } from '../../../decision/meaning/truth.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { type Cause, type Facts, isMissing } from '../../../facts/fact.ts';
import type { Policy } from '../../../policy/language.ts';
import { causeWords } from '../../words/missing.ts';
import { type Child, p } from '../markup.ts';
import { codeValue, factName, joined } from './phrases.ts';
import { ruleLink } from './reason-list.ts';
import { table } from './table.ts';

/** The table, or a sentence if no fact was missing. */
export function unknownPart(
  { undetermined }: Verdict,
  missing: Readonly<Record<string, Cause>>,
  facts: Facts,
  policy: Policy,
): Child {
  const unknown = new Map<string, { readonly cause: MissingEvidence['cause']; readonly rules: readonly string[] }>(
    Object.entries(missing).map(([fact, cause]) => [fact, { cause, rules: [] }]),
  );
  for (const { rule, missing: needed } of undetermined) {
    for (const { fact, cause } of needed) {
      unknown.set(fact, { cause, rules: [...(unknown.get(fact)?.rules ?? []), rule] });
    }
  }
  if (unknown.size === 0) return p('Every fact that a rule needed was known.');
  const byNeed = [...unknown].sort(([, one], [, other]) => other.rules.length - one.rules.length);
  return table({
    id: 'unknown-facts',
    caption: 'Facts that were missing, those that left the most rules undetermined first',
    columns: ['Fact', 'Why', 'Left undetermined'],
    rows: byNeed.map(([fact, { cause, rules }]) => [
      factName(fact),
      [causeWords(fact, cause), foundInstead(fact, facts, policy.facts)],
      rules.length === 0 ? 'no rule' : joined(rules.map((id) => ruleLink(id, policy))),
    ]),
  });
}

/** The value of the answer that could not be read, unless it may be the applicant's phone number, email or IP. */
function foundInstead(path: string, facts: Facts, definitions: FactTable): Child {
  const fact = factAt(facts, path);
  const origin = definitions.get(path)?.origin;
  const isShown = origin === 'service' || origin === 'caller';
  if (!isMissing(fact) || fact.raw === undefined || !isShown) return undefined;
  return [': ', codeValue(fact.raw)];
}
