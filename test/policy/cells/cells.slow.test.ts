/**
 * The cells that a policy cuts its facts into: within one every test has one truth, and together they are
 * everything.
 */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateTest, factAt, TRUE, UNKNOWN } from '../../../src/decision/meaning/truth.ts';
import { NEVER } from '../../../src/facts/fact.ts';
import { type Axis, Cells } from '../../../src/policy/cells/cells.ts';
import { conditionsOf, partsOf } from '../../../src/policy/check/context.ts';
import type { Policy, Test } from '../../../src/policy/language.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

function testsOf(policy: Policy): Test[] {
  return [...conditionsOf(policy)].flatMap((condition) =>
    [...partsOf(condition)].filter((part) => part.kind === 'test'),
  );
}

function cellsOf(policy: Policy): Cells {
  return new Cells(testsOf(policy), policy.facts);
}

/** The words of the cells of each axis of a policy that asks these tests. */
function wordsOf(tests: readonly string[], declarations = ''): readonly (readonly string[])[] {
  const policy = policyOf(
    `${HEAD}${declarations}rules:\n` +
      `  - { id: one, then: review, when: { any: [${tests.map((test) => `{ ${test} }`)}] } }\n`,
  );
  return cellsOf(policy).axes.map(({ cells }) => cells.map(({ words }) => words));
}

/** Whether its cells are only the truth of a test. */
const isOpaque = (axis: Axis) => axis.numbers === undefined && axis.named === undefined;

describe('the cells of random policies', () => {
  it('give every test the truth that it has of the facts in them', () => {
    const folder = temporaryFolder();
    let compared = 0;
    fc.assert(
      fc.property(aCase({ applicants: 10 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        const cells = cellsOf(policy);
        const tests = testsOf(policy);
        for (const applicant of applicants) {
          const facts = readPlainFacts(applicant, policy, day);
          for (const test of tests) {
            const { axis, isTrue, isUnknown } = cells.of(test);
            const [fact, other] = [factAt(facts, test.fact), test.other && factAt(facts, test.other)];
            const against = other === '' ? undefined : other;
            const index = axis.find(fact, against, day);
            if (index === undefined) throw new Error(`${test.fact} lies in no cell`);
            const bit = 1n << BigInt(index);
            const truth = evaluateTest(test, fact, against, day);
            expect([(isTrue & bit) !== 0n, (isUnknown & bit) !== 0n]).toEqual([truth === TRUE, truth === UNKNOWN]);
            compared++;
          }
        }
      }),
      { numRuns: sampled(9, 150) },
    );
    expect(compared).toBeGreaterThan(1_500);
  });

  it('each have a value that lies in them, but for those known by the truth of a test alone', () => {
    const folder = temporaryFolder();
    let found = 0;
    fc.assert(
      fc.property(aCase(), ({ policy: plain, day }) => {
        for (const axis of cellsOf(loadPlainPolicy(plain, folder)).axes) {
          for (const [i, cell] of axis.cells.entries()) {
            const value = cell.witness(day);
            if (value !== undefined) {
              expect(axis.find({ value }, undefined, day)).toBe(i);
              found++;
            } else if (cell.state !== 'missing' && !isOpaque(axis)) {
              // Nobody was born before the calendar begins.
              expect(cell.words).toMatch(/at least \d+ days old|\d{4} years (?:ago|ahead)/);
            }
          }
        }
      }),
      { numRuns: sampled(9, 150) },
    );
    expect(found).toBeGreaterThan(150);
  });
});

describe('a fact is cut', () => {
  it('as a number at the limits, within its range', () => {
    expect(wordsOf(['phone.score: { above: 50 }', 'phone.score: { between: [10, 50] }', 'phone.score: 20'])).toEqual([
      ['missing', 'below 10', 'at least 10 and below 20', '20', 'above 20 and at most 50', 'above 50'],
    ]);
  });

  it('as an integer between whole numbers', () => {
    const tests = ['phone.porting.portCount: { above: 1.5 }', 'phone.porting.portCount: { atLeast: 2 }'];
    expect(wordsOf(tests)).toEqual([['missing', 'at most 1', 'at least 2']]);
  });

  it('as a level at the steps', () => {
    expect(wordsOf(['phone.riskLevel: { atLeast: high }', 'phone.riskLevel: low'])).toEqual([
      ['missing', 'veryLow', 'low', 'medium', 'at least high'],
    ]);
  });

  it('as an enum or a boolean at the values named', () => {
    expect(wordsOf(['email.domain.type: [free, disposable]', 'phone.valid: { known: false }'])).toEqual([
      ['missing', 'free', 'disposable', 'corporate or education or government or other'],
      ['missing', 'true or false'],
    ]);
  });

  it('as a date by its age and by its day, `never` apart', () => {
    expect(
      wordsOf(['phone.porting.portedDate: { withinLast: 30 days }', 'phone.porting.portedDate: 2026-01-01']),
    ).toEqual([
      ['missing', NEVER, 'at most 30 days old', 'at least 31 days old'],
      ['missing', NEVER, 'at most 2025-12-31', '2026-01-01', 'at least 2026-01-02'],
    ]);
  });

  it('as a date that may lie ahead, into the future too', () => {
    const [cells] = wordsOf(['context.due: { withinLast: 1 day }'], 'facts: { context.due: { type: date } }\n');
    expect(cells).toEqual(['missing', NEVER, 'in the future', '0 days old to 1 day old', 'at least 2 days old']);
  });

  it('as a text by the literals and the lists that it is in', () => {
    const tests = [
      'applicant.emailDomain: { inDomainList: bad }',
      'applicant.emailDomain: { notInList: ours }',
      'applicant.emailDomain: a.example',
    ];
    expect(wordsOf(tests, 'lists: { bad: [a.example, b.example], ours: [x.b.example, c.example] }\n')).toEqual([
      ['missing', '"a.example"', 'a domain of bad', 'a domain of bad and in ours', 'in ours', 'any other'],
    ]);
  });

  it('as a text that is no entry of a list, and below one', () => {
    const tests = ['applicant.emailDomain: { inDomainList: bad }', 'applicant.emailDomain: { inList: bad }'];
    expect(wordsOf(tests, 'lists: { bad: [a.example] }\n')).toEqual([
      ['missing', 'a domain of bad and in bad', 'a domain of bad', 'any other'],
    ]);
  });

  it('by the truth of each test alone, where tests neither order nor enumerate', () => {
    const tests = [
      'ip.isp: { contains: hosting }',
      'ip.isp: { startsWith: a }',
      'ip.isp: { inList: ending }',
      'ip.country: { isNot: { fact: phone.country } }',
    ];
    expect(wordsOf(tests, 'lists: { ending: [{ value: a, until: 2026-01-01 }] }\n')).toEqual([
      ['missing', 'contains hosting', 'does not contain hosting'],
      ['missing', 'starts with a', 'does not start with a'],
      ['missing', 'is in the list ending', 'is not in the list ending'],
      ['missing', 'is phone.country', 'is not phone.country'],
    ]);
  });

  it('into nothing that its definition does not allow', () => {
    const policy = policyOf(`${HEAD}rules:\n  - { id: one, then: review, when: { phone.score: { above: 50 } } }\n`);
    const [axis] = cellsOf(policy).axes;
    expect([100, 101].map((value) => axis?.find({ value }, undefined, '2026-01-01'))).toEqual([2, undefined]);
  });
});
