/** Two policies, how they are said to differ, and applicants -> the first of them of whom that is not true. */

import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { evaluate, TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import type { PolicyDiff } from '../../../src/lab/diff/diff.ts';
import type { ReasonDiff } from '../../../src/lab/reasons/diff-reasons.ts';
import { type Reasons, reasonsOf } from '../../../src/lab/reasons/given-reasons.ts';
import { jointTable } from '../../../src/lab/space/joint-table.ts';
import type { Condition, Notice, Policy } from '../../../src/policy/language.ts';
import { asReadBy } from './applicants.ts';

/** What is wrong with a diff; and how many of the applicants are decided differently. */
export interface Checked {
  readonly fault: string | undefined;
  readonly differing: number;
}

/**
 * Each example is decided as its region says. Each applicant lies in one region at most, in one of the change that the
 * matcher finds, and in none if there is no change; in one if there is, unless regions are missing from the diff. Same
 * for the reasons of those who are decided the same. Applicants for whom `where` is not true lie in no region.
 */
export function checkDiff(
  [old, now]: readonly [old: Policy, now: Policy],
  { regions, elsewhere, reasons }: PolicyDiff,
  applicants: Iterable<Facts>,
  day: string,
  where?: Condition,
): Checked {
  const [before, after] = [matcherOf(old), matcherOf(now)];
  let differing = 0;
  const faultOf = (facts: Facts): string | undefined => {
    const [from, to] = [before, after].map(({ policy, outcome }) => outcome(asReadBy(policy, facts), day).outcome);
    if (from !== to) differing += 1;
    const isCompared = !where || evaluate(where, asReadBy(now, facts), day) === TRUE;
    const found = regions.filter((region) => region.contains(facts)).map((each) => `${each.from} -> ${each.to}`);
    const expected = from === to || !isCompared ? [] : [`${from} -> ${to}`];
    const who = JSON.stringify([...facts]);
    if (found.join() !== expected.join() && (elsewhere === 'same' || found.length > 0)) {
      return `decided as ${expected.join() || 'the same'}, in regions of [${found.join()}]: ${who}`;
    }
    const isOther = isCompared && reasons && reasonFault([old, now], reasons, facts, day);
    return isOther ? `${isOther}: ${who}` : undefined;
  };
  for (const region of [...regions, ...(reasons?.regions ?? [])]) {
    const { example, oldExample, conditions } = region;
    if (!example) continue;
    // Each line has what its policy can read.
    const line = {
      facts: { ...oldExample?.facts, ...example.facts },
      missing: { ...oldExample?.missing, ...example.missing },
    };
    const read = readFactsLine(JSON.stringify(line), jointTable([old, now]), day);
    if ('problem' in read) return { fault: `an example: ${read.problem}`, differing };
    if (!region.contains(read.facts)) {
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

function reasonFault(
  policies: readonly Policy[],
  { regions, elsewhere }: ReasonDiff,
  facts: Facts,
  day: string,
): string | undefined {
  const [one, other] = policies.map((policy) => matcherOf(policy).verdict(asReadBy(policy, facts), day));
  if (!one || !other) return 'no policies';
  const expected = one.outcome === other.outcome ? changeBetween(reasonsOf(one), reasonsOf(other)) : '';
  const found = regions
    .filter((region) => region.contains(facts))
    .map(({ added, removed }) => JSON.stringify({ added, removed }))
    .join();
  if (found === expected || (elsewhere !== 'same' && found === '')) return undefined;
  return `reasons change by [${expected}], in regions of [${found}]`;
}

/** As JSON; empty if nothing changes. */
function changeBetween(old: Reasons, now: Reasons): string {
  const less = (these: Reasons, those: Reasons): Reasons => {
    const isLost = (among: readonly Notice[]) => (given: Notice) =>
      !among.some((each) => JSON.stringify(each) === JSON.stringify(given));
    return { codes: these.codes.filter(isLost(those.codes)), notices: these.notices.filter(isLost(those.notices)) };
  };
  const [added, removed] = [less(now, old), less(old, now)];
  const isNone = [added, removed].every(({ codes, notices }) => codes.length + notices.length === 0);
  return isNone ? '' : JSON.stringify({ added, removed });
}
