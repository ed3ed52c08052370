/** What became of applicants, and what an edition decides -> what labels say of it, counted by hand. */

import { DAY, dayOf, type Invented } from './applicants.ts';
import type { Decided } from './evaluate.ts';
import type { Past } from './history.ts';
import type { Outcome } from './rules.ts';

/** What a file says of what was decided then. Without the column of dispositions there are none of anybody. */
export interface Then {
  /** Undefined where nobody says it. */
  readonly outcome: Outcome | undefined;
  readonly disposition?: Past['disposition'];
  readonly letIn?: number | undefined;
}

export type Judged = 'fraud' | 'good' | 'notLetIn' | 'unknown' | 'immature' | 'tooEarly';

/** What is known of an applicant on the last day of the labels. */
export function judge({ time }: Invented, then: Then, labels: Past['labels'], lastDay: string, days: number): Judged {
  const day = dayOf(time);
  const last = labels.at(-1);
  if (last && last.on < day) return 'tooEarly';
  if ((Date.parse(lastDay) - Date.parse(day)) / DAY < days) return 'immature';
  if (last) return last.is === 'fraud' ? 'fraud' : 'good';
  const { outcome, disposition, letIn } = then;
  if (letIn !== undefined || outcome === 'accept') return 'good';
  if (outcome === 'reject' || disposition === 'decline') return 'notLetIn';
  return outcome === undefined || disposition === '' ? 'unknown' : 'good';
}

/** An applicant, what is known of them, and for how many they stand. */
export interface Known {
  readonly judged: Judged;
  readonly weight: number;
}

/** The last day on which anything became known. */
export function lastDayOf(past: ReadonlyMap<string, Past>): string {
  const days = [...past.values()].flatMap(({ labels }) => labels.map(({ on }) => on));
  return days.reduce((one, other) => (one > other ? one : other));
}

/** How many of each there are, among those who are meant. */
function numbersOf(all: readonly (readonly [Decided, Known])[], isMeant: (decided: Decided) => boolean = () => true) {
  const numbers: Record<Judged, number> = { fraud: 0, good: 0, notLetIn: 0, unknown: 0, immature: 0, tooEarly: 0 };
  for (const [decided, { judged }] of all) if (isMeant(decided)) numbers[judged] += 1;
  return numbers;
}

/** What the labels say of an edition. */
export function labelNumbers(decided: readonly Decided[], known: readonly Known[]) {
  const all = decided.map((each, i) => [each, known[i] as Known] as const);
  const isRejected = ({ outcome }: Decided) => outcome === 'reject';
  const isCaught = ({ outcome }: Decided) => outcome !== 'accept';
  const [labels, rejected, caught] = [numbersOf(all), numbersOf(all, isRejected), numbersOf(all, isCaught)];
  const open = ({ notLetIn, unknown }: Record<Judged, number>) => notLetIn + unknown;
  const weightOf = (judged: Judged, isMeant: (decided: Decided) => boolean) =>
    all.reduce((sum, [each, of]) => sum + (of.judged === judged && isMeant(each) ? of.weight : 0), 0);
  const [frauds, good] = [weightOf('fraud', isRejected), weightOf('good', isRejected)];
  const ofRejected = rejected.fraud + rejected.good + open(rejected);
  return {
    labels,
    caught: caught.fraud,
    goodRejected: rejected.good,
    /** Of those who are rejected, at least and at most. */
    precision: { least: rejected.fraud / ofRejected, most: (rejected.fraud + open(rejected)) / ofRejected },
    byHoldout: {
      precision: frauds / (frauds + good),
      recall: weightOf('fraud', isCaught) / weightOf('fraud', () => true),
    },
    rule: (id: string) => numbersOf(all, ({ said }) => said.some((each) => each.id === id && each.truth === true)),
  };
}

/** Reviews, frauds who are accepted and good applicants who are rejected, at so much each. */
export function costOf(
  decided: readonly Decided[],
  known: readonly Known[],
  costs: { readonly review: number; readonly acceptedFraud: number; readonly rejectedGood: number },
) {
  let [review, least, most] = [0, 0, 0];
  for (const [i, { outcome }] of decided.entries()) {
    const { judged } = known[i] as Known;
    if (judged === 'immature' || judged === 'tooEarly') continue;
    const asFraud = { accept: costs.acceptedFraud, review: costs.review, reject: 0 }[outcome];
    const asGood = { accept: 0, review: costs.review, reject: costs.rejectedGood }[outcome];
    const isOpen = judged !== 'fraud' && judged !== 'good';
    if (outcome === 'review') review += costs.review;
    least += isOpen ? Math.min(asFraud, asGood) : judged === 'fraud' ? asFraud : asGood;
    most += isOpen ? Math.max(asFraud, asGood) : judged === 'fraud' ? asFraud : asGood;
  }
  return { review, sum: { least, most } };
}
