/** Counts of scores -> bars. A table below them has the numbers. */

import { bandOf, type ScoreBands } from '../../../policy/language.ts';
import { type Markup, rect, svg, text } from '../markup.ts';

/** A range of points, with those whose score is in it. */
interface ScoreBar {
  readonly from: number;
  readonly applicants: number;
}

/** In pixels. */
const HEIGHT = 80;

/** The distribution of scores: a bar for each range of points, in the colour of its band. */
export function scoreBars(bars: readonly ScoreBar[], bands: ScoreBands): Markup {
  const most = Math.max(1, ...bars.map(({ applicants }) => applicants));
  const slot = 100 / Math.max(1, bars.length);
  const drawn = bars.map(({ from, applicants }, i) => {
    const height = Math.ceil((HEIGHT * applicants) / most);
    const at = { x: `${i * slot}%`, width: `${slot * 0.9}%`, y: `${HEIGHT - height}`, height: `${height}` };
    return rect({ class: `band ${bandOf(bands, from) ?? 'accept'}`, ...at });
  });
  const [first, last] = [bars[0]?.from ?? 0, bars.at(-1)?.from ?? 0];
  const label = `Scores from ${first} to ${last}; the table has the numbers`;
  const baseline = `${HEIGHT + 14}`;
  const begins = (['review', 'reject'] as const).flatMap((band) => {
    const at = bars.findIndex(({ from }) => bandOf(bands, from) === band);
    return at <= 0 ? [] : text({ x: `${at * slot}%`, y: baseline }, `${bands[band]}`);
  });
  const ends = [text({ x: '0', y: baseline }, `${first}`), begins, text({ x: '96%', y: baseline }, `${last}`)];
  return svg({ class: 'scores', role: 'img', height: `${HEIGHT + 18}`, 'aria-label': label }, drawn, ends);
}
