/** A property -> the question whether an applicant breaks it: formulas, and what confirms that. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { OutcomeAndScore } from '../../decision/meaning/outcome.ts';
import { evaluate, factAt, TRUE } from '../../decision/meaning/truth.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { fillBetween, sampleValues, toNumber, validValues } from '../../policy/cells/sample-values.ts';
import { type Guarantee, keepsTo, OUTCOMES, type Outcome, type Policy, strictness } from '../../policy/language.ts';
import { findApplicant } from '../question/find-applicant.ts';
import { factsBehind } from '../question/groups.ts';
import { neededAmong } from '../question/needed.ts';
import type { Reasoner, Time } from '../question/reasoner.ts';
import { type OutcomeFormulas, outcomeFormulas } from '../solver/encode.ts';
import { type Formula, or } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import type { Variable } from '../space/variable.ts';
import { isFrom, type PropertyKind, type SourceName } from './property.ts';
import { dependsOn, isHigher, withOther, withoutAll, withoutSome } from './second-applicant.ts';

/** Given facts of an applicant, or of two: the second is the first with fewer facts, or with another value of one. */
export type Applicants = readonly [Facts] | readonly [Facts, Facts];

/** Whether an applicant exists, and how one is recognised. */
export interface Question {
  readonly formulas: readonly Formula[];
  /** The applicants, if the first one is right, given the states of all variables in the solver's answer. */
  confirm(given: Facts, states: readonly number[]): Applicants | undefined;
}

/** The applicants who answer a question; undefined if none were found, and `none` if there is proof of that. */
export async function answer(
  reasoner: Reasoner,
  { formulas, confirm }: Question,
  time: Time,
  share: number,
): Promise<Applicants | 'none' | undefined> {
  let answered: readonly number[] = [];
  const isRight = (given: Facts, states: readonly number[]) => {
    answered = states;
    return confirm(given, states) !== undefined;
  };
  const given = await findApplicant(reasoner, formulas, isRight, time, share);
  return given === undefined || given === 'none' ? given : confirm(given, answered);
}

/** The policy that questions are about: what it decides, of all applicants and of one. */
export interface Subject {
  readonly reasoner: Reasoner;
  readonly policy: Policy;
  readonly outcomes: OutcomeFormulas;
  /** Given facts as the policy reads them. */
  read(given: Facts): Facts;
  decide(given: Facts): OutcomeAndScore;
}

/** The first policy of a reasoner. */
export function subjectOf(reasoner: Reasoner): Subject {
  const { space, encoding } = reasoner;
  const [side] = space.sides as readonly [Side];
  const { policy } = side;
  const read = (given: Facts) => readFacts(given, policy.facts, space.day);
  const decide = (given: Facts) => matcherOf(policy).outcome(read(given), space.day);
  return { reasoner, policy, outcomes: outcomeFormulas(side, encoding), read, decide };
}

/** By the kind of a property: the applicant sought breaks it or, for `reachable`, has the outcome. */
export const QUESTIONS: Readonly<
  Record<Exclude<PropertyKind, 'every-rule-matters'>, (subject: Subject, about: string) => Question>
> = {
  guarantee({ reasoner: { encoding, space }, policy, outcomes, read, decide }, id) {
    const guarantee = policy.guarantees.find((each) => each.id === id) as Guarantee;
    const broken = OUTCOMES.filter((outcome) => !keepsTo(guarantee, outcome));
    const isMeant = (given: Facts) => evaluate(guarantee.when, read(given), space.day) === TRUE;
    return {
      formulas: [encoding.truth(guarantee.when).certain, or(broken.map((outcome) => outcomes[outcome]))],
      confirm: (given) => (isMeant(given) && broken.includes(decide(given).outcome) ? [given] : undefined),
    };
  },

  'missing-never-helps'(subject) {
    const { reasoner, outcomes, decide } = subject;
    const second = withoutSome(reasoner);
    const isAccepted = (given: Facts) => decide(given).outcome === 'accept';
    return {
      formulas: [second.rises(outcomes.accept), second.isPossible],
      confirm: (given, states) => {
        if (isAccepted(given)) return undefined;
        const lost = reasoner.space.variables.filter((_, variable) => second.isLost(variable, states));
        const less = waysToLose(lost, reasoner.table)
          .flatMap((taken) => leaveOut(given, taken, subject))
          .find(isAccepted);
        return less && leaveOutNeedless(given, withMost(given, less, isAccepted), isAccepted);
      },
    };
  },

  outage({ reasoner, outcomes, decide }, source) {
    const { table } = reasoner;
    const own = new Set([...table.keys()].filter((path) => isFrom(source as SourceName, path, table)));
    const second = withoutAll(reasoner, own);
    return {
      formulas: [second.rises(outcomes.accept), second.isPossible],
      confirm: (given) => {
        const left = new Map<string, Fact>();
        for (const [path, fact] of given) {
          if (own.has(path)) left.set(path, isMissing(fact) ? fact : { missing: 'sourceFailed' });
          else if (!dependsOn(path, own, table)) left.set(path, fact);
        }
        return decide(given).outcome !== 'accept' && decide(left).outcome === 'accept' ? [given, left] : undefined;
      },
    };
  },

  monotone({ reasoner, outcomes: { accept, reject }, decide }, path) {
    const second = withOther(reasoner, path);
    const isMilder = or([second.falls(reject), second.rises(accept)]);
    return {
      formulas: [isMilder, isHigher(path, reasoner, second), second.isPossible],
      confirm: (given) => {
        for (const values of valuesOf(path, given, reasoner)) {
          const people = values.map((value) => new Map([...given, [path, { value }]]));
          const ranks = people.map((each) => strictness(decide(each).outcome));
          // Where the outcome gets milder anywhere, it does so from one value to the next.
          const at = ranks.findIndex((rank, i) => (ranks[i + 1] ?? rank) < rank);
          const [lower, higher] = people.slice(at, at + 2);
          if (at >= 0 && lower && higher) return [lower, higher];
        }
        return undefined;
      },
    };
  },

  reachable: ({ outcomes, decide }, outcome) => ({
    formulas: [outcomes[outcome as Outcome]],
    confirm: (given) => (decide(given).outcome === outcome ? [given] : undefined),
  }),
};

/** Facts without some of them: with what is derived from them, without it, and with what would be derived again. */
function leaveOut(given: Facts, taken: ReadonlySet<string>, { reasoner: { table }, read }: Subject): readonly Facts[] {
  const left = (isLost: (path: string) => boolean) => new Map([...given].filter(([path]) => !isLost(path)));
  const literal = left((path) => taken.has(path));
  const after = read(literal);
  const again = [...taken].filter((path) => !isMissing(factAt(after, path)));
  return [
    left((path) => dependsOn(path, taken, table)),
    literal,
    new Map([...literal, ...again.map((path): [string, Fact] => [path, { missing: 'notGiven' }])]),
  ];
}

/** The sets of facts whose loss may make these variables missing: a pair needs the loss of one of its facts alone. */
function waysToLose(lost: readonly Variable[], table: FactTable): readonly ReadonlySet<string>[] {
  const behind = lost.map((variable) => factsBehind(variable, table));
  const alone = new Set(behind.flatMap((facts) => (facts.length === 1 ? facts : [])));
  const open = behind.filter((facts) => !facts.some((path) => alone.has(path)));
  const most = Math.max(1, ...open.map(({ length }) => length));
  return Array.from({ length: most }, (_, i) =>
    alone.union(new Set(open.map((facts) => facts[i % facts.length] as string))),
  );
}

/** Fewer facts with as many of the others as a check allows. */
function withMost(all: Facts, less: Facts, isKept: (given: Facts) => boolean): Facts {
  let most = less;
  for (const [path, fact] of all) {
    if (most.get(path) === fact) continue;
    const more = new Map([...most, [path, fact]]);
    if (isKept(more)) most = more;
  }
  return most;
}

/** Two applicants with as few facts as possible: the first is not accepted, and the second is. */
function leaveOutNeedless(all: Facts, less: Facts, isAccepted: (given: Facts) => boolean): readonly [Facts, Facts] {
  const left = (facts: Facts, kept: readonly string[]) =>
    new Map([...facts].filter(([path]) => !less.has(path) || kept.includes(path)));
  const needed = neededAmong(
    [...less.keys()],
    (paths) => !isAccepted(left(all, paths)) && isAccepted(left(less, paths)),
  );
  return [left(all, needed), left(less, needed)];
}

/**
 * Values of a fact, ascending: at least one for each truth of its tests; then the same with more in between, for a fact
 * that is compared with others.
 */
function valuesOf(path: string, given: Facts, { space, table }: Reasoner): readonly (readonly FactValue[])[] {
  const definition = table.get(path);
  if (!definition) return [];
  const rank = (value: FactValue) => toNumber(value, definition) ?? 0;
  const plain = sampleValues({ definition, axes: [], tests: [], present: undefined }, space.day);
  const sampled = presentValues(space.samples.get(path) ?? []);
  const compared = presentValues(given.values()).filter((value) => typeof value === typeof plain[0]);
  return [sampled, fillBetween([...sampled, ...plain, ...compared], definition, 2)].map((values) =>
    validValues(values, definition, space.day).sort((one, other) => rank(one) - rank(other)),
  );
}

function presentValues(facts: Iterable<Fact>): readonly FactValue[] {
  return [...facts].flatMap((fact) => (isMissing(fact) ? [] : fact.value));
}
