/** What a suggested case changes of a set of facts -> its facts, and what it reaches. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, type GivenFact, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import type { Policy } from '../../policy/language.ts';
import { neededAmong } from '../question/needed.ts';
import { personalTextsOf } from './personal-texts.ts';
import type { Reach, Reached } from './reach.ts';

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
  readonly #isOfPolicy: (path: string, fact: Fact) => boolean;
  readonly #tried = new Set<string>();
  readonly #open: Set<number>;
  /** The goals that a case reached which has a value of a personal fact that the policy names. */
  readonly #personal = new Set<number>();

  constructor(policy: Policy, reach: Reach, factsOf: FactsOfSet, goals: number) {
    this.#policy = policy;
    this.#reach = reach;
    this.#factsOf = factsOf;
    this.#isOfPolicy = personalTextsOf([policy]);
    this.#open = new Set(Array.from({ length: goals }, (_, i) => i));
  }

  /** The goals that no candidate reaches so far. */
  get open(): ReadonlySet<number> {
    return this.#open;
  }

  /** Whether a case reaches a goal that is not suggested: it has a value that may be that of somebody. */
  isWithheld(goal: number): boolean {
    return this.#personal.has(goal);
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

  /** A test file is read by more people than a list of persons. */
  #isPersonal(facts: Facts): boolean {
    return [...facts].some(([path, fact]) => this.#isOfPolicy(path, fact));
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
