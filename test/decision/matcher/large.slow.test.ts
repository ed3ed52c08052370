/** The compiled form of large policies: its size is limited, and its verdicts are those of the live runner. */

import { expect, it } from 'vitest';
import { runLive } from '../../../src/decision/live/live.ts';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { compileProgram } from '../../../src/decision/matcher/program.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

it('rules of many alternatives on facts of many values are evaluated as a whole', async () => {
  const times = (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => text(i));
  const any = (rule: number) => times(20, (i) => `{ phone.score: ${(rule * 20 + i) / 1000} }`).join(', ');
  const rules = times(700, (i) => `  - { id: r${i}, when: { any: [${any(i)}], phone.valid: true }, then: review }\n`);
  const folder = temporaryFolder({ 'policy.yaml': `${HEAD}rules:\n${rules.join('')}` });
  const policy = loadPolicy(`${folder}/policy.yaml`);
  expect(compileProgram(policy).bits.length).toBeLessThan(2 ** 24);
  for (const score of [13.999, undefined]) {
    const facts = new Map<string, Fact>([
      ['phone.valid', { value: true }],
      ['phone.score', score === undefined ? { missing: 'notGiven' } : { value: score }],
    ]);
    const { verdict } = await runLive(policy, (path) => facts.get(path) ?? { missing: 'notGiven' }, DAY);
    expect(matcherOf(policy).verdict(facts, DAY)).toEqual(verdict);
  }
});
