/** Changes of sets of facts -> the cases that reach goals, and few of them that reach the same, greedily. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, type GivenFact, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import type { Policy } from '../../policy/language.ts';
import { neededAmong } from '../question/needed.ts';
import type { Reach, Reached } from './coverage-goals.ts';
import { withholdsFor } from './personal-texts.ts';

/** A case: a set of facts, and what it has otherwise. */
export interface Change {
  readonly at: string;
  /** The set to start from, by name; undefined for no facts. */
  readonly from: string | undefined;
  /** Patterns of facts that are missing, such as `email.*`. */
  readonly missing: readonly string[];
  readonly facts: Facts;
}

/** A case that may be suggested. */
export interface Candidate extends Change, Reached {}

/** The facts of sets, by name and day. */
export type FactsOfSet = (set: string, day: string) => ReadonlyMap<string, GivenFact>;

/** Why a fact that a pattern names is missing. */
export const PATTERN_CAUSE = 'sourceFailed';

/** Collects the cases that may be suggested. */
export class Candidates {
  readonly found: Candidate[] = [];
  readonly #policy: Policy;
  readonly #reach: Reach;
  readonly #factsOf: FactsOfSet;
  readonly #isPersonal: (facts: Facts) => boolean;
  readonly #tried = new Set<string>();
  readonly #open: Set<number>;
  /** The goals that a case reached which has a value of a personal fact that the policy names. */
  readonly #personal = new Set<number>();

  constructor(policy: Policy, reach: Reach, factsOf: FactsOfSet, goals: number) {
    this.#policy = policy;
    this.#reach = reach;
    this.#factsOf = factsOf;
    this.#isPersonal = withholdsFor([policy]);
    this.#open = new Set(Array.from({ length: goals }, (_, i) => i));
  }

  /** The goals that no candidate reaches so far. */
  get open(): ReadonlySet<number> {
    return this.#open;
  }

  /** Whether a case reaches a goal; one that only a personal value reaches is withheld: it may be a real person's. */
  answerFor(goal: number): 'reached' | 'withheld' | 'open' {
    if (!this.#open.has(goal)) return 'reached';
    return this.#personal.has(goal) ? 'withheld' : 'open';
  }

  /** The facts of a case, as a test of it has them. */
  factsOf({ at, from, missing, facts }: Change): Map<string, Fact> {
    const { facts: table } = this.#policy;
    const given = new Map<string, GivenFact>(from === undefined ? [] : this.#factsOf(from, at));
    for (const path of missing.flatMap((pattern) => matching(pattern, table))) {
      given.set(path, { missing: PATTERN_CAUSE });
    }
    for (const [path, fact] of facts) given.set(path, fact);
    return readFacts(given, table, at);
  }

  /** Tries a case, which is kept if it reaches a goal. */
  add(change: Change): Reached | undefined {
    const key = JSON.stringify([change.at, change.from, change.missing, [...change.facts]]);
    if (this.#tried.has(key) || this.#isPersonal(change.facts)) return undefined;
    this.#tried.add(key);
    const reached = this.#reach.of(this.factsOf(change), change.at);
    for (const goal of reached.goals) this.#open.delete(goal);
    if (reached.goals.size > 0) this.found.push({ ...change, ...reached });
    return reached;
  }

  reaches(change: Change, goal: number): boolean {
    return this.#reach.of(this.factsOf(change), change.at).goals.has(goal);
  }

  /** Tries a case without those of its changes that a goal can do without, one after the other. */
  addNeeded(change: Change, goal: number): void {
    const reaches = (facts: readonly (readonly [string, Fact])[]) =>
      this.reaches({ ...change, facts: new Map(facts) }, goal);
    const facts = [...this.#withoutDerived(change)];
    if (!reaches(facts)) return;
    const needed = new Map(neededAmong(facts, reaches));
    if (this.#isPersonal(needed)) this.#personal.add(goal);
    this.add({ ...change, facts: needed });
  }

  /** What the engine derives is not given: nobody has another value of it. */
  #withoutDerived(change: Change): Facts {
    const all = this.factsOf(change);
    const isKnown = (path: string) => !isMissing(all.get(path) ?? { missing: 'notGiven' });
    const isDerived = (path: string) => {
      const { origin, inputs = [] } = this.#policy.facts.get(path) ?? {};
      return origin === 'derived' && inputs.every(isKnown);
    };
    return new Map([...change.facts].filter(([path]) => !isDerived(path)));
  }
}

function matching(pattern: string, table: FactTable): readonly string[] {
  const start = pattern.slice(0, -1);
  return [...table].flatMap(([path, { origin, compute }]) =>
    origin !== 'derived' && !compute && path.startsWith(start) ? path : [],
  );
}

/** A case that is suggested, and the goals that it is the first to reach, by index. */
export interface Chosen {
  readonly candidate: Candidate;
  readonly goals: readonly number[];
}

/**
 * Chooses one case after the other: always one that reaches most goals that are still open, and among those the one
 * that changes least, in the shortest words.
 */
export function chooseCases(candidates: readonly Candidate[]): readonly Chosen[] {
  const open = new Set(candidates.flatMap(({ goals }) => [...goals]));
  let left = candidates.map((candidate) => ({ candidate, size: sizeOf(candidate) }));
  const chosen: Chosen[] = [];
  while (open.size > 0) {
    let best: { candidate: Candidate; size: number; gain: number } | undefined;
    left = left.filter(({ candidate, size }) => {
      const gain = candidate.goals.intersection(open).size;
      if (gain > 0 && (!best || gain > best.gain || (gain === best.gain && size < best.size))) {
        best = { candidate, size, gain };
      }
      return gain > 0;
    });
    if (!best) break;
    const { candidate } = best;
    const goals = [...candidate.goals.intersection(open)];
    chosen.push({ candidate, goals });
    for (const goal of goals) open.delete(goal);
  }
  return chosen;
}

/** The number of changes; of equal ones, 5 comes before 5.000000000000001. */
function sizeOf({ facts, missing }: Candidate): number {
  return facts.size + missing.length + 1 - 1 / (1 + JSON.stringify([...facts.values()]).length);
}
