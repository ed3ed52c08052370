/** A policy can ask about the facts that its mapping declares. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDecider } from '../../../src/decision/decide.ts';
import { DiagnosticsError } from '../../../src/diagnostics.ts';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import { readPolicy } from '../../../src/policy/load.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { watchPolicy } from '../../../src/policy/watch/watch.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const MAPPING = `signals: { identity.document: { at: doc, values: { P: passport } } }
facts: { identity.document: { type: enum, values: [passport, idCard] } }
`;
const RULES = 'rules:\n  - { id: doc, when: { identity.document: passport }, then: reject }\n';

function files(policy: string, mapping = MAPPING) {
  const folder = temporaryFolder({ 'policy.yaml': HEAD + policy, 'mapping.yaml': mapping });
  return { policy: join(folder, 'policy.yaml'), mapping: join(folder, 'mapping.yaml') };
}

/** The codes of what is wrong with a policy that is read with the mapping. */
function problems(policy: string, mapping = MAPPING) {
  const paths = files(policy, mapping);
  return readPolicy(paths.policy, { mapping: loadMapping(paths.mapping) }).diagnostics;
}

test('a policy that is read without the mapping does not know them', () => {
  const { diagnostics } = readPolicy(files(RULES).policy);
  expect(diagnostics.map(({ code }) => code)).toEqual(['unknown-fact']);
  expect(() => loadPolicy(files(RULES).policy)).toThrow(DiagnosticsError);
});

test('with the mapping they are facts like any other, down to their values', () => {
  expect(problems(RULES)).toEqual([]);
  const misspelt = problems('rules:\n  - { id: doc, when: { identity.document: pasport }, then: reject }\n');
  expect(misspelt).toMatchObject([{ code: 'wrong-value', hint: 'did you mean "passport"?' }]);
});

test('and an answer decides by them', async () => {
  const paths = files(RULES);
  const mapping = loadMapping(paths.mapping);
  const decider = createDecider({
    policy: loadPolicy(paths.policy, { mapping }),
    mapping,
    verify: { verify: async () => ({ body: { doc: 'p' } }) },
    services: ['Global KYC'],
  });
  const decision = await decider.decide({ phoneNo: '447700900461' });
  expect(decision.outcome).toBe('reject');
  expect(decision.mapping).toBe(mapping.digest);
});

const declare = (fact: string) => `facts: { identity.document: ${fact} }\n${RULES}`;

test('a policy may declare them too, if it says the same', () => {
  expect(problems(declare('{ type: enum, values: [idCard, passport], description: What it showed. }'))).toEqual([]);
});

test.each([
  ['another type', '{ type: string }'],
  ['other values', '{ type: enum, values: [passport] }'],
])('not with %s', (_, fact) => {
  const [problem, ...others] = problems(declare(fact));
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ code: 'duplicate-name', severity: 'error', position: { line: 4, column: 10 } });
  expect(problem?.message).toContain('type enum; values passport, idCard');
});

test('a date that lies in the past is not one that need not', () => {
  const mapping = 'signals: { identity.born: a }\nfacts: { identity.born: { type: date, past: true } }\n';
  const rules = 'rules:\n  - { id: r, when: { identity.born: { olderThan: 30 days } }, then: review }\n';
  const codes = (fact: string) =>
    problems(`facts: { identity.born: ${fact} }\n${rules}`, mapping).map(({ code }) => code);
  expect(codes('{ type: date, past: true }')).toEqual([]);
  expect(codes('{ type: date, past: true, personal: true }')).toEqual(['duplicate-name']);
  expect(codes('{ type: date }')).toEqual(['duplicate-name']);
});

test('a policy and a mapping that are watched are read together', () => {
  const paths = files(RULES);
  const watcher = watchPolicy(paths.policy, { mapping: paths.mapping, onError: () => {}, pollMs: 3_600_000 });
  watcher.close();
  expect(watcher.policy.facts.get('identity.document')).toMatchObject({ type: 'enum' });
});
