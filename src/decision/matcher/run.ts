/** A policy, and facts that may still have to be fetched -> the verdict, by the matcher, once all of them are there. */

import type { Fact } from '../../facts/fact.ts';
import type { Policy } from '../../policy/language.ts';
import { type FactSource, fetchFact, type LiveRun } from '../live.ts';
import { compile, type Matcher } from './matcher.ts';

const compiled = new WeakMap<Policy, Matcher>();

/** The matcher of a policy, which is compiled once. */
export function matcherOf(policy: Policy): Matcher {
  let matcher = compiled.get(policy);
  if (!matcher) {
    matcher = compile(policy);
    compiled.set(policy, matcher);
  }
  return matcher;
}

/** Fetches the facts at these paths, and decides. */
export async function runMatcher(
  policy: Policy,
  paths: Iterable<string>,
  source: FactSource,
  day: string,
): Promise<LiveRun> {
  const fetched = [...paths].map(async (path): Promise<[string, Fact]> => [path, await fetchFact(source, path)]);
  const facts = new Map(await Promise.all(fetched));
  return { verdict: matcherOf(policy).verdict(facts, day), facts };
}
