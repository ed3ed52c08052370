/** Cases and mutants of a policy -> what the mutants decide of the cases, and which of them the cases kill. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { type RuleTruth, settle } from '../../decision/meaning/outcome.ts';
import { TRUE, UNKNOWN } from '../../decision/meaning/truth.ts';
import { giveVerdict, type Verdict } from '../../decision/meaning/verdict.ts';
import { cached } from '../../platform/cached.ts';
import { type Condition, isActive, type Policy, type Rule } from '../../policy/language.ts';
import { KNOWN_OUTCOME, OUTCOME } from '../../policy/sameness.ts';
import { differencesIn, type Expectation, outcomeDifferencesIn, type TestCase } from '../test/test-case.ts';
import { type CaseBits, CaseTruths, type FactsOnDay, indexesIn, type TruthBits } from './case-truths.ts';
import type { Mutant } from './mutants.ts';
import { changesSettings, type PolicyChange } from './policy-change.ts';

/** A rule that is not false in a case, and its place in the policy. */
interface FoundRule extends RuleTruth {
  readonly index: number;
}

type BareRule = Omit<FoundRule, 'truth'>;

/** A rule before and after a change, and where it has which truth. */
interface ChangedRule {
  readonly index: number;
  readonly old: Rule;
  readonly now: Rule | undefined;
  readonly bare: Rule | undefined;
  readonly before: TruthBits;
  readonly after: TruthBits;
}

/** What a changed policy decides of the cases for which it may differ from the policy. */
export interface ChangedCases {
  /** The indexes of the cases in which a changed rule does something else, or other settings ask for something else. */
  readonly reached: readonly number[];
  /** The verdict on one of these cases: that of a matcher of the changed policy, without messages and evidence. */
  verdict(at: number): Verdict;
  /** Whether an expectation fails that holds for the policy. */
  fails(at: number, expect: Expectation): boolean;
}

/** Cases of one policy. Their facts are as `readFacts` gives them. */
export class JudgedCases {
  readonly #policy: Policy;
  readonly #cases: readonly FactsOnDay[];
  readonly #truths: CaseTruths;
  /** By case, the rules that are not false, in their order. */
  readonly #found: readonly (readonly FoundRule[])[];

  constructor(policy: Policy, cases: readonly FactsOnDay[]) {
    this.#policy = policy;
    this.#cases = cases;
    this.#truths = new CaseTruths(cases);
    const { verdict } = matcherOf(policy);
    const bare = bareRulesOf(policy);
    this.#found = cases.map(({ facts, at }) => {
      const { reasons, undetermined, shadow } = verdict(facts, at);
      const foundAs = (id: string, truth: RuleTruth['truth']) => ({ ...(bare.get(id) as BareRule), truth });
      return [
        ...reasons.flatMap((reason) => (reason.because === 'fired' ? foundAs(reason.rule, TRUE) : [])),
        ...undetermined.map(({ rule }) => foundAs(rule, UNKNOWN)),
        ...shadow.map(({ rule, result }) => foundAs(rule, result === 'fires' ? TRUE : UNKNOWN)),
      ].sort(inOrder);
    });
  }

  /** Applies a change of the policy to all cases. */
  change(change: PolicyChange): ChangedCases {
    const { rules, default: fallback, score, facts } = change;
    const other = { ...this.#policy, default: fallback, score };
    const truths = facts ? this.#truths.withComputed(facts) : this.#truths;
    const changed = [...rules].map(([index, now]): ChangedRule => {
      const old = this.#policy.rules[index] as Rule;
      const before = this.#whereActive(old, this.#truths.keep(old.when));
      const after = now ? this.#whereActive(now, truths.of(now.when)) : { certain: truths.none, possible: truths.none };
      return { index, old, now, bare: now && withoutEvidence(now), before, after };
    });
    const isChanged = new Set(rules.keys());
    const foundOf = (at: number): readonly RuleTruth[] =>
      [
        ...(this.#found[at] ?? []).filter(({ index }) => !isChanged.has(index)),
        ...changed.flatMap(({ index, bare, after: { certain, possible } }) =>
          bare && isSet(possible, at) ? { index, rule: bare, truth: truthAt(certain, at) } : [],
        ),
      ].sort(inOrder);
    const { otherTruths, otherEffects } = this.#reachedBy(changed);
    const settles = (at: number) => settlesOtherwise(this.#policy, other, this.#found[at] ?? []);
    const reached = changesSettings(this.#policy, change)
      ? [...this.#cases.keys()].filter((at) => isSet(otherEffects, at) || settles(at))
      : indexesIn(otherEffects);
    const verdict = (at: number) => {
      const { facts, at: day } = this.#cases[at] as FactsOnDay;
      return giveVerdict(other, foundOf(at), facts, day);
    };
    const fails = (at: number, expect: Expectation) => {
      // Where all rules keep their truth, only a notice can differ, apart from the outcome and the score.
      if (isSet(otherTruths, at) || expect.notice !== undefined) return differencesIn(verdict(at), expect).length > 0;
      const counted = foundOf(at).filter(({ rule }) => !rule.shadow);
      return outcomeDifferencesIn(settle(other, counted), expect).length > 0;
    };
    return { reached, verdict, fails };
  }

  /** The cases in which the truth of a changed rule differs; and these plus those in which only its effect differs. */
  #reachedBy(changed: readonly ChangedRule[]) {
    const [otherTruths, otherEffects] = [this.#truths.none.slice(), this.#truths.none.slice()];
    for (const { old, now, before, after } of changed) {
      const isShown = now !== undefined && old.shadow !== now.shadow;
      const [fired, open] = ([TRUE, UNKNOWN] as const).map((truth) => now && doesOtherwise(old, now, truth));
      for (let at = 0; at < otherTruths.length; at++) {
        const [certain, possible] = [after.certain[at] as number, after.possible[at] as number];
        const movedBits = (certain ^ (before.certain[at] as number)) | (possible ^ (before.possible[at] as number));
        const truths = movedBits | (isShown ? possible : 0);
        const effects = (fired ? certain : 0) | (open ? possible & ~certain : 0);
        otherTruths[at] = (otherTruths[at] as number) | truths;
        otherEffects[at] = (otherEffects[at] as number) | truths | effects;
      }
    }
    return { otherTruths, otherEffects };
  }

  /** A rule is false where it is not active. */
  #whereActive(rule: Rule, { certain, possible }: TruthBits): TruthBits {
    if (rule.from === undefined && rule.until === undefined) return { certain, possible };
    const active = this.#truths.bitsWhere(({ at }) => isActive(rule, at));
    const whereActive = (bits: CaseBits) => bits.map((own, at) => own & (active[at] as number));
    return { certain: whereActive(certain), possible: whereActive(possible) };
  }
}

function inOrder(one: BareRule, other: BareRule): number {
  return one.index - other.index;
}

function isSet(bits: CaseBits, at: number): boolean {
  return (((bits[at >> 5] as number) >> (at & 31)) & 1) === 1;
}

function truthAt(certain: CaseBits, at: number): RuleTruth['truth'] {
  return isSet(certain, at) ? TRUE : UNKNOWN;
}

/** A rule as far as a test can expect something of it: evidence and messages take most of the time of a verdict. */
function withoutEvidence(rule: Rule): Rule {
  return { ...rule, when: NO_CONDITION, message: undefined };
}

/** The rules of a policy by id, found once: to seek a case of few facts, many cases are judged one by one. */
const bareRulesOf = cached((policy: Policy): ReadonlyMap<string, BareRule> => {
  return new Map(policy.rules.map((rule, index) => [rule.id, { index, rule: withoutEvidence(rule) }]));
});

const NO_CONDITION: Condition = { kind: 'all', of: [] };

/** Whether a rule of this truth asks for something else than before. */
function doesOtherwise(old: Rule, now: Rule, truth: RuleTruth['truth']): boolean {
  return !(truth === TRUE ? KNOWN_OUTCOME : OUTCOME).isSameEffect(old, now);
}

/** Whether another default or other bands ask for something else. */
function settlesOtherwise(policy: Policy, other: Policy, found: readonly RuleTruth[]): boolean {
  const counted = found.filter(({ rule }) => !rule.shadow);
  const [before, after] = [settle(policy, counted), settle(other, counted)];
  if (policy.default !== other.default && before.isDefaultAsked) return true;
  return before.score.band !== after.score.band || before.bandAbove !== after.bandAbove;
}

/** What the cases do to a mutant. Cases are named by their index. */
export type MutantRun =
  /** An expectation of this case fails. */
  | { readonly status: 'killed'; readonly by: number; readonly reachedBy: readonly number[] }
  /** A rule does something else in these cases, and no expectation fails. */
  | { readonly status: 'survived'; readonly reachedBy: readonly number[] }
  /** No rule does anything else in any case. */
  | { readonly status: 'notReached'; readonly reachedBy: readonly [] };

/** The cases of a policy with some values of its parameters, each with its index among all. */
interface Variant {
  readonly policy: Policy;
  readonly indexes: readonly number[];
  readonly judged: JudgedCases;
}

/** Runs cases, which pass, against mutants of one policy; each mutant up to the first case that kills it. */
export class MutantRunner {
  readonly #cases: readonly TestCase[];
  readonly #variants: readonly Variant[];

  constructor(cases: readonly TestCase[]) {
    this.#cases = cases;
    const byPolicy = Map.groupBy(cases.keys(), (i) => (cases[i] as TestCase).policy);
    this.#variants = [...byPolicy].map(([policy, indexes]) => {
      return {
        policy,
        indexes,
        judged: new JudgedCases(
          policy,
          indexes.map((i) => cases[i] as TestCase),
        ),
      };
    });
  }

  run(mutant: Mutant, policy: Policy): MutantRun {
    const reached = this.#variants.flatMap(({ policy: variant, indexes, judged }) => {
      const change = variant === policy ? mutant.change : mutant.changeIn(variant);
      const changed = change && judged.change(change);
      return (
        changed?.reached.map((at) => ({
          index: indexes[at] as number,
          fails: (expect: Expectation) => changed.fails(at, expect),
        })) ?? []
      );
    });
    if (reached.length === 0) return { status: 'notReached', reachedBy: [] };
    reached.sort((one, other) => one.index - other.index);
    const reachedBy = reached.map(({ index }) => index);
    const killing = reached.find(({ index, fails }) => fails((this.#cases[index] as TestCase).expect));
    if (killing) return { status: 'killed', by: killing.index, reachedBy };
    return { status: 'survived', reachedBy };
  }
}
