/** Labels that came later, and outcomes -> what a policy catches and whom it turns away, with what is not known. */

import { createRandom } from '../../platform/random.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';

/**
 * Applicants by their label: `unlabelled` ones were rejected, so that none came, and for `immature` ones it may still
 * come.
 */
export interface Labelled {
  readonly fraud: number;
  readonly good: number;
  readonly unlabelled: number;
  readonly immature: number;
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
  /** The share of frauds that are not accepted; undefined if there may be none. */
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

function sumOf(
  counts: ReadonlyMap<string, number>,
  side: 'before' | 'now',
  label: keyof Labelled,
  isMeant: (outcome: Outcome) => boolean = () => true,
): number {
  return OUTCOMES.filter(isMeant).reduce((sum, each) => sum + (counts.get(`${side} ${label} ${each}`) ?? 0), 0);
}

/** Counts applicants by label and by the outcomes of both policies. */
export class LabelTally {
  readonly #counts = new Map<string, number>();
  /** The sums of the weights of those with a label. */
  readonly #weights = new Map<string, number>();
  #isWeighted = false;

  /** `weight`: for how many one of them stands, who was let in although rejected; 1 for everybody else. */
  add(label: keyof Labelled, { from, to }: { readonly from: Outcome; readonly to: Outcome }, weight = 1): void {
    if (weight !== 1) this.#isWeighted = true;
    for (const name of [`before ${label} ${from}`, `now ${label} ${to}`, `${label} ${from} ${to}`]) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      this.#weights.set(name, (this.#weights.get(name) ?? 0) + weight);
    }
  }

  /** The Horvitz-Thompson estimates: each applicant of the holdout counts for the rejected ones like them. */
  #byHoldout(side: 'before' | 'now'): NonNullable<Caught['byHoldout']> {
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
    const between = (from: boolean, to: boolean) =>
      OUTCOMES.filter((each) => isMeant(each) === from)
        .flatMap((from) => OUTCOMES.filter((each) => isMeant(each) === to).map((to) => `${label} ${from} ${to}`))
        .reduce((sum, name) => sum + (this.#counts.get(name) ?? 0), 0);
    return differenceOf(between(false, true), between(true, false));
  }

  result(): LabelCounts {
    const of = sumOf.bind(undefined, this.#counts);
    const caughtBy = (side: 'before' | 'now'): Caught => {
      const rejected = (label: keyof Labelled) => of(side, label, isRejected);
      const caught = (label: keyof Labelled) => of(side, label, isCaught);
      return {
        caught: caught('fraud'),
        goodRejected: rejected('good'),
        precision: precisionOf({
          fraud: rejected('fraud'),
          good: rejected('good'),
          unlabelled: rejected('unlabelled'),
        }),
        recall: recallOf({
          caught: caught('fraud'),
          missed: of(side, 'fraud') - caught('fraud'),
          unknownCaught: caught('unlabelled'),
          unknownMissed: of(side, 'unlabelled') - caught('unlabelled'),
        }),
        ...(this.#isWeighted ? { byHoldout: this.#byHoldout(side) } : {}),
      };
    };
    const labels = {
      fraud: of('now', 'fraud'),
      good: of('now', 'good'),
      unlabelled: of('now', 'unlabelled'),
      immature: of('now', 'immature'),
    };
    const more = {
      caught: this.#difference('fraud', isCaught),
      goodRejected: this.#difference('good', isRejected),
    };
    return { labels, before: caughtBy('before'), now: caughtBy('now'), more };
  }
}

/** Of those without a label none may be a fraud, or all of them. */
export function precisionOf({ fraud, good, unlabelled }: Omit<Labelled, 'immature'>): Range | undefined {
  const all = fraud + good + unlabelled;
  return all === 0 ? undefined : { least: fraud / all, most: (fraud + unlabelled) / all };
}

/**
 * At the least, all without a label who are accepted are frauds, and none who is not; at the most, the opposite. If
 * only one of the two kinds can have frauds, the share is known.
 */
export function recallOf({
  caught,
  missed,
  unknownCaught,
  unknownMissed,
}: Readonly<Record<'caught' | 'missed' | 'unknownCaught' | 'unknownMissed', number>>): Range | undefined {
  const known = caught + missed;
  if (known + unknownCaught + unknownMissed === 0) return undefined;
  return {
    least: known + unknownMissed === 0 ? 1 : caught / (known + unknownMissed),
    most: known + unknownCaught === 0 ? 0 : (caught + unknownCaught) / (known + unknownCaught),
  };
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
