/** Points and the bands of the score -> warnings. */

import type { Yaml } from '../../platform/yaml.ts';
import { count } from '../../text.ts';
import { type Axis, cellsIn } from '../cells/cells.ts';
import { setOn } from '../cells/conjunctions.ts';
import { type Band, bandOf, hasBands, isActive, type Rule, strictness } from '../language.ts';
import { type Check, nameRules, type RuleRegions } from './context.ts';

export function checkPointsWithoutScore(check: Check): void {
  const { policy, warn, nodeOf } = check;
  if (hasBands(policy)) return;
  const points = scoringRules(check).map(({ rule }) => ({ rule, node: nodeOf(rule, 'points') }));
  for (const [, group] of Map.groupBy(points, ({ node }) => node?.source)) {
    const rules = nameRules(group.map(({ rule }) => rule));
    const message = `the points of the rule ${rules} change no outcome: the policy has no \`score\``;
    const hint = 'add `score: { review: …, reject: … }` to the policy, or remove the points';
    warn(group[0]?.node, 'points-without-score', message, hint);
  }
}

export function checkScoreWithoutPoints(check: Check): void {
  const { policy, keys, warn } = check;
  if (!hasBands(policy) || scoringRules(check).length > 0) return;
  const ineffective = policy.rules.filter(({ points }) => points).length;
  const problem =
    ineffective === 0 ? 'no rule has points' : `no points count of the ${count(ineffective, 'rule')} with points`;
  const hint = ineffective === 0 ? 'give rules `points`, or remove `score`' : 'rules in shadow mode add nothing';
  warn(keys.get('score')?.key, 'score-without-points', `${problem}: the score is 0 for every applicant`, hint);
}

export function checkBandsNeverReached(check: Check): void {
  const { review, reject } = check.policy.score;
  const rules = scoringRules(check);
  if (rules.length === 0 || (review === undefined && reject === undefined)) return;
  const greatest = greatestSum(rules);
  const report = (band: Band, message: string, hint: string) =>
    check.warn(bandNode(band, check), 'band-never-reached', message, hint);
  for (const band of ['review', 'reject'] as const) {
    const from = check.policy.score[band];
    if (from === undefined || greatest >= from) continue;
    const sum = `the rules that can fire together have at most ${count(greatest, 'point')} in all`;
    report(band, `no score reaches ${band} from ${from}: ${sum}`, 'lower the band, or give rules more points');
    // The reject band is higher still.
    break;
  }
  // Without negative points a sum is 0, or at least as large as the least points of a rule.
  const least = Math.min(...rules.map(({ points }) => points));
  if (review === undefined || reject === undefined || review <= 0 || least < reject) return;
  const message = `no score lies between review from ${review} and reject from ${reject}`;
  const hint = 'raise the reject band, or give rules fewer points';
  report('review', `${message}: each rule with points has at least ${least}`, hint);
}

export function checkBandsAlwaysReached(check: Check): void {
  const least = leastSum(scoringRules(check));
  for (const band of ['review', 'reject'] as const) {
    const from = check.policy.score[band];
    if (from === undefined || least < from) continue;
    const message = `every score reaches ${band} from ${from}: no score is less than ${least}`;
    const hint = 'raise the band; where no rule with points fires, the score is 0';
    check.warn(bandNode(band, check), 'band-always-reached', message, hint);
  }
}

export function checkOverrulingPoints(check: Check): void {
  const { policy, warn, nodeOf } = check;
  const rules = scoringRules(check);
  const lost = leastSum(rules);
  for (const { rule, points, canFire } of rules) {
    // A final rule decides whatever the score is.
    if (rule.then === undefined || rule.final || !canFire) continue;
    const band = bandOf(policy.score, points + lost);
    if (band === null || strictness(band) <= strictness(rule.then)) continue;
    const from = `the score asks for ${band} from ${policy.score[band]}`;
    const message = `the rule "${rule.id}" asks for ${rule.then}, but has ${count(points, 'point')}, and ${from}`;
    const hint = `write \`then: ${band}\`, or give it fewer points`;
    warn(nodeOf(rule, 'points'), 'points-overrule-then', `${message}: whenever it fires, ${band} is asked for`, hint);
  }
}

/** The node of a band's number. */
export function bandNode(band: Band, { keys }: Check): Yaml | undefined {
  const score = keys.get('score')?.value;
  return score?.kind === 'map' ? score.entries.get(band)?.value : undefined;
}

/** Work beyond this many cells is spared: rules then count as if any of them could fire together. */
const MAX_CELLS = 100_000;
/** With more first days, rules count as if all were active at once. */
const MAX_DAYS = 50;

/** A rule whose points count: it is not in shadow mode, and can fire or be undetermined. */
interface ScoringRule {
  readonly rule: Rule;
  readonly points: number;
  /** Undefined for a condition with too many conjunctions. */
  readonly regions: RuleRegions | undefined;
  /** A rule that can only be undetermined widens the score. */
  readonly canFire: boolean;
}

/** The rules whose points count, apart from those with 0 points. */
function scoringRules({ policy, regions }: Check): readonly ScoringRule[] {
  const byRule = new Map(regions.map((each) => [each.rule, each]));
  return policy.rules.flatMap((rule) => {
    const ruleRegions = byRule.get(rule);
    if (rule.shadow || !rule.points || ruleRegions?.possible.length === 0) return [];
    return [{ rule, points: rule.points, regions: ruleRegions, canFire: ruleRegions?.certain.length !== 0 }];
  });
}

/** No score is less: the sum of all negative points. */
function leastSum(rules: readonly ScoringRule[]): number {
  return rules.reduce((sum, { points }) => sum + Math.min(points, 0), 0);
}

/**
 * No score of rules that fire is greater. Rules that are never active on one day, or that ask for different cells of a
 * fact, do not fire together. Sound, not exact: each rule is compared with others on one axis only.
 */
function greatestSum(rules: readonly ScoringRule[]): number {
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
