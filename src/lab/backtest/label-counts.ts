/** Labels that came later, and outcomes -> what a policy catches and whom it turns away, with what is not known. */

import { createRandom } from '../../platform/random.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import type { OutcomeChange } from './applicants.ts';
import { OutcomePairs } from './outcome-counts.ts';

/** Applicants by their label. */
export interface Labelled {
  readonly fraud: number;
  /** They were let in, and nothing is known against them. */
  readonly good: number;
  /** They were rejected or declined, so that no label can come. */
  readonly notLetIn: number;
  /** It is not known whether they were let in. */
  readonly unknown: number;
  /** Their label may still come. */
  readonly immature: number;
  /** Their label is from before their day: it is of somebody else. */
  readonly tooEarly: number;
}

export const LABELS = ['fraud', 'good', 'notLetIn', 'unknown', 'immature', 'tooEarly'] as const;

/** Those who may be frauds or good. */
export function unlabelledIn({ notLetIn, unknown }: Pick<Labelled, 'notLetIn' | 'unknown'>): number {
  return notLetIn + unknown;
}

/** What is known of an applicant. */
export interface Judged {
  readonly label: keyof Labelled;
  /** For how many applicants this one stands. */
  readonly weight: number;
}

/** What it costs: a review, a fraud who is accepted, a good applicant who is rejected. */
export interface Costs {
  readonly review: number;
  readonly acceptedFraud: number;
  readonly rejectedGood: number;
}

/** The cost of those who are no longer too recent. */
export interface Money {
  readonly review: number;
  /** Of those whose label is not known, none or all are frauds. */
  readonly acceptedFraud: Range;
  readonly rejectedGood: Range;
  readonly sum: Range;
}

/** A share with the range in which it may lie. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** What one policy does to applicants with labels. */
export interface Caught {
  /** Frauds that are not accepted. */
  readonly caught: number;
  /** Good applicants who are rejected. */
  readonly goodRejected: number;
  /** The share of frauds among those who are rejected; undefined if nobody is. */
  readonly precision: Range | undefined;
  /** The share of frauds that are not accepted; undefined if no fraud is known. */
  readonly recall: Range | undefined;
  /** Both shares as the holdout has them; absent without one. */
  readonly byHoldout?: { readonly precision: number | undefined; readonly recall: number | undefined };
}

export interface LabelCounts {
  readonly labels: Labelled;
  readonly before: Caught;
  readonly now: Caught;
  /** How many more are caught, and rejected though good, with the range of chance. */
  readonly more: { readonly caught: Difference; readonly goodRejected: Difference };
  /** In the currency of the costs; absent without costs. */
  readonly money?: { readonly before: Money; readonly now: Money; readonly more: Range };
}

/** A difference of two counts of the same applicants, and the range in which 95 % of samples like this one have it. */
export interface Difference extends Range {
  readonly by: number;
}

/** Whether an outcome keeps somebody out until a person has looked. */
export function isCaught(outcome: Outcome): boolean {
  return outcome !== 'accept';
}

function isRejected(outcome: Outcome): boolean {
  return outcome === 'reject';
}

type Side = 'from' | 'to';

type CountsByLabel = Readonly<Record<keyof Labelled, OutcomePairs>>;

function noCounts(): CountsByLabel {
  return Object.fromEntries(LABELS.map((label) => [label, new OutcomePairs()])) as unknown as CountsByLabel;
}

/** Those of a label whose outcome by one of the policies is meant. */
function sumOf(
  counts: CountsByLabel,
  side: Side,
  label: keyof Labelled,
  isMeant: (outcome: Outcome) => boolean = () => true,
): number {
  return counts[label].countIf((change) => isMeant(change[side]));
}

/** Counts applicants by label and by the outcomes of both policies. */
export class LabelTally {
  readonly #counts = noCounts();
  /** The sums of their weights. */
  readonly #weights = noCounts();
  readonly #costs: Costs | undefined;
  #isWeighted = false;

  constructor(costs?: Costs) {
    this.#costs = costs;
  }

  /** `weight`: for how many one of them stands, who was let in although rejected; 1 for everybody else. */
  add(label: keyof Labelled, change: OutcomeChange, weight = 1): void {
    if (weight !== 1) this.#isWeighted = true;
    this.#counts[label].add(change);
    this.#weights[label].add(change, weight);
  }

  /** The Horvitz-Thompson estimates: each applicant of the holdout counts for the rejected ones like them. */
  #byHoldout(side: Side): NonNullable<Caught['byHoldout']> {
    const of = (label: 'fraud' | 'good', isMeant?: (outcome: Outcome) => boolean) =>
      sumOf(this.#weights, side, label, isMeant);
    const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);
    const rejected = of('fraud', isRejected);
    return {
      precision: share(rejected, rejected + of('good', isRejected)),
      recall: share(of('fraud', isCaught), of('fraud')),
    };
  }

  /** Those with a label whose outcome is meant now and was not before, less the opposite. */
  #difference(label: keyof Labelled, isMeant: (outcome: Outcome) => boolean): Difference {
    const between = (was: boolean, is: boolean) =>
      this.#counts[label].countIf(({ from, to }) => isMeant(from) === was && isMeant(to) === is);
    return differenceOf(between(false, true), between(true, false));
  }

  result(): LabelCounts {
    const of = sumOf.bind(undefined, this.#counts);
    const caughtBy = (side: Side): Caught => {
      const countsOf = (isMeant?: (outcome: Outcome) => boolean) => labelled((label) => of(side, label, isMeant));
      const [all, rejected, caught] = [countsOf(), countsOf(isRejected), countsOf(isCaught)];
      return {
        caught: caught.fraud,
        goodRejected: rejected.good,
        precision: precisionOf(rejected),
        recall: recallOf({
          caught: caught.fraud,
          missed: all.fraud - caught.fraud,
          unknownCaught: unlabelledIn(caught),
          unknownMissed: unlabelledIn(all) - unlabelledIn(caught),
        }),
        ...(this.#isWeighted ? { byHoldout: this.#byHoldout(side) } : {}),
      };
    };
    const more = {
      caught: this.#difference('fraud', isCaught),
      goodRejected: this.#difference('good', isRejected),
    };
    return {
      labels: labelled((label) => of('to', label)),
      ...{ before: caughtBy('from'), now: caughtBy('to'), more },
      ...(this.#costs ? { money: this.#money(this.#costs) } : {}),
    };
  }

  #money(costs: Costs): NonNullable<LabelCounts['money']> {
    const on = (side: Side): Money => {
      const costBy = (some: Partial<Costs>) =>
        this.#sumOfCosts((change, isFraud) => costOf(change[side], isFraud, { ...NO_COSTS, ...some }));
      const { review, acceptedFraud, rejectedGood } = costs;
      return {
        review: costBy({ review }).most,
        ...{ acceptedFraud: costBy({ acceptedFraud }), rejectedGood: costBy({ rejectedGood }), sum: costBy(costs) },
      };
    };
    const more = this.#sumOfCosts(({ from, to }, isFraud) => costOf(to, isFraud, costs) - costOf(from, isFraud, costs));
    return { before: on('from'), now: on('to'), more };
  }

  /** Somebody whose label is not known is the same to both policies: a fraud, or good. */
  #sumOfCosts(costFor: (change: OutcomeChange, isFraud: boolean) => number): Range {
    let [least, most] = [0, 0];
    for (const from of OUTCOMES) {
      for (const to of OUTCOMES) {
        const [fraud, good] = [costFor({ from, to }, true), costFor({ from, to }, false)];
        const n = labelled((label) => this.#counts[label].of({ from, to }));
        const known = n.fraud * fraud + n.good * good;
        least += known + unlabelledIn(n) * Math.min(fraud, good);
        most += known + unlabelledIn(n) * Math.max(fraud, good);
      }
    }
    return { least, most };
  }
}

const NO_COSTS: Costs = { review: 0, acceptedFraud: 0, rejectedGood: 0 };

function costOf(outcome: Outcome, isFraud: boolean, { review, acceptedFraud, rejectedGood }: Costs): number {
  if (outcome === 'review') return review;
  if (outcome === 'accept') return isFraud ? acceptedFraud : 0;
  return isFraud ? 0 : rejectedGood;
}

function labelled(countOf: (label: keyof Labelled) => number): Labelled {
  return Object.fromEntries(LABELS.map((label) => [label, countOf(label)])) as unknown as Labelled;
}

type Known = Omit<Labelled, 'immature' | 'tooEarly'>;

/** Of those without a label none may be a fraud, or all of them. */
export function precisionOf({ fraud, good, ...others }: Known): Range | undefined {
  const unlabelled = unlabelledIn(others);
  const all = fraud + good + unlabelled;
  return all === 0 ? undefined : { least: fraud / all, most: (fraud + unlabelled) / all };
}

/**
 * At the least, all without a label who are accepted are frauds, and none who is not; at the most, the opposite.
 * Without a known fraud nothing is said: the share may be one of nobody.
 */
export function recallOf({
  caught,
  missed,
  unknownCaught,
  unknownMissed,
}: Readonly<Record<'caught' | 'missed' | 'unknownCaught' | 'unknownMissed', number>>): Range | undefined {
  const known = caught + missed;
  if (known === 0) return undefined;
  return { least: caught / (known + unknownMissed), most: (caught + unknownCaught) / (known + unknownCaught) };
}

/** The range of a share in which it lies with 95 % confidence (Wilson's score interval); undefined without trials. */
export function wilson(hits: number, trials: number): Range | undefined {
  if (trials === 0) return undefined;
  const [share, z2] = [hits / trials, Z_95 ** 2];
  const middle = share + z2 / (2 * trials);
  const spread = Z_95 * Math.sqrt((share * (1 - share) + z2 / (4 * trials)) / trials);
  const scale = 1 + z2 / trials;
  return { least: Math.max(0, (middle - spread) / scale), most: Math.min(1, (middle + spread) / scale) };
}

/** Hits among trials. */
type Counted = readonly [hits: number, trials: number];

/** By how much a share rose, with its range at 95 % confidence (Newcombe 1998, method 10); undefined without trials. */
export function shareRise(before: Counted, now: Counted): Difference | undefined {
  const [one, other] = [wilson(...before), wilson(...now)];
  if (!one || !other) return undefined;
  const [from, to] = [before[0] / before[1], now[0] / now[1]];
  const least = to - from - Math.hypot(to - other.least, one.most - from);
  const most = to - from + Math.hypot(other.most - to, from - one.least);
  return { by: to - from, least, most };
}

/** The quantile of the normal distribution at 0.975. */
const Z_95 = 1.959963984540054;

/** How often the sample is drawn again. */
const DRAWS = 2000;

/**
 * The difference of those who came in and those who went out, with its range by a bootstrap: each applicant is drawn
 * again as often as chance has it (Poisson). It has a seed, so that the same counts give the same range.
 */
export function differenceOf(gained: number, lost: number): Difference {
  const random = createRandom();
  const draws = Array.from({ length: DRAWS }, () => poisson(gained, random) - poisson(lost, random));
  draws.sort((one, other) => one - other);
  const at = (share: number) => draws[Math.floor(share * DRAWS)] ?? 0;
  return { by: gained - lost, least: at(0.025), most: at(0.975) };
}

/** Above this mean the normal distribution is as good, and the count takes no longer for a greater one. */
const LARGE = 50;

function poisson(mean: number, random: () => number): number {
  if (mean > LARGE) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const limit = Math.exp(-mean);
  let drawn = 0;
  for (let product = random(); product > limit; product *= random()) drawn += 1;
  return drawn;
}
