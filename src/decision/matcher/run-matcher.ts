/** A policy and a source of facts -> the verdict by the matcher, once all facts that it reads are fetched. */

import type { Fact } from '../../facts/fact.ts';
import { conditionFacts, isActive, messageFacts, type Policy } from '../../policy/language.ts';
import { type FactSource, fetchFact, type LiveRun } from '../live/live.ts';
import { matcherOf } from './matcher.ts';

/** Fetches the facts that active rules read and decides; then fetches those in the messages of fired rules. */
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
  const unfetched = [...named].filter((path) => !facts.has(path));
  if (unfetched.length === 0) return { verdict, facts };
  await fetchAll(unfetched);
  return { verdict: matcher.verdict(facts, day), facts };
}
