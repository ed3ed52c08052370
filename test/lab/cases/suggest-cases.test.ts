/** Suggested tests, once they stand in the file, reach what they claim; what nobody reaches is proved. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/facts/fact.ts';
import { coverage, gapsOf } from '../../../src/lab/test/coverage/coverage.ts';
import { acceptSuggested, FILE, goalsOf } from '../../support/lab/accepted.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

/** Suggests tests and accepts them. */
function accept(policy: string, tests: string, files: Readonly<Record<string, string>> = {}) {
  return acceptSuggested(temporaryFolder({ 'policy.yaml': policy, [FILE]: tests, ...files }));
}

const START = `policy: policy.yaml
at: 2026-11-20
facts:
  web: { context.channel: web, context.amount: 2, context.old: false }
tests:
  - { name: one, from: web, expect: { score: 0 } } # kept
`;

const FACTS = `facts:
  context.old: { type: boolean, description: old }
  context.channel: { type: enum, values: [web, app], description: channel }
  context.amount: { type: integer, description: amount }
  context.twice: { type: integer, description: twice, compute: { product: [context.amount, 2] } }
`;

/** Every combination of values that tests of the policies below tell apart, and of missing facts. */
const EVERYONE = [true, false, undefined].flatMap((old) =>
  ['web', 'app', undefined].flatMap((channel) =>
    [0, 1, 2, 3, 4, 5, undefined].map((amount) => {
      const given = { 'context.old': old, 'context.channel': channel, 'context.amount': amount };
      const factOf = (value: unknown): Fact =>
        value === undefined ? { missing: 'notGiven' } : { value: value as never };
      return { facts: new Map(Object.entries(given).map(([path, value]) => [path, factOf(value)])), at: '2026-11-20' };
    }),
  ),
);

const aTest = fc.oneof(
  fc.constantFrom('context.old: true', 'context.channel: web', 'context.channel: { known: false }'),
  fc
    .tuple(
      fc.constantFrom('amount', 'amount', 'twice'),
      fc.constantFrom('below', 'atLeast'),
      fc.integer({ min: 1, max: 4 }),
    )
    .map(([fact, operator, limit]) => `context.${fact}: { ${operator}: ${limit} }`),
);

const aRule = fc
  .record({
    kind: fc.constantFrom('all', 'any', 'not'),
    tests: fc.array(
      aTest.map((test) => `{ ${test} }`),
      { minLength: 1, maxLength: 3 },
    ),
    effect: fc.constantFrom(
      ...['then: accept', 'then: review, notice: n', 'then: reject, final: true', 'then: accept, final: true'],
      ...['points: 10', 'points: -10', 'points: 20', 'then: review, mode: shadow', 'then: reject, whenUnknown: ignore'],
    ),
  })
  .map(({ kind, tests, effect }) => `when: { ${kind}: ${kind === 'not' ? tests[0] : `[${tests}]`} }, ${effect}`);

const aPolicy = fc
  .tuple(
    fc.constantFrom('accept', 'review', 'reject'),
    fc.constantFrom('', 'score: { review: 20 }\n', 'score: { review: { atLeast: 10, notice: scored }, reject: 30 }\n'),
    fc.array(aRule, { minLength: 1, maxLength: 4 }),
  )
  .map(([fallback, score, rules]) => {
    const lines = rules.map((rule, i) => `  - { id: r${i}, ${rule} }\n`);
    return { text: `policy: p\nversion: "1"\ndefault: ${fallback}\n${score}${FACTS}rules:\n${lines.join('')}`, rules };
  });

describe('suggested tests', () => {
  it('reach every goal that some applicant reaches, and pass', async () => {
    await fc.assert(
      fc.asyncProperty(aPolicy, async ({ text, rules }) => {
        const { found, report, gaps, policy } = await accept(text, START);
        expect(report.results.filter(({ name, result }) => name !== 'one' && result !== 'passed')).toEqual([]);
        const left = [...found.unreachable, ...found.open];
        expect(goalsOf(gaps)).toEqual(goalsOf(left));
        // What a computed fact excludes is not proved: the double of a whole number is never odd.
        if (!rules.join().includes('twice')) expect(goalsOf(found.open)).toEqual([]);
        const all = coverage(policy, EVERYONE);
        const unreached = all.items.flatMap((item) => gapsOf(item).map((goal) => `${item.kind} ${item.name}: ${goal}`));
        for (const { item, goal } of left) expect(unreached).toContain(`${item.kind} ${item.name}: ${goal.name}`);
      }),
      { numRuns: sampled(4, 300) },
    );
  });

  it('are said to be impossible only where that is proved', async () => {
    const odd = '{ all: [{ context.twice: { atLeast: 3 } }, { context.twice: { below: 4 } }] }';
    const { found } = await accept(`${HEAD}${FACTS}rules: [{ id: odd, when: ${odd}, then: review }]\n`, START);
    expect(goalsOf(found.open)).toContain('rule 0 rule odd fires');
    expect(goalsOf(found.unreachable).join()).not.toContain('odd');
  });

  it('keep what stands in the file, and change what the set of facts has as little as needed', async () => {
    const rule = 'rules: [{ id: high, when: { context.amount: { atLeast: 5 } }, then: review }]\n';
    const { text } = await accept(`${HEAD}${FACTS}${rule}`, START);
    expect(text).toBe(`${START}
  - name: the decision by context.amount
    from: web
    table:
      columns: [context.amount, outcome, reasons]
      rows:
        - [4, accept, []]
        - [5, review, [HIGH]]

  - name: nothing is known
    expect: { outcome: review, reasons: [], undetermined: [high] }
`);
  });

  it('have no value of a personal fact that stands in the policy, nor one that the engine would derive otherwise', async () => {
    const rules = `rules:
  - { id: listed, when: { applicant.email: { inList: people } }, then: reject }
  - { id: named, when: { applicant.ip: 198.51.100.7 }, then: reject }
  - { id: domain, when: { applicant.emailDomain: listed.example }, then: review }
`;
    const policy = `${HEAD}lists: { people: { file: people.txt } }\n${rules}`;
    const start = START.replace(
      /web: .*/,
      'web: { applicant.email: jo@home.example, applicant.ip: 192.0.2.1 }',
    ).replace('{ score: 0 }', '{ outcome: accept }');
    const { text, gaps, report, found } = await accept(policy, start, { 'people.txt': 'sam@listed.example\n' });
    expect(report.failed).toBe(0);
    expect(text).not.toMatch(/sam@|198\.51\.100\.7|emailDomain: /);
    expect(text).toContain('@listed.example');
    expect(goalsOf(gaps).map((each) => each.replace(/^\w+ \d+ /, ''))).toEqual([
      expect.stringContaining('rule listed fires'),
      expect.stringContaining('rule named fires'),
      ...[expect.stringContaining('true'), expect.stringContaining('true')],
    ]);
    expect([found.withheld.length, found.open]).toEqual([4, []]);
  });

  it('have ages in years, and numbers of few digits', async () => {
    const facts = `${HEAD}facts:
  context.born: { type: date }
  context.wish: { type: number }
  context.share: { type: number, compute: { ratio: [context.wish, 2000] } }
`;
    const tests = START.replace(/web: .*/, 'web: { context.born: never, context.wish: 100 }');
    const rules = `rules:
  - { id: minor, when: { context.born: { yearsSince: { below: 18 } } }, then: reject }
  - { id: large, when: { context.share: { above: 0.5 } }, then: review }
`;
    const { text } = await accept(`${facts}${rules}`, tests);
    expect(text).toContain('18 years ago');
    expect(text).not.toMatch(/\d{6}/);
  });

  it('are of a day on which the rule is active', async () => {
    const rule = 'rules: [{ id: later, when: { context.old: true }, then: review, from: 2027-01-01 }]\n';
    const { text, gaps } = await accept(`${HEAD}${FACTS}${rule}`, START);
    expect(gaps).toEqual([]);
    expect(text).toContain('at: 2027-01-01');
  });

  it('reach on another day what nobody reaches on the day of the tests', async () => {
    const rules = `rules:
  - { id: now, when: { context.channel: app }, then: review }
  - { id: later, when: { context.old: true }, points: 20, from: 2027-01-01 }
`;
    const { found, gaps } = await accept(`${HEAD}score: { review: 20 }\n${FACTS}${rules}`, START);
    expect([gaps, found.unreachable]).toEqual([[], []]);
  });

  it('have the own values of parameters that the file sets otherwise', async () => {
    const rule =
      'parameters: { most: 5 }\nrules: [{ id: high, when: { context.amount: { atLeast: $most } }, then: review }]\n';
    const { text, gaps, report } = await accept(
      `${HEAD}${FACTS}${rule}`,
      START.replace('facts:', 'with: { most: 9 }\nfacts:'),
    );
    expect([gaps, report.failed]).toEqual([[], 0]);
    expect(text).toContain('    with: { most: 5 }\n');
  });
});
