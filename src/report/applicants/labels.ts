/** What labels say of a policy, and what mistakes cost -> an outline. */

import type { Backtest } from '../../lab/backtest/backtest.ts';
import {
  type Caught,
  type Difference,
  type LabelCounts,
  type Money,
  unlabelledIn,
} from '../../lab/backtest/label-counts.ts';
import type { Joined } from '../../lab/backtest/labels.ts';
import { grouped, groupedCount, printable } from '../../text.ts';
import { type Block, lines, paragraph, type Table } from '../outline.ts';
import { amountRange, rangeWords, signed, signedRange } from '../words/numbers.ts';

/** A backtest with the names of what it compares. */
interface Titled {
  readonly backtest: Pick<Backtest, 'before'>;
  readonly titles: readonly [before: string, now: string];
}

/** Fewer labels of applicants than this share of all are hardly any. */
const HARDLY = 0.1;

/** Whether labels are of hardly anybody here: they are of others, or their references are written differently. */
export function matchesHardly({ labels, unused }: Joined): boolean {
  return labels - unused < HARDLY * labels;
}

/** What a reader has to know before the first number. */
export function firstLines(
  joined: Joined,
  { decidedBy = '', holdout }: { readonly decidedBy?: string; readonly holdout?: string | undefined },
): readonly Block[] {
  const { filled, notDecided, reviewsLetIn, heldOut, isDated, asOf } = joined;
  const sentences = [
    ...(matchesHardly(joined) ? [hardlyWords(joined)] : []),
    ...(filled > 0
      ? [`${grouped(filled)} have no outcome of then, and count as decided by ${printable(decidedBy)}.`]
      : []),
    ...(notDecided > 0
      ? [`Of ${grouped(notDecided)} nothing says what was decided then: without a label they are unknown.`]
      : []),
    ...(reviewsLetIn > 0
      ? [`${groupedCount(reviewsLetIn, 'review')} of then count as let in: no column disposition says otherwise.`]
      : []),
    ...(isDated ? [] : [`No label has a day (column at): they count as known up to today, ${asOf}.`]),
    ...(holdout !== undefined && heldOut === 0 ? [`Nobody has a probability in ${printable(holdout)}.`] : []),
  ];
  return sentences.map((sentence) => paragraph(sentence));
}

function hardlyWords({ labels, unused }: Joined): string {
  const used = labels - unused;
  const matched = `${used === 0 ? 'None' : grouped(used)} of ${groupedCount(labels, 'label')}`;
  const differ = 'their references differ from those of the applicants, and what they say below means nothing';
  return `${matched} ${used > 1 ? 'are' : 'is'} of somebody here: ${differ}.`;
}

export function labelBlocks({ labels, before, now, more }: LabelCounts, titled: Titled): readonly Block[] {
  const { fraud, good, notLetIn, unknown, immature, tooEarly } = labels;
  const has = [
    groupedCount(fraud, 'fraud'),
    `${grouped(good)} good`,
    ...(notLetIn > 0 ? [`${grouped(notLetIn)} were rejected or declined and have no label`] : []),
    ...(unknown > 0 ? [`${grouped(unknown)} wait for a review, or it is not known what was decided`] : []),
    ...(immature > 0 ? [`${grouped(immature)} are too recent`] : []),
    ...(tooEarly > 0 ? [`${grouped(tooEarly)} have a label from before their day`] : []),
  ];
  const cells = ({ caught, goodRejected, precision, recall, byHoldout }: Caught) => [
    `${grouped(caught)} of ${grouped(fraud)}`,
    `${rangeWords(recall)}${holdoutWords(byHoldout?.recall)}`,
    `${grouped(goodRejected)} of ${grouped(good)}`,
    `${rangeWords(precision)}${holdoutWords(byHoldout?.precision)}`,
  ];
  const names = ['frauds not accepted', '  of all frauds', 'good applicants rejected', 'of the rejected, frauds'];
  const gained = [differenceWords(more.caught), '', differenceWords(more.goodRejected), ''];
  const rows = { names, before: cells(before), now: cells(now), change: gained };
  const range = 'of those who may not have been let in, none may be a fraud, or all of them';
  return [
    paragraph(`Of those with labels: ${has.join(', ')}.`),
    comparedTable('with labels', rows, titled, { id: 'labels', caption: 'Frauds and good applicants' }),
    lines('What is counted', [
      'frauds not accepted: sent to review or rejected',
      'good: let in then, and without a label against them',
      'of the rejected, frauds; and for each rule, frauds among those it fired for, whatever it asks for',
      ...(unlabelledIn(labels) > 0 ? [`a range: ${range}`] : []),
    ]),
  ];
}

/** What mistakes and reviews cost, with its range where labels are missing. */
export function moneyBlocks({ money, labels }: LabelCounts, titled: Titled): readonly Block[] {
  if (!money) return [];
  const cells = ({ review, acceptedFraud, rejectedGood, sum }: Money) => [
    amountRange({ least: review, most: review }),
    amountRange(acceptedFraud),
    amountRange(rejectedGood),
    amountRange(sum),
  ];
  const names = ['reviews', 'accepted frauds', 'good applicants rejected', 'sum'];
  const rows = {
    names,
    before: cells(money.before),
    now: cells(money.now),
    change: ['', '', '', signedRange(money.more)],
  };
  const counted = labels.fraud + labels.good + unlabelledIn(labels);
  return [
    comparedTable('cost', rows, titled, { id: 'cost', caption: 'What reviews and mistakes cost' }),
    paragraph(`Cost: of the ${grouped(counted)} who are not too recent.`),
  ];
}

/** With a policy before, a column for each and one for the change. */
function comparedTable(
  title: string,
  { names, before, now, change }: Readonly<Record<'names' | 'before' | 'now' | 'change', readonly string[]>>,
  { backtest, titles }: Titled,
  page: { readonly id: string; readonly caption: string },
): Table {
  const [columns, cells] = backtest.before
    ? [
        [...titles, 'change'],
        [before, now, change],
      ]
    : [[titles[1]], [now]];
  return {
    is: 'table',
    columns: [title, ...columns],
    rows: names.map((name, i) => [name, ...cells.map((of) => of[i] ?? '')]),
    numbersFrom: 1,
    page: { ...page, width: 'tight', names: titles },
  };
}

export function joinLines(joined: Joined | undefined): readonly Block[] {
  if (!joined) return [];
  const { unused, several } = joined;
  const found = [
    ...(unused > 0 ? [`${groupedCount(unused, 'label')} of nobody here`] : []),
    ...(several > 0
      ? [`${groupedCount(several, 'label')} of several rows: a row stands twice, or a reference does`]
      : []),
  ];
  return found.length > 0 ? [lines('Labels that do not fit', found)] : [];
}

/** `, 41.2% by the holdout`. */
function holdoutWords(share: number | undefined): string {
  return share === undefined ? '' : `, ${(100 * share).toFixed(1)}% by the holdout`;
}

/** `+21 (+12 to +30)`. */
export function differenceWords({ by, least, most }: Difference): string {
  return by === 0 && least === 0 && most === 0 ? '0' : `${signed(by)} (${signed(least)} to ${signed(most)})`;
}
