/** Policies with most of their rules in common, and rows -> what each decides; shared rules are asked once. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { RowScan } from '../../decision/matcher/row-scan.ts';
import { OutcomeTally } from '../../decision/meaning/outcome.ts';
import type { FactDefinition } from '../../facts/catalog.ts';
import { cached } from '../../platform/cached.ts';
import { lazy } from '../../platform/lazy.ts';
import type { Outcome, Policy, Rule } from '../../policy/language.ts';
import { createRuleKey, definitionKey, listKey } from '../../policy/sameness.ts';
import { factsRead, listsOf } from '../../policy/usage.ts';
import { type Weight, weigh } from '../../policy/weight.ts';
import type { ApplicantRows } from '../backtest/applicant-rows.ts';
import { daysIn, withRules } from '../backtest/backtest.ts';
import { byPath, type Names } from '../space/own-computations.ts';

/** The rules of a policy that fire or are undetermined in each of some rows. */
export class RuleTruths {
  readonly policy: Policy;
  readonly #ruleKeys = lazy(() => this.policy.rules.map((rule) => ruleKey(rule, this.policy)));
  readonly #scanRows: RowScan;
  readonly #counts: Names;
  readonly #timeZone: string;
  /** By row, where its rules begin; and the rules with whether they fire. */
  #starts = new Int32Array(1);
  #rules: number[] = [];
  #isFired: boolean[] = [];

  /** `counts`: the names of the joint facts that it counts under other paths; `timeZone`: that of the rows' days. */
  constructor(policy: Policy, counts: Names, timeZone: string) {
    [this.policy, this.#counts, this.#timeZone] = [policy, counts, timeZone];
    this.#scanRows = matcherOf(policy).rowScan();
  }

  /** What its rules do, in their order. */
  get ruleKeys(): readonly string[] {
    return this.#ruleKeys();
  }

  scan(rows: ApplicantRows): void {
    [this.#starts, this.#rules, this.#isFired] = [new Int32Array(rows.rows + 1), [], []];
    if (this.policy.rules.length === 0) return;
    const columns = byPath(rows.columns, this.#counts);
    const days = daysIn(rows, this.policy.timeZone, this.#timeZone);
    this.#scanRows({ rows: rows.rows, columns }, days, ({ row, size, rules, isFired }) => {
      for (let i = 0; i < size; i++) {
        this.#rules.push(rules[i] as number);
        this.#isFired.push(isFired[i] === 1);
      }
      this.#starts[row + 1] = this.#rules.length;
    });
  }

  /** Adds the rules of a row to a tally: by their weights, undefined for those that do not count. */
  addTo(tally: OutcomeTally, row: number, weights: readonly (Weight | undefined)[]): void {
    for (let i = this.#starts[row] as number; i < (this.#starts[row + 1] as number); i++) {
      const weight = weights[this.#rules[i] as number];
      if (weight) tally.add(weight, this.#isFired[i] as boolean);
    }
  }
}

/** A policy that has most of its rules from another one, whose truths it shares. */
export class Variant {
  readonly #tally: OutcomeTally;
  readonly #base: RuleTruths;
  readonly #shared: readonly (Weight | undefined)[];
  readonly #own: RuleTruths;
  readonly #weights: readonly (Weight | undefined)[];

  constructor(policy: Policy, base: RuleTruths, truthsOf: (policy: Policy, rules: Policy) => RuleTruths) {
    const left = Map.groupBy(policy.rules, (rule) => ruleKey(rule, policy));
    const shared = base.ruleKeys.map((key) => left.get(key)?.pop());
    const own = new Set([...left.values()].flat().map(({ id }) => id));
    this.#tally = new OutcomeTally(policy);
    this.#base = base;
    this.#shared = shared.map(weightOf);
    this.#own = truthsOf(
      policy,
      withRules(policy, (rule) => own.has(rule)),
    );
    this.#weights = this.#own.policy.rules.map(weightOf);
  }

  /** Takes rows, after the other policy has taken them. */
  scan(rows: ApplicantRows): void {
    this.#own.scan(rows);
  }

  outcome(row: number): Outcome {
    this.#tally.reset();
    this.#base.addTo(this.#tally, row, this.#shared);
    this.#own.addTo(this.#tally, row, this.#weights);
    return this.#tally.outcome();
  }
}

/** A rule that is only observed has none. */
function weightOf(rule: Rule | undefined): Weight | undefined {
  return rule && !rule.shadow ? weigh(rule) : undefined;
}

const RULE_KEY = createRuleKey(['condition', 'outcome', 'unknown', 'activity']);
const FACT_KEY = cached((definition: FactDefinition) => definitionKey(definition, 'meaning', 'values'));

/** Equal for rules of two policies that have the same truth for everybody, and ask for the same. */
function ruleKey(rule: Rule, policy: Policy): string {
  const lists = [...listsOf(rule).keys()].map((name) => policy.lists.get(name));
  const facts = [...factsRead(rule, policy)].map((path) => policy.facts.get(path));
  return JSON.stringify([
    ...[RULE_KEY(rule), policy.timeZone],
    ...lists.map((list) => list && listKey(list)),
    ...facts.map((definition) => definition && FACT_KEY(definition)),
  ]);
}
