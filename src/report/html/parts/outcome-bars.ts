/** Counts of outcomes by a name -> a bar for each name, cut by outcome. A table beside it has the numbers. */

import { OUTCOMES, type Outcome } from '../../../policy/language.ts';
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
