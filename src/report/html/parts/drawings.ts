/** A chart -> the title and the cells of its column: shapes on one axis, as wide as the column. */

import { OUTCOMES, type Outcome } from '../../../policy/language.ts';
import { capitalised } from '../../../text.ts';
import type { BarChart, Chart, Part, Share, ShareChart } from '../../charts.ts';
import { signed } from '../../words/numbers.ts';
import { type Child, circle, line, type Markup, rect, svg, text } from '../markup.ts';

interface Drawn {
  readonly title: Child;
  readonly cells: readonly Child[];
}

/** A row without a drawing has an undefined cell. */
export function drawnColumn(chart: Chart): Drawn {
  const column = { ...chart, title: capitalised(chart.title) };
  return column.is === 'bars' ? barColumn(column) : shareColumn(column);
}

/** In pixels. */
const HEIGHT = 16;

function track(...shapes: readonly Child[]): Markup {
  return svg({ class: 'track', height: `${HEIGHT}` }, shapes);
}

/** A line from top to bottom, at a percentage of the width. */
function rule(at: number, name: string): Markup {
  return line({ class: name, x1: `${at}%`, x2: `${at}%`, y1: '0', y2: `${HEIGHT}` });
}

/** The room for a number at the end of a bar, in percent of the width. */
const NUMBER_ROOM = 20;

/** The size of the parts on one side, of all outcomes or of one. */
function sizeOf(parts: readonly Part[], side: -1 | 1, outcome?: Outcome): number {
  const meant = parts.filter(({ to, size }) => size * side > 0 && (outcome === undefined || to === outcome));
  return meant.reduce((sum, { size }) => sum + Math.abs(size), 0);
}

function barColumn({ title, rows, hasNumbers = false }: BarChart): Drawn {
  const mostOf = (side: -1 | 1) => Math.max(...rows.map((parts = []) => sizeOf(parts, side)));
  const [left, right] = [mostOf(-1), mostOf(1)];
  const roomOf = (most: number) => (hasNumbers && most > 0 ? NUMBER_ROOM : 0);
  const scale = (100 - roomOf(left) - roomOf(right)) / (left + right || 1);
  const zero = roomOf(left) + left * scale;
  const sideOf = (parts: readonly Part[], side: -1 | 1) => {
    let at = zero;
    const bars = OUTCOMES.filter((each) => sizeOf(parts, side, each) > 0).map((each) => {
      const width = sizeOf(parts, side, each) * scale;
      const x = side < 0 ? at - width : at;
      at += side * width;
      return rect({ class: `band ${each}`, x: `${x}%`, width: `${width}%`, y: '1', height: `${HEIGHT - 2}` });
    });
    if (!hasNumbers || bars.length === 0) return bars;
    const place = { ...(side < 0 ? { class: 'end' } : {}), x: `${at + side}%`, y: `${HEIGHT - 4}` };
    return [bars, text(place, signed(side * sizeOf(parts, side)))];
  };
  const axis = hasNumbers ? rule(zero, 'axis') : undefined;
  return { title, cells: rows.map((parts) => parts && track(sideOf(parts, -1), sideOf(parts, 1), axis)) };
}

/** The marks of an axis of shares; with the last one that is needed. */
const TICKS = [0, 0.01, 0.05, 0.25, 0.5, 1];

function shareColumn({ title, rows, all }: ShareChart): Drawn {
  const most = Math.max(all, ...rows.map((row) => row?.most ?? 0));
  const ticks = TICKS.slice(0, TICKS.findIndex((tick) => tick >= most) + 1);
  const last = ticks.at(-1) || 1;
  // Shares of frauds are small: a square root spreads them.
  const placeOf = (share: number) => 100 * Math.sqrt(share / last);
  const lines = [ticks.map((tick) => rule(placeOf(tick), 'tick')), rule(placeOf(all), 'all')];
  const marks = ticks.map((tick) =>
    text({ class: 'middle', x: `${placeOf(tick)}%`, y: `${HEIGHT - 4}` }, `${100 * tick}${tick === last ? '%' : ''}`),
  );
  const cell = ({ share, least, most }: Share) => {
    const [begin, end] = [placeOf(least), placeOf(most)];
    const interval = rect({ class: 'interval', x: `${begin}%`, width: `${end - begin}%`, y: '6', height: '4' });
    return track(lines, interval, circle({ class: 'dot', cx: `${placeOf(share)}%`, cy: `${HEIGHT / 2}`, r: '4.5' }));
  };
  return { title: [title, track(marks)], cells: rows.map((row) => row && cell(row)) };
}
