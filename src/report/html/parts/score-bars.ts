/** Scores -> the bars of their distribution. A table below them has the numbers of each band. */

import { applicantsIn } from '../../../lab/backtest/applicants.ts';
import type { Scores } from '../../../lab/backtest/backtest.ts';
import { bandOf } from '../../../policy/language.ts';
import { type Markup, rect, svg, text } from '../markup.ts';

/** More bars than these are drawn for ranges of points. */
const MOST_BARS = 60;

/** In pixels. */
const HEIGHT = 80;

/** A bar for each range of points, in the colour of its band; undefined without a score. */
export function scoreBars({ values, ...bands }: Scores): Markup | undefined {
  const [first, last] = [values[0]?.points, values.at(-1)?.points];
  if (first === undefined || last === undefined) return undefined;
  const step = Math.ceil((last - first + 1) / MOST_BARS);
  const bars = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => {
    const from = first + i * step;
    return { from, applicants: applicantsIn(values.filter(({ points }) => points >= from && points < from + step)) };
  });
  const most = Math.max(...bars.map(({ applicants }) => applicants));
  const slot = 100 / bars.length;
  const drawn = bars.map(({ from, applicants }, i) => {
    const height = Math.ceil((HEIGHT * applicants) / most);
    const at = { x: `${i * slot}%`, width: `${slot * 0.9}%`, y: `${HEIGHT - height}`, height: `${height}` };
    return rect({ class: `band ${bandOf(bands, from) ?? 'accept'}`, ...at });
  });
  const mark = (x: number, points: number | undefined) => text({ x: `${x}%`, y: `${HEIGHT + 14}` }, `${points}`);
  const begins = (['review', 'reject'] as const).map((band) => {
    const at = bars.findIndex(({ from }) => bandOf(bands, from) === band);
    return at <= 0 ? undefined : mark(at * slot, bands[band]);
  });
  const label = `Scores from ${first} to ${last}; the table has the numbers`;
  const marks = [mark(0, first), begins, mark(96, last)];
  return svg({ class: 'scores', role: 'img', height: `${HEIGHT + 18}`, 'aria-label': label }, drawn, marks);
}
