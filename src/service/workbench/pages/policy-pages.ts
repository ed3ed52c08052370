/** Policies in force -> a list of them, and one in words: rules, guarantees, lists, tests and text. */

import * as z from 'zod';
import { conditionWords } from '../../../decision/explain/sentence.ts';
import type { TestSummary } from '../../../lab/test/test-thread.ts';
import { isActive, OUTCOMES, type Policy, type Rule } from '../../../policy/language.ts';
import { factsRead, rulesByList } from '../../../policy/usage.ts';
import type { Page } from '../../../report/html/document.ts';
import type { Child } from '../../../report/html/markup.ts';
import { code, h1, h3, li, p, span, ul } from '../../../report/html/markup.ts';
import { codeName, codeNames, codeValue, flag, instant, outcomeMark } from '../../../report/html/parts/phrases.ts';
import { bullets, folded, NONE, pairs, table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import { pointWords } from '../../../report/words/fact-states.ts';
import { grouped, groupedCount } from '../../../text.ts';
import { percent } from '../parts/chart.ts';
import { namedFacts } from '../parts/facts.ts';
import { choice, submit, textField } from '../parts/form.ts';
import { minute } from '../parts/times.ts';
import { POLICIES } from '../words/policies.ts';
import { type InForce, rulePath } from './home-page.ts';

/** A policy in force, and how it stands. */
export interface PolicyCard extends InForce {
  readonly rules: number;
  /** Decisions of the last 30 days. */
  readonly decisions: number;
  /** Of its newest decisions, so many in all, those that say review; undefined without a log. */
  readonly rate: { readonly reviews: number; readonly of: number } | undefined;
  /** Of the folder that it is in; undefined if they could not be run. */
  readonly tests: TestSummary | undefined;
  /** Sentences. */
  readonly alerts: readonly string[];
}

export function policiesPage(policies: readonly PolicyCard[]): Page {
  const cards = policies.map(({ name, version, since, rules, decisions, rate, tests, alerts }) =>
    li(
      h3(s.link({ href: `/policies/${name}` }, name), ' ', codeValue(version)),
      pairs([
        [POLICIES.rate, rate && rate.of > 0 ? POLICIES.share(percent(rate.reviews / rate.of), rate.of) : NONE],
        [POLICIES.decisions, grouped(decisions)],
        [POLICIES.since, since === undefined ? POLICIES.notYet : minute(since)],
        [POLICIES.rules, grouped(rules)],
        [POLICIES.tests, tests ? POLICIES.run(tests.passed, tests.failed, tests.problems.length) : POLICIES.notRun],
      ]),
      alerts.map((words) => p({ class: 'warning' }, words)),
    ),
  );
  const content = ul({ class: 'policies', role: 'list' }, cards);
  return {
    title: POLICIES.title,
    head: [h1(POLICIES.title)],
    parts: [{ id: 'policies', title: POLICIES.all, content }],
  };
}

const line = z.string().max(200);

/** The filters of the rules: those of `verdict rules`, and what they did in the last 30 days. */
export const RULE_FILTERS = z
  .strictObject({
    ...{ fact: line, then: line, owner: line, tag: line },
    ...{ fired: z.enum(['yes', 'no']), sort: z.enum(['fired', 'undetermined']) },
  })
  .partial();

type RuleFilters = z.infer<typeof RULE_FILTERS>;

export interface PolicyData {
  /** Its name in the API. */
  readonly name: string;
  readonly policy: Policy;
  readonly digest: string;
  readonly day: string;
  readonly brokenSince: string | undefined;
  readonly filters: RuleFilters;
  /** Of the last 30 days, by rule: its share of all decisions. Undefined without a log. */
  readonly fired: ReadonlyMap<string, number> | undefined;
  readonly undetermined: ReadonlyMap<string, number> | undefined;
  readonly lists: readonly ShownList[];
  /** Of all tests in the folder of the policy; undefined if they could not be run. */
  readonly tests: TestSummary | undefined;
  /** Texts by the name of their file; undefined for a reader who may not see whom they name. */
  readonly files: ReadonlyMap<string, string> | undefined;
  readonly history: readonly {
    readonly version: string;
    readonly from: string;
    readonly to: string;
    readonly decisions: number;
  }[];
}

/** `entries`: with the last day of each, if it has one; undefined for a reader who may not see them. */
export interface ShownList {
  readonly name: string;
  readonly size: number;
  readonly entries: ReadonlyMap<string, string | undefined> | undefined;
}

export function policyPage(data: PolicyData): Page {
  const { name, policy, digest, brokenSince, files, lists, day, tests } = data;
  const { version, description, guarantees } = policy;
  const shares = data.filters.sort && data[data.filters.sort];
  const shareOf = ({ id }: Rule) => shares?.get(id) ?? 0;
  const rules = policy.rules
    .filter((rule) => isWanted(rule, data))
    .toSorted((one, other) => shareOf(other) - shareOf(one));
  return {
    title: `Policy ${name}`,
    head: [
      p({ class: 'kind' }, 'Policy in force'),
      h1(codeName(name), ' ', codeValue(version)),
      p({ class: 'lead' }, description ?? `${groupedCount(policy.rules.length, 'rule')}.`),
      brokenSince === undefined
        ? undefined
        : p({ class: 'warning' }, `Its file has been broken since ${brokenSince}: this policy stays in force.`),
      pairs([
        ['Rules', grouped(policy.rules.length)],
        ['Lists', grouped(lists.length)],
        ['Guarantees', guarantees.length === 0 ? 'none' : `${guarantees.length}, proved before it came into force`],
        ['Without a reason', outcomeMark(policy.default)],
        ['Digest', codeValue(digest)],
      ]),
    ],
    parts: [
      {
        id: 'rules',
        title: 'Rules in words',
        content: [
          filterForm(data),
          p(`${grouped(rules.length)} of ${groupedCount(policy.rules.length, 'rule')}.`),
          ruleTable(rules, data),
        ],
      },
      { id: 'guarantees', title: 'Guarantees', content: guarantees.length === 0 ? undefined : guaranteeList(policy) },
      {
        id: 'lists',
        title: 'Lists',
        content: lists.length === 0 ? undefined : lists.map((list) => listPart(list, policy)),
      },
      { id: 'tests', title: 'Tests', content: testsPart(tests, policy) },
      { id: 'history', title: 'History', content: historyTable(data) },
      { id: 'text', title: 'Text', content: files && [...files].map(([file, text]) => folded(file, textLines(text))) },
    ],
    foot: `Rules that are active on ${day}, UTC, take part in decisions.`,
  };
}

function isWanted(
  rule: Rule,
  { filters: { fact, then, owner, tag, fired }, policy, fired: shares }: PolicyData,
): boolean {
  return (
    (then === undefined || rule.then === then) &&
    (owner === undefined || rule.owner === owner) &&
    (tag === undefined || rule.tags.includes(tag)) &&
    (fact === undefined || factsRead(rule, policy).has(fact)) &&
    (fired === undefined || !shares || (fired === 'yes' ? shares.has(rule.id) : !rule.shadow && !shares.has(rule.id)))
  );
}

function filterForm({ name, filters, fired }: PolicyData): Child {
  const text = (key: keyof RuleFilters, title: string) =>
    textField(key, title, filters[key] === undefined ? {} : { value: filters[key] });
  return s.form(
    { method: 'get', action: `/policies/${name}`, class: 'line', role: 'search' },
    text('fact', 'Reads the fact'),
    choice('then', 'Asks for', [['', 'anything'], ...OUTCOMES.map((each) => [each, each] as const)], filters.then),
    text('tag', 'Tag'),
    text('owner', 'Owner'),
    fired && choice('fired', 'Fired in 30 days', FIRED, filters.fired),
    fired && choice('sort', 'Sort by', SORTS, filters.sort),
    submit('Filter'),
  );
}

const FIRED = [
  ['', 'any'],
  ['yes', 'fired'],
  ['no', 'never fired'],
] as const;

const SORTS = [
  ['', 'the order of the policy'],
  ['fired', 'fired most'],
  ['undetermined', 'undetermined most'],
] as const;

function ruleTable(rules: readonly Rule[], data: PolicyData): Child {
  const { name, policy, day, filters, fired, undetermined, tests } = data;
  const order = filters.sort === undefined ? 'in the order of the policy' : `${filters.sort} most first`;
  if (rules.length === 0) return undefined;
  const share = (shares: PolicyData['fired'], { id, shadow }: Rule) =>
    shares && !shadow ? percent(shares.get(id) ?? 0) : NONE;
  return table({
    id: 'rules-in-words',
    caption: `Rules, ${order}; in which share of the decisions of 30 days they fired, and in how many tests`,
    columns: ['Rule', 'Asks for', 'When', 'Fired', 'Undetermined', 'Tests'],
    width: 'wide',
    rows: rules.map((rule) => [
      [s.link({ href: rulePath(name, rule.id) }, codeName(rule.id)), ' ', span({ class: 'soft' }, rule.reason)],
      effectOf(rule, day),
      [
        namedFacts(conditionWords(rule.when, policy.facts), policy.facts, false),
        rule.description === undefined ? undefined : p({ class: 'soft' }, rule.description),
      ],
      share(fired, rule),
      share(undetermined, rule),
      tests ? grouped(tests.fired.get(policy.name)?.get(rule.id)?.length ?? 0) : NONE,
    ]),
  });
}

/** What a rule asks for, and whether it does so on a day. */
export function effectOf(rule: Rule, day: string): Child {
  return [
    rule.then === undefined ? undefined : outcomeMark(rule.then),
    rule.points === undefined ? undefined : [' ', pointWords(rule.points)],
    rule.final ? [' ', flag('final')] : undefined,
    rule.shadow ? [' ', flag('shadow')] : undefined,
    isActive(rule, day) ? undefined : [' ', flag('not active')],
    rule.until === undefined ? undefined : [' until ', instant(rule.until)],
  ];
}

function guaranteeList({ guarantees, facts }: Policy): Child {
  return bullets(
    guarantees.map(({ id, claim, outcome, when, description }) => [
      codeName(id),
      `: ${{ never: 'never', always: 'always', atLeast: 'at least' }[claim]} `,
      outcomeMark(outcome),
      ' when ',
      namedFacts(conditionWords(when, facts), facts),
      description === undefined ? '' : `. ${description}`,
    ]),
  );
}

/** More entries than these belong into a search, not on a page. */
const MOST_ENTRIES = 500;

function listPart({ name, size, entries }: ShownList, policy: Policy): Child {
  const users = rulesByList(policy).get(name) ?? [];
  const title = `${name}: ${groupedCount(size, 'entry')}`;
  const used = p('Read by ', users.length === 0 ? 'no rule' : codeNames(users), '.');
  if (!entries) return [p(codeName(name), `: ${title.slice(name.length + 2)}, which your roles do not show.`), used];
  const shown = [...entries].slice(0, MOST_ENTRIES);
  const words = shown.map(([entry, until]) => [
    codeValue(entry),
    until === undefined ? '' : [', until ', instant(until)],
  ]);
  const left = size - shown.length;
  return [folded(title, [bullets(words), left > 0 ? p(`And ${grouped(left)} more.`) : undefined]), used];
}

function testsPart(tests: TestSummary | undefined, policy: Policy): Child {
  if (!tests) return p('They could not be run.');
  const { passed, failed, skipped, failing, problems } = tests;
  if (problems.length > 0) {
    return [p(`The tests have ${groupedCount(problems.length, 'error')}, so none was run:`), bullets([...problems])];
  }
  if (passed + failed + skipped === 0) return p('The folder of the policy has no tests.');
  const more = skipped > 0 ? `, ${grouped(skipped)} skipped` : '';
  return [
    p(`Of the tests in the folder of the policy, ${grouped(passed)} passed and ${grouped(failed)} failed${more}.`),
    failing.length === 0 ? undefined : bullets([...failing]),
    firedList(policy, tests),
  ];
}

/** More names of tests than these are counted only. */
const MOST_TESTS = 10;

/** In which cases each rule fires. */
function firedList({ rules, name }: Policy, { fired }: TestSummary): Child {
  const byRule = fired.get(name);
  const [tested, untested] = [true, false].map((is) => rules.filter(({ id }) => Boolean(byRule?.has(id)) === is));
  return [
    untested && untested.length > 0
      ? folded(`Fires in no test: ${groupedCount(untested.length, 'rule')}`, p(codeNames(untested.map(({ id }) => id))))
      : undefined,
    tested && tested.length > 0
      ? folded(
          `Tests by rule: ${groupedCount(tested.length, 'rule')}`,
          bullets(
            tested.map(({ id }) => {
              const names = byRule?.get(id) ?? [];
              const more = names.length > MOST_TESTS ? `, and ${names.length - MOST_TESTS} more` : '';
              return [codeName(id), `: ${names.slice(0, MOST_TESTS).join('; ')}${more}`];
            }),
          ),
        )
      : undefined,
  ];
}

function historyTable({ history, name }: PolicyData): Child {
  if (history.length === 0) return undefined;
  return [
    table({
      id: 'versions',
      caption: 'Versions that decided, the newest first',
      columns: ['Version', 'First decision', 'Last decision', 'Decisions', 'Edits'],
      rows: history.map(({ version, from, to, decisions }, i) => [
        codeValue(version),
        instant(from),
        instant(to),
        grouped(decisions),
        history[i + 1] ? editsLink(name, history[i + 1]?.version ?? '', version) : NONE,
      ]),
    }),
    history.length > 2 ? versionsForm(name, history) : undefined,
    p('Who changed what and why is in the history of the folder of rules.'),
  ];
}

function editsLink(name: string, old: string, now: string): Child {
  return s.link({ href: `/policies/${name}/compare?${new URLSearchParams({ old, now })}` }, 'since ', codeValue(old));
}

/** Any two versions. */
function versionsForm(name: string, history: PolicyData['history']): Child {
  const versions = history.map(({ version }) => [version, version] as const);
  return s.form(
    { method: 'get', action: `/policies/${name}/compare`, class: 'line' },
    choice('old', 'From', versions, history[1]?.version),
    choice('now', 'To', versions),
    submit('Compare'),
  );
}

function textLines(text: string): Child {
  const lines = text.replace(/\n$/, '').split('\n');
  return ul(
    { class: 'lines', role: 'list' },
    lines.map((each, i) => li({ class: 'line' }, span({ class: 'number' }, i + 1), code(each))),
  );
}
