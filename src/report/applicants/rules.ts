/** What each rule of a policy did to applicants of the past -> a table. */

import type { Backtest } from '../../lab/backtest/backtest.ts';
import { unlabelledIn, wilson } from '../../lab/backtest/label-counts.ts';
import type { OutcomeCounts } from '../../lab/backtest/outcome-counts.ts';
import type { RuleCount } from '../../lab/backtest/rule-counts.ts';
import { MOST_KINDS_COUNTED } from '../../lab/limits.ts';
import { OUTCOMES } from '../../policy/language.ts';
import { grouped } from '../../text.ts';
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
export function ruleBlocks(backtest: Backtest): readonly Block[] {
  const { rules, notCounted = [] } = backtest;
  return [ruleTable(rules, backtest), ...(notCounted.length > 0 ? [paragraph(notCountedWords(notCounted))] : [])];
}

function ruleTable(rules: readonly RuleCount[], { before, labels, notCounted = [] }: Backtest): Table {
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
      ...ifCounted('alone', [grouped(alone), alone > 0 && without ? withoutWords(without) : '']),
      ...ifCounted('overlap', [overlap ? [code(overlap.rule), ` ${grouped(overlap.applicants)}`] : '']),
      ...(labels ? [precisionWords(each)] : []),
      undetermined === 0 ? '' : grouped(undetermined),
      ...ifCounted('missing', [first ? [code(first.fact), ` ${cause ?? first.cause}`] : '']),
    ];
  });
  return {
    is: 'table',
    columns: [
      'rule',
      ...(before ? ['fired before'] : []),
      'fired',
      ...ifCounted('alone', ['alone', 'without it']),
      ...ifCounted('overlap', ['fires most with']),
      ...(labels ? ['frauds among those it fired for'] : []),
      'undetermined',
      ...ifCounted('missing', ['because of']),
    ],
    rows,
    page: {
      id: 'rules',
      caption: 'Rules. Alone: the outcome is another one without the rule; of a shadow rule, with it',
      width: 'wide',
    },
  };
}

function withoutWords(without: OutcomeCounts): string {
  return OUTCOMES.filter((each) => without[each] > 0)
    .map((each) => `${grouped(without[each])} ${each}`)
    .join(', ');
}

/** Of those with labels, with the range of chance; and the bounds if some have none. */
function precisionWords({ labels }: RuleCount): string {
  const { fraud = 0, good = 0 } = labels ?? {};
  const [known, unlabelled] = [fraud + good, labels ? unlabelledIn(labels) : 0];
  const chance = wilson(fraud, known);
  if (!chance) return unlabelled > 0 ? 'unknown' : '';
  const bounds = unlabelled > 0 ? `; ${grouped(unlabelled)} without a label` : '';
  return `${percent(fraud, known)} (${rangeWords(chance)})${bounds}`;
}
