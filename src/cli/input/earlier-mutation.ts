/** A file of `test --incremental` -> the cases and proofs that the run found which wrote it. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Kept } from '../../lab/mutate/seek-killings.ts';
import { parseJson } from '../../platform/json.ts';
import { OUTCOMES } from '../../policy/language.ts';

const NAMES = z.array(z.string()).optional();

const EXPECTATION = z.strictObject({
  outcome: z.enum(OUTCOMES).optional(),
  reasons: NAMES,
  rules: NAMES,
  undetermined: NAMES,
  score: z.union([z.number(), z.tuple([z.number(), z.number()])]).optional(),
  notice: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

const CASE = z.strictObject({
  name: z.string(),
  at: z.iso.date(),
  facts: z.record(z.string(), z.unknown()),
  missing: z.record(z.string(), z.string()).optional(),
  expect: EXPECTATION,
});

const KEPT = z.strictObject({ basis: z.string(), equivalent: z.array(z.string()), cases: z.array(CASE) });

const FILE = z.strictObject({ kept: z.record(z.string(), KEPT) });

/** What a file keeps, by the name of the policy; undefined if there is none, or nothing that can be read. */
export function readKept(file: string): ReadonlyMap<string, Kept> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const parsed = parseJson(text);
  const read = FILE.safeParse(parsed.problem === undefined ? parsed.value : undefined);
  return read.success ? new Map(Object.entries(read.data.kept as Record<string, Kept>)) : undefined;
}
