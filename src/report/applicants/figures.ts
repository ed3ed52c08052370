/** A backtest -> its headline, and the few numbers by which people decide. */

import type { Backtest } from '../../lab/backtest/backtest.ts';
import type { LabelCounts } from '../../lab/backtest/label-counts.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { grouped, groupedCount } from '../../text.ts';
import { amountRange, oneDigit, percent, signed, signedRange } from '../words/numbers.ts';
import { differenceWords } from './labels.ts';

/** A number, and what it was before or of how many it is. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

/** The figures, the most important first. */
export function figuresOf(backtest: Backtest): readonly Figure[] {
  const { outcomes, before, decided, changed = 0, period } = backtest;
  const days = period?.days ?? 1;
  const [reviews, reviewsBefore] = [outcomes.review / days, (before?.review ?? 0) / days];
  const review = `review${days > 1 ? 's a day' : 's'}`;
  const ofOutcomes = OUTCOMES.filter((each) => each !== 'review').map((each) => {
    return { name: `${each}ed`, value: percent(outcomes[each], decided), note: grouped(outcomes[each]) };
  });
  return [
    ...(before
      ? [
          {
            name: 'decided differently',
            value: grouped(changed),
            note: `${percent(changed, decided)} of ${grouped(decided)}`,
          },
        ]
      : ofOutcomes),
    {
      name: review,
      value: oneDigit(reviews),
      note: before
        ? `${oneDigit(reviewsBefore)} before, ${signed(reviews - reviewsBefore, 1)}`
        : `${percent(outcomes.review, decided)} of all`,
    },
    ...labelFigures(backtest),
  ];
}

function labelFigures({ labels: counts, before }: Backtest): readonly Figure[] {
  if (!counts) return [];
  const { labels, now, more, money } = counts;
  const figure = (name: string, of: number, which: 'caught' | 'goodRejected'): Figure => {
    const difference = differenceWords(more[which]);
    const change = difference === '0' ? ', as before' : `; ${grouped(counts.before[which])} before, ${difference}`;
    return { name, value: grouped(now[which]), note: `of ${grouped(of)}${before ? change : ''}` };
  };
  return [
    figure('frauds not accepted', labels.fraud, 'caught'),
    figure('good applicants rejected', labels.good, 'goodRejected'),
    ...(money ? [costFigure(money, before !== undefined)] : []),
  ];
}

function costFigure(money: NonNullable<LabelCounts['money']>, isCompared: boolean): Figure {
  const sum = amountRange(money.now.sum);
  return isCompared
    ? { name: 'change of the cost', value: signedRange(money.more), note: `now ${sum}` }
    : { name: 'cost', value: sum, note: '' };
}

/** `1,887 of 50,000 applicants are decided differently`. Without a policy before, as the text has it. */
export function changeHeadline({ before, decided, changed = 0 }: Backtest): string | undefined {
  if (!before || decided === 0) return undefined;
  const of = `${changed === 0 ? 'None' : grouped(changed)} of ${groupedCount(decided, 'applicant')}`;
  return `${of} ${changed === 1 ? 'is' : 'are'} decided differently`;
}
