/** A backtest -> one self-contained page: outcomes, what labels say, and what each rule did. */

import { backtestHeadline, backtestSections, type ShownBacktest } from '../applicants/backtest.ts';
import { writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { h1, p } from './markup.ts';

/** The page. It needs no network, no script and no other file. */
export function backtestPage(shown: ShownBacktest): string {
  const { backtest, titles } = shown;
  const sections = backtestSections(shown, 'page');
  const [before, now] = titles;
  return writePage({
    title: `Backtest · ${backtestHeadline(backtest)}`,
    head: [
      p({ class: 'kind' }, 'Backtest'),
      h1(backtestHeadline(backtest)),
      p({ class: 'lead' }, backtest.before ? `${now}, compared with ${before}.` : `${now}.`),
    ],
    parts: [
      { id: 'result', title: 'Outcomes', content: htmlOf(sections.outcomes) },
      { id: 'values', title: 'By the value of the parameter', content: htmlOf(sections.sweep) },
      { id: 'known', title: 'What labels say', content: htmlOf(sections.labels) },
      { id: 'each', title: 'Rules', content: htmlOf(sections.rules) },
      { id: 'groups', title: 'Groups', content: htmlOf(sections.groups) },
      { id: 'changed', title: 'The worst changes', content: htmlOf(sections.worst) },
      { id: 'left', title: 'Not decided', content: htmlOf(sections.undecided) },
    ],
  });
}
