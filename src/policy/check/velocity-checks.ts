/** What velocities count by -> warnings about those that count strangers together. */

import { VELOCITY, velocitiesIn } from '../../facts/velocity.ts';
import { grouped } from '../../text.ts';
import { factsOf } from '../language.ts';
import { spanOfKey } from '../source-map.ts';
import type { Check } from './context.ts';
import { risingTests, strictnessAsked } from './rule-checks.ts';

/** The bits of the widest network of IPv4 that one operator may have for one group of customers. */
const WIDEST = 16;
const IPV4_BITS = 32;
/** Networks of IPv6 end at every fourth bit (RFC 6177, section 2). */
const STEP = 4;

export function checkStrangers(check: Check): void {
  const { policy, warn } = check;
  for (const [path, { by }] of velocitiesIn(policy.facts)) {
    const problem = by.map(problemOfNetwork).find((each) => each !== undefined);
    const span = spanOfKey(policy, ['velocity', path.slice(VELOCITY.length)]);
    if (problem) warn(span, 'counts-strangers', `${path} counts by ${problem.message}`, problem.hint);
  }
  checkFreeMail(check);
}

function problemOfNetwork(by: string): { readonly message: string; readonly hint: string } | undefined {
  if (!by.startsWith('ip/')) return undefined;
  const bits = Number(by.slice('ip/'.length));
  if (bits < WIDEST) {
    const addresses = grouped(2 ** (IPV4_BITS - bits));
    return { message: `${by}, ${addresses} addresses of strangers`, hint: 'count by ip/24, or by ip' };
  }
  if (bits <= IPV4_BITS || bits % STEP === 0) return undefined;
  const hint = 'an IPv4 address has 32 bits, and a network of IPv6 ends at every fourth, such as ip/48';
  return { message: `${by}, a network that nobody has`, hint };
}

/** Everybody of a free mail service has one domain. */
function checkFreeMail({ policy, nodes, warn }: Check): void {
  for (const rule of policy.rules) {
    const facts = factsOf(rule.when);
    const leavesOut = [...facts].some((fact) => fact === 'applicant.emailDomain' || fact.startsWith('email.domain.'));
    if (leavesOut || rule.shadow || strictnessAsked(rule) === 0) continue;
    for (const test of risingTests(rule.when, policy.facts)) {
      if (policy.facts.get(test.fact)?.velocity?.by.join() !== 'emailDomain') continue;
      const message = `the rule "${rule.id}" counts by a domain that everybody of a free mail service shares`;
      const hint = 'add `email.domain.type: { isNot: free }`';
      warn(nodes.get(test), 'counts-strangers', message, hint);
    }
  }
}
