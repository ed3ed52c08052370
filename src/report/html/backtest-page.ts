/** A backtest -> one self-contained page: outcomes, what labels say, and what each rule did. */

import { backtestHeadline, backtestSections, type ShownBacktest } from '../applicants/backtest.ts';
import { writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { type Child, h1, p } from './markup.ts';
import { outcomeBars } from './parts/outcome-bars.ts';

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
    ],
    parts: [
      { id: 'result', title: 'Outcomes', content: [outcomeBars('Outcomes', ofBoth), htmlOf(sections.outcomes)] },
      { id: 'values', title: 'By the value of the parameter', content: sweepPart(shown, htmlOf(sections.sweep)) },
      { id: 'known', title: 'What labels say', content: htmlOf(sections.labels) },
      { id: 'each', title: 'Rules', content: htmlOf(sections.rules) },
      { id: 'groups', title: 'Groups', content: groupsPart(shown, htmlOf(sections.groups)) },
      { id: 'changed', title: 'Who is decided differently', content: htmlOf(sections.worst) },
      { id: 'left', title: 'Not decided', content: htmlOf(sections.undecided) },
    ],
  });
}

function sweepPart({ sweep }: ShownBacktest, content: Child): Child {
  if (!sweep) return undefined;
  const bars = sweep.runs.map(({ value, backtest: { outcomes } }) => ({ name: value, outcomes }));
  return [outcomeBars(`Outcomes by the value of ${sweep.parameter}`, bars), content];
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
