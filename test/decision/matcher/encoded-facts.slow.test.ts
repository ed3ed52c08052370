/** Encoded facts: the matcher decides on them as on the facts themselves, whatever table they are encoded by. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFacts } from '../../../src/decision/matcher/encoded-facts.ts';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import { CATALOG_TABLE, type FactTable } from '../../../src/facts/catalog.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import { isSameTable } from '../../../src/facts/fact-reader.ts';
import { policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

const POLICY = `policy: test
version: "1"
default: accept
facts:
  context.channel: { type: enum, values: [web, app, branch] }
rules:
  - { id: branch, when: { context.channel: branch }, then: reject }
  - { id: young, when: { email.address.firstSeen: { withinLast: 30 days } }, then: review }
`;

/** The facts of an applicant whom the policy rejects. */
const facts: ReadonlyMap<string, Fact> = new Map<string, Fact>([
  ['context.channel', { value: 'branch' }],
  ['email.address.firstSeen', { value: 'never' }],
]);

describe('encoded facts', () => {
  it('have the outcome and the verdict of the facts themselves, on random policies', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(aCase({ applicants: 10 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        const matcher = compile(policy);
        for (const applicant of applicants) {
          const facts = readPlainFacts(applicant, policy, day);
          const row = encodeFacts(facts, policy.facts);
          expect(matcher.outcome(row, day)).toEqual(matcher.outcome(facts, day));
          expect(matcher.verdict(row, day)).toEqual(matcher.verdict(facts, day));
        }
      }),
      { numRuns: sampled(27, 300) },
    );
  });

  it('serve a policy whose table encodes alike, and any other policy through the facts themselves', () => {
    const policy = policyOf(POLICY);
    const matcher = compile(policy);
    const same: FactTable = new Map(policy.facts);
    const reversed: FactTable = new Map([
      ...CATALOG_TABLE,
      [
        'context.channel',
        { origin: 'caller', type: 'enum', values: ['branch', 'app', 'web'], description: '' } as const,
      ],
    ]);
    const shifted: FactTable = new Map([...policy.facts].reverse());
    const lacking: FactTable = new Map(CATALOG_TABLE);
    expect([same, reversed, shifted, lacking].map((table) => isSameTable(table, policy.facts))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    for (const table of [same, reversed, shifted, lacking]) {
      expect(matcher.verdict(encodeFacts(facts, table), DAY)).toEqual(matcher.verdict(facts, DAY));
      expect(matcher.outcome(encodeFacts(facts, table), DAY).outcome).toBe('reject');
    }
  });

  it('are missing if the fact is missing or has a value that its definition does not allow', () => {
    const policy = policyOf(POLICY);
    const matcher = compile(policy);
    const wrong: readonly (readonly [path: string, fact: Fact])[] = [
      ['context.channel', { value: 'post' }],
      ['context.channel', { value: true }],
      ['email.address.firstSeen', { missing: 'invalid' }],
      ['email.address.firstSeen', { value: 7 }],
    ];
    for (const [path, fact] of wrong) {
      const row = encodeFacts(new Map([...facts, [path, fact]]), policy.facts);
      const others = encodeFacts(new Map([...facts].filter(([other]) => other !== path)), policy.facts);
      expect(matcher.outcome(row, DAY)).toEqual(matcher.outcome(others, DAY));
    }
  });

  it('are a copy: later changes to the facts have no effect', () => {
    const policy = policyOf(POLICY);
    const matcher = compile(policy);
    const changed = new Map(facts);
    const row = encodeFacts(changed, policy.facts);
    changed.set('context.channel', { value: 'web' });
    expect(matcher.verdict(row, DAY)).toEqual(matcher.verdict(facts, DAY));
  });
});
