/** Rows that may match at once: found if and only if they do, as far as cells tell. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateTest, factAt, TRUE } from '../../../src/decision/meaning/truth.ts';
import { CATALOG_TABLE, type FactTable } from '../../../src/facts/catalog.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { type AllOf, findOverlaps } from '../../../src/policy/cells/overlap.ts';
import { type Rule, type Test, testsOf } from '../../../src/policy/language.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

const holds = (tests: AllOf, facts: Facts, day: string) =>
  tests.every((test) => {
    const other = test.other === undefined ? undefined : factAt(facts, test.other);
    return evaluateTest(test, factAt(facts, test.fact), other, day) === TRUE;
  });

describe('the rows of random tables', () => {
  it('overlap where they match at once, and match at once for the values that are shown', () => {
    const folder = temporaryFolder();
    let [matching, shown] = [0, 0];
    fc.assert(
      fc.property(aCase({ applicants: 8 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        const rows = policy.rules.filter(({ id }) => id.includes('/'));
        for (const table of Map.groupBy(rows, ({ id }: Rule) => id.split('/')[0]).values()) {
          const asked = table.map(({ when }) => [...testsOf(when)]);
          const { found, isWhole } = findOverlaps(asked, policy.facts);
          expect(isWhole).toBe(true);
          const later = new Set(found.map((overlap) => overlap.later));
          for (const applicant of applicants) {
            const facts = readPlainFacts(applicant, policy, day);
            const fired = [...asked.keys()].filter((i) => holds(asked[i] ?? [], facts, day));
            for (const i of fired.slice(1)) expect(later).toContain(i);
            matching += Math.max(0, fired.length - 1);
          }
          for (const { earlier, later: other, facts } of found) {
            const values = [...facts].map(([path, fact]) => [path, 'value' in fact && { value: fact.value }] as const);
            if (!values.every(([, fact]) => fact)) continue;
            const both = new Map(values) as Facts;
            expect([holds(asked[earlier] ?? [], both, day), holds(asked[other] ?? [], both, day)]).toEqual([
              true,
              true,
            ]);
            shown++;
          }
        }
      }),
      { numRuns: sampled(10, 3000) },
    );
    expect(matching).toBeGreaterThan(0);
    expect(shown).toBeGreaterThan(0);
  });
});

/** Rows of tests `fact: value`, by column; `undefined` for a cell of `any`. */
function rowsOf(columns: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): AllOf[] {
  return rows.map((cells) =>
    cells.flatMap((value, i): Test[] => {
      const fact = columns[i] ?? '';
      if (value === undefined) return [];
      const type = typeof value === 'number' ? 'number' : 'string';
      const base = { kind: 'test', fact, type, operator: 'is', expected: value, other: undefined } as const;
      return [{ ...base, argument: value, key: JSON.stringify([fact, 'is', value]) }];
    }),
  );
}

function among(fact: string, values: readonly string[]): Test {
  const base = { kind: 'test', fact, type: 'string', operator: 'in', expected: values, other: undefined } as const;
  return { ...base, argument: values, key: JSON.stringify([fact, 'in', values]) };
}

const FACTS: FactTable = new Map([
  ...CATALOG_TABLE,
  ...['context.a', 'context.b', 'context.c'].map((path) => [path, { type: 'string' }] as never),
]);
const COLUMNS = ['context.a', 'context.b', 'context.c'];

describe('rows of few values', () => {
  it('overlap exactly where they have a value in common in each column', () => {
    const aCell = fc.oneof(
      fc.constant(undefined),
      fc.subarray(['u', 'v', 'w', 'x', 'y', 'z'], { minLength: 1, maxLength: 2 }),
    );
    const aTable = fc.array(fc.tuple(aCell, aCell, aCell), { minLength: 9, maxLength: 14 });
    let apart = 0;
    fc.assert(
      fc.property(aTable, (cells) => {
        const rows = cells.map((row) => row.flatMap((values, i) => (values ? [among(COLUMNS[i] ?? '', values)] : [])));
        const meet = (i: number, j: number) =>
          COLUMNS.every((_, at) => {
            const [one, other] = [cells[i]?.[at], cells[j]?.[at]];
            return !one || !other || one.some((value) => other.includes(value));
          });
        const later = [...rows.keys()].filter((j) => [...rows.keys()].some((i) => i < j && meet(i, j)));
        const { found, isWhole } = findOverlaps(rows, FACTS);
        expect(isWhole || found.length === 10).toBe(true);
        if (found.length < 10) expect(found.map((overlap) => overlap.later)).toEqual(later);
        for (const overlap of found) expect(meet(overlap.earlier, overlap.later)).toBe(true);
        apart += rows.length - later.length;
      }),
      { numRuns: sampled(200, 20_000) },
    );
    expect(apart).toBeGreaterThan(100);
  });
});

describe('a large table', () => {
  const range = (length: number) => Array.from({ length }, (_, i) => i);

  it('of single values is compared to the end', () => {
    const values = range(2500).map((i) => [`a${i % 50}`, `b${Math.floor(i / 50)}`, undefined]);
    expect(findOverlaps(rowsOf(COLUMNS, values), FACTS)).toEqual({ found: [], isWhole: true });
    const { found } = findOverlaps(rowsOf(COLUMNS, [...values, ['a7', undefined, undefined]]), FACTS);
    expect(found.map(({ later }) => later)).toEqual([2500]);
  });

  it('in which half of the rows ask about one column, and half about another, ends at once', () => {
    const values = range(1000).map((i) => (i % 2 ? [`a${i}`, undefined] : [undefined, `b${i}`]));
    expect(findOverlaps(rowsOf(COLUMNS, values), FACTS).found).toHaveLength(10);
  });

  it('that would take minutes is not compared to the end', () => {
    // Every two rows differ in one column of many, and no column divides them.
    const columns = range(14).map((i) => `context.n${i}`);
    const facts: FactTable = new Map(columns.map((path) => [path, { type: 'string' }] as never));
    const rows = range(4000).map((i) => columns.map((_, at) => ((i >> at) & 1 ? undefined : `v${i % 3}`)));
    expect(findOverlaps(rowsOf(columns, rows), facts).isWhole).toBe(false);
  });
});
