/** A proxy -> clients, naive clients and requests for tests of faults. */

import { join } from 'node:path';
import { createDecider, type Decider } from '../../../src/decision/decide.ts';
import type { Decision } from '../../../src/decision/decision.ts';
import type { Verifier } from '../../../src/decision/fetch/service-call.ts';
import { VerdictError } from '../../../src/errors.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { PERSONAS, SANDBOX_USERS } from '../../../src/sandbox/index.ts';
import type { PersonaName } from '../../../src/sandbox/personas.ts';
import { createVerifyClient, type VerifyClient } from '../../../src/signals/client.ts';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';
import { createNaiveClient } from './naive.ts';

/** Who may sign in to the sandbox. */
export const [USER = { username: '', password: '' }] = SANDBOX_USERS;

/** The shipped policy for onboarding. */
export const ONBOARDING = join(import.meta.dirname, '../../../rules/onboarding.yaml');

/** A policy with two stages. */
export const STAGED = join(import.meta.dirname, 'staged.yaml');

/** Short waits keep tests fast; the deadline is long unless a test is about it. */
const QUICK = { backoffMs: 1, maxBackoffMs: 5, timeoutMs: 25_000 } as const;

/** A client of the proxy; the caller must close it. */
export function openClient(url: string, options: Partial<VerifyClientOptions> = {}): VerifyClient {
  return createVerifyClient({ baseUrl: url, environment: 'sandbox', ...USER, ...QUICK, ...options });
}

/** A naive client, as most would write first. */
export function naiveOf({ url }: { readonly url: string }, timeoutMs = 25_000) {
  return createNaiveClient({ baseUrl: url, ...USER, timeoutMs });
}

/** The applicant of a persona. */
export function applicantOf(name: PersonaName) {
  const persona = PERSONAS.find((known) => known.name === name);
  if (!persona) throw new Error('there is no such persona');
  const { phoneNo, email, ip } = persona;
  return { phoneNo: `+${phoneNo}`, email, ip };
}

/** A request about the clean persona. */
export function requestOf(clientReference: string) {
  return { ...applicantOf('clean'), clientReference };
}

/** Decides on the clean persona by the shipped policy: accept, if all calls succeed. */
export function decideBy(verify: Verifier, clientReference: string, policy = ONBOARDING): Promise<Decision> {
  const decider: Decider = createDecider({ policy: loadPolicy(policy), verify });
  return decider.decide(applicantOf('clean'), { clientReference });
}

/** The `VerdictError` of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<VerdictError> {
  const { error } = await settle(call);
  if (error instanceof VerdictError) return error;
  throw error ?? new Error('it did not fail');
}

/** The result or the error of a call. */
export function settle(call: Promise<unknown>): Promise<{ readonly value?: unknown; readonly error?: unknown }> {
  return call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
