/** The rule in meaning/outcome.ts, sentence by sentence: the truth of rules -> outcome and score. */

import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import { policyOf } from '../../support/policy/policy.ts';
import { decideLive } from '../../support/runners/case.ts';

/** Facts a, b and c: a rule on one of them fires if it is true, and is undetermined if it is missing. */
type Flags = Readonly<Record<string, boolean>>;

async function decide(rest: string, flags: Flags, defaultOutcome = 'accept'): Promise<Verdict> {
  const policy = policyOf(`policy: test
version: "1"
default: ${defaultOutcome}
facts: { context.a: { type: boolean }, context.b: { type: boolean }, context.c: { type: boolean } }
${rest}`);
  const facts = Object.entries(flags).map(([name, value]) => [`context.${name}`, { value }] as const);
  return decideLive(policy, new Map(facts), '2026-11-20');
}

async function outcomeOf(rest: string, flags: Flags, defaultOutcome?: string): Promise<string> {
  return (await decide(rest, flags, defaultOutcome)).outcome;
}

describe('the final rules', () => {
  const ALLOW = '{ id: allow, when: { context.b: true }, then: accept, final: true }';
  const PLAIN = '{ id: plain, when: { context.c: true }, then: reject }';
  const BLOCK = (block: string) => `{ id: block, when: { context.a: true }, ${block}, final: true }`;
  const rulesOf = (...rules: readonly string[]) => `rules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;
  /** Both orders of the block and the allow list. */
  const BOTH_ORDERS = (block: string) => [rulesOf(BLOCK(block), ALLOW, PLAIN), rulesOf(PLAIN, ALLOW, BLOCK(block))];

  test('that fire decide alone, whatever other rules and the default ask for', async () => {
    for (const rules of BOTH_ORDERS('then: reject')) {
      expect(await outcomeOf(rules, { a: false, b: true, c: true }, 'reject')).toBe('accept');
      expect(await outcomeOf(rules, { a: true, b: false, c: false })).toBe('reject');
      expect(await outcomeOf(rules, { a: false, b: false, c: true })).toBe('reject');
    }
  });

  test.for(['review', 'reject'])('the strictest of them decides: %s over accept', async (then) => {
    for (const rules of BOTH_ORDERS(`then: ${then}`)) {
      expect(await outcomeOf(rules, { a: true, b: true, c: true })).toBe(then);
    }
  });

  test.for(['review', 'reject'])('an undetermined %s leaves review of an accept that fires', async (then) => {
    for (const rules of BOTH_ORDERS(`then: ${then}`)) {
      expect(await outcomeOf(rules, { b: true, c: true })).toBe('review');
    }
  });

  test('an undetermined reject leaves review of a review that fires, an undetermined review leaves a reject', async () => {
    const rules = (first: string, second: string) =>
      rulesOf(BLOCK(`then: ${first}`), `{ id: other, when: { context.b: true }, then: ${second}, final: true }`, PLAIN);
    const decisive = async (text: string) =>
      (await decide(text, { b: true, c: true })).reasons.flatMap((each) => (each.decisive ? each.code : []));
    expect(await outcomeOf(rules('reject', 'review'), { b: true, c: true })).toBe('review');
    expect(await decisive(rules('reject', 'review'))).toEqual(['BLOCK']);
    expect(await outcomeOf(rules('review', 'reject'), { b: true, c: true })).toBe('reject');
    expect(await decisive(rules('review', 'reject'))).toEqual(['OTHER']);
    // As strict as the one that fired, it changes nothing.
    expect(await outcomeOf(rules('review', 'review'), { b: true, c: true })).toBe('review');
    expect(await decisive(rules('review', 'review'))).toEqual(['OTHER']);
  });

  test('an undetermined one changes nothing if it is ignored or would accept', async () => {
    const given = { b: true, c: true };
    for (const rules of BOTH_ORDERS('then: reject, whenUnknown: ignore')) {
      expect(await outcomeOf(rules, given)).toBe('accept');
    }
    for (const rules of BOTH_ORDERS('then: reject')) {
      expect(await outcomeOf(`whenUnknown: ignore\n${rules}`, given)).toBe('accept');
    }
    for (const rules of BOTH_ORDERS('then: accept')) expect(await outcomeOf(rules, given)).toBe('accept');
  });

  test('that are undetermined ask like all other rules if none fires', async () => {
    for (const rules of BOTH_ORDERS('then: reject')) {
      expect(await outcomeOf(rules, { b: false, c: false })).toBe('review');
      expect(await outcomeOf(rules, { b: false, c: true })).toBe('reject');
    }
  });
});

describe('rules and the default ask for', () => {
  const EACH = `rules:
  - { id: good, when: { context.a: true }, then: accept }
  - { id: doubtful, when: { context.b: true }, then: review }
  - { id: bad, when: { context.c: true }, then: reject }
`;

  test('the strictest outcome of the rules that fire', async () => {
    expect(await outcomeOf(EACH, { a: true, b: false, c: false })).toBe('accept');
    expect(await outcomeOf(EACH, { a: true, b: true, c: false })).toBe('review');
    expect(await outcomeOf(EACH, { a: true, b: true, c: true })).toBe('reject');
  });

  test('review for an undetermined rule that would review or reject', async () => {
    expect(await outcomeOf(EACH, { a: true, b: false })).toBe('review');
    expect(await outcomeOf(EACH, { a: true, c: false })).toBe('review');
  });

  test('nothing for an undetermined rule that would accept, or that only adds points', async () => {
    expect(await outcomeOf(EACH, { b: false, c: false })).toBe('accept');
    expect(await outcomeOf('rules: [{ id: p, when: { context.a: true }, points: 5 }]', {})).toBe('accept');
  });

  test('nothing for an undetermined rule that it or the policy ignores', async () => {
    const ignoring = 'rules: [{ id: bad, when: { context.a: true }, then: reject, whenUnknown: ignore }]';
    const rule = 'rules: [{ id: bad, when: { context.a: true }, then: reject }]';
    const asking = 'rules: [{ id: bad, when: { context.a: true }, then: reject, whenUnknown: review }]';
    expect(await outcomeOf(ignoring, {})).toBe('accept');
    expect(await outcomeOf(`whenUnknown: ignore\n${rule}`, {})).toBe('accept');
    expect(await outcomeOf(`whenUnknown: ignore\n${asking}`, {})).toBe('review');
  });

  test('the default if nothing certain is asked for, besides what undetermined rules ask for', async () => {
    expect(await outcomeOf(EACH, { a: false, b: false, c: false }, 'reject')).toBe('reject');
    expect(await outcomeOf(EACH, { a: false, b: false }, 'reject')).toBe('reject');
    expect(await outcomeOf(EACH, { a: false, b: false }, 'accept')).toBe('review');
  });

  test('no default if a rule fires: an accepting rule overrides a stricter default', async () => {
    expect(await outcomeOf(EACH, { a: true, b: false, c: false }, 'reject')).toBe('accept');
    expect(await outcomeOf(EACH, { a: false, b: true, c: false }, 'reject')).toBe('review');
  });

  test('the default if the rule that fires only adds points', async () => {
    expect(await outcomeOf('rules: [{ id: p, when: { context.a: true }, points: 5 }]', { a: true }, 'reject')).toBe(
      'reject',
    );
  });
});

describe('the score', () => {
  const SCORED = (bands: string, b = 'points: 10') => `score: ${bands}
rules:
  - { id: a, when: { context.a: true }, points: 30 }
  - { id: b, when: { context.b: true }, ${b} }
  - { id: c, when: { context.c: true }, points: -5 }
`;
  const BOTH = '{ review: 30, reject: 40 }';

  test.for([
    [{ a: true, b: true, c: true }, { least: 35, most: 35, band: 'review' }, 'review'],
    [{ a: true, b: true, c: false }, { least: 40, most: 40, band: 'reject' }, 'reject'],
    [{ a: true, b: false, c: true }, { least: 25, most: 25, band: null }, 'accept'],
    [{ a: false, b: false, c: false }, { least: 0, most: 0, band: null }, 'accept'],
    // Of an undetermined rule, positive points raise the upper end only, negative ones lower the lower end only.
    [{ a: true, c: false }, { least: 30, most: 40, band: 'review' }, 'review'],
    [{ a: true, b: true }, { least: 35, most: 40, band: 'review' }, 'review'],
    [{ a: true, b: false }, { least: 25, most: 30, band: null }, 'review'],
    [{ b: true, c: false }, { least: 10, most: 40, band: null }, 'review'],
    [{}, { least: -5, most: 40, band: null }, 'review'],
  ] as const)('%j gives %j', async ([flags, score, outcome]) => {
    expect(await decide(SCORED(BOTH), flags)).toMatchObject({ score, outcome });
  });

  test('has either band alone', async () => {
    expect(await outcomeOf(SCORED('{ review: 30 }'), { a: true, b: true, c: false })).toBe('review');
    expect(await outcomeOf(SCORED('{ reject: 40 }'), { a: true, b: false, c: false })).toBe('accept');
    expect(await outcomeOf(SCORED('{ reject: 40 }'), { a: true, b: true, c: false })).toBe('reject');
    expect(await outcomeOf(SCORED('{ reject: 40 }'), { a: true, c: false })).toBe('review');
  });

  test('is not widened by points of an undetermined rule that is ignored', async () => {
    const ignoring = SCORED(BOTH, 'points: 10, whenUnknown: ignore');
    expect(await decide(ignoring, { a: true, c: false })).toMatchObject({ score: { least: 30, most: 30 } });
  });

  test('keeps the default from being asked for only if its lower end reaches a band', async () => {
    expect(await outcomeOf(SCORED(BOTH), { a: true, b: false, c: false }, 'reject')).toBe('review');
    expect(await outcomeOf(SCORED(BOTH), { b: false, c: false }, 'reject')).toBe('reject');
  });

  test('counts points of rules with an outcome and of final rules too', async () => {
    const rules = `score: { review: 30 }
rules:
  - { id: a, when: { context.a: true }, then: accept, points: 10, final: true }
  - { id: b, when: { context.b: true }, then: accept, points: 20 }
`;
    expect(await decide(rules, { a: true, b: true })).toMatchObject({
      outcome: 'accept',
      score: { least: 30, most: 30, band: 'review' },
    });
  });

  test('asks for nothing without bands', async () => {
    const rules = 'rules: [{ id: a, when: { context.a: true }, points: 1000 }]';
    expect(await decide(rules, { a: true })).toMatchObject({ outcome: 'accept', score: { least: 1000, band: null } });
  });
});
