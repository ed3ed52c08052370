/** Decisions on record and another policy -> the outcomes of that policy, counted by change. */

import { compile, type Matcher } from '../../../decision/matcher/matcher.ts';
import { givenFacts } from '../../../facts/compute.ts';
import { type Facts, type GivenFact, isMissing, shownValue } from '../../../facts/fact.ts';
import { readFacts } from '../../../facts/read.ts';
import { conditionFacts, OUTCOMES, type Outcome, type Policy } from '../../../policy/language.ts';
import type { DecisionFields } from '../../entry/entry.ts';
import { dayOf } from '../../entry/searchable.ts';

/** Decisions with one outcome on record and one under the other policy. */
export interface OutcomeChange {
  readonly from: Outcome;
  /** The same as `from` for decisions that do not change. */
  readonly to: Outcome;
  readonly count: number;
  /** The ids of the first five. */
  readonly examples: readonly string[];
}

/** The result of a comparison. */
export interface OtherOutcomes {
  /** From mild to strict, unchanged outcomes included. */
  readonly changes: readonly OutcomeChange[];
  /** Decisions that are not compared: their caller aborted them, so that nobody was given an outcome. */
  readonly aborted: number;
  /** Facts that the other policy reads and some records do not have: the number of those records. */
  readonly lacking: Readonly<Record<string, number>>;
}

const EXAMPLES = 5;

/** Decides records again with another policy, and counts the outcomes. */
export class Comparison {
  readonly #policy: Policy;
  readonly #matcher: Matcher;
  readonly #paths: ReadonlySet<string>;
  readonly #changes = new Map<string, { from: Outcome; to: Outcome; count: number; examples: string[] }>();
  #aborted = 0;
  readonly #lacking = new Map<string, number>();

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#matcher = compile(policy);
    this.#paths = givenFacts(conditionFacts(policy.rules), policy.facts);
  }

  add({ id, at, outcome: from }: DecisionFields, facts: Facts): void {
    if (from === 'aborted') {
      this.#aborted += 1;
      return;
    }
    for (const path of this.#paths) {
      if (!facts.has(path)) this.#lacking.set(path, (this.#lacking.get(path) ?? 0) + 1);
    }
    const day = dayOf({ at });
    // Facts are read again, because the two policies may declare a fact differently.
    const { outcome: to } = this.#matcher.outcome(readFacts(givenOf(facts), this.#policy.facts, day), day);
    const change = this.#changes.get(`${from} ${to}`) ?? { from, to, count: 0, examples: [] };
    change.count += 1;
    if (change.examples.length < EXAMPLES) change.examples.push(id);
    this.#changes.set(`${from} ${to}`, change);
  }

  result(): OtherOutcomes {
    const changes = OUTCOMES.flatMap((from) => OUTCOMES.map((to) => this.#changes.get(`${from} ${to}`)));
    const [aborted, lacking] = [this.#aborted, Object.fromEntries(this.#lacking)];
    return { changes: changes.filter((change) => change !== undefined), aborted, lacking };
  }
}

function givenOf(facts: Facts): ReadonlyMap<string, GivenFact> {
  return new Map([...facts].map(([path, fact]) => [path, isMissing(fact) ? fact : { value: shownValue(fact) }]));
}
