/** Policies -> the time to read and compile each, and the memory of the compiled form. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from '../../src/decision/matcher/matcher.ts';
import type { Policy } from '../../src/policy/language.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import type { PlainCondition, PlainPolicy } from '../support/runners/plain.ts';
import { dice, pick, shuffle } from './dice.ts';
import { generateTest, ONE_OF_SEVERAL, writeGenerated } from './generate.ts';
import { middle } from './measure.ts';
import { bytesInUse } from './memory.ts';
import { BENCH_FACTS } from './population.ts';

/** The cost of a policy before its first decision. */
export interface Compiled {
  readonly name: string;
  /** The time of the first reading in a process of its own, and of later ones in this process. */
  readonly firstMs: number;
  readonly againMs: number;
  readonly compileMs: number;
  /** The compiled policy alone: the growth of the heap and of array buffers. */
  readonly bytes: number;
}

const COMPILED = 5;
const READ_AGAIN = 3;
const READ_ONCE = new URL('./read-once.ts', import.meta.url).pathname;
/** The number of rules in an explosive policy. */
const RULES = 100;

/** A policy and the time of reading it. */
export interface Read extends Pick<Compiled, 'firstMs' | 'againMs'> {
  readonly policy: Policy;
}

/** Reads a policy from the files that it is written into before. */
export function timeReading(plain: PlainPolicy): Read {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-bench-'));
  const file = writeGenerated(plain, folder);
  const timed = () => {
    const began = performance.now();
    const policy = loadPolicy(file);
    return { policy, ms: performance.now() - began };
  };
  const firstMs = Number(execFileSync(process.execPath, [READ_ONCE, file]));
  const { policy } = timed();
  const againMs = middle(Array.from({ length: READ_AGAIN }, () => timed().ms));
  rmSync(folder, { recursive: true });
  return { policy, firstMs, againMs };
}

/** Policies that would explode in disjunctive normal form, by description. */
export function explosivePolicies(seed: number): ReadonlyMap<string, PlainPolicy> {
  return new Map([
    [`${RULES} rules of atLeastOf 10 of 20`, policyOf(countsOf(seed))],
    [`${RULES} rules of not of any of 10 all of 4`, policyOf(nestedOf(seed))],
  ]);
}

/** Compiles a policy several times and measures time and memory. */
export function weigh(name: string, { policy, firstMs, againMs }: Read): Compiled {
  const times: number[] = [];
  for (let i = 0; i < COMPILED; i++) {
    const from = performance.now();
    compile(policy);
    times.push(performance.now() - from);
  }
  const before = bytesInUse();
  const compiled = Array.from({ length: COMPILED }, () => compile(policy));
  const bytes = (bytesInUse() - before) / compiled.length;
  return { name, firstMs, againMs, compileMs: middle(times), bytes };
}

function policyOf(conditions: readonly PlainCondition[]): PlainPolicy {
  const rules = conditions.map((when, i) => ({ id: `rule-${i + 1}`, when, points: 1 }));
  return { default: 'accept', rules };
}

function countsOf(seed: number): PlainCondition[] {
  const die = dice(seed);
  return Array.from({ length: RULES }, () => {
    const of = shuffle(BENCH_FACTS, die).slice(0, 20);
    return { atLeastOf: { count: 10, of: of.map((fact) => generateTest(fact, ONE_OF_SEVERAL, die)) } };
  });
}

function nestedOf(seed: number): PlainCondition[] {
  const die = dice(seed);
  const all = () => ({
    all: Array.from({ length: 4 }, () => generateTest(pick(BENCH_FACTS, die), ONE_OF_SEVERAL, die)),
  });
  return Array.from({ length: RULES }, () => ({ not: { any: Array.from({ length: 10 }, all) } }));
}
