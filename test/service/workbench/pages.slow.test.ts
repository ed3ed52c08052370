/** Each page of the workbench, without a server: empty, usual, with hostile texts, and long. */

import { describe, expect, test } from 'vitest';
import type { Linked } from '../../../src/audit/query/linked.ts';
import type { FoundDecision } from '../../../src/audit/read/search-entry.ts';
import type { Impact } from '../../../src/release/evidence/impact.ts';
import type { Proof } from '../../../src/release/evidence/proof.ts';
import type { ListedRelease } from '../../../src/release/listing.ts';
import type { Manifest } from '../../../src/release/manifest.ts';
import { decisionContent } from '../../../src/report/html/decision-page.ts';
import { type Page, type RecordContent, writePage } from '../../../src/report/html/document.ts';
import { body, html, Markup, p, type ServedAttributes } from '../../../src/report/html/markup.ts';
import { recordContent } from '../../../src/report/html/record-page.ts';
import * as served from '../../../src/report/html/served.ts';
import { differenceOf } from '../../../src/service/workbench/data/releases/text-difference.ts';
import { type CaseData, casePage } from '../../../src/service/workbench/pages/case-page.ts';
import { type ChangeData, changePage } from '../../../src/service/workbench/pages/change-page.ts';
import { type ComparisonData, comparisonPage } from '../../../src/service/workbench/pages/comparison-page.ts';
import {
  type DecisionData,
  type DecisionsData,
  decisionsPage,
  keptWords,
  messagePage,
  recordedPage,
} from '../../../src/service/workbench/pages/decisions-page.ts';
import { type HomeData, homePage } from '../../../src/service/workbench/pages/home-page.ts';
import {
  type PolicyCard,
  type PolicyData,
  policiesPage,
  policyPage,
} from '../../../src/service/workbench/pages/policy-pages.ts';
import { type QueueData, queuePage } from '../../../src/service/workbench/pages/queue-page.ts';
import { languagePage } from '../../../src/service/workbench/pages/reference-page.ts';
import { type ReleaseData, releasePage, releasesPage } from '../../../src/service/workbench/pages/release-pages.ts';
import { type RuleData, rulePage } from '../../../src/service/workbench/pages/rule-page.ts';
import { type TodayData, todayPage } from '../../../src/service/workbench/pages/today-page.ts';
import { writeServed } from '../../../src/service/workbench/parts/frame.ts';
import { lane } from '../../../src/service/workbench/parts/lanes.ts';
import { SERVED_STYLESHEET } from '../../../src/service/workbench/stylesheet.ts';
import { leadingCode } from '../../../src/service/workbench/words/case.ts';
import type { Case } from '../../../src/stores/state/cases.ts';
import {
  DAY,
  ERASED,
  everythingExample,
  manyRulesExample,
  onboardingExample,
} from '../../support/report/example-pages.ts';
import { HOSTILE_SHOWN, hostile, spoil, spoilPage } from '../../support/report/hostile.ts';
import { all, textOf } from '../../support/report/read-page.ts';
import { readServed } from '../../support/service/workbench/served-page.ts';

/** Made once: each is decided and explained. */
const [ONBOARDING, EVERYTHING, MANY] = [onboardingExample(), spoilPage(everythingExample()), manyRulesExample(300)];
const onboarding = ONBOARDING.policy;

const NOW = Date.parse(`${DAY}T12:00:00Z`);
const MINUTE_MS = 60_000;

const ID = '019a9f3c-7e40-7c11-9d2e-5b8a4f60c3d7';
const idOf = (n: number) => `019a9f3c-7e40-7c11-9d2e-${String(n).padStart(12, '0')}`;

/** A text of a form that is as long as one may be. */
const LONG = 'word '.repeat(400);

const reader = { display: 'Rita Okoye', csrf: 'token' };
const hostileReader = { ...reader, display: hostile('Rita') };

const times = <One>(count: number, make: (n: number) => One): readonly One[] =>
  Array.from({ length: count }, (_, n) => make(n));

const HOME_EMPTY: HomeData = {
  ...{ now: NOW, policies: [], changes: [], changed: undefined, days: [], unknown: [], saved: [], queues: [] },
  ...{ attention: [], inDoubt: 0 },
};

const homeData = (name: string, days: number, more: number): HomeData => ({
  now: NOW,
  policies: times(more, (n) => ({ name: `policy-${n}`, version: name, since: NOW, brokenSince: DAY })),
  changes: times(more, (n) => ({ name, version: `${name}${n}`, at: NOW - n * 86_400_000 })),
  changed: {
    ...{ name: 'onboarding', version: name, at: NOW },
    now: { decisions: 1204, reviews: 82 },
    before: { decisions: 900, reviews: 37 },
    risen: { rule: name, by: 0.021 },
  },
  days: times(days, (n) => ({
    day: new Date(NOW - (days - 1 - n) * 86_400_000).toISOString().slice(0, 10),
    counts: n % 3 === 0 ? [0, 0, 0] : [n, 2, 1],
    all: n % 3 === 0 ? 0 : n + 3,
  })),
  unknown: times(more, (n) => ({
    ...{ source: name, cause: name, share: 0.031, isRising: n % 2 === 0 },
    shareBefore: n % 2 === 0 ? 0.01 : undefined,
  })),
  saved: times(more, () => ({
    ...{ source: name, cause: 'notRequested', share: 0.7, shareBefore: undefined, isRising: false },
  })),
  queues: times(more, (n) => ({ name, waiting: 1000 * n, overdue: 1, firstDue: NOW + (n - 1) * MINUTE_MS })),
  attention: times(more, () => name),
  inDoubt: more,
});

const caseOf = (n: number, more: Partial<Case> = {}): Case => ({
  ...{ id: idOf(n), decision: idOf(n), kind: 'review', queue: 'default', state: 'open' },
  ...{ openedAt: NOW, due: NOW + n * MINUTE_MS, token: 1, disposition: null, resolvedAt: null, note: null },
  ...{ holder: 'Rita Okoye <rita>', until: NOW + 15 * MINUTE_MS, takenAt: NOW, asked: null, sleepsUntil: null },
  ...{ policy: 'onboarding', codes: ['PORTED'], score: 40, facts: {}, reservedFor: null, reservedUntil: null },
  ...more,
});

const queueData = (name: string, count: number): QueueData => ({
  now: NOW,
  queues: [
    { name, waiting: count, overdue: Math.min(1, count), firstDue: NOW - MINUTE_MS },
    { name: `${name}2`, waiting: 0, overdue: 0, firstDue: Number.POSITIVE_INFINITY },
  ],
  mine: times(Math.min(1, count), (n) => caseOf(n)),
  given: times(Math.min(3, count), (n) =>
    caseOf(n, {
      ...{ holder: null, until: null, reservedFor: name, reservedUntil: NOW + MINUTE_MS },
      ...(n === 1 ? { sleepsUntil: NOW + MINUTE_MS, asked: n === 1 ? 'document' : null } : {}),
    }),
  ),
  cases: times(count, (n) =>
    caseOf(n, {
      queue: name,
      holder: name,
      codes: [name, 'SCORE'],
      facts: { 'context.product': name },
      openedAt: NOW - n,
    }),
  ),
  references: new Map(times(count, (n) => [idOf(n), `${name} ${n}`])),
  reasonOf: (code) => code,
  filters: { queue: name, 'context.product': name },
  choices: {
    ...{
      queue: [
        [name, name],
        ['other', 'other'],
      ],
      code: [
        [name, name],
        ['SCORE', 'SCORE'],
      ],
      policy: [],
    },
    ...{
      situation: [
        ['free', 'free'],
        ['held', 'held'],
      ],
      due: [
        ['overdue', 'overdue'],
        ['day', 'day'],
      ],
    },
    holder: [
      ['me', 'me'],
      ['other', name],
    ],
  },
  shows: [['context.product', name]],
  outages: [name],
  backlog: times(Math.min(2, count), (n) => ({ name: `${name}, ${n}`, counts: [n, 1] })),
  flow: times(Math.min(2, count), (n) => ({ hour: Math.floor(NOW / 3_600_000) + n, opened: n, resolved: 2 })),
  people: times(Math.min(2, count), (n) => ({
    ...{ name, resolver: idOf(n), decided: 4, approved: 3, overturned: 1, late: 2, medianMs: n === 0 ? null : 90_000 },
  })),
  more: count > 10 ? '/queue?after=abc' : undefined,
  nameOf: (holder) => holder,
  ...{ mayTake: new Set([idOf(0), idOf(2)]), matches: count },
});

const personalOf = (text: string, count = 3) => ({
  facts: times(count, (n) => ({ path: `applicant.fact${n}`, text })),
  ...{ isRevealed: false, mayReveal: true },
});

const linkedOf = (count: number, text = 'context.device'): Linked => ({
  shared: [
    ...['phoneNo', 'ip/24', text].map((name) => ({ name, before: count, later: count > 1 ? 1 : 0 })),
    { name: 'email', before: 0, later: 0 },
  ],
  decisions: times(count, (n) => ({
    ...{ id: idOf(n), outcome: 'accept' as const, at: new Date(NOW + (1 - n) * MINUTE_MS).toISOString() },
    ...{ shares: ['phoneNo', text], isLater: n === 0, isErased: n === 2, isSameReference: n === 1 },
    countedBy: n > 0 ? ['velocity.sameDevice1h'] : [],
    ...(n === 1 ? { review: 'approve' as const, label: 'fraud' as const } : {}),
  })),
  counts:
    count === 0
      ? []
      : times(3, (n) => ({
          path: n === 2 ? 'velocity.nobody' : 'velocity.sameDevice1h',
          velocity: { count: 'applications', by: [text], withinMs: 60 * MINUTE_MS } as const,
          fact: { value: n === 2 ? 0 : 7 },
          number: [7, 5, 0][n] ?? null,
          decisions: n === 2 ? [] : times(count - 1, (i) => idOf(i + 1)),
          closed: n === 1 ? 2 : 0,
        })),
});

const ROOMS = ['/', '/queue', '/policies'];

const seenOf = (decision: RecordContent, text = 'd•••', count = 3): NonNullable<CaseData['seen']> => ({
  ...{ at: NOW, outcome: 'review', reference: text, decision, personal: personalOf(text, count) },
  entries: [{ fact: 'applicant.ip', list: text, file: 'lists/x.txt' }],
  ...{ because: { because: 'fired', code: 'PORTED_AND_RISKY_EMAIL' }, facts: personalOf(text, 1).facts },
  ...{ linked: linkedOf(count), labels: new Map([['context.device', text]]) },
  history: times(count, () => ({
    at: `${DAY}T12:00:00.000Z`,
    what: 'case.asked',
    by: text,
    why: text,
    code: 'document',
  })),
  cases: new Map(times(count, (n) => [idOf(n), { id: idOf(n), state: 'open', holder: n === 1 ? text : undefined }])),
});

const CASE: CaseData = {
  ...{ now: NOW, case: caseOf(1), isHeld: true, holder: 'Rita Okoye', keptFor: undefined, waiting: 3 },
  reasons: { approve: ['Identity document seen'], decline: ['Signs of fraud'] },
  ...{ asks: ['document'], queues: ['fraud'], reviewers: [['Raj Mehta <raj>', 'Raj Mehta']] },
  may: { take: true, recheck: true },
  seen: { ...seenOf(decisionContent(ONBOARDING)), reference: 'ONB-7731' },
};

const NOBODYS = { take: false, refusal: 'you skipped it', recheck: false };

const rowOf = (text: string, n: number): FoundDecision => ({
  at: `${DAY}T12:04:31.518Z`,
  id: idOf(n),
  outcome: 'review',
  reasons: { decisive: [text], fired: [text], undetermined: [text] },
  rules: [text],
  undetermined: [text],
  missing: { notReturned: [text] },
  policy: { name: text, version: text, digest: '' },
  erased: n % 2 === 0,
});

const decisionsData = (text: string, count: number): DecisionsData => ({
  filters:
    count === 0 ? {} : { from: DAY, outcome: 'review', code: text, rule: text, undetermined: text, policy: text },
  rows: times(count, (n) => rowOf(text, n)),
  references: new Map(times(count, (n) => [idOf(n), n % 2 === 0 ? text : `A-${n}`])),
  known: { code: [text], rule: [text], undetermined: [], policy: [text] },
  ...{ total: count, more: count > 10 ? '/decisions?after=abc' : undefined, mayFindPeople: true },
});

const recordedData = (decision: Page, text = 'd•••'): DecisionData => ({
  ...{ id: ID, decision, personal: personalOf(text), isReadable: true, case: ID, lastCase: ID },
  entries: [{ fact: text, list: text, file: 'lists/x.txt' }],
  may: { replay: true, note: true, pack: true },
  replay: { same: false, recorded: 'review', again: 'accept' },
});

const policyData = (policy: PolicyData['policy'], text: string, entries: number): PolicyData =>
  ({
    ...{
      name: 'onboarding',
      policy,
      digest: text,
      day: DAY,
      brokenSince: entries > 0 ? `${DAY}T12:00:00.000Z` : undefined,
    },
    ...{ fired: new Map([['port-and-email', 0.01]]), undetermined: new Map(), tests: undefined },
    filters: entries > 0 ? { owner: text } : {},
    lists: [
      { name: text, size: entries, entries: new Map(times(entries, (n) => [`${text}${n}`, n % 2 ? DAY : undefined])) },
      { name: `${text}2`, size: entries, entries: undefined },
    ],
    files: new Map([[text, `${text}\n`.repeat(entries)]]),
    history: times(entries, () => ({ version: text, from: DAY, to: DAY, decisions: 1000 })),
  }) as PolicyData;

const SHADOW = { ...(onboarding.rules[0] as RuleData['rule']), shadow: true };

const ruleData = (policy: RuleData['policy'], text: string, count: number): RuleData => ({
  ...{ name: 'onboarding', policy, rule: policy.rules[0] as RuleData['rule'], day: DAY, decisions: count, isAll: true },
  undetermined: 0,
  days: times(30, (n) => ({ day: `2026-10-${String(n + 1).padStart(2, '0')}`, counts: [n, 1], all: n * count })),
  said: { approve: 2 * count, decline: count, fraud: count, genuine: 0 },
  among: count,
  beside: times(count, (n) => ({ rule: `${text}${n}`, n: n + 1 })),
  last: times(count, (n) => rowOf(text, n)),
  references: new Map([[idOf(0), text]]),
  text: `- id: ${text}`,
  tests: times(count, () => text),
});

const cardOf = (text: string, { failed = 2 } = {}): PolicyCard => ({
  ...{ name: 'onboarding', version: text, since: NOW, rules: 1029, decisions: 12_345 },
  rate: { reviews: 82, of: 5000 },
  tests: { ...TESTS, passed: 1193, failed },
  alerts: failed > 0 ? [text] : [],
});

const UNDECIDED = { rules: 3, decisions: 0, rate: undefined, tests: undefined, alerts: [] };

const todayData = (text: string, name: string, count: number): TodayData => ({
  ...{ decisions: 5000, isAll: false },
  names: [{ name, values: times(count, (n) => sharedBy(text, n)) }],
});

const sharedBy = (text: string, n: number) => ({
  ...{ text, decisions: 1000 + n, reviews: 250, rejects: 10, last: { id: idOf(n), at: NOW } },
});

const TESTS: NonNullable<PolicyData['tests']> = {
  ...{ passed: 12, failed: 0, skipped: 0, failing: [], problems: [] },
  fired: new Map([['onboarding', new Map([['port-and-email', times(12, (n) => `a moved number, ${n}`)]])]]),
};

const comparisonData = (text: string, more: number): ComparisonData => ({
  ...{ name: 'onboarding', old: text, now: `${text}2`, hiddenLists: more > 0 ? [text] : [] },
  edits: times(more, (n) => ({
    kind: (['added', 'removed', 'changed', 'renamed'] as const)[n % 4] ?? 'added',
    path: [n % 3 === 2 ? 'lists' : 'rules', text],
    text: `rule ${text} is another one`,
  })),
});

const unfiltered = (data: PolicyData): PolicyData => ({ ...data, filters: {} });

/** The pages in their states. */
const IN_FORCE = { number: 1, title: 'First rules', refused: undefined };

const listedOf = (text: string, n: number): ListedRelease => ({
  ...{ number: n + 1, state: 'in force', title: text, authors: [text], approvals: n > 0 ? [text] : [] },
  ...{ createdAt: `${DAY}T12:00:00.000Z`, ...(n > 0 ? { activatedAt: `${DAY}T13:00:00.000Z` } : {}) },
});

const list = <Item>(count: number, make: (n: number) => Item) => [...times(count, make)];

const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** A release with evidence that says a text everywhere; without evidence for a count of 0. */
const releaseData = (text: string, count: number): ReleaseData => {
  const manifest: Manifest = {
    ...{ format: 1, series: ID, number: 2, base: { number: 1, digest: DIGEST }, title: text, authors: [text] },
    ...{ createdAt: `${DAY}T12:00:00.000Z`, engine: '1', language: 2, mapping: 'signals.yaml' },
    ...{ policies: { [text]: { file: 'p.yaml', version: '1' } }, files: { [text]: DIGEST, 'p.yaml': DIGEST } },
  };
  const region = { from: 'review' as const, to: 'accept' as const, firstDay: DAY, isFound: true };
  const counted = {
    ...{
      decided: 1200,
      changed: 3,
      days: 30,
      flows: [{ from: 'review' as const, to: 'accept' as const, applicants: 3 }],
    },
    ...{ reviewsADay: { before: 6, after: 5.9 }, notJudged: { erased: 1, unreadable: 0, aborted: 0, open: 2 } },
  };
  const proof: Proof = {
    ...{ format: 1, engine: '1', language: 2, day: DAY, steps: 1, mapping: 'same', guarantees: [], lists: [] },
    check: { errors: [], warnings: [], silenced: [] },
    tests: { passed: 1, failed: [], skipped: [], changed: [{ file: text, name: text, line: 1 }], removed: [] },
    coverage: [
      { policy: text, goals: 2, reached: 1, unreached: list(count, (n) => ({ file: text, line: n + 1, what: text })) },
    ],
    policies: [
      {
        ...{
          name: text,
          from: '1',
          to: '2',
          edits: [text],
          regions: list(count, () => ({ ...region, conditions: [text], rules: [text] })),
          elsewhere: 'same',
        },
        ...{ undecided: [], days: [DAY], alone: [], aloneLeftOut: 0, beyond: [] },
      },
    ],
  };
  const impact: Impact = {
    ...{ format: 1, engine: '1', log: ID, heads: [], from: `${DAY}T12:00:00.000Z`, until: `${DAY}T12:00:00.000Z` },
    ...{ matureDays: 0, others: 0, policies: list(count, () => ({ name: text, from: '1', to: '2', counted })) },
  };
  const evidence = count === 0 ? { proof: undefined, impact: undefined } : { proof, impact };
  const texts = count === 0 ? { proof: undefined, impact: undefined } : { proof: '{}', impact: '{}' };
  const [notes, release] = [[], { number: 2, manifest: '', content: undefined, activation: undefined }] as const;
  return {
    judged: {
      ...{ release: { ...release, ...texts, notes }, read: { manifest, text: '', digest: DIGEST }, ...evidence },
      ...{ approvals: [], rejections: [], tightening: undefined, confirmation: undefined, against: [text] },
    },
    ...{
      state: 'proposed' as const,
      refused: undefined,
      evidence: undefined,
      edited: [
        { path: text, difference: undefined },
        { path: `b/${text}`, difference: differenceOf(`${text}\na\n`, `${text}\nb`) },
        { path: `d/${text}`, difference: differenceOf(`${text}\na\n`, `${text}\nb`) },
        { path: 'c', difference: { parts: [], left: undefined } },
      ],
      isOwn: false,
      hasApproved: false,
      watched: { state: count === 0 ? undefined : text, impact: count === 0 ? undefined : impact },
    },
    ...{ isFresh: true, may: { edit: true, approve: true, tighten: true, confirm: false } },
  };
};

const changeData = (text: string, words = 'x'): ChangeData => ({
  draft: {
    ...{ id: '0a1b2c3d', version: 3, base: 2, title: words, authors: [words, 'ana'], by: words },
    ...{ edited: { 'p.yaml': text }, at: '2026-11-20T09:00:00.000Z' },
  },
  ...{ file: 'p.yaml', files: ['p.yaml', 'lists/people.txt'], text, isEditable: true, over: undefined },
});

const releasesData = (words: string, count: number) => ({
  ...{ inForce: IN_FORCE, mayEdit: true, releases: times(count, (n) => listedOf(words, n)) },
  drafts: times(count, () => changeData('x', words).draft),
  decided: new Map([
    [1, { decisions: 1200, reviews: 84 }],
    [2, { decisions: 0, reviews: 0 }],
  ]),
});

/** With all that can be asked. */
const changeAnswers = (words: string): Partial<ChangeData> => ({
  found: [{ code: 'never-fires', severity: 'warning', file: 'p.yaml', message: words }],
  tests: { passed: 3, skipped: 1, failed: [{ file: 'p.test.yaml', line: 3, name: words, why: words }], reached: [] },
  compared: { changes: [words], doubts: [words] },
  ...{ facts: words, tried: [words] },
  ...{ conflict: { by: words, text: words }, problem: words, over: 7 },
});

const PAGES: Readonly<Record<string, Readonly<Record<string, () => Page>>>> = {
  home: {
    empty: () => homePage(HOME_EMPTY, ROOMS),
    usual: () => homePage(homeData('2026.12', 30, 2), ROOMS),
    hostile: () => homePage(homeData(hostile('x'), 30, 2), ROOMS),
    long: () => homePage(homeData(LONG, 90, 100), ROOMS),
  },
  queue: {
    empty: () => queuePage(queueData('default', 0), reader),
    usual: () => queuePage(queueData('default', 3), reader),
    hostile: () => queuePage(queueData(hostile('x'), 3), hostileReader),
    long: () => queuePage(queueData(LONG, 200), reader),
    'of somebody who takes none': () =>
      queuePage(
        { ...queueData('default', 3), mayTake: undefined, references: undefined, shows: [], people: undefined },
        reader,
      ),
  },
  case: {
    empty: () => casePage({ ...CASE, isHeld: false, holder: undefined, seen: undefined, reviewers: [] }, reader),
    usual: () => casePage(CASE, reader),
    hostile: () =>
      casePage(
        {
          ...{ ...CASE, case: caseOf(1, { queue: hostile('queue') }), holder: hostile('Raj'), isHeld: false },
          draft: { disposition: hostile('approve'), reason: hostile('1'), why: hostile('text') },
          seen: seenOf(decisionContent(EVERYTHING), hostile('fact')),
        },
        hostileReader,
      ),
    long: () =>
      casePage(
        {
          ...CASE,
          draft: { disposition: 'approve', why: LONG },
          seen: seenOf(decisionContent(MANY), LONG, 20),
        },
        reader,
      ),
    revealed: () =>
      casePage(
        { ...CASE, seen: { ...CASE.seen, personal: { ...personalOf('x'), isRevealed: true } } as CaseData['seen'] },
        reader,
      ),
    lost: () => casePage({ ...CASE, isHeld: false, holder: 'Raj Mehta', draft: { why: LONG } }, reader),
    resolved: () =>
      casePage(
        {
          ...{ ...CASE, isHeld: false },
          case: caseOf(1, { state: 'resolved', holder: null, disposition: 'decline', resolvedAt: NOW }),
          seen: {
            ...(CASE.seen as NonNullable<CaseData['seen']>),
            history: [
              { at: new Date(NOW).toISOString(), what: 'case.resolved', by: 'Raj Mehta', why: 'Signs of fraud' },
            ],
          },
        },
        reader,
      ),
    skipped: () => casePage({ ...CASE, isHeld: false, holder: undefined, may: NOBODYS }, reader),
    erased: () => casePage({ ...CASE, seen: seenOf(recordContent(ERASED), '', 0) }, reader),
    'of an approver': () =>
      casePage({ ...CASE, isHeld: false, seen: undefined, may: { take: false, recheck: false } }, reader),
  },
  decisions: {
    empty: () => decisionsPage({ ...decisionsData('', 0), mayFindPeople: false }, reader),
    usual: () => decisionsPage(decisionsData('PORTED', 3), reader),
    hostile: () => decisionsPage({ ...decisionsData(hostile('x'), 3), found: hostile('found') }, hostileReader),
    long: () => decisionsPage(decisionsData('A'.repeat(200), 50), reader),
    'of a code that decided nothing': () =>
      decisionsPage(
        { ...decisionsData('', 0), filters: { code: 'X', from: DAY }, open: [{ rule: 'x', n: 2282 }] },
        reader,
      ),
    refused: () => decisionsPage({ ...decisionsData(hostile('x'), 0), problem: hostile('problem') }, reader),
  },
  decision: {
    empty: () =>
      recordedPage({ ...recordedData(recordContent(ERASED)), personal: personalOf('', 0), isReadable: false }, reader),
    usual: () => recordedPage(recordedData(decisionContent(ONBOARDING)), reader),
    hostile: () => recordedPage(recordedData(decisionContent(EVERYTHING), hostile('fact')), hostileReader),
    long: () => recordedPage(recordedData(decisionContent(MANY), LONG), reader),
    'erased, with hostile texts': () =>
      recordedPage(recordedData(recordContent(spoil(ERASED) as typeof ERASED)), reader),
  },
  policies: {
    empty: () => policiesPage([]),
    usual: () => policiesPage([cardOf('2026.12', { failed: 0 })]),
    hostile: () => policiesPage([cardOf(hostile('2026'))]),
    long: () => policiesPage(times(100, (n) => ({ ...cardOf(LONG), name: `policy-${n}` }))),
    'without a log': () => policiesPage([{ ...UNDECIDED, name: 'onboarding', version: '1' }]),
  },
  today: {
    empty: () => todayPage({ decisions: 0, isAll: true, names: [] }),
    usual: () => todayPage(todayData('203.0.113.•', 'ip', 5)),
    hostile: () => todayPage(todayData(hostile('x'), hostile('context.device'), 2)),
    long: () => todayPage(todayData(LONG, 'ip/24', 50)),
  },
  policy: {
    empty: () => policyPage({ ...policyData(onboarding, 'none', 0), lists: [], fired: undefined, files: undefined }),
    usual: () => policyPage(unfiltered(policyData(onboarding, 'partners', 3))),
    hostile: () => policyPage(unfiltered(policyData(EVERYTHING.policy, hostile('x'), 3))),
    long: () => policyPage(unfiltered(policyData(MANY.policy, 'entry', 600))),
    'with no rule left by its filters': () => policyPage(policyData(onboarding, hostile('x'), 3)),
    'with a shadow rule that never fired': () =>
      policyPage({ ...policyData({ ...onboarding, rules: [SHADOW] }, 'x', 3), filters: { fired: 'no' } }),
    'with the rules that fired most': () =>
      policyPage({
        ...policyData(onboarding, 'x', 3),
        filters: { sort: 'fired' },
        fired: new Map([['ip-abroad', 0.5]]),
      }),
    'with tests that cannot be read': () =>
      policyPage({
        ...policyData(onboarding, 'x', 3),
        filters: {},
        tests: { ...TESTS, problems: ['p.yaml:1:2: bad'] },
      }),
    'with tests': () => policyPage({ ...policyData(onboarding, 'x', 3), filters: {}, tests: TESTS }),
    'with rules that fired': () => policyPage({ ...policyData(onboarding, 'x', 3), filters: { fired: 'yes' } }),
    'with rules that never fired': () => policyPage({ ...policyData(onboarding, 'x', 3), filters: { fired: 'no' } }),
  },
  rule: {
    empty: () => rulePage({ ...ruleData(onboarding, 'x', 0), last: undefined, text: undefined, tests: undefined }),
    usual: () => rulePage(ruleData(onboarding, 'HB-1', 3)),
    hostile: () => rulePage(ruleData(EVERYTHING.policy, hostile('x'), 3)),
    long: () => rulePage(ruleData(MANY.policy, LONG, 10)),
    'that is only undetermined': () => rulePage({ ...ruleData(onboarding, 'x', 0), undetermined: 2282 }),
    'a shadow': () => rulePage({ ...ruleData(onboarding, 'x', 0), rule: SHADOW }),
  },
  releases: {
    usual: () => releasesPage(releasesData('Young domains', 3), reader),
    hostile: () =>
      releasesPage(
        { ...releasesData(hostile('x'), 1), inForce: { ...IN_FORCE, refused: hostile('x') } },
        hostileReader,
      ),
    long: () => releasesPage(releasesData(LONG, 300), reader),
  },
  release: {
    empty: () => releasePage({ ...releaseData('x', 0), edited: [] }, reader),
    usual: () => releasePage(releaseData('Young domains', 2), reader),
    hostile: () => releasePage(releaseData(hostile('x'), 2), hostileReader),
    long: () => releasePage(releaseData(LONG, 100), reader),
    'whose evidence is made': () => releasePage({ ...releaseData('x', 0), evidence: 'making' }, reader),
    'whose evidence could not be made': () => releasePage({ ...releaseData('x', 0), evidence: 'no memory' }, reader),
    'whose decisions are counted': () =>
      releasePage({ ...releaseData('x', 0), watched: { state: 'making', impact: undefined } }, reader),
    'of the reader': () => releasePage({ ...releaseData('x', 2), isOwn: true }, reader),
    'for who signed in long ago': () => releasePage({ ...releaseData('x', 2), isFresh: false }, reader),
    'that was overtaken': () => releasePage({ ...releaseData('x', 2), state: 'overtaken' }, reader),
    'that this machine refused': () =>
      releasePage({ ...releaseData('x', 2), state: 'in force', refused: hostile('x') }, hostileReader),
  },
  change: {
    usual: () => changePage(changeData('rules:\n'), reader),
    hostile: () =>
      changePage({ ...changeData(hostile('text'), hostile('x')), ...changeAnswers(hostile('x')) }, hostileReader),
    long: () => changePage({ ...changeData(`${LONG}\n`.repeat(100), LONG), ...changeAnswers(LONG) }, reader),
    'that a browser would change': () => changePage({ ...changeData('x'), isEditable: false }, reader),
  },
  comparison: {
    empty: () => comparisonPage(comparisonData('2026.11', 0)),
    usual: () => comparisonPage(comparisonData('2026.11', 5)),
    hostile: () => comparisonPage(comparisonData(hostile('x'), 12)),
    long: () => comparisonPage(comparisonData(LONG, 300)),
  },
  reference: Object.fromEntries(
    (['facts', 'operators', 'checks'] as const).map((each) => [each, () => languagePage(each)]),
  ),
  message: {
    empty: () => messagePage('Sign in', []),
    usual: () => messagePage('Sign in', ['Your session ended.'], [served.link({ href: '/' }, 'Home')]),
    hostile: () => messagePage(hostile('x'), [hostile('x')], [keptWords([hostile('why'), hostile('text')])]),
    long: () => messagePage('Too long', [LONG], [keptWords([LONG, LONG])]),
  },
};

const frameOf = (isHostile: boolean) => ({
  sections: [
    { path: '/', name: 'Home', key: 'h' },
    { path: '/queue', name: 'Queue', key: 'q' },
  ],
  at: '/queue',
  assets: { styles: '/assets/0.css', script: '/assets/0.js', editor: '/assets/1.js' },
  reader: isHostile ? hostileReader : reader,
  done: isHostile ? hostile('done') : undefined,
});

const CASES = Object.entries(PAGES).flatMap(([name, states]) =>
  Object.entries(states).map(([state, make]) => [name, state, make] as const),
);

test.each(CASES)('the page %s is whole: %s', (name, state, make) => {
  const isHostile = /hostile|refused/.test(state);
  const page = readServed(writeServed(make(), frameOf(isHostile)));
  const text = textOf(page);
  if (name !== 'reference') expect(text).not.toMatch(/undefined|null|NaN|Infinity|\[object|Invalid Date/);
  if (isHostile) expect(text).toContain(`done${HOSTILE_SHOWN}`);
});

describe('what a page says', () => {
  const textOfPage = (name: string, state: string) =>
    textOf(readServed(writeServed(PAGES[name]?.[state]?.() as Page, frameOf(false))));

  test.each([
    ['home', 'usual', 'Since the first decision of onboarding 2026.12, 2026-11-20 12:00 UTC: 1,204 decisions.'],
    [
      'home',
      'usual',
      'Review rate 6.8 %, in the 30 days before it 4.1 %: +2.7 points (+0.7 to +4.6 with 95 % confidence).',
    ],
    ['queue', 'empty', 'No case is waiting.'],
    ['case', 'lost', 'You no longer hold this case, so nothing was recorded. Raj Mehta has it now.'],
    ['case', 'usual', 'ONB-7731 · new · Ported and risky email'],
    ['case', 'usual', 'approve, fraud'],
    ['case', 'usual', 'Seen before: phone number 3, network /24 3, d••• 3. Seen since: phone number 1,'],
    ['case', 'usual', 'phone number the newest 3 of 4 are drawn'],
    [
      'case',
      'resolved',
      'It is resolved: declined on 2026-11-20 12:00 UTC by Raj Mehta.Signs of fraudBack to the queue',
    ],
    ['case', 'skipped', 'You cannot take it: you skipped it.'],
    ['queue', 'usual', '3 cases match.'],
    ['case', 'usual', 'sameDevice1h applications by context.device within 1 hour: 7. These 2 are marked below.'],
    ['case', 'usual', 'The log gives 5: 2 decisions that may have counted can no longer be read.'],
    ['case', 'usual', 'Counted nobody: nobody.'],
    ['case', 'usual', 'Shared with no other decision: email address.'],
    ['case', 'usual', 'Since this decision: it had no part in it'],
    ['case', 'of an approver', 'Your roles do not show the decision.'],
    ['case', 'erased', 'Its facts were erased.'],
    ['decisions', 'empty', 'No decision.'],
    [
      'decisions',
      'of a code that decided nothing',
      'The code is of the rule x: it could not be determined in 2,282 decisions.',
    ],
    ['policy', 'long', 'And 100 more.'],
    ['policy', 'with no rule left by its filters', `0 of ${onboarding.rules.length} rules.`],
    ['policy', 'with tests', 'port-and-email: a moved number, 0; a moved number, 1;'],
    ['policy', 'with tests', 'a moved number, 9, and 2 more'],
    ['policy', 'with tests', `Fires in no test: ${onboarding.rules.length - 1} rules`],
    ['rule', 'usual', 'Approved by reviewers66.7 % (35.4 % to 87.9 % with 95 % confidence): 6 of 9'],
    ['rule', 'usual', 'Frauds among those with a label100.0 % (43.9 % to 100.0 % with 95 % confidence): 3 of 3'],
    ['rule', 'usual', 'Of the 3 decisions in which it fired:'],
    ['rule', 'empty', 'It has fired in no decision.'],
    ['rule', 'that is only undetermined', 'In the last 30 days it could not be determined in 2,282 decisions.'],
    ['rule', 'a shadow', 'and is not counted here: verdict audit shadow LOG --rule'],
    ['policy', 'with a shadow rule that never fired', '0 of 1 rule.'],
    ['policy', 'with tests that cannot be read', 'so none was run:p.yaml:1:2: bad'],
    ['policy', 'with the rules that fired most', 'UndeterminedTestsip-abroad'],
    ['policies', 'usual', 'Review rate1.6 % of its newest 5,000 decisionsDecisions in 30 days12,345'],
    ['policies', 'usual', 'Rules1,029Tests in its folder1,193 passed'],
    ['policies', 'long', '1,193 passed, 2 failed'],
    ['policies', 'without a log', 'Review rate–'],
    ['today', 'usual', 'Of the newest 5,000 decisions since midnight, UTC.'],
    ['today', 'usual', '203.0.113.•1,00025.0 %1.0 %2026-11-20 12:00 UTC'],
    ['today', 'empty', 'Nothing is in two of them.'],
    ['releases', 'usual', 'Release 1 is in force: First rules.'],
    ['release', 'usual', 'milder: Young domains, Young domains review to accept: Young domains'],
    ['release', 'usual', 'Young domains1,2003review to accept 36.0 to 5.9no labels3'],
    ['release', 'long', 'not tested: 50 more, which'],
    ['release', 'empty', 'It has no evidence yet.'],
    ['release', 'whose evidence is made', 'This page loads itself again.'],
    ['release', 'whose evidence could not be made', 'could not be made: no memory.'],
    ['release', 'of the reader', 'You wrote it, so another person approves it.'],
    ['release', 'for who signed in long ago', 'Sign in again to approve'],
    ['release', 'that was overtaken', 'It cannot come into force any more'],
    ['change', 'that a browser would change', 'A browser would change this file'],
    ['change', 'hostile', 'Release 7 is in force now'],
    ['comparison', 'empty', 'Both versions say the same.'],
    ['comparison', 'usual', '5 edits.'],
    ['comparison', 'usual', 'Other entries, which your roles do not show, in 2026.11.'],
    ['home', 'usual', '2 references are in doubt: the call may have been billed'],
    ['policy', 'with rules that fired', `1 of ${onboarding.rules.length} rules.`],
    ['policy', 'with rules that never fired', `${onboarding.rules.length - 1} of ${onboarding.rules.length} rules.`],
  ])('%s, %s: %s', (name, state, words) => {
    expect(textOfPage(name, state)).toContain(words);
  });

  test('Home leads to each queue by itself', () => {
    const page = readServed(writeServed(homePage(homeData('take over', 30, 2), ROOMS), frameOf(false)));
    const links = all(page, 'a').filter((each) => textOf(each) === 'take over');
    expect(links.map(({ attributes }) => attributes['href'])).toContain('/queue?queue=take+over');
  });

  test('a hostile text is on the page as a text, wherever it comes from', () => {
    for (const [name, states] of Object.entries(PAGES)) {
      if (!states['hostile']) continue;
      const text = textOf(readServed(writeServed(states['hostile'](), frameOf(false))));
      expect(text, name).toContain(HOSTILE_SHOWN);
    }
  });

  test('a decision that was found has one line: its reference, and what decided', () => {
    const found = {
      ...rowOf('x', 1),
      reasons: { decisive: ['PORTED'], fired: ['EMAIL_RISK_HIGH'], undetermined: ['DARK_WEB'] },
      policy: { name: 'onboarding', version: '2026.11', digest: '' },
      review: 'approve',
    } as const;
    const { reasons: _, review: __, ...other } = { ...found, id: idOf(2) };
    const earlier = { ...other, codes: ['EMAIL_RISK_HIGH'], erased: true, rules: [], undetermined: [] };
    const references = new Map([[found.id, 'HB-000012']]);
    const data = { ...decisionsData('', 0), rows: [found, earlier], references, total: 2 };
    const page = readServed(writeServed(decisionsPage(data, reader), frameOf(false)));
    const rows = all(page, 'tr').map((row) => row.children.map((cell) => textOf(cell as typeof page)));
    expect(rows).toEqual([
      ['Reference', 'Decided', 'Outcome', 'Decided by', 'Policy', 'After review'],
      ['HB-000012', `${DAY} 12:04 UTC`, '◆ review', 'PORTED', 'onboarding 2026.11', 'approve'],
      ['…000000000002 erased', `${DAY} 12:04 UTC`, '◆ review', 'EMAIL_RISK_HIGH~', 'onboarding 2026.11', '–'],
    ]);
    const [link] = all(page, 'a').filter((each) => textOf(each) === 'HB-000012');
    expect(link?.attributes).toMatchObject({ href: `/decisions/${found.id}`, title: found.id });
    expect(all(page, 'caption').map(textOf)).toEqual(['The newest first; R~ an earlier record, which does not say']);
  });

  test('a case that is not held has no form that decides it', () => {
    for (const [state, count] of [
      ['usual', 1],
      ['lost', 0],
      ['resolved', 0],
      ['of an approver', 0],
    ] as const) {
      const page = readServed(writeServed(PAGES['case']?.[state]?.() as Page, frameOf(false)));
      const ids = all(page, 'form').filter(({ attributes }) => attributes['id'] === 'resolve');
      expect(ids, state).toHaveLength(count);
    }
  });
});

test('a case is named by the code of a rule before that of the score', () => {
  expect([['SCORE', 'VOIP'], ['DEFAULT'], []].map(leadingCode)).toEqual(['VOIP', 'DEFAULT', undefined]);
});

test('a lane begins where all that share its name are drawn, else at the first of them', () => {
  const axis = { from: NOW, to: NOW + 98 * MINUTE_MS, at: NOW, words: 'this one' };
  const mark = { at: NOW + 49 * MINUTE_MS, outcome: 'review', words: 'later' } as const;
  const begins = [lane(axis, [mark], false), lane(axis, [mark], true), lane(axis, [], true)].map((drawn) => {
    const page = readServed(writeServed(messagePage('Lanes', [], [p(drawn)]), frameOf(false)));
    return all(page, 'line', 'axis').map(({ attributes }) => attributes['x1']);
  });
  expect(begins).toEqual([['0'], ['50%'], ['99%']]);
});

test('the stylesheet loads nothing', () => {
  expect(SERVED_STYLESHEET).toContain('.bar nav');
  expect(SERVED_STYLESHEET).not.toMatch(/url\(|@import|image-set|<\//);
});

/** Every element of pages that are served. */
const ELEMENTS = Object.entries(served);

describe('an element of pages that are served', () => {
  test.each(ELEMENTS)('%s is in no file', (_name, make) => {
    const element = make({}, 'text');
    for (const content of [element, [[undefined, element]], p('a', p(element))]) {
      expect(() => Markup.page(html(body(content)))).toThrow('an element of pages that are served');
      const page = { title: 'A file', head: content, parts: [{ id: 'a', title: 'A', content }] };
      expect(() => writePage(page)).toThrow('an element of pages that are served');
      expect(Markup.servedPage(html(body(content)))).toContain('<body>');
    }
  });

  test('what the workbench adds to a decision is in no file, and the decision without it is', () => {
    const decision = decisionContent(ONBOARDING);
    expect(() => writePage(recordedPage(recordedData(decision), reader))).toThrow(
      'an element of pages that are served',
    );
    expect(writePage(decision)).toContain('<title>');
  });

  const ELSEWHERE = [
    ...[
      '//evil.example',
      '/\\evil.example',
      '\\/evil.example',
      'https://evil.example',
      'http:evil',
      'javascript:alert(1)',
    ],
    ...['data:text/html,x', 'evil', '', ' /evil', '\t//evil.example', '/\t/evil.example', '/\n/evil.example', '#a'],
  ];

  test.each(ELEMENTS)('%s leads to no other host', (_name, make) => {
    for (const attribute of ['href', 'action', 'src'] as const) {
      for (const to of ELSEWHERE) {
        const attributes: ServedAttributes = { [attribute]: to };
        expect(() => make(attributes), JSON.stringify(to)).toThrow('a link that leaves the service');
      }
      expect(() => make({ [attribute]: '/decisions?after=a%2Fb' })).not.toThrow();
    }
  });

  test.each(ELEMENTS)('%s takes no handler and no style', (_name, make) => {
    for (const attribute of ['onclick', 'style', 'x y', 'a><b']) {
      expect(() => make({ [attribute]: 'x' } as ServedAttributes)).toThrow('an attribute that pages do not have');
    }
  });
});
