/** A policy -> the data it was read from; a rule or a test -> its position. Kept as long as the policy or rule. */

import type { Place } from '../diagnostics.ts';
import { type Kind, readArgument } from '../given/options.ts';
import { canonicalJson } from '../platform/digest.ts';
import type { Span } from '../platform/files/source.ts';
import type { Condition, Guarantee, Policy, Rule, ScoreBands } from './language.ts';

/** Canonical JSON. */
const DATA = new WeakMap<Policy, string>();
const SPANS = new WeakMap<object, Span>();

/** A policy that was read. A changed copy is none: it would be recorded under a digest that is not its own. */
export const POLICY: Kind = {
  expected: 'a policy as it was read, not a copy of one',
  is: (value) => DATA.has(value as Policy),
};

/** Notes the data of a policy: as text, which takes less memory than objects. */
export function keepData(policy: Policy, data: unknown): Policy {
  DATA.set(policy, canonicalJson(data));
  return policy;
}

/**
 * The policy as JSON data, with its rule sets and list files inlined. `policy.digest` is the digest of these data, and
 * `policyFromData` reads them again. Each call gives a new copy.
 * Throws REQUEST_INVALID for an object that was not read, such as a changed copy of a policy.
 */
export function policyData(policy: Policy): unknown {
  return JSON.parse(DATA.get(readArgument('the policy', POLICY, policy)) as string);
}

/** Notes the span of a rule, a row, a guarantee, a test, a named condition or a score; a policy has its default's. */
export function keepSpan(thing: object, { source, start, end }: Span): void {
  // The node itself would keep the whole tree in memory.
  SPANS.set(thing, { source, start, end });
}

/** What has a position in the files of a policy. */
type Placed = Rule | Guarantee | Condition | ScoreBands | Policy;

/**
 * The position of a rule, a row of a table, a guarantee, a test, a condition of `policy.conditions` or the score in the
 * policy's files, and of a policy that of its default; undefined for one that was not read.
 */
export function placeOf(thing: Placed): Place | undefined {
  const span = spanOf(thing);
  return span?.source.placeOf(span.start, span.end);
}

/** The same as a span, with the text that it is part of. */
export function spanOf(thing: Placed): Span | undefined {
  return SPANS.get(thing);
}
