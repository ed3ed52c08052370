/** The limits of a policy: what is above one is refused where it begins, and what is left to do stays small. */

import { RE2JS, RE2Set } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import { Source } from '../../../src/platform/files/source.ts';
import { POLICY_LIMITS } from '../../../src/policy/read/conditions/scope.ts';
import { HEAD, readPolicyText } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';

const times = (n: number, text: (i: number) => string, separator = '') =>
  Array.from({ length: n }, (_, i) => text(i)).join(separator);

const rule = (id: string, when: string) => `  - { id: ${id}, when: ${when}, then: review }\n`;

describe('a policy as a whole', () => {
  it('compiles its patterns up to a size, and no further', () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const pattern = (i: number) => `(a|b|c${String.fromCharCode(0x4e00 + i)}){1000}`;
    const line = (i: number) => rule(`r${i}`, `{ ip.isp: { matches: "${pattern(i)}" } }`);
    const fitting = Math.floor(POLICY_LIMITS.patterns.most / (RE2JS.compile(pattern(1)).programSize() + 250));
    compile.mockClear();
    const { diagnostics } = readPolicyText(`${HEAD}rules:\n${times(40, line)}`);
    const calls = compile.mock.calls.length;
    compile.mockRestore();
    expect(calls).toBe(fitting + 1);
    expect(diagnostics.map(({ code, position }) => [code, position?.line])).toEqual([['too-large', 5 + fitting]]);
    expect(diagnostics[0]?.hint).toMatch(/repeats/);
  });

  it('compiles a pattern that occurs again once', () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const line = (i: number) => rule(`r${i}`, `{ ip.isp: { matches: "a{1000}", contains: "${i}" } }`);
    const { policy } = readPolicyText(`${HEAD}rules:\n${times(200, line)}`);
    const calls = compile.mock.calls.length;
    compile.mockRestore();
    expect(policy).toBeDefined();
    expect(calls).toBe(1);
  });

  it('keeps few of the states that its patterns go through', () => {
    const match = vi.spyOn(RE2Set.prototype, 'match');
    const { policy } = readPolicyText(ruleWhen('{ ip.isp: { matches: "(a|b)*a(a|b){11}" } }'));
    const test = policy?.rules[0]?.when;
    const pattern = test?.kind === 'test' ? test.argument : undefined;
    // A sequence of a and b that repeats itself late: each position is a state of its own.
    let bits = 1;
    const next = () => {
      bits = (bits >> 1) ^ (-(bits & 1) & 0xb400);
      return 'ab'[bits & 1];
    };
    const holds = (pattern as { test(text: string): boolean }).test(`${times(4000, () => next() ?? '')}c`);
    const set = match.mock.contexts[0] as unknown as { dfa: { maxMem: number; stateCount: number } };
    match.mockRestore();
    expect(holds).toBe(true);
    expect(set.dfa.maxMem).toBeLessThanOrEqual(64 * 1024);
    expect(set.dfa.stateCount).toBeLessThan(500);
  });

  it('has a limit on its tests, with named conditions expanded', () => {
    const big = `conditions:\n  big: { any: [${times(2000, (i) => `{ phone.score: { above: ${i / 100} } }`, ', ')}] }\n`;
    const line = (i: number) => rule(`r${i}`, `{ all: [big, { phone.score: { below: ${i} } }] }`);
    const at = (rules: number) => problemsOf(`${HEAD}${big}rules:\n${times(rules, line)}`);
    const { codes, diagnostics } = at(120);
    expect(codes).toEqual(['too-large']);
    expect(diagnostics[0]?.position?.line).toBe(7 + 99);
    expect(diagnostics[0]?.message).toMatch(/200000 tests, with named conditions expanded/);
  });

  it.each([
    [
      'lists',
      `lists:\n${times(201, (i) => `  l${i}: [a]\n`)}rules: [{ id: r, when: { ip.isp: { inList: l200 } }, points: 1 }]\n`,
    ],
    [
      'rules and rows',
      `rules: [{ id: r, when: { phone.valid: false }, points: 1 }]
tables: [{ id: t, columns: [points], rows: [${'[1],'.repeat(9999)}[1]] }]\n`,
    ],
    ['cells', `tables: [{ id: t, columns: [${wide()}, points], rows: [${'[1],'.repeat(1400)}[1]] }]\n`],
  ])('has a limit on its %s', (_what, text) => {
    expect(problemsOf(HEAD + text).codes.filter((code) => !code.startsWith('warning'))).toContain('too-large');
  });
});

function wide(): string {
  return times(199, (i) => `context.a${i}`, ', ');
}

describe('one part of a policy', () => {
  const message = (text: string) =>
    `${HEAD}rules:\n  - { id: a, when: { phone.valid: false }, then: review, message: "${text}" }\n`;
  it.each([
    ['a message of many placeholders', message('{phone.score} '.repeat(51))],
    ['a message longer than its limit', message('x'.repeat(10_001))],
    ['a description longer than its limit', `${HEAD}description: ${'x'.repeat(10_001)}\n`],
    ['a test of many values', ruleWhen(`{ phone.score: { in: [${times(1001, (i) => `${i / 100}`, ', ')}] } }`)],
    [
      'an enum of many values',
      ruleWhen(
        '{ phone.valid: true }',
        `facts: { context.a: { type: enum, values: [${times(1001, (i) => `v${i}`, ', ')}] } }\n`,
      ),
    ],
    [
      'many declared facts',
      ruleWhen('{ phone.valid: true }', `facts:\n${times(1001, (i) => `  context.a${i}: { type: number }\n`)}`),
    ],
    [
      'a table of many columns',
      `${HEAD}tables: [{ id: t, columns: [${times(200, () => 'then', ', ')}, then], rows: [[1]] }]\n`,
    ],
  ])('%s is refused', (_what, text) => {
    expect(problemsOf(text).codes).toEqual(['too-large']);
  });

  it('a message takes as many braces as it may have characters', () => {
    const { policy } = readPolicyText(message('{{'.repeat(5000)));
    expect(policy?.rules[0]?.message).toHaveLength(5000);
  });
});

describe('a file with many mistakes', () => {
  /** Names of 91 letters that differ in the last. */
  const name = (i: number, last: string) =>
    'c'.repeat(84) +
    String(i)
      .padStart(6, '0')
      .replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '') +
    last;

  it('has hints for the first of them, and does not look for all', () => {
    const names = times(40, (i) => `  ${name(i, 'x')}: { phone.valid: true }\n`);
    const text = `${HEAD}conditions:\n${names}rules:\n${times(40, (i) => rule(`r${i}`, name(i, 'y')))}`;
    const hints = problemsOf(text).diagnostics.map(({ hint }) => hint);
    expect(hints).toHaveLength(40);
    expect(hints[0]).toBe(`did you mean "${name(0, 'x')}"?`);
    expect(hints.filter((hint) => hint !== undefined).length).toBeLessThan(30);
  });

  it('has no hints looked for beyond the problems that are listed', () => {
    const source = new Source('a.yaml', 'a', []);
    let looks = 0;
    const known = function* () {
      looks++;
      yield 'ab';
    };
    for (let i = 0; i < 3000; i++)
      source.report(0, 1, 'unknown-key', 'no', { unknown: { word: 'abc', known: known() } });
    expect(looks).toBe(1000);
  });
});
