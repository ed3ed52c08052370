/** The page of coverage shows the policy's text, and beside each line what no test has seen. */

import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { type Coverage, CoverageCounter } from '../../../src/lab/test/coverage/coverage.ts';
import { coveragePage } from '../../../src/report/html/coverage-page.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

/** The page without its stylesheet and tags, a line for each of its texts. */
function textOf(html: string): string {
  return html
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, '|')
    .replace(/\|+/g, '|');
}

it('a line has what no test has seen of its rule, its tests and their borders', () => {
  const policy = policyOf(
    `${HEAD}score: { review: 5 }
rules:
  - id: one
    when: { phone.score: { atLeast: 80 } }
    points: 5
`,
  );
  const counter = new CoverageCounter(policy);
  const page = textOf(coveragePage([{ coverage: counter.coverage(), texts: counter.texts() }]));
  expect(page).toContain('|test 1: 0 %|');
  expect(page).toContain('|score, review from 5, not seen: reached, not reached, undetermined|');
  expect(page).toContain('|  - id: one|rule one, not seen: fires, does not fire, undetermined|');
  expect(page).toContain('atLeast: |80| } }|phone.score is at least 80, not seen: true, false, unknown|');
  expect(page).toContain('|border of phone.score: below 80 and 80, not seen: below 80, 80|');
});

it('a line, and each test in it, tells whether all of it was seen, some of it or nothing', () => {
  const policy = policyOf(
    `${HEAD}rules:
  - id: one
    when:
      all:
        - phone.valid: { known: true }
        - phone.type: mobile
    then: review
  - { id: two, when: { phone.type: voip }, then: review, from: 2027-01-01 }
`,
  );
  const counter = new CoverageCounter(policy);
  for (const valid of [true, undefined]) {
    const given = new Map([
      ['phone.valid', valid === undefined ? { missing: 'notReturned' as const } : { value: valid }],
    ]);
    const facts = readFacts(given, policy.facts, '2026-11-20');
    counter.add(matcherOf(policy).verdict(facts, '2026-11-20'), facts, '2026-11-20');
  }
  const page = coveragePage([{ coverage: counter.coverage(), texts: counter.texts() }]);
  const states = [...page.matchAll(/<li class="line (\w+)"><span class="number">(\d+)/g)];
  expect(states.map(([, state, number]) => `${number} ${state}`).filter((line) => !line.endsWith('free'))).toEqual([
    ...['5 part', '8 full', '9 part', '11 none'],
  ]);
  expect([...page.matchAll(/<span class="(seen|unseen)">([^<]+)/g)].map(([, ...found]) => found)).toEqual([
    ['seen', 'true'],
    ['unseen', 'mobile'],
    ['unseen', 'voip'],
  ]);
});

it('a text of a policy is never markup', () => {
  const coverage: Coverage = {
    ...{ policy: { name: 'test', version: '<b>' }, cases: 0, goals: 1, reached: 0 },
    items: [
      {
        ...{ kind: 'test', name: '<i>', rules: [], goals: [{ name: '<u>', count: 0 }] },
        place: { file: '<a>', position: { line: 1, column: 1, length: 3 }, line: '<s>' },
      },
    ],
  };
  const page = coveragePage([{ coverage, texts: new Map([['<a>', '<s>']]) }]);
  for (const tag of ['<b>', '<i>', '<u>', '<a>', '<s>']) expect(page).not.toContain(tag);
  expect(page).toContain('&lt;s&gt;');
});
