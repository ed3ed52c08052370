/** `diffPolicies` against the matcher, on random policies and random edits of them. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import { VerdictError } from '../../src/errors.ts';
import type { Facts } from '../../src/facts/fact.ts';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import { describeEdits } from '../../src/lab/edits/describe-edits.ts';
import type { Policy } from '../../src/policy/language.ts';
import { asReadBy, manyOf } from '../support/lab/applicants.ts';
import { EDITS, EDITS_OF_REASONS, type Edit } from '../support/lab/edits.ts';
import { checkDiff } from '../support/lab/fault.ts';
import { aCase, type Case, type CaseOptions } from '../support/runners/arbitrary.ts';
import { loadPolicyAsIs } from '../support/runners/case.ts';
import type { PlainPolicy } from '../support/runners/plain.ts';
import { IS_SOAK, sampled } from '../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-lab-'));

/** Undefined for policies that compute a fact in two ways, which are refused. */
async function diffOf(...[old, now, options]: Parameters<typeof diffPolicies>) {
  try {
    return await diffPolicies(old, now, options);
  } catch (error) {
    if (VerdictError.is(error) && error.code === 'REQUEST_INVALID') return undefined;
    throw error;
  }
}

/** The policy, or undefined if the edit is not allowed in it. */
function load(policy: PlainPolicy) {
  try {
    return loadPolicyAsIs(policy, folder);
  } catch {
    return undefined;
  }
}

/** How many pairs of policies were compared, of how many all is known, and who is decided differently, by edit. */
interface Seen {
  compared: number;
  same: number;
  readonly differing: Map<string, number>;
}

interface Sample extends CaseOptions {
  readonly count: number;
  /** The number of the first edit. */
  readonly first: number;
  /** The most applicants that are decided. */
  readonly most: number;
  /** How many pairs are drawn for one that is compared, until an edit changes the outcome of somebody. */
  readonly tries: number;
}

/** Checks the diffs of random edits, of one kind after the other. */
async function checkEdits({ count, first, most, tries, ...options }: Sample): Promise<Seen> {
  const draws = fc.sample(fc.tuple(aCase(options), fc.nat(1e6)), count * tries);
  const edits = Object.entries(EDITS);
  const seen: Seen = { compared: 0, same: 0, differing: new Map() };
  for (let i = 0; i < count; i++) {
    const [name, edit] = edits[(first + i) % edits.length] as [string, Edit];
    const found = effective(draws.slice(i * tries, (i + 1) * tries), edit);
    if (!found) continue;
    const { given, plain, old, now } = found;
    const { applicants, day } = given;
    const where = i % 3 === 2 ? now.rules[0]?.when : undefined;
    const diff = await diffOf(old, now, { at: day, timeoutMs: 1_500, reasons: i % 2 === 0, where });
    if (!diff) continue;
    const { fault, differing } = checkDiff([old, now], diff, manyOf(applicants, most, old, day), day, where);
    const shown = `case ${i}, ${name}: ${JSON.stringify([given.policy, plain])}`;
    expect(fault, shown).toBeUndefined();
    if (differing > 0) expect(diff.edits, shown).not.toEqual([]);
    const same = load(given.policy);
    expect(same && describeEdits(old, same)).toEqual([]);
    seen.compared += 1;
    if (diff.elsewhere === 'same') seen.same += 1;
    seen.differing.set(name, (seen.differing.get(name) ?? 0) + differing);
  }
  return seen;
}

/** The first case whose edit changes the outcome of one of its applicants, else the last whose edit is allowed. */
function effective(draws: readonly (readonly [Case, number])[], edit: Edit) {
  let last: { given: Case; plain: PlainPolicy; old: Policy; now: Policy } | undefined;
  for (const [given, die] of draws) {
    const plain = edit(given.policy, die);
    const [old, now] = [load(given.policy), load(plain)];
    if (!old || !now) continue;
    last = { given, plain, old, now };
    const { applicants, day } = given;
    const outcomeOf = (policy: Policy, facts: Facts) => matcherOf(policy).outcome(asReadBy(policy, facts), day).outcome;
    const isChanged = (facts: Facts) => outcomeOf(old, facts) !== outcomeOf(now, facts);
    if (manyOf(applicants, 0, old, day).some(isChanged)) break;
  }
  return last;
}

function total({ differing }: Seen): number {
  return [...differing.values()].reduce((sum, each) => sum + each, 0);
}

/** Facts that follow from each other, and others. */
const FEW_FACTS = fc.constantFrom<readonly string[]>(
  ['applicant.email', 'applicant.emailDomain'],
  ['applicant.phoneNo', 'phone.country', 'phone.valid'],
  ['phone.operator.current', 'phone.operator.original', 'phone.operator.changed'],
  ['ip.country', 'phone.country', 'ip.matchesPhoneCountry'],
  ['applicant.phoneNo', 'ip.country', 'ip.matchesPhoneCountry'],
  ['phone.score', 'phone.porting.portedDate'],
  ['context.number', 'context.integer', 'context.total'],
  ['context.date', 'identity.past', 'context.span'],
  ['context.string', 'context.ip'],
  ['context.level', 'context.enum', 'context.boolean'],
);

describe('the regions of a difference', () => {
  it('have exactly the applicants that are decided differently, each once', async () => {
    const seen = await checkEdits({
      ...{ count: sampled(8, 700), first: 0, applicants: sampled(40, 100) },
      ...{ most: sampled(0, 10_000), tries: sampled(2, 12) },
    });
    expect(seen.compared).toBeGreaterThan(4);
    expect(total(seen)).toBeGreaterThan(0);
    if (IS_SOAK)
      process.stderr.write(`${JSON.stringify({ ...seen, differing: Object.fromEntries(seen.differing) })}\n`);
  });

  it('have them for every combination of the values of a few facts', async () => {
    const seen = await checkEdits({
      ...{ count: sampled(12, 2000), first: 8, applicants: sampled(30, 60), paths: FEW_FACTS },
      ...{ most: sampled(400, 10_000), tries: sampled(2, 12) },
    });
    expect(seen.compared).toBeGreaterThan(4);
    expect(total(seen)).toBeGreaterThan(100);
    if (IS_SOAK)
      process.stderr.write(`${JSON.stringify({ ...seen, differing: Object.fromEntries(seen.differing) })}\n`);
    if (!IS_SOAK) return;
    // Where all is undecided, nothing is tested.
    expect(seen.same).toBeGreaterThan(seen.compared * 0.9);
    const idle = Object.keys(EDITS).filter((name) => !seen.differing.get(name));
    expect(idle.sort()).toEqual(EDITS_OF_REASONS.toSorted());
  });
});
