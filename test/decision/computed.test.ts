/** Facts that a policy computes: declarations that are refused, and what every way to give facts makes of them. */

import { describe, expect, it, test } from 'vitest';
import { explain } from '../../src/decision/explain/explain.ts';
import { readContext } from '../../src/decision/fetch/context-facts.ts';
import { encodeFacts } from '../../src/decision/matcher/encoded-facts.ts';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import { isOutcomeDecided } from '../../src/decision/meaning/outcome-range.ts';
import { toSql } from '../../src/decision/sql/sql.ts';
import type { GivenFact } from '../../src/facts/fact.ts';
import { readFactsLine } from '../../src/facts/facts-line.ts';
import { readFacts } from '../../src/facts/read.ts';
import { policyTypes } from '../../src/policy/editor/typescript-types.ts';
import type { Policy } from '../../src/policy/language.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { problemsOf } from '../support/policy/problems.ts';

const DAY = '2026-11-20';

const withComputation = (
  compute: string,
  rules = '{ id: one, when: { context.result: { above: 2 } }, then: reject }',
) =>
  `${HEAD}facts:
  context.result: { type: number, compute: ${compute} }
  context.a: { type: number }
  context.b: { type: integer }
  context.day: { type: date }
  context.word: { type: string }
  context.secret: { type: number, personal: true }
  context.other: { type: number, compute: { sum: [context.a, 1] } }
parameters: { half: 0.5, word: text }
rules:
  - ${rules}
`;

const ratio = () => policyOf(withComputation('{ ratio: [context.a, context.b] }'));
const product = () => policyOf(withComputation('{ product: [context.a, context.b] }'));

function factsOf(policy: Policy, given: Record<string, unknown>) {
  const values = Object.entries(given).map(([path, value]): [string, GivenFact] => [path, { value }]);
  return readFacts(new Map(values), policy.facts, DAY);
}

describe('a computation is refused', () => {
  it.each([
    ['of no known name', '{ ‹rato: [context.a, context.b] }', 'unknown-key'],
    ['with too few operands', '{ sum: ‹[context.a] }', 'wrong-value'],
    ['with too many operands', '{ ratio: ‹[context.a, 1, 2] }', 'wrong-value'],
    ['of numbers alone', '{ sum: ‹[1, 2] }', 'wrong-value'],
    ['of two kinds', '‹{ sum: [context.a, 1], product: [context.a, 1] }', 'wrong-value'],
    ['of an unknown fact', '{ sum: [‹context.aa, 1] }', 'unknown-fact'],
    ['of a fact that is computed itself', '{ sum: [‹context.other, 1] }', 'fact-types'],
    ['of itself', '{ sum: [‹context.result, 1] }', 'fact-types'],
    ['of a text', '{ sum: [‹context.word, 1] }', 'fact-types'],
    ['of days between numbers', '{ daysBetween: [context.day, ‹context.a] }', 'fact-types'],
    ['of days to a number', '{ daysBetween: [context.day, ‹5] }', 'wrong-type'],
    ['of a parameter that is no number', '{ sum: [context.a, ‹$word] }', 'wrong-type'],
    ['of a parameter that is not declared', '{ sum: [context.a, ‹$hlf] }', 'unknown-parameter'],
    ['without operands', '{ sum: ‹[] }', 'empty'],
    ['that is empty', '‹{}', 'empty'],
  ])('%s', (_, compute, code) => {
    const { codes, places, marks } = problemsOf(withComputation(compute));
    expect(codes[0]).toBe(code);
    expect(places[0]).toBe(marks[0]);
  });

  it.each([
    ['context.result: { type: date, compute: { daysBetween: [context.day, context.day] } }', 'unknown-key'],
    ['identity.result: { type: number, compute: { sum: [context.a, 1] } }', 'unknown-key'],
  ])('of %s', (declaration, code) => {
    const text = `${HEAD}facts:\n  ${declaration}\n  context.a: { type: number }\n  context.day: { type: date }\n`;
    expect(problemsOf(text).codes).toContain(code);
  });
});

describe('a computed fact', () => {
  test('takes parameters, facts declared further down and facts of the catalog', () => {
    const policy = policyOf(withComputation('{ sum: [$half, context.b, phone.score] }'));
    const facts = factsOf(policy, { 'context.b': 2, 'phone.score': 10 });
    expect(facts.get('context.result')).toEqual({ value: 12.5 });
  });

  test('is personal if an operand is', () => {
    const ratioPolicy = ratio();
    const policy = policyOf(withComputation('{ sum: [context.a, context.secret] }'));
    expect(policy.facts.get('context.result')?.personal).toBe(true);
    expect(ratioPolicy.facts.get('context.result')?.personal).toBeUndefined();
  });

  test('is computed, whatever is given', () => {
    const ratioPolicy = ratio();
    const facts = factsOf(ratioPolicy, { 'context.a': 6, 'context.b': 2, 'context.result': 100 });
    expect(facts.get('context.result')).toEqual({ value: 3 });
    const byHand = new Map([...facts, ['context.result', { value: 1 }] as const]);
    expect(matcherOf(ratioPolicy).outcome(byHand, DAY).outcome).toBe('reject');
  });

  test('of another policy is computed again, from facts and from encoded facts', () => {
    const ratioPolicy = ratio();
    const productPolicy = product();
    const facts = factsOf(ratioPolicy, { 'context.a': 4, 'context.b': 4 });
    expect(matcherOf(ratioPolicy).outcome(facts, DAY).outcome).toBe('accept');
    expect(matcherOf(productPolicy).outcome(facts, DAY).outcome).toBe('reject');
    expect(matcherOf(productPolicy).outcome(encodeFacts(facts, ratioPolicy.facts), DAY).outcome).toBe('reject');
    expect(matcherOf(ratioPolicy).outcome(encodeFacts(facts, ratioPolicy.facts), DAY).outcome).toBe('accept');
  });

  test('is refused in a line of facts, as a cause, as context, as a column and in a map of columns', () => {
    const ratioPolicy = ratio();
    for (const line of [
      '{ "facts": { "context.result": 1 } }',
      '{ "facts": {}, "missing": { "context.result": "invalid" } }',
    ]) {
      const problem = '"context.result" is computed by the policy; remove it';
      expect(readFactsLine(line, ratioPolicy.facts, DAY)).toEqual({ problem });
    }
    expect(() => readContext({ result: 1 }, ratioPolicy.facts)).toThrow(
      'the policy computes the fact "context.result"',
    );
    const columns = new Map([['context.result', { numbers: [1] }]]);
    expect(() => matcherOf(ratioPolicy).batch({ rows: 1, columns }, DAY)).toThrow('which the policy computes');
    const options = { dialect: 'duckdb', table: 't', at: DAY, columns: { 'context.result': 'r' } } as const;
    expect(toSql(ratioPolicy, options).refusals).toMatchObject([{ code: 'sql-fact' }]);
  });

  test('is no fact that a caller can give, by the generated types', () => {
    const ratioPolicy = ratio();
    const types = policyTypes(ratioPolicy);
    expect(types).toContain('readonly a?:');
    expect(types).not.toContain('result');
  });

  test('is pending while an operand is', () => {
    const policy = policyOf(withComputation('{ sum: [context.a, phone.score] }'));
    const facts = factsOf(policy, { 'context.a': 100 });
    const isPending = (path: string) => path === 'phone.score' || path === 'context.result';
    expect(isOutcomeDecided(policy, policy.rules, { facts, isPending, day: DAY })).toBe(false);
  });
});

describe('an explanation', () => {
  test('changes the operands of a computed fact, never the fact itself', async () => {
    const ratioPolicy = ratio();
    const facts = factsOf(ratioPolicy, { 'context.a': 6, 'context.b': 2 });
    const { changes, standsOn } = await explain(ratioPolicy, facts, DAY, { to: 'accept' });
    const paths = changes?.sets.map((set) => set.map(({ fact }) => fact));
    expect(paths).toEqual([['context.a'], ['context.b']]);
    for (const [set] of changes?.sets ?? []) {
      const changed = factsOf(ratioPolicy, { 'context.a': 6, 'context.b': 2, [set?.fact ?? '']: set?.example });
      expect(matcherOf(ratioPolicy).outcome(changed, DAY).outcome).toBe('accept');
      expect(set?.needs).toContain('such that context.result is');
    }
    expect(standsOn.facts.map(({ fact }) => fact)).toEqual(['context.a', 'context.b']);
  });
});
