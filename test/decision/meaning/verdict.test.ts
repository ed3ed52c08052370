/** The verdict field by field: reasons with evidence, undetermined rules, and their order. */

import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Cause } from '../../../src/facts/fact.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { keepData } from '../../../src/policy/source-map.ts';
import { policyOf } from '../../support/policy/policy.ts';
import { decideLive, readPlainFacts } from '../../support/runners/case.ts';
import type { PlainFacts } from '../../support/runners/reference.ts';

const DAY = '2026-11-20';

/** Values by path; `missing(cause)` for a missing fact. */
type Values = Readonly<Record<string, string | number | boolean | { readonly missing: Cause }>>;

const missing = (cause: Cause) => ({ missing: cause });

function decideBy(policy: Policy, values: Values): Promise<Verdict> {
  const facts: PlainFacts = Object.fromEntries(
    Object.entries(values).map(([path, value]) => [path, typeof value === 'object' ? value : { value }]),
  );
  return decideLive(policy, readPlainFacts(facts, policy, DAY), DAY);
}

function decide(rest: string, values: Values, defaultOutcome = 'accept'): Promise<Verdict> {
  return decideBy(policyOf(`policy: test\nversion: "1"\ndefault: ${defaultOutcome}\n${rest}`), values);
}

/** The evidence of the only rule, which must fire. */
async function evidenceOf(when: string, values: Values, rest = ''): Promise<unknown> {
  const { reasons } = await decide(`${rest}rules:\n  - id: only\n    when: ${when}\n    then: review\n`, values);
  return reasons[0]?.because === 'fired' ? reasons[0].evidence : reasons;
}

/** The missing facts of the only rule, which must be undetermined. */
async function missingOf(when: string, values: Values, rest = ''): Promise<unknown> {
  const { undetermined } = await decide(`${rest}rules:\n  - id: only\n    when: ${when}\n    then: review\n`, values);
  return undetermined[0]?.missing;
}

/** Code, outcome and decisiveness of each reason. */
function outline({ reasons }: Verdict): unknown[] {
  return reasons.map(({ code, outcome, decisive }) => [code, outcome, decisive]);
}

describe('reasons', () => {
  test('a fired rule has all fields that the rule sets and no others', async () => {
    const { reasons } = await decide(
      `rules:
  - { id: all-of-it, when: { phone.type: voip }, then: review, reason: CODE, message: "Type {phone.type}", points: 3 }
  - { id: little, when: { phone.type: voip }, then: review }
`,
      { 'phone.type': 'voip' },
    );
    const evidence = [{ fact: 'phone.type', operator: 'is', expected: 'voip', value: 'voip' }];
    const base = { because: 'fired', outcome: 'review', decisive: true, evidence };
    expect(reasons).toStrictEqual([
      { ...base, rule: 'all-of-it', code: 'CODE', message: 'Type voip', points: 3 },
      { ...base, rule: 'little', code: 'LITTLE' },
    ]);
  });

  test('a fired rule without `then` has the outcome null and is never decisive', async () => {
    const rules = 'rules: [{ id: only-points, when: { phone.type: voip }, points: 3 }]';
    const { reasons } = await decide(rules, { 'phone.type': 'voip' });
    expect(reasons).toStrictEqual([
      { because: 'default', code: 'DEFAULT', outcome: 'accept', decisive: true },
      {
        because: 'fired',
        rule: 'only-points',
        code: 'ONLY_POINTS',
        outcome: null,
        decisive: false,
        points: 3,
        evidence: [{ fact: 'phone.type', operator: 'is', expected: 'voip', value: 'voip' }],
      },
    ]);
  });

  test('an undetermined rule is a reason, with the outcome review, only if it asks for review', async () => {
    const { reasons, undetermined } = await decide(
      `rules:
  - { id: asks, when: { phone.type: voip }, then: reject, message: never shown, points: 5 }
  - { id: ignored, when: { phone.type: voip }, then: reject, whenUnknown: ignore }
  - { id: accepts, when: { phone.type: voip }, then: accept }
  - { id: points-only, when: { phone.type: voip }, points: 5 }
`,
      {},
    );
    expect(reasons).toStrictEqual([
      { because: 'undetermined', rule: 'asks', code: 'ASKS', outcome: 'review', decisive: true },
    ]);
    const causes = { missing: [{ fact: 'phone.type', cause: 'notGiven' }] };
    expect(undetermined).toStrictEqual([
      { rule: 'asks', asks: 'review', ...causes },
      { rule: 'ignored', asks: null, ...causes },
      { rule: 'accepts', asks: null, ...causes },
      { rule: 'points-only', asks: null, ...causes },
    ]);
  });

  const SCORED = `score: { review: 10, reject: 20 }
rules:
  - { id: certain, when: { phone.type: voip }, points: 10 }
  - { id: open, when: { ip.isp: x }, points: 10 }
`;

  test('the score is a reason if either end reaches a band of its own', async () => {
    const both = await decide(SCORED, { 'phone.type': 'voip' });
    expect(both.reasons.slice(0, 2)).toStrictEqual([
      { because: 'score', code: 'SCORE', outcome: 'review', decisive: true },
      { because: 'score', code: 'SCORE_UNDETERMINED', outcome: 'review', decisive: true },
    ]);
    const onlyMost = await decide(SCORED, { 'phone.type': 'mobile' });
    expect(outline(onlyMost)).toEqual([['SCORE_UNDETERMINED', 'review', true]]);
    const certain = await decide(SCORED, { 'phone.type': 'voip', 'ip.isp': 'x' });
    expect(outline(certain)).toEqual([
      ['SCORE', 'reject', true],
      ['CERTAIN', null, false],
      ['OPEN', null, false],
    ]);
  });

  test.for([
    // No other outcome is asked for: every default is listed.
    ['accept', { 'phone.type': 'mobile', 'ip.isp': 'y' }, [['DEFAULT', 'accept', true]]],
    ['review', { 'phone.type': 'mobile', 'ip.isp': 'y' }, [['DEFAULT', 'review', true]]],
    // Undetermined rules ask too: only a default other than accept is listed.
    ['accept', { 'ip.isp': 'y' }, [['R', 'review', true]]],
    [
      'review',
      { 'ip.isp': 'y' },
      [
        ['R', 'review', true],
        ['DEFAULT', 'review', true],
      ],
    ],
    [
      'reject',
      { 'ip.isp': 'y' },
      [
        ['DEFAULT', 'reject', true],
        ['R', 'review', false],
      ],
    ],
    // Something certain is asked for: no default.
    ['reject', { 'phone.type': 'voip', 'ip.isp': 'y' }, [['R', 'review', true]]],
    ['reject', { 'phone.type': 'mobile', 'ip.isp': 'x' }, [['A', 'accept', true]]],
  ] as const)('under the default %s, %j gives the reasons %j', async ([defaultOutcome, values, expected]) => {
    const rules = `rules:
  - { id: r, when: { phone.type: voip }, then: review }
  - { id: a, when: { ip.isp: x }, then: accept }
`;
    expect(outline(await decide(rules, values, defaultOutcome))).toEqual(expected);
  });

  test('if final rules decided, they alone are decisive; all other reasons but the default are listed', async () => {
    const rules = `score: { review: 1, reject: 50 }
rules:
  - { id: bad, when: { phone.type: voip }, then: reject }
  - { id: good, when: { phone.type: voip }, then: accept }
  - { id: allow, when: { phone.type: voip }, then: accept, final: true, points: 1 }
  - { id: look, when: { phone.type: mobile }, then: review, final: true }
  - { id: open, when: { ip.isp: x }, then: review, points: 50 }
`;
    const verdict = await decide(rules, { 'phone.type': 'voip' }, 'reject');
    expect(verdict.outcome).toBe('accept');
    expect(outline(verdict)).toEqual([
      ['ALLOW', 'accept', true],
      ['BAD', 'reject', false],
      ['OPEN', 'review', false],
      ['SCORE', 'review', false],
      ['SCORE_UNDETERMINED', 'review', false],
      ['GOOD', 'accept', false],
    ]);
    expect(verdict.undetermined).toMatchObject([{ rule: 'open', asks: 'review' }]);
    const onlyFinal = 'rules: [{ id: allow, when: { phone.type: voip }, then: accept, final: true }]';
    expect(outline(await decide(onlyFinal, { 'phone.type': 'voip' }, 'reject'))).toEqual([['ALLOW', 'accept', true]]);
  });

  test('they are sorted: decisive first, then the strictest, then in the policy’s order, then the score', async () => {
    const rules = `score: { review: 1, reject: 5 }
rules:
  - { id: points-only, when: { phone.type: voip }, points: 1 }
  - { id: good, when: { phone.type: voip }, then: accept }
  - { id: doubtful, when: { phone.type: voip }, then: review }
  - { id: open, when: { ip.isp: x }, then: reject, points: 9 }
  - { id: doubtful-too, when: { phone.type: voip }, then: review }
`;
    expect(outline(await decide(rules, { 'phone.type': 'voip' }))).toEqual([
      ['DOUBTFUL', 'review', true],
      ['OPEN', 'review', true],
      ['DOUBTFUL_TOO', 'review', true],
      ['SCORE', 'review', true],
      ['SCORE_UNDETERMINED', 'review', true],
      ['GOOD', 'accept', false],
      ['POINTS_ONLY', null, false],
    ]);
    const rejected = `${rules}  - { id: bad, when: { phone.type: voip }, then: reject }\n`;
    expect(outline(await decide(rejected, { 'phone.type': 'voip' })).slice(0, 4)).toEqual([
      ['BAD', 'reject', true],
      ['DOUBTFUL', 'review', false],
      ['OPEN', 'review', false],
      ['DOUBTFUL_TOO', 'review', false],
    ]);
  });

  test('a message shows texts as they came, numbers as in JSON, and the words unknown and never', async () => {
    const message =
      '{{{ip.isp}}} {phone.score} {email.domain.score} {phone.valid} {phone.porting.portedDate} ' +
      '{daysSince phone.porting.portedDate} {daysSince email.domain.firstSeen} {email.domain.firstSeen} ' +
      '{daysSince context.renewal} {phone.status} {daysSince email.darkWeb.lastHit}';
    const { reasons } = await decide(
      `facts: { context.renewal: { type: date } }
rules: [{ id: r, when: { phone.type: voip }, then: review, message: "${message}" }]
`,
      {
        'phone.type': 'voip',
        'ip.isp': ' ACME {phone.type} ',
        'phone.score': 1e-7,
        'email.domain.score': 50,
        'phone.valid': true,
        'phone.porting.portedDate': '2026-10-31',
        'email.domain.firstSeen': 'never',
        'context.renewal': '2026-11-23',
        'phone.status': missing('sourceFailed'),
      },
    );
    const shown = '{ ACME {phone.type} } 1e-7 50 true 2026-10-31 20 never never -3 unknown unknown';
    expect(reasons).toMatchObject([{ message: shown }]);
  });
});

describe('evidence', () => {
  test('follows every true branch and skips the others', async () => {
    const hits = '{ email.darkWeb.hitCount: { above: 3 } }';
    const when = `{ any: [{ phone.type: voip }, { ip.isp: other }, ${hits}, { phone.score: 1 }] }`;
    expect(await evidenceOf(when, { 'phone.type': 'voip', 'ip.isp': 'x', 'email.darkWeb.hitCount': 4 })).toStrictEqual([
      { fact: 'phone.type', operator: 'is', expected: 'voip', value: 'voip' },
      { fact: 'email.darkWeb.hitCount', operator: 'above', expected: 3, value: 4 },
    ]);
  });

  test('of `atLeastOf` has all parts that are true, not only as many as needed', async () => {
    const when =
      '{ atLeastOf: { count: 1, of: [{ phone.type: voip }, { phone.score: 2 }, { phone.score: { above: 0 } }] } }';
    expect(await evidenceOf(when, { 'phone.type': 'voip', 'phone.score': 1 })).toMatchObject([
      { fact: 'phone.type' },
      { fact: 'phone.score', operator: 'above' },
    ]);
  });

  test('under `not` follows the parts that are false, and is negated under an odd number of `not`', async () => {
    const notScore = '{ not: { phone.score: 1 } }';
    const when = `{ not: { all: [{ phone.type: mobile }, { ip.isp: x }, ${notScore}, { phone.status: active }] } }`;
    expect(await evidenceOf(when, { 'phone.type': 'voip', 'ip.isp': 'X', 'phone.score': 1 })).toStrictEqual([
      { fact: 'phone.type', operator: 'is', expected: 'mobile', value: 'voip', negated: true },
      { fact: 'phone.score', operator: 'is', expected: 1, value: 1 },
    ]);
  });

  test('a list keeps its order; a map is sorted by its keys in UTF-16 code units', async () => {
    const inLists = '{ all: [{ phone.type: voip }, { ip.isp: x }] }';
    const values = { 'phone.type': 'voip', 'ip.isp': 'x', 'email.darkWeb.hitCount': 1 };
    expect(await evidenceOf(inLists, values)).toMatchObject([{ fact: 'phone.type' }, { fact: 'ip.isp' }]);
    const inMap = '{ phone.type: voip, ip.isp: x, all: [{ email.darkWeb.hitCount: 1 }] }';
    expect(await evidenceOf(inMap, values)).toMatchObject([
      { fact: 'email.darkWeb.hitCount' },
      { fact: 'ip.isp' },
      { fact: 'phone.type' },
    ]);
    const facts = 'facts: { context.aB: { type: boolean }, context.aa: { type: boolean } }\n';
    const capitals = { 'context.aa': true, 'context.aB': true };
    expect(await evidenceOf('{ context.aa: true, context.aB: true }', capitals, facts)).toMatchObject([
      { fact: 'context.aB' },
      { fact: 'context.aa' },
    ]);
  });

  test('the operators of a fact are in the order of their table', async () => {
    const when = '{ phone.score: { between: [0, 9], below: 9, above: 0, known: true, isNot: 3 } }';
    const evidence = ['isNot', 'known', 'above', 'below', 'between'].map((operator) => ({ operator }));
    expect(await evidenceOf(when, { 'phone.score': 5 })).toMatchObject(evidence);
  });

  test('a named condition appears where it is named, and a repeated test once, where it is first', async () => {
    const conditions = 'conditions: { named: { any: [{ ip.isp: " ACME" }, { phone.score: { above: 1 } }] } }\n';
    const when =
      '{ all: [{ phone.type: voip }, named, { ip.isp: acme }, { phone.score: { above: 1.0, atLeast: 1 } }] }';
    const values = { 'phone.type': 'voip', 'phone.score': 2, 'ip.isp': 'Acme' };
    expect(await evidenceOf(when, values, conditions)).toStrictEqual([
      { fact: 'phone.type', operator: 'is', expected: 'voip', value: 'voip' },
      { fact: 'ip.isp', operator: 'is', expected: ' ACME', value: 'Acme' },
      { fact: 'phone.score', operator: 'above', expected: 1, value: 2 },
      { fact: 'phone.score', operator: 'atLeast', expected: 1, value: 2 },
    ]);
  });

  test('a test under two nots is the test itself', async () => {
    const when = '{ all: [{ not: { not: { phone.score: 2 } } }, { phone.score: 2 }, { not: { phone.score: 3 } }] }';
    expect(await evidenceOf(when, { 'phone.score': 2 })).toStrictEqual([
      { fact: 'phone.score', operator: 'is', expected: 2, value: 2 },
      { fact: 'phone.score', operator: 'is', expected: 3, value: 2, negated: true },
    ]);
  });

  test('`expected` is as written', async () => {
    const lists = 'lists: { bad: [Spam.example] }\n';
    const when = `
      ip.isp: { matches: "^A.*E$", in: [" ACME", Other], notIn: [b] }
      phone.porting.portedDate: { withinLast: 2 weeks }
      applicant.emailDomain: { inDomainList: bad }
      phone.type: [voip, mobile]
      phone.riskLevel: { between: [low, high] }`;
    const values = {
      'ip.isp': 'acme',
      'phone.porting.portedDate': '2026-11-10',
      'applicant.emailDomain': 'mail.spam.EXAMPLE',
      'phone.type': 'voip',
      'phone.riskLevel': 'low',
    };
    expect(await evidenceOf(when, values, lists)).toStrictEqual([
      { fact: 'applicant.emailDomain', operator: 'inDomainList', expected: 'bad', value: 'mail.spam.EXAMPLE' },
      { fact: 'ip.isp', operator: 'in', expected: [' ACME', 'Other'], value: 'acme' },
      { fact: 'ip.isp', operator: 'notIn', expected: ['b'], value: 'acme' },
      { fact: 'ip.isp', operator: 'matches', expected: '^A.*E$', value: 'acme' },
      { fact: 'phone.porting.portedDate', operator: 'withinLast', expected: '2 weeks', value: '2026-11-10' },
      { fact: 'phone.riskLevel', operator: 'between', expected: ['low', 'high'], value: 'low' },
      { fact: 'phone.type', operator: 'in', expected: ['voip', 'mobile'], value: 'voip' },
    ]);
  });

  test('a test against a fact names the other with its value', async () => {
    const when = '{ phone.operator.current: { isNot: { fact: phone.operator.original } } }';
    expect(await evidenceOf(when, { 'phone.operator.current': 'A', 'phone.operator.original': 'B ' })).toStrictEqual([
      {
        fact: 'phone.operator.current',
        operator: 'isNot',
        expected: { fact: 'phone.operator.original' },
        value: 'A',
        other: { fact: 'phone.operator.original', value: 'B ' },
      },
    ]);
  });

  test('a missing fact has no value', async () => {
    expect(await evidenceOf('{ ip.isp: { known: false } }', {})).toStrictEqual([
      { fact: 'ip.isp', operator: 'known', expected: false },
    ]);
  });
});

describe('the missing facts of an undetermined rule', () => {
  test('are those of its unknown branches, in the order of the condition, each fact once', async () => {
    const when = `{ all: [
      { phone.type: voip },
      { any: [{ phone.status: active }, { ip.isp: x }] },
      { not: { any: [{ phone.score: 1 }, { phone.status: inactive }] } },
      { any: [{ phone.type: voip }, { ip.country: "no" }] }
      ] }`;
    const values = { 'phone.type': 'voip', 'ip.isp': missing('notRequested'), 'phone.score': missing('unmapped') };
    expect(await missingOf(when, values)).toStrictEqual([
      { fact: 'phone.status', cause: 'notGiven' },
      { fact: 'ip.isp', cause: 'notRequested' },
      { fact: 'phone.score', cause: 'unmapped' },
    ]);
  });

  test('include, for a test against a fact, the subject before the other', async () => {
    const when = '{ phone.operator.current: { is: { fact: phone.operator.original } } }';
    expect(await missingOf(when, { 'phone.operator.original': missing('notReturned') })).toStrictEqual([
      { fact: 'phone.operator.current', cause: 'notGiven' },
      { fact: 'phone.operator.original', cause: 'notReturned' },
    ]);
    expect(await missingOf(when, { 'phone.operator.current': 'x' })).toStrictEqual([
      { fact: 'phone.operator.original', cause: 'notGiven' },
    ]);
  });

  test('include every unknown part of `atLeastOf`', async () => {
    const when =
      '{ atLeastOf: { count: 2, ' +
      'of: [{ ip.isp: x }, { phone.type: voip }, { phone.score: 1 }, { phone.status: active }] } }';
    expect(await missingOf(when, { 'phone.type': 'voip', 'phone.score': 2 })).toMatchObject([
      { fact: 'ip.isp' },
      { fact: 'phone.status' },
    ]);
  });

  test('include the subject with the cause error if the evaluation of a test on it failed', async () => {
    const policy = policyOf(`policy: test
version: "1"
default: accept
rules: [{ id: r, when: { any: [{ ip.isp: { matches: x } }, { phone.type: voip }] }, then: reject, points: 1 }]
`);
    const rules = policy.rules.map((rule) => ({ ...rule, when: withThrowingPattern(rule.when) }));
    const broken = keepData({ ...policy, rules }, {});
    const verdict = await decideBy(broken, { 'ip.isp': 'a', 'phone.type': 'mobile' });
    expect(verdict).toMatchObject({
      outcome: 'review',
      undetermined: [{ rule: 'r', asks: 'review', missing: [{ fact: 'ip.isp', cause: 'error' }] }],
      score: { least: 0, most: 1 },
    });
    // A condition that is true without it stays true.
    expect(await decideBy(broken, { 'ip.isp': 'a', 'phone.type': 'voip' })).toMatchObject({ outcome: 'reject' });
  });
});

function withThrowingPattern(condition: Policy['rules'][number]['when']): Policy['rules'][number]['when'] {
  if (condition.kind !== 'test') return { ...condition, of: condition.of.map(withThrowingPattern) } as typeof condition;
  const test = () => {
    throw new Error('broken');
  };
  return condition.operator === 'matches' ? { ...condition, argument: { source: 'x', test } } : condition;
}
