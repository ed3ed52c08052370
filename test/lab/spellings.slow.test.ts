/** Two spellings of one thing are proved the same; what differs by one value has an example that shows it. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/decision/matcher/matcher.ts';
import { evaluate, FALSE, TRUE, UNKNOWN } from '../../src/decision/meaning/truth.ts';
import type { FactValue, GivenFact } from '../../src/facts/fact.ts';
import { readFacts } from '../../src/facts/read.ts';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import { DEFAULT_STEPS } from '../../src/lab/limits.ts';
import { findApplicant } from '../../src/lab/question/find-applicant.ts';
import { createReasoner } from '../../src/lab/question/reasoner.ts';
import { truthsDiffer } from '../../src/lab/solver/encode.ts';
import { createSpace } from '../../src/lab/space/space.ts';
import { Steps } from '../../src/lab/steps.ts';
import { type Condition, testsOf } from '../../src/policy/language.ts';
import { policyOf } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';

const DAY = '2026-11-20';
const HEAD = `policy: p
version: "1"
default: accept
facts:
  context.count: { type: integer, description: count }
  context.more: { type: integer, description: more }
  context.share: { type: number, description: share }
  context.channel: { type: enum, values: [web, app, shop], description: channel }
  context.from: { type: enum, values: [web, app, shop], description: from }
  context.old: { type: boolean, description: old }
  context.since: { type: date, description: since }
  context.until: { type: date, description: until }
  context.code: { type: string, description: code }
  context.other: { type: string, description: other }
  context.risk: { type: level, description: risk }
  context.was: { type: level, description: was }
  context.total: { type: integer, description: total, compute: { sum: [context.count, context.more] } }
  context.sum: { type: integer, description: sum, compute: { sum: [context.more, context.count] } }
  context.ratio: { type: number, description: ratio, compute: { ratio: [context.count, context.more] } }
  context.days: { type: integer, description: days, compute: { daysBetween: [context.since, context.until] } }
lists: { one: [abc], some: [abc, abd], domains: [x.example, y.example] }
parameters: { limit: 5 }
rules:
`;

/** Of a fact of the caller. */
const of = (fact: string, test: string) => `{ context.${fact}: ${test} }`;
const not = (condition: string) => `{ not: ${condition} }`;
const all = (...conditions: readonly string[]) => `{ all: [${conditions}] }`;
const any = (...conditions: readonly string[]) => `{ any: [${conditions}] }`;
const against = (operator: string, fact: string) => `{ ${operator}: { fact: context.${fact} } }`;

type Pair = readonly [one: string, other: string];

const SAME: Readonly<Record<string, readonly Pair[]>> = {
  numbers: [
    [not(of('count', '{ below: 5 }')), of('count', '{ atLeast: 5 }')],
    [of('count', '{ above: 4 }'), of('count', '{ atLeast: 5 }')],
    [of('count', '{ atLeast: $limit }'), of('count', '{ atLeast: 5 }')],
    [of('share', '{ between: [1, 2] }'), all(of('share', '{ atLeast: 1 }'), of('share', '{ atMost: 2 }'))],
    [of('count', '[1, 2]'), any(of('count', '1'), of('count', '2'))],
    [of('count', '[1, 2]'), of('count', '{ between: [1, 2] }')],
    [of('count', '{ isNot: 5 }'), not(of('count', '5'))],
    [of('count', '{ notIn: [5, 6] }'), not(of('count', '[5, 6]'))],
    [not(of('count', '{ known: true }')), of('count', '{ known: false }')],
  ],
  'one fact against another': [
    [of('count', against('below', 'more')), of('more', against('above', 'count'))],
    [of('count', against('atMost', 'more')), of('more', against('atLeast', 'count'))],
    [not(of('count', against('atMost', 'more'))), of('count', against('above', 'more'))],
    [not(of('count', against('atMost', 'more'))), of('more', against('below', 'count'))],
    [of('count', against('is', 'more')), of('more', against('is', 'count'))],
    [
      of('count', against('is', 'more')),
      all(of('count', against('atLeast', 'more')), of('count', against('atMost', 'more'))),
    ],
    [
      of('count', against('isNot', 'more')),
      any(of('count', against('below', 'more')), of('count', against('above', 'more'))),
    ],
    [of('since', against('before', 'until')), of('until', against('after', 'since'))],
    [of('since', against('isNot', 'until')), not(of('until', against('is', 'since')))],
    [of('code', against('is', 'other')), not(of('other', against('isNot', 'code')))],
    [of('risk', against('atLeast', 'was')), of('was', against('atMost', 'risk'))],
    [of('total', against('above', 'count')), of('count', against('below', 'total'))],
  ],
  'few values': [
    [of('channel', 'web'), not(of('channel', '[app, shop]'))],
    [of('channel', '[web, app]'), of('channel', '{ isNot: shop }')],
    [of('channel', '[web, app]'), any(of('channel', 'web'), of('channel', 'app'))],
    [of('old', 'true'), of('old', '{ isNot: false }')],
    [of('risk', '{ atLeast: high }'), of('risk', '[high, veryHigh]')],
    [not(of('risk', '{ atLeast: high }')), of('risk', '{ below: high }')],
  ],
  dates: [
    [of('since', '{ yearsSince: { atLeast: 18 } }'), of('since', '{ before: 2008-11-21 }')],
    [of('since', '{ yearsSince: { atLeast: 1 } }'), of('since', '{ olderThan: 364 days }')],
    [of('since', '{ olderThan: 365 days }'), of('since', '{ before: 2025-11-20 }')],
    [of('since', '{ before: 2026-01-02 }'), not(any(of('since', '{ after: 2026-01-01 }'), of('since', 'never')))],
    [of('since', '2026-01-01'), all(of('since', '{ after: 2025-12-31 }'), of('since', '{ before: 2026-01-02 }'))],
    [of('since', 'never'), of('since', '{ never: true }')],
  ],
  texts: [
    [of('code', '[abc, abd]'), any(of('code', 'abc'), of('code', 'abd'))],
    [of('code', '{ inList: some }'), of('code', '[abc, abd]')],
    [of('code', '{ inList: one }'), of('code', 'abc')],
    [of('code', '{ notInList: one }'), of('code', '{ isNot: abc }')],
    [any(of('code', '{ startsWith: abc }'), of('code', '{ startsWith: ab }')), of('code', '{ startsWith: ab }')],
    [any(of('code', '{ endsWith: abc }'), of('code', '{ endsWith: bc }')), of('code', '{ endsWith: bc }')],
    [any(of('code', '{ contains: abc }'), of('code', '{ contains: bc }')), of('code', '{ contains: bc }')],
    [any(of('code', '{ startsWith: abc }'), of('code', '{ contains: bc }')), of('code', '{ contains: bc }')],
    [any(of('code', 'abc'), of('code', '{ startsWith: ab }')), of('code', '{ startsWith: ab }')],
    [any(of('code', '{ inList: some }'), of('code', '{ startsWith: ab }')), of('code', '{ startsWith: ab }')],
    [any(of('code', 'abc'), of('code', "{ matches: '^a.c$' }")), of('code', "{ matches: '^a.c$' }")],
    [
      '{ applicant.emailDomain: { inDomainList: domains } }',
      any(
        '{ applicant.emailDomain: [x.example, y.example] }',
        '{ applicant.emailDomain: { endsWith: .x.example } }',
        '{ applicant.emailDomain: { endsWith: .y.example } }',
      ),
    ],
  ],
  'computed facts': [
    [of('total', '{ above: 5 }'), of('total', '{ atLeast: 6 }')],
    [of('total', '{ above: 5 }'), of('sum', '{ above: 5 }')],
    [of('total', '{ known: true }'), of('sum', '{ known: true }')],
  ],
  joins: [
    [not(all(of('old', 'true'), of('channel', 'web'))), any(of('old', 'false'), not(of('channel', 'web')))],
    [
      `{ atLeastOf: { count: 2, of: [${of('old', 'true')}, ${of('channel', 'web')}] } }`,
      all(of('old', 'true'), of('channel', 'web')),
    ],
  ],
};

/** For whom nobody is found. */
const NOBODY: Readonly<Record<string, readonly string[]>> = {
  'one fact against another': [
    all(of('count', '{ atLeast: 5 }'), of('count', against('below', 'more')), of('more', '{ atMost: 5 }')),
    all(of('count', '5'), of('more', '5'), of('count', against('isNot', 'more'))),
    all(of('count', against('below', 'more')), of('more', against('below', 'count'))),
    all(of('since', '2026-01-01'), of('until', '2026-01-02'), of('since', against('after', 'until'))),
    all(
      of('since', '{ olderThan: 30 days }'),
      of('until', '{ withinLast: 31 days }'),
      of('since', against('after', 'until')),
    ),
    all(
      of('since', '{ yearsSince: { atLeast: 18 } }'),
      of('until', '{ withinLast: 31 days }'),
      of('since', against('after', 'until')),
    ),
    all(of('since', 'never'), of('until', '{ known: true }'), of('since', against('before', 'until'))),
    all(of('since', 'never'), of('until', 'never'), of('since', against('isNot', 'until'))),
    all(of('risk', 'high'), of('was', 'low'), of('risk', against('atMost', 'was'))),
    all(of('channel', 'web'), of('from', 'web'), of('channel', against('isNot', 'from'))),
    all(of('channel', 'web'), of('from', '[app, shop]'), of('channel', against('is', 'from'))),
    of('count', against('isNot', 'count')),
    of('count', against('above', 'count')),
  ],
  texts: [
    all('{ applicant.email: a@x.example }', not('{ applicant.emailDomain: { endsWith: example } }')),
    all('{ applicant.email: a@x.example }', '{ applicant.emailDomain: { endsWith: y.example } }'),
    all('{ applicant.email: { endsWith: "@x.example" } }', not('{ applicant.emailDomain: { endsWith: example } }')),
    all('{ applicant.phoneNo: "447400123456" }', '{ phone.country: { isNot: GB } }'),
    all(of('code', '{ inList: some }'), of('code', '{ notIn: [abc, abd] }')),
    all(of('code', '{ startsWith: abc }'), of('code', '{ startsWith: abd }')),
  ],
  'computed facts': [
    all(of('total', '{ above: 5 }'), of('sum', '{ below: 5 }')),
    all(of('total', '{ known: true }'), of('count', '{ known: false }')),
    all(of('total', '{ known: false }'), of('sum', '{ known: true }')),
  ],
};

/** One value apart, or one value alone. */
const DIFFERENT: Readonly<Record<string, readonly Pair[]>> = {
  numbers: [
    [of('share', '{ above: 4 }'), of('share', '{ atLeast: 4 }')],
    [of('share', '{ above: 4 }'), of('share', '{ atLeast: 5 }')],
    [of('share', '{ between: [1, 2] }'), all(of('share', '{ atLeast: 1 }'), of('share', '{ below: 2 }'))],
    [of('share', '[1, 2]'), of('share', '{ between: [1, 2] }')],
    [of('count', '{ atLeast: $limit }'), of('count', '{ atLeast: 6 }')],
  ],
  'one fact against another': [
    [of('count', against('atMost', 'more')), of('count', against('below', 'more'))],
    [of('count', against('below', 'more')), of('more', against('below', 'count'))],
    [not(of('since', against('before', 'until'))), of('since', against('after', 'until'))],
    [
      all(of('count', '{ atLeast: 5 }'), of('count', against('below', 'more')), of('more', '{ atMost: 6 }')),
      all(of('old', 'true'), of('old', 'false')),
    ],
    [
      all(
        of('since', '{ olderThan: 29 days }'),
        of('until', '{ withinLast: 31 days }'),
        of('since', against('after', 'until')),
      ),
      all(of('old', 'true'), of('old', 'false')),
    ],
  ],
  dates: [
    [of('since', '{ withinLast: 30 days }'), of('since', '{ withinLast: 31 days }')],
    [of('since', '{ withinLast: 30 days }'), not(of('since', '{ olderThan: 30 days }'))],
    [of('since', '{ yearsSince: { atLeast: 18 } }'), of('since', '{ before: 2008-11-20 }')],
    [of('since', '{ before: 2026-01-02 }'), not(of('since', '{ after: 2026-01-01 }'))],
  ],
  texts: [
    [of('code', '{ inList: some }'), of('code', 'abc')],
    [of('code', '{ startsWith: abc }'), of('code', '{ startsWith: ab }')],
    [of('code', '{ startsWith: abc }'), of('code', 'abc')],
    [of('code', '{ contains: abc }'), of('code', '{ startsWith: abc }')],
    [of('code', '{ contains: abc }'), of('code', '{ endsWith: abc }')],
    ['{ applicant.email: { endsWith: x.example } }', '{ applicant.emailDomain: x.example }'],
    [
      all(
        ...['contains: abc', 'contains: xyz', 'startsWith: q', 'endsWith: c'].map((test) => of('code', `{ ${test} }`)),
        ...['startsWith: qa', 'contains: a1'].map((test) => not(of('code', `{ ${test} }`))),
      ),
      of('code', 'qa'),
    ],
  ],
  'computed facts': [
    [of('total', '{ above: 5 }'), of('total', '{ atLeast: 5 }')],
    [of('ratio', '{ above: 0.5 }'), of('ratio', '{ atLeast: 0.5 }')],
    [of('days', '{ above: 5 }'), of('days', '{ atLeast: 5 }')],
  ],
};

/** A policy with a rule for each condition. */
function policyWith(conditions: readonly string[]) {
  return policyOf(HEAD + conditions.map((when, i) => `  - { id: r${i}, when: ${when}, then: review }\n`).join(''));
}

/** Each case in a space of its own takes longer: many together have more tests, and finer states. */
const isEachAlone = sampled(0, 1) === 1;

/** Reads conditions, and asks about them in one space. */
async function askAll<Case>(
  cases: readonly Case[],
  conditionsOf: (each: Case) => readonly string[],
  ask: (reasoner: Awaited<ReturnType<typeof createReasoner>>, conditions: readonly Condition[]) => Promise<unknown>,
): Promise<ReadonlyMap<Case, unknown>> {
  const found = new Map<Case, unknown>();
  for (const together of isEachAlone ? cases.map((each) => [each]) : [cases]) {
    const texts = together.flatMap(conditionsOf);
    const policy = policyWith(texts);
    const reasoner = await createReasoner([policy], DAY);
    const conditions = policy.rules.map(({ when }) => when);
    for (const each of together) {
      found.set(each, await ask(reasoner, conditions.splice(0, conditionsOf(each).length)));
    }
  }
  return found;
}

type Both = readonly [Condition, Condition];

describe('two spellings are true of the same applicants:', () => {
  it.each(Object.keys(SAME))('%s', async (kind) => {
    const pairs = SAME[kind] ?? [];
    const found = await askAll(
      pairs,
      (pair) => pair,
      async ({ encoding, solver }, conditions) => {
        const [one, other] = conditions.map((condition) => encoding.truth(condition)) as [never, never];
        return (await solver.ask([truthsDiffer(one, other)], new Steps(DEFAULT_STEPS))).kind;
      },
    );
    for (const [pair, kindOfAnswer] of found) expect(kindOfAnswer, pair.join(' and ')).toBe('unsatisfiable');
  });
});

describe('nobody has what excludes each other:', () => {
  it.each(Object.keys(NOBODY))('%s', async (kind) => {
    const found = await askAll(
      NOBODY[kind] ?? [],
      (condition) => [condition],
      async ({ encoding, solver }, [condition]) =>
        (await solver.ask([encoding.truth(condition as Condition).certain], new Steps(DEFAULT_STEPS))).kind,
    );
    for (const [condition, kindOfAnswer] of found) expect(kindOfAnswer, condition).toBe('unsatisfiable');
  });
});

describe('a small difference has an example:', () => {
  it.each(Object.keys(DIFFERENT))('%s', async (kind) => {
    const pairs = DIFFERENT[kind] ?? [];
    const found = await askAll(
      pairs,
      (pair) => pair,
      async (reasoner, conditions) => {
        const [one, other] = conditions as unknown as Both;
        const truths = [one, other].map((condition) => reasoner.encoding.truth(condition)) as [never, never];
        const isRight = (given: Parameters<typeof readFacts>[0]) => {
          const facts = readFacts(given, reasoner.table, DAY);
          return evaluate(one, facts, DAY) !== evaluate(other, facts, DAY);
        };
        return findApplicant(reasoner, [truthsDiffer(...truths)], isRight, new Steps(DEFAULT_STEPS), 1);
      },
    );
    for (const [pair, facts] of found) expect(facts, pair.join(' and ')).toBeInstanceOf(Map);
  });
});

describe('each applicant lies in states that no tie excludes, in which tests are what they are for the applicant:', () => {
  const days = ['2008-11-19', '2008-11-20', '2008-11-21', '2025-11-20', '2025-12-31', '2026-01-01', '2026-01-02'];
  const dates = [...days, '2026-10-20', '2026-10-21', '2026-10-22', '2026-11-20', 'never'];
  const codes = ['abc', 'abd', 'ab', 'xabc', 'abcx', 'qa', 'xyz'];
  const values = {
    ...{ count: [4, 5, 6, 1, 2], more: [4, 5, 6], share: [1, 1.5, 2, 4, 4.5, 5], old: [true, false] },
    ...{
      channel: ['web', 'app', 'shop'],
      from: ['web', 'app'],
      risk: ['low', 'high', 'veryHigh'],
      was: ['low', 'high'],
    },
    ...{ since: dates, until: dates, code: codes, other: codes },
  };
  const applicant = fc
    .record(
      Object.fromEntries(
        Object.entries(values).map(([path, own]) => [`context.${path}`, fc.constantFrom<FactValue>(...own)]),
      ),
      { requiredKeys: [] },
    )
    .map((given) => new Map(Object.entries(given).map(([path, value]): [string, GivenFact] => [path, { value }])));

  it.each(Object.keys({ ...SAME, ...NOBODY, ...DIFFERENT }))('%s', (kind) => {
    const pairs = [...(SAME[kind] ?? []), ...(DIFFERENT[kind] ?? []), ...(NOBODY[kind] ?? []).map((each) => [each])];
    const policy = policyWith(pairs.flat());
    const space = createSpace([policy], DAY);
    const tests = policy.rules.flatMap(({ when }) => [...testsOf(when)]);
    for (const given of fc.sample(applicant, sampled(20, 5000))) {
      const facts = readFacts(given, policy.facts, DAY);
      const states = space.variables.map((variable) => variable.find(facts));
      const shown = JSON.stringify([...given]);
      const broken = space.ties.find((tie) => tie.every(([at, excluded]) => excluded[states[at] as number]));
      expect(broken, shown).toBeUndefined();
      for (const test of tests) {
        const { variable, isTrue, isUnknown } = space.statesOf(test);
        const state = states[variable] as number;
        const truth = isTrue[state] ? TRUE : isUnknown[state] ? UNKNOWN : FALSE;
        expect(truth, `${test.fact} ${test.operator} of ${shown}`).toBe(evaluate(test, facts, DAY));
      }
    }
  });
});

describe('an enum has a value that only one policy lists:', () => {
  const listing = (values: string, when: string) => {
    const facts = ['channel', 'from'].map(
      (each) => `  context.${each}: { type: enum, values: [${values}], description: ${each} }\n`,
    );
    const rule = `  - { id: r, when: ${when}, then: review, whenUnknown: ignore }\n`;
    return policyOf(`policy: p\nversion: "1"\ndefault: accept\nfacts:\n${facts.join('')}rules:\n${rule}`);
  };

  it.each([
    [of('channel', 'web'), of('channel', '[web, shop]'), 'context.channel is shop', { 'context.channel': 'shop' }],
    [of('channel', 'web'), of('channel', 'web'), undefined, undefined],
    [of('channel', '{ known: true }'), of('channel', '{ known: true }'), 'context.channel is shop', expect.anything()],
    [
      of('channel', against('is', 'from')),
      of('channel', against('is', 'from')),
      'context.channel against context.from is shop and shop',
      { 'context.channel': 'shop', 'context.from': 'shop' },
    ],
    [
      all(of('channel', against('isNot', 'from')), of('channel', 'web')),
      all(of('channel', against('isNot', 'from')), of('channel', 'web')),
      'context.channel is web',
      { 'context.channel': 'web', 'context.from': 'shop' },
    ],
    [
      all(of('channel', against('is', 'from')), of('from', '{ isNot: web }')),
      all(of('channel', against('is', 'from')), of('from', 'app')),
      undefined,
      undefined,
    ],
  ])('%s against %s', async (old, now, condition, facts) => {
    const policies = [listing('web, app', old), listing('web, app, shop', now)] as const;
    const { regions, elsewhere } = await diffPolicies(...policies, { at: DAY });
    expect(elsewhere).toBe('same');
    expect(regions.map(({ conditions, example }) => [conditions[0], example?.facts])).toEqual(
      condition === undefined ? [] : [[condition, facts]],
    );
  });
});

describe('a number has a range that only one policy declares:', () => {
  const ranged = (range: string, when: string) =>
    policyOf(
      `policy: p\nversion: "1"\ndefault: accept\nfacts: { context.sum: { type: number${range} }, context.most: { type: number${range} } }\n` +
        `rules: [{ id: r, when: ${when}, then: reject }]\n`,
    );
  const WHENS = ['{ above: 5 }', '{ below: 0 }', '{ known: true }', '3', '{ in: [-1, 12] }'].map((test) =>
    of('sum', test),
  );
  const RANGES = ['', ', min: 0', ', max: 10', ', min: 0, max: 10', ', min: 2, max: 4'];
  const VALUES = [undefined, -3, -1, -0.5, 0, 1, 2, 3, 4, 4.5, 5, 5.5, 10, 10.5, 11, 12, 1e300];

  it.each(WHENS)('%s', async (when) => {
    for (const [i, one] of RANGES.entries()) {
      // With full counts also the other way round.
      for (const other of RANGES.slice(sampled(i + 1, 0))) {
        const policies = [ranged(one, when), ranged(other, when)] as const;
        const { regions, elsewhere } = await diffPolicies(...policies, { at: DAY });
        expect(elsewhere).toBe('same');
        for (const value of VALUES) {
          const given = new Map(value === undefined ? [] : [['context.sum', { value }]]);
          const [from, to] = policies.map(
            (each) => compile(each).outcome(readFacts(given, each.facts, DAY), DAY).outcome,
          );
          const inside = regions.filter(({ contains }) => contains(given)).map((region) => [region.from, region.to]);
          expect(inside, `${value} of {${one}} and {${other}}`).toEqual(from === to ? [] : [[from, to]]);
        }
      }
    }
  });

  it('the region names the ends of the range', async () => {
    const when = of('sum', '{ above: 5 }');
    const { regions } = await diffPolicies(ranged('', when), ranged(', min: 0, max: 10', when), { at: DAY });
    expect(regions.flatMap(({ conditions }) => conditions)).toEqual([
      'context.sum is below 0',
      'context.sum is above 10',
    ]);
  });

  it('beside another fact, the policies are not compared', () => {
    const when = of('sum', against('above', 'most'));
    expect(() => createSpace([ranged('', when), ranged(', min: 0', when)], DAY)).toThrow('context.sum in ways');
  });
});

it.each([of('total', '{ above: 5 }'), of('more', against('below', 'count')), of('more', against('below', 'total'))])(
  'policies that read a fact behind %s in different ways are not compared',
  (when) => {
    const policies = ['integer', 'number'].map((type) => {
      const rule = `  - { id: r, when: ${when}, then: review, whenUnknown: ignore }\n`;
      return policyOf(HEAD.replace('count: { type: integer', `count: { type: ${type}`) + rule);
    });
    expect(() => createSpace(policies, DAY)).toThrow('the policies declare context.count in ways');
  },
);
