/** The options of `verdict backtest` -> its policies, loaded and joined. */

import type { JoinedFacts } from '../../../../lab/backtest/joint-facts.ts';
import type { Policy } from '../../../../policy/language.ts';
import type { ShownBacktest } from '../../../../report/applicants/backtest.ts';
import { loadPolicyFiles, type PolicyFiles, versionOf } from '../../../input/load-policy.ts';
import { type Io, orCannotRun, UsageError } from '../../../io.ts';
import type { BacktestOptions } from './options.ts';
import type { Compared, Comparison, DecidedBy, Plan, Shape } from './plan.ts';
import { ruleOf, sweepPolicies } from './sweep.ts';

type Planned = Plan & Pick<ShownBacktest, 'titles'>;

/** With what the options compare the policy. Throws a usage error for two policies before. */
function comparedOf({ against: then, asOf, sweep, drop, only, drill, labels }: BacktestOptions): Compared {
  if (asOf !== undefined) return { kind: 'asOf', policies: asOf };
  const changed = { ...(drop && { drop }), ...(only && { only }), ...(drill && { drill }) };
  const [option] = sweep ? ['sweep'] : Object.keys(changed);
  if (option === undefined) return { kind: 'against', then };
  if (then !== undefined && labels === undefined) {
    const but = 'with --labels, --against says what was decided then';
    throw new UsageError(`--against and --${option} exclude each other; ${but}`);
  }
  return sweep ? { kind: 'sweep', then, sweep } : { kind: 'changed', then, ...changed };
}

/** Loads the policies. Rejects with a usage error for what the policy does not have. */
export async function planOf(options: BacktestOptions, io: Io): Promise<Planned> {
  const compared = comparedOf(options);
  const load = (file: string, own: PolicyFiles['set'] = {}) =>
    orCannotRun(() => loadPolicyFiles({ ...options, ...versionOf(file), set: { ...options.set, ...own } }));
  const policy = await load(options.policy);
  const named = nameOf(policy);
  if (compared.kind === 'asOf') {
    const { shapeAsOf } = await import('./as-of.ts');
    const before = 'policies of then';
    const then: DecidedBy = { is: 'policy', name: before };
    return { shape: await shapeAsOf(compared.policies, policy, options, io), then, titles: [before, named] };
  }
  const { joinAll, joinFacts } = await import('../../../../lab/backtest/joint-facts.ts');
  const old = compared.then === undefined ? undefined : await load(compared.then);
  switch (compared.kind) {
    case 'against': {
      const policies = [old ?? policy, policy] as const;
      const { countEdits } = await import('../../../../lab/impact/edit-effects.ts');
      // A database decides by two policies alone.
      const edits = old && options.engine === undefined ? countEdits(policies, { costs: options.cost }) : undefined;
      const joint = edits?.joint ?? joinFacts(...policies);
      const comparison = { policies, joint, compares: old !== undefined, edits };
      const then = await decidedBy(old, policy, joint, options);
      return { shape: { is: 'plain', comparison }, then, titles: [old ? nameOf(old) : 'now', named] };
    }
    case 'sweep': {
      const { sweep } = compared;
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
    case 'changed': {
      const { drop, only, drill } = compared;
      for (const rule of [...(drop ?? []), ...(only ?? [])]) ruleOf(policy, rule);
      const { withRules } = await import('../../../../lab/backtest/backtest.ts');
      const changed = withRules(policy, (rule) => !drop?.includes(rule) && (only?.includes(rule) ?? true));
      const joined = joinAll([...(old ? [old] : []), policy, changed]);
      const joint = { ...joined, policies: [policy, changed] as const };
      const comparison: Comparison = { policies: [policy, changed], joint, compares: true, down: drill };
      const then = await decidedBy(old, changed, joined, options);
      const what = drill === undefined ? 'changed' : `${drill} down`;
      return { shape: { is: 'changed', comparison }, then, titles: [named, `${named}, ${what}`] };
    }
  }
}

/** `joined`: of the policy of then, the first, and of others, with the policy of now at the end. */
async function decidedBy(
  old: Policy | undefined,
  now: Policy,
  joined: JoinedFacts,
  { log }: BacktestOptions,
): Promise<DecidedBy> {
  if (!old) return { is: log === undefined ? 'column' : 'log' };
  const { sidesOf } = await import('../../../../lab/backtest/backtest.ts');
  const sides = sidesOf([old, now], { ...joined, policies: [joined.policies[0] ?? old, now] });
  return { is: 'policy', name: nameOf(old), sides };
}

function nameOf({ name, version }: Policy): string {
  return `${name} ${version}`;
}
