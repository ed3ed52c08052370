/** Which requests are one application: those of a caller's reference, for an applicant, within a day of the first. */

import { type Facts, isMissing } from '../facts/fact.ts';
import { readIpv6 } from '../platform/formats/ip.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../signals/variables.ts';

/** A request that comes so long after the first one, or earlier, begins another application: in milliseconds. */
export const APPLICATION_MS = 86_400_000;

/** What is known of an applicant, each in its normal form, or as a hash of that. */
export type Identity<Value = string> = { readonly [Variable in IdentityVariable]?: Value };

/** Whether nothing that both have differs: what one of them lacks decides nothing. */
export function isSameApplicant<Value>(one: Identity<Value>, other: Identity<Value>): boolean {
  return IDENTITY_VARIABLES.every((each) => {
    return one[each] === undefined || other[each] === undefined || one[each] === other[each];
  });
}

/** The identity in an applicant's facts. An IPv6 address, which is invalid to the service, is one all the same. */
export function identityIn(facts: Facts): Identity {
  const identity: Partial<Record<IdentityVariable, string>> = {};
  for (const variable of IDENTITY_VARIABLES) {
    const value = variable === 'ip' ? addressIn(facts) : textIn(facts, `applicant.${variable}`);
    if (value !== undefined) identity[variable] = value;
  }
  return identity;
}

/** The IP address of an applicant. */
export function addressIn(facts: Facts): string | undefined {
  const fact = facts.get('applicant.ip');
  if (fact === undefined) return undefined;
  if (!isMissing(fact)) return String(fact.value);
  return fact.raw === undefined ? undefined : readIpv6(fact.raw);
}

function textIn(facts: Facts, path: string): string | undefined {
  const fact = facts.get(path);
  return fact === undefined || isMissing(fact) ? undefined : String(fact.value);
}

/** What makes requests one application, if they are of one applicant and near in time. */
export function referenceKey(caller: string | undefined, reference: string): string {
  return `reference:${JSON.stringify([caller ?? null, reference])}`;
}

/** When an application began, in milliseconds since 1970: its id is that of its first decision, which has its time. */
export function beganAt(application: string): number {
  return Number.parseInt(application.replace('-', '').slice(0, 12), 16);
}
