/** A policy and the sources of facts -> the verdict by the matcher, once all facts that it reads are fetched. */

import { setComputed, withOperands } from '../../facts/compute.ts';
import type { Fact } from '../../facts/fact.ts';
import { markRead, NOT_GIVEN } from '../../facts/fact-reader.ts';
import { conditionFacts, isActive, messageFacts, type Policy } from '../../policy/language.ts';
import type { ContextFacts } from '../fetch/context-facts.ts';
import type { StagedFacts } from '../fetch/staged-facts.ts';
import type { LiveRun } from '../live/live.ts';
import { matcherOf } from './matcher.ts';

/** Where the facts of one decision come from: the caller's own, and the service's. */
export interface FactSources {
  readonly own: Pick<ContextFacts, 'fetchAll'>;
  readonly service: Pick<StagedFacts, 'facts'>;
}

/** Fetches the facts that active rules read and decides; then fetches those in the messages of fired rules. */
export async function runMatcher(policy: Policy, { own, service }: FactSources, day: string): Promise<LiveRun> {
  const matcher = matcherOf(policy);
  const facts = markRead(new Map<string, Fact>(), policy.facts);
  const fetchAll = async (paths: ReadonlySet<string>) => {
    const [given, answered] = await Promise.all([own.fetchAll(paths), service.facts(paths)]);
    for (const path of paths) facts.set(path, answered.get(path) ?? NOT_GIVEN);
    for (const [path, fact] of given) facts.set(path, fact);
    setComputed(facts, policy.facts, paths);
  };
  await fetchAll(factsReadOn(policy, day));
  const verdict = matcher.verdict(facts, day);
  const fired = new Set(verdict.reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])));
  const named = messageFacts(policy.rules.filter(({ id }) => fired.has(id)));
  const unfetched = new Set([...named].filter((path) => !facts.has(path)));
  if (unfetched.size === 0) return { verdict, facts };
  await fetchAll(withOperands(unfetched, policy.facts));
  return { verdict: matcher.verdict(facts, day), facts };
}

const lastRead = new WeakMap<Policy, { readonly day: string; readonly paths: ReadonlySet<string> }>();

/** The facts that the rules active on a day read, with their operands. The last day's are kept. */
function factsReadOn(policy: Policy, day: string): ReadonlySet<string> {
  let read = lastRead.get(policy);
  if (read?.day !== day) {
    const active = policy.rules.filter((rule) => isActive(rule, day));
    read = { day, paths: withOperands(conditionFacts(active), policy.facts) };
    lastRead.set(policy, read);
  }
  return read.paths;
}
