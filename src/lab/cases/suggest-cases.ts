/** The goals of a policy that no test reaches -> few cases that reach them; unreachable goals are proved. */

import type { Facts } from '../../facts/fact.ts';
import { conditionsOf, isActive, type Policy } from '../../policy/language.ts';
import { MOST_SETS_STARTED } from '../limits.ts';
import { findApplicant } from '../question/find-applicant.ts';
import { createReasoner } from '../question/reasoner.ts';
import { createSpace } from '../space/space.ts';
import type { Steps } from '../steps.ts';
import type { Gap } from '../test/coverage/coverage.ts';
import type { TestHead } from '../test/read-tests.ts';
import { Candidates, type Chosen, chooseCases } from './candidates.ts';
import { goalFormulas, Reach } from './coverage-goals.ts';
import { findCandidates, type Trial } from './find-candidates.ts';
import { type Batch, type Seek, searchCases, type Unreached } from './search-cases.ts';

/** What is suggested for a policy. */
export interface SuggestedCases {
  /** What no test reached before, in the order of reports. */
  readonly gaps: readonly Gap[];
  /** The cases; goals are indexes of `gaps`. */
  readonly chosen: readonly Chosen[];
  /** Goals that are unreachable on the day of the search, proved. */
  readonly unreachable: readonly Gap[];
  /** What is only known to be reached with a value of a personal fact that the policy names. */
  readonly withheld: readonly Gap[];
  /** Goals that are undecided. */
  readonly open: readonly Gap[];
  /** Why nothing was proved; undefined if it was tried. */
  readonly unproved: string | undefined;
}

/** Suggests cases for a file of tests, whose policy has these gaps. Takes `steps` at most. */
export async function suggestCases(head: TestHead, gaps: readonly Gap[], steps: Steps): Promise<SuggestedCases> {
  const { policy } = head.tested;
  const candidates = new Candidates(policy, new Reach(policy, gaps), (set, day) => head.factsOf(set, day), gaps.length);
  const days = Map.groupBy(gaps.keys(), (i) => dayOf(gaps[i] as Gap, policy, head.at));
  const bases = [...head.sets.slice(0, MOST_SETS_STARTED), undefined];
  const { unreached, unproved } = await searchCases({
    batches: batches(),
    isReached: (goal) => !candidates.open.has(goal),
    prepare: (day) => prepareDay(candidates, gaps, { policy, day, bases, steps }),
  });
  // A goal that is unreachable on one day may be reached on another.
  const left = Map.groupBy(candidates.open, (goal) => unreached.get(goal) ?? candidates.answerFor(goal));
  const gapsLeft = (why: Unreached) => (left.get(why) ?? []).map((goal) => gaps[goal] as Gap);
  return {
    ...{ gaps, chosen: chooseCases(candidates.found), unproved },
    ...{ unreachable: gapsLeft('unreachable'), withheld: gapsLeft('withheld'), open: gapsLeft('open') },
  };

  /** The goals of a day that no case reaches by trying values, which is fast and proves nothing. */
  function* batches(): Generator<Batch<number>> {
    for (const [day, wanted] of days) {
      const space = createSpace([policy], day, conditionsOf(policy));
      findCandidates(candidates, gaps, wanted, { policy, space, bases, steps });
      yield { goals: wanted.filter((goal) => candidates.open.has(goal)), days: [day] };
    }
  }
}

interface Day extends Omit<Trial, 'space'> {
  readonly day: string;
}

/** Looks for applicants who reach a goal on a day. */
async function prepareDay(
  candidates: Candidates,
  gaps: readonly Gap[],
  { policy, day, bases, steps }: Day,
): Promise<Seek<number>> {
  const reasoner = await createReasoner([policy], day, conditionsOf(policy));
  const formulaOf = goalFormulas(reasoner);
  return async (goal) => {
    const isRight = (facts: Facts) => candidates.reaches({ at: day, from: undefined, missing: [], facts }, goal);
    const applicant = await findApplicant(reasoner, [formulaOf(gaps[goal] as Gap)], isRight, steps);
    if (applicant === 'none') return 'unreachable';
    // A minimal change is more instructive than a sparse applicant.
    for (const from of applicant ? bases : []) {
      if (applicant && candidates.open.has(goal))
        candidates.addNeeded({ at: day, from, missing: [], facts: applicant }, goal);
    }
    return candidates.answerFor(goal);
  };
}

/** The day of the tests, or one on which a rule of the goal is active. */
function dayOf({ item }: Gap, { rules }: Policy, at: string): string {
  const ownRules = (item.rules ?? []).flatMap((index) => rules[index] ?? []);
  const [first] = ownRules;
  if (!first || ownRules.some((rule) => isActive(rule, at))) return at;
  return (first.from !== undefined && first.from > at ? first.from : first.until) ?? at;
}
