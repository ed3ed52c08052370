/** Two policies on a day -> the applicants with the same outcome and other reason codes or notices. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { TRUTH_BITS } from '../../decision/meaning/outcome-range.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { asksWhenUnknown, type Condition, OUTCOMES, type Policy, type Rule, testsOf } from '../../policy/language.ts';
import { conditionMeaning } from '../diff/edits.ts';
import { isApart, widenOne } from '../diff/widen.ts';
import { describeBox } from '../diff/words.ts';
import { type ExampleLine, exampleLine, findApplicant } from '../reasoning/find-applicant.ts';
import { createReasoner } from '../reasoning/reasoner.ts';
import { outcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula, isInBox, not, or, xor } from '../solver/formula.ts';
import type { Space } from '../space/space.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import { type ReasonFormulas, type Reasons, reasonFormulas, reasonsOf } from './reason-formulas.ts';

/** What is added and removed. A notice is a text, or JSON of texts by language. */
export interface ReasonChange {
  readonly added: Reasons;
  readonly removed: Reasons;
}

/** Applicants with the same outcome, whose reasons change in one way. */
export interface ReasonRegion extends ReasonChange {
  /** What holds of them, in words; their outcome stays the same. */
  readonly conditions: readonly string[];
  readonly example: ExampleLine;
}

/** How the reasons of two policies differ where the outcome is the same. */
export interface ReasonDiff {
  readonly regions: readonly ReasonRegion[];
  /** As in `PolicyDiff`. */
  readonly elsewhere: 'same' | 'notSought' | 'undecided';
}

/** What `DiffOptions` say, and when the time is over, by `performance.now()`. */
export interface Limits {
  readonly at: string;
  readonly timeoutMs: number;
  readonly endsAt: number;
  readonly mostRegions: number;
  readonly where: Condition | undefined;
}

/** Compares the reasons of two policies, exactly. Throws as `diffPolicies` does. */
export async function diffReasons(old: Policy, now: Policy, options: Limits): Promise<ReasonDiff> {
  const { at, timeoutMs, endsAt, mostRegions, where } = options;
  const reasoner = await createReasoner([old, now], at, where ? [where] : []);
  const { space, encoding, solver } = reasoner;
  const [before, after] = space.sides.map((side) => reasonFormulas(side, encoding)) as [ReasonFormulas, ReasonFormulas];
  const [outcomesBefore, outcomesAfter] = space.sides.map((side) => outcomeFormulas(side, encoding));
  if (where) solver.assert(encoding.truth(where).certain);
  const isSame = or(OUTCOMES.map((each) => and([outcomesBefore?.[each] ?? FALSE, outcomesAfter?.[each] ?? FALSE])));
  const differs = or([...differencesOf(before.codes, after.codes), ...differencesOf(before.notices, after.notices)]);

  const rules = rulesWithOtherWords(space);
  const asking = [...rules.map(({ when }) => when), ...(where ? [where] : [])];
  /** Rules that give their reason whether they fire or are undetermined. */
  const isGivenOpen = asking.map((_, i) => {
    const rule = rules[i];
    return rule !== undefined && rule.notice === undefined && asksWhenUnknown(rule) !== null;
  });
  const variables = new Set(asking.flatMap((when) => [...testsOf(when)].map((test) => space.statesOf(test).variable)));
  const boxes: Box[] = [];
  /** A box in which each of these rules has one truth: an earlier one, or one apart from all of them. */
  const boxAround = (states: readonly number[]): Box => {
    const earlier = boxes.find((each) => each.every((own, i) => own[states[i] as number]));
    if (earlier) return earlier;
    let box: Box = space.variables.map(({ states: all }, i) =>
      all.map((_, state) => !variables.has(i) || state === states[i]),
    );
    const truths = (each: Box) =>
      asking
        .map((when, i) => {
          const found = truthsIn(when, each, space);
          return isGivenOpen[i] && !(found & TRUTH_BITS.false) ? 'given' : found;
        })
        .join();
    const wanted = truths(box);
    const isGood = (wider: Box) => truths(wider) === wanted && boxes.every(isApart(wider));
    for (const variable of variables) box = widenOne(box, variable, isGood);
    boxes.push(box);
    return box;
  };
  const changeFor = (given: Facts): ReasonChange | undefined => {
    const [one, other] = [old, now].map((policy) =>
      matcherOf(policy).verdict(readFacts(given, policy.facts, at), at),
    ) as [Verdict, Verdict];
    if (one.outcome !== other.outcome) return undefined;
    const change = changeBetween(reasonsOf(one), reasonsOf(other));
    return isEmpty(change.added) && isEmpty(change.removed) ? undefined : change;
  };
  const liesIn = (given: Facts, box: Box) => {
    const facts = readFacts(given, reasoner.table, at);
    return space.variables.every((variable, i) => box[i]?.[variable.find(facts)]);
  };

  const regions: ReasonRegion[] = [];
  const found: { readonly box: Box; readonly key: string }[] = [];
  for (;;) {
    const answer = await solver.ask([isSame, differs], endsAt - performance.now());
    if (answer.kind === 'unsatisfiable') return { regions, elsewhere: 'same' };
    if (answer.kind === 'unknown') return { regions, elsewhere: 'undecided' };
    if (regions.length >= mostRegions) return { regions, elsewhere: 'notSought' };
    const box = boxAround(answer.states);
    const isRight = (given: Facts) => {
      const change = changeFor(given);
      const key = JSON.stringify(change);
      return change !== undefined && liesIn(given, box) && !found.some((each) => each.box === box && each.key === key);
    };
    const example = await findApplicant(reasoner, [isInBox(box), isSame, differs], isRight, { timeoutMs, endsAt });
    const change = typeof example === 'object' ? changeFor(example) : undefined;
    if (typeof example !== 'object' || !change) return { regions, elsewhere: 'undecided' };
    const isSo = isChange(change, before, after);
    const others = await solver.ask([isInBox(box), isSame, not(isSo)], endsAt - performance.now());
    const words = describeBox(space, box);
    // Earlier changes in this box are no longer among the answers.
    const isWhole = others.kind === 'unsatisfiable' && !found.some((each) => each.box === box);
    const conditions = isWhole ? words : [...words, BY_OTHERS];
    regions.push({ ...change, conditions, example: exampleLine(example, reasoner) });
    found.push({ box, key: JSON.stringify(change) });
    // In one box, the rules that did not change may lead to several changes.
    solver.assert(not(and([isInBox(box), isSo])));
  }
}

/** What is said where a change of reasons depends on more than the facts that the changed rules read. */
const BY_OTHERS = 'the other rules and the score lead to just this change';

/** When some key is in one map of formulas and not in the other. */
function differencesOf(old: ReadonlyMap<string, Formula>, now: ReadonlyMap<string, Formula>): Formula[] {
  return [...new Set([...old.keys(), ...now.keys()])].map((key) => xor(old.get(key) ?? FALSE, now.get(key) ?? FALSE));
}

/** When just this is added and removed. */
function isChange({ added, removed }: ReasonChange, before: ReasonFormulas, after: ReasonFormulas): Formula {
  const parts = (['codes', 'notices'] as const).flatMap((kind) =>
    [...new Set([...before[kind].keys(), ...after[kind].keys()])].map((key) => {
      const [old, now] = [before[kind].get(key) ?? FALSE, after[kind].get(key) ?? FALSE];
      if (added[kind].includes(key)) return and([not(old), now]);
      return removed[kind].includes(key) ? and([old, not(now)]) : not(xor(old, now));
    }),
  );
  return and(parts);
}

function changeBetween(old: Reasons, now: Reasons): ReasonChange {
  const without = (one: Reasons, other: Reasons): Reasons => ({
    codes: one.codes.filter((code) => !other.codes.includes(code)),
    notices: one.notices.filter((notice) => !other.notices.includes(notice)),
  });
  return { added: without(now, old), removed: without(old, now) };
}

function isEmpty({ codes, notices }: Reasons): boolean {
  return codes.length === 0 && notices.length === 0;
}

/** The rules of both policies with a code or a notice that is not given in the same cases by the other policy. */
function rulesWithOtherWords(space: Space): readonly Rule[] {
  const { sides } = space;
  const casesOf = (rules: readonly Rule[], keyOf: (rule: Rule) => string | undefined) => {
    const cases = new Map<string, string[]>();
    for (const rule of rules) {
      const key = keyOf(rule);
      if (key === undefined) continue;
      const means = JSON.stringify([conditionMeaning(rule.when, space), asksWhenUnknown(rule), rule.then, rule.final]);
      cases.set(key, [...(cases.get(key) ?? []), means].sort());
    }
    return cases;
  };
  const keys = [(rule: Rule) => rule.reason, ({ notice }: Rule) => notice && JSON.stringify(notice)] as const;
  const found = keys.flatMap((keyOf) => {
    const [old, now] = sides.map(({ rules }) => casesOf(rules, keyOf));
    return sides.flatMap(({ rules }) =>
      rules.filter((rule) => {
        const key = keyOf(rule);
        return key !== undefined && old?.get(key)?.join() !== now?.get(key)?.join();
      }),
    );
  });
  return [...new Set(found)];
}
