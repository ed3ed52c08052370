/** `diffPolicies` against the matcher, on random policies and random edits of them. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/facts/fact.ts';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import { describeEdits } from '../../src/lab/edits/describe-edits.ts';
import { asDerived } from '../support/lab/applicants.ts';
import { EDITS } from '../support/lab/edits.ts';
import { checkDiff } from '../support/lab/fault.ts';
import { aCase, type Case, type CaseOptions } from '../support/runners/arbitrary.ts';
import { loadPolicyAsIs, readPlainFacts } from '../support/runners/case.ts';
import type { PlainFact, PlainFacts, PlainPolicy } from '../support/runners/plain.ts';
import { sampled } from '../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-lab-'));

/** The policy, or undefined if the edit is not allowed in it. */
function load(policy: PlainPolicy) {
  try {
    return loadPolicyAsIs(policy, folder);
  } catch {
    return undefined;
  }
}

/** Checks the diffs of random edits; the number of applicants that are decided differently. */
async function checkEdits(
  options: CaseOptions,
  count: number,
  applicantsOf: (given: Case) => Iterable<PlainFacts>,
): Promise<{ readonly compared: number; readonly differing: number }> {
  const cases = fc.sample(fc.tuple(aCase(options), fc.nat(1e6)), count);
  let [compared, differing] = [0, 0];
  for (const [i, [given, die]] of cases.entries()) {
    const { policy: plain, day } = given;
    const [name, edit] = Object.entries(EDITS)[i % Object.keys(EDITS).length] as [string, (typeof EDITS)[string]];
    const [old, now] = [load(plain), load(edit(plain, die))];
    if (!old || !now) continue;
    const where = i % 3 === 2 ? now.rules[0]?.when : undefined;
    const diff = await diffPolicies(old, now, { at: day, timeoutMs: 1_500, reasons: i % 2 === 0, where });
    const read = function* (): Generator<Facts> {
      for (const each of applicantsOf(given)) yield asDerived(readPlainFacts(each, old, day), old.facts, day);
    };
    const checked = checkDiff([old, now], diff, read(), day, where);
    expect(checked.fault, `case ${i}, ${name}: ${JSON.stringify([plain, edit(plain, die)])}`).toBeUndefined();
    if (checked.differing > 0) expect(diff.edits, `case ${i}, ${name}`).not.toEqual([]);
    const same = load(plain);
    expect(same && describeEdits(old, same)).toEqual([]);
    compared += 1;
    differing += checked.differing;
  }
  return { compared, differing };
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

/** Every combination of the values that the applicants have, or as many as these. */
function* everyone(applicants: readonly PlainFacts[], most: number): Generator<PlainFacts> {
  const values = Object.keys(applicants[0] ?? {}).map((path) => {
    const all = new Map(applicants.map((each) => [JSON.stringify(each[path]), each[path] as PlainFact]));
    return { path, all: [...all.values()] };
  });
  const size = values.reduce((product, { all }) => product * all.length, 1);
  // A step that has no factor in common with the size visits all of them, spread out.
  const step = size > most ? Math.floor(size / most) * 2 + 1 : 1;
  for (let n = 0; n < Math.min(size, most); n++) {
    let rest = (n * step) % size;
    yield Object.fromEntries(
      values.map(({ path, all }) => {
        const at = rest % all.length;
        rest = Math.floor(rest / all.length);
        return [path, all[at] as PlainFact];
      }),
    );
  }
}

describe('the regions of a difference', () => {
  it('have exactly the applicants that are decided differently, each once', async () => {
    const applicants = sampled(40, 10_000);
    const { compared, differing } = await checkEdits({ applicants }, sampled(8, 1000), (given) => given.applicants);
    expect(compared).toBeGreaterThan(4);
    expect(differing).toBeGreaterThan(0);
  }, 3_600_000);

  it('have them for every combination of the values of a few facts', async () => {
    const options = { applicants: sampled(30, 60), paths: FEW_FACTS };
    const most = sampled(400, 20_000);
    const { compared, differing } = await checkEdits(options, sampled(12, 3000), (given) =>
      everyone(given.applicants, most),
    );
    expect(compared).toBeGreaterThan(4);
    expect(differing).toBeGreaterThan(100);
  }, 3_600_000);
});
