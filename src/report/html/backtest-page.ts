/** A backtest -> one self-contained page: the decision in numbers, what each edit and each rule does, and the rest. */

import { capitalised } from '../../text.ts';
import { backtestHeadline, backtestSections, type ShownBacktest } from '../applicants/backtest.ts';
import { changeHeadline, figuresOf } from '../applicants/figures.ts';
import { type Block, paragraph } from '../outline.ts';
import { writePage } from './document.ts';
import { htmlOf } from './html.ts';
import { type Child, dd, div, dl, dt, h1, p, span, strong } from './markup.ts';
import { scoreBars } from './parts/score-bars.ts';

/** The page. It needs no network, no script and no other file. */
export function backtestPage(shown: ShownBacktest): string {
  const { backtest, titles } = shown;
  const { outcomes, ...sections } = backtestSections(shown, 'page');
  const { scores } = backtest;
  const [before, now] = titles;
  const policies = backtest.before ? `${now}, compared with ${before}` : now;
  const headline = changeHeadline(backtest);
  return writePage({
    title: `Backtest · ${backtestHeadline(backtest)}`,
    head: [
      p({ class: 'kind' }, 'Backtest'),
      h1(headline ?? backtestHeadline(backtest)),
      p({ class: 'lead' }, headline === undefined ? `${policies}.` : `${policies}: ${backtestHeadline(backtest)}.`),
      sections.first.length > 0 ? div({ class: 'callout' }, htmlOf(sections.first.flatMap(sentences))) : undefined,
    ],
    parts: [
      { id: 'result', title: 'The decision in numbers', content: resultPart(shown, outcomes) },
      { id: 'values', title: 'By the value', content: htmlOf(sections.sweep) },
      { id: 'edits', title: 'What each edit does', content: htmlOf(sections.edits) },
      { id: 'each', title: 'Rules', content: htmlOf(sections.rules) },
      { id: 'known', title: 'What labels say', content: htmlOf(sections.labels) },
      { id: 'groups', title: 'Groups', content: htmlOf(sections.groups) },
      { id: 'changed', title: 'Who is decided differently', content: htmlOf(sections.worst) },
      { id: 'points', title: 'Score', content: scores && [scoreBars(scores), htmlOf(sections.scores)] },
      { id: 'velocities', title: 'Counted from the rows', content: htmlOf(sections.velocities) },
      { id: 'left', title: 'Not decided', content: htmlOf(sections.undecided) },
    ],
  });
}

/** The lines of a block: above the first part, a page has no titles. */
function sentences(block: Block): readonly Block[] {
  return block.is === 'lines' ? block.of.map((words) => paragraph(words)) : [block];
}

/** The figures, then who moves between outcomes; of one policy how many have which. */
function resultPart({ backtest }: ShownBacktest, outcomes: readonly Block[]): Child {
  const figures = figuresOf(backtest).map(({ name, value, note }) => {
    return div(dt(capitalised(name)), dd(strong(value), note === '' ? undefined : span(note)));
  });
  return [backtest.decided === 0 ? undefined : dl({ class: 'figures' }, figures), htmlOf(outcomes.slice(-1))];
}
