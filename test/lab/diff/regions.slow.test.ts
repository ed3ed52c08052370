/** The regions of small edits, in every state of the facts. */

import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { FactValue } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { diffPolicies } from '../../../src/lab/diff/diff.ts';
import { splitRules } from '../../../src/lab/diff/search.ts';
import { createSpace } from '../../../src/lab/space/space.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

const pair = (one: string, other: string) =>
  [policyOf(`${HEAD}rules:\n${one}`), policyOf(`${HEAD}rules:\n${other}`)] as const;

/** Every combination of these values, and of missing facts. */
function everyone(values: Readonly<Record<string, readonly FactValue[]>>): ReadonlyMap<string, { value: FactValue }>[] {
  let all: Map<string, { value: FactValue }>[] = [new Map()];
  for (const [path, own] of Object.entries(values)) {
    all = all.flatMap((each) => [each, ...own.map((value) => new Map([...each, [path, { value }]]))]);
  }
  return all;
}

const QUIET = '  - { id: quiet, when: { phone.valid: false }, then: review, whenUnknown: ignore }\n';
const BOTH = `${QUIET}  - { id: both, when: { phone.score: { atLeast: 80 }, email.address.score: { atLeast: 80 } }, then: review }\n`;
const EITHER = `${QUIET}  - { id: either, when: { any: [{ phone.score: { atLeast: 80 } }, { email.address.score: { atLeast: 80 } }] }, then: review }\n`;
const THREE = `${QUIET}  - { id: three, when: { all: [{ phone.score: { atLeast: 80 } }, { email.address.score: { atLeast: 80 } }, { phone.porting.portCount: { atLeast: 2 } }] }, then: review }
  - { id: two, when: { phone.score: { atLeast: 90 }, phone.porting.portCount: { atLeast: 2 } }, then: reject }\n`;

const SHARED = `${QUIET}  - { id: all, when: { phone.score: { atLeast: 70 }, email.address.score: { atLeast: 80 }, phone.porting.portCount: { atLeast: 2 } }, then: reject }
  - { id: one, when: { phone.score: { atLeast: 70 } }, then: review }\n`;

describe('regions', () => {
  it.each([
    ['of a rule of two facts', BOTH, QUIET],
    ['of rules that share facts', THREE, QUIET],
    [
      'of other limits',
      THREE,
      THREE.replaceAll('80', '85').replace(
        'portCount: { atLeast: 2 } }, then: reject',
        'portCount: { atLeast: 3 } }, then: reject',
      ),
    ],
    ['of another join', BOTH, EITHER],
    ['of a condition of several rules', SHARED, SHARED.replace('70', '75')],
  ])('%s have each applicant whose outcome changes once, and nobody else', async (_, before, after) => {
    const [old, now] = pair(before, after);
    const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY, mostRegions: 200 });
    expect(elsewhere).toBe('same');
    const people = everyone({
      'phone.valid': [true, false],
      'phone.score': [0, 70, 79, 80, 84, 85, 89, 90],
      'email.address.score': [0, 80, 85],
      'phone.porting.portCount': [1, 2, 3],
    });
    let differing = 0;
    for (const given of people) {
      const facts = readFacts(given, old.facts, DAY);
      const [from, to] = [old, now].map((policy) => matcherOf(policy).outcome(facts, DAY).outcome);
      const found = regions.filter((region) => region.contains(facts)).map((region) => [region.from, region.to]);
      expect(found, JSON.stringify([...given])).toEqual(from === to ? [] : [[from, to]]);
      if (from !== to) differing += 1;
    }
    expect(differing).toBeGreaterThan(10);
  });

  it('have those who do not meet a condition of several facts as one', async () => {
    const rules = (least: number) => `conditions:
  risky: { phone.score: { atLeast: ${least} } }
  leaked: { email.darkWeb.hitCount: { atLeast: 3 }, phone.porting.portCount: { atLeast: 2 } }
rules:
  - { id: both, when: { all: [risky, leaked] }, then: reject }
  - { id: one, when: risky, then: review }
`;
    const [old, now] = [rules(70), rules(80)].map((text) => policyOf(HEAD + text)) as [Policy, Policy];
    const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY });
    const leaked = 'leaked (email.darkWeb.hitCount is at least 3, phone.porting.portCount is at least 2)';
    expect(regions.map(({ from, to, conditions }) => [from, to, ...conditions])).toEqual([
      ['review', 'accept', 'phone.score is at least 70 and below 80', `not ${leaked}`],
      ['reject', 'accept', 'phone.score is at least 70 and below 80', leaked],
    ]);
    expect(elsewhere).toBe('same');
  });

  it('say of those outside of several facts what can be otherwise', async () => {
    const outside = '{ not: { all: [{ phone.type: mobile }, { phone.valid: true }] } }';
    const rule = `  - { id: high, when: { all: [{ phone.score: { above: 80 } }, ${outside}] }, then: reject }\n`;
    const { regions } = await diffPolicies(...pair(QUIET, QUIET + rule), { at: DAY });
    const found = regions.filter(({ from, to }) => from === 'accept' && to === 'reject');
    const others = 'phone.valid is false; or phone.type is anything but mobile';
    expect(found.map(({ conditions }) => conditions)).toEqual([
      ['phone.score is above 80', others, 'the other rules alone give accept'],
    ]);
  });

  it('are of each kind of change that happens to anybody, however few are asked for', async () => {
    const rule = (test: string, then: string) =>
      `  - { id: one, when: { ${test} }, then: ${then}, whenUnknown: ignore }\n`;
    const [old, now] = pair(
      rule('phone.country: { known: true }', 'reject'),
      rule('phone.type: { known: true }', 'review'),
    );
    const { regions, elsewhere, excluded } = await diffPolicies(old, now, { at: DAY, mostRegions: 1 });
    expect(elsewhere).toBe('notSought');
    const words = ({ from, to }: { from: string; to: string }) => `${from} to ${to}`;
    expect(regions.map(words).sort()).toEqual(['accept to review', 'reject to accept', 'reject to review']);
    expect(excluded?.map(words)).toEqual(['accept to reject', 'review to accept', 'review to reject']);
    for (const { example } of regions) expect(example).toBeDefined();
  });

  it('are counted as they are joined, so that no more are said to exist than there are', async () => {
    const rules = (phone: number, email: number) => `score: { review: 40, reject: 100 }
rules:
  - { id: quiet, when: { phone.valid: false }, then: review, points: 65, whenUnknown: ignore }
  - { id: voip, when: { phone.type: voip }, then: review, points: 25 }
  - { id: either, when: { any: [{ phone.score: { atLeast: ${phone} } }, { email.address.score: { atLeast: ${email} } }] }, points: 15 }
`;
    const [old, now] = [rules(70, 80), rules(75, 85)].map((text) => policyOf(HEAD + text)) as [Policy, Policy];
    const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY, mostRegions: 5 });
    expect([regions.length, elsewhere]).toEqual([1, 'same']);
  });

  it('take the ages of facts on the day of a decision', async () => {
    const rule = (days: number) =>
      `  - { id: ported, when: { phone.porting.portedDate: { withinLast: ${days} days, before: 2026-01-01 } }, then: review }\n`;
    const [old, now] = pair(rule(30), rule(10));
    const { regions } = await diffPolicies(old, now, { at: '2026-01-20' });
    const isChanged = (date: string, day?: string) => {
      const facts = readFacts(new Map([['phone.porting.portedDate', { value: date }]]), old.facts, day ?? '2026-01-20');
      return regions.map((region) => region.contains(facts, day));
    };
    expect(isChanged('2025-12-31')).toEqual([true]);
    // Ages that no date has on the day of the diff: 5 days, and before the year.
    expect(isChanged('2025-12-31', '2026-01-05')).toEqual([false]);
    expect(isChanged('2025-12-20', '2026-01-05')).toEqual([true]);
    expect(isChanged('2025-12-20')).toEqual([false]);
  });

  it('say of final rules what the others have to be', async () => {
    const final = (id: string, test: string, then: string) =>
      `  - { id: ${id}, when: { ${test} }, then: ${then}, final: true }\n`;
    const common =
      final('wrong', 'phone.valid: false', 'reject') + final('known', 'phone.score: { below: 10 }', 'accept');
    const risky = '  - { id: risky, when: { email.address.score: { atLeast: 80 } }, then: review }\n';
    const [old, now] = pair(common + risky, `${common}${risky}${final('new', 'phone.type: mobile', 'accept')}`);
    const { regions } = await diffPolicies(old, now, { at: DAY });
    expect(regions.map(({ from, to, conditions }) => [from, to, ...conditions])).toEqual([
      [
        ...['review', 'accept', 'phone.type is mobile'],
        'no other final rule is undetermined, and the other rules alone give review',
      ],
    ]);
  });

  it('say in one sentence what the other rules decide, in whatever way they do', async () => {
    const policyWith = (limit: number) =>
      policyOf(`${HEAD}score: { review: 40, reject: 90 }
rules:
  - { id: friend, when: { phone.valid: true }, then: accept, final: true }
  - { id: toll, when: { phone.country: NO }, then: reject, final: true }
  - { id: young, when: { email.address.firstSeen: { withinLast: 30 days } }, then: review, points: 30 }
  - { id: voip, when: { phone.type: voip }, points: 45 }
  - { id: risky, when: { phone.score: { above: ${limit} } }, then: reject }
`);
    const { regions, elsewhere } = await diffPolicies(policyWith(60), policyWith(50), { at: DAY });
    const words = regions.map(({ from, to, conditions }) => `${from} to ${to}: ${conditions.join('; ')}`);
    expect(words).toContain(
      'review to reject: phone.score is above 50 and at most 60; no other final rule fires, and the other rules alone give review',
    );
    expect([words.length, elsewhere]).toEqual([new Set(regions.map(({ from, to }) => `${from} ${to}`)).size, 'same']);
  });

  it('are one where their words are the same, because values that tell them apart are not shown', async () => {
    const facts =
      'facts:\n  context.name: { type: string, personal: true }\n  context.nick: { type: string, personal: true }\n';
    const either = (...ways: string[]) => `{ any: [${ways.map((way) => `{ ${way} }`).join(', ')}] }`;
    const when = either('context.name: [a, b], context.nick: [c, d]', 'context.name: [e, f], context.nick: [g, h]');
    const rule = `  - { id: one, when: ${when}, then: reject, whenUnknown: ignore }\n`;
    const [old, now] = ['', rule].map((rules) => policyOf(`${HEAD}${facts}rules:\n${QUIET}${rules}`)) as [
      Policy,
      Policy,
    ];
    const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY });
    const isIn = (name: string, nick: string) => {
      const given = new Map([
        ['context.name', { value: name }],
        ['context.nick', { value: nick }],
      ]);
      return regions.map((region) => region.contains(readFacts(given, now.facts, DAY)));
    };
    const changes = regions.map(({ from, to, rules }) => [from, to, ...rules]);
    expect(changes).toEqual([
      ['accept', 'reject', 'one'],
      ['review', 'reject', 'one'],
    ]);
    expect(elsewhere).toBe('same');
    expect([isIn('b', 'c'), isIn('e', 'h'), isIn('b', 'h')].map((each) => each.includes(true))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

it('a region names all values that its test has', async () => {
  const [old, now] = pair(
    `${QUIET}  - { id: two, when: { phone.country: { in: [GB, IE] } }, then: review, whenUnknown: ignore }\n`,
    QUIET,
  );
  const { regions } = await diffPolicies(old, now, { at: DAY });
  expect(regions.map(({ conditions: [first] }) => first)).toEqual(['phone.country is one of GB, IE']);
});

describe('an edited list changes decisions on the texts that only one version has', () => {
  const rule = `${QUIET}  - { id: listed, when: { ip.isp: { inList: bad } }, then: review, whenUnknown: ignore }\n`;
  const withList = (entries: string) => policyOf(`${HEAD}lists: { bad: ${entries} }\nrules:\n${rule}`);

  it.each([
    ['one more', '[a, b]', '[a, b, c]', ['accept review "c"']],
    ['one less', '[a, b, c]', '[b, a]', ['review accept "c"']],
    ['others', '[a, b]', '[c, d]', ['review accept "a" or "b"', 'accept review "c" or "d"']],
    [
      'one more beside one with a last day',
      '[{ value: a, until: 2027-01-01 }]',
      '[a, c]',
      ['accept review "a", from 2027-01-02', 'accept review "c"'],
    ],
    [
      'an earlier last day',
      '[{ value: a, until: 2026-11-20 }, b]',
      '[{ value: a, until: 2026-11-19 }, b]',
      ['review accept in the list bad (entries until 2026-11-20), until 2026-11-20'],
    ],
    ['the same order', '[a, b]', '[b, a]', []],
  ])('%s', async (_, before, after, expected) => {
    const { regions, elsewhere } = await diffPolicies(withList(before), withList(after), { at: DAY });
    const found = regions.map(({ from, to, conditions: [first = ''], firstDay, lastDay }) => {
      const days = [firstDay === DAY ? '' : `, from ${firstDay}`, lastDay ? `, until ${lastDay}` : ''].join('');
      return `${from} ${to} ${first.replace('ip.isp is ', '')}${days}`;
    });
    expect([found.sort(), elsewhere]).toEqual([expected.toSorted(), 'same']);
  });
});

it('a condition by its name means the same as the condition', () => {
  const [old, now] = [
    policyOf(
      `${HEAD}conditions: { risky: { phone.score: { atLeast: 80 } } }\nrules:\n  - { id: a, when: risky, then: review }\n`,
    ),
    policyOf(`${HEAD}rules:\n  - { id: a, when: { phone.score: { atLeast: 80 } }, then: review }\n`),
  ];
  expect(splitRules(createSpace([old, now], DAY)).own).toEqual([[], []]);
});

it('more points of an unknown rule count where the others give fewer than the least that matters', async () => {
  const rules = (points: number) => `rules:
  - { id: scored, when: { phone.score: { atLeast: 80 } }, points: ${points} }
  - { id: mailed, when: { email.address.score: { atLeast: 80 } }, points: 40, whenUnknown: ignore }
`;
  const head = `${HEAD}score: { review: 30, reject: 60 }\n`;
  const [old, now] = [policyOf(head + rules(20)), policyOf(head + rules(31))];
  const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY });
  const found = regions.map(({ from, to, conditions: [first] }) => [from, to, first]);
  expect(found).toContainEqual(['accept', 'review', 'phone.score is at least 80, or missing']);
  expect(elsewhere).toBe('same');
});

it('points that nobody gets leave the score as it is', async () => {
  const never = '{ phone.valid: { notIn: [true, false] } }';
  const head = `${HEAD}score: { reject: -5 }\nrules:\n  - { id: never, when: ${never}, points: -10 }\n`;
  const own = '  - { id: own, when: { phone.type: mobile }, then: accept, final: true }\n';
  const { regions, elsewhere } = await diffPolicies(policyOf(head + own), policyOf(head), { at: DAY });
  expect(regions.map(({ from, to, conditions }) => [from, to, ...conditions])).toEqual([
    // Where it is not known whether the rule fires, they may be missing from the score.
    ['accept', 'review', 'phone.type is mobile', 'the other rules alone give review'],
    ['accept', 'reject', 'phone.type is mobile', 'the other rules alone give reject'],
  ]);
  expect(elsewhere).toBe('same');
});

it('an example is drawn where facts that are computed from each other miss the states of an answer', async () => {
  const both = 'context.product: { atLeast: 77 }, context.gap: { between: [3, 4] }';
  const [old, now] = ['accept', 'reject'].map((then) =>
    policyOf(`${HEAD}facts:
  context.a: { type: number }
  context.b: { type: number }
  context.product: { type: number, compute: { product: [context.a, context.b] } }
  context.gap: { type: number, compute: { difference: [context.b, context.a] } }
rules:
  - { id: both, when: { ${both} }, then: ${then} }
`),
  ) as [Policy, Policy];
  const { regions } = await diffPolicies(old, now, { at: DAY });
  const { 'context.a': a, 'context.b': b } = regions.find(({ to }) => to === 'reject')?.example?.facts ?? {};
  expect([Number(a) * Number(b) >= 77, Math.floor(Number(b) - Number(a))]).toEqual([true, 3]);
});
