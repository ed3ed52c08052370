/** What changed between the applicants of then and of now -> an outline. */

import type { FileColumns } from '../../decision/rows/column-gaps.ts';
import { type Both, type Drift, isChange, type Stability, TRUTHS } from '../../lab/backtest/drift.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { grouped, groupedCount } from '../../text.ts';
import { code, heading, lines, outcome, paragraph, type TextBlock, type Words } from '../outline.ts';
import { columnLines, columnsAsData } from '../words/columns.ts';
import { CAUSE_WORDS } from '../words/missing.ts';
import { percent, signed } from '../words/numbers.ts';
import { unjudgedWords } from './changed.ts';

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
  const changed = facts.filter(isChange).length;
  return `${changed === 0 ? 'None' : changed} of ${groupedCount(facts.length, 'fact')} changed by more than chance`;
}

/** The whole report as a text. */
export function driftText({ drift, columns: files }: ShownDrift): readonly TextBlock[] {
  const { baseline, now } = drift;
  const shares = (n: Both<number>) => [percent(n.baseline, baseline.decided), percent(n.now, now.decided)] as const;
  const points = (n: Both<number>) => {
    if (baseline.decided === 0 || now.decided === 0) return '–';
    return `${signed(100 * (n.now / now.decided - n.baseline / baseline.decided), 1)} pp`;
  };
  const outcomes = OUTCOMES.map((each) => {
    const n = { baseline: baseline.outcomes[each], now: now.outcomes[each] };
    return [outcome(each), ...shares(n), points(n)];
  });
  const ofBoth = [baseline, now].map(({ decided, period }) => [grouped(decided), period?.from ?? '', period?.to ?? '']);
  const about = ['decided', 'first day', 'last day'].map((name, i) => [name, ...ofBoth.map((of) => of[i] ?? ''), '']);
  const left = (['baseline', 'now'] as const).flatMap((side) =>
    unjudgedWords({ baseline, now }[side].undecided).map((words) => `${side}: ${words}`),
  );
  return [
    heading(driftHeadline(drift)),
    ...columnLines(files),
    { is: 'table', columns: ['outcome', 'baseline', 'now', 'change'], rows: [...outcomes, ...about] },
    ...changesOf('fact', drift.facts, {
      columns: ['fact', 'PSI', 'critical', 'above chance', 'changed most'],
      rowOf: ({ fact, cells, ...stability }) => {
        const { psi, critical } = stability;
        const most = cells.slice(0, 1).map((first) => `${first.cell}: ${shares(first).join(' to ')}`);
        return [code(fact), short(psi), short(critical), timesWords(stability), ...most];
      },
    }),
    ...changesOf('missing fact', drift.missing, {
      columns: ['missing', 'source', 'because', 'baseline', 'now', 'change', 'above chance'],
      rowOf: (n) => {
        return [code(n.fact), n.source, CAUSE_WORDS[n.cause], ...shares(n), points(n), timesWords(n)];
      },
    }),
    ...changesOf('test', drift.tests, {
      columns: ['test', ...TRUTHS, 'above chance'],
      rowOf: (n) => {
        const truths = TRUTHS.map((truth) => shares({ baseline: n.baseline[truth], now: n.now[truth] }).join(' to '));
        return [n.test, ...truths, timesWords(n)];
      },
    }),
    ...(left.length > 0 ? [lines('Not decided', left)] : []),
    lines('What this cannot say', LIMITS),
  ];
}

/** The items that changed by more than chance; the others are a number. */
function changesOf<Item extends Stability>(
  noun: string,
  items: readonly Item[],
  { columns, rowOf }: { readonly columns: readonly string[]; rowOf(item: Item): readonly Words[] },
): readonly TextBlock[] {
  const changed = items.filter(isChange);
  const rows = changed.slice(0, MOST_ROWS).map(rowOf);
  const more = changed.length - rows.length;
  const others = groupedCount(items.length - changed.length, noun);
  return [
    ...(rows.length > 0 ? [{ is: 'table', columns, rows } as const] : []),
    ...(more > 0 ? [paragraph(`${grouped(more)} more: --json lists them.`)] : []),
    ...(items.length > changed.length ? [paragraph(`${others} changed by no more than chance.`)] : []),
  ];
}

/** `14 times`: how far above its critical value. */
function timesWords({ psi, critical }: Stability): string {
  const digits = { minimumSignificantDigits: 2, maximumSignificantDigits: 2 };
  return `${(psi / critical).toLocaleString('en', digits)} times`;
}

const LIMITS = [
  'Where nothing changes, one list in 20 names something nevertheless: the critical values allow for its length.',
  'Whether a change matters: with many applicants a small one is above chance too.',
  'What changes within a cell, which the policy does not see.',
  'Whether there is more fraud: only labels say that.',
];

function short(n: number): string {
  return n.toLocaleString('en', { maximumSignificantDigits: 2 });
}
