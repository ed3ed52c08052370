/** What was read -> where it came from: the data of a policy, the place of a rule or a test. Kept beside it, and as long as it is. */

import type { Place } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import { canonicalJson } from '../platform/digest.ts';
import type { Span } from '../platform/yaml.ts';
import type { Policy, Rule, Test } from './language.ts';

/** Canonical JSON. */
const DATA = new WeakMap<Policy, string>();
const SPANS = new WeakMap<object, Span>();

/** Notes what a policy was read from: as text, which takes less room than the same data as objects. */
export function keepData(policy: Policy, data: unknown): Policy {
  DATA.set(policy, canonicalJson(data));
  return policy;
}

/**
 * The policy as JSON data, with its rule sets and list files in their places: `policy.digest` is of these, and
 * `policyFromData` reads them again. A copy of one's own at each call.
 * Throws a `VerdictError` (CONFIGURATION_INVALID) for an object that no reader gave, such as a changed copy of a policy.
 */
export function policyData(policy: Policy): unknown {
  const json = DATA.get(policy);
  if (json !== undefined) return JSON.parse(json);
  throw new VerdictError('CONFIGURATION_INVALID', 'this policy is not one as it was read: it has no data');
}

/** Notes where a rule, a row or a test stands. */
export function keepSpan(thing: object, { source, start, end }: Span): void {
  // Not the node, which would keep the whole tree.
  SPANS.set(thing, { source, start, end });
}

/** Where a rule, a row of a table or a test stands in the policy's files; undefined for one that no reader gave. */
export function placeOf(thing: Rule | Test): Place | undefined {
  const span = SPANS.get(thing);
  return span?.source.placeOf(span.start, span.end);
}
