/** A reference -> the application with it decided, counted and rejected: everybody comes from one IP address. */

import { createDecider } from '../../../../src/decision/decide.ts';
import type { VelocityStore } from '../../../../src/decision/velocity-store.ts';
import { loadMapping } from '../../../../src/facts/mapping/mapping.ts';
import { loadPolicyText } from '../../../../src/policy/read/parse.ts';

const POLICY = loadPolicyText(`policy: test
version: "1"
default: accept
velocity:
  counted: { count: applications, by: ip, within: 1 hour }
  rejected: { count: applications, by: ip, where: { outcome: reject }, within: 1 hour }
rules:
  - id: all
    when: { velocity.counted: { atLeast: 0 } }
    then: reject
    message: "{velocity.counted} {velocity.rejected}"
`);
/** Read once: each decider would read it. */
const MAPPING = loadMapping();

/**
 * How many applications were counted and rejected before, as `counted rejected`; undefined if the store failed to count
 * this one or to take its outcome.
 */
export async function reject(velocity: VelocityStore, clientReference: string): Promise<string | undefined> {
  let hasFailed = false;
  const decider = createDecider({
    ...{ policy: POLICY, mapping: MAPPING, velocity, rememberMs: 0 },
    verify: { verify: () => Promise.reject(new Error('the service was asked')) },
    onEvent: () => {
      hasFailed = true;
    },
  });
  const { reasons } = await decider.decide({ ip: '203.0.113.7' }, { clientReference });
  const [reason] = reasons;
  return !hasFailed && reason && 'message' in reason ? reason.message : undefined;
}
