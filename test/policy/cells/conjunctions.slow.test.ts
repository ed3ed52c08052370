/** The disjunctive form of a condition by cells: true where the condition is, possible where it is not false. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, FALSE, factAt, TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { Cells } from '../../../src/policy/cells/cells.ts';
import { Conjunctions, isWithin, type Region } from '../../../src/policy/cells/conjunctions.ts';
import { conditionsOf, partsOf } from '../../../src/policy/check/context.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

function conjunctionsOf(policy: Policy): Conjunctions {
  const tests = [...conditionsOf(policy)].flatMap((condition) =>
    [...partsOf(condition)].filter((part) => part.kind === 'test'),
  );
  return new Conjunctions(new Cells(tests, policy.facts));
}

/** Whether facts lie in a region. */
function lieIn(region: Region | undefined, facts: Facts, day: string): boolean {
  if (!region) return false;
  return [...region.sets].every(([axis, set]) => {
    const other = axis.other === undefined ? undefined : factAt(facts, axis.other);
    const index = axis.find(factAt(facts, axis.fact), other, day);
    return index !== undefined && ((set >> BigInt(index)) & 1n) === 1n;
  });
}

/** The one conjunction of each of two conditions, where it is certain. */
function regionsOf(one: string, other: string): readonly Region[] {
  const rule = (id: string, when: string) => `  - { id: ${id}, then: review, when: ${when} }\n`;
  const policy = policyOf(`${HEAD}rules:\n${rule('one', one)}${rule('other', other)}`);
  const conjunctions = conjunctionsOf(policy);
  return policy.rules.flatMap(({ when }) => conjunctions.of(when)?.[0]?.certain ?? []);
}

describe('the disjunctive form', () => {
  it.each([
    ['as it stands', true],
    ['under `not`', false],
  ])('has the truth of its condition, whatever the facts: %s', (_, isPositive) => {
    const folder = temporaryFolder();
    const seen = { [TRUE]: 0, 0: 0, [FALSE]: 0 };
    fc.assert(
      fc.property(aCase({ applicants: 5 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        const conjunctions = conjunctionsOf(policy);
        for (const { when } of policy.rules) {
          const condition = isPositive ? when : ({ kind: 'not', of: [when] } as const);
          const form = conjunctions.of(condition);
          if (!form) continue;
          for (const applicant of applicants) {
            const facts = readPlainFacts(applicant, policy, day);
            const truth = evaluate(condition, facts, day);
            const certain = form.some((conjunction) => lieIn(conjunction.certain, facts, day));
            const possible = form.some((conjunction) => lieIn(conjunction.possible, facts, day));
            expect({ certain, possible }).toEqual({ certain: truth === TRUE, possible: truth !== FALSE });
            seen[truth]++;
          }
        }
      }),
      { numRuns: sampled(9, 150) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(40);
  });

  it('is not made where it would be large', () => {
    const of = Array.from({ length: 20 }, (_, i) => `{ ip.isp: a${i} }`).join(', ');
    const rule = `{ id: one, then: review, when: { atLeastOf: { count: 10, of: [${of}] } } }`;
    const policy = policyOf(`${HEAD}rules:\n  - ${rule}\n`);
    expect(policy.rules.map(({ when }) => conjunctionsOf(policy).of(when))).toEqual([undefined]);
  });
});

describe('a region lies within another', () => {
  it.each([
    ['{ phone.score: { above: 50 }, phone.valid: true }', '{ phone.score: { above: 20 } }', true],
    ['{ phone.score: { above: 20 } }', '{ phone.score: { above: 50 } }', false],
    ['{ phone.score: { above: 20 } }', '{ phone.score: { above: 10 }, phone.valid: true }', false],
    // What never happened lies within nothing lately, whichever way one looks at the date.
    ['{ phone.porting.portedDate: { withinLast: 3 days } }', '{ phone.porting.portedDate: { never: false } }', true],
    ['{ phone.porting.portedDate: { withinLast: 3 days } }', '{ phone.porting.portedDate: { known: true } }', true],
    ['{ phone.porting.portedDate: { never: false } }', '{ phone.porting.portedDate: { withinLast: 3 days } }', false],
  ])('%s, %s: %s', (one, other, within) => {
    const [inner, outer] = regionsOf(one, other);
    expect(inner && outer && isWithin(inner, outer)).toBe(within);
  });
});
