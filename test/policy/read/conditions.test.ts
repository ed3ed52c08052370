/** Conditions: what they may be made of, and what is said of those that make no sense. test/cases has their truths. */

import { describe, expect, it } from 'vitest';
import { truthOf } from '../../support/policy/decide.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';

const LETTERS = ['a', 'b', 'c'] as const;
const DECLARATIONS = `facts:\n${LETTERS.map((letter) => `  context.${letter}: { type: boolean }\n`).join('')}conditions:
  isA: { context.a: true }
  isB: { context.b: true }
  isC: { context.c: true }
`;

describe('a condition', () => {
  it('may be named before what it names is declared, in whichever file', async () => {
    const policy = policyOf(
      `${HEAD}conditions:\n  first: { not: second }\n  second: third\nruleSets: [a.yaml]\nrules:\n` +
        '  - { id: r, when: first, then: review }\n',
      { 'a.yaml': 'conditions:\n  third: { phone.valid: true }\n' },
    );
    expect(await truthOf(policy, { 'phone.valid': false })).toBe(true);
  });
});

describe('a condition is refused', () => {
  const REFUSED: [what: string, condition: string, code: string, hint?: RegExp][] = [
    ['that is a list', '‹[isA, isB]', 'wrong-type', /`all:` or `any:`/],
    ['that is a boolean', '‹true', 'wrong-type'],
    ['that is a number', '‹1', 'wrong-type'],
    ['that is an empty map', '‹{}', 'empty'],
    ['with an unknown name', '‹isD', 'unknown-condition', /^did you mean "isA"\?$/],
    ['with an unknown name near to none', '‹recentlyPorted', 'unknown-condition'],
    ['with a fact for a name', '‹context.a', 'unknown-condition', /^write `\{ context\.a: true \}`$/],
    ['with a name for a fact', '{ ‹isA: true }', 'unknown-fact', /isA is a named condition/],
    ['with an unknown fact', '{ ‹phone.riskLvel: high }', 'unknown-fact', /^did you mean "phone.riskLevel"\?$/],
    ['with an unknown combinator', '{ ‹ally: [isA] }', 'unknown-fact', /^did you mean "all"\?$/],
    ['with a null in it', '{ ‹context.a: ~ }', 'null-value'],
    ['with a fact and nothing', '{ ‹context.a: }', 'null-value'],
    ['with an empty all', '{ all: ‹[] }', 'empty'],
    ['with an empty any', '{ any: ‹[] }', 'empty'],
    ['with an all that is a map', '{ all: ‹{ context.a: true } }', 'wrong-type'],
    ['with a null in a list', '{ all: [isA, ‹~] }', 'null-value'],
    ['with a not of a list', '{ not: ‹[isA] }', 'wrong-type', /`all:` or `any:`/],
    ['with an empty not', '{ ‹not: }', 'null-value'],
    ['with an atLeastOf that is a list', '{ atLeastOf: ‹[isA] }', 'wrong-type'],
    ['with an atLeastOf without a count', '{ atLeastOf: { ‹of: [isA] } }', 'missing-key'],
    ['with an atLeastOf without conditions', '{ atLeastOf: { ‹count: 1 } }', 'missing-key'],
    ['with an atLeastOf of nothing', '{ atLeastOf: { count: 1, of: ‹[] } }', 'empty'],
    ['with a count of 0', '{ atLeastOf: { count: ‹0, of: [isA, isB] } }', 'wrong-value'],
    ['with a count above all', '{ atLeastOf: { count: ‹3, of: [isA, isB] } }', 'wrong-value'],
    ['with a count that is no integer', '{ atLeastOf: { count: ‹1.5, of: [isA, isB] } }', 'wrong-type'],
    ['with a count that is a text', '{ atLeastOf: { count: ‹"1", of: [isA, isB] } }', 'wrong-type'],
    ['with an unknown key beside a count', '{ atLeastOf: { count: 1, of: [isA], ‹from: [isB] } }', 'unknown-key'],
  ];
  it.each(REFUSED)('%s', (_what, condition, code, hint) => {
    const { codes, places, marks, hints } = problemsOf(ruleWhen(condition, DECLARATIONS));
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    if (hint) expect(hints[0]).toMatch(hint);
    else expect(hints).toEqual([code === 'unknown-condition' ? undefined : hints[0]]);
  });

  it('for every mistake in it, not for the first alone', () => {
    const { places, marks } = problemsOf(
      ruleWhen(
        '{ all: [‹isD, { ‹context.d: 1 }], not: { context.a: ‹1 }, context.b: { ‹above: 1, is: ‹"x" } }',
        DECLARATIONS,
      ),
    );
    expect(places).toEqual(marks);
  });
});

describe('named conditions', () => {
  const conditions = (text: string, rule = 'a') =>
    problemsOf(`${HEAD}conditions:\n${text}rules:\n  - { id: r, when: ${rule}, then: review }\n`);

  it.each([
    ['itself', '  a: { not: ‹a }\n'],
    ['itself through another', '  a: { any: [b] }\n  b: { all: [{ phone.valid: true }, ‹a] }\n'],
    ['itself through others', '  a: b\n  b: c\n  c: ‹a\n'],
  ])('that refer to %s are an error, once, where the circle closes', (_what, text) => {
    const { codes, places, marks } = conditions(text);
    expect({ codes, places }).toEqual({ codes: ['cycle'], places: marks });
  });

  it('are checked whether or not a rule uses them, and once however many do', () => {
    const { places, marks } = conditions(
      '  a: { phone.valid: ‹1 }\n  b: { phone.scor‹e: { is: "1" } }\n'.replace('scor‹e: { is: ', 'score: { is: ‹'),
      '{ any: [a, a] }',
    );
    expect(places).toEqual(marks);
  });

  it('with names of Object.prototype are names like any other', async () => {
    const policy = policyOf(
      `${HEAD}conditions:\n  constructor: { phone.valid: true }\n  toString: constructor\nrules:\n` +
        '  - { id: r, when: toString, then: review }\n',
    );
    expect(await truthOf(policy, { 'phone.valid': true })).toBe(true);
    expect(conditions('  a: { phone.valid: true }\n', '‹hasOwnProperty').codes).toEqual(['unknown-condition']);
  });

  const chain = (length: number, isReversed: boolean) => {
    const lines = Array.from({ length }, (_, i) => {
      const next = i === length - 1 ? '{ phone.valid: true }' : `{ not: a${i + 1} }`;
      return `  a${i === 0 ? '' : i}: ${next}\n`;
    });
    return conditions((isReversed ? lines.reverse() : lines).join(''));
  };

  it.each([false, true])(
    'refer to each other at no more than 20 levels, whichever is declared first (%j)',
    (isReversed) => {
      expect(chain(20, isReversed).codes).toEqual([]);
      expect(chain(22, isReversed).codes).toEqual(['too-deep']);
      expect(new Set(chain(2_000, isReversed).codes)).toContain('too-deep');
    },
  );

  it('that multiply each other are refused before anybody counts to the end', () => {
    const lines = Array.from(
      { length: 10 },
      (_, i) => `  a${i + 1}: { all: [${Array(20).fill(`a${i}`).join(', ')}] }\n`,
    );
    expect(conditions(`  a0: { phone.valid: true }\n${lines.join('')}`, 'a10').codes).toEqual(['too-large']);
  });

  it('nested as deep as they may be are decided', async () => {
    const nest = (inner: string) => `${'{ any: [ '.repeat(28)}${inner}${' ] }'.repeat(28)}`;
    const lines = Array.from(
      { length: 20 },
      (_, i) => `  a${i}: ${nest(i === 19 ? '{ phone.valid: true }' : `a${i + 1}`)}\n`,
    );
    const policy = policyOf(`${HEAD}conditions:\n${lines.join('')}rules:\n  - { id: r, when: a0, then: review }\n`);
    expect(await truthOf(policy, { 'phone.valid': true })).toBe(true);
    expect(await truthOf(policy)).toBe('unknown');
  });
});
