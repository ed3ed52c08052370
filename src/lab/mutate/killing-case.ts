/** Mutants that no case kills -> for each the smallest case that kills it, or the proof that no case can. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { firedReasons, type Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { type Policy, type Rule, rulesInEffect } from '../../policy/language.ts';
import { OUTCOME } from '../../policy/sameness.ts';
import { weigh } from '../../policy/weight.ts';
import { withholdsFor } from '../cases/personal-texts.ts';
import type { Unreached } from '../cases/search-cases.ts';
import { noticeFormulas, noticesOf } from '../diff/notices.ts';
import { KILLING_SHARE, QUICK_OUTCOME_STEPS } from '../limits.ts';
import { type ExampleLine, exampleLine, findApplicant } from '../question/find-applicant.ts';
import { outcomesDiffer } from '../question/outcome-change.ts';
import { createReasoner, type Reasoner } from '../question/reasoner.ts';
import { type OutcomeFormulas, outcomeFormulas, truthsDiffer } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or, TRUE } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import type { Steps } from '../steps.ts';
import { differencesIn, type Expectation, expectedScore } from '../test/test-case.ts';
import { createJudge } from './judge.ts';
import type { Mutant } from './mutants.ts';
import { changesSettings } from './policy-change.ts';

/** A test that kills a mutant, as in `tests` of a `*.test.yaml`. */
export interface KillingCase extends ExampleLine {
  readonly name: string;
  readonly at: string;
  /** What the policy decides today. */
  readonly expect: Expectation;
}

/** The case that kills a mutant, or why there is none on this day. */
export type Killing =
  | { readonly kind: 'case'; readonly case: Omit<KillingCase, 'name'>; readonly facts: Facts }
  | { readonly kind: Unreached };

/** A rule before and after a change, as far as it is in effect. */
type RuleChange = readonly [old: Rule | undefined, now: Rule | undefined];

/** Answers for mutants of one policy on one day, which share states and formulas. */
export class KillingCases {
  readonly #policy: Policy;
  readonly #day: string;
  readonly #reasoner: Reasoner;
  readonly #side: Side;
  readonly #before: OutcomeFormulas;
  readonly #isPersonal: (facts: Facts) => boolean;
  #notices: ReadonlyMap<string, Formula> | undefined;
  /** The states of an applicant for whom no rule fires or is undetermined; empty if none was found. */
  #quiet: readonly number[] | undefined;

  private constructor(policy: Policy, day: string, reasoner: Reasoner) {
    this.#policy = policy;
    this.#day = day;
    this.#isPersonal = withholdsFor([policy]);
    this.#reasoner = reasoner;
    this.#side = reasoner.space.sides[0] as Side;
    this.#before = outcomeFormulas(this.#side, reasoner.encoding);
  }

  /** Throws CONFIGURATION_INVALID if the solver is not installed. */
  static async prepare(policy: Policy, day: string, mutants: readonly Mutant[]): Promise<KillingCases> {
    const conditions = mutants.flatMap(({ change }) => [...change.rules.values()].flatMap((rule) => rule?.when ?? []));
    const facts = new Map([...policy.facts, ...mutants.flatMap(({ change }) => [...(change.facts ?? [])])]);
    return new KillingCases(policy, day, await createReasoner([{ ...policy, facts }], day, [...new Set(conditions)]));
  }

  /**
   * Finds a case that expects another outcome, else one that expects anything else. Whether the outcome can differ is
   * hard to prove, and needs no proof where a test can expect something else.
   */
  async find({ change }: Mutant, steps: Steps): Promise<Killing> {
    this.#quiet ??= await this.#findQuiet(steps);
    const side = this.#changedSide(change);
    const after = outcomeFormulas(side, this.#reasoner.encoding);
    const asked = [this.#rulesDiffer(change), outcomesDiffer(this.#before, after)];
    const quick = steps.atMost(QUICK_OUTCOME_STEPS);
    const byOutcome = await this.#ask(asked, change, outcomeOf, quick);
    if (byOutcome.kind === 'case' || byOutcome.kind === 'withheld') return byOutcome;
    const others = or([...this.#resultsDiffer(change), this.#noticesDiffer(side, change)]);
    const byRest = await this.#ask([others], change, everythingOf, steps);
    if (byRest.kind !== 'unreachable') return byRest;
    return byOutcome.kind === 'unreachable' ? byOutcome : this.#ask(asked, change, outcomeOf, steps);
  }

  /** Where no other rule asks for anything, what a mutant changes decides the outcome: the search begins there. */
  async #findQuiet(steps: Steps): Promise<readonly number[]> {
    const { encoding, solver } = this.#reasoner;
    const isQuiet = not(or(this.#side.rules.map(({ when }) => encoding.truth(when).possible)));
    const answer = await solver.ask([isQuiet], steps.atMost(QUICK_OUTCOME_STEPS));
    return answer.kind === 'satisfiable' ? answer.states : [];
  }

  async #ask(
    formulas: readonly Formula[],
    change: Mutant['change'],
    expectOf: (verdict: Verdict, changed: Verdict) => Expectation,
    steps: Steps,
  ): Promise<Killing> {
    if (formulas.includes(FALSE)) return { kind: 'unreachable' };
    const [policy, day] = [this.#policy, this.#day];
    const judge = createJudge(policy, [change]);
    const verdictsOf = (given: Facts) => {
      const facts = readFacts(given, policy.facts, day);
      const { isReachedBy, verdict } = judge(facts, day);
      return {
        verdict: matcherOf(policy).verdict(facts, day),
        changed: isReachedBy(change) ? verdict(change) : undefined,
      };
    };
    const kills = (given: Facts) => {
      const { verdict, changed } = verdictsOf(given);
      return changed !== undefined && differencesIn(changed, expectOf(verdict, changed)).length > 0;
    };
    const given = await findApplicant(this.#reasoner, formulas, kills, steps, KILLING_SHARE, this.#quiet);
    if (given === 'none') return { kind: 'unreachable' };
    const { verdict, changed } = given ? verdictsOf(given) : {};
    if (!given || !verdict || !changed) return { kind: 'open' };
    if (this.#isPersonal(given)) return { kind: 'withheld' };
    return {
      kind: 'case',
      facts: readFacts(given, policy.facts, day),
      case: { at: day, ...exampleLine(given, policy.facts), expect: chooseShortest(verdict, changed) },
    };
  }

  #changedSide({ rules, default: fallback, score }: Mutant['change']): Side {
    const changed = this.#policy.rules.flatMap((rule, i) => (rules.has(i) ? (rules.get(i) ?? []) : rule));
    const policy = { ...this.#policy, rules: changed, default: fallback, score };
    return { policy, rules: rulesInEffect(policy, this.#day) };
  }

  /** The rules that change, each before and after, as far as they are in effect on the day. */
  #changes({ rules }: Mutant['change']): readonly RuleChange[] {
    const inEffect = (rule: Rule | undefined) =>
      rule && rulesInEffect({ ...this.#policy, rules: [rule] }, this.#day).length > 0 ? rule : undefined;
    return [...rules].map(([at, rule]) => [inEffect(this.#policy.rules[at]), inEffect(rule)] as const);
  }

  /** Where a changed rule may do something else: far easier to answer than what the policies decide. */
  #rulesDiffer(change: Mutant['change']): Formula {
    if (changesSettings(this.#policy, change)) return TRUE;
    const possible = (rule: Rule | undefined) => (rule ? this.#reasoner.encoding.truth(rule.when).possible : FALSE);
    return or(
      this.#changes(change).map(([old, now]) =>
        old && now && OUTCOME.isSameEffect(old, now)
          ? this.#truthsDiffer(old, now)
          : or([possible(old), possible(now)]),
      ),
    );
  }

  #truthsDiffer(old: Rule, now: Rule): Formula {
    if (old.when === now.when) return FALSE;
    const { encoding } = this.#reasoner;
    return truthsDiffer(encoding.truth(old.when), encoding.truth(now.when));
  }

  /** Where a test can expect another rule, undetermined rule or score. */
  #resultsDiffer(change: Mutant['change']): readonly Formula[] {
    return this.#changes(change).flatMap(([old, now]) => {
      if (!old || !now) {
        const only = old ?? now;
        return only ? [this.#reasoner.encoding.truth(only.when).possible] : [];
      }
      const { certain, possible } = this.#reasoner.encoding.truth(now.when);
      const [before, after] = [weigh(old), weigh(now)];
      const isSameOpen = before.openLeast === after.openLeast && before.openMost === after.openMost;
      return [
        this.#truthsDiffer(old, now),
        before.points === after.points ? FALSE : certain,
        isSameOpen ? FALSE : and([possible, not(certain)]),
      ];
    });
  }

  /** When the applicant may be told less than before, or something instead of nothing. */
  #noticesDiffer(side: Side, change: Mutant['change']): Formula {
    const { encoding } = this.#reasoner;
    this.#notices ??= noticeFormulas(this.#side, encoding);
    const before = this.#notices;
    const changes = this.#changes(change);
    // Another truth of a rule is something that a test can expect already.
    const isEffect =
      changesSettings(this.#policy, change) ||
      changes.some(([old, now]) => old && now && !OUTCOME.isSameEffect(old, now));
    if (before.size === 0 || !isEffect) return FALSE;
    const after = noticeFormulas(side, encoding);
    const less = [...before].map(([notice, formula]) => and([formula, not(after.get(notice) ?? FALSE)]));
    return or([...less, and([not(or([...before.values()])), or([...after.values()])])]);
  }
}

function outcomeOf({ outcome }: Verdict): Expectation {
  return { outcome };
}

/** Everything that a test can expect of a verdict; of several notices, one that the changed verdict lacks. */
function everythingOf(verdict: Verdict, changed: Verdict): Expectation {
  const fired = firedReasons(verdict);
  const [told, toldThen] = [noticesOf(verdict), noticesOf(changed)];
  const kept = new Set(toldThen.map((notice) => JSON.stringify(notice)));
  return {
    outcome: verdict.outcome,
    reasons: [...new Set(fired.map(({ code }) => code))],
    rules: fired.map(({ rule }) => rule),
    undetermined: verdict.undetermined.map(({ rule }) => rule),
    score: expectedScore(verdict.score),
    notice: told.find((notice) => !kept.has(JSON.stringify(notice))) ?? told[0] ?? 'none',
  };
}

/** The outcome and the reasons; if the changed verdict has them too, also the shortest thing that it lacks. */
function chooseShortest(verdict: Verdict, changed: Verdict): Expectation {
  const { outcome, reasons, ...others } = everythingOf(verdict, changed);
  const usual = { outcome, reasons } as Expectation;
  if (differencesIn(changed, usual).length > 0) return usual;
  const [first] = differencesIn(changed, others)
    .map(({ key }) => [key, others[key as keyof typeof others]] as const)
    .sort(([, one], [, other]) => JSON.stringify(one).length - JSON.stringify(other).length);
  return { ...usual, ...(first ? Object.fromEntries([first]) : {}) };
}
