/** Computed facts whose operands are known: missing only where there is no result. */

import { expect, it } from 'vitest';
import { diffPolicies } from '../../../../src/lab/diff/diff.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';

const policyWith = (type: string, compute: string, rule = '') =>
  policyOf(`${HEAD}facts:
  context.one: { type: ${type} }
  context.two: { type: ${type} }
  context.three: { type: ${type} }
  context.result: { type: ${type === 'date' ? 'integer' : type}, compute: ${compute} }
rules:
  - { id: first, when: { phone.status: active }, then: review }
${rule}`);

const [SMALL, OTHER] = ['context.one: { between: [-9, 9] }', 'context.two: { between: [1, 9] }'];
const [AGE, OTHER_AGE] = ['context.one: { olderThan: 9 days }', 'context.two: { withinLast: 9 days }'];

it.each([
  ['number', '{ difference: [context.one, context.two] }', `${SMALL}, ${OTHER}`, 'none'],
  ['number', '{ difference: [context.one, context.two] }', SMALL, 'one'],
  ['number', '{ sum: [context.one, context.two, context.three, 8] }', `${SMALL}, ${OTHER}`, 'one'],
  ['number', '{ sum: [context.one, context.two, context.two, 8] }', `${SMALL}, ${OTHER}`, 'none'],
  ['number', '{ sum: [context.one, context.two] }', `${SMALL}, context.two: { above: 1 }`, 'none'],
  ['number', '{ sum: [context.one, context.two, context.two] }', `${SMALL}, context.two: { above: 1 }`, 'one'],
  ['number', '{ sum: [context.one, context.two] }', 'context.one: { above: 1 }, context.two: { above: 1 }', 'one'],
  ['number', '{ maximum: [context.one, context.two] }', 'context.one: { above: 1 }, context.two: { above: 1 }', 'none'],
  ['number', '{ product: [context.one, context.two, 1.0e+300] }', `${SMALL}, context.two: { above: 1 }`, 'one'],
  ['number', '{ ratio: [context.one, context.two] }', `${SMALL}, ${OTHER}`, 'none'],
  ['number', '{ ratio: [context.two, context.one] }', `${SMALL}, ${OTHER}`, 'one'],
  ['integer', '{ sum: [context.one, context.two, 3] }', `${SMALL}, ${OTHER}`, 'none'],
  ['integer', '{ sum: [context.one, context.two, 3] }', `${SMALL}, context.two: { above: 1 }`, 'one'],
  ['integer', '{ product: [context.one, context.two] }', `${SMALL}, context.two: { above: 1 }`, 'one'],
  ['date', '{ daysBetween: [context.one, context.two] }', `${AGE}, ${OTHER_AGE}`, 'none'],
  ['date', '{ daysBetween: [context.one, context.two] }', `${AGE}, context.two: { known: true }`, 'one'],
])('%s, %s: { %s } has a result for all but %s', async (type, compute, given, expected) => {
  const condition = `{ context.result: { known: false }, ${given} }`;
  const rule = `  - { id: second, when: ${condition}, then: review, whenUnknown: ignore }\n`;
  const diff = await diffPolicies(policyWith(type, compute), policyWith(type, compute, rule), { at: '2026-11-20' });
  expect(diff.elsewhere).toBe('same');
  expect(diff.regions.map(({ example }) => example !== undefined)).toEqual(expected === 'none' ? [] : [true]);
});

it.each([
  ['date', '{ daysBetween: [context.one, context.two] }', 'context.one: { never: true }', 'none'],
  ['date', '{ daysBetween: [context.one, context.two] }', 'context.one: { never: false }', 'one'],
  ['number', '{ ratio: [context.one, context.two] }', 'context.two: 0', 'none'],
  ['number', '{ ratio: [context.one, context.two] }', 'context.one: 0', 'one'],
])('%s, %s: { %s } leaves a result for %s', async (type, compute, given, expected) => {
  const rule = `  - { id: second, when: { context.result: { known: true }, ${given} }, then: review, whenUnknown: ignore }\n`;
  const diff = await diffPolicies(policyWith(type, compute), policyWith(type, compute, rule), { at: '2026-11-20' });
  expect(diff.elsewhere).toBe('same');
  expect(diff.regions.map(({ example }) => example !== undefined)).toEqual(expected === 'none' ? [] : [true]);
});
