/** Rules by cells -> the pairs of which one rule is active and fires whenever the other does. */

import type { Axis } from '../../cells/cells.ts';
import { isWithin, ownSetOn, type Region, setOn } from '../../cells/conjunctions.ts';
import type { Rule } from '../../language.ts';
import type { Check, RuleRegions } from '../context.ts';
import { textAxisFinder } from './text-candidates.ts';

/** Looks at a rule and one that fires whenever it does; gives whether it reported the first. */
export type PairCheck = (covered: RuleRegions, covering: RuleRegions, check: Check) => boolean;

/**
 * Comparing pairs of rules of this many cells in all takes about a second. A policy that needs more is not compared to
 * the end, which is reported.
 */
const MAX_COMPARED_CELLS = 500_000_000;
/** What comparing two rules costs, beside their cells. */
const EACH_PAIR = 250;

/** Runs the checks on each rule with each that covers it, until one reports the rule. */
export function checkPairs(check: Check, checks: readonly PairCheck[]): void {
  const { regions, identify, reported, warn, nodeOf } = check;
  const live = regions.filter(({ rule, certain }) => !rule.shadow && certain.length > 0);
  const candidatesOf = candidateFinder(live);
  let compared = 0;
  for (const [i, covered] of live.entries()) {
    if (reported.has(covered.rule) || covered.rule.then === undefined) continue;
    const own = identify(covered.rule.when);
    const cost = EACH_PAIR + cellsOf(covered);
    for (const covering of candidatesOf(covered)) {
      compared += cost;
      if (compared > MAX_COMPARED_CELLS) {
        const rest = `"${covered.rule.id}" on were not compared with all others: ${live.length - i} rules`;
        warn(
          nodeOf(covered.rule),
          'not-checked',
          `the rules from ${rest}`,
          'split the policy to have all of its rules compared',
        );
        return;
      }
      if (own === identify(covering.rule.when) || !firesWith(covering, covered)) continue;
      if (checks.some((run) => run(covered, covering, check))) break;
    }
  }
}

function cellsOf({ certain }: RuleRegions): number {
  return certain.reduce((sum, { sets }) => [...sets.keys()].reduce((cells, axis) => cells + axis.cells.length, sum), 0);
}

/** Whether one rule is active and fires whenever another does. Sound: where it cannot tell, it says no. */
export function firesWith(covering: RuleRegions, covered: RuleRegions): boolean {
  return isActiveWith(covering.rule, covered.rule) && areWithin(covered.certain, covering.certain);
}

/** Whether each region lies in one of the others. */
export function areWithin(inner: readonly Region[], outer: readonly Region[]): boolean {
  return inner.every((region) => outer.some((other) => isWithin(region, other)));
}

/** The rules with a region whose first axis is this one. */
interface Candidates {
  /** Those that ask for several cells of it, in the policy's order. */
  readonly wide: RuleRegions[];
  /** Those that ask for a single one, by its set. */
  readonly single: Map<bigint, RuleRegions[]>;
}

/**
 * Finds rules that may cover one: some conjunction of theirs asks only about facts that the rule asks about too, and on
 * its first axis for no fewer cells. Rules that ask for single values are looked up, so that tables of them take linear
 * time. A rule may be given twice.
 */
function candidateFinder(rules: readonly RuleRegions[]): (covered: RuleRegions) => Iterable<RuleRegions> {
  const byAxis = new Map<Axis, Candidates>();
  const unconditional: RuleRegions[] = [];
  for (const each of rules) {
    for (const { sets } of each.certain) {
      const [first] = sets;
      if (!first) {
        unconditional.push(each);
        continue;
      }
      const [axis, set] = first;
      const candidates = byAxis.get(axis) ?? { wide: [], single: new Map() };
      byAxis.set(axis, candidates);
      const list = isSingle(set) ? (candidates.single.get(set) ?? []) : candidates.wide;
      if (list.at(-1) !== each) list.push(each);
      if (list !== candidates.wide) candidates.single.set(set, list);
    }
  }
  const axes = Map.groupBy(byAxis.keys(), ({ subject }) => subject);
  const textAxesOf = textAxisFinder(byAxis.keys());
  return function* ({ certain: [region] }) {
    yield* unconditional;
    if (!region) return;
    for (const subject of new Set([...region.sets.keys()].map((axis) => axis.subject))) {
      for (const axis of axes.get(subject) ?? []) {
        const { wide, single } = byAxis.get(axis) as Candidates;
        yield* single.get(ownSetOn(axis, region)) ?? [];
        yield* wide;
      }
    }
    for (const axis of textAxesOf(region)) yield* byAxis.get(axis)?.single.get(setOn(axis, region)) ?? [];
  };
}

function isSingle(set: bigint): boolean {
  return (set & (set - 1n)) === 0n;
}

function isActiveWith(covering: Rule, covered: Rule): boolean {
  const begins = covering.from === undefined || (covered.from !== undefined && covering.from <= covered.from);
  return begins && (covering.until === undefined || (covered.until !== undefined && covered.until <= covering.until));
}
