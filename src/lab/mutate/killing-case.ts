/** A mutant on a day -> the smallest case that kills it, or the proof that no case can. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { firedReasons, type Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import type { Policy } from '../../policy/language.ts';
import { withholdsFor } from '../cases/personal-texts.ts';
import type { Unreached } from '../cases/search-cases.ts';
import { noticesOf } from '../diff/notices.ts';
import { QUESTION_SHARE, QUICK_OUTCOME_STEPS } from '../limits.ts';
import { type ExampleLine, exampleLine, findApplicant } from '../question/find-applicant.ts';
import { createReasoner } from '../question/reasoner.ts';
import { FALSE, type Formula, not, or } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import type { Steps } from '../steps.ts';
import { differencesIn, type Expectation, expectedScore } from '../test/test-case.ts';
import { createJudge } from './judge.ts';
import { mutantFormulas } from './mutant-formulas.ts';
import type { Mutant } from './mutants.ts';

/** A test that kills a mutant, as in `tests` of a `*.test.yaml`. */
export interface KillingCase extends ExampleLine {
  readonly name: string;
  readonly at: string;
  /** What the policy decides today. */
  readonly expect: Expectation;
}

/** The case that kills a mutant, or why there is none on this day. */
type Killing =
  | { readonly kind: 'case'; readonly case: Omit<KillingCase, 'name'>; readonly facts: Facts }
  | { readonly kind: Unreached };

/**
 * Prepares the search for cases that kill mutants of a policy, on a day: they share states and formulas. Throws
 * CONFIGURATION_INVALID if the solver is not installed.
 */
export async function prepareKillings(
  policy: Policy,
  day: string,
  mutants: readonly Mutant[],
  steps: Steps,
): Promise<(mutant: Mutant) => Promise<Killing>> {
  const conditions = mutants.flatMap(({ change }) => [...change.rules.values()].flatMap((rule) => rule?.when ?? []));
  const table = new Map([...policy.facts, ...mutants.flatMap(({ change }) => [...(change.facts ?? [])])]);
  const reasoner = await createReasoner([{ ...policy, facts: table }], day, [...new Set(conditions)]);
  const { encoding, solver, space } = reasoner;
  const formulasOf = mutantFormulas(reasoner);
  const isPersonal = withholdsFor([policy]);
  // Where no other rule asks for anything, what a mutant changes decides the outcome: each search begins there.
  const [{ rules }] = space.sides as readonly [Side];
  const isQuiet = not(or(rules.map(({ when }) => encoding.truth(when).possible)));
  const answer = await solver.ask([isQuiet], steps.atMost(QUICK_OUTCOME_STEPS));
  const quiet = answer.kind === 'satisfiable' ? answer.states : [];

  return async ({ change }) => {
    const judge = createJudge(policy, [change]);
    const verdictsOn = (given: Facts) => {
      const facts = readFacts(given, policy.facts, day);
      const { isReachedBy, verdict } = judge(facts, day);
      const before = matcherOf(policy).verdict(facts, day);
      return { facts, verdict: before, changed: isReachedBy(change) ? verdict(change) : before };
    };
    const seek = async (formula: Formula, expectOf: typeof outcomeOf, most: Steps): Promise<Killing> => {
      if (formula === FALSE) return { kind: 'unreachable' };
      const kills = (given: Facts) => {
        const { verdict, changed } = verdictsOn(given);
        return differencesIn(changed, expectOf(verdict, changed)).length > 0;
      };
      const given = await findApplicant(reasoner, [formula], kills, most, QUESTION_SHARE, quiet);
      if (given === 'none') return { kind: 'unreachable' };
      if (!given) return { kind: 'open' };
      if (isPersonal(given)) return { kind: 'withheld' };
      const { facts, verdict, changed } = verdictsOn(given);
      const expect = chooseShortest(verdict, changed);
      return { kind: 'case', facts, case: { at: day, ...exampleLine(given, policy.facts), expect } };
    };
    // Another outcome says most, and is hard to exclude: it needs no proof where a test can expect something else.
    const { byOutcome, byAnything } = formulasOf(change);
    const killing = await seek(byOutcome, outcomeOf, steps.atMost(QUICK_OUTCOME_STEPS));
    if (killing.kind === 'case' || killing.kind === 'withheld') return killing;
    return seek(byAnything, everythingOf, steps);
  };
}

/** What a test expects of a verdict; `changed` is that of a mutant, which should fail it. */
function outcomeOf({ outcome }: Verdict, _changed: Verdict): Expectation {
  return { outcome };
}

/** Everything that a test can expect of a verdict; of several notices, one that the changed verdict lacks. */
function everythingOf(verdict: Verdict, changed: Verdict): Required<Omit<Expectation, 'not'>> {
  const fired = firedReasons(verdict);
  const told = noticesOf(verdict);
  return {
    outcome: verdict.outcome,
    reasons: [...new Set(fired.map(({ code }) => code))],
    rules: fired.map(({ rule }) => rule),
    undetermined: verdict.undetermined.map(({ rule }) => rule),
    score: expectedScore(verdict.score),
    notice: told.find((notice) => differencesIn(changed, { notice }).length > 0) ?? told[0] ?? 'none',
  };
}

/** The outcome and the reasons; if the changed verdict has them too, also the shortest thing that it lacks. */
function chooseShortest(verdict: Verdict, changed: Verdict): Expectation {
  const { outcome, reasons, ...others } = everythingOf(verdict, changed);
  const usual = { outcome, reasons };
  if (differencesIn(changed, usual).length > 0) return usual;
  const [first] = differencesIn(changed, others)
    .map(({ key }) => [key, others[key as keyof typeof others]] as const)
    .sort(([, one], [, other]) => JSON.stringify(one).length - JSON.stringify(other).length);
  return { ...usual, ...(first ? Object.fromEntries([first]) : {}) };
}
