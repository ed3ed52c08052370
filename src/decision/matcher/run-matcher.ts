/** A policy, and facts that may still have to be fetched -> the verdict, by the matcher, once all of them are there. */

import type { Fact } from '../../facts/fact.ts';
import { conditionFacts, isActive, messageFacts, type Policy } from '../../policy/language.ts';
import { type FactSource, fetchFact, type LiveRun } from '../live/live.ts';
import { matcherOf } from './matcher.ts';

/** Fetches the facts that the active rules read, and decides; then those that the messages of rules which fired name. */
export async function runMatcher(policy: Policy, source: FactSource, day: string): Promise<LiveRun> {
  const matcher = matcherOf(policy);
  const facts = new Map<string, Fact>();
  const fetchAll = async (paths: Iterable<string>) => {
    const fetched = [...paths].map(async (path) => [path, await fetchFact(source, path)] as const);
    for (const [path, fact] of await Promise.all(fetched)) facts.set(path, fact);
  };
  await fetchAll(conditionFacts(policy.rules.filter((rule) => isActive(rule, day))));
  const verdict = matcher.verdict(facts, day);
  const fired = new Set(verdict.reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])));
  const named = messageFacts(policy.rules.filter(({ id }) => fired.has(id)));
  const lacking = [...named].filter((path) => !facts.has(path));
  if (lacking.length === 0) return { verdict, facts };
  await fetchAll(lacking);
  return { verdict: matcher.verdict(facts, day), facts };
}
