/** Counts of outcomes and of scores -> bars. A table beside them has the numbers. */

import { bandOf, OUTCOMES, type Outcome, type ScoreBands } from '../../../policy/language.ts';
import { type Markup, rect, svg, text } from '../markup.ts';

export interface OutcomeBar {
  readonly name: string;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/** In percent of the width: where the bars begin. */
const BEGIN = 18;
/** In pixels: a bar with its gap, and the bar alone. */
const [STEP, HEIGHT] = [26, 18];

/** @param title what a screen reader says before the shares */
export function outcomeBars(title: string, bars: readonly OutcomeBar[]): Markup {
  const drawn = bars.map(({ name, outcomes }, i) => {
    const all = OUTCOMES.reduce((sum, each) => sum + outcomes[each], 0);
    const [y, width] = [i * STEP, (n: number) => (all === 0 ? 0 : ((100 - BEGIN) * n) / all)];
    let x = BEGIN;
    const parts = OUTCOMES.map((each) => {
      const part = {
        class: `band ${each}`,
        x: `${x}%`,
        y: `${y}`,
        width: `${width(outcomes[each])}%`,
        height: `${HEIGHT}`,
      };
      x += width(outcomes[each]);
      return rect(part);
    });
    return [text({ x: '0', y: `${y + HEIGHT - 4}` }, name), parts];
  });
  const label = `${title}: ${bars.map(wordsOf).join('; ')}`;
  return svg({ class: 'outcomes', role: 'img', height: `${bars.length * STEP}`, 'aria-label': label }, drawn);
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
  const ends = [text({ x: '0', y: baseline }, `${first}`), text({ x: '96%', y: baseline }, `${last}`)];
  return svg({ class: 'outcomes', role: 'img', height: `${SCORE_HEIGHT + 18}`, 'aria-label': label }, drawn, ends);
}
