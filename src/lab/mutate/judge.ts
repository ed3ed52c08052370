/** Cases and mutants of a policy -> what the mutants decide of the cases: one matcher has the changed rules of all. */

import { matcherOf, type RuleMatcher } from '../../decision/matcher/matcher.ts';
import { type RuleTruth, settle } from '../../decision/meaning/outcome.ts';
import { TRUE } from '../../decision/meaning/truth.ts';
import { giveVerdict, type Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import { cached } from '../../platform/cached.ts';
import { isNamedList, type NamedList } from '../../policy/arguments.ts';
import type { Condition, Policy, Rule } from '../../policy/language.ts';
import { KNOWN_OUTCOME, OUTCOME, testKey } from '../../policy/sameness.ts';
import { canonicalData, keepData } from '../../policy/source-map.ts';
import { MUTANTS_JUDGED_TOGETHER } from '../limits.ts';
import { testRewriter } from '../space/rewrite-tests.ts';
import { differencesIn, type TestCase } from '../test/test-case.ts';
import type { Mutant } from './mutants.ts';
import { changesSettings, type PolicyChange } from './policy-change.ts';

/** By rule, its truth in a case; false for a rule that is not there. */
type Truths = ReadonlyMap<Rule, RuleTruth['truth']>;

/** What changed policies decide of one case. */
export interface JudgedCase {
  /** Whether a changed rule does something else in it, or other settings ask for something else. */
  isReachedBy(change: PolicyChange): boolean;
  /** The verdict of a changed policy: that of a matcher of its own, without messages and evidence. */
  verdict(change: PolicyChange): Verdict;
}

/** Judges cases of a policy by some changes of it. Their facts are as `readFacts` gives them. */
export function createJudge(
  policy: Policy,
  changes: readonly PolicyChange[],
): (facts: Facts, at: string) => JudgedCase {
  const { truths: ownTruths } = matcherOf(policy);
  const changedTruthsOf = matchChanges(policy, changes);
  return (facts, at) => {
    const before = ownTruths(facts, at);
    const truths = byRule(before);
    const changedTruths = byRule(changedTruthsOf(facts, at));
    return {
      isReachedBy: (change) =>
        [...change.rules].some(([index, now]) => {
          const old = policy.rules[index] as Rule;
          return doesOtherwise(
            { rule: old, truth: truths.get(old) },
            { rule: now, truth: now && changedTruths.get(now) },
          );
        }) ||
        (changesSettings(policy, change) && settlesOtherwise(policy, { ...policy, ...settingsOf(change) }, before)),
      verdict: (change) => {
        const found = policy.rules.flatMap((rule, index): RuleTruth | readonly RuleTruth[] => {
          const now = change.rules.has(index) ? change.rules.get(index) : rule;
          const truth = now && (now === rule ? truths : changedTruths).get(now);
          return now && truth !== undefined ? { rule: withoutEvidence(now), truth } : [];
        });
        return giveVerdict({ ...policy, ...settingsOf(change) }, found, facts, at);
      },
    };
  };
}

/** One matcher of all rules that changes put in place of others: the truths of those that are not false. */
function matchChanges(policy: Policy, changes: readonly PolicyChange[]): RuleMatcher['truths'] {
  const facts = new Map([...policy.facts, ...changes.flatMap((change) => [...(change.facts ?? [])])]);
  // A matcher knows lists by name: each version of one gets a name of its own.
  let versions = 0;
  const nameOf = cached(({ name }: NamedList) => `${name} (version ${++versions})`);
  const rewrite = testRewriter((test) => {
    const { argument } = test;
    if (!isNamedList(argument)) return test;
    const named = { ...argument, name: nameOf(argument) };
    return { ...test, argument: named, key: testKey({ ...test, argument: named }) };
  });
  const rules = changes.flatMap((change) => [...change.rules.values()].flatMap((rule) => rule ?? []));
  const renamed = new Map(rules.map((rule) => [{ ...rule, when: rewrite(rule.when) }, rule]));
  const matcher = matcherOf(keepData({ ...policy, rules: [...renamed.keys()], facts }, canonicalData(policy)));
  return (given, at) =>
    matcher.truths(given, at).map(({ rule, truth }) => ({ rule: renamed.get(rule) as Rule, truth }));
}

function byRule(truths: readonly RuleTruth[]): Truths {
  return new Map(truths.map(({ rule, truth }) => [rule, truth]));
}

function settingsOf({ default: fallback, score }: PolicyChange): Pick<Policy, 'default' | 'score'> {
  return { default: fallback, score };
}

/** A rule as far as a test can expect something of it: evidence and messages take most of the time of a verdict. */
const withoutEvidence = cached((rule: Rule): Rule => ({ ...rule, when: NO_CONDITION, message: undefined }));

const NO_CONDITION: Condition = { kind: 'all', of: [] };

interface MaybeFound {
  readonly rule: Rule | undefined;
  readonly truth: RuleTruth['truth'] | undefined;
}

/** Whether a rule asks for something else than before, or of another truth. */
function doesOtherwise(old: MaybeFound, now: MaybeFound): boolean {
  if (old.truth !== now.truth) return true;
  if (!old.rule || !now.rule || now.truth === undefined) return false;
  const effect = now.truth === TRUE ? KNOWN_OUTCOME : OUTCOME;
  return old.rule.shadow !== now.rule.shadow || !effect.isSameEffect(old.rule, now.rule);
}

/** Whether another default or other bands ask for something else. */
function settlesOtherwise(policy: Policy, other: Policy, found: readonly RuleTruth[]): boolean {
  const counted = found.filter(({ rule }) => !rule.shadow);
  const [before, after] = [settle(policy, counted), settle(other, counted)];
  if (policy.default !== other.default && before.isDefaultAsked) return true;
  return before.score.band !== after.score.band || before.bandAbove !== after.bandAbove;
}

/** A case that passes. */
export type RunCase = Pick<TestCase, 'policy' | 'facts' | 'at' | 'expect'>;

/** What the cases do to a mutant. */
interface MutantRun<Case extends RunCase = TestCase> {
  /** The cases in which it does something else than the policy. */
  readonly reachedBy: readonly Case[];
  /** The first of them of which an expectation fails. */
  readonly killedBy: Case | undefined;
}

/** Runs cases, which pass, against mutants of their policies; tells how many mutants were run so far. */
export function runMutants(
  mutants: readonly Mutant[],
  cases: readonly TestCase[],
  tell: (done: number) => void = () => {},
): ReadonlyMap<Mutant, MutantRun> {
  const runs = new Map<Mutant, MutantRun>();
  for (let from = 0; from < mutants.length; from += MUTANTS_JUDGED_TOGETHER) {
    const group = createRuns<TestCase>(mutants.slice(from, from + MUTANTS_JUDGED_TOGETHER));
    for (const testCase of cases) group.add(testCase);
    for (const [mutant, run] of group.runs) runs.set(mutant, run);
    tell(runs.size);
  }
  return runs;
}

/** Runs cases against mutants one by one: `runs` has what those that were added do. */
export function createRuns<Case extends RunCase>(
  mutants: readonly Mutant[],
): { readonly runs: ReadonlyMap<Mutant, MutantRun<Case>>; add(testCase: Case): void } {
  type Run = { reachedBy: Case[]; killedBy: Case | undefined };
  const runs = new Map(mutants.map((mutant): [Mutant, Run] => [mutant, { reachedBy: [], killedBy: undefined }]));
  const judgeOf = cached((variant: Policy) => {
    const changes = [...runs].flatMap(([mutant, run]) => {
      const change = mutant.changeIn(variant);
      return change ? [{ run, change }] : [];
    });
    const judge = createJudge(
      variant,
      changes.map(({ change }) => change),
    );
    return { changes, judge };
  });
  return {
    runs,
    add(testCase) {
      const { changes, judge } = judgeOf(testCase.policy);
      const { isReachedBy, verdict } = judge(testCase.facts, testCase.at);
      for (const { run, change } of changes) {
        if (!isReachedBy(change)) continue;
        run.reachedBy.push(testCase);
        if (!run.killedBy && differencesIn(verdict(change), testCase.expect).length > 0) run.killedBy = testCase;
      }
    },
  };
}
