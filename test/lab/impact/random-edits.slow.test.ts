/** What edits do by themselves, on random policies with random edits: as a matcher of each policy decides. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { BacktestTally } from '../../../src/lab/backtest/backtest.ts';
import { singleEdits } from '../../../src/lab/diff/edits/single-edits.ts';
import { countEdits, type Effect } from '../../../src/lab/impact/edit-effects.ts';
import type { Outcome, Policy } from '../../../src/policy/language.ts';
import { addApplicants } from '../../support/lab/add-applicants.ts';
import { asReadBy, manyOf } from '../../support/lab/applicants.ts';
import { EDITS } from '../../support/lab/edits.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs } from '../../support/runners/case.ts';
import type { PlainPolicy } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-edits-'));

/** The policy, or undefined if an edit is not allowed in it. */
function load(policy: PlainPolicy): Policy | undefined {
  try {
    return loadPolicyAsIs(policy, folder);
  } catch {
    return undefined;
  }
}

const anEdit = fc.tuple(fc.constantFrom(...Object.values(EDITS)), fc.nat(1e6));

it('each edit has the flows of its policies, and one edit alone is the whole', () => {
  let [compared, alone, several] = [0, 0, 0];
  fc.assert(
    fc.property(aCase({ applicants: 6 }), fc.array(anEdit, { minLength: 1, maxLength: 3 }), (given, made) => {
      const { applicants, day } = given;
      const old = load(given.policy);
      const now = load(made.reduce<PlainPolicy>((policy, [edit, die]) => edit(policy, die), given.policy));
      if (!old || !now) return;
      const people = [...manyOf(applicants, 60, old, day)];
      const outcomesBy = (policy: Policy): readonly Outcome[] =>
        people.map((facts) => matcherOf(policy).outcome(asReadBy(policy, facts), day).outcome);
      const [before, after] = [outcomesBy(old), outcomesBy(now)];
      const edits = countEdits([old, now]);
      if (!edits) {
        expect(after).toEqual(before);
        return;
      }
      const { joint, addRows } = edits;
      const tally = new BacktestTally([old, now], joint, { by: [], worst: 0, compares: true, onRows: addRows });
      const read = (facts: Facts) => asReadBy({ ...now, facts: joint.facts }, facts);
      addApplicants(
        tally,
        joint,
        people.map((facts, i) => ({ name: { line: i + 1 }, day, facts: read(facts) })),
      );
      const result = edits.result();
      const flowsTo = (policy: Policy | undefined) => policy && flowsBetween(before, outcomesBy(policy));
      expect(flowsOf(result)).toEqual(flowsBetween(before, after));
      const single = singleEdits(old, now);
      expect(result.edits).toHaveLength(single.length);
      for (const each of single) {
        const found = result.edits.find(({ kind, name }) => kind === each.kind && name === each.name);
        expect(flowsOf(found?.alone)).toEqual(flowsTo(each.alone()));
        expect(flowsOf(found?.left)).toEqual(flowsTo(each.without()));
      }
      const sum = result.edits.reduce((all, { only }) => all + only, result.severalAlone + result.togetherOnly);
      expect(sum).toBe(result.changed);
      const [first, ...others] = single;
      if (first && others.length === 0) {
        // One edit alone is the new policy, and without it there is the old one.
        expect(flowsTo(first.alone())).toEqual(flowsBetween(before, after));
        expect(flowsTo(first.without())).toEqual(new Map());
        alone += 1;
      } else several += 1;
      compared += result.changed > 0 ? 1 : 0;
    }),
    { numRuns: sampled(40, 20_000) },
  );
  // Most edits change somebody, and there are cases of one edit and of several.
  expect(Math.min(compared, alone, several)).toBeGreaterThan(3);
});

function flowsOf(effect: Effect | undefined) {
  return effect && new Map(effect.flows.map(({ from, to, applicants }) => [`${from} ${to}`, applicants]));
}

/** How many have which changes. */
function flowsBetween(before: readonly Outcome[], after: readonly Outcome[]): ReadonlyMap<string, number> {
  const changes = before.flatMap((from, i) => (from === after[i] ? [] : `${from} ${after[i]}`));
  return new Map([...Map.groupBy(changes, (each) => each)].map(([change, { length }]) => [change, length]));
}
