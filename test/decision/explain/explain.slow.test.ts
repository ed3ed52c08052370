/** An explanation: why, why not, the facts that settle the outcome, and what would change it. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Explanation } from '../../../src/decision/explain/explanation.ts';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import type { Fact, Facts, GivenFact } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { OUTCOMES, type Outcome, type Policy } from '../../../src/policy/language.ts';
import { explainNow } from '../../support/decision/explained.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import type { PlainPolicy } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

function given(facts: Readonly<Record<string, unknown>>): ReadonlyMap<string, GivenFact> {
  return new Map(
    Object.entries(facts).map(([path, value]): [string, GivenFact] =>
      typeof value === 'object' && value !== null ? [path, value as GivenFact] : [path, { value }],
    ),
  );
}

/** Explains a policy with some rules. A fact is given as a value or as `{ missing: cause }`. */
function explained(rules: string, facts: Readonly<Record<string, unknown>>, to?: Outcome): Explanation {
  const policy = policyOf(`${HEAD}${rules}`);
  return explainNow(policy, readFacts(given(facts), policy.facts, DAY), DAY, to ? { to } : {});
}

function withExamples(facts: Facts, set: Explanation['changes']['sets'][number]): Facts {
  return new Map([...facts, ...set.map(({ fact, example }): [string, Fact] => [fact, { value: example }])]);
}

const SCORED = `score: { review: 40, reject: 100 }
rules:
  - { id: high, when: { phone.score: { atLeast: 80 } }, points: 25 }
  - { id: voip, when: { phone.type: voip }, points: 20 }
  - { id: dead, when: { phone.status: disconnected }, then: reject }
`;

/** A policy with one of its shadow rules live. */
function withLive(policy: PlainPolicy, id: string): PlainPolicy {
  return {
    ...policy,
    rules: (policy.rules ?? []).map(({ mode, ...rule }) => (mode && rule.id !== id ? { ...rule, mode } : rule)),
  };
}

describe('an explanation', () => {
  test('has the outcome and the reasons of the verdict, whatever the policy', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(aCase({ applicants: 2 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        for (const applicant of applicants) {
          const facts = readPlainFacts(applicant, policy, day);
          const verdict = compile(policy).verdict(facts, day);
          for (const to of OUTCOMES) {
            const explanation = explainNow(policy, facts, day, { to });
            const { outcome, reasons, score, shadow, undetermined, changes } = explanation;
            expect({ outcome, reasons, score, shadow }).toEqual({
              outcome: verdict.outcome,
              reasons: verdict.reasons,
              score: verdict.score,
              shadow: verdict.shadow.map((each, i) => ({ ...each, wouldBe: shadow[i]?.wouldBe })),
            });
            const own = shadow.filter(({ rule }) => plain.rules?.some(({ id }) => id === rule));
            for (const { rule, wouldBe } of to === 'accept' ? own : []) {
              expect(compile(loadPlainPolicy(withLive(plain, rule), folder)).outcome(facts, day).outcome).toBe(wouldBe);
            }
            expect(undetermined.map(({ rule, asks, missing }) => ({ rule, asks, missing }))).toEqual(
              verdict.undetermined,
            );
            // Plain JSON data.
            expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
            // An example of a phone number, email or IP address is not shown, nor one of a fact compared with it.
            const isShown = ({ example }: { readonly example: unknown }) => example !== '(not shown)';
            for (const set of changes.sets.filter((each) => each.every(isShown))) {
              expect(compile(policy).outcome(withExamples(facts, set), day).outcome).toBe(to);
            }
          }
        }
      }),
      { numRuns: sampled(4, 100) },
    );
  });

  test('lists every active rule once: as fired, undetermined, shadow or not fired', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(aCase(), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        const explanation = explainNow(policy, readPlainFacts(applicants[0] ?? {}, policy, day), day);
        const fired = explanation.reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : []));
        const others = [explanation.undetermined, explanation.shadow, explanation.notFired]
          .flat()
          .map(({ rule }) => rule);
        const isActive = ({ from = '', until = '9999-12-31' }: Policy['rules'][number]) => from <= day && day <= until;
        expect([...fired, ...others].sort()).toEqual(
          policy.rules
            .filter(isActive)
            .map(({ id }) => id)
            .sort(),
        );
      }),
      { numRuns: sampled(3, 100) },
    );
  });

  test('names the final rules that decided: those that fired, or a stricter one that is undetermined', () => {
    const rules = `rules:
  - { id: first, when: { phone.score: { above: 90 } }, then: reject, final: true }
  - { id: friend, when: { phone.type: mobile }, then: accept, final: true }
`;
    expect(explained(rules, { 'phone.score': 10, 'phone.type': 'mobile' }).decidedBy).toEqual(['friend']);
    expect(explained(rules, { 'phone.type': 'mobile' }).decidedBy).toEqual(['first']);
    expect(explained(rules, {}).decidedBy).toBeUndefined();
    expect(explained(rules, { 'phone.score': 95, 'phone.type': 'mobile' }).decidedBy).toEqual(['first']);
  });
});

describe('the rules that did not fire', () => {
  test('are sorted by the number of tests to change, then by borders on the way, then in the order of the policy', () => {
    const { notFired } = explained(
      `rules:
  - { id: two, when: { phone.score: { above: 50 }, phone.riskLevel: { above: low } }, then: review }
  - { id: far, when: { phone.score: { above: 90 } }, then: review }
  - { id: name, when: { phone.type: voip }, then: review }
  - { id: other-name, when: { phone.status: inactive }, then: review }
  - { id: never-at-all, when: { phone.score: { above: 60, below: 50 } }, then: review }
  - { id: near, when: { phone.score: { atLeast: 50 } }, then: reject, points: 5, final: true }
`,
      { 'phone.score': 49, 'phone.riskLevel': 'low', 'phone.type': 'mobile', 'phone.status': 'active' },
    );
    expect(notFired.map(({ rule }) => rule)).toEqual(['near', 'name', 'other-name', 'far', 'two', 'never-at-all']);
    expect(notFired[0]).toEqual({
      rule: 'near',
      code: 'NEAR',
      outcome: 'reject',
      points: 5,
      final: true,
      stoppedBy: [
        {
          fact: 'phone.score',
          operator: 'atLeast',
          expected: 50,
          is: { value: 49 },
          missedBy: { amount: 1, unit: 'number' },
        },
      ],
      miss: expect.closeTo(1 / 50, 10),
    });
    expect(notFired.at(-1)?.stoppedBy).toEqual([]);
  });

  test('show negated, compared and missing facts, and no distance between names', () => {
    const { notFired } = explained(
      `rules:
  - { id: negated, when: { not: { phone.type: mobile } }, then: review }
  - { id: compared, when: { phone.operator.current: { isNot: { fact: phone.operator.original } } }, then: review }
  - { id: half, when: { phone.score: { above: 50 }, phone.status: active }, then: review }
`,
      {
        'phone.type': 'mobile',
        'phone.operator.current': 'Acme',
        'phone.operator.original': 'ACME ',
        'phone.score': 4,
      },
    );
    const [negated, compared, half] = ['negated', 'compared', 'half'].map((id) =>
      notFired.find(({ rule }) => rule === id),
    );
    expect(negated?.stoppedBy).toEqual([
      { fact: 'phone.type', operator: 'is', expected: 'mobile', negated: true, is: { value: 'mobile' } },
    ]);
    expect(compared?.stoppedBy).toEqual([
      {
        fact: 'phone.operator.current',
        operator: 'isNot',
        expected: { fact: 'phone.operator.original' },
        is: { value: 'Acme' },
        other: { fact: 'phone.operator.original', is: { value: 'ACME ' } },
      },
    ]);
    expect(half?.stoppedBy.map(({ is }) => is)).toEqual([{ value: 4 }, { missing: 'notGiven' }]);
  });

  test('are active rules, including shadow rules', () => {
    const { notFired } = explained(
      `rules:
  - { id: over, when: { phone.score: 1 }, then: review, until: 2026-11-19 }
  - { id: today, when: { phone.score: 1 }, then: review, from: 2026-11-20 }
  - { id: trial, when: { phone.score: 2 }, then: reject, mode: shadow }
`,
      { 'phone.score': 3 },
    );
    expect(notFired.map(({ rule, shadow }) => [rule, shadow])).toEqual([
      ['trial', true],
      ['today', undefined],
    ]);
  });

  test('hide the phone number, the email and the IP', () => {
    const explanation = explained(
      'rules:\n  - { id: friends, when: { applicant.email: a@b.example }, then: accept, final: true }\n',
      {
        'applicant.email': 'secret.person@mail.example',
      },
    );
    expect(explanation.notFired[0]?.stoppedBy[0]?.is).toEqual({ hidden: true });
    expect(JSON.stringify(explanation)).not.toContain('secret');
  });
});

describe('an undetermined rule', () => {
  test('is told by the tests of its missing facts, not by others that are known and false', () => {
    const { undetermined, notFired } = explained(
      `rules:
  - id: disposable
    when: { any: [{ phone.type: voip }, { all: [{ email.domain.type: disposable }, { phone.score: { above: 50 } }] }] }
    then: review
  - id: both
    when: { all: [{ phone.status: inactive }, { any: [{ phone.type: voip }, { email.domain.type: disposable }] }] }
    then: review
`,
      {
        'email.domain.type': { missing: 'sourceFailed' },
        'phone.score': { missing: 'notReturned' },
        'phone.type': 'mobile',
        'phone.status': 'active',
      },
    );
    // The way over phone.type has one test to change, the other two.
    const facts = undetermined.map(({ rule, wouldFireWith }) => [rule, ...wouldFireWith.map(({ fact }) => fact)]);
    expect(facts).toEqual([['disposable', 'email.domain.type', 'phone.score']]);
    expect(notFired.map(({ rule, stoppedBy }) => [rule, ...stoppedBy.map(({ fact }) => fact)])).toEqual([
      ['both', 'phone.status', 'phone.type'],
    ]);
  });

  test('shows what was missing, why, and what it would have needed to fire', () => {
    const { undetermined } = explained(
      `rules:
  - { id: leaked, when: { email.darkWeb.hitCount: { atLeast: 3 }, phone.score: { above: 50 } }, then: reject }
`,
      { 'email.darkWeb.hitCount': { missing: 'sourceFailed' }, 'phone.score': 80 },
    );
    expect(undetermined).toEqual([
      {
        rule: 'leaked',
        code: 'LEAKED',
        asks: 'review',
        outcome: 'reject',
        missing: [{ fact: 'email.darkWeb.hitCount', cause: 'sourceFailed' }],
        wouldFireWith: [
          { fact: 'email.darkWeb.hitCount', operator: 'atLeast', expected: 3, is: { missing: 'sourceFailed' } },
        ],
      },
    ]);
  });
});

describe('the facts that settle an outcome', () => {
  test('make a rule fire for a rejection, and keep every rule from firing for an acceptance', () => {
    const rejected = explained(SCORED, { 'phone.score': 90, 'phone.type': 'voip', 'phone.status': 'disconnected' });
    expect(rejected.standsOn).toEqual({
      facts: [{ fact: 'phone.status', is: { value: 'disconnected' } }],
      isIrreducible: true,
    });
    const accepted = explained(SCORED, { 'phone.score': 90, 'phone.type': 'mobile', 'phone.status': 'active' });
    expect(accepted.standsOn.facts.map(({ fact }) => fact)).toEqual(['phone.type', 'phone.status']);
  });

  test('are none where no facts lead to another outcome', () => {
    const { standsOn } = explained('rules:\n  - { id: aside, when: { phone.score: 1 }, then: accept }\n', {});
    expect(standsOn).toEqual({ facts: [], isIrreducible: true });
  });

  test('are known rather than missing where either will do', () => {
    const { standsOn, outcome } = explained(
      `score: { review: 20 }
rules:
  - { id: type, when: { phone.type: voip }, points: 10, whenUnknown: ignore }
  - { id: status, when: { phone.status: disconnected }, points: 10, whenUnknown: ignore }
`,
      { 'phone.type': { missing: 'sourceFailed' }, 'phone.status': 'active' },
    );
    expect(outcome).toBe('accept');
    expect(standsOn).toEqual({ facts: [{ fact: 'phone.status', is: { value: 'active' } }], isIrreducible: true });
  });

  test('are found in a policy whose tests contradict each other', () => {
    const { standsOn, outcome } = explained(
      `rules:
  - id: both
    when: { all: [{ phone.valid: { known: false } }, { phone.valid: { known: true } }] }
    then: accept
    final: true
  - { id: type, when: { phone.type: voip }, then: review }
`,
      { 'phone.type': 'voip' },
    );
    expect(outcome).toBe('review');
    expect(standsOn).toEqual({ facts: [{ fact: 'phone.type', is: { value: 'voip' } }], isIrreducible: true });
  });

  test('are none where two rules cover every value of a fact', () => {
    const { standsOn } = explained(
      `rules:
  - { id: low, when: { phone.score: { below: 50 } }, then: review }
  - { id: high, when: { phone.score: { atLeast: 50 } }, then: review }
`,
      { 'phone.score': 10 },
    );
    expect(standsOn).toEqual({ facts: [], isIrreducible: true });
  });
});

describe('what would change an outcome', () => {
  test('marks what only another phone number or email has, and what can be supplied', () => {
    const rules = `rules:
  - { id: disposable, when: { applicant.emailDomain: throwaway.example }, then: review }
  - { id: abroad, when: { not: { phone.country: gb } }, then: review }
`;
    const remedies = (given: Readonly<Record<string, unknown>>) =>
      explained(rules, given).changes.sets.map((set) => set.map(({ fact, remedy }) => [fact, remedy]));
    expect(remedies({ 'applicant.email': 'a@throwaway.example', 'applicant.phoneNo': '80012345678' })).toEqual([
      [
        ['phone.country', 'another'],
        ['applicant.emailDomain', 'another'],
      ],
    ]);
    expect(remedies({ 'applicant.email': 'a@fine.example' })).toEqual([[['phone.country', 'give']]]);
  });

  test('is described in words that hold for every value they allow, with a near example', () => {
    const { changes } = explained(
      `rules:
  - { id: scored, when: { phone.score: { above: 50 } }, then: review }
  - { id: top, when: { phone.score: { above: 90 } }, then: reject }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, then: review }
`,
      { 'phone.score': 95, 'phone.porting.portedDate': '2026-11-13' },
    );
    expect(changes).toEqual({
      to: 'accept',
      result: 'found',
      size: 2,
      sets: [
        [
          {
            fact: 'phone.porting.portedDate',
            is: { value: '2026-11-13' },
            needs: 'at least 31 days old or never',
            example: '2026-10-20',
            remedy: 'otherwise',
          },
          { fact: 'phone.score', is: { value: 95 }, needs: 'at most 50', example: 50, remedy: 'otherwise' },
        ],
      ],
      more: 0,
      isExact: true,
    });
  });

  test.each([
    ['phone.type: { in: [voip, pager] }', { 'phone.type': 'voip' }, 'anything but voip or pager', 'mobile'],
    ['phone.riskLevel: { above: low }', { 'phone.riskLevel': 'high' }, 'low or less', 'low'],
    ['not: { phone.score: { between: [10, 20] } }', { 'phone.score': 60.5 }, '10 to 20', 20],
    ['phone.score: { atLeast: 10.5 }', { 'phone.score': 60 }, 'below 10.5', 10.4],
    ['phone.score: { above: 10.5, below: 10.75 }', { 'phone.score': 10.6 }, 'at most 10.5 or at least 10.75', 10.5],
    ['phone.valid: false', { 'phone.valid': false }, 'true', true],
    ['ip.isp: { contains: hosting }', { 'ip.isp': 'Acme Hosting' }, 'does not contain hosting', 'a'],
    [
      'email.domain.firstSeen: { after: 2026-01-01 }',
      { 'email.domain.firstSeen': '2026-02-01' },
      'at most 2026-01-01 or never',
      '2026-01-01',
    ],
  ])('where %s', (when, facts, needs, example) => {
    const { changes } = explained(`rules:\n  - { id: it, when: { ${when} }, then: review }\n`, facts);
    expect(changes.sets.map((set) => set.map((each) => [each.needs, each.example]))).toEqual([[[needs, example]]]);
  });

  test('names what can be requested again, supplied or mapped, and puts that first', () => {
    const rules = `rules:
  - id: it
    when:
      atLeastOf:
        count: 1
        of:
          - { phone.score: { above: 90 } }
          - { phone.type: voip }
          - { phone.status: inactive }
          - { phone.riskLevel: high }
    then: review
`;
    const missing = {
      'phone.score': { missing: 'sourceFailed' },
      'phone.type': { missing: 'unmapped' },
      'phone.status': { missing: 'notGiven' },
    };
    const { changes } = explained(rules, { ...missing, 'phone.riskLevel': 'low' });
    expect(changes.sets.map((set) => set.map(({ fact, remedy }) => [fact, remedy]))).toEqual([
      [
        ['phone.type', 'mapping'],
        ['phone.status', 'give'],
        ['phone.score', 'askAgain'],
      ],
    ]);
    const either = `rules:
  - { id: it, when: { all: [{ phone.score: { above: 90 } }, { phone.type: voip }] }, then: review }
`;
    const { changes: two } = explained(either, { 'phone.type': 'voip', 'phone.score': { missing: 'notReturned' } });
    expect(two.sets.map((set) => set.map(({ fact, remedy }) => [fact, remedy]))).toEqual([
      [['phone.score', 'askAgain']],
      [['phone.type', 'otherwise']],
    ]);
  });

  test('counts the sets that are not shown', () => {
    const paths = ['phone.score', 'email.address.score', 'email.domain.score', 'email.behaviour.activityScore'];
    const levels = ['phone.riskLevel', 'phone.porting.riskLevel', 'email.domain.riskLevel', 'email.address.riskLevel'];
    const counts = ['phone.porting.portCount', 'email.darkWeb.hitCount'];
    const days = ['email.domain.firstSeen', 'email.address.firstSeen'];
    const all = [
      ...[...paths, ...counts].map((path) => `{ ${path}: { above: 5 } }`),
      ...levels.map((path) => `{ ${path}: { above: low } }`),
      ...days.map((path) => `{ ${path}: { withinLast: 30 days } }`),
    ];
    const facts = Object.fromEntries([
      ...[...paths, ...counts].map((path) => [path, 9]),
      ...levels.map((path) => [path, 'high']),
      ...days.map((path) => [path, '2026-11-19']),
    ]);
    const { changes } = explained(`rules:\n  - { id: it, when: { all: [${all.join(', ')}] }, then: review }\n`, facts);
    expect([changes.sets.length, changes.more]).toEqual([10, 2]);
  });

  test('distinguishes more than three facts, an outcome out of reach, and the present outcome', () => {
    const four = ['phone.type: voip', 'phone.status: inactive', 'phone.serviceType: prepaid', 'phone.valid: false'];
    const rules = `rules:\n${four.map((when, i) => `  - { id: r${i}, when: { ${when} }, then: review }\n`).join('')}`;
    const facts = {
      'phone.type': 'voip',
      'phone.status': 'inactive',
      'phone.serviceType': 'prepaid',
      'phone.valid': false,
    };
    expect(explained(rules, facts).changes).toMatchObject({ result: 'moreThanThree', sets: [], isExact: true });
    expect(explained(rules, facts, 'reject').changes).toMatchObject({ result: 'never', sets: [] });
    expect(explained(rules, facts, 'review').changes).toMatchObject({ result: 'there', sets: [] });
  });

  test('says of computed facts that are compared only what no value can refute', () => {
    const numbers = (names: readonly string[]) => names.map((name) => `  context.${name}: { type: number }\n`).join('');
    const rent = `facts:
${numbers(['income', 'rent', 'least'])}  context.left: { type: number, compute: { difference: [context.income, context.rent] } }
rules:
  - { id: too-little, when: { context.left: { below: { fact: context.least } } }, then: review }
`;
    const poor = explained(rent, { 'context.income': 1000, 'context.rent': 700, 'context.least': 500 });
    expect(poor.standsOn.facts.map(({ fact }) => fact)).toContain('context.least');
    const examples = poor.changes.sets.map((set) => set.map(({ fact, example }) => [fact, example]));
    expect(examples).toEqual([[['context.income', 1200]], [['context.rent', 500]], [['context.least', 300]]]);
    const least = `default: reject
facts:
${numbers(['c', 'h', 'n'])}  context.x: { type: number, compute: { minimum: [context.c, context.h] } }
rules:
  - { id: more, when: { context.x: { above: { fact: context.n } } }, then: accept }
`;
    const changesOf = (c: number, h: number, n: number, to: Outcome) => {
      const policy = policyOf(`policy: test\nversion: "1"\n${least}`);
      const facts = readFacts(given({ 'context.c': c, 'context.h': h, 'context.n': n }), policy.facts, DAY);
      return explainNow(policy, facts, DAY, { to }).changes;
    };
    const { isExact, sets } = changesOf(7, 10, 1, 'reject');
    expect(isExact).toBe(true);
    expect(sets.map((set) => set.map((needed) => [needed.fact, needed.example]))).toEqual([
      [['context.c', 1]],
      [['context.h', 1]],
      [['context.n', 7]],
    ]);
    expect(changesOf(10, 0, 11, 'accept').sets).toEqual([
      [expect.objectContaining({ fact: 'context.n', example: -1 })],
    ]);
  });

  test('gives examples that people would write', () => {
    const ratio = `facts:
  context.limit: { type: number }
  context.income: { type: number }
  context.ratio: { type: number, compute: { ratio: [context.limit, context.income] } }
rules:
  - { id: too-much, when: { context.ratio: { above: 0.5 } }, then: review }
`;
    const { changes } = explained(ratio, { 'context.limit': 1000, 'context.income': 1000 });
    expect(changes.sets.map(([needed]) => needed?.example)).toEqual([500, 2000]);
  });

  test('finds a text for each alternative of a pattern', () => {
    const names = `facts:
  context.name: { type: string }
rules:
  - { id: known, when: { context.name: { matches: "^(orange|o2)$" } }, then: review }
  - { id: orange, when: { context.name: orange }, then: reject }
`;
    const { changes } = explained(names, { 'context.name': 'other' }, 'review');
    expect(changes.sets).toEqual([[expect.objectContaining({ fact: 'context.name', example: 'o2' })]]);
  });

  test('respects final rules, points, the default and the days of rules', () => {
    const score = { 'phone.score': 90, 'phone.type': 'voip', 'phone.status': 'active' };
    const either = explained(SCORED, score).changes.sets.map((set) => set.map(({ fact }) => fact));
    expect(either).toEqual([['phone.type'], ['phone.score']]);
    const friend = `default: review
rules:
  - { id: friend, when: { phone.type: mobile }, then: accept, final: true }
  - { id: spam, when: { phone.score: { above: 50 } }, then: reject }
  - { id: later, when: { phone.status: active }, then: reject, final: true, from: 2027-01-01 }
`;
    const policy = policyOf(`policy: test\nversion: "1"\n${friend}`);
    const facts = readFacts(
      given({ 'phone.type': 'voip', 'phone.score': 90, 'phone.status': 'active' }),
      policy.facts,
      DAY,
    );
    const accept = explainNow(policy, facts, DAY).changes.sets;
    expect(accept.map((set) => set.map(({ fact, needs }) => [fact, needs]))).toEqual([[['phone.type', 'mobile']]]);
    const review = explainNow(policy, facts, DAY, { to: 'review' }).changes.sets;
    expect(review.map((set) => set.map(({ fact }) => fact))).toEqual([['phone.score']]);
    const later = explainNow(policy, facts, '2027-01-01', { to: 'review' }).changes.sets;
    expect(later.map((set) => set.map(({ fact }) => fact))).toEqual([['phone.status', 'phone.score']]);
  });

  test('uses values between those of other facts', () => {
    const policy = policyOf(`${HEAD}facts:
  context.a: { type: integer }
  context.low: { type: integer }
  context.high: { type: integer }
rules:
  - id: between
    when:
      not:
        all: [{ context.a: { above: { fact: context.low } } }, { context.a: { below: { fact: context.high } } }]
    then: review
  - { id: low, when: { context.low: { above: 20 } }, then: review }
  - { id: high, when: { context.high: { above: 30 } }, then: review }
`);
    const facts = readFacts(given({ 'context.a': 1, 'context.low': 7, 'context.high': 9 }), policy.facts, DAY);
    const [first] = explainNow(policy, facts, DAY).changes.sets;
    expect(first?.map(({ fact, example }) => [fact, example])).toEqual([['context.a', 8]]);
  });
});

test('an answer of a source that is asked again cannot contradict what is derived from it', () => {
  const rules = `rules:
  - { id: abroad, when: { ip.matchesPhoneCountry: false }, then: review }
  - { id: home, when: { all: [{ ip.country: GB }, { ip.matchesPhoneCountry: true }] }, then: reject }
`;
  const failed = { missing: 'sourceFailed' };
  const ip = { 'ip.location.latitude': failed, 'ip.location.longitude': failed };
  const outcomesIn = (country: string) => {
    const [source] = explained(rules, { 'phone.country': country, ...ip }).failedSources;
    return [source?.source, source?.retry?.outcomes];
  };
  expect(outcomesIn('GB')).toEqual(['ip', ['review', 'reject']]);
  expect(outcomesIn('US')).toEqual(['ip', ['accept', 'review']]);
});
