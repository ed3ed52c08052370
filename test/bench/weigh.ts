/** Policies -> the time to read and compile each, and the memory of the compiled form. */

import { compile } from '../../src/decision/matcher/matcher.ts';
import type { Policy } from '../../src/policy/language.ts';
import type { PlainCondition, PlainPolicy } from '../support/runners/plain.ts';
import { dice, pick, shuffle } from './dice.ts';
import { generateTest, ONE_OF_SEVERAL, readGenerated } from './generate.ts';
import { middle } from './measure.ts';
import { bytesInUse } from './memory.ts';
import { BENCH_FACTS } from './population.ts';

/** The cost of a policy before its first decision. */
export interface Compiled {
  readonly name: string;
  readonly readMs: number;
  readonly compileMs: number;
  /** The compiled policy alone: the growth of the heap and of array buffers. */
  readonly bytes: number;
}

const COMPILED = 5;
/** The number of rules in an explosive policy. */
const RULES = 100;

/** A policy and the time of reading it. */
export interface Read {
  readonly policy: Policy;
  readonly readMs: number;
}

/** Reads a policy from YAML. */
export function timeReading(plain: PlainPolicy): Read {
  const began = performance.now();
  const policy = readGenerated(plain);
  return { policy, readMs: performance.now() - began };
}

/** Policies that would explode in disjunctive normal form, by description. */
export function explosivePolicies(seed: number): ReadonlyMap<string, PlainPolicy> {
  return new Map([
    [`${RULES} rules of atLeastOf 10 of 20`, policyOf(countsOf(seed))],
    [`${RULES} rules of not of any of 10 all of 4`, policyOf(nestedOf(seed))],
  ]);
}

/** Compiles a policy several times and measures time and memory. */
export function weigh(name: string, { policy, readMs }: Read): Compiled {
  const times: number[] = [];
  for (let i = 0; i < COMPILED; i++) {
    const from = performance.now();
    compile(policy);
    times.push(performance.now() - from);
  }
  const before = bytesInUse();
  const compiled = Array.from({ length: COMPILED }, () => compile(policy));
  const bytes = (bytesInUse() - before) / compiled.length;
  return { name, readMs, compileMs: middle(times), bytes };
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
