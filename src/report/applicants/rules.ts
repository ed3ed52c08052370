/** What each rule of a policy did to applicants of the past -> a table. */

import { applicantsIn } from '../../lab/backtest/applicants.ts';
import type { Backtest } from '../../lab/backtest/backtest.ts';
import { type Labelled, unlabelledIn, wilson } from '../../lab/backtest/label-counts.ts';
import type { OutcomeCounts } from '../../lab/backtest/outcome-counts.ts';
import type { RuleCount } from '../../lab/backtest/rule-counts.ts';
import { MOST_KINDS_COUNTED } from '../../lab/limits.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { grouped } from '../../text.ts';
import type { RuleRow } from '../charts.ts';
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

/** The table of the rules, and what is not in it. */
export function ruleBlocks(backtest: Backtest, form: 'text' | 'page'): readonly Block[] {
  const { rules: inOrder, notCounted = [] } = backtest;
  const effectOf = ({ alone = 0, fired }: RuleCount) => (notCounted.includes('alone') ? fired : alone);
  // What is only observed has no effect yet.
  const rank = ({ shadow }: RuleCount) => (shadow ? 1 : 0);
  const byEffect = () =>
    inOrder.toSorted(
      (one, other) => rank(one) - rank(other) || effectOf(other) - effectOf(one) || other.fired - one.fired,
    );
  const rules = form === 'page' ? byEffect() : inOrder;
  return [ruleTable(rules, backtest, form), ...(notCounted.length > 0 ? [paragraph(notCountedWords(notCounted))] : [])];
}

/** On a page each number has a cell of its own. */
function ruleTable(
  rules: readonly RuleCount[],
  { before, labels, notCounted = [] }: Backtest,
  form: 'text' | 'page',
): Table {
  const isText = form === 'text';
  const ifCounted = <Cell>(what: NotCounted[number], cells: readonly Cell[]) =>
    notCounted.includes(what) ? [] : cells;
  const rows = rules.map((each): readonly Words[] => {
    const { rule, shadow, fired, firedBefore, undetermined, missing = [], alone = 0, without, overlap } = each;
    const [first] = missing;
    const cause = first && (CAUSE_WORDS as Readonly<Record<string, string>>)[first.cause];
    return [
      [code(rule), shadow ? ' (shadow)' : ''],
      ...(before ? [firedBefore === undefined ? 'new' : grouped(firedBefore)] : []),
      grouped(fired),
      ...ifCounted('alone', [
        grouped(alone),
        ...(isText ? [alone > 0 && without ? withoutWords(without) : ''] : OUTCOMES.map((of) => orNone(without?.[of]))),
      ]),
      ...ifCounted('overlap', [overlap ? [code(overlap.rule), ` ${grouped(overlap.applicants)}`] : '']),
      ...(labels ? shareCells(each, isText) : []),
      orNone(undetermined),
      ...ifCounted('missing', [first ? [code(first.fact), ` ${cause ?? first.cause}`] : '']),
    ];
  });
  return {
    is: 'table',
    columns: [
      'rule',
      ...(before ? ['fired before'] : []),
      'fired',
      ...ifCounted('alone', ['alone', ...(isText ? ['without it'] : OUTCOMES.map((of) => `${of} without it`))]),
      ...ifCounted('overlap', ['fires most with']),
      ...(labels ? ['frauds among those it fired for', ...(isText ? [] : ['without a label'])] : []),
      'undetermined',
      ...ifCounted('missing', ['because of']),
    ],
    rows,
    page: {
      id: 'rules',
      caption: 'Rules. Alone: the outcome is another one without the rule; of a shadow rule, with it',
      width: 'line',
      folded: 'All numbers, as a table',
      chart: { is: 'rules', rows: rules.map(chartRow), frauds: labels && shareOf(labels.labels)?.share },
    },
  };
}

function chartRow({ shadow, fired, firedBefore, changes, labels }: RuleCount): RuleRow {
  // A rule that is only observed would change outcomes to those that it asks for.
  const given = Map.groupBy(changes ?? [], ({ from, to }) => (shadow ? to : from));
  const parts = OUTCOMES.flatMap((to) => {
    const flows = given.get(to);
    return flows ? { to, applicants: applicantsIn(flows) } : [];
  });
  return {
    fired,
    before: firedBefore === fired ? undefined : firedBefore,
    ...(changes ? { alone: parts } : {}),
    frauds: labels && shareOf(labels),
  };
}

/** The share of frauds among those with labels, with the range of chance. */
function shareOf({ fraud, good }: Pick<Labelled, 'fraud' | 'good'>): RuleRow['frauds'] {
  const chance = wilson(fraud, fraud + good);
  return chance && { share: fraud / (fraud + good), ...chance };
}

function withoutWords(without: OutcomeCounts): string {
  return OUTCOMES.filter((each) => without[each] > 0)
    .map((each) => `${grouped(without[each])} ${each}`)
    .join(', ');
}

/** Of those with labels, with the range of chance; and how many have none, on a page in a cell of their own. */
function shareCells({ labels }: RuleCount, isText: boolean): readonly string[] {
  const { fraud = 0, good = 0 } = labels ?? {};
  const [known, unlabelled] = [fraud + good, labels ? unlabelledIn(labels) : 0];
  const chance = wilson(fraud, known);
  const share = chance ? `${percent(fraud, known)} (${rangeWords(chance)})` : unlabelled > 0 ? 'unknown' : '';
  if (!isText) return [share, orNone(unlabelled)];
  return [chance && unlabelled > 0 ? `${share}; ${grouped(unlabelled)} without a label` : share];
}

function orNone(n = 0): string {
  return n === 0 ? '' : grouped(n);
}
