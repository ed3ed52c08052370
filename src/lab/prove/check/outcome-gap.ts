/**
 * A policy -> a warning for each gap between ranges of two rules: applicants who get a milder outcome with a value
 * between two ranges than just below and just above. The accepted middle of an order is not a gap: one of the ranges
 * has to end on its outer side too, so that the outcome gets stricter, milder and stricter again.
 */

import { findCell } from '../../../decision/matcher/cell-lookup.ts';
import { matcherOf } from '../../../decision/matcher/matcher.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import { readFacts } from '../../../facts/read.ts';
import { type Check, placeOfRule } from '../../../policy/check/context.ts';
import { partsOfAll } from '../../../policy/check/range-checks.ts';
import { isPersonal } from '../../../policy/identities.ts';
import { factsOf, type Outcome, type Rule, strictness } from '../../../policy/language.ts';
import { printable } from '../../../text.ts';
import { GAP_SHARE } from '../../limits.ts';
import { exampleLine, findApplicant } from '../../question/find-applicant.ts';
import { type Reasoner, withoutWalks } from '../../question/reasoner.ts';
import { type OutcomeFormulas, outcomeFormulas } from '../../solver/encode.ts';
import { and, FALSE, type Formula, isIn, isKept, not, or, TRUE } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import type { Steps } from '../../steps.ts';
import { describeApplicant } from '../prove.ts';
import { type Changes, createChanges } from '../second-applicant.ts';
import { wasReported } from './reported.ts';

/** Reports gaps; returns the facts for which that is undecided. */
export async function warnOfGaps(reasoner: Reasoner, check: Check, steps: Steps): Promise<readonly string[]> {
  const { gaps, undecided } = await findGaps(reasoner, (rule) => !isReported(rule, check), steps);
  for (const gap of gaps) warnOfGap(gap, reasoner, check);
  return undecided;
}

/** Whether an ordinary check has reported a gap at a rule, or in its table. */
function isReported(rule: Rule, { nodes, tables }: Check): boolean {
  const table = tables.find(({ rows }) => rows.includes(rule));
  return wasReported(nodes.get(rule), ['border-gap']) || wasReported(table?.node, ['table-gap']);
}

function warnOfGap({ path, rules: [below, above], given, values }: Gap, reasoner: Reasoner, check: Check): void {
  const { policy, day, warn, nodeOf } = check;
  const [low, inside, high] = values;
  const words = ({ fact }: Decided) =>
    isMissing(fact) || isPersonal(path, policy.facts) ? '(not shown)' : printable(String(fact.value));
  const message =
    `the same applicant gets ${inside.outcome} with ${path} ${words(inside)}, yet ${low.outcome} with ${words(low)} ` +
    `("${below.id}") and ${high.outcome} with ${words(high)} ("${above.id}")`;
  const applicant = { example: exampleLine(given, reasoner.table), facts: readFacts(given, policy.facts, day) };
  const hint = given.size > 0 ? describeApplicant(applicant, policy) : undefined;
  warn(nodeOf(above), 'outcome-gap', message, hint, placeOfRule(below, check));
}

/** The same applicant just below a gap, in it, and just above it. */
interface Gap {
  readonly path: string;
  readonly rules: readonly [below: Rule, above: Rule];
  readonly given: Facts;
  readonly values: readonly [below: Decided, inside: Decided, above: Decided];
}

interface Decided {
  readonly fact: Fact;
  readonly outcome: Outcome;
}

interface Gaps {
  readonly gaps: readonly Gap[];
  /** The facts for which it is undecided whether there is a gap between their ranges. */
  readonly undecided: readonly string[];
}

/** Two ranges with values between them. */
type Pair = readonly [below: Range, above: Range];

/** Finds gaps between ranges of rules in effect, for those rules that are asked about; none within another one. */
export async function findGaps(reasoner: Reasoner, isAsked: (rule: Rule) => boolean, steps: Steps): Promise<Gaps> {
  const outcomes = outcomeFormulas(reasoner.space.sides[0] as Side, reasoner.encoding);
  const gaps: Gap[] = [];
  const undecided = new Set<string>();
  for (const fact of orderedFactsIn(reasoner)) {
    const find = createSearch(fact, outcomes, reasoner);
    const pairs: Pair[] = [];
    for (const pair of pairsOf(fact, isAsked)) {
      if (pairs.some((inner) => isWithin(inner, pair))) continue;
      const gap = steps.areOver ? undefined : await find(pair, steps.atMost(steps.left));
      if (gap === undefined) undecided.add(fact.path);
      if (gap === undefined || gap === 'none') continue;
      pairs.push(pair);
      gaps.push(gap);
    }
  }
  return { gaps, undecided: [...undecided] };
}

/** The narrowest first. */
function pairsOf(fact: OrderedFact, isAsked: (rule: Rule) => boolean): readonly Pair[] {
  const ranges = fact.rules
    .filter((rule) => isStrict(rule) && isAsked(rule))
    .flatMap((rule) => fact.rangeOf(rule) ?? []);
  const read = new Map(ranges.map(({ rule }) => [rule, factsOf(rule.when)]));
  const areComparable = (one: Rule, other: Rule) => {
    const [own, others] = [one, other].map((rule) => read.get(rule) ?? new Set());
    return own?.isSubsetOf(others ?? own) || others?.isSubsetOf(own ?? others);
  };
  const isGap = (below: Range, above: Range) =>
    below.last + 1 < above.first &&
    stepsOutside([below, above], fact).length > 0 &&
    areComparable(below.rule, above.rule);
  const pairs = ranges.flatMap((below) =>
    ranges.flatMap((above): Pair[] => (isGap(below, above) ? [[below, above]] : [])),
  );
  const width = ([below, above]: Pair) => above.first - below.last;
  return pairs.sort((one, other) => width(one) - width(other));
}

function isStrict({ then, points = 0 }: Rule): boolean {
  return then === 'review' || then === 'reject' || points > 0;
}

/** Whether the values between two ranges lie between two others. */
function isWithin([below, above]: Pair, [outerBelow, outerAbove]: Pair): boolean {
  return outerBelow.last <= below.last && above.first <= outerAbove.first;
}

/** Steps on the outer sides of two ranges, each with the step of the range next to the gap. */
function stepsOutside(
  [below, above]: Pair,
  { steps }: OrderedFact,
): readonly (readonly [outer: number, strict: number])[] {
  const sides = [
    [below.first - 1, below.last],
    [above.last + 1, above.first],
  ] as const;
  return sides.filter(([outer]) => outer in steps);
}

function stepsBetween([below, above]: Pair): readonly number[] {
  return Array.from({ length: above.first - below.last - 1 }, (_, i) => below.last + 1 + i);
}

/**
 * Creates the search for a gap between two ranges of a fact: for an applicant with a value between, and the same one
 * with others. `none` is proved, and undefined undecided.
 */
function createSearch(
  fact: OrderedFact,
  { accept, review, reject }: OutcomeFormulas,
  reasoner: Reasoner,
): (pair: Pair, steps: Steps) => Promise<Gap | 'none' | undefined> {
  const { space, encoding } = reasoner;
  const { variable, steps, rules } = fact;
  const ties = and(space.ties.filter((tie) => tie.some(([each]) => each === variable)).map(isKept));
  const certain = ({ when }: Rule) => encoding.truth(when).certain;
  const byProof = withoutWalks(reasoner);
  const byState = new Map<number, Changes>();
  /** The same person with a value of a step. */
  const at = (step: number): Changes => {
    const state = steps[step]?.state ?? 0;
    const cached = byState.get(state);
    const changes =
      cached ??
      createChanges((formula) => {
        if (formula.variable !== variable) return formula;
        return formula.states[state] ? TRUE : FALSE;
      });
    byState.set(state, changes);
    return changes;
  };
  const isStricter = (step: number) => or([at(step).falls(accept), at(step).rises(reject)]);
  const isMilder = (step: number, than: number) => {
    const [own, other] = [at(step), at(than)];
    const isAccepted = and([own.rewrite(accept), not(other.rewrite(accept))]);
    return and([own.rewrite(ties), or([isAccepted, and([own.rewrite(review), other.rewrite(reject)])])]);
  };
  const isInRange = ({ rule }: Range, step: number) =>
    and([at(step).rewrite(certain(rule)), at(step).rewrite(ties), isStricter(step)]);
  const isGap = (pair: Pair): readonly Formula[] => {
    const [below, above] = pair;
    const inside = new Set(stepsBetween(pair).map((step) => steps[step]?.state));
    return [
      isIn(
        variable,
        (space.variables[variable]?.states ?? []).map((_, state) => inside.has(state)),
      ),
      ...rules.map((rule) => not(certain(rule))),
      isInRange(below, below.last),
      isInRange(above, above.first),
      or(stepsOutside(pair, fact).map(([outer, strict]) => isMilder(outer, strict))),
    ];
  };
  return async (pair, steps) => {
    const gapOf = createConfirmation(pair, fact, reasoner);
    const given = await findApplicant(byProof, isGap(pair), (each) => gapOf(each) !== undefined, steps, GAP_SHARE);
    return given === undefined || given === 'none' ? given : gapOf(given);
  };
}

/** Gives the gap of an applicant as the matcher decides it. */
function createConfirmation(pair: Pair, fact: OrderedFact, { space }: Reasoner): (given: Facts) => Gap | undefined {
  const { path, steps, rules } = fact;
  const [below, above] = pair;
  const [{ policy }] = space.sides as readonly [Side];
  const matcher = matcherOf(policy);
  const decide = (given: Facts, value: Fact) => {
    const facts = readFacts(new Map([...given, [path, value]]), policy.facts, space.day);
    const { outcome, reasons } = matcher.verdict(facts, space.day);
    return {
      fact: value,
      outcome,
      fired: new Set(reasons.flatMap((each) => (each.because === 'fired' ? each.rule : []))),
    };
  };
  const rank = ({ outcome }: Decided) => strictness(outcome);
  return (given) => {
    const first = (step: number) => (steps[step]?.samples ?? []).slice(0, 1).map((value) => decide(given, value));
    const [low] = (steps[below.last]?.samples ?? []).slice(-1).map((value) => decide(given, value));
    const [high] = first(above.first);
    if (!low || !high) return undefined;
    const isBounded = stepsOutside(pair, fact).some(([outer, strict]) =>
      first(outer).some((each) => rank(each) < rank(strict === below.last ? low : high)),
    );
    const inside = stepsBetween(pair)
      .flatMap(first)
      .find((each) => rank(each) < Math.min(rank(low), rank(high)) && !rules.some(({ id }) => each.fired.has(id)));
    if (!isBounded || !inside) return undefined;
    return { path, rules: [below.rule, above.rule], given, values: [low, inside, high] };
  };
}

/** Values that lie side by side and that no test tells apart. */
interface Step {
  /** The state of the fact's variable. */
  readonly state: number;
  /** Some of the values, ascending. */
  readonly samples: readonly Fact[];
}

/** The steps for which a rule may fire, from the first to the last. */
interface Range {
  readonly rule: Rule;
  readonly first: number;
  readonly last: number;
}

interface OrderedFact {
  readonly path: string;
  /** The index of its variable. */
  readonly variable: number;
  readonly steps: readonly Step[];
  /** The rules in effect that read the fact. */
  readonly rules: readonly Rule[];
  /** Undefined unless all tests of the fact that have to hold leave one range. */
  rangeOf(rule: Rule): Range | undefined;
}

/** Facts that are tested in parts, computed, or compared with others are not among them. */
function orderedFactsIn({ space }: Reasoner): readonly OrderedFact[] {
  const [side] = space.sides as readonly [Side];
  return space.variables.flatMap(({ path, axes: [axis, ...others], states, cells: [cells = []] }, variable) => {
    const isSampled = states.some(({ fact }) => fact !== undefined && !isMissing(fact));
    if (!axis?.numbers || others.length > 0 || !isSampled) return [];
    const { numbers, firstValue } = axis;
    const rank = (fact: Fact) => (isMissing(fact) ? undefined : numbers.toNumber(fact.value, space.day)) ?? 0;
    const samples = Map.groupBy(space.samples.get(path) ?? [], (each) => findCell(axis, each, undefined, space.day));
    const steps = cells
      .flatMap((own, state) => own.filter((cell) => cell >= firstValue).map((cell) => ({ cell, state })))
      .sort((one, other) => one.cell - other.cell)
      .map(({ cell, state }): Step => {
        return { state, samples: (samples.get(cell) ?? []).toSorted((one, other) => rank(one) - rank(other)) };
      });
    const rangeOf = (rule: Rule): Range | undefined => {
      const tests = partsOfAll(rule.when).flatMap((part) => (part.kind === 'test' ? space.statesOf(part) : []));
      const ownTests = tests.filter((test) => test.variable === variable);
      const isInside = ({ state }: Step) => ownTests.every(({ isTrue }) => isTrue[state]);
      const [first, last] = [steps.findIndex(isInside), steps.findLastIndex(isInside)];
      if (ownTests.length === 0 || first < 0 || !steps.slice(first, last).every(isInside)) return undefined;
      return { rule, first, last };
    };
    return [{ path, variable, steps, rules: side.rules.filter(({ when }) => factsOf(when).has(path)), rangeOf }];
  });
}
