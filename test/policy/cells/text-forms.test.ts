/** Patterns of plain text: the parts of the texts that match, against the pattern. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fold } from '../../../src/platform/formats/fold.ts';
import { formOfTest } from '../../../src/policy/cells/text-forms.ts';
import { testsOf } from '../../../src/policy/language.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

function testOf(pattern: string) {
  const { rules } = policyOf(
    `${HEAD}rules:\n  - { id: r, when: { ip.isp: { matches: ${JSON.stringify(pattern)} } }, then: review }\n`,
  );
  const [test] = rules.flatMap(({ when }) => [...testsOf(when)]);
  if (!test) throw new Error('the rule has a test');
  return test;
}

const partsOf = (pattern: string) => formOfTest(testOf(pattern), true).oneOf;

it.each([
  ['tel', [{ place: 'contains', text: 'tel' }]],
  ['^(Orange|O2)$', ['orange', 'o2'].map((text) => ({ place: 'is', text }))],
  ['^(?:mr|ms) x', ['mr x', 'ms x', 'mſ x'].map((text) => ({ place: 'startsWith', text }))],
  ['\\.ru$', [{ place: 'endsWith', text: '.ru' }]],
  ['x[0-9]$', [...'0123456789'].map((digit) => ({ place: 'endsWith', text: `x${digit}` }))],
])('the texts that match %s have one of its parts', (pattern, parts) => {
  expect(partsOf(pattern)).toEqual(parts);
});

it.each([
  'a.c',
  'ab?',
  '(a|b)+',
  '\\(.x|y\\)',
  'a|b',
  '^$',
  '(a|b)(c|d)',
  '[^a]',
  '[a-c]',
  'ä',
  '\\d',
  '(?i:a)',
  'ss ss s',
])('no parts are known of the texts that match %s', (pattern) => expect(partsOf(pattern)).toBeUndefined());

it('a text matches if it has one of the parts, and lacks them otherwise', () => {
  const letters = 'abſsSkK.-0\\()|[]?^$K';
  const aText = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 6 });
  const aBody = fc.string({
    unit: fc.constantFrom(...'aabbsk0', '\\.', '(a|b)', '(s|ab)', '[ab]', '[0-9]'),
    maxLength: 4,
  });
  const aPattern = fc
    .tuple(fc.constantFrom('', '^'), fc.oneof(aBody, aText), fc.constantFrom('', '$'))
    .map((all) => all.join(''));
  let known = 0;
  fc.assert(
    fc.property(aPattern, fc.array(aText, { minLength: 20 }), (pattern, texts) => {
      let test: ReturnType<typeof testOf>;
      try {
        test = testOf(pattern);
      } catch {
        return;
      }
      const [matching, others] = [formOfTest(test, true), formOfTest(test, false)];
      if (!matching.oneOf) return;
      known++;
      const { source, test: matches } = test.argument as { source: string; test(text: string): boolean };
      for (const text of [...texts, ...matching.oneOf.map((part) => part.text)].flatMap((each) => fold(each) || [])) {
        const hasOne = matching.oneOf.some(({ place, text: part }) =>
          place === 'is' ? text === part : place === 'contains' ? text.includes(part) : text[place](part),
        );
        expect([source, text, hasOne]).toEqual([source, text, matches(text)]);
      }
      for (const part of matching.oneOf) expect(others.lacks(part)).toBe(true);
    }),
    { numRuns: sampled(300, 20_000) },
  );
  expect(known).toBeGreaterThan(sampled(50, 3_000));
});
