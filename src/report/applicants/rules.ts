/** What each rule of a policy did to applicants of the past -> a table. */

import { applicantsIn } from '../../lab/backtest/applicants.ts';
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

function columnsOf({
  before,
  labels,
  notCounted = [],
}: Backtest): Readonly<Record<'first' | 'more', readonly Column[]>> {
  const ifCounted = (what: NotCounted[number], ...columns: readonly Column[]) =>
    notCounted.includes(what) ? [] : columns;
  return {
    first: [
      ['rule', ({ rule, shadow }) => [code(rule), shadow ? ' (shadow)' : '']],
      ...(before
        ? [['fired before', ({ firedBefore: n }) => (n === undefined ? 'new' : grouped(n))] satisfies Column]
        : []),
      ['fired', ({ fired }) => grouped(fired)],
      ...ifCounted('alone', ['alone', ({ alone = 0 }) => grouped(alone)]),
      ...(labels ? [['frauds among those it fired for', shareWords] satisfies Column] : []),
    ],
    more: [
      ...ifCounted('alone', ['without it', withoutWords]),
      ...ifCounted('overlap', [
        'fires most with',
        ({ overlap }) => (overlap ? [code(overlap.rule), ` ${grouped(overlap.applicants)}`] : ''),
      ]),
      ...(labels
        ? [['without a label', ({ labels: each }) => orNone(each && unlabelledIn(each))] satisfies Column]
        : []),
      ['undetermined', ({ undetermined }) => orNone(undetermined)],
      ...ifCounted('missing', ['because of', causeWords]),
    ],
  };
}

/** Beside whom a rule decides alone their outcomes; beside the share of frauds the share on its axis. */
function drawn(rules: readonly RuleCount[], { labels, notCounted = [] }: Backtest, columns: number): Table['page'] {
  const all = labels && shareOf(labels.labels)?.share;
  const dashed = all === undefined ? '' : `. Dashed: ${percent(all, 1)}, the share of frauds among all with labels`;
  const alone = 'Alone: the outcome is another one without the rule; of a shadow rule, with it';
  const bars: Chart = { is: 'bars', at: columns - (labels ? 1 : 0), title: 'by outcome', rows: rules.map(partsOf) };
  return {
    id: 'rules',
    caption: `Rules. ${alone}${dashed}`,
    width: 'line',
    charts: [
      ...(notCounted.includes('alone') ? [] : [bars]),
      ...(all === undefined
        ? []
        : [{ is: 'shares', at: columns, title: 'share of frauds', rows: rules.map(shareIn), all } as const]),
    ],
  };
}

/** Whom it decides alone, by the outcome that it gives them. */
function partsOf({ shadow, changes = [] }: RuleCount): readonly Part[] {
  // A rule that is only observed would change outcomes to those that it asks for.
  const given = Map.groupBy(changes, ({ from, to }) => (shadow ? to : from));
  return OUTCOMES.map((to) => ({ to, size: applicantsIn(given.get(to) ?? []) }));
}

function shareIn({ labels }: RuleCount): Share | undefined {
  return labels && shareOf(labels);
}

/** The share of frauds among those with labels, with the range of chance. */
function shareOf({ fraud, good }: Pick<Labelled, 'fraud' | 'good'>): Share | undefined {
  const chance = wilson(fraud, fraud + good);
  return chance && { share: fraud / (fraud + good), ...chance };
}

function shareWords(rule: RuleCount): string {
  const share = shareIn(rule);
  if (share) return `${percent(share.share, 1)} (${rangeWords(share)})`;
  return rule.labels && unlabelledIn(rule.labels) > 0 ? 'unknown' : '';
}

function withoutWords({ alone = 0, without }: RuleCount): string {
  if (alone === 0 || !without) return '';
  return OUTCOMES.filter((each) => without[each] > 0)
    .map((each) => `${grouped(without[each])} ${each}`)
    .join(', ');
}

/** The fact that most of those lack for whom it is undetermined. */
function causeWords({ missing: [first] = [] }: RuleCount): Words {
  if (!first) return '';
  return [code(first.fact), ` ${(CAUSE_WORDS as Readonly<Record<string, string>>)[first.cause] ?? first.cause}`];
}

function orNone(n = 0): string {
  return n === 0 ? '' : grouped(n);
}
