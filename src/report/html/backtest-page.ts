/** A backtest -> one self-contained page: outcomes, what labels say, and what each rule did. */

import { backtestHeadline, backtestSections, type ShownBacktest } from '../applicants/backtest.ts';
import { writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { type Child, div, h1, p } from './markup.ts';
import { outcomeBars, scoreBars } from './parts/outcome-bars.ts';

/** The page. It needs no network, no script and no other file. */
export function backtestPage(shown: ShownBacktest): string {
  const { backtest, titles } = shown;
  const sections = backtestSections(shown, 'page');
  const [before, now] = titles;
  const ofBoth = [
    ...(backtest.before ? [{ name: before, outcomes: backtest.before }] : []),
    { name: now, outcomes: backtest.outcomes },
  ];
  return writePage({
    title: `Backtest · ${backtestHeadline(backtest)}`,
    head: [
      p({ class: 'kind' }, 'Backtest'),
      h1(backtestHeadline(backtest)),
      p({ class: 'lead' }, backtest.before ? `${now}, compared with ${before}.` : `${now}.`),
      sections.first.length > 0 ? div({ class: 'callout' }, htmlOf(sections.first)) : undefined,
    ],
    parts: [
      { id: 'result', title: 'Outcomes', content: [outcomeBars('Outcomes', ofBoth), htmlOf(sections.outcomes)] },
      { id: 'values', title: 'By the value', content: sweepPart(shown, htmlOf(sections.sweep)) },
      { id: 'known', title: 'What labels say', content: htmlOf(sections.labels) },
      { id: 'points', title: 'Score', content: scorePart(shown, htmlOf(sections.scores)) },
      { id: 'each', title: 'Rules', content: htmlOf(sections.rules) },
      { id: 'velocities', title: 'Counted from the rows', content: htmlOf(sections.velocities) },
      { id: 'groups', title: 'Groups', content: groupsPart(shown, htmlOf(sections.groups)) },
      { id: 'changed', title: 'Who is decided differently', content: htmlOf(sections.worst) },
      { id: 'left', title: 'Not decided', content: htmlOf(sections.undecided) },
    ],
  });
}

/** More bars than these are drawn for ranges of points. */
const MOST_BARS = 60;

function scorePart({ backtest: { scores } }: ShownBacktest, content: Child): Child {
  if (!scores || scores.values.length === 0) return content;
  const [least, most] = [scores.values[0]?.points ?? 0, scores.values.at(-1)?.points ?? 0];
  const step = Math.max(1, Math.ceil((most - least + 1) / MOST_BARS));
  const bars = Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, i) => {
    const from = least + i * step;
    const within = scores.values.filter(({ points }) => points >= from && points < from + step);
    return { from, applicants: within.reduce((sum, { applicants }) => sum + applicants, 0) };
  });
  return [scoreBars(bars, scores), content];
}

function sweepPart({ sweep }: ShownBacktest, content: Child): Child {
  if (!sweep) return undefined;
  const bars = sweep.runs.map(({ value, backtest: { outcomes } }) => ({ name: value, outcomes }));
  return [outcomeBars(`Outcomes by the value of ${sweep.of}`, bars), content];
}

/** Weeks and months have a picture: their order says something. */
function groupsPart({ backtest: { groups } }: ShownBacktest, content: Child): Child {
  if (groups.length === 0) return undefined;
  const inOrder = groups.filter(({ by }) => by === 'week' || by === 'month');
  return [
    inOrder.map(({ by, values }) =>
      outcomeBars(
        `Outcomes by ${by}`,
        values.map(({ value, outcomes }) => ({ name: String(value), outcomes })),
      ),
    ),
    content,
  ];
}
