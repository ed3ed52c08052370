/** Two policies, how they are said to differ, and applicants -> the first of them of whom that is not true. */

import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import type { PolicyDiff } from '../../../src/lab/diff/diff.ts';
import type { Policy } from '../../../src/policy/language.ts';

/** What is wrong with a diff; and how many of the applicants are decided differently. */
export interface Checked {
  readonly fault: string | undefined;
  readonly differing: number;
}

/**
 * Each example is decided as its region says. Each applicant lies in one region at most, in one of the change that the
 * matcher finds, and in none if there is no change; in one if there is, unless regions are missing from the diff.
 */
export function checkDiff(
  [old, now]: readonly [old: Policy, now: Policy],
  { regions, elsewhere }: PolicyDiff,
  applicants: Iterable<Facts>,
  day: string,
): Checked {
  const [before, after] = [matcherOf(old), matcherOf(now)];
  let differing = 0;
  const faultOf = (facts: Facts): string | undefined => {
    const [from, to] = [before, after].map((matcher) => matcher.outcome(facts, day).outcome);
    if (from !== to) differing += 1;
    const found = regions.filter((region) => region.contains(facts)).map((each) => `${each.from} -> ${each.to}`);
    const expected = from === to ? [] : [`${from} -> ${to}`];
    if (found.join() === expected.join() || (elsewhere !== 'same' && found.length === 0)) return undefined;
    return `decided as ${expected.join() || 'the same'}, in regions of [${found.join()}]: ${JSON.stringify([...facts])}`;
  };
  for (const { example, conditions } of regions) {
    if (!example) continue;
    const read = readFactsLine(JSON.stringify(example), now.facts, day);
    if ('problem' in read) return { fault: `an example: ${read.problem}`, differing };
    if (!regions.some((region) => region.contains(read.facts))) {
      return { fault: `an example outside its region: ${conditions.join('; ')}`, differing };
    }
    const fault = faultOf(read.facts);
    if (fault) return { fault: `an example ${fault}`, differing };
  }
  for (const facts of applicants) {
    const fault = faultOf(facts);
    if (fault) return { fault, differing };
  }
  return { fault: undefined, differing };
}
