/** Boxes and cases -> regions, each with an example. */

import type { Matcher } from '../../decision/matcher/matcher.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { type ExampleLine, exampleLine, findApplicant } from '../reasoning/find-applicant.ts';
import type { Time } from '../reasoning/reasoner.ts';
import { isInBox } from '../solver/formula.ts';
import type { StateSet } from '../space/variable.ts';
import type { Change, Part } from './part.ts';
import type { Search } from './search.ts';
import { describeBox } from './words.ts';

/** The share of the whole time that one example may take: points just out of reach would take all of it. */
const SHARE = 0.05;

/** Applicants whose outcome changes in one way. Regions are disjoint. */
export interface DiffRegion extends Change {
  /** What holds of these applicants and of no others, in words; all at once. */
  readonly conditions: readonly string[];
  /**
   * One of them, as a line of facts for `evaluate`, as few facts as possible; undefined if none was found, which proves
   * nothing.
   */
  readonly example: ExampleLine | undefined;
  /** Whether facts lie in the region. Ages are those on the day of the decision, by default the day of the diff. */
  contains(facts: Facts, day?: string): boolean;
}

/** An applicant of a part; undefined if none was found, `none` if there is proof that there is none. */
export async function findExample(search: Search, part: Part, time: Time): Promise<Facts | undefined | 'none'> {
  const { space, matchers, table } = search;
  const { change, formula } = part.changeCase;
  // As `evaluate` reads them: facts that are not given are derived from those that are.
  const isOf = (given: Facts) => {
    const outcomeOf = ({ policy, outcome }: Matcher) =>
      outcome(readFacts(given, policy.facts, space.day), space.day).outcome;
    return (
      outcomeOf(matchers[0]) === change.from &&
      outcomeOf(matchers[1]) === change.to &&
      liesIn(search, part, readFacts(given, table, space.day))
    );
  };
  return findApplicant(search, [isInBox(part.box), formula], isOf, time, SHARE);
}

function liesIn({ space }: Search, { box, changeCase }: Part, facts: Facts, day = space.day): boolean {
  const states = space.variables.map((variable) => variable.find(facts, day));
  return states.every((state, i) => box[i]?.[state]) && changeCase.holds(states);
}

/** A part as a region. */
export function regionOf(search: Search, part: Part, example: Facts | undefined): DiffRegion {
  const { change, words } = part.changeCase;
  return {
    ...change,
    conditions: [...describeBox(search.space, part.box), ...(words === undefined ? [] : [words])],
    example: example && exampleLine(example, search),
    contains: (facts, day) => liesIn(search, part, facts, day),
  };
}

/** Parts of one case whose boxes differ in one variable alone, as one. */
export function joinParts(parts: readonly Part[]): readonly Part[] {
  const groups = Map.groupBy(parts, ({ changeCase }) => changeCase.key);
  return [...groups.values()].flatMap(joined);
}

function joined(parts: readonly Part[]): readonly Part[] {
  const left = [...parts];
  for (let one = 0; one < left.length; one++) {
    for (let other = one + 1; other < left.length; other++) {
      const both = join(left[one] as Part, left[other] as Part);
      if (!both) continue;
      left[one] = both;
      left.splice(other, 1);
      // The joined box may now fit to one that it did not fit to before.
      one = -1;
      break;
    }
  }
  return left;
}

/** Undefined if the boxes differ in more than one variable. */
function join(one: Part, other: Part): Part | undefined {
  const differing = one.box.flatMap((states, i) => (states.join() === other.box[i]?.join() ? [] : [i]));
  const [variable] = differing;
  if (variable === undefined || differing.length > 1) return undefined;
  const states = (one.box[variable] as StateSet).map((isIn, at) => isIn || other.box[variable]?.[at] === true);
  return { ...one, box: one.box.with(variable, states) };
}
