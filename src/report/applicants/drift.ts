/** What changed between the applicants of then and of now -> an outline. */

import type { FileColumns } from '../../decision/rows/column-gaps.ts';
import { type Both, type Drift, TRUTHS } from '../../lab/backtest/drift.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { grouped, groupedCount } from '../../text.ts';
import { type Cells, code, heading, lines, outcome, paragraph, type TextBlock, wrong } from '../outline.ts';
import { columnLines, columnsAsData } from '../words/columns.ts';
import { CAUSE_WORDS } from '../words/missing.ts';
import { percent, signed, unjudgedWords } from './impact.ts';

/** What changed, and the columns of the files. */
export interface ShownDrift {
  readonly drift: Drift;
  readonly columns: readonly FileColumns[];
}

/** The data. */
export function driftAsData({ drift, columns }: ShownDrift): object {
  return { ...drift, columns: columnsAsData(columns) };
}

/** The rows of a table in a text; the data have all. */
const MOST_ROWS = 20;

/** `2 of 14 facts changed by more than chance`. */
function driftHeadline({ baseline, now, facts }: Drift): string {
  if (baseline.decided === 0) return 'No applicant of the baseline was decided';
  if (now.decided === 0) return 'No applicant of now was decided';
  const changed = facts.filter(({ psi, critical }) => psi > critical).length;
  return `${changed === 0 ? 'None' : changed} of ${groupedCount(facts.length, 'fact')} changed by more than chance`;
}

/** The whole report as a text. */
export function driftText({ drift, columns: files }: ShownDrift): readonly TextBlock[] {
  const { baseline, now } = drift;
  const shares = (n: Both<number>) => [percent(n.baseline, baseline.decided), percent(n.now, now.decided)] as const;
  const points = (n: Both<number>) => 100 * (n.now / (now.decided || 1) - n.baseline / (baseline.decided || 1));
  const outcomes = OUTCOMES.map((each) => {
    const n = { baseline: baseline.outcomes[each], now: now.outcomes[each] };
    return [outcome(each), ...shares(n), `${signed(points(n), 1)} pp`];
  });
  const ofBoth = [baseline, now].map(({ decided, period }) => [grouped(decided), period?.from ?? '', period?.to ?? '']);
  const about = ['decided', 'first day', 'last day'].map((name, i) => [name, ...ofBoth.map((of) => of[i] ?? ''), '']);
  const missing = drift.missing
    .filter((each) => Math.abs(points(each)) >= SHOWN_POINTS)
    .map((n) => [code(n.fact), n.source, CAUSE_WORDS[n.cause], ...shares(n), `${signed(points(n), 1)} pp`]);
  const tests = drift.tests.map((n) => [
    n.test,
    ...TRUTHS.map((truth) => shares({ baseline: n.baseline[truth], now: n.now[truth] }).join(' to ')),
  ]);
  const facts = drift.facts.map(({ fact, psi, critical, cells }) => {
    const most = cells.slice(0, 1).map((first) => `${first.cell}: ${shares(first).join(' to ')}`);
    return [code(fact), short(psi), short(critical), psi > critical ? wrong('above') : '', ...most];
  });
  const left = (['baseline', 'now'] as const).flatMap((side) =>
    unjudgedWords({ baseline, now }[side].undecided).map((words) => `${side}: ${words}`),
  );
  const tableOf = (columns: readonly string[], rows: Cells['rows']): readonly TextBlock[] => {
    const shown = rows.slice(0, MOST_ROWS);
    const more = rows.length - shown.length;
    return [
      ...(rows.length > 0 ? [{ is: 'table', columns, rows: shown } as const] : []),
      ...(more > 0 ? [paragraph(`${grouped(more)} more: --json lists them.`)] : []),
    ];
  };
  return [
    heading(driftHeadline(drift)),
    ...columnLines(files),
    ...tableOf(['outcome', 'baseline', 'now', 'change'], [...outcomes, ...about]),
    ...tableOf(['missing', 'source', 'because', 'baseline', 'now', 'change'], missing),
    ...tableOf(['test', ...TRUTHS], tests),
    ...tableOf(['fact', 'PSI', 'critical', 'is', 'changed most'], facts),
    ...(left.length > 0 ? [lines('Not decided', left)] : []),
    lines('What this cannot say', LIMITS),
  ];
}

/** A smaller change would be shown as 0.0. */
const SHOWN_POINTS = 0.05;

const LIMITS = [
  'Of 20 facts that do not change, one is above its critical value by chance.',
  'Whether a change matters: with many applicants a small one is above it too.',
  'What changes within a cell, which the policy does not see.',
  'Whether there is more fraud: only labels say that.',
];

function short(n: number): string {
  return n.toLocaleString('en', { maximumSignificantDigits: 2 });
}
