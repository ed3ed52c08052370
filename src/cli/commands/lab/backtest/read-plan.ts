/** The options of `verdict backtest` -> its policies, loaded and joined. */

import type { JoinedFacts } from '../../../../lab/backtest/joint-facts.ts';
import type { Policy } from '../../../../policy/language.ts';
import type { ShownBacktest } from '../../../../report/applicants/backtest.ts';
import { loadPolicyFiles, type PolicyFiles, versionOf } from '../../../input/load-policy.ts';
import { type Io, orCannotRun } from '../../../io.ts';
import type { Comparison, DecidedBy, Plan, PlanOptions, Shape } from './plan.ts';
import { ruleOf, sweepPolicies } from './sweep.ts';

type Planned = Plan & Pick<ShownBacktest, 'titles'>;

/** Loads the policies. Rejects with a usage error for what the policy does not have. */
export async function planOf(options: PlanOptions, io: Io): Promise<Planned> {
  const { against, asOf, drop, only, drill, sweep, set } = options;
  const load = (policy: string, own: PolicyFiles['set'] = {}) =>
    orCannotRun(() => loadPolicyFiles({ ...options, ...versionOf(policy), set: { ...set, ...own } }));
  const policy = await load(options.policy);
  const named = nameOf(policy);
  if (asOf !== undefined) {
    const { shapeAsOf } = await import('./as-of.ts');
    const before = 'policies of then';
    const then: DecidedBy = { is: 'policy', name: before };
    return { shape: await shapeAsOf(asOf, policy, options, io), then, titles: [before, named] };
  }
  const { joinAll, joinFacts } = await import('../../../../lab/backtest/joint-facts.ts');
  const old = against === undefined ? undefined : await load(against);
  if (sweep) {
    const tried = await sweepPolicies(policy, sweep, options.mapping, (own) => load(options.policy, own));
    const joined = joinAll([...(old ? [old] : []), ...tried, policy]);
    const asking = joined.policies.slice(old ? 1 : 0);
    const compare = (now: Policy, by: Policy, compares: boolean): Comparison => {
      return { policies: [policy, now], joint: { ...joined, policies: [policy, by] }, compares };
    };
    const runs = tried.map((each, i) => compare(each, asking[i] ?? each, true));
    const shape: Shape = { is: 'sweep', comparison: compare(policy, policy, false), runs };
    return { shape, then: await decidedBy(old, policy, joined, options), titles: ['now', named] };
  }
  for (const rule of [...(drop ?? []), ...(only ?? [])]) ruleOf(policy, rule);
  if (!(drop ?? only ?? drill)) {
    const policies = [old ?? policy, policy] as const;
    const { countEdits } = await import('../../../../lab/impact/edit-effects.ts');
    // A database decides by two policies alone.
    const edits = old && options.engine === undefined ? countEdits(policies, { costs: options.cost }) : undefined;
    const comparison = { policies, joint: edits?.joint ?? joinFacts(...policies), compares: old !== undefined, edits };
    const then = await decidedBy(old, policy, comparison.joint, options);
    return { shape: { is: 'plain', comparison }, then, titles: [old ? nameOf(old) : 'now', named] };
  }
  const { withRules } = await import('../../../../lab/backtest/backtest.ts');
  const changed = withRules(policy, (rule) => !drop?.includes(rule) && (only?.includes(rule) ?? true));
  const joined = joinAll([...(old ? [old] : []), policy, changed]);
  const joint = { ...joined, policies: [policy, changed] as const };
  const comparison: Comparison = { policies: [policy, changed], joint, compares: true, down: drill };
  const then = await decidedBy(old, changed, joined, options);
  const what = drill === undefined ? 'changed' : `${drill} down`;
  return { shape: { is: 'changed', comparison }, then, titles: [named, `${named}, ${what}`] };
}

/** `joined`: of the policy of then, the first, and of others, with the policy of now at the end. */
async function decidedBy(
  old: Policy | undefined,
  now: Policy,
  joined: JoinedFacts,
  { log }: PlanOptions,
): Promise<DecidedBy> {
  if (!old) return { is: log === undefined ? 'column' : 'log' };
  const { sidesOf } = await import('../../../../lab/backtest/backtest.ts');
  const sides = sidesOf([old, now], { ...joined, policies: [joined.policies[0] ?? old, now] });
  return { is: 'policy', name: nameOf(old), sides };
}

function nameOf({ name, version }: Policy): string {
  return `${name} ${version}`;
}
