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

/** What one costs: a review, a fraud who is accepted, a good applicant who is rejected. */
interface Costs {
  readonly review: number;
  readonly acceptedFraud: number;
  readonly rejectedGood: number;
}

interface Range {
  readonly least: number;
  readonly most: number;
}

/** The costs of all who are not too recent, at least and at most. */
export function costOf(decided: readonly Decided[], known: readonly Known[], costs: Costs) {
  const reviewed = decided.filter(({ outcome }, i) => outcome === 'review' && isCounted(known[i] as Known));
  return { review: costs.review * reviewed.length, sum: sumOf(known, (i, is) => cost(decided[i], is, costs)) };
}

/** What it costs more than before: who may be a fraud or good is the same in both. */
export function moreCostOf(before: readonly Decided[], now: readonly Decided[], known: readonly Known[], costs: Costs) {
  return sumOf(known, (i, is) => cost(now[i], is, costs) - cost(before[i], is, costs));
}

function cost(decided: Decided | undefined, is: 'fraud' | 'good', costs: Costs): number {
  const rejected = is === 'fraud' ? 0 : costs.rejectedGood;
  const accepted = is === 'fraud' ? costs.acceptedFraud : 0;
  return { accept: accepted, review: costs.review, reject: rejected }[decided?.outcome ?? 'accept'];
}

function isCounted({ judged }: Known): boolean {
  return judged !== 'immature' && judged !== 'tooEarly';
}

function sumOf(known: readonly Known[], costIf: (i: number, is: 'fraud' | 'good') => number): Range {
  let [least, most] = [0, 0];
  for (const [i, each] of known.entries()) {
    if (!isCounted(each)) continue;
    const kinds = (['fraud', 'good'] as const).filter((is) => is === each.judged);
    const may = (kinds.length > 0 ? kinds : (['fraud', 'good'] as const)).map((is) => costIf(i, is));
    least += Math.min(...may);
    most += Math.max(...may);
  }
  return { least, most };
}
