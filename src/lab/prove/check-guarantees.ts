/** A policy -> a diagnostic for each of its guarantees that is not proved. */

import type { Diagnostic } from '../../diagnostics.ts';
import { isMissing } from '../../facts/fact.ts';
import { isPersonal } from '../../policy/identities.ts';
import type { Guarantee, Policy } from '../../policy/language.ts';
import { placeOf } from '../../policy/source-map.ts';
import { printable } from '../../text.ts';
import { describeProperty } from './property.ts';
import { type DecidedApplicant, type Proof, type ProofOptions, proveProperties } from './prove.ts';

/**
 * Proves the guarantees of a policy. An error for each one that somebody breaks, a warning for each one that is
 * neither proved nor refuted in the time. Throws CONFIGURATION_INVALID if the solver is not installed.
 */
export async function checkGuarantees(policy: Policy, options: ProofOptions): Promise<readonly Diagnostic[]> {
  const proofs = await proveProperties(policy, { ...options, properties: ['guarantee'] });
  return proofs.flatMap((proof, i) => {
    const guarantee = policy.guarantees[i];
    return guarantee && proof.result !== 'proved' ? [problemOf(guarantee, proof, policy)] : [];
  });
}

function problemOf(guarantee: Guarantee, { property, applicants: [applicant] }: Proof, policy: Policy): Diagnostic {
  const place = placeOf(guarantee) ?? { file: policy.name };
  const says = describeProperty(property, policy);
  if (!applicant) {
    const message = `the guarantee "${guarantee.id}" is neither proved nor refuted: ${says}`;
    const hint = 'give it more time, or say it of facts that rules compare with whole values';
    return { code: 'guarantee-unproved', severity: 'warning', message, hint, ...place };
  }
  const message = `the guarantee "${guarantee.id}" is broken: ${says}; found ${applicant.outcome}`;
  return { code: 'guarantee-broken', severity: 'error', message, hint: describeApplicant(applicant, policy), ...place };
}

/** The facts of an applicant, without the values of personal ones: lists of people may be among their sources. */
export function describeApplicant(
  { example, facts }: Pick<DecidedApplicant, 'example' | 'facts'>,
  policy: Policy,
): string {
  const shown = Object.keys(example.facts).map((path) => {
    const fact = facts.get(path);
    if (!fact || isMissing(fact) || isPersonal(path, policy.facts)) return path;
    return `${path} ${printable(String(fact.value))}`;
  });
  return `for example, of an applicant with ${shown.join(', ') || 'no known facts'}`;
}
