/** The sample answers of shape 1, and what was requested for them. */

import { readFileSync } from 'node:fs';
import type { Fact, GivenFact } from '../../../src/facts/fact.ts';
import { loadMapping, type Mapping } from '../../../src/facts/mapping/mapping.ts';
import { type Asked, normalise } from '../../../src/facts/mapping/normalise.ts';
import { readFacts } from '../../../src/facts/read.ts';
import type { IdentityVariable } from '../../../src/signals/variables.ts';

/** The day of the request. */
export const TODAY = '2025-11-20';

export const ALL_VARIABLES: readonly IdentityVariable[] = ['phoneNo', 'email', 'ip'];

export const ASKED: Asked = { variables: ALL_VARIABLES, composite: false, clientReference: 'ONB-7731-KESTREL' };

export const SHIPPED = loadMapping();

export function readSample(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/wire/${name}.json`, import.meta.url), 'utf8'));
}

/** The facts given by an answer, before they are read. */
export function give(body: unknown, mapping: Mapping = SHIPPED, asked: Asked = ASKED): Map<string, GivenFact> {
  return normalise({ body }, mapping, asked, mapping.facts, TODAY);
}

/** The facts of an answer. */
export function factsOf(body: unknown, mapping: Mapping = SHIPPED, asked: Asked = ASKED): Map<string, Fact> {
  return readFacts(give(body, mapping, asked), mapping.facts, TODAY);
}
