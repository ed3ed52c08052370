/** Counts of outcomes and of scores -> bars. A table beside them has the numbers. */

import { bandOf, OUTCOMES, type Outcome, type ScoreBands } from '../../../policy/language.ts';
import { div, type Markup, rect, span, svg, text } from '../markup.ts';

export interface OutcomeBar {
  readonly name: string;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/** In pixels. */
const HEIGHT = 20;

/** A narrower part has no room for its share, in percent of the width. */
const NARROWEST = 9;

/** @param title what a screen reader says before the shares */
export function outcomeBars(title: string, bars: readonly OutcomeBar[]): Markup {
  const drawn = bars.map(({ name, outcomes }) => {
    const all = OUTCOMES.reduce((sum, each) => sum + outcomes[each], 0);
    let x = 0;
    const parts = OUTCOMES.map((each) => {
      const width = all === 0 ? 0 : (100 * outcomes[each]) / all;
      const part = rect({ class: `band ${each}`, x: `${x}%`, y: '0', width: `${width}%`, height: `${HEIGHT}` });
      const words = text({ x: `${x + width / 2}%`, y: `${HEIGHT - 6}` }, `${width.toFixed(1)}%`);
      x += width;
      return [part, width < NARROWEST ? undefined : words];
    });
    return [span(name), svg({ class: 'track', height: `${HEIGHT}` }, parts)];
  });
  const label = `${title}: ${bars.map(wordsOf).join('; ')}`;
  return div({ class: 'outcomes', role: 'img', 'aria-label': label }, drawn);
}

function wordsOf({ name, outcomes }: OutcomeBar): string {
  const all = Math.max(
    1,
    OUTCOMES.reduce((sum, each) => sum + outcomes[each], 0),
  );
  return `${name} ${OUTCOMES.map((each) => `${((100 * outcomes[each]) / all).toFixed(1)}% ${each}`).join(', ')}`;
}

/** A range of points, with those whose score is in it. */
interface ScoreBar {
  readonly from: number;
  readonly applicants: number;
}

const SCORE_HEIGHT = 80;

/** The distribution of scores: a bar for each range of points, in the colour of its band. */
export function scoreBars(bars: readonly ScoreBar[], bands: ScoreBands): Markup {
  const most = Math.max(1, ...bars.map(({ applicants }) => applicants));
  const slot = 100 / Math.max(1, bars.length);
  const drawn = bars.map(({ from, applicants }, i) => {
    const height = Math.ceil((SCORE_HEIGHT * applicants) / most);
    const at = { x: `${i * slot}%`, width: `${slot * 0.9}%`, y: `${SCORE_HEIGHT - height}`, height: `${height}` };
    return rect({ class: `band ${bandOf(bands, from) ?? 'accept'}`, ...at });
  });
  const [first, last] = [bars[0]?.from ?? 0, bars.at(-1)?.from ?? 0];
  const label = `Scores from ${first} to ${last}; the table has the numbers`;
  const baseline = `${SCORE_HEIGHT + 14}`;
  const begins = (['review', 'reject'] as const).flatMap((band) => {
    const at = bars.findIndex(({ from }) => bandOf(bands, from) === band);
    return at <= 0 ? [] : text({ x: `${at * slot}%`, y: baseline }, `${bands[band]}`);
  });
  const ends = [text({ x: '0', y: baseline }, `${first}`), begins, text({ x: '96%', y: baseline }, `${last}`)];
  return svg({ class: 'scores', role: 'img', height: `${SCORE_HEIGHT + 18}`, 'aria-label': label }, drawn, ends);
}
