/** Numbers by day or by group -> a drawing on axes, with the same numbers in a table. */

import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { utcFormat } from 'd3-time-format';
import type { Child } from '../../../report/html/markup.ts';
import * as h from '../../../report/html/markup.ts';
import { folded, NONE, table } from '../../../report/html/parts/table.ts';
import { link } from '../../../report/html/served.ts';
import { grouped } from '../../../text.ts';
import { minute } from './times.ts';

/** What is counted: its name, which is its look too, such as `review`. */
type Series = string;

/** A day, yyyy-MM-dd; how many were counted of each series, of `all` that were counted. */
export interface DayCounts {
  readonly day: string;
  readonly counts: readonly number[];
  readonly all: number;
}

/** What changed at a time, in milliseconds since 1970. */
export interface ChangeMark {
  readonly at: number;
  readonly words: Child;
}

export interface DayChart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly series: readonly Series[];
  /** In order, one after the other; at least one. */
  readonly days: readonly DayCounts[];
  readonly changes?: readonly ChangeMark[];
  /** The path to what was counted on a day, for a reader who may open it. */
  readonly linkOf?: ((day: string) => string) | undefined;
}

/** In pixels; widths are in percent, so that texts keep their size on every screen. */
const [HEIGHT, DAY_MS] = [170, 86_400_000];

/** The shares of each day as a bar, the first series at its foot. */
export function stackedDays(chart: DayChart): readonly Child[] {
  const y = scaleLinear([0, 1], [HEIGHT, 0]);
  return dayChart(chart, y, ({ counts, all }, { x, width }) => {
    let below = 0;
    return counts.map((n, i) => {
      const [from, to] = [y(below / all), y((below + n) / all)];
      below += n;
      const look = `fill ${chart.series[i]}`;
      return h.rect({ class: look, ...at({ x, width }), y: pixels(to), height: pixels(from - to) });
    });
  });
}

/** The shares of each day as lines, which days without a decision interrupt. */
export function dayLines(chart: DayChart): readonly Child[] {
  const { series, days } = chart;
  const most = Math.max(0.01, ...days.flatMap(({ counts, all }) => (all > 0 ? counts.map((n) => n / all) : [])));
  const y = scaleLinear([0, most], [HEIGHT, 0]).nice(4);
  return dayChart(chart, y, ({ counts, all }, { middle }, i) => {
    const [before, step] = [days[i - 1], 100 / days.length];
    return series.map((look, s) => {
      const here = y((counts[s] ?? 0) / all);
      const place = { cx: percents(middle), cy: pixels(here), r: '2.5' };
      const dot = h.circle({ class: `fill ${look}`, ...place });
      if (!before || before.all === 0) return dot;
      const there = { x1: percents(middle - step), y1: pixels(y((before.counts[s] ?? 0) / before.all)) };
      return [h.line({ class: `stroke ${look}`, ...there, x2: percents(middle), y2: pixels(here) }), dot];
    });
  });
}

/** Where a day is, in percent of the width. */
interface Place {
  readonly x: number;
  readonly width: number;
  readonly middle: number;
}

type Shares = ReturnType<typeof scaleLinear<number, number>>;

function dayChart(
  { id, title, series, days, changes = [], linkOf }: DayChart,
  y: Shares,
  draw: (day: DayCounts, place: Place, i: number) => Child,
): readonly Child[] {
  const begin = Date.parse(days[0]?.day ?? '');
  const time = scaleUtc([begin, begin + days.length * DAY_MS], [0, 100]);
  const names = days.map(({ day }) => day);
  const band = scaleBand(names, [0, 100]).paddingInner(0.2).paddingOuter(0.1);
  const dayOf = (each: DayCounts, i: number): Child => {
    const x = band(each.day) ?? 0;
    const place = { x, width: band.bandwidth(), middle: 100 * ((i + 0.5) / days.length) };
    const words = reading(each, series);
    const parts = [
      h.title(words),
      h.rect({ class: 'slot', ...at(place), y: '0', height: `${HEIGHT}` }),
      each.all > 0 ? draw(each, place, i) : undefined,
    ];
    const drawn =
      linkOf && each.all > 0
        ? link({ href: linkOf(each.day), class: 'day' }, ...parts)
        : h.g({ class: 'day', role: 'img', tabindex: 0 }, ...parts);
    return [drawn, h.text({ class: 'reading', x: '-40', y: '-20', 'aria-hidden': 'true' }, words)];
  };
  const marks = changes.filter((each) => each.at >= begin);
  const drawn = h.svg(
    { class: 'chart', height: `${HEIGHT + 22}`, role: 'group', 'aria-label': title },
    y
      .ticks(4)
      .map((tick) => [
        h.line({ class: 'tick', x1: '0', x2: '100%', y1: pixels(y(tick)), y2: pixels(y(tick)) }),
        h.text({ class: 'end', x: '-6', y: pixels(y(tick) + 4) }, `${Number((100 * tick).toFixed(1))} %`),
      ]),
    time
      .ticks(5)
      .filter((tick) => time(tick) < 100)
      .map((tick) => {
        const place = percents(time(tick) + band.step() / 2);
        return h.text({ class: 'middle', x: place, y: `${HEIGHT + 18}` }, utcFormat('%-d %b')(tick));
      }),
    days.map(dayOf),
    marks.map((each, i) => {
      const place = percents(time(each.at));
      const line = h.line({ class: 'change', x1: place, x2: place, y1: '-2', y2: `${HEIGHT}` });
      return [line, h.text({ class: 'middle', x: place, y: '-5' }, i + 1)];
    }),
  );
  return [
    legend(series),
    drawn,
    marks.length > 0
      ? h.ol(
          { class: 'changes' },
          marks.map((each) => h.li(each.words, ', ', minute(each.at))),
        )
      : undefined,
    folded(
      'The numbers',
      table({
        ...{ id, caption: title, width: 'tight' },
        columns: ['Day, UTC', 'Decisions', ...series],
        kinds: ['', 'number', ...series.map(() => 'number')],
        rows: days.toReversed().map(({ day, counts, all }) => {
          const cells = counts.map((n) => (all === 0 ? NONE : `${grouped(n)} (${percent(n / all)})`));
          return [day, grouped(all), ...cells];
        }),
      }),
    ),
  ];
}

function reading({ day, counts, all }: DayCounts, series: readonly Series[]): string {
  const parts = series.map((name, i) => `${name} ${percent((counts[i] ?? 0) / all)}`);
  return `${utcFormat('%-d %b')(new Date(day))}: ${grouped(all)}${all === 0 ? '' : `, ${parts.join(', ')}`}`;
}

/** In the order in which bars stand on each other. */
function legend(series: readonly Series[]): Child {
  const entry = (name: Series) => h.li(h.span({ class: `swatch ${name}`, 'aria-hidden': 'true' }), name);
  return series.length < 2 ? undefined : h.ul({ class: 'legend', role: 'list' }, series.map(entry));
}

export interface GroupChart {
  readonly id: string;
  readonly title: string;
  /** What a group is. */
  readonly group: string;
  readonly series: readonly Series[];
  readonly rows: readonly { readonly name: Child; readonly counts: readonly number[] }[];
}

/** A table with a bar for each group, on one axis. */
export function groupBars({ id, title, group, series, rows }: GroupChart): readonly Child[] {
  const sums = rows.map(({ counts }) => counts.reduce((sum, n) => sum + n, 0));
  const x = scaleLinear([0, Math.max(1, ...sums)], [0, 100]).nice(4);
  const [height, ticks] = [16, x.ticks(4).filter(Number.isInteger)];
  const track = (...shapes: readonly Child[]) => h.svg({ class: 'track', height: `${height}` }, ...shapes);
  const axis = ticks.map((tick) => {
    return h.text({ class: 'middle', x: percents(x(tick)), y: '12' }, grouped(tick));
  });
  const bar = (counts: readonly number[]) => {
    const lines = ticks.map((tick) => {
      return h.line({ class: 'tick', x1: percents(x(tick)), x2: percents(x(tick)), y1: '0', y2: `${height}` });
    });
    let left = 0;
    return track(
      lines,
      counts.map((n, i) => {
        const place = { x: x(left), width: x(n) };
        left += n;
        const words = h.title(`${series[i]}: ${grouped(n)}`);
        return h.g(words, h.rect({ class: `fill ${series[i]}`, ...at(place), y: '2', height: `${height - 4}` }));
      }),
    );
  };
  return [
    legend(series),
    table({
      ...{ id, caption: title },
      columns: [group, track(axis), ...series],
      kinds: ['', 'drawn', ...series.map(() => 'number')],
      rows: rows.map(({ name, counts }) => [name, bar(counts), ...counts.map(grouped)]),
    }),
  ];
}

function at({ x, width }: { readonly x: number; readonly width: number }) {
  return { x: percents(x), width: percents(width) };
}

export function percents(n: number): string {
  return `${Number(n.toFixed(2))}%`;
}

function pixels(n: number): string {
  return String(Number(n.toFixed(1)));
}

/** `6.8 %`; a dash if nothing was counted. */
export function percent(share: number | undefined): string {
  return share === undefined ? NONE : `${(100 * share).toFixed(1)} %`;
}
