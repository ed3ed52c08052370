/** Applicants, one after the other, by the rules that fire for them -> what each rule did. */

import type { EvidenceCount, RowTruths } from '../../decision/matcher/row-scan.ts';
import { type OutcomeAndScore, OutcomeTally } from '../../decision/meaning/outcome.ts';
import { OUTCOMES, type Outcome, type Policy } from '../../policy/language.ts';
import { type Weight, weigh } from '../../policy/weight.ts';
import { applicantsIn, type ChangeCount } from './applicants.ts';
import type { Labelled } from './label-counts.ts';
import { add, noOutcomes, type OutcomeCounts, OutcomePairs } from './outcome-counts.ts';

/** What one rule did. */
export interface RuleCount {
  readonly rule: string;
  /** Whether it is only observed: then `alone` counts the outcomes that it would change. */
  readonly shadow?: true;
  readonly fired: number;
  /** By the policy before, if it has a rule of that id. */
  readonly firedBefore?: number;
  readonly undetermined: number;
  /** The missing facts that leave it undetermined, the commonest first; applicants may have several. */
  readonly missing?: readonly { readonly fact: string; readonly cause: string; readonly applicants: number }[];
  /** Those for whom it fired, and whose outcome is another one without it. */
  readonly alone?: number;
  /** What becomes of those for whom it fired, without it. */
  readonly without?: OutcomeCounts;
  /** Those of `alone`, from their outcome to the other one. */
  readonly changes?: readonly ChangeCount[];
  /** The rule that fires most often with it, and for how many. */
  readonly overlap?: { readonly rule: string; readonly applicants: number };
  /** Those for whom it fired, by their labels. */
  readonly labels?: Labelled;
}

/** The rules that fire for somebody or are undetermined. */
type Truths = Pick<RowTruths, 'size' | 'rules' | 'isFired'>;

interface RuleWeight {
  readonly weight: Weight;
  readonly isShadow: boolean;
}

/** The counts of a rule so far. */
class RuleTally {
  fired = 0;
  undetermined = 0;
  /** From the outcome with the rule to the one without it. */
  readonly outcomes = new OutcomePairs();
  readonly missing: EvidenceCount[] = [];
  readonly labels = { fraud: 0, good: 0, notLetIn: 0, unknown: 0, immature: 0, tooEarly: 0 };
}

/** Up to so many rules have a place for each pair of them: 8 MB. */
const MOST_IN_TABLE = 1000;

/** How often two rules fire together. */
class PairCounts {
  readonly #rules: number;
  /** By the index of the first rule of a pair, times the number of rules, plus that of the second one. */
  readonly #table: Float64Array | undefined;
  readonly #others = new Map<number, number>();

  constructor(rules: number) {
    this.#rules = rules;
    this.#table = rules <= MOST_IN_TABLE ? new Float64Array(rules ** 2) : undefined;
  }

  /** `one` is the lesser index. */
  add(one: number, other: number): void {
    const pair = one * this.#rules + other;
    if (this.#table) this.#table[pair] = (this.#table[pair] as number) + 1;
    else this.#others.set(pair, (this.#others.get(pair) ?? 0) + 1);
  }

  /** The rule that fires most often with another one; of several the first. */
  commonest(index: number): { readonly rule: number; readonly n: number } | undefined {
    let most: { readonly rule: number; readonly n: number } | undefined;
    for (let rule = 0; rule < this.#rules; rule++) {
      const pair = Math.min(index, rule) * this.#rules + Math.max(index, rule);
      const n = this.#table?.[pair] ?? this.#others.get(pair) ?? 0;
      if (n > (most?.n ?? 0)) most = { rule, n };
    }
    return most;
  }
}

/** Counts by rule. The memory does not grow with the applicants. */
export class RuleTallies {
  readonly #policy: Policy;
  readonly #tallies: readonly RuleTally[];
  readonly #rules: readonly RuleWeight[];
  readonly #together: PairCounts;
  readonly #sums: OutcomeTally;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#sums = new OutcomeTally(policy);
    this.#together = new PairCounts(policy.rules.length);
    this.#tallies = policy.rules.map(() => new RuleTally());
    this.#rules = policy.rules.map((rule) => ({ weight: weigh(rule), isShadow: rule.shadow }));
  }

  /** The outcome: without one of the rules, or with one that is only observed. */
  settle(truths: Truths, exception = -1): OutcomeAndScore {
    return this.#sumsOf(truths, exception).answer();
  }

  /** The sums of all rules: without one of them, or with one that is only observed. */
  #sumsOf({ size, rules, isFired }: Truths, exception = -1): OutcomeTally {
    const sums = this.#sums;
    sums.reset();
    for (let i = 0; i < size; i++) {
      const index = rules[i] as number;
      const { weight, isShadow } = this.#rules[index] as RuleWeight;
      if (isShadow === (index === exception)) sums.add(weight, isFired[i] === 1);
    }
    return sums;
  }

  /** Counts only for which rules fire. */
  addFired({ size, rules, isFired }: Truths): void {
    for (let i = 0; i < size; i++) if (isFired[i] === 1) this.#tallyOf(rules[i] as number).fired += 1;
  }

  add(truths: RowTruths, outcome: Outcome, label: keyof Labelled | undefined): void {
    const { size, rules, isFired } = truths;
    for (let i = 0; i < size; i++) {
      const index = rules[i] as number;
      const tally = this.#tallyOf(index);
      if (isFired[i] !== 1) {
        tally.undetermined += 1;
        const count = truths.missing(index);
        if (count.n === 0) tally.missing.push(count);
        count.n += 1;
        continue;
      }
      tally.fired += 1;
      if (label !== undefined) tally.labels[label] += 1;
      tally.outcomes.add({ from: outcome, to: this.#sumsOf(truths, index).outcome() });
      for (let j = i + 1; j < size; j++) if (isFired[j] === 1) this.#together.add(index, rules[j] as number);
    }
  }

  /** By the index of a rule. */
  fired(index: number): number {
    return this.#tallyOf(index).fired;
  }

  count(index: number, { hasLabels }: { readonly hasLabels: boolean }): Omit<RuleCount, 'firedBefore'> {
    const { id, shadow } = this.#policy.rules[index] as Policy['rules'][number];
    const tally = this.#tallyOf(index);
    const overlap = this.#together.commonest(index);
    const without = noOutcomes();
    for (const from of OUTCOMES) for (const to of OUTCOMES) without[to] += tally.outcomes.of({ from, to });
    const changes = tally.outcomes.changes();
    return {
      rule: id,
      ...(shadow ? { shadow } : {}),
      fired: tally.fired,
      undetermined: tally.undetermined,
      missing: missingIn(tally.missing),
      alone: applicantsIn(changes),
      without,
      changes,
      ...(overlap ? { overlap: { rule: this.#policy.rules[overlap.rule]?.id ?? '', applicants: overlap.n } } : {}),
      ...(hasLabels ? { labels: tally.labels } : {}),
    };
  }

  #tallyOf(index: number): RuleTally {
    return this.#tallies[index] as RuleTally;
  }
}

function missingIn(counts: readonly EvidenceCount[]): NonNullable<RuleCount['missing']> {
  const byName = new Map<string, number>();
  for (const { evidence, n } of counts) for (const { fact, cause } of evidence) add(byName, `${fact}\0${cause}`, n);
  const sorted = [...byName].toSorted(([, one], [, other]) => other - one);
  return sorted.map(([name, applicants]) => {
    const [fact = '', cause = ''] = name.split('\0');
    return { fact, cause, applicants };
  });
}
