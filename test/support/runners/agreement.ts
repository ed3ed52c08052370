/** Runners and a seed -> the first random case on which a runner differs from the reference, shrunk. */

import * as fc from 'fast-check';
import { aCase, type Case } from './arbitrary.ts';
import { loadPlainPolicy, loadPolicyAsIs } from './case.ts';
import { caseOf, factsOfCase, formatJson, type GivenCase } from './case-file.ts';
import type { PlainPolicy } from './plain.ts';
import { reduce } from './reduce.ts';
import { referenceVerdict } from './reference.ts';
import { ask, type Disagreement, disagreements, type Runner, type Watch } from './runners.ts';

/** Which cases to compare. */
export interface Sample {
  readonly seed: number;
  readonly policies: number;
  /** Applicants for each policy. */
  readonly applicants: number;
}

/** The result of a sample: the number of policies tried, and the finding on the last of them, if any. */
export interface Tried {
  readonly policies: number;
  readonly finding?: Finding;
}

/** A case on which a runner differs from the reference. */
export interface Finding extends Disagreement {
  /** The seed of its sample. */
  readonly seed: number;
  /** The case in the form of test/cases, with the verdict of the reference. */
  readonly text: string;
}

/** Compares the runners on a sample until one differs. Policy files go into the folder. */
export async function seekDisagreement(
  runners: readonly Runner[],
  { seed, policies, applicants }: Sample,
  folder: string,
  watch?: Watch,
): Promise<Tried> {
  let i = -1;
  for (const { policy: plain, applicants: people, day } of drawn(seed, policies, applicants)) {
    i += 1;
    // SQL gets the day as a literal and from a column by turns.
    const isDayInColumn = i % 2 === 1;
    const asked = ask(plain, loadPlainPolicy(plain, folder), people, day, isDayInColumn);
    const [first] = await disagreements(runners, asked, watch ? { watch } : {});
    if (!first) continue;
    const given = caseOf('(what it shows)', plain, people[first.applicant] ?? {}, day);
    const runner = runners.filter(({ name }) => name === first.runner);
    const compare = async (each: GivenCase) => {
      const policy = loadPolicyAsIs(each.policy, folder);
      return (await disagreements(runner, ask(each.policy, policy, [factsOfCase(each)], day, isDayInColumn)))[0];
    };
    return { policies: i + 1, finding: { seed, ...(await shrink(given, first, compare)) } };
  }
  return { policies };
}

/** Cases, drawn a few at a time: the first may differ. */
function* drawn(seed: number, policies: number, applicants: number): Generator<Case> {
  for (let n = 0; n < policies; n += FEW) {
    yield* fc.sample(aCase({ applicants }), { seed: seed + n, numRuns: Math.min(FEW, policies - n) });
  }
}

const FEW = 5;

/** Removes every part of policy and facts that the difference does not need. */
async function shrink(
  { name, day, ...whole }: GivenCase,
  first: Disagreement,
  compare: (smaller: GivenCase) => Promise<Disagreement | undefined>,
): Promise<Omit<Finding, 'seed'>> {
  const rest = await reduce(whole, async (less) => (await compare({ name, day, ...less })) !== undefined);
  const policy: PlainPolicy = Object.assign({ policy: 'case', version: '1' }, rest.policy);
  const small: GivenCase = { name, ...rest, policy, day };
  // If the difference needs the policy's files or earlier applicants, nothing can be removed.
  const found = (await compare(small)) ?? first;
  const expected = referenceVerdict(policy, factsOfCase(small), day);
  return { ...found, text: formatJson({ ...small, expected }) };
}
