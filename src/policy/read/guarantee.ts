/** The YAML of `guarantees` -> the guarantees. */

import { reportAt } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { type Fields, readFields } from '../../platform/yaml-fields.ts';
import { CLAIMS, type Claim, type Guarantee, OUTCOMES } from '../language.ts';
import { noteSpan, type Scope } from './conditions/scope.ts';
import { DESCRIPTION, type KeyTable, keySetOf, oneOfKey, readValues } from './key.ts';
import { idKey, OUTER_WHEN, type RuleContext, whenKey } from './rule.ts';
import { GUARANTEE_SLIPS } from './slips/keys.ts';
import { OUTCOME_SLIPS } from './slips/values.ts';

type GuaranteeContext = Pick<RuleContext, 'scope' | 'ids'>;

const AND = new Intl.ListFormat('en-GB');

/** The keys of a guarantee: one of the claims is needed. */
export const GUARANTEE_KEYS = {
  id: idKey('The name of the guarantee, unique among them, in small letters and digits joined by hyphens.'),
  description: DESCRIPTION,
  never: oneOfKey('Nobody for whom the condition is true gets this outcome.', OUTCOMES, OUTCOME_SLIPS),
  always: oneOfKey('Everybody for whom the condition is true gets this outcome.', OUTCOMES, OUTCOME_SLIPS),
  atLeast: oneOfKey(
    'Everybody for whom the condition is true gets this outcome or a stricter one.',
    OUTCOMES.filter((outcome) => outcome !== 'accept'),
    OUTCOME_SLIPS,
  ),
  when: whenKey('Whom it is about: the name of a condition, or facts with the tests that have to hold.'),
} satisfies KeyTable<GuaranteeContext>;

const GUARANTEE_KEY_SET = keySetOf(GUARANTEE_KEYS, { slips: GUARANTEE_SLIPS, outer: OUTER_WHEN });

/** Reads guarantees; those with mistakes are reported and left out. */
export function readGuarantees(nodes: readonly Yaml[], scope: Scope): readonly Guarantee[] {
  const ids = new Set<string>();
  return nodes.flatMap((node) => readGuarantee(node, { scope, ids }) ?? []);
}

function readGuarantee(node: Yaml, context: GuaranteeContext): Guarantee | undefined {
  const fields = readFields(node, 'a guarantee', GUARANTEE_KEY_SET);
  if (!fields) return undefined;
  const values = readValues(fields, GUARANTEE_KEYS, context);
  const claim = claimOf(fields, node);
  const { id, description, when } = values;
  const outcome = claim && values[claim];
  if (id === undefined || !when || !outcome) return undefined;
  return noteSpan({ id, description, claim, outcome, when }, node, context.scope);
}

/** The one claim of a guarantee; reports none and several. */
function claimOf(fields: Fields, node: Yaml): Claim | undefined {
  const [claim, second] = CLAIMS.filter((each) => fields.isMeant(each));
  const all = AND.format(CLAIMS.map((each) => `"${each}"`));
  if (claim === undefined) {
    return reportAt(fields.get('id')?.value ?? node, 'missing-key', `a guarantee needs one of the keys ${all}`);
  }
  if (second === undefined) return claim;
  const message = `found "${claim}" and "${second}"; a guarantee has one of the keys ${all}`;
  return reportAt(fields.get(second)?.key ?? node, 'wrong-value', message);
}
