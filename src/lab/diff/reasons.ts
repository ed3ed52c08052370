/** A verdict, or rules and what they ask for -> the reason codes and notices that a policy gives. */

import { isDecisive, type Sums } from '../../decision/meaning/outcome.ts';
import { decides, type End, otherReasons, rank } from '../../decision/meaning/ranking.ts';
import { TRUE, TRUTH_BITS, UNKNOWN } from '../../decision/meaning/truth.ts';
import { reasonsBesideRules, type Verdict } from '../../decision/meaning/verdict.ts';
import type { Notice, Outcome, Policy, Rule } from '../../policy/language.ts';
import { weigh, whenAsking } from '../../policy/weight.ts';
import { asked, type Encoding, FORMULAS } from '../solver/encode.ts';
import { and, FALSE, type Formula, or, sumAtLeast } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import { type RuleWithTruth, tallyOf } from './sum-cases.ts';

/** The codes of the reasons of a verdict, and the notices of the decisive ones; each once, sorted. */
export interface Reasons {
  readonly codes: readonly string[];
  readonly notices: readonly Notice[];
}

/** The reasons of a verdict. */
export function reasonsOf({ reasons }: Verdict): Reasons {
  const notices = reasons.flatMap((reason) => (reason.decisive && 'notice' in reason ? noticeOf(reason) : []));
  return { codes: uniqueSorted(reasons.map(({ code }) => code)), notices: uniqueSorted(notices) };
}

/** The notice of a rule or a reason, if it has one. */
export function noticeOf({ notice }: { readonly notice?: Notice | undefined }): readonly Notice[] {
  return notice === undefined ? [] : [notice];
}

/** Whether a rule with a truth, as one of `TRUTH_BITS`, gives its code. */
function givesCode({ rule, truth }: RuleWithTruth): boolean {
  return whenAsking(weigh(rule), { certain: truth === TRUTH_BITS.true, possible: truth !== TRUTH_BITS.false });
}

/** What a policy gives by its own rules, score and default, where the rules of both policies have some sums. */
export interface GivenReasons extends Reasons {
  readonly outcome: Outcome;
  /** Of these rules of both policies, those whose notices are given if they fire. */
  readonly decisive: readonly Rule[];
}

/** What a policy gives for these truths of its own rules and these sums of the rules of both policies. */
export function givenReasons(
  policy: Policy,
  own: readonly RuleWithTruth[],
  sums: Sums,
  common: readonly Rule[],
): GivenReasons {
  const tally = tallyOf(policy, own);
  tally.addSums(sums);
  const truths = own.flatMap(({ rule, truth }) =>
    truth === TRUTH_BITS.false ? [] : [{ rule, truth: truth === TRUTH_BITS.true ? TRUE : UNKNOWN } as const],
  );
  const settlement = tally.settle([...truths, ...common.map((rule) => ({ rule, truth: TRUE }) as const)]);
  const decides = (rule: Rule) => isDecisive(settlement, rule.then ?? null, rule);
  const fired = own.filter(({ rule, truth }) => truth === TRUTH_BITS.true && decides(rule));
  const notByRules = reasonsBesideRules(policy, settlement);
  return {
    outcome: settlement.outcome,
    codes: uniqueSorted([
      ...own.filter(givesCode).map(({ rule }) => rule.reason),
      ...notByRules.map(({ code }) => code),
    ]),
    notices: uniqueSorted([
      ...fired.flatMap(({ rule }) => noticeOf(rule)),
      ...notByRules.filter(({ decisive }) => decisive).flatMap(noticeOf),
    ]),
    decisive: common.filter(decides),
  };
}

/** Equal for codes and for notices that are the same. */
export function keyOf(given: Notice): string {
  return JSON.stringify(given);
}

function uniqueSorted<Given extends Notice>(all: readonly Given[]): readonly Given[] {
  const byKey = new Map(all.map((each) => [keyOf(each), each]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

/** By notice, as `keyOf` gives it: when a decisive reason has it. Its counterpart for one applicant is `reasonsOf`. */
export function noticeFormulas(side: Side, encoding: Encoding): ReadonlyMap<string, Formula> {
  const { rules, policy } = side;
  const all = asked(rules, encoding);
  const isAtLeast = (end: End, limit: number) => sumAtLeast(limit, all[end]);
  const outcome = rank(policy, all, isAtLeast, FORMULAS);
  const { isScoreDecisive, isDefaultDecisive } = otherReasons(policy, all, isAtLeast, outcome, FORMULAS);
  const notices = new Map<string, Formula>();
  const add = (notice: Notice | undefined, formula: () => Formula) => {
    if (notice !== undefined) notices.set(keyOf(notice), or([notices.get(keyOf(notice)) ?? FALSE, formula()]));
  };
  for (const rule of rules) {
    const { certain } = encoding.truth(rule.when);
    add(rule.notice, () => and([certain, decides(weigh(rule), true, all, outcome, FORMULAS)]));
  }
  for (const band of ['review', 'reject'] as const) {
    add(policy.scoreNotices[band], () => and([isScoreDecisive, outcome[band]]));
  }
  add(policy.defaultNotice, () => isDefaultDecisive);
  return notices;
}
