/** A proof -> whether it proves that every change is to a stricter outcome, and what a checker should doubt first. */

import { strictness } from '../../policy/language.ts';
import type { PolicyChange, Proof } from './proof.ts';

type Region = PolicyChange['regions'][number];

function isMilder({ from, to }: Pick<Region, 'from' | 'to'>): boolean {
  return strictness(to) < strictness(from);
}

/**
 * Whether every decision that changes gets a stricter outcome, on every day from that of the proof. `false` if one is
 * milder or a policy is gone, `undecided` for whatever is not proved.
 */
export function isStricter({ policies, mapping }: Proof): boolean | 'undecided' {
  const hasMilder = policies.some(({ to, regions, beyond }) => {
    // An applicant of a region has facts of which a comparison alone says that they go together.
    return to === null || (beyond.length === 0 && regions.some((each) => each.isFound && isMilder(each)));
  });
  if (hasMilder) return false;
  const isProved = mapping === 'same' && policies.every((each) => openIn(each).length === 0);
  return isProved || 'undecided';
}

/** Why it is not proved that no outcome gets milder. */
function openIn({ elsewhere, undecided, lastDay, beyond }: PolicyChange): readonly string[] {
  return [
    ...(elsewhere === 'notCompared' ? [elsewhere] : []),
    ...(undecided.some(isMilder) ? ['milder'] : []),
    ...(lastDay === undefined ? [] : ['laterDays']),
    ...beyond,
  ];
}

/** What a checker reads first. Each is empty if there is nothing of it. */
export function doubtsOf(proof: Proof) {
  const { check, tests, coverage, guarantees, policies, lists, mapping } = proof;
  const ofAlone = (policy: string, { alone, aloneLeftOut }: PolicyChange) => [
    ...alone.flatMap(({ edits, undecided }) =>
      undecided.some(isMilder) ? [{ policy, what: 'edit', about: edits }] : [],
    ),
    ...(aloneLeftOut > 0 ? [{ policy, what: 'editsLeftOut', about: [String(aloneLeftOut)] }] : []),
  ];
  return {
    removedPolicies: policies.flatMap(({ name, to }) => (to === null ? [name] : [])),
    isMappingChanged: mapping === 'changed',
    milder: policies.flatMap(({ name: policy, regions }) =>
      regions.filter(isMilder).map((region) => ({ policy, ...region })),
    ),
    changedTests: tests.changed,
    failedTests: tests.failed,
    testsNotRun: [...tests.skipped, ...tests.removed],
    brokenGuarantees: guarantees.filter(({ result }) => result === 'refuted' || result === 'removed'),
    undecided: [
      ...guarantees.flatMap(({ policy, id, result }) =>
        result === 'undecided' ? [{ policy, what: 'guarantee', about: [id] }] : [],
      ),
      ...policies.flatMap((each) => [
        ...openIn(each).map((what) => ({ policy: each.name, what, about: [] })),
        ...ofAlone(each.name, each),
      ]),
    ],
    shrunkLists: lists.filter(({ removed }) => removed > 0),
    silenced: check.silenced.filter(({ isNew }) => isNew),
    untested: coverage.flatMap(({ policy, unreached }) => unreached.map((gap) => ({ policy, ...gap }))),
  };
}
