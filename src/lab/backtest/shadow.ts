/** A log and a rule that its policies only observe -> the decisions that the rule would have changed. */

import type { DecisionFields } from '../../audit/entry/entry.ts';
import { PoliciesOnRecord } from '../../audit/query/replay/policies-on-record.ts';
import type { WantedDecisions } from '../../audit/query/replay/read-decisions.ts';
import { addLog, type UnreadableDecision } from './add-log.ts';
import { applicantsIn, changesOf } from './applicants.ts';
import { type Backtest, BacktestTally } from './backtest.ts';
import { joinFacts } from './joint-facts.ts';
import type { RuleCount } from './rule-counts.ts';

/** What the rule would have done. */
export interface ShadowImpact extends Required<Pick<RuleCount, 'rule' | 'fired' | 'undetermined' | 'changes'>> {
  /** Decisions by policies that observe the rule. */
  readonly decisions: number;
  /** Decisions by policies that do not have it, or have it in force. */
  readonly others: number;
  /** Decisions whose policy the log does not keep, or that cannot be read. */
  readonly policyMissing: number;
  readonly undecided: Pick<Backtest['undecided'], 'unreadable' | 'erased' | 'aborted' | 'open'>;
}

/** Each decision by the policy that it names. Rejects as `addLog` does. */
export async function shadowImpact(
  wanted: WantedDecisions,
  rule: string,
  onProgress: (read: number) => void,
): Promise<{ readonly impact: ShadowImpact; readonly unreadable: readonly UnreadableDecision[] }> {
  const tallies: BacktestTally[] = [];
  const left = { other: 0, missing: 0, unreadable: 0, erased: 0, aborted: 0 };
  const policies = new PoliciesOnRecord(wanted, ({ policy }) => {
    if (!policy.rules.some(({ id, shadow }) => id === rule && shadow)) return 'other' as const;
    const joint = joinFacts(policy, policy);
    const tally = new BacktestTally([policy, policy], joint, { by: [], worst: 0, compares: false });
    tallies.push(tally);
    return { joint, tally };
  });
  const countingOf = async (entry: DecisionFields) => {
    const found = await policies.of(entry);
    if (typeof found !== 'string') return found;
    left[found] += 1;
    return undefined;
  };
  const rest = {
    addRows: () => {},
    addUnjudged: (why: 'unreadable' | 'erased' | 'aborted', number = 1) => {
      left[why] += number;
    },
    unreadable: 0,
  };
  const unreadable = await addLog(rest, countingOf, wanted, onProgress);
  const results = tallies.map((tally) => tally.result());
  const counts = results.flatMap(({ rules }) => rules.filter((each) => each.rule === rule));
  const sum = <Item>(items: readonly Item[], of: (item: Item) => number) =>
    items.reduce((all, each) => all + of(each), 0);
  const impact = {
    rule,
    decisions: sum(results, ({ decided }) => decided),
    fired: sum(counts, ({ fired }) => fired),
    undetermined: sum(counts, ({ undetermined }) => undetermined),
    changes: changesOf(({ from, to }) => {
      const changes = counts.flatMap((each) => each.changes ?? []);
      return applicantsIn(changes.filter((each) => each.from === from && each.to === to));
    }),
    ...{ others: left.other, policyMissing: left.missing },
    undecided: {
      ...{ unreadable: left.unreadable, erased: left.erased, aborted: left.aborted },
      open: sum(results, ({ undecided }) => undecided.open),
    },
  };
  return { impact, unreadable };
}
