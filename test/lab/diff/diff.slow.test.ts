/** `diffPolicies` against the matcher, on random policies and random edits of them. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { diffPolicies } from '../../../src/lab/diff/diff.ts';
import { describeEdits } from '../../../src/lab/diff/edits/describe-edits.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { asReadBy, manyOf } from '../../support/lab/applicants.ts';
import { COMPUTED_EDITS } from '../../support/lab/computed-edits.ts';
import { EDITS, EDITS_OF_REASONS, type Edit } from '../../support/lab/edits.ts';
import { checkDiff } from '../../support/lab/fault.ts';
import { aCase, type Case, type CaseOptions } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs } from '../../support/runners/case.ts';
import type { PlainPolicy } from '../../support/runners/plain.ts';
import { IS_SOAK, sampled } from '../../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-lab-'));

/** The policy, or undefined if the edit is not allowed in it. */
function load(policy: PlainPolicy) {
  try {
    return loadPolicyAsIs(policy, folder);
  } catch {
    return undefined;
  }
}

/** What was compared, and what came of it. */
interface Seen {
  /** Of how many pairs all is known. */
  same: number;
  /** By edit: how many pairs were compared, and how many applicants are decided differently by one of them. */
  readonly compared: Map<string, number>;
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
  const edits = Object.entries(EDITS);
  const seen: Seen = { same: 0, compared: new Map(), differing: new Map() };
  const { seed = 1 } = fc.readConfigureGlobal();
  for (let i = 0; i < count; i++) {
    const [name, edit] = edits[(first + i) % edits.length] as [string, Edit];
    const paths = options.paths && (FACTS_OF[name] ?? options.paths);
    const found = effective(drawn({ ...options, ...(paths ? { paths } : {}) }, tries, seed + i * tries), edit);
    if (!found) continue;
    const { given, plain, old, now } = found;
    const { applicants, day } = given;
    const where = i % 3 === 2 ? now.rules[0]?.when : undefined;
    const diff = await diffPolicies(old, now, {
      at: day,
      steps: sampled(750_000, 2_500_000),
      where,
    });
    const { fault, differing } = checkDiff([old, now], diff, manyOf(applicants, most, old, day), day, where);
    const shown = `case ${i}, ${name}: ${JSON.stringify([given.policy, plain])}`;
    expect(fault, shown).toBeUndefined();
    if (differing > 0) expect(diff.edits, shown).not.toEqual([]);
    const same = load(given.policy);
    expect(same && describeEdits(old, same)).toEqual([]);
    if (diff.elsewhere === 'same') seen.same += 1;
    seen.compared.set(name, (seen.compared.get(name) ?? 0) + 1);
    seen.differing.set(name, (seen.differing.get(name) ?? 0) + differing);
  }
  return seen;
}

type Drawn = readonly [given: Case, die: number];

/** Draws cases when they are asked for: thousands at once take gigabytes. */
function* drawn(options: CaseOptions, tries: number, seed: number): Generator<Drawn> {
  const cases = fc.tuple(aCase(options), fc.nat(1e6));
  const numRuns = Math.min(tries, 8);
  for (let n = 0; n < tries; n += numRuns) yield* fc.sample(cases, { numRuns, seed: seed + n });
}

/** The first case whose edit changes the outcome of one of its applicants, else the last whose edit is allowed. */
function effective(draws: Iterable<Drawn>, edit: Edit) {
  let last: { given: Case; plain: PlainPolicy; old: Policy; now: Policy } | undefined;
  for (const [given, die] of draws) {
    const plain = edit(given.policy, die);
    if (last && isDeepStrictEqual(plain, given.policy)) continue;
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

function total(numbers: ReadonlyMap<string, number>): number {
  return [...numbers.values()].reduce((sum, each) => sum + each, 0);
}

/** With full counts: the numbers by edit. */
function show({ same, compared, differing }: Seen): void {
  if (!IS_SOAK) return;
  const byEdit = [...compared].map(([name, count]) => `${name} ${count}, ${differing.get(name)}`);
  process.stderr.write(`${total(compared)} pairs, all known of ${same}; differing: ${byEdit.join('; ')}\n`);
}

/** Facts that computed facts are computed from, with one of them. */
const COMPUTED: readonly (readonly string[])[] = [
  ['context.number', 'context.integer', 'context.total'],
  ['context.number', 'context.integer', 'context.share'],
  ['context.number', 'context.integer', 'context.whole'],
  ['context.date', 'identity.past', 'context.span'],
];

/** Facts that follow from each other, and others. */
const FEW_FACTS = fc.constantFrom<readonly string[]>(
  ['applicant.email', 'applicant.emailDomain'],
  ['applicant.phoneNo', 'phone.country', 'phone.valid'],
  ['phone.operator.current', 'phone.operator.original', 'phone.operator.changed'],
  ['ip.country', 'phone.country', 'ip.matchesPhoneCountry'],
  ['applicant.phoneNo', 'ip.country', 'ip.matchesPhoneCountry'],
  ['phone.score', 'phone.porting.portedDate'],
  ...COMPUTED,
  ['context.string', 'context.ip'],
  ['context.level', 'context.enum', 'context.boolean'],
);

/** The facts that some edits are about. */
const FACTS_OF: Readonly<Record<string, fc.Arbitrary<readonly string[]>>> = {
  ...Object.fromEntries(Object.keys(COMPUTED_EDITS).map((name) => [name, fc.constantFrom(...COMPUTED)])),
  'years since a date': fc.constant(['context.date', 'identity.past']),
  'a value of an enum less': fc.constant(['context.enum', 'context.other.enum']),
};

/** An edit that was compared as often as this changes the outcome of somebody, or it tests nothing. */
const OFTEN = 25;

describe('the regions of a difference', () => {
  it('have exactly the applicants that are decided differently, each once', async () => {
    const seen = await checkEdits({
      ...{ count: sampled(5, 300), first: 0, applicants: sampled(40, 100) },
      ...{ most: sampled(0, 10_000), tries: sampled(5, 12) },
    });
    show(seen);
    expect(total(seen.compared)).toBeGreaterThan(4);
    expect(total(seen.differing)).toBeGreaterThan(0);
  });

  it('have them for every combination of the values of a few facts', async () => {
    const seen = await checkEdits({
      ...{ count: sampled(7, 2000), first: 5, applicants: sampled(30, 60), paths: FEW_FACTS },
      ...{ most: sampled(400, 10_000), tries: sampled(5, 25) },
    });
    show(seen);
    expect(total(seen.compared)).toBeGreaterThan(4);
    expect(total(seen.differing)).toBeGreaterThan(sampled(50, 100));
    if (!IS_SOAK) return;
    // Where all is undecided, nothing is tested.
    expect(seen.same).toBeGreaterThan(total(seen.compared) * 0.8);
    const isIdle = ([name, count]: readonly [string, number]) => count >= OFTEN && !seen.differing.get(name);
    const idle = [...seen.compared].filter(isIdle).map(([name]) => name);
    expect(idle.filter((name) => !EDITS_OF_REASONS.includes(name))).toEqual([]);
  });
});
