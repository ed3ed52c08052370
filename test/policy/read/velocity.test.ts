/** `velocity:` in a policy and its rule sets: facts that count, mistakes in them, and what edits and checks say. */

import { describe, expect, it } from 'vitest';
import { catalogRows } from '../../../src/facts/json-schema.ts';
import { velocitiesIn } from '../../../src/facts/velocity.ts';
import { describeEdits } from '../../../src/lab/diff/edits/describe-edits.ts';
import { policySchema } from '../../../src/policy/editor/schema.ts';
import { policyFromData } from '../../../src/policy/read/parse.ts';
import { policyData } from '../../../src/policy/source-map.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';
import { schemaProblems } from '../../support/policy/validate.ts';

const DEVICE = 'facts: { context.device: { type: string } }\n';
const RULES = 'rules: [{ id: one, when: { velocity.one: { atLeast: 3 } }, then: review }]\n';
const velocity = (one: string) => `velocity: { one: ${one} }\n`;
const HOUR = 3_600_000;

describe('a velocity', () => {
  const FORMS: [what: string, one: string, read: object][] = [
    ['applications by ip', '{ count: applications, by: ip, within: 1 hour }', { by: ['ip'], withinMs: HOUR }],
    ['minutes', '{ count: applications, by: email, within: 90 minutes }', { by: ['email'], withinMs: 1.5 * HOUR }],
    ['days', '{ count: applications, by: emailDomain, within: 7 days }', { by: ['emailDomain'], withinMs: 168 * HOUR }],
    ['a network', '{ count: applications, by: ip/64, within: 1 day }', { by: ['ip/64'], withinMs: 24 * HOUR }],
    [
      'different values',
      '{ count: distinct email, by: ip/24, within: 1 day }',
      { count: 'distinct', of: 'email', by: ['ip/24'] },
    ],
    [
      'a fact of the caller',
      '{ count: distinct phoneNo, by: context.device, within: 1 day }',
      { by: ['context.device'] },
    ],
    [
      'an outcome',
      '{ count: applications, by: phoneNo, where: { outcome: reject }, within: 1 day }',
      { where: { key: 'outcome', value: 'reject' } },
    ],
    [
      'a disposition',
      '{ count: applications, by: phoneNo, where: { disposition: fraud }, within: 1 day }',
      { where: { key: 'disposition', value: 'fraud' } },
    ],
    [
      'different values of a fact, of which an outcome became known',
      '{ count: distinct context.device, by: email, where: { outcome: reject }, within: 1 day }',
      { count: 'distinct', of: 'context.device', where: { key: 'outcome', value: 'reject' } },
    ],
    [
      'by two values',
      '{ count: applications, by: [ip/24, context.device], within: 1 day }',
      { by: ['context.device', 'ip/24'] },
    ],
    [
      'with a fact of the caller',
      '{ count: applications, by: mailbox, where: { context.device: d1 }, within: 1 day }',
      { by: ['mailbox'], where: { key: 'context.device', value: 'd1' } },
    ],
    ['since a day', '{ count: applications, by: ip, within: 90 days, since: 2026-11-01 }', { since: '2026-11-01' }],
    ['minutes since the last', '{ count: last, by: phoneNo, within: 30 days }', { count: 'last', by: ['phoneNo'] }],
  ];

  it.each(FORMS)('counts %s', (_, one, read) => {
    const text = HEAD + DEVICE + velocity(one) + RULES;
    const policy = policyOf(text);
    expect(velocitiesIn(policy.facts).get('velocity.one')).toMatchObject(read);
    expect(policy.facts.get('velocity.one')).toMatchObject({ type: 'integer', range: [0, Number.MAX_SAFE_INTEGER] });
    // As data, and read again, it is the same policy.
    const again = policyFromData(policyData(policy));
    expect([again.digest, [...velocitiesIn(again.facts)]]).toEqual([policy.digest, [...velocitiesIn(policy.facts)]]);
  });

  it('is what the schema of editors takes, in each form, and a number is not', () => {
    const all = FORMS.map(([, one], i) => `  v${i}: ${one}\n`).join('');
    const text = `${HEAD}${DEVICE}velocity:\n${all}rules: [{ id: one, when: { velocity.v0: 3 }, then: review }]\n`;
    const schema = policySchema(policyOf(text));
    expect(schemaProblems(schema, text)).toEqual([]);
    expect(schemaProblems(schema, text.replace('1 hour', '60'))).not.toEqual([]);
  });

  it('of a rule set is one of the policy, and its window may be a parameter', () => {
    const ruleSet = `parameters: { window: 1 hour }
velocity: { one: { count: applications, by: ip, within: $window } }
${RULES}`;
    const policy = policyOf(`${HEAD}parameters: { window: 2 days }\nruleSets: [a.yaml]\n`, { 'a.yaml': ruleSet });
    expect(velocitiesIn(policy.facts).get('velocity.one')?.withinMs).toBe(48 * HOUR);
    expect(catalogRows(policy.facts).find(({ path }) => path === 'velocity.one')).toMatchObject({
      signal: 'counted: applications by ip within 2 days',
      values: '0 or more',
    });
    expect(policyFromData(policyData(policy)).digest).toBe(policy.digest);
  });

  const MISTAKES: (readonly [what: string, code: string, text: string, hint?: string | undefined])[] = [
    [
      'another key',
      'unknown-key',
      velocity('{ count: applications, by: ip, ‹window: 1 hour }'),
      'did you mean "within"?',
    ],
    ['a missing key', 'missing-key', velocity('{ ‹count: applications, within: 1 hour }')],
    [
      'another count',
      'wrong-value',
      velocity('{ count: ‹emails, by: ip, within: 1 hour }'),
      'did you mean "distinct email"?',
    ],
    ...Object.entries({
      'distinct phones': 'did you mean "phoneNo"?',
      'distinct device': 'write `context.device`, and declare it under `facts`',
      '"distinct device"': undefined,
      'unique context.device': 'write "distinct context.device"',
      'context.device': 'write "distinct context.device"',
      'total amount': 'sum a number of the caller, like "sum context.amount"',
      'distinct ip/24': 'networks are for `by` alone: count `distinct ip`',
    }).map(
      ([count, hint]) =>
        [count, 'wrong-value', velocity(`{ count: ‹${count}, by: ip, within: 1 hour }`), hint] as const,
    ),
    ...['"ip, context.device"', 'ip + context.device', 'ip and context.device'].map(
      (by) =>
        [
          by,
          'wrong-value',
          velocity(`{ count: applications, by: ‹${by}, within: 1 hour }`),
          'write `[ip, context.device]`',
        ] as const,
    ),
    ...Object.entries({ reject: 'outcome', fraud: 'disposition' }).map(
      ([value, key]) =>
        [
          `where: ${value}`,
          'wrong-type',
          velocity(`{ count: applications, by: ip, where: ‹${value}, within: 1 hour }`),
          `write \`{ ${key}: ${value} }\``,
        ] as const,
    ),
    ...Object.entries({
      '0.5 hours': '30 minutes',
      '1.5 days': '36 hours',
      'one day': '1 day',
      '1,5 h': '90 minutes',
    }).map(
      ([within, meant]) =>
        [
          within,
          'malformed',
          velocity(`{ count: applications, by: ip, within: ‹"${within}" }`),
          `write "${meant}"`,
        ] as const,
    ),
    [
      'another `by`',
      'wrong-value',
      velocity('{ count: applications, by: ‹phone, within: 1 hour }'),
      'did you mean "phoneNo"?',
    ],
    [
      'the fact itself',
      'wrong-value',
      velocity('{ count: applications, by: ‹applicant.ip, within: 1 hour }'),
      'did you mean "ip"?',
    ],
    ['a network of no size', 'wrong-value', velocity('{ count: applications, by: ‹ip/129, within: 1 hour }')],
    [
      'a unit that has no length',
      'malformed',
      velocity('{ count: applications, by: ip, within: ‹2 months }'),
      'months and years have no fixed length: write days',
    ],
    ['weeks', 'malformed', velocity('{ count: applications, by: ip, within: ‹2 weeks }'), 'write "14 days"'],
    ['another spelling', 'malformed', velocity('{ count: applications, by: ip, within: ‹1h }'), 'write "1 hour"'],
    ['words', 'malformed', velocity('{ count: applications, by: ip, within: ‹the last 6 hours }'), 'write "6 hours"'],
    ['a rate', 'malformed', velocity('{ count: applications, by: ip, within: ‹per hour }'), 'write "1 hour"'],
    [
      'a number',
      'wrong-type',
      velocity('{ count: applications, by: ip, within: ‹60 }'),
      'write it with its unit, like "1 hour"',
    ],
    ['a window that is too long', 'wrong-value', velocity('{ count: applications, by: ip, within: ‹1001 days }')],
    ['a count that is never above 1', 'wrong-value', velocity('‹{ count: distinct ip, by: ip, within: 1 day }')],
    [
      'a sum of what is no number',
      'fact-types',
      `${DEVICE}${velocity('{ count: ‹sum context.device, by: ip, within: 1 day }')}`,
      'count `distinct context.device`, or sum a number',
    ],
    [
      'a sum of what is personal',
      'fact-types',
      `facts: { context.income: { type: number, personal: true } }\n${velocity('{ count: ‹sum context.income, by: ip, within: 1 day }')}`,
      'which are hashed',
    ],
    [
      'a sum of what the service knows',
      'wrong-value',
      velocity('{ count: ‹sum phone.score, by: ip, within: 1 day }'),
      'sum a number of the caller',
    ],
    ['the same twice', 'wrong-value', velocity('{ count: applications, by: ‹[ip, ip], within: 1 day }')],
    [
      'a value that its fact does not have',
      'wrong-value',
      `facts: { context.product: { type: enum, values: [loan, card] } }\n${velocity('{ count: applications, by: ip, where: ‹{ context.product: loans }, within: 1 day }')}`,
      'write one of loan, card',
    ],
    [
      'two conditions',
      'wrong-value',
      velocity('{ count: applications, by: ip, where: ‹{ outcome: reject, disposition: fraud }, within: 1 day }'),
    ],
    [
      'another disposition',
      'wrong-value',
      velocity('{ count: applications, by: ip, where: { disposition: ‹frauds }, within: 1 day }'),
    ],
    [
      'a name that is no path',
      'malformed',
      'velocity: { ‹same-ip: { count: applications, by: ip, within: 1 day } }\n',
      'write sameIp',
    ],
    [
      'a fact that is not there',
      'unknown-fact',
      velocity('{ count: applications, by: ‹context.devise, within: 1 day }') + DEVICE,
      'did you mean "context.device"?',
    ],
    [
      'a fact that is computed',
      'fact-types',
      `facts: { context.a: { type: number }, context.b: { type: number, compute: { sum: [context.a, 1] } } }\n${velocity('{ count: applications, by: ‹context.b, within: 1 day }')}`,
    ],
  ];

  it.each(MISTAKES)('with %s is an error at its place', (_, code, text, hint) => {
    const { codes, places, marks, hints } = problemsOf(HEAD + text);
    expect([codes, places]).toEqual([[code], marks]);
    if (hint !== undefined) expect(hints[0]).toContain(hint);
  });

  it('is reported once, where it is wrong, and not again where rules read it', () => {
    const { codes } = problemsOf(
      ruleWhen('{ velocity.one: { above: 3 } }', velocity('{ count: all, by: ip, within: 1 day }')),
    );
    expect(codes).toEqual(['wrong-value']);
  });

  it('has a name that is near to one that a rule misspells', () => {
    const text = ruleWhen(
      '{ ‹velocity.sameIp: 3 }',
      'velocity: { sameIp1h: { count: applications, by: ip, within: 1 hour } }\n',
    );
    const { codes, places, marks, hints } = problemsOf(text);
    expect([codes, places, hints]).toEqual([['unknown-fact'], marks, [expect.stringContaining('velocity.sameIp1h')]]);
    const [hint] = problemsOf(ruleWhen('{ velocity.other: 3 }')).hints;
    expect(hint).toBe('declare it under `velocity`');
  });

  it('is declared once in all files', () => {
    const one = velocity('{ count: applications, by: ip, within: 1 hour }');
    const { codes, places } = problemsOf(`${HEAD}${one}ruleSets: [a.yaml]\n${RULES}`, { 'a.yaml': one });
    expect([codes, places]).toEqual([['duplicate-name'], ['a.yaml:1:13']]);
  });

  it('that no rule reads is a warning, in a rule set too; the fact that it is counted by is used', () => {
    const two = 'velocity: { ‹two: { count: applications, by: context.device, within: 1 hour } }\n';
    const { codes, places, marks, loads } = problemsOf(
      `${HEAD}${DEVICE}ruleSets: [a.yaml]\nrules: [{ id: voip, when: { phone.type: voip }, then: review }]\n`,
      { 'a.yaml': two },
    );
    expect([codes, places, loads]).toEqual([['warning unused-fact'], marks, true]);
  });

  it('is never below 0, so that such a test is a warning', () => {
    const text = ruleWhen(
      '{ velocity.one: { below: ‹0 } }',
      velocity('{ count: applications, by: ip, within: 1 hour }'),
    );
    const { codes, places, marks } = problemsOf(text);
    expect([codes, places]).toEqual([['warning never-true'], marks]);
  });

  it('that was edited is one edit, in words, at its place', () => {
    const [old, now] = ['1 hour', '2 hours'].map((within) =>
      policyOf(HEAD + velocity(`{ count: applications, by: ip, within: ${within} }`) + RULES),
    );
    const edits = old && now ? describeEdits(old, now) : [];
    expect(edits).toMatchObject([
      {
        kind: 'changed',
        path: ['velocity', 'one'],
        text: 'fact velocity.one: velocity applications by ip within 1 hour is now applications by ip within 2 hours',
        place: { line: 4 },
      },
    ]);
  });
});
