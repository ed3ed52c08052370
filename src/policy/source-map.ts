/** A policy -> the data it was read from; a rule or a test -> its position. Kept as long as the policy or rule. */

import type { Place } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import { canonicalJson } from '../platform/digest.ts';
import type { Span } from '../platform/yaml.ts';
import type { Policy, Rule, Test } from './language.ts';

/** Canonical JSON. */
const DATA = new WeakMap<Policy, string>();
const SPANS = new WeakMap<object, Span>();

/** Notes the data of a policy: as text, which takes less memory than objects. */
export function keepData(policy: Policy, data: unknown): Policy {
  DATA.set(policy, canonicalJson(data));
  return policy;
}

/**
 * The policy as JSON data, with its rule sets and list files inlined. `policy.digest` is the digest of these data, and
 * `policyFromData` reads them again. Each call gives a new copy.
 * Throws a `VerdictError` (CONFIGURATION_INVALID) for an object that was not read, such as a changed copy of a policy.
 */
export function policyData(policy: Policy): unknown {
  const json = DATA.get(policy);
  if (json !== undefined) return JSON.parse(json);
  const message = 'this policy has no data: expected a policy as it was read, not a copy';
  throw new VerdictError('CONFIGURATION_INVALID', message);
}

/** Notes the span of a rule, a row or a test. */
export function keepSpan(thing: object, { source, start, end }: Span): void {
  // The node itself would keep the whole tree in memory.
  SPANS.set(thing, { source, start, end });
}

/** The position of a rule, a row of a table or a test in the policy's files; undefined for one that was not read. */
export function placeOf(thing: Rule | Test): Place | undefined {
  const span = SPANS.get(thing);
  return span?.source.placeOf(span.start, span.end);
}
