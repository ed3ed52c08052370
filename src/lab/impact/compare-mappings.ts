/** Captured answers and two mappings -> the facts that change, and the decisions of a policy that change with them. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { type Cause, type Fact, type FactValue, isMissing, shownValue } from '../../facts/fact.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import { type TrialOptions, tryMapping } from '../../facts/mapping/try-mapping.ts';
import { isPersonal } from '../../policy/identities.ts';
import type { Policy } from '../../policy/language.ts';
import { BY_SEVERITY, type ChangedApplicant, decidingReasons } from './impact.ts';

/** What a mapping gives for a fact. The value of a personal fact is not shown. */
export type ShownFact = { readonly value: FactValue } | { readonly known: true } | { readonly missing: Cause };

/** One way in which a fact changes. */
export interface ValueChange {
  readonly old: ShownFact;
  readonly new: ShownFact;
  /** The number of answers, and the name of the first. */
  readonly answers: number;
  readonly example: string;
}

/** A fact that changes. */
export interface ChangedFact {
  readonly path: string;
  /** In how many answers. */
  readonly answers: number;
  /** The most frequent first. */
  readonly changes: readonly ValueChange[];
}

/** A decision that changes, by the name of the answer. */
export interface ChangedDecision extends Omit<ChangedApplicant, 'name' | 'day'> {
  readonly answer: string;
}

/** How two mappings differ on captured answers. */
export interface MappingDiff {
  /** The number of answers that were read. */
  readonly answers: number;
  /** In the order of the mappings' facts. */
  readonly facts: readonly ChangedFact[];
  /** With a policy: the decisions that change, the worst first. */
  readonly decisions?: readonly ChangedDecision[];
}

/** A mapping, and the policy read with it, if there is one. */
export interface MappingSide {
  readonly mapping: Mapping;
  readonly policy?: Policy | undefined;
}

/** Reads captured answers by two mappings, one after the other, and keeps what changes. */
export class MappingComparison {
  readonly #old: MappingSide;
  readonly #now: MappingSide;
  readonly #trial: TrialOptions;
  /** By path, by the texts of both facts. */
  readonly #changes = new Map<string, Map<string, { -readonly [Key in keyof ValueChange]: ValueChange[Key] }>>();
  readonly #decisions: ChangedDecision[] = [];
  #answers = 0;

  constructor(old: MappingSide, now: MappingSide, trial: TrialOptions) {
    this.#old = old;
    this.#now = now;
    this.#trial = trial;
  }

  /** `name` names the answer in the result; `body` is its JSON. */
  add(name: string, body: unknown): void {
    this.#answers += 1;
    const [before, after] = [this.#old, this.#now].map(({ mapping }) => tryMapping(body, mapping, this.#trial).facts);
    if (!before || !after) return;
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const [one, other] = [before.get(path) ?? UNMAPPED, after.get(path) ?? UNMAPPED];
      if (stateOf(one) !== stateOf(other)) this.#addChange(path, one, other, name);
    }
    this.#addDecision(name, before, after);
  }

  #addChange(path: string, one: Fact, other: Fact, example: string): void {
    const isHidden = [this.#old, this.#now].some(({ mapping }) => isPersonal(path, mapping.facts));
    const change = { old: showFact(one, isHidden), new: showFact(other, isHidden), answers: 0, example };
    const changes = this.#changes.get(path) ?? new Map<string, typeof change>();
    const key = JSON.stringify([change.old, change.new]);
    const earlier = changes.get(key) ?? change;
    earlier.answers += 1;
    this.#changes.set(path, changes.set(key, earlier));
  }

  #addDecision(answer: string, before: ReadonlyMap<string, Fact>, after: ReadonlyMap<string, Fact>): void {
    if (!this.#old.policy || !this.#now.policy) return;
    const { day } = this.#trial;
    const [one, other] = [matcherOf(this.#old.policy), matcherOf(this.#now.policy)];
    const [from, to] = [one.outcome(before, day).outcome, other.outcome(after, day).outcome];
    if (from === to) return;
    const reasons = decidingReasons(one.verdict(before, day), other.verdict(after, day));
    this.#decisions.push({ answer, from, to, ...reasons });
  }

  result(): MappingDiff {
    const order = new Set([...this.#old.mapping.facts.keys(), ...this.#now.mapping.facts.keys()]);
    const facts = [...order].flatMap((path): ChangedFact[] => {
      const changes = [...(this.#changes.get(path)?.values() ?? [])].sort((one, other) => other.answers - one.answers);
      const answers = changes.reduce((sum, change) => sum + change.answers, 0);
      return answers > 0 ? [{ path, answers, changes }] : [];
    });
    const bySeverity = BY_SEVERITY.flatMap(([from, to]) =>
      this.#decisions.filter((decision) => decision.from === from && decision.to === to),
    );
    return { answers: this.#answers, facts, ...(this.#old.policy ? { decisions: bySeverity } : {}) };
  }
}

/** A fact that only the other mapping declares. */
const UNMAPPED: Fact = { missing: 'unmapped' };

/** Equal for facts that no test tells apart, and that people are shown alike. */
function stateOf(fact: Fact): string {
  return JSON.stringify(isMissing(fact) ? [fact.missing] : [fact.value, shownValue(fact)]);
}

function showFact(fact: Fact, isHidden: boolean): ShownFact {
  if (isMissing(fact)) return { missing: fact.missing };
  return isHidden ? { known: true } : { value: shownValue(fact) };
}
