/** The rules with points -> the least and the greatest sum of points that a score can have. */

import { type Axis, cellsIn } from '../../cells/cells.ts';
import { setOn } from '../../cells/conjunctions.ts';
import { isActive, type Rule } from '../../language.ts';
import type { Check, RuleRegions } from '../context.ts';

/** Work beyond this many cells is spared: rules then count as if any of them could fire together. */
const MAX_CELLS = 100_000;
/** With more first days, rules count as if all were active at once. */
const MAX_DAYS = 50;

/** A rule whose points count: it is not in shadow mode, and can fire or be undetermined. */
export interface ScoringRule {
  readonly rule: Rule;
  readonly points: number;
  /** Undefined for a condition with too many conjunctions. */
  readonly regions: RuleRegions | undefined;
  /** A rule that can only be undetermined widens the score. */
  readonly canFire: boolean;
}

/** The rules whose points count, apart from those with 0 points. */
export function scoringRules({ policy, regions }: Check): readonly ScoringRule[] {
  const byRule = new Map(regions.map((each) => [each.rule, each]));
  return policy.rules.flatMap((rule) => {
    const found = byRule.get(rule);
    if (rule.shadow || !rule.points || found?.possible.length === 0) return [];
    return [{ rule, points: rule.points, regions: found, canFire: found?.certain.length !== 0 }];
  });
}

/** No score is less: the sum of all negative points. */
export function leastSum(rules: readonly ScoringRule[]): number {
  return rules.reduce((sum, { points }) => sum + Math.min(points, 0), 0);
}

/**
 * No score of rules that fire is greater. Rules that are never active on one day, or that ask for different cells of a
 * fact, do not fire together. Sound, not exact: each rule is compared with others on one axis only.
 */
export function greatestSum(rules: readonly ScoringRule[]): number {
  const gains = rules.filter(({ points, canFire }) => points > 0 && canFire);
  // The sum of active rules is greatest on some first day of one of them.
  const days = new Set(gains.map(({ rule }) => rule.from ?? ''));
  if (days.size > MAX_DAYS) return sumTogether(gains);
  return Math.max(0, ...[...days].map((day) => sumTogether(gains.filter(({ rule }) => isActive(rule, day)))));
}

/** The greatest sum of rules, with positive points, that can fire for one applicant. */
function sumTogether(rules: readonly ScoringRule[]): number {
  const groups = groupByAxis(rules);
  const savings = [...groups].map(([axis, group]) => ({ axis, saving: total(group) - greatestInACell(group) }));
  const left = new Set(rules);
  let sum = 0;
  // Each rule is counted on one axis, beginning with the axis that keeps most points apart.
  for (const { axis } of savings.filter(({ saving }) => saving > 0).sort((a, b) => b.saving - a.saving)) {
    const group = (groups.get(axis) ?? []).filter(({ scoring }) => left.has(scoring));
    sum += greatestInACell(group);
    for (const { scoring } of group) left.delete(scoring);
  }
  return sum + [...left].reduce((rest, { points }) => rest + points, 0);
}

/** A rule and the cells of an axis in which it can fire. */
interface OnAxis {
  readonly scoring: ScoringRule;
  readonly cells: readonly number[];
}

/** The rules that fire in some cells of an axis only, by axis. */
function groupByAxis(rules: readonly ScoringRule[]): ReadonlyMap<Axis, readonly OnAxis[]> {
  const groups = new Map<Axis, OnAxis[]>();
  let work = 0;
  for (const scoring of rules) {
    const certain = scoring.regions?.certain ?? [];
    for (const axis of certain[0]?.sets.keys() ?? []) {
      if (!certain.every(({ sets }) => sets.has(axis))) continue;
      const cells = cellsIn(certain.reduce((all, region) => all | setOn(axis, region), 0n));
      work += cells.length;
      if (work > MAX_CELLS) return new Map();
      const group = groups.get(axis) ?? [];
      group.push({ scoring, cells });
      groups.set(axis, group);
    }
  }
  return groups;
}

function total(group: readonly OnAxis[]): number {
  return group.reduce((sum, { scoring }) => sum + scoring.points, 0);
}

/** The greatest sum of the rules that fire in one cell. */
function greatestInACell(group: readonly OnAxis[]): number {
  const sums = new Map<number, number>();
  for (const { scoring, cells } of group)
    for (const cell of cells) sums.set(cell, (sums.get(cell) ?? 0) + scoring.points);
  return [...sums.values()].reduce((most, each) => Math.max(most, each), 0);
}
