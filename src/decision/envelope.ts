/** The options of a decider and of one decision -> what is sent to the service besides the identity variables. */

import { VerdictError } from '../errors.ts';
import { ownCopy } from '../given/read-given.ts';
import { checkEnvelope, type VerifyEnvelope } from '../signals/request.ts';

/** The options of a decider, and those of one decision, as far as they are sent. */
type SharedOptions = Pick<VerifyEnvelope, 'services' | 'countryCode' | 'variables'>;
type OwnOptions = Partial<Pick<VerifyEnvelope, 'clientReference' | 'variables'>>;

/** Builds an envelope; throws REQUEST_INVALID for values that cannot be sent. The reference is the id by default. */
export function buildEnvelope(id: string, shared: SharedOptions, own: OwnOptions): VerifyEnvelope {
  const { services, countryCode } = shared;
  const variables = { ...shared.variables, ...own.variables };
  const envelope = {
    clientReference: own.clientReference ?? id,
    // A copy: the caller may change its own list while a decision is made.
    ...(services ? { services: Array.isArray(services) ? Object.freeze([...services]) : services } : {}),
    ...(countryCode === undefined ? {} : { countryCode }),
    ...(Object.keys(variables).length > 0 ? { variables: Object.freeze(variables) } : {}),
  };
  checkEnvelope(envelope);
  // A lone surrogate has no UTF-8 encoding: neither the service nor a record could repeat it.
  if (!envelope.clientReference.isWellFormed()) {
    throw new VerdictError('REQUEST_INVALID', 'clientReference is not well-formed Unicode', { carriedOut: 'no' });
  }
  return ownCopy(envelope) as VerifyEnvelope;
}
