/** Warnings about values at which ranges meet, against what the rules do for every value. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluate, TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { readPolicyText } from '../../../src/policy/load.ts';
import { HEAD } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';
const TYPES = ['voip', 'mobile'];
const COUNTS = Array.from({ length: 9 }, (_, i) => i);

const aNumber = fc.constantFrom(2, 3, 3, 5);
const aLimit = fc.constantFrom('below', 'below', 'below', 'above', 'above', 'above', 'atMost', 'atLeast');
const aRange = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(aLimit, aNumber).map(([operator, n]) => `{ ${operator}: ${n} }`) },
  fc.tuple(aNumber, aNumber).map(([a, b]) => `{ between: [${Math.min(a, b)}, ${Math.max(a, b)}] }`),
);
const aRow = fc.record({
  range: fc.oneof({ weight: 9, arbitrary: aRange }, fc.constant('any')),
  type: fc.constantFrom('voip', 'voip', 'mobile', 'any'),
  outcome: fc.constantFrom('review', 'reject'),
});
type Row = typeof aRow extends fc.Arbitrary<infer Each> ? Each : never;

const asRow = ({ range, type, outcome }: Row) => `      - [${range}, ${type}, ${outcome}]\n`;
const asRule = ({ range, type, outcome }: Row, i: number) => {
  const tests = [
    ...(range === 'any' ? [] : [`phone.porting.portCount: ${range}`]),
    ...(type === 'any' ? [] : [`phone.type: ${type}`]),
  ];
  const when = tests.length === 0 ? 'phone.valid: true' : tests.join(', ');
  return `  - { id: r${i}, when: { ${when} }, then: ${outcome} }\n`;
};

/** Each value of both facts, with the ids of the rules that fire for it. */
function firingIn({ rules }: Policy) {
  return COUNTS.flatMap((count) =>
    TYPES.map((type) => {
      const facts = new Map<string, Fact>([
        ['phone.porting.portCount', { value: count }],
        ['phone.type', { value: type }],
      ]);
      const fired = rules.filter(({ when }) => evaluate(when, facts, DAY) === TRUE).map(({ id }) => id);
      return { count, type, fired: new Set(fired) };
    }),
  );
}

it('ranges that are said to share a value, or to leave one out, do so', () => {
  const tried = { 'shared-border': 0, 'border-gap': 0, 'table-gap': 0 };
  const rowsOf = (count: number) => fc.array(aRow, { minLength: count, maxLength: count + 2 });
  fc.assert(
    fc.property(
      fc.oneof(fc.tuple(rowsOf(2), fc.constant([])), fc.tuple(fc.constant([]), rowsOf(4))),
      ([inRules, inTable]) => {
        const columns = '    columns: [phone.porting.portCount, phone.type, then]\n    rows:\n';
        const rules = inRules.length === 0 ? '' : `rules:\n${inRules.map(asRule).join('')}`;
        const table = inTable.length === 0 ? '' : `tables:\n  - id: t\n${columns}${inTable.map(asRow).join('')}`;
        const { policy, diagnostics } = readPolicyText(HEAD + rules + table);
        const values = firingIn(policy as Policy);
        for (const { code, message } of diagnostics) {
          const [one = '', other = ''] = [...message.matchAll(/"([^"]+)"/g)].map(([, id = '']) => id);
          const named = /portCount (\d+)\b/.exec(message)?.[1];
          if (code === 'shared-border') {
            tried[code]++;
            const both = values.filter(({ fired }) => fired.has(one) && fired.has(other));
            expect([...new Set(both.map(({ count }) => String(count)))]).toEqual([named]);
          } else if (code === 'border-gap') {
            tried[code]++;
            const at = values.filter(({ count }) => String(count) === named);
            expect(at.some(({ fired }) => fired.has(one) || fired.has(other))).toBe(false);
            for (const id of [one, other]) expect(values.some(({ fired }) => fired.has(id))).toBe(true);
          } else if (code === 'table-gap') {
            // Combinations are words; single values of both facts are looked at.
            for (const [, count, type] of message.matchAll(/portCount (\d+), phone\.type (\w+)(?=;| and others)/g)) {
              tried[code]++;
              const at = values.find((each) => String(each.count) === count && each.type === type);
              expect([...(at?.fired ?? [])].filter((id) => id.startsWith('t/'))).toEqual([]);
            }
          }
        }
      },
    ),
    { numRuns: sampled(130, 5000) },
  );
  expect(Math.min(...Object.values(tried)), JSON.stringify(tried)).toBeGreaterThan(1);
});
