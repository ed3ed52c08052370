/** What each rule of a policy did to applicants of the past -> a table. */

import type { Backtest } from '../../lab/backtest/backtest.ts';
import { type Labelled, unlabelledIn, wilson } from '../../lab/backtest/label-counts.ts';
import type { RuleCount } from '../../lab/backtest/rule-counts.ts';
import { MOST_KINDS_COUNTED } from '../../lab/limits.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { grouped } from '../../text.ts';
import type { Chart, Part, Share } from '../charts.ts';
import { type Block, code, paragraph, type Table, type Words } from '../outline.ts';
import { CAUSE_WORDS } from '../words/missing.ts';
import { percent, rangeWords } from '../words/numbers.ts';

type NotCounted = NonNullable<Backtest['notCounted']>;

const NOT_COUNTED: Readonly<Record<NotCounted[number], string>> = {
  missing: 'because of which facts a rule is undetermined',
  alone: `for whom a rule decides alone (more than ${grouped(MOST_KINDS_COUNTED)} combinations of rules fire)`,
  overlap: 'which rules fire together',
  worst: 'the worst changes',
};

function notCountedWords(notCounted: NotCounted): string {
  return `Not counted by the database: ${notCounted.map((each) => NOT_COUNTED[each]).join('; ')}.`;
}

/** The title of a column, and its cell of a rule. */
type Column = readonly [title: string, cell: (rule: RuleCount) => Words];

/** What the rules did; on a page by their effect, and what matters less is folded. */
export function ruleBlocks(backtest: Backtest, form: 'text' | 'page'): readonly Block[] {
  const { rules, notCounted = [] } = backtest;
  const { first, more } = columnsOf(backtest);
  const notes = notCounted.length > 0 ? [paragraph(notCountedWords(notCounted))] : [];
  if (form === 'text') return [ruleTable([...first, ...more], rules, { id: 'rules', caption: 'Rules' }), ...notes];
  const effectOf = ({ alone = 0, fired }: RuleCount) => (notCounted.includes('alone') ? fired : alone);
  // What is only observed has no effect yet.
  const rank = ({ shadow }: RuleCount) => (shadow ? 1 : 0);
  const byEffect = rules.toSorted(
    (one, other) => rank(one) - rank(other) || effectOf(other) - effectOf(one) || other.fired - one.fired,
  );
  const folded = { id: 'rules-more', caption: 'Rules: more numbers', width: 'line', folded: 'More numbers' } as const;
  const [name] = first;
  return [
    { ...ruleTable(first, byEffect, drawn(byEffect, backtest, first.length)), numbersFrom: 1 },
    ruleTable([...(name ? [name] : []), ...more], byEffect, folded),
    ...notes,
  ];
}

function ruleTable(columns: readonly Column[], rules: readonly RuleCount[], page: Table['page']): Table {
  const rows = rules.map((rule) => columns.map(([, cell]) => cell(rule)));
  return { is: 'table', columns: columns.map(([title]) => title), rows, page };
}

/** Those that a page shows at once, and the others. */
function columnsOf({ before, labels, notCounted = [] }: Backtest) {
  const isCounted = (what: NotCounted[number]) => !notCounted.includes(what);
  const shown = (columns: readonly (readonly [isShown: boolean, ...Column])[]) =>
    columns.flatMap(([isShown, ...column]): readonly Column[] => (isShown ? [column] : []));
  return {
    first: shown([
      [true, 'rule', ({ rule, shadow }) => [code(rule), shadow ? ' (shadow)' : '']],
      [before !== undefined, 'fired before', ({ firedBefore: n }) => (n === undefined ? 'new' : grouped(n))],
      [true, 'fired', ({ fired }) => grouped(fired)],
      [isCounted('alone'), 'alone', ({ alone = 0 }) => grouped(alone)],
      [labels !== undefined, 'frauds among those it fired for', shareWords],
    ]),
    more: shown([
      [isCounted('alone'), 'without it', withoutWords],
      [isCounted('overlap'), 'fires most with', overlapWords],
      [labels !== undefined, 'without a label', ({ labels: each }) => orNone(each && unlabelledIn(each))],
      [true, 'undetermined', ({ undetermined }) => orNone(undetermined)],
      [isCounted('missing'), 'because of', causeWords],
    ]),
  };
}

/** Beside whom a rule decides alone their outcomes; beside the share of frauds the share on its axis. */
function drawn(rules: readonly RuleCount[], { labels, notCounted = [] }: Backtest, columns: number): Table['page'] {
  const all = labels && shareOf(labels)?.share;
  const alone: Chart = { is: 'bars', at: columns - (labels ? 1 : 0), title: 'by outcome', rows: rules.map(partsOf) };
  const shares = { is: 'shares', at: columns, title: 'share of frauds', rows: rules.map(shareOf) } as const;
  const captions = [
    'Rules. Alone: the outcome is another one without the rule; of a shadow rule, with it',
    ...(all === undefined ? [] : [`Dashed: ${percent(all, 1)}, the share of frauds among all with labels`]),
  ];
  const charts = [...(notCounted.includes('alone') ? [] : [alone]), ...(all === undefined ? [] : [{ ...shares, all }])];
  return { id: 'rules', caption: captions.join('. '), width: 'line', charts };
}

/** Whom it decides alone, by the outcome that it gives them. */
function partsOf({ shadow, changes = [] }: RuleCount): readonly Part[] {
  // A rule that is only observed would change outcomes to those that it asks for.
  return changes.map(({ from, to, applicants }) => ({ to: shadow ? to : from, size: applicants }));
}

/** The share of frauds among those with labels, with the range of chance. */
function shareOf({ labels }: { readonly labels?: Pick<Labelled, 'fraud' | 'good'> | undefined }): Share | undefined {
  if (!labels) return undefined;
  const chance = wilson(labels.fraud, labels.fraud + labels.good);
  return chance && { share: labels.fraud / (labels.fraud + labels.good), ...chance };
}

function shareWords({ labels }: RuleCount): string {
  const share = shareOf({ labels });
  if (share) return `${percent(share.share, 1)} (${rangeWords(share)})`;
  return labels && unlabelledIn(labels) > 0 ? 'unknown' : '';
}

function withoutWords({ alone = 0, without }: RuleCount): string {
  if (alone === 0 || !without) return '';
  return OUTCOMES.filter((each) => without[each] > 0)
    .map((each) => `${grouped(without[each])} ${each}`)
    .join(', ');
}

function overlapWords({ overlap }: RuleCount): Words {
  return overlap ? [code(overlap.rule), ` ${grouped(overlap.applicants)}`] : '';
}

/** The fact that most of those lack for whom it is undetermined. */
function causeWords({ missing: [first] = [] }: RuleCount): Words {
  if (!first) return '';
  return [code(first.fact), ` ${(CAUSE_WORDS as Readonly<Record<string, string>>)[first.cause] ?? first.cause}`];
}

function orNone(n = 0): string {
  return n === 0 ? '' : grouped(n);
}
