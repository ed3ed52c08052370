/** A chart -> the title and the cells of its column: shapes on one axis, as wide as the column. */

import { capitalised } from '../../../text.ts';
import type { BarChart, Chart, Share, ShareChart } from '../../charts.ts';
import { signed } from '../../words/numbers.ts';
import { type Child, circle, line, type Markup, rect, svg, text } from '../markup.ts';

interface Drawn {
  readonly title: Child;
  readonly cells: readonly Child[];
}

/** A row without a drawing has an undefined cell. */
export function drawnColumn(chart: Chart): Drawn {
  return chart.is === 'bars' ? barColumn(chart) : shareColumn(chart);
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

/** The room for a sum at the end of a bar, in percent of the width. */
const SUM_ROOM = 20;

function barColumn({ title, rows, isSigned = false }: BarChart): Drawn {
  const sums = rows.map((parts = []) =>
    ([-1, 1] as const).map((side) => parts.reduce((sum, { size }) => sum + Math.max(0, side * size), 0)),
  );
  const [left = 0, right = 0] = [0, 1].map((side) => Math.max(...sums.map((each) => each[side] ?? 0)));
  const [leftRoom, rightRoom] = [left, right].map((sum) => (isSigned && sum > 0 ? SUM_ROOM : 0)) as [number, number];
  const scale = (100 - leftRoom - rightRoom) / (left + right || 1);
  const zero = leftRoom + left * scale;
  const cells = rows.map((parts, i) => {
    if (!parts) return undefined;
    let [from, to] = [zero, zero];
    const bars = parts.map(({ to: outcome, size }) => {
      const width = Math.abs(size) * scale;
      if (size < 0) from -= width;
      const x = size < 0 ? from : to;
      if (size > 0) to += width;
      return rect({ class: `band ${outcome}`, x: `${x}%`, width: `${width}%`, y: '1', height: `${HEIGHT - 2}` });
    });
    if (!isSigned) return track(bars);
    const [milder = 0, stricter = 0] = sums[i] ?? [];
    const y = `${HEIGHT - 4}`;
    return track(
      bars,
      rule(zero, 'axis'),
      milder > 0 ? text({ class: 'end', x: `${from - 1}%`, y }, signed(-milder)) : undefined,
      stricter > 0 ? text({ x: `${to + 1}%`, y }, signed(stricter)) : undefined,
    );
  });
  return { title: capitalised(title), cells };
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
  return { title: [capitalised(title), track(marks)], cells: rows.map((row) => row && cell(row)) };
}
