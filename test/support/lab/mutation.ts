/** A policy and cases as YAML -> what the cases say of its mutants. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testLines } from '../../../src/lab/cases/test-yaml.ts';
import type { KillingCase } from '../../../src/lab/mutate/killing-case.ts';
import { type MutantResult, type MutationOptions, mutate } from '../../../src/lab/mutate/mutate.ts';
import { HEAD, temporaryFolder } from '../policy/policy.ts';

/** Facts of every type, for policies of tests. */
const FACTS = `facts:
  context.amount: { type: integer, description: amount }
  context.share: { type: number, description: share }
  context.channel: { type: enum, values: [web, app, shop], description: channel }
  context.old: { type: boolean, description: old }
  context.since: { type: date, description: since }
  context.born: { type: date, past: true, description: born }
  context.code: { type: string, description: code }
`;

/** Passes for every policy without notices. */
const ANY_CASE = '- { name: nobody is told anything, expect: { notice: none } }\n';

/** Runs cases against the mutants of a policy with `FACTS`, whose text after the head is given. */
export async function mutated(policy: string, cases = ANY_CASE, options: MutationOptions = { thorough: true }) {
  const folder = temporaryFolder({ 'p.yaml': HEAD + FACTS + policy });
  writeFileSync(join(folder, 'a.test.yaml'), `policy: p.yaml\nat: 2026-11-20\ntests:\n${cases}`);
  const [found] = await mutate([folder], options);
  if (!found) throw new Error('no policy was mutated');
  return found;
}

/** `is at least 5 -> is at least 6`, without the facts of `FACTS`. */
export function mutantWords({ before, after }: Pick<MutantResult, 'before' | 'after'>): string {
  return `${before} -> ${after}`.replace(/context\.\w+ /g, '');
}

/** The cases that kill mutants which live, each once. */
export function killingCases(results: readonly MutantResult[]): readonly KillingCase[] {
  return [...new Set(results.flatMap(({ killing }) => (typeof killing === 'object' ? [killing] : [])))];
}

/** Cases as items of a file of tests. */
export function asTests(cases: readonly KillingCase[]): string {
  return ANY_CASE + cases.map((each) => `${testLines(each).join('\n')}\n`).join('');
}
