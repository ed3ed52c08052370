/** What a rule did, and what people made of it -> its page. */

import type { FoundDecision } from '../../../audit/read/search-entry.ts';
import { conditionWords } from '../../../decision/explain/sentence.ts';
import { wilson } from '../../../lab/backtest/label-counts.ts';
import type { Disposition, Policy, Rule } from '../../../policy/language.ts';
import { type Child, code, h1, p } from '../../../report/html/markup.ts';
import { codeName, codeValue } from '../../../report/html/parts/phrases.ts';
import { bullets, pairs, table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { type DayCounts, dayLines, percent } from '../parts/chart.ts';
import { namedFacts } from '../parts/facts.ts';
import type { ServedPage } from '../parts/frame.ts';
import { RULE } from '../words/rule.ts';
import { decisionTable } from './decisions-page.ts';
import { rulePath } from './home-page.ts';
import { effectOf } from './policy-pages.ts';

export interface RuleData {
  /** The name of its policy in the API. */
  readonly name: string;
  readonly policy: Policy;
  readonly rule: Rule;
  readonly day: string;
  readonly days: readonly DayCounts[];
  /** Of how many decisions in which it fired people's words are counted, and whether these are all. */
  readonly decisions: number;
  readonly isAll: boolean;
  /** In how many of 30 days it could not be determined. */
  readonly undetermined: number;
  readonly said: Readonly<Record<Disposition, number>>;
  /** Of how many the other rules are counted. */
  readonly among: number;
  readonly beside: readonly { readonly rule: string; readonly n: number }[];
  /** Undefined for a reader who may open no decision. */
  readonly last: readonly FoundDecision[] | undefined;
  readonly references: ReadonlyMap<string, string>;
  /** Undefined for a reader who may not see it. */
  readonly text: string | undefined;
  /** The names of the tests in which it fires; undefined if they could not be run. */
  readonly tests: readonly string[] | undefined;
}

export function rulePage(data: RuleData): ServedPage {
  const { name, policy, rule, days, last, references, text, tests } = data;
  const ofDay = (day: string) => {
    const [fired = 0] = days.find((each) => each.day === day)?.counts ?? [];
    return decisionsOf(fired > 0 ? 'rule' : 'undetermined', rule, { from: day, to: day });
  };
  return {
    title: `Rule ${rule.id}`,
    head: [
      p({ class: 'kind' }, 'Rule of ', s.link({ href: `/policies/${name}` }, name), ' ', policy.version),
      h1(codeName(rule.id)),
      p(
        { class: 'lead' },
        effectOf(rule, data.day),
        ' when ',
        namedFacts(conditionWords(rule.when, policy.facts), policy.facts),
      ),
      rule.description === undefined ? undefined : p(rule.description),
      pairs([
        ['Reason', codeName(rule.reason)],
        ['Owner', rule.owner],
        ['Tags', rule.tags.length === 0 ? undefined : rule.tags.join(', ')],
      ]),
    ],
    aside: { id: 'said', title: RULE.said, content: saidPart(data) },
    parts: [
      {
        id: 'days',
        title: RULE.chart,
        content: rule.shadow
          ? undefined
          : dayLines({
              ...{ id: 'by-day', title: RULE.chartTitle, series: ['fired', 'undetermined'], days },
              linkOf: last && ofDay,
            }),
      },
      {
        id: 'last',
        title: RULE.last,
        content: last && last.length > 0 ? decisionTable(last, references) : undefined,
      },
      { id: 'text', title: RULE.text, content: text === undefined ? undefined : p(code({ class: 'text' }, text)) },
      { id: 'tests', title: RULE.tests, content: testsPart(tests) },
    ],
  };
}

function decisionsOf(filter: 'rule' | 'undetermined', { id }: Rule, more: Readonly<Record<string, string>> = {}) {
  return `/decisions?${new URLSearchParams({ [filter]: id, ...more })}`;
}

function saidPart(data: RuleData): Child {
  const { name, rule, decisions, undetermined, isAll, said, among, beside, last } = data;
  if (rule.shadow) return p(RULE.shadow[0], code(`verdict audit shadow LOG --rule ${rule.id}`), RULE.shadow[1]);
  const words = RULE.open(undetermined);
  const open = last ? s.link({ href: decisionsOf('undetermined', rule) }, words) : words;
  const openPart = undetermined > 0 ? p(open, '.') : undefined;
  if (decisions === 0) return [p(RULE.never), openPart];
  const share = (hits: number, of: number) => {
    const range = wilson(hits, of);
    if (!range) return RULE.none;
    return RULE.share(hits, of, percent(hits / of), `${percent(range.least)} to ${percent(range.most)}`);
  };
  const ordered = beside.toSorted((one, other) => other.n - one.n);
  return [
    p(RULE.among(decisions, isAll)),
    pairs([
      [RULE.approved, share(said.approve, said.approve + said.decline)],
      [RULE.frauds, share(said.fraud, said.fraud + said.genuine)],
    ]),
    beside.length === 0
      ? p(RULE.alone)
      : table({
          ...{ id: 'beside', caption: RULE.besideTitle(among), width: 'tight' },
          columns: [RULE.beside, 'Share'],
          kinds: ['', 'number'],
          rows: ordered.map(({ rule, n }) => [
            s.link({ href: rulePath(name, rule) }, codeValue(rule)),
            percent(n / among),
          ]),
        }),
    openPart,
  ];
}

function testsPart(tests: RuleData['tests']): Child {
  if (!tests) return p(RULE.testsFailed);
  return tests.length === 0 ? p(RULE.noTests) : bullets(tests);
}
