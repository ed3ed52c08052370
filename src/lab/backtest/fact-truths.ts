/** The facts of one applicant after the other -> the rules that fire for them, as rows of columns have them. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { gatherMissing, type MissingEvidence } from '../../decision/meaning/evidence.ts';
import { TRUE } from '../../decision/meaning/truth.ts';
import type { Facts } from '../../facts/fact.ts';
import { asRead } from '../../facts/fact-reader.ts';
import type { Policy, Rule } from '../../policy/language.ts';
import type { Truths } from './rule-counts.ts';

/** The truths of a policy's rules. */
export class FactTruths {
  readonly #policy: Policy;
  readonly #indexes: ReadonlyMap<Rule, number>;
  readonly #evidence = new Map<string, readonly MissingEvidence[]>();

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#indexes = new Map(policy.rules.map((rule, i) => [rule, i]));
  }

  of(facts: Facts, day: string): Truths {
    const truths = matcherOf(this.#policy).truths(facts, day);
    const read = asRead(facts, this.#policy.facts, day);
    return {
      size: truths.length,
      rules: Int32Array.from(truths, ({ rule }) => this.#indexes.get(rule) ?? -1),
      isFired: Uint8Array.from(truths, ({ truth }) => (truth === TRUE ? 1 : 0)),
      missing: (index) => this.#same(gatherMissing((this.#policy.rules[index] as Rule).when, read, day)),
    };
  }

  /** Equal evidence is one and the same array. */
  #same(evidence: readonly MissingEvidence[]): readonly MissingEvidence[] {
    const name = evidence.map(({ fact, cause }) => `${fact} ${cause}`).join();
    const same = this.#evidence.get(name) ?? evidence;
    this.#evidence.set(name, same);
    return same;
  }
}
