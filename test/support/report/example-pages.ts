/**
 * Invented applicants -> the data of decision pages: by the shipped policy, by a policy with every feature, and by
 * many rules.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import type { Facts, FactValue, GivenFact } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import type { Applicant } from '../../../src/lab/backtest/applicants.ts';
import { type Backtest, BacktestTally, sidesOf } from '../../../src/lab/backtest/backtest.ts';
import { inOnePass } from '../../../src/lab/backtest/in-one-pass.ts';
import { joinFacts } from '../../../src/lab/backtest/joint-facts.ts';
import { LabelJoin } from '../../../src/lab/backtest/labels.ts';
import type { EditEffects } from '../../../src/lab/impact/edit-effects.ts';
import { LANGUAGE_VERSION, type Policy } from '../../../src/policy/language.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import type { ShownBacktest } from '../../../src/report/applicants/backtest.ts';
import type { ShownDecision } from '../../../src/report/decision.ts';
import type { ShownDiff } from '../../../src/report/diff.ts';
import type { ShownRecord } from '../../../src/report/record.ts';
import { explainNow } from '../decision/explained.ts';
import { addApplicants } from '../lab/add-applicants.ts';

/** The day of all examples. */
export const DAY = '2026-11-20';

/** Decides on facts and returns the data of the page, with an explanation. */
export function pageData(policy: Policy, facts: Facts, day: string): ShownDecision {
  const decision = compile(policy).verdict(facts, day);
  return { decision, explanation: explainNow(policy, facts, day), policy, facts, day };
}

/** Reads a policy from a text. */
export function policyFrom(text: string): Policy {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-page-'));
  try {
    writeFileSync(join(folder, 'policy.yaml'), text);
    return loadPolicy(join(folder, 'policy.yaml'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads facts by path, as a caller gives them. */
export function factsFrom(policy: Policy, given: Readonly<Record<string, FactValue | GivenFact>>, day = DAY): Facts {
  const entries = Object.entries(given).map(([path, fact]): [string, GivenFact] => [
    path,
    typeof fact === 'object' ? fact : { value: fact },
  ]);
  return readFacts(new Map(entries), policy.facts, day);
}

/**
 * The answer on an applicant with a recently ported number and a risky email, and with a failed dark-web source.
 */
export const PORTED_LATELY: Readonly<Record<string, FactValue | GivenFact>> = {
  'applicant.phoneNo': '12025550102',
  'applicant.email': 'd.marsh@copper-kettle.example',
  'applicant.ip': '203.0.113.12',
  'phone.operator.current': 'Northlink Cellular',
  'phone.operator.original': 'Solent Wireless',
  'phone.type': 'mobile',
  'phone.status': 'active',
  'phone.serviceType': 'prepaid',
  'phone.riskLevel': 'medium',
  'phone.score': 46,
  'phone.porting.portedDate': '2026-11-13',
  'phone.porting.portCount': 2,
  'phone.porting.previousPort': '2026-09-02',
  'phone.porting.riskLevel': 'low',
  'email.address.status': 'valid',
  'email.address.firstSeen': '2026-11-02',
  'email.address.riskLevel': 'high',
  'email.address.score': 71,
  'email.domain.firstSeen': '2019-04-30',
  'email.domain.type': 'corporate',
  'email.domain.riskLevel': 'low',
  'email.domain.score': 12,
  'email.behaviour.tumblingRisk': 'low',
  'email.behaviour.activityScore': 14,
  'email.darkWeb.hitCount': { missing: 'sourceFailed' },
  'email.darkWeb.lastHit': { missing: 'sourceFailed' },
  'email.darkWeb.forumRating': { missing: 'sourceFailed' },
  'ip.country': 'US',
};

/** A decision by the shipped policy, as recorded in a log, with a note. */
export function onboardingExample(): ShownDecision {
  const policy = loadPolicy(resolve(import.meta.dirname, '../../../rules/onboarding.yaml'));
  const facts = factsFrom(policy, PORTED_LATELY);
  const data = pageData(policy, facts, DAY);
  const { name, version, digest } = policy;
  return {
    ...data,
    decision: {
      ...data.decision,
      id: '019a9f3c-7e40-7c11-9d2e-5b8a4f60c3d7',
      clientReference: 'ONB-7731',
      decidedAt: '2026-11-20T12:04:31.518Z',
      policy: { name, version, digest, language: LANGUAGE_VERSION },
      mapping: `sha256:${'5d41'.repeat(16)}`,
      engine: '0.1.0',
      signals: {
        requested: ['phoneNo', 'email', 'ip'],
        calls: [{ stage: 1, asked: ['phoneNo', 'email', 'ip'], result: 'answered' }],
        spared: [],
        missing: {
          'email.darkWeb.hitCount': 'sourceFailed',
          'email.darkWeb.lastHit': 'sourceFailed',
          'email.darkWeb.forumRating': 'sourceFailed',
        },
        warnings: [],
      },
    },
    record: {
      chain: '019a9f10-02aa-7b3e-8c55-1d0f6a7e9b24',
      seq: 1842,
      at: '2026-11-20T12:04:31.530Z',
      verification: {
        state: 'sound',
        words: 'the chain verifies from its beginning to this record, and agrees with the checkpoint of 2026-11-20.',
      },
    },
    notes: [
      {
        at: '2026-11-20T15:22:08.000Z',
        disposition: 'approve',
        counts: true,
        by: 'M. Okafor',
        why: 'Called back on the earlier number; the applicant confirmed the move.',
      },
    ],
    events: [
      {
        ...{ at: '2026-11-20T15:02:11.000Z', type: 'case.opened', detail: 'challenge' },
        ...{ by: 'L. Brandt', why: 'The address is new.', details: { queue: 'ported numbers' } },
      },
    ],
  };
}

const EVERYTHING = `
policy: everything
version: "7"
description: All that a policy can have.
default: accept
score: { review: 40, reject: 100 }
facts:
  context.channel: { type: enum, values: [web, app, branch], description: Where the applicant signs up }
  context.limit: { type: number, unit: EUR, description: The credit limit that was asked for }
  context.other: { type: number, unit: EUR, description: The limit of the household }
lists:
  blockedDomains: [spam.example, trash.example]
conditions:
  recentlyPorted: { phone.porting.portedDate: { withinLast: 30 days } }
  riskyEmail:
    any:
      - email.address.riskLevel: { atLeast: high }
      - email.darkWeb.hitCount: { above: 5 }
rules:
  - id: staff
    description: Staff are tested by other means.
    when: { context.channel: branch, applicant.emailDomain: own.example }
    then: accept
    final: true
  - id: blocked-domain
    when: { applicant.emailDomain: { inDomainList: blockedDomains } }
    then: reject
    final: true
    notice: { en: We could not accept this email address., de-AT: Diese Adresse nehmen wir nicht. }
    owner: Fraud operations
    tags: [email, block-list]
  - id: port-and-email
    description: A number that moved lately, with a risky email, is the account-takeover pattern.
    when: { all: [recentlyPorted, riskyEmail] }
    then: review
    reason: PORTED_AND_RISKY_EMAIL
    message: "Number ported {daysSince phone.porting.portedDate} days ago; email risk is {email.address.riskLevel}."
    points: 40
  - id: nested
    when:
      any:
        - all:
            - not: { any: [recentlyPorted, { phone.score: { between: [20, 30] } }] }
            - atLeastOf:
                count: 2
                of:
                  - phone.type: [voip, pager]
                  - phone.operator.current: { isNot: { fact: phone.operator.original } }
                  - not: { not: { email.darkWeb.hitCount: { atLeast: 3 } } }
                  - context.limit: { above: { fact: context.other } }
        - all: [riskyEmail, { ip.country: { matches: "^(gb|ie)$" } }, { phone.score: { above: 46 } }]
    then: reject
  - id: dark-web
    when: { email.darkWeb.hitCount: { above: 0 }, phone.score: { above: 10 } }
    then: review
    points: 25
  - id: quiet
    when: { email.darkWeb.lastHit: { withinLast: 2 weeks } }
    then: reject
    whenUnknown: ignore
  - id: prepaid
    when: { phone.serviceType: prepaid }
    points: 15
  - id: old-mailbox
    when: { email.address.firstSeen: { olderThan: 365 days } }
    points: -10
  - id: impossible
    when: { phone.score: { above: 60, below: 20 } }
    then: review
  - id: christmas
    when: { phone.valid: true }
    then: review
    from: 2026-12-20
    until: 2027-01-06
  - id: new-isp-rule
    mode: shadow
    when: { any: [{ ip.country: US }, { ip.isp: { contains: hosting } }] }
    then: reject
  - id: new-web-rule
    mode: shadow
    when: { email.darkWeb.forumRating: { atLeast: high } }
    then: review
tables:
  - id: phone-type
    columns: [phone.type, email.address.riskLevel, then, reason]
    rows:
      - [voip, { atLeast: medium }, reject, VOIP_WITH_RISKY_EMAIL]
      - [mobile, veryHigh, review, MOBILE_WITH_RISKY_EMAIL]
`;

/** A decision on the same applicant by a policy with every feature. */
export function everythingExample(): ShownDecision {
  const policy = policyFrom(EVERYTHING);
  const { 'phone.porting.riskLevel': _, ...known } = PORTED_LATELY;
  const facts = factsFrom(policy, {
    ...known,
    'context.channel': 'web',
    'context.limit': 2500,
    'context.other': 2500,
    'email.darkWeb.lastHit': { value: 'some time in spring' },
  });
  const data = pageData(policy, facts, DAY);
  return {
    ...data,
    decision: {
      ...data.decision,
      signals: {
        requested: ['phoneNo', 'email'],
        calls: [
          { stage: 1, asked: ['phoneNo'], result: 'answered' },
          { stage: 2, asked: ['phoneNo', 'email'], result: 'unknown', error: 'TIMED_OUT', attempts: 2 },
        ],
        spared: [{ stage: 3, asked: ['phoneNo', 'email', 'ip'] }],
        missing: { 'email.darkWeb.hitCount': 'sourceFailed' },
        warnings: [{ code: 'NO_ANSWER', text: 'the second call had no answer in time' }],
      },
    },
    record: {
      chain: '019a9f10-02aa-7b3e-8c55-1d0f6a7e9b24',
      seq: 3,
      at: '2026-11-20T12:04:31.530Z',
      verification: {
        state: 'broken',
        words: 'line 17 of segment 1 does not have its own hash; records from 9 on are in doubt.',
      },
    },
  };
}

/** A decision by many rules over facts of the catalog; a few of them fire. */
export function manyRulesExample(count: number): ShownDecision {
  const conditions = [
    (i: number) => `phone.score: { above: ${30 + (i % 70)} }`,
    (i: number) =>
      `all: [{ phone.porting.portedDate: { withinLast: ${i % 40} days } }, ` +
      '{ email.address.riskLevel: { atLeast: veryHigh } }]',
    (i: number) => `any: [{ email.darkWeb.hitCount: { above: ${i} } }, { phone.type: voip }]`,
    (i: number) => `not: { email.behaviour.activityScore: { above: ${i % 14} } }`,
    (i: number) =>
      'atLeastOf: { count: 2, of: [{ phone.serviceType: prepaid }, { phone.status: inactive }, ' +
      `{ phone.score: { below: ${i % 40} } }] }`,
  ];
  const rules = Array.from({ length: count }, (_, i) => {
    const condition = conditions[i % conditions.length]?.(i) ?? '';
    const then = `then: ${i % 3 ? 'review' : 'reject'}, points: ${i % 9}`;
    return `  - { id: rule-${i + 1}, description: What rule ${i + 1} is for., when: { ${condition} }, ${then} }`;
  });
  const policy = policyFrom(
    `policy: many\nversion: "1"\ndefault: accept\nscore: { review: 90 }\nrules:\n${rules.join('\n')}\n`,
  );
  return pageData(policy, factsFrom(policy, PORTED_LATELY), DAY);
}

/** A decision by one rule of nested conditions. Each takes two levels of YAML, and YAML may have 64 levels. */
export function deepExample(levels: number): ShownDecision {
  const kinds = [
    (inner: string) => `{ all: [${inner}, { phone.type: voip }] }`,
    (inner: string) => `{ any: [{ ip.country: FR }, ${inner}] }`,
    (inner: string) => `{ not: ${inner} }`,
  ];
  let when = '{ phone.porting.portedDate: { withinLast: 30 days } }';
  for (let i = 1; i < levels; i++) when = kinds[i % kinds.length]?.(when) ?? when;
  const policy = policyFrom(
    `policy: deep\nversion: "1"\ndefault: accept\nrules:\n  - { id: deep, when: ${when}, then: review }\n`,
  );
  return pageData(policy, factsFrom(policy, PORTED_LATELY), DAY);
}

/** A decision whose facts were erased, with one erased note and one that is still readable. */
export const ERASED: ShownRecord = {
  explanation: undefined,
  unreadable: { code: 'erased', words: 'Its facts were erased. The erasure is on record: 2026-12-01T09:30:00.000Z.' },
  record: {
    record: {
      kind: 'decision',
      chain: '019a9f10-02aa-7b3e-8c55-1d0f6a7e9b24',
      seq: 1842,
      at: '2026-11-20T12:04:31.518Z',
      writtenAt: '2026-11-20T12:04:31.518Z',
      id: '019a9f3c-7e40-7c11-9d2e-5b8a4f60c3d7',
      outcome: 'review',
      reasons: {
        decisive: ['PORTED_AND_RISKY_EMAIL'],
        fired: ['EMAIL_RISK_HIGH'],
        undetermined: ['DARK_WEB_RECENT'],
      },
      rules: ['port-and-email', 'email-risk-high'],
      undetermined: ['dark-web-recent'],
      missing: { sourceFailed: ['email.darkWeb.hitCount'], notReturned: ['email.domain.type', 'phone.type'] },
      policy: { name: 'onboarding', version: '2026.11', digest: `sha256:${'ab12'.repeat(16)}` },
      mapping: `sha256:${'5d41'.repeat(16)}`,
      engine: '0.1.0',
    } as unknown as ShownRecord['record']['record'],
    position: { chain: '019a9f10-02aa-7b3e-8c55-1d0f6a7e9b24', segment: 3, line: 17 },
    segmentStatus: { state: 'whole', after: 2 },
    erasedAt: '2026-12-01T09:30:00.000Z',
    body: { closed: 'erased' },
    notes: [
      { id: 'note-1', at: '2026-11-20T15:22:08.000Z', disposition: 'decline', counts: false },
      {
        ...{ id: 'note-2', at: '2026-12-02T08:00:00.000Z', disposition: 'approve', counts: true },
        ...{ by: 'M. Okafor', why: 'Came to the branch.' },
      },
    ],
    events: [{ id: 'event-1', at: '2026-12-02T08:01:00.000Z', type: 'data.revealed' }],
  },
};

/** A difference with every kind of content. */
export function diffExample(): ShownDiff {
  const policy = policyFrom('policy: signup\nversion: "2"\ndefault: accept\n');
  const region = { firstDay: DAY, rules: ['ported'], contains: () => false };
  return {
    at: DAY,
    policies: [policy, policy],
    diff: {
      where: 'phone.country is GB',
      days: [DAY],
      edits: [
        { kind: 'removed', path: ['rules', 'voip'], text: 'rule voip is removed: review if phone.type is voip' },
        {
          kind: 'changed',
          path: ['rules', 'ported', 'points'],
          text: 'rule ported: points 15 is now 25',
          place: { file: 'rules/rule-sets/porting.yaml', line: 31 },
        },
      ],
      regions: [
        {
          ...region,
          from: 'accept',
          to: 'review',
          conditions: ['phone.porting.portedDate is 21 to 30 days old', 'the other rules alone give accept'],
          example: { facts: { 'phone.porting.portedDate': '2026-10-25', 'applicant.email': 'ada@one.example' } },
        },
        { ...region, from: 'review', to: 'reject', conditions: [], example: undefined },
      ],
      elsewhere: 'same',
    },
  };
}

const BACKTESTED = (limit: number) => `policy: sign-up
version: "${limit}"
default: accept
score: { review: 30, reject: 50 }
rules:
  - { id: risky-score, when: { phone.score: { atLeast: ${limit} } }, then: reject, whenUnknown: ignore }
  - { id: porting, when: { phone.porting.riskLevel: { atLeast: high } }, then: review }
  - { id: some, when: { phone.score: { atLeast: 20 } }, points: 15, whenUnknown: ignore }
  - { id: more, when: { phone.score: { atLeast: 40 } }, points: 20, whenUnknown: ignore }
  - { id: watched, when: { phone.score: { atLeast: 30 } }, then: review, mode: shadow, whenUnknown: ignore }
`;

/** Of 200 applicants in four weeks; the score of the later ones is higher. */
function applicantsOfBacktest(): readonly Applicant[] {
  return Array.from({ length: 200 }, (_, i): Applicant => {
    const porting = i % 9 === 0 ? {} : { 'phone.porting.riskLevel': { value: i % 7 === 0 ? 'high' : 'low' } };
    const facts = Object.entries({ 'phone.score': { value: (i * 37 + i / 10) % 100 }, ...porting });
    const day = `2026-11-${String(1 + (i % 28)).padStart(2, '0')}`;
    const reference = `ONB-${i}`;
    return { name: { line: i + 1, clientReference: reference }, day, facts: new Map(facts) as Facts, reference };
  });
}

/** Edits that are stricter, milder, both, and not to be read alone. */
const EDITS: EditEffects = {
  changed: 46,
  flows: [
    { from: 'review', to: 'accept', applicants: 6 },
    { from: 'accept', to: 'reject', applicants: 40 },
  ],
  edits: [
    {
      ...{ kind: 'parameter', name: 'limit', texts: ['parameter limit 80 is now 60'], only: 30, notInWhole: 0 },
      alone: { changed: 40, flows: [{ from: 'accept', to: 'reject', applicants: 40 }] },
      left: { changed: 6, flows: [{ from: 'review', to: 'accept', applicants: 6 }] },
    },
    {
      ...{ kind: 'rule', name: 'porting', texts: ['rule porting: when phone.porting.riskLevel is at least high'] },
      ...{ only: 4, notInWhole: 2 },
      alone: {
        changed: 10,
        flows: [
          { from: 'review', to: 'accept', applicants: 8 },
          { from: 'accept', to: 'review', applicants: 2 },
        ],
      },
      left: { changed: 40, flows: [{ from: 'accept', to: 'reject', applicants: 40 }] },
    },
    { kind: 'rule', name: 'broken', texts: ['rule broken is new'], only: 0, notInWhole: 0 },
  ],
  severalAlone: 2,
  togetherOnly: 10,
};

/** A backtest of two policies without an applicant. */
export function backtestOfNobody(): Backtest {
  const policy = policyFrom(BACKTESTED(80));
  const options = { by: [], worst: 0, compares: true };
  return new BacktestTally([policy, policy], joinFacts(policy, policy), options).result();
}

/** A backtest with everything that its page shows. */
export function backtestExample(): ShownBacktest {
  const [old, now, other] = [80, 60, 70].map((limit) => policyFrom(BACKTESTED(limit))) as [Policy, Policy, Policy];
  const run = (policy: Policy) => {
    const costs = { review: 4, acceptedFraud: 900, rejectedGood: 60 };
    const options = { by: ['week', 'phone.porting.riskLevel'], worst: 5, compares: true, hasLabels: true, costs };
    const joint = joinFacts(old, policy);
    const tally = new BacktestTally([old, policy], joint, options);
    const applicants = applicantsOfBacktest();
    const frauds = applicants.flatMap(({ reference = '' }, i) => (i % 11 === 10 ? [reference] : []));
    const labels = new Map(frauds.map((reference) => [reference, { isFraud: true, at: undefined }]));
    const join = new LabelJoin({ by: 'reference', labels }, { asOf: '2026-12-31', matureDays: 0 });
    addApplicants(inOnePass([tally], join, sidesOf([old, policy], joint)), joint, applicants);
    tally.addUnjudged('unreadable', 3, '"at" has to be a real day, written yyyy-MM-dd');
    return tally.result();
  };
  const runs = [other, now].map((policy) => ({ value: policy.version, backtest: run(policy) }));
  return {
    backtest: run(now),
    joined: {
      labels: 20,
      asOf: '2026-12-31',
      isDated: true,
      unused: 2,
      several: 1,
      filled: 40,
      notDecided: 2,
      reviewsLetIn: 12,
      heldOut: 0,
    },
    decidedBy: 'sign-up 80',
    edits: EDITS,
    columns: [{ file: 'past.csv', absent: ['applicant_ip'], unread: [{ column: 'ip', meant: ['applicant_ip'] }] }],
    titles: ['sign-up 80', 'sign-up 60'],
    velocities: { counts: new Map(), velocities: new Map(), problems: new Map(), from: undefined, leftOut: 3 },
    sweep: { of: 'riskyScore', runs },
  };
}
