/** Two policies, how they are said to differ, and applicants -> the first of them of whom that is not true. */

import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { evaluate, TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import type { PolicyDiff } from '../../../src/lab/diff/diff.ts';
import { jointTable } from '../../../src/lab/space/space.ts';
import type { Condition, Policy } from '../../../src/policy/language.ts';
import { asReadBy } from './applicants.ts';

/** What is wrong with a diff; and how many of the applicants are decided differently. */
export interface Checked {
  readonly fault: string | undefined;
  readonly differing: number;
}

/**
 * Each example is decided as its region says. Each applicant lies in one region at most, in one of the change that the
 * matcher finds, and in none if there is no change; in one if there is, unless regions are missing from the diff.
 * Applicants for whom `where` is not true lie in no region. All of that on the first day, and of each applicant on one
 * of the later days too.
 */
export function checkDiff(
  [old, now]: readonly [old: Policy, now: Policy],
  { regions, elsewhere, days }: PolicyDiff,
  applicants: Iterable<Facts>,
  day: string,
  where?: Condition,
): Checked {
  const [before, after] = [matcherOf(old), matcherOf(now)];
  let differing = 0;
  const faultOf = (facts: Facts, on = day): string | undefined => {
    const read = [asReadBy(old, facts), asReadBy(now, facts)] as const;
    const [from, to] = [before.outcome(read[0], on).outcome, after.outcome(read[1], on).outcome];
    if (from !== to) differing += 1;
    const isCompared = !where || evaluate(where, read[1], on) === TRUE;
    const own = regions.filter((region) => region.contains(facts, on));
    const early = own.find(({ firstDay, lastDay }) => on < firstDay || (lastDay !== undefined && on > lastDay));
    if (early) return `on ${on}, in a region from ${early.firstDay} to ${early.lastDay}: ${shown(facts)}`;
    const found = own.map((each) => `${each.from} -> ${each.to}`);
    const expected = from === to || !isCompared ? [] : [`${from} -> ${to}`];
    if (found.join() !== expected.join() && (elsewhere === 'same' || found.length > 0)) {
      return `decided as ${expected.join() || 'the same'}, in regions of [${found.join()}] on ${on}: ${shown(facts)}`;
    }
    return undefined;
  };
  for (const region of regions) {
    const { example, oldExample, conditions, firstDay } = region;
    if (!example) continue;
    // Each line has what its policy can read.
    const line = {
      facts: { ...oldExample?.facts, ...example.facts },
      missing: { ...oldExample?.missing, ...example.missing },
    };
    const read = readFactsLine(JSON.stringify(line), jointTable([old, now]), firstDay);
    if ('problem' in read) return { fault: `an example: ${read.problem}`, differing };
    if (!region.contains(read.facts, firstDay)) {
      return { fault: `an example outside its region: ${conditions.join('; ')}`, differing };
    }
    const fault = faultOf(read.facts, firstDay);
    if (fault) return { fault: `an example ${fault}`, differing };
  }
  const later = days.slice(1);
  let number = 0;
  for (const facts of applicants) {
    number += 1;
    const on = later[number % later.length];
    const fault = faultOf(facts) ?? (on === undefined ? undefined : faultOf(facts, on));
    if (fault) return { fault, differing };
  }
  return { fault: undefined, differing };
}

function shown(facts: Facts): string {
  return JSON.stringify([...facts]);
}
