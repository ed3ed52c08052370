/** Runners and a seed -> random cases on which they are compared, and the first on which one differs, made as small as it goes. */

import * as fc from 'fast-check';
import { aCase } from './arbitrary.ts';
import { loadPlainPolicy, loadPolicyAsIs } from './case.ts';
import { caseOf, factsOfCase, formatJson, type GivenCase } from './case-file.ts';
import type { PlainPolicy } from './plain.ts';
import { reduce } from './reduce.ts';
import { referenceVerdict } from './reference.ts';
import { ask, type Disagreement, disagreements, type Runner, type Watch } from './runners.ts';

/** Which cases. */
export interface Sample {
  readonly seed: number;
  readonly policies: number;
  /** Applicants a policy. */
  readonly applicants: number;
}

/** What came of a sample: how many policies were tried, and the case on the last of them that ended it. */
export interface Tried {
  readonly policies: number;
  readonly finding?: Finding;
}

/** A case on which a runner differs from the reference. */
export interface Finding extends Disagreement {
  /** Of the sample that it was found in. */
  readonly seed: number;
  /** The case as one of a file of test/cases, with what the reference says. */
  readonly text: string;
}

/** Compares the runners on a sample, until one differs; policies' files go into the folder. */
export async function seekDisagreement(
  runners: readonly Runner[],
  { seed, policies, applicants }: Sample,
  folder: string,
  watch?: Watch,
): Promise<Tried> {
  const cases = fc.sample(aCase({ applicants }), { seed, numRuns: policies });
  for (const [i, { policy: plain, applicants, day }] of cases.entries()) {
    // SQL takes the day in turn as a literal and from a column.
    const isDayInColumn = i % 2 === 1;
    const asked = ask(plain, loadPlainPolicy(plain, folder), applicants, day, isDayInColumn);
    const [first] = await disagreements(runners, asked, watch ? { watch } : {});
    if (!first) continue;
    const given = caseOf('(what it shows)', plain, applicants[first.applicant] ?? {}, day);
    const runner = runners.filter(({ name }) => name === first.runner);
    const compare = async (each: GivenCase) => {
      const policy = loadPolicyAsIs(each.policy, folder);
      return (await disagreements(runner, ask(each.policy, policy, [factsOfCase(each)], day, isDayInColumn)))[0];
    };
    return { policies: i + 1, finding: { seed, ...(await shrink(given, first, compare)) } };
  }
  return { policies: cases.length };
}

/** No more of policy and facts than it takes for the runner to differ. */
async function shrink(
  { name, day, ...whole }: GivenCase,
  first: Disagreement,
  compare: (smaller: GivenCase) => Promise<Disagreement | undefined>,
): Promise<Omit<Finding, 'seed'>> {
  const rest = await reduce(whole, async (less) => (await compare({ name, day, ...less })) !== undefined);
  const policy: PlainPolicy = Object.assign({ policy: 'case', version: '1' }, rest.policy);
  const small: GivenCase = { name, ...rest, policy, day };
  // Where it takes the files that the policy was spread over, or other applicants before this one, nothing was taken out.
  const found = (await compare(small)) ?? first;
  const expected = referenceVerdict(policy, factsOfCase(small), day);
  return { ...found, text: formatJson({ ...small, expected }) };
}
