/** Guarantees are proved in a process that ends, and once for all services that share a state. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import { createProver } from '../../../src/lab/prove/kept-proofs.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';

const AT = '2026-11-20';

const textOf = (outcome: string) => `policy: p
version: "1"
default: accept
rules:
  - { id: risky, when: { phone.riskLevel: { atLeast: high } }, then: ${outcome} }
guarantees:
  - { id: risky-is-not-accepted, when: { phone.riskLevel: { atLeast: high } }, never: accept }
`;
const policyOf = (outcome: string) => loadPolicyText(textOf(outcome), { mapping: loadMapping() });

/** A table of proofs, and what was asked of it. */
function proofsOf(secret: string, rows = new Set<string>()) {
  const asked: string[] = [];
  const run = async (name: string, [id]: readonly (string | number)[]) => {
    asked.push(name);
    if (name === 'keepProof') rows.add(String(id));
    return name === 'findProof' && rows.has(String(id)) ? [{ id }] : [];
  };
  const hash = (text: string) =>
    createHash('sha256')
      .update(secret + text)
      .digest('base64');
  return { prove: createProver({ run, hash }), asked, rows };
}

test('a proof is kept, and the next service does not make it again', async () => {
  const first = proofsOf('a');
  expect(await first.prove(policyOf('review'), { at: AT })).toEqual([]);
  expect(first.asked).toEqual(['findProof', 'keepProof', 'forgetProofs']);
  const next = proofsOf('a', first.rows);
  expect(await next.prove(policyOf('review'), { at: AT })).toEqual([]);
  expect(next.asked).toEqual(['findProof']);
  expect(first.rows.size).toBe(1);
});

test('of another policy, another day or another key of the state it is made again', async () => {
  const { prove, rows } = proofsOf('a');
  await prove(policyOf('review'), { at: AT });
  await prove(policyOf('reject'), { at: AT });
  await prove(policyOf('review'), { at: '2026-11-21' });
  await proofsOf('b', rows).prove(policyOf('review'), { at: AT });
  expect(rows.size).toBe(4);
});

test('a broken guarantee is told with its line, and never kept', async () => {
  const { prove, rows } = proofsOf('a');
  const found = { code: 'guarantee-broken', severity: 'error', position: { line: 7 } };
  for (const _ of [1, 2]) expect(await prove(policyOf('accept'), { at: AT })).toMatchObject([found]);
  expect(rows.size).toBe(0);
});

test('without its state a service proves all the same', async () => {
  const run = () => Promise.reject(new Error('away'));
  expect(await createProver({ run, hash: (text) => text })(policyOf('review'), { at: AT })).toEqual([]);
});
