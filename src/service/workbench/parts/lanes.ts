/** Marks at their times -> one lane on the axis that all lanes share. */

import { scaleUtc } from 'd3-scale';
import { utcFormat } from 'd3-time-format';
import type { RecordedOutcome } from '../../../audit/entry/entry.ts';
import type { Child } from '../../../report/html/markup.ts';
import * as h from '../../../report/html/markup.ts';
import { OUTCOME_SIGNS } from '../../../report/html/parts/phrases.ts';
import { percents } from './chart.ts';

/** What happened at a time, in milliseconds since 1970. */
export interface LaneMark {
  readonly at: number;
  readonly outcome: RecordedOutcome;
  readonly words: string;
}

/** From the first mark to now, and what all lanes show at one time. */
export interface LaneAxis {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly words: string;
}

/** In pixels. */
const HEIGHT = 18;

function scaleOf({ from, to }: LaneAxis) {
  return scaleUtc([from, to], [1, 99]);
}

/** The dates of an axis, for above the lanes. */
export function laneDates(axis: LaneAxis): Child {
  const x = scaleOf(axis);
  const own = x(axis.at);
  const ticks = x.ticks(3).filter((tick) => Math.abs(x(tick) - own) > 24);
  const format = axis.to - axis.from > 2 * 86_400_000 ? utcFormat('%-d %b') : utcFormat('%H:%M');
  return h.svg(
    { class: 'track lane', height: `${HEIGHT}` },
    ticks.map((tick) => h.text({ class: 'middle date', x: percents(x(tick)), y: '12' }, format(tick))),
    h.text({ class: own > 85 ? 'end' : own < 15 ? 'start' : 'middle', x: percents(own), y: '12' }, axis.words),
  );
}

/** What is later than the axis' own time is shaded. A lane that is cut begins at its first mark. */
export function lane(axis: LaneAxis, marks: readonly LaneMark[], isCut: boolean): Child {
  const x = scaleOf(axis);
  const begin = isCut ? percents(x(Math.min(axis.to, ...marks.map(({ at }) => at)))) : '0';
  const own = x(axis.at);
  return h.svg(
    { class: 'track lane', height: `${HEIGHT}` },
    h.rect({ class: 'later', x: percents(own), width: percents(Math.max(0, 100 - own)), y: '0', height: `${HEIGHT}` }),
    h.line({ class: 'axis', x1: begin, x2: '100%', y1: `${HEIGHT / 2}`, y2: `${HEIGHT / 2}` }),
    h.line({ class: 'own', x1: percents(own), x2: percents(own), y1: '0', y2: `${HEIGHT}` }),
    marks.map(({ at, outcome, words }) =>
      h.g(h.title(words), h.text({ class: `middle ${outcome}`, x: percents(x(at)), y: '13' }, OUTCOME_SIGNS[outcome])),
    ),
  );
}
