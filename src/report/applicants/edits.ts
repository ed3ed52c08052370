/** What each edit of a policy does to applicants of the past -> tables and sentences. */

import { isDeepStrictEqual } from 'node:util';
import { BY_SEVERITY } from '../../lab/backtest/applicants.ts';
import type { EditEffect, EditEffects, Effect } from '../../lab/impact/edit-effects.ts';
import { strictness } from '../../policy/language.ts';
import { grouped } from '../../text.ts';
import type { Part } from '../charts.ts';
import { type Block, paragraph, type Table } from '../outline.ts';
import { signed, signedRange } from '../words/numbers.ts';

/** Of a single edit, all is said by what the policies do. */
const FEWEST_EDITS = 2;

/** Each edit alone, what is left without it, and how those who change fall to them; none for a single edit. */
export function editBlocks(effects: EditEffects): readonly Block[] {
  const { changed, edits } = effects;
  if (edits.length < FEWEST_EDITS) return [];
  const { still = [], moving = [] } = Object.groupBy(edits, (edit) => (isStill(edit, effects) ? 'still' : 'moving'));
  return [
    ...(moving.length > 0 ? [aloneTable(moving, effects), leftTable(moving)] : []),
    ...(changed > 0 ? [paragraph(sumWords(effects))] : []),
    ...(still.length > 0 ? [paragraph(`Of no effect here: ${still.map(shortName).join('; ')}.`)] : []),
  ];
}

/** Whether nobody is changed by an edit, neither alone nor among the others. */
function isStill({ alone, left }: EditEffect, { flows }: EditEffects): boolean {
  return alone?.changed === 0 && isDeepStrictEqual(left?.flows, flows);
}

/** `parameter debtLimit`, `score.review`. */
function shortName({ kind, name }: EditEffect): string {
  if (kind === 'score') return `score.${name}`;
  return kind === 'setting' ? name : `${kind} ${name}`;
}

/** Longer words of an edit are cut in a table, where a text has room for 60 letters in a line. */
const MOST_LETTERS = 48;

/** What is edited, in the first words of it; a policy without a list of its edits has no others. */
function editWords({ texts: [first, ...others] }: EditEffect): string {
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  if (first.length <= MOST_LETTERS) return first + more;
  return `${first.slice(0, first.lastIndexOf(' ', MOST_LETTERS))} …${more}`;
}

function aloneTable(edits: readonly EditEffect[], whole: Effect): Table {
  const isAnyBeyond = edits.some(({ notInWhole }) => notInWhole > 0);
  const further = (edit: EditEffect) => [grouped(edit.only), ...(isAnyBeyond ? [grouped(edit.notInWhole)] : [])];
  const columns = ['only it', ...(isAnyBeyond ? ['others undo it'] : [])];
  const own = edits.map((edit): EffectRow => [editWords(edit), edit.alone, further(edit)]);
  const all: readonly EffectRow[] = [...own, ['all together', whole, columns.map(() => '')]];
  const drawn = all.map(([, effect]) => effect && partsOf(effect));
  const chart = { is: 'bars', at: 1, title: 'changed', rows: drawn, hasNumbers: true } as const;
  const page = { id: 'edits-alone', caption: 'Each edit alone: the old policy with it', width: 'line' } as const;
  const { rows, ...table } = effectTable('each edit alone', all, columns, { ...page, charts: [chart] });
  return { ...table, rows: rows.slice(0, -1), total: rows.at(-1) ?? [] };
}

function leftTable(edits: readonly EditEffect[]): Table {
  const caption = 'What is left when an edit is taken back: the new policy without it';
  const page = { id: 'edits-back', caption, width: 'line' } as const;
  const rows = edits.map((edit): EffectRow => [editWords(edit), edit.left, []]);
  return effectTable('left without it', rows, [], page);
}

/** Those who are decided more mildly are below 0. */
function partsOf({ flows }: Effect): readonly Part[] {
  return flows.map(({ from, to, applicants }) => {
    return { to, size: strictness(to) > strictness(from) ? applicants : -applicants };
  });
}

type EffectRow = readonly [words: string, effect: Effect | undefined, further: readonly string[]];

/** What labels say of an effect, by column: the change since the old policy. */
const LABEL_COLUMNS: readonly (readonly [name: string, words: (more: Effect['more']) => string])[] = [
  ['frauds not accepted', (more) => (more ? signed(more.caught.by) : '')],
  ['good rejected', (more) => (more ? signed(more.goodRejected.by) : '')],
  ['cost', (more) => (more?.cost ? signedRange(more.cost) : '')],
];

/** Those that some effect has. */
function labelColumns(rows: readonly EffectRow[]): typeof LABEL_COLUMNS {
  return LABEL_COLUMNS.filter(([, wordsOf]) => rows.some(([, effect]) => wordsOf(effect?.more) !== ''));
}

/** A column for each change that occurs, and further ones. */
function effectTable(
  title: string,
  rows: readonly EffectRow[],
  columns: readonly string[],
  page: NonNullable<Table['page']>,
): Table {
  const numberOf = (effect: Effect, [from, to]: (typeof BY_SEVERITY)[number]) =>
    effect.flows.find((flow) => flow.from === from && flow.to === to)?.applicants ?? 0;
  const shown = BY_SEVERITY.filter((change) => rows.some(([, effect]) => effect && numberOf(effect, change) > 0));
  const shownLabels = labelColumns(rows);
  return {
    is: 'table',
    columns: [
      ...[title, 'changed', ...shown.map(([from, to]) => `${from} to ${to}`), ...columns],
      ...shownLabels.map(([name]) => name),
    ],
    rows: rows.map(([words, effect, further]) => {
      if (!effect) return [words, 'unreadable', ...shown.map(() => ''), ...further, ...shownLabels.map(() => '')];
      const flows = shown.map((change) => grouped(numberOf(effect, change)));
      return [words, grouped(effect.changed), ...flows, ...further, ...shownLabels.map(([, of]) => of(effect.more))];
    }),
    numbersFrom: 1,
    page,
  };
}

/** `Of the 1,887 who change: 1,503 by one edit alone, 156 by each of several alone, 228 by several together only.` */
function sumWords({ changed, edits, severalAlone, togetherOnly }: EditEffects): string {
  const one = edits.reduce((sum, { only }) => sum + only, 0);
  const ways = [
    [one, 'by one edit alone'],
    [severalAlone, 'by each of several alone'],
    [togetherOnly, 'by several together only'],
  ] as const;
  const words = ways.flatMap(([n, how]) => (n > 0 ? `${grouped(n)} ${how}` : []));
  return `Of the ${grouped(changed)} who change: ${words.join(', ')}.`;
}
