/** Shares by day -> bars, with the same numbers in a table under them. */

import { line, type Markup, rect, svg } from '../../../report/html/markup.ts';
import { folded, table } from '../../../report/html/parts/table.ts';

/** A day; `share` of all that was counted, from 0 to 1, undefined if nothing was. */
export interface DayShare {
  readonly day: string;
  readonly share: number | undefined;
  readonly of: number;
}

const HEIGHT = 60;

/** `mark`: the day from which something else held, and what. */
export function bars(
  id: string,
  title: string,
  days: readonly DayShare[],
  mark?: { readonly day: string; readonly words: string },
): readonly Markup[] {
  const most = Math.max(0.01, ...days.map(({ share = 0 }) => share));
  const [slot, at] = [100 / days.length, (i: number) => `${((i * 100) / days.length).toFixed(2)}%`];
  const drawn = days.map(({ share = 0 }, i) => {
    const height = Math.round((HEIGHT * share) / most);
    return rect({
      class: 'bar-of-day',
      x: at(i),
      width: `${slot * 0.8}%`,
      y: `${HEIGHT - height}`,
      height: `${height}`,
    });
  });
  const begin = mark ? days.findIndex(({ day }) => day >= mark.day) : -1;
  const border =
    begin > 0 ? line({ class: 'border', x1: at(begin), x2: at(begin), y1: '0', y2: `${HEIGHT}` }) : undefined;
  const picture = svg(
    { class: 'bars', role: 'img', height: `${HEIGHT + 2}`, 'aria-label': `${title}: ${words(days, mark)}` },
    ...[drawn, border],
    line({ class: 'border', x1: '0', x2: '100%', y1: `${HEIGHT}`, y2: `${HEIGHT}` }),
  );
  const rows = days
    .toReversed()
    .map(({ day, share, of }) => [day, percent(share), String(of), day === mark?.day ? mark.words : '']);
  const columns = ['Day', 'Share', 'Decisions', 'Note'];
  return [picture, folded('The numbers', table({ id, caption: title, columns, rows, width: 'tight' }))];
}

function words(days: readonly DayShare[], mark?: { readonly day: string; readonly words: string }): string {
  const last = days.at(-1);
  const begin = mark ? `; ${mark.words} on ${mark.day}` : '';
  return `${days.length} days to ${last?.day}, when it was ${percent(last?.share)}${begin}`;
}

/** `6.8 %`; a dash if nothing was counted. */
export function percent(share: number | undefined): string {
  return share === undefined ? '–' : `${(100 * share).toFixed(1)} %`;
}
