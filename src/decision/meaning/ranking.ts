/**
 * The weight of every rule, and when it is true or unknown -> when each outcome is decided, and by what. A "when" is
 * anything with `and`, `or` and `not`: a boolean for one applicant, a formula for all of them, a condition in SQL.
 *
 * 1. If final rules fire, the strictest of their outcomes decides alone. Where an undetermined final rule that asks
 *    for review would be stricter, the outcome is review.
 * 2. If no final rule fires, every rule asks: a rule that fired for its `then`; an undetermined one for review, if its
 *    `then` is review or reject and `whenUnknown` is not `ignore`.
 * 3. The score asks for the band that its lower end reaches. If its upper end reaches a stricter band, it asks
 *    for review.
 * 4. If neither a rule that fired nor a band asks for anything, the policy's default does.
 * 5. The outcome is the strictest that is asked for: reject, review, accept.
 *
 * A rule fires if its condition is true, and is undetermined if its condition is unknown (truth.ts). Points of
 * a rule that fired count at both ends of the score. Points of an undetermined rule widen it: negative ones
 * lower the lower end, positive ones raise the upper end, and with `ignore` they do not count (policy/weight.ts).
 *
 * Two instances are written by hand for speed, and tested against this one: `OutcomeTally` (outcome.ts) for one
 * applicant, and `OutcomeRange` (outcome-range.ts) for rules that can have several truths.
 */

import { type Band, OUTCOMES, type Outcome, type Policy, strictness } from '../../policy/language.ts';
import { isStrict, NOTHING, type Weight, whenAsking } from '../../policy/weight.ts';

/** The connectives that join "whens". `or` of nothing is never. */
export interface Connectives<When> {
  and(parts: readonly When[]): When;
  or(parts: readonly When[]): When;
  not(part: When): When;
}

/** A rule in effect: when it is true, and when it is true or unknown. */
export interface WeighedRule<When> {
  readonly weight: Weight;
  readonly certain: When;
  readonly possible: When;
}

/** The ends of the score. */
export type End = 'least' | 'most';

/** What some rules ask for, apart from their points. */
export interface Asked<When> {
  /** A final rule with this `then` fired; one that asks for review is undetermined. */
  readonly finalFired: Readonly<Record<Outcome, When>>;
  readonly finalOpen: Readonly<Record<Outcome, When>>;
  /** A rule with this `then` fired. */
  readonly fired: Readonly<Record<Outcome, When>>;
  /** A rule that asks for review is undetermined. */
  readonly open: When;
  /** A rule, final or not, asks for review or reject, because it fired or because it is undetermined. */
  readonly strict: When;
  readonly finalStrict: When;
}

/** Points that count at one end of the score, and when. */
export type Term<When> = readonly [points: number, when: When];

/** What some rules ask for, with the points of both ends of the score. */
export interface Gathered<When> extends Asked<When>, Readonly<Record<End, readonly Term<When>[]>> {}

/** The settings of a policy that affect its outcome. */
export type Settings = Pick<Policy, 'default' | 'score'>;

/** When an end of the score is at least this. */
export type IsAtLeast<When> = (end: End, limit: number) => When;

/** When each outcome is decided. */
export type Ranking<When> = Readonly<Record<Outcome, When>>;

/** Gathers what rules ask for. */
export function gather<When>(rules: readonly WeighedRule<When>[], by: Connectives<When>): Gathered<When> {
  const asked = joinAsked(
    rules.map((rule) => askedBy(rule, by)),
    by.or,
  );
  return { ...asked, least: termsOf(rules, 'least'), most: termsOf(rules, 'most') };
}

/** What one rule asks for. */
export function askedBy<When>(
  { weight, certain, possible }: WeighedRule<When>,
  { and, or, not }: Connectives<When>,
): Asked<When> {
  const { fired, undetermined, isFinal } = weight;
  const never = or([]);
  const open = undetermined === NOTHING ? never : and([possible, not(certain)]);
  const strict = isStrict(fired) ? whenAsking(weight, { certain, possible }) : never;
  const byThen = (when: When) => byOutcome((outcome) => (strictness(outcome) === fired ? when : never));
  return {
    finalFired: byThen(isFinal ? certain : never),
    finalOpen: byThen(isFinal ? open : never),
    fired: byThen(certain),
    open,
    strict,
    finalStrict: isFinal ? strict : never,
  };
}

/** The points of rules that count at one end of the score. */
export function termsOf<When>(rules: readonly WeighedRule<When>[], end: End): readonly Term<When>[] {
  return rules.flatMap(({ weight, certain, possible }): readonly Term<When>[] => {
    const open = end === 'least' ? weight.openLeast : weight.openMost;
    return weight.points === 0 ? [] : [[weight.points, open === 0 ? certain : possible]];
  });
}

/** Joins what several rules, or groups of them, ask for, field by field. */
export function joinAsked<Part, When>(all: readonly Asked<Part>[], by: (parts: readonly Part[]) => When): Asked<When> {
  const joined = (of: (asked: Asked<Part>) => Part) => by(all.map(of));
  const eachJoined = (of: (asked: Asked<Part>) => Readonly<Record<Outcome, Part>>) =>
    byOutcome((outcome) => joined((asked) => of(asked)[outcome]));
  return {
    finalFired: eachJoined(({ finalFired }) => finalFired),
    finalOpen: eachJoined(({ finalOpen }) => finalOpen),
    fired: eachJoined(({ fired }) => fired),
    open: joined(({ open }) => open),
    strict: joined(({ strict }) => strict),
    finalStrict: joined(({ finalStrict }) => finalStrict),
  };
}

function byOutcome<Value>(of: (outcome: Outcome) => Value): Readonly<Record<Outcome, Value>> {
  return { accept: of('accept'), review: of('review'), reject: of('reject') };
}

/** When the outcome is at least as strict as review, and as reject. */
export function rankAtLeast<When>(
  { default: fallback, score }: Settings,
  { finalFired, fired, strict, finalStrict }: Pick<Asked<When>, 'finalFired' | 'fired' | 'strict' | 'finalStrict'>,
  isAtLeast: IsAtLeast<When>,
  { and, or, not }: Connectives<When>,
): Readonly<Record<Band, When>> {
  const never = or([]);
  const reaches = bandReader(score, isAtLeast, never);
  const rejects = or([fired.reject, reaches('reject', 'least')]);
  const isDefault = not(or([rejects, fired.review, reaches('review', 'least'), fired.accept]));
  // A band that only the upper end reaches asks for review; whatever the lower end reaches, the upper end does too.
  const isAboveAccept = or([
    strict,
    reaches('review', 'most'),
    reaches('reject', 'most'),
    // Only an accept that a rule asks for is milder than the default.
    fallback === 'accept' ? never : not(fired.accept),
  ]);
  const isMilderAlone = or([finalFired.accept, finalFired.review]);
  const together = or([rejects, fallback === 'reject' ? isDefault : never]);
  return {
    review: or([finalStrict, and([not(finalFired.accept), isAboveAccept])]),
    reject: or([finalFired.reject, and([not(isMilderAlone), together])]),
  };
}

/** When each outcome is decided. */
export function rank<When>(...args: Parameters<typeof rankAtLeast<When>>): Ranking<When> {
  const { and, not } = args[3];
  const { review, reject } = rankAtLeast(...args);
  return { accept: not(review), review: and([review, not(reject)]), reject };
}

/** When a rule of this weight that fired, or is undetermined, leads to the outcome. */
export function decides<When>(
  { fired, undetermined, isFinal }: Weight,
  isFired: boolean,
  { finalFired, finalOpen }: Pick<Asked<When>, 'finalFired' | 'finalOpen'>,
  outcome: Ranking<When>,
  { and, or, not }: Connectives<When>,
): When {
  const asked = OUTCOMES.find((each) => strictness(each) === (isFired ? fired : undetermined));
  if (asked === undefined) return or([]);
  const together = and([...Object.values(finalFired).map(not), outcome[asked]]);
  if (!isFinal) return together;
  const no = (by: Asked<When>['fired'], strict: number) =>
    OUTCOMES.flatMap((each) => (strictness(each) >= strict ? not(by[each]) : []));
  // One that fired decides unless a stricter one fired, or is undetermined and asks.
  if (isFired) return and([...no(finalFired, fired + 1), ...no(finalOpen, fired + 1)]);
  // An undetermined one overrules those that fired if it is stricter than all of them.
  return or([and([or(Object.values(finalFired)), ...no(finalFired, fired)]), together]);
}

/** When the score and the default are reasons. A default of accept is not a reason if anything else is asked for. */
export function otherReasons<When>(
  { default: fallback, score }: Settings,
  { finalFired, fired, open }: Asked<When>,
  isAtLeast: IsAtLeast<When>,
  outcome: Ranking<When>,
  { and, or, not }: Connectives<When>,
) {
  const reaches = bandReader(score, isAtLeast, or([]));
  const reject = reaches('reject', 'least');
  const review = and([reaches('review', 'least'), not(reject)]);
  const hasBand = or([reject, review]);
  const bandAbove = or([and([reaches('reject', 'most'), not(reject)]), and([reaches('review', 'most'), not(hasBand)])]);
  const certain = [...Object.values(fired), hasBand];
  const isDefault = not(or(fallback === 'accept' ? [...certain, bandAbove, open] : certain));
  const isByScore = or([and([reject, outcome.reject]), and([or([review, bandAbove]), outcome.review])]);
  return {
    /** The lower end of the score reaches this band, and no stricter one. */
    band: { review, reject },
    /** Only the upper end of the score reaches a stricter band. */
    bandAbove,
    isDefault,
    isScoreDecisive: and([...Object.values(finalFired).map(not), isByScore]),
    isDefaultDecisive: and([isDefault, outcome[fallback]]),
  };
}

/** When an end of the score reaches a band; never if the policy does not have the band. */
function bandReader<When>(score: Settings['score'], isAtLeast: IsAtLeast<When>, never: When) {
  return (band: Band, end: End): When => {
    const limit = score[band];
    return limit === undefined ? never : isAtLeast(end, limit);
  };
}
