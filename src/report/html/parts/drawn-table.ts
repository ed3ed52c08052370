/** The data of a chart -> a table whose cells are drawn: it reads as a table, and its columns keep their axis. */

import { OUTCOMES } from '../../../policy/language.ts';
import { capitalised, grouped } from '../../../text.ts';
import type { ChangeChart, Chart, Part, RuleChart, RuleRow } from '../../charts.ts';
import type { Table } from '../../outline.ts';
import { percent, signed } from '../../words/numbers.ts';
import { type Child, circle, line, type Markup, rect, span, svg, text } from '../markup.ts';
import { NONE, table } from './table.ts';

/** A table as a page draws it: the names of its rows, its title and its caption. */
interface Drawn {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly names: readonly Child[];
}

/** The picture of a table. */
export function drawnTable(chart: Chart, { columns, page }: Table, names: readonly Child[]): Markup {
  const of: Drawn = {
    id: `${page.id}-chart`,
    title: capitalised(columns[0] ?? ''),
    caption: `${page.caption}.`,
    names,
  };
  return chart.is === 'changes' ? changeTable(chart, of) : ruleTable(chart, of);
}

/** In pixels. */
const HEIGHT = 16;

/** A cell that is drawn; the cells beside it say the same in numbers. */
function track(...shapes: readonly Child[]): Markup {
  return svg({ class: 'track', 'aria-hidden': 'true', height: `${HEIGHT}` }, shapes);
}

const sumOf = (parts: readonly Part[]) => parts.reduce((sum, { applicants }) => sum + applicants, 0);
const mostOf = (sums: readonly number[]) => Math.max(1, ...sums);

/** Bars one after the other, from a place on. `scale`: percent of the width for an applicant, below 0 to the left. */
function bars(parts: readonly Part[], from: number, scale: number): readonly Markup[] {
  let at = from;
  return parts.map(({ to, applicants }) => {
    const end = at + applicants * scale;
    const [left, width] = [Math.min(at, end), Math.abs(end - at)];
    at = end;
    return rect({ class: `band ${to}`, x: `${left}%`, width: `${width}%`, y: '1', height: `${HEIGHT - 2}` });
  });
}

/** A line from top to bottom. */
function rule(at: number, name: string): Markup {
  return line({ class: name, x1: `${at}%`, x2: `${at}%`, y1: '0', y2: `${HEIGHT}` });
}

function changeTable({ rows, further }: ChangeChart, { id, title, caption, names }: Drawn): Markup {
  const drawn = rows.flatMap((row) => row ?? []);
  const left = Math.max(0, ...drawn.map(({ milder }) => sumOf(milder)));
  const scale = 100 / (left + mostOf(drawn.map(({ stricter }) => sumOf(stricter))));
  const [middle, number] = [left * scale, (n: number) => (n === 0 ? NONE : signed(n))];
  const parts = drawn.flatMap(({ milder, stricter }) => [...milder, ...stricter]);
  return table({
    ...{ id, caption: [caption, legend('to ', parts)], width: 'changes' },
    columns: [title, 'Milder', 'Applicants', 'Stricter', ...further.map(capitalised)],
    rows: rows.map((row, i) => {
      if (!row) return [names[i], NONE, 'unreadable', NONE, ...further.map(() => NONE)];
      const { milder, stricter, more } = row;
      const shapes = [bars(milder, middle, -scale), bars(stricter, middle, scale), rule(middle, 'axis')];
      return [names[i], number(-sumOf(milder)), track(shapes), number(sumOf(stricter)), ...more];
    }),
  });
}

/** The marks of an axis of shares, 0 to 1; with the last one that is needed. */
const TICKS = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 1];

function ruleTable({ rows, frauds }: RuleChart, { id, title, caption, names }: Drawn): Markup {
  const [hasAlone, hasFrauds] = [rows.some(({ alone }) => alone), frauds !== undefined];
  const scale = 100 / mostOf(rows.map(({ alone = [] }) => sumOf(alone)));
  const most = Math.max(frauds ?? 0, ...rows.map((row) => row.frauds?.most ?? 0));
  const ticks = TICKS.slice(0, TICKS.findIndex((tick) => tick >= most) + 1);
  // Shares of frauds are small: a square root spreads them.
  const placeOf = (share: number) => 100 * Math.sqrt(share / (ticks.at(-1) || 1));
  const fraudsCell = ({ frauds: found }: RuleRow) => {
    if (!found) return NONE;
    const [least, most] = [placeOf(found.least), placeOf(found.most)];
    const interval = rect({ class: 'interval', x: `${least}%`, width: `${most - least}%`, y: '6', height: '4' });
    const dot = circle({ class: 'dot', cx: `${placeOf(found.share)}%`, cy: `${HEIGHT / 2}`, r: '4.5' });
    const lines = [ticks.map((tick) => rule(placeOf(tick), 'tick')), rule(placeOf(frauds ?? 0), 'all')];
    return [track(lines, interval, dot), shareWords(found)];
  };
  return table({
    ...{
      id,
      caption: [
        caption,
        legend(
          '',
          rows.flatMap(({ alone = [] }) => alone),
        ),
        lineWords(frauds),
      ],
    },
    width: 'rules',
    columns: [title, 'Fired', ...(hasAlone ? ['Alone'] : []), ...(hasFrauds ? [[FRAUDS, axis(ticks, placeOf)]] : [])],
    rows: rows.map((row, i) => [
      names[i],
      [row.before === undefined ? '' : span({ class: 'soft' }, `${grouped(row.before)} → `), grouped(row.fired)],
      ...(hasAlone
        ? [[span({ class: 'amount' }, grouped(sumOf(row.alone ?? []))), track(bars(row.alone ?? [], 0, scale))]]
        : []),
      ...(hasFrauds ? [fraudsCell(row)] : []),
    ]),
  });
}

/** The colours of the outcomes that parts have. */
function legend(before: string, parts: readonly Part[]): Child {
  const shown = OUTCOMES.filter((each) => parts.some(({ to }) => to === each));
  return shown.map((each) => span({ class: 'item' }, span({ class: `swatch ${each}` }), before, each));
}

function lineWords(frauds: number | undefined): Child {
  return frauds === undefined
    ? undefined
    : ` Dashed: ${percent(frauds, 1)}, the share of frauds among all with labels.`;
}

const FRAUDS = 'Frauds among those it fired for';

function axis(ticks: readonly number[], placeOf: (share: number) => number): Markup {
  const marks = ticks.map((tick) =>
    text({ x: `${placeOf(tick)}%`, y: `${HEIGHT - 4}` }, `${100 * tick}${tick === ticks.at(-1) ? '%' : ''}`),
  );
  return svg({ class: 'track', 'aria-hidden': 'true', height: `${HEIGHT}` }, marks);
}

/** `21.4%`, and the interval in less weight. */
function shareWords({ share, least, most }: NonNullable<RuleRow['frauds']>): Markup {
  const bounds = [least, most].map((each) => (100 * each).toFixed(1)).join(' to ');
  return span({ class: 'share' }, percent(share, 1), span({ class: 'soft' }, ` ${bounds}`));
}
