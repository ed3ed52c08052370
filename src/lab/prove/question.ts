/** A property -> the question whether an applicant breaks it: formulas, and what confirms that. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { OutcomeAndScore } from '../../decision/meaning/outcome.ts';
import { evaluate, factAt, TRUE } from '../../decision/meaning/truth.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { fillBetween, sampleValues, toNumber, validValues } from '../../policy/cells/sample-values.ts';
import {
  type Condition,
  type Guarantee,
  keepsTo,
  OUTCOMES,
  type Outcome,
  type Policy,
  strictness,
} from '../../policy/language.ts';
import { factsBehind } from '../question/dependent-facts.ts';
import { findApplicant } from '../question/find-applicant.ts';
import { neededAmong } from '../question/needed.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { type OutcomeFormulas, outcomeFormulas } from '../solver/encode.ts';
import { type Formula, isIn, or, TRUE as TRUE_FORMULA } from '../solver/formula.ts';
import { isFrom, type SourceName } from '../space/source-facts.ts';
import { dayIn, type Side, type Space } from '../space/space.ts';
import type { Variable } from '../space/variable.ts';
import type { Steps } from '../steps.ts';
import type { PropertyKind } from './property.ts';
import { dependsOn, isHigher, withOther, withoutAll, withoutSome } from './second-applicant.ts';

/** Given facts of an applicant, or of two: the second is the first with fewer facts, or with another value of one. */
export type Applicants = readonly [Facts] | readonly [Facts, Facts];

/** Whether an applicant exists, and how one is recognised. */
export interface Question {
  readonly formulas: readonly Formula[];
  /** The applicants, if the first one is right, given the states of all variables in the solver's answer. */
  confirm(given: Facts, states: readonly number[]): Applicants | undefined;
}

/** The applicants who answer a question, and the day on which they do. */
export interface Answered {
  readonly applicants: Applicants;
  readonly day: string;
}

/**
 * The applicants who answer a question on the first day on which there are some; undefined if none were found, and
 * `none` if there is proof of that.
 */
export async function answer(
  reasoner: Reasoner,
  { formulas, confirm }: Question,
  steps: Steps,
  share: number,
): Promise<Answered | 'none' | undefined> {
  const { space } = reasoner;
  let answered: readonly number[] = [];
  const isRight = (given: Facts, states: readonly number[]) => {
    answered = states;
    return confirm(given, states) !== undefined;
  };
  let first: Answered | undefined;
  for (;;) {
    const since = first?.day;
    const earlier = since === undefined ? [] : [isOnDay(space, (day) => day < since)];
    const given = await findApplicant(reasoner, [...formulas, ...earlier], isRight, steps, share);
    if (given === undefined || given === 'none') return first ?? given;
    const applicants = confirm(given, answered);
    if (!applicants) return first;
    first = { applicants, day: dayIn(space, answered) };
    if (first.day === space.day) return first;
  }
}

/** That something holds of the day of the decision, in a space of several days. */
export function isOnDay({ calendar, days }: Space, holds: (day: string) => boolean): Formula {
  return calendar === undefined ? TRUE_FORMULA : isIn(calendar, [false, ...days.map(holds)]);
}

/** The policy that questions are about: what it decides, of all applicants and of one. */
export interface Subject {
  readonly reasoner: Reasoner;
  readonly policy: Policy;
  readonly outcomes: OutcomeFormulas;
  /** Given facts as the policy reads them on a day. */
  read(given: Facts, day: string): Facts;
  decide(given: Facts, day: string): OutcomeAndScore;
  /** A condition of the policy, as the reasoner knows it. */
  rewrite(condition: Condition): Condition;
}

/** The first policy of a reasoner; the same without its calendar, if it has one. */
export function subjectOf(
  reasoner: Reasoner,
  { policy, rewrite }: Partial<Pick<Subject, 'policy' | 'rewrite'>> = {},
): Subject {
  const { space, encoding } = reasoner;
  const [side] = space.sides as readonly [Side];
  const plain = policy ?? side.policy;
  const read = (given: Facts, day: string) => readFacts(given, plain.facts, day);
  const decide = (given: Facts, day: string) => matcherOf(plain).outcome(read(given, day), day);
  const outcomes = outcomeFormulas(side, encoding);
  return { reasoner, policy: plain, outcomes, read, decide, rewrite: rewrite ?? ((condition) => condition) };
}

/** By the kind of a property: the applicant sought breaks it or, for `reachable`, has the outcome. */
export const QUESTIONS: Readonly<
  Record<Exclude<PropertyKind, 'every-rule-matters'>, (subject: Subject, about: string) => Question>
> = {
  guarantee({ reasoner: { encoding, space }, policy, outcomes, read, decide, rewrite }, id) {
    const guarantee = policy.guarantees.find((each) => each.id === id) as Guarantee;
    const broken = OUTCOMES.filter((outcome) => !keepsTo(guarantee, outcome));
    const isMeant = (given: Facts, day: string) => evaluate(guarantee.when, read(given, day), day) === TRUE;
    return {
      formulas: [encoding.truth(rewrite(guarantee.when)).certain, or(broken.map((outcome) => outcomes[outcome]))],
      confirm: (given, states) => {
        const day = dayIn(space, states);
        return isMeant(given, day) && broken.includes(decide(given, day).outcome) ? [given] : undefined;
      },
    };
  },

  'missing-never-helps'(subject) {
    const { reasoner, outcomes, decide } = subject;
    const second = withoutSome(reasoner);
    const { space } = reasoner;
    return {
      formulas: [second.rises(outcomes.accept), second.isPossible],
      confirm: (given, states) => {
        const day = dayIn(space, states);
        const isAccepted = (some: Facts) => decide(some, day).outcome === 'accept';
        if (isAccepted(given)) return undefined;
        const lost = space.variables.filter((_, variable) => second.isLost(variable, states));
        const less = waysToLose(lost, reasoner.table)
          .flatMap((taken) => leaveOut(given, taken, subject, day))
          .find(isAccepted);
        return less && leaveOutNeedless(given, withMost(given, less, isAccepted), isAccepted);
      },
    };
  },

  outage({ reasoner, outcomes, decide }, source) {
    const { table, space } = reasoner;
    const ownFacts = new Set([...table.keys()].filter((path) => isFrom(source as SourceName, path, table)));
    const second = withoutAll(reasoner, ownFacts);
    return {
      formulas: [second.rises(outcomes.accept), second.isPossible],
      confirm: (given, states) => {
        const day = dayIn(space, states);
        const left = new Map<string, Fact>();
        for (const [path, fact] of given) {
          if (ownFacts.has(path)) left.set(path, isMissing(fact) ? fact : { missing: 'sourceFailed' });
          else if (!dependsOn(path, ownFacts, table)) left.set(path, fact);
        }
        return decide(given, day).outcome !== 'accept' && decide(left, day).outcome === 'accept'
          ? [given, left]
          : undefined;
      },
    };
  },

  monotone({ reasoner, outcomes: { accept, reject }, decide }, path) {
    const second = withOther(reasoner, path);
    const isMilder = or([second.falls(reject), second.rises(accept)]);
    return {
      formulas: [isMilder, isHigher(path, reasoner, second), second.isPossible],
      confirm: (given, states) => {
        const day = dayIn(reasoner.space, states);
        for (const values of valuesOf(path, given, reasoner)) {
          const people = values.map((value) => new Map([...given, [path, { value }]]));
          const ranks = people.map((each) => strictness(decide(each, day).outcome));
          // Where the outcome gets milder anywhere, it does so from one value to the next.
          const at = ranks.findIndex((rank, i) => (ranks[i + 1] ?? rank) < rank);
          const [lower, higher] = people.slice(at, at + 2);
          if (at >= 0 && lower && higher) return [lower, higher];
        }
        return undefined;
      },
    };
  },

  reachable: ({ reasoner: { space }, outcomes, decide }, outcome) => ({
    formulas: [outcomes[outcome as Outcome]],
    confirm: (given, states) => (decide(given, dayIn(space, states)).outcome === outcome ? [given] : undefined),
  }),
};

/** Facts without some of them: with what is derived from them, without it, and with what would be derived again. */
function leaveOut(
  given: Facts,
  taken: ReadonlySet<string>,
  { reasoner: { table }, read }: Subject,
  day: string,
): readonly Facts[] {
  const left = (isLost: (path: string) => boolean) => new Map([...given].filter(([path]) => !isLost(path)));
  const literal = left((path) => taken.has(path));
  const after = read(literal, day);
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
