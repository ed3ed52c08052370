/** The policies that decided then, and the one of now -> what compares each applicant of a backtest by both. */

import { readIndexKeys } from '../../audit/keys/key-folder.ts';
import type { LogPlace } from '../../audit/place.ts';
import { PoliciesOnRecord } from '../../audit/query/replay/policies-on-record.ts';
import { openLog } from '../../audit/query/replay/read-decisions.ts';
import { touchesErased } from '../../audit/store/artifact-store.ts';
import type { Policy } from '../../policy/language.ts';
import type { CountingOf } from './add-log.ts';
import type { ApplicantTally, TakesRows } from './applicant-rows.ts';
import { type ComparesRows, sidesOf } from './backtest.ts';
import { type JoinedFacts, joinFacts } from './joint-facts.ts';

/**
 * Compares each decision on record by the policy that it names with the policy of now. One whose policy the log does
 * not keep, and one of whose applicant the policy said something that is erased, is counted as such.
 */
export function asOfLog(tally: ComparesRows, now: Policy, place: LogPlace): CountingOf {
  const policies = new PoliciesOnRecord(place, async (archived) => {
    const pair = [archived.policy, now] as const;
    const joint = joinFacts(...pair);
    const sides = sidesOf(pair, joint);
    const log = await openLog(place);
    const keys = archived.erased.size > 0 ? await readIndexKeys(log.keys, log.id) : [];
    const addRows: TakesRows['addRows'] = (rows, isMeant) => {
      const isErased = (row: number) => touchesErased(archived, rows.applicantAt(row).facts, keys);
      const erased = new Set(Array.from({ length: rows.rows }, (_, row) => row).filter(isErased));
      tally.addUnjudged('erased', erased.size);
      tally.addRows(rows, (row) => isMeant(row) && !erased.has(row), sides);
    };
    return { joint, tally: { addRows } };
  });
  return async (entry) => {
    const found = policies.same(entry) ?? (await policies.of(entry));
    if (found !== 'missing') return found;
    tally.addUnjudged('policyMissing');
    return undefined;
  };
}

/** A policy and the first day on which it decided, yyyy-MM-dd. */
export interface DatedPolicy {
  readonly from: string;
  readonly policy: Policy;
}

/**
 * Compares each applicant by the last policy that began until their day with the policy of now.
 *
 * @param policies by their first days
 * @param joined of these policies in their order, and the policy of now
 */
export function asOfDays(
  tally: ComparesRows,
  policies: readonly DatedPolicy[],
  now: Policy,
  joined: JoinedFacts,
): ApplicantTally {
  const dated = policies.map(({ from, policy }, i) => {
    const joint = { ...joined, policies: [joined.policies[i] ?? policy, now] as const };
    return { from, sides: sidesOf([policy, now], joint) };
  });
  const indexOn = (day: string) => dated.findLastIndex(({ from }) => from <= day);
  return {
    addRows(rows, isMeant) {
      const indexes = Int32Array.from({ length: rows.rows }, (_, row) => indexOn(rows.days.at(row)));
      for (const index of new Set(indexes)) {
        const isOfThen = (row: number) => indexes[row] === index && isMeant(row);
        const then = dated[index];
        if (then) tally.addRows(rows, isOfThen, then.sides);
        else
          tally.addUnjudged(
            'policyMissing',
            indexes.keys().reduce((n, row) => n + (isOfThen(row) ? 1 : 0), 0),
          );
      }
    },
    addUnjudged: (...counted) => tally.addUnjudged(...counted),
    get unreadable() {
      return tally.unreadable;
    },
  };
}
