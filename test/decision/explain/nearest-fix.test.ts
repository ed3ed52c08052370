/** The nearest fix of a condition: no other set of tests that makes it true is smaller. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EvaluationContext, type Fix, nearestFix } from '../../../src/decision/explain/nearest-fix.ts';
import { Work } from '../../../src/decision/explain/steps.ts';
import { TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { Cells } from '../../../src/policy/cells/cells.ts';
import { type Policy, testsOf } from '../../../src/policy/language.ts';
import { finish } from '../../support/decision/explained.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { oneOf } from '../../support/runners/literals.ts';
import type { PlainCondition } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';
const FLAGS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `context.${name}`);
const DECLARED = `facts:\n${FLAGS.map((flag) => `  ${flag}: { type: boolean }`).join('\n')}\n`;

function contextOf(policy: Policy, facts: Facts): EvaluationContext {
  const cells = new Cells(
    policy.rules.flatMap(({ when }) => [...testsOf(when)]),
    policy.facts,
  );
  return { table: policy.facts, cells, facts, day: DAY };
}

function fixFor(when: PlainCondition, given: Readonly<Record<string, unknown>>, declared = DECLARED): Fix | undefined {
  const policy = policyOf(`${HEAD}${declared}rules:\n  - { id: it, when: ${JSON.stringify(when)}, then: review }\n`);
  const facts = readFacts(new Map(Object.entries(given).map(([path, value]) => [path, { value }])), policy.facts, DAY);
  const [rule] = policy.rules;
  if (!rule) throw new Error('no rule');
  const work = new Work();
  const fix = finish(nearestFix(rule.when, { ...contextOf(policy, facts), work, limit: work.limit(1e9) }));
  if (fix === 'stopped') throw new Error('the search was stopped');
  return fix;
}

function turning(fix: Fix | undefined): string[] | undefined {
  return fix?.literals
    .filter(({ truth }) => truth !== TRUE)
    .map(({ test: { fact, operator } }) => `${fact} ${operator}`);
}

/** Each flag occurs once, so that any test can change without another. */
const aCondition: fc.Arbitrary<PlainCondition> = fc
  .shuffledSubarray(FLAGS, { minLength: 1 })
  .chain((flags) => tree(flags));

function tree(flags: readonly string[]): fc.Arbitrary<PlainCondition> {
  const [only = ''] = flags;
  if (flags.length === 1) return fc.boolean().map((value) => ({ [only]: value }));
  return fc.integer({ min: 1, max: flags.length - 1 }).chain((at) =>
    fc
      .tuple(tree(flags.slice(0, at)), tree(flags.slice(at)), oneOf(['all', 'any', 'atLeastOf', 'not']))
      .map(([one, other, kind]): PlainCondition => {
        if (kind === 'atLeastOf') return { atLeastOf: { count: 1, of: [one, other] } };
        return kind === 'not' ? { not: { all: [one, { not: other }] } } : { [kind]: [one, other] };
      }),
  );
}

/** Whether a condition over flags is true. */
function isTrue(condition: PlainCondition, flags: Readonly<Record<string, boolean>>): boolean {
  const [[key, value] = ['', undefined]] = Object.entries(condition);
  const parts = (list: unknown) => (list as PlainCondition[]).map((part) => isTrue(part, flags));
  if (key === 'all') return parts(value).every(Boolean);
  if (key === 'any') return parts(value).some(Boolean);
  if (key === 'not') return !isTrue(value as PlainCondition, flags);
  if (key === 'atLeastOf') return parts((value as { of: unknown }).of).some(Boolean);
  return flags[key] === value;
}

describe('the nearest fix of a condition', () => {
  test('changes as few tests as possible', () => {
    const someFlags = fc.record(Object.fromEntries(FLAGS.map((flag) => [flag, fc.boolean()])));
    fc.assert(
      fc.property(aCondition, someFlags, (condition, flags) => {
        const turns = Array.from({ length: 2 ** FLAGS.length }, (_, bits) => {
          const turned = FLAGS.filter((_flag, i) => (bits & (1 << i)) !== 0);
          const then = Object.fromEntries(FLAGS.map((flag) => [flag, flags[flag] !== turned.includes(flag)]));
          return isTrue(condition, then) ? turned.length : FLAGS.length + 1;
        });
        expect(fixFor(condition, flags)?.turns).toBe(Math.min(...turns));
      }),
      { numRuns: sampled(34, 300) },
    );
  });

  test('changes the tests with the smaller distance where the number is equal', () => {
    const when = { any: [{ 'phone.score': { atLeast: 90 } }, { 'phone.riskLevel': { atLeast: 'high' } }] };
    expect(turning(fixFor(when, { 'phone.score': 80, 'phone.riskLevel': 'medium' }))).toEqual(['phone.score atLeast']);
    expect(turning(fixFor(when, { 'phone.score': 40, 'phone.riskLevel': 'medium' }))).toEqual([
      'phone.riskLevel atLeast',
    ]);
  });

  test('counts a test that occurs twice once', () => {
    const when = {
      all: [
        { any: [{ 'context.a': true }, { 'context.b': true }] },
        { any: [{ 'context.a': true }, { 'context.c': true }] },
      ],
    };
    expect(turning(fixFor(when, { 'context.a': false, 'context.b': false, 'context.c': false }))).toEqual([
      'context.a is',
    ]);
  });

  test('changes tests of missing facts too', () => {
    const when = { all: [{ 'context.a': true }, { 'context.b': true }] };
    expect(turning(fixFor(when, { 'context.b': false }))).toEqual(['context.a is', 'context.b is']);
  });

  test('does not exist where the tests contradict each other', () => {
    expect(
      fixFor({ all: [{ 'context.a': true }, { not: { 'context.a': true } }] }, { 'context.a': true }),
    ).toBeUndefined();
    expect(fixFor({ 'phone.score': { above: 60, below: 40 } }, { 'phone.score': 50 })).toBeUndefined();
  });

  test('skips a fix that contradicts itself', () => {
    const when = {
      any: [
        { all: [{ 'phone.score': { above: 60 } }, { 'phone.score': { below: 40 } }] },
        { all: [{ 'context.a': true }, { 'context.b': true }, { 'context.c': true }] },
      ],
    };
    expect(
      turning(fixFor(when, { 'phone.score': 70, 'context.a': false, 'context.b': false, 'context.c': false })),
    ).toEqual(['context.a is', 'context.b is', 'context.c is']);
  });

  test('is found where there are more fixes than are kept', () => {
    const flags = Array.from({ length: 20 }, (_, i) => `context.flag${i}`);
    const declared = `facts:\n${flags.map((flag) => `  ${flag}: { type: boolean }`).join('\n')}\n`;
    const when = { atLeastOf: { count: 10, of: flags.map((flag) => ({ [flag]: true })) } };
    const given = Object.fromEntries(flags.map((flag, i) => [flag, i >= 13]));
    expect(fixFor(when, given, declared)?.turns).toBe(3);
  });

  test('is found though many nearer ones contradict themselves, at once or in a later part', () => {
    const score = (limit: number) => ({ 'phone.score': { above: limit } });
    const impossible = Array.from({ length: 70 }, (_, i) => ({
      all: [score(i + 20), { 'phone.score': { below: 5 } }],
    }));
    const flags = { all: FLAGS.map((flag) => ({ [flag]: true })) };
    const given = { 'phone.score': 10, ...Object.fromEntries(FLAGS.map((flag) => [flag, false])) };
    expect(fixFor({ any: [...impossible, flags] }, given)?.turns).toBe(FLAGS.length);
    const many = { any: Array.from({ length: 70 }, (_, i) => ({ 'phone.score': i })) };
    expect(fixFor({ all: [many, score(68.5)] }, { 'phone.score': 0 })?.turns).toBe(2);
    expect(fixFor({ all: [many, score(69)] }, { 'phone.score': 0 })).toBeUndefined();
  });
});
