/** Policies of a size -> the time of their comparisons, of proofs and of mutants, and what was found. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import { firedReasons } from '../../src/decision/meaning/verdict.ts';
import { dayNumber, dayOfNumber } from '../../src/facts/day.ts';
import { loadMapping } from '../../src/facts/mapping/mapping.ts';
import { diffPolicies, findDifference } from '../../src/lab/diff/diff.ts';
import { mutateCases } from '../../src/lab/mutate/mutate.ts';
import { createDeepCheck } from '../../src/lab/prove/check/deep-check.ts';
import { proveProperties } from '../../src/lab/prove/prove.ts';
import { Z3Instance } from '../../src/lab/solver/z3.ts';
import { type CaseInFile, runCases } from '../../src/lab/test/run-tests.ts';
import { checkFilesDeeply } from '../../src/policy/check/check-files.ts';
import type { Policy } from '../../src/policy/language.ts';
import type { PlainPolicy, PlainRule } from '../support/runners/plain.ts';
import { DAY, generateApplicants, generatePolicy, readGenerated, writeGenerated } from './generate.ts';

/** What was asked, the time in milliseconds, how much of it z3 took, and what was found. */
export interface Comparison {
  readonly what: string;
  readonly ms: number;
  /** Undefined for another process. */
  readonly z3Ms?: number;
  readonly found: string;
}

/** The time of all calls of z3 so far: reading formulas, and answering. */
let z3Ms = 0;
const { use } = Z3Instance.prototype;
Z3Instance.prototype.use = async function <Value>(this: Z3Instance, call: () => Value | Promise<Value>) {
  const begun = performance.now();
  try {
    return (await use.call(this, call)) as Value;
  } finally {
    z3Ms += performance.now() - begun;
  }
};

const PROPERTIES = [
  'guarantee',
  'missing-never-helps',
  'outage:phone',
  'monotone:phone.riskLevel',
  'reachable:reject',
  'every-rule-matters',
] as const;

const PROGRAM = join(import.meta.dirname, '../../dist/cli/main.js');

const LIMITS = new Set(['above', 'atLeast', 'below', 'atMost']);

/** Compares a generated policy with itself and with others, proves properties of it, and mutates it. */
export async function* comparePolicies(rules: number, seed: number): AsyncGenerator<Comparison> {
  const plain = generatePolicy(rules, seed);
  const [policy, same] = [readGenerated(plain), readGenerated(plain)];
  const [edited, other] = [readGenerated(withEditedLimit(plain)), readGenerated(generatePolicy(rules, seed + 1))];
  const measured = async (what: string, compare: () => Promise<string>): Promise<Comparison> => {
    const [begun, z3Before] = [performance.now(), z3Ms];
    const found = await compare();
    return { what, ms: performance.now() - begun, z3Ms: z3Ms - z3Before, found };
  };
  const diff =
    (now: Policy, old = policy) =>
    async () => {
      const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY });
      const shown = regions.filter(({ example }) => example).length;
      return `${regions.length} regions, ${shown} with an example, elsewhere ${elsewhere}`;
    };
  yield await measured('one edited threshold, first run', diff(edited));
  yield await measured('one edited threshold, warm', diff(edited));
  const [computing, editedToo] = [plain, withEditedLimit(plain)].map((each) => readGenerated(withComputedFacts(each)));
  yield await measured('one edited threshold, computed facts', diff(editedToo as Policy, computing as Policy));
  const [onDays, editedOnDays] = [plain, withEditedLimit(plain)].map((each) => readGenerated(withLaterDays(each)));
  yield await measured('one edited threshold, 20 later days', diff(editedOnDays as Policy, onDays as Policy));
  yield await measured('equal policies', diff(same));
  yield await measured('unrelated policies', diff(other));
  yield await measured('one difference', async () => (await findDifference(policy, edited, { at: DAY })).kind);
  const prove = (proved: Policy, property: (typeof PROPERTIES)[number]) => async () => {
    const proofs = await proveProperties(proved, { at: DAY, properties: [property] });
    return proofs.map(({ result }) => result).join(', ');
  };
  const guaranteed = readGenerated(withGuarantee(plain));
  for (const property of PROPERTIES) yield await measured(`prove ${property}`, prove(guaranteed, property));
  const guaranteedOnDays = readGenerated(withLaterDays(withGuarantee(plain)));
  yield await measured('prove guarantee, 20 later days', prove(guaranteedOnDays, 'guarantee'));
  yield await measured('prove missing-never-helps, 20 later days', prove(guaranteedOnDays, 'missing-never-helps'));
  const ignoring = readGenerated(withIgnored(plain));
  yield await measured(
    'prove missing-never-helps, every tenth rule ignores what is unknown',
    prove(ignoring, 'missing-never-helps'),
  );
  yield await measured('check --deep', async () => {
    const { diagnostics } = await inFolders([plain], (paths) =>
      checkFilesDeeply(paths, { at: DAY }, createDeepCheck()),
    );
    return `${diagnostics.length} warnings`;
  });
  yield await measured('mutants, as many cases as rules', () => mutateWithCases(policy, rules, seed));
}

/** The time of `verdict diff` of one edited threshold, from the start of the built program to its end. */
export async function startDiff(rules: number, seed: number): Promise<Comparison> {
  const plain = generatePolicy(rules, seed);
  return inFolders([plain, withEditedLimit(plain)], async (paths) => {
    const begun = performance.now();
    const { status } = spawnSync(process.execPath, [PROGRAM, 'diff', ...paths, '--at', DAY]);
    const found = existsSync(PROGRAM) ? `exit code ${status}` : 'not built';
    return { what: 'one edited threshold, a new process', ms: performance.now() - begun, found };
  });
}

/** Writes policies, each into a folder that is there as long as their paths are used. */
async function inFolders<Result>(
  plain: readonly PlainPolicy[],
  use: (paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const folders = plain.map(() => mkdtempSync(join(tmpdir(), 'verdict-bench-')));
  try {
    return await use(plain.map((each, i) => writeGenerated(each, folders[i] as string)));
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

/** A copy in which each tenth rule has a test of a computed fact too. */
function withComputedFacts(plain: PlainPolicy): PlainPolicy {
  const rules = structuredClone(plain.rules ?? []) as PlainRule[];
  const facts = {
    'context.scoreGap': { type: 'number', compute: { difference: ['phone.score', 'email.address.score'] } },
  } as const;
  const withTest = ({ when, ...rule }: PlainRule, i: number): PlainRule => ({
    ...rule,
    when: { all: [when, { 'context.scoreGap': { above: i % 50 } }] },
  });
  return { ...plain, facts, rules: rules.map((rule, i) => (i % 10 === 0 ? withTest(rule, i) : rule)) };
}

/** Mutates a policy with cases that expect the outcome and the rules of generated applicants. */
async function mutateWithCases(policy: Policy, count: number, seed: number): Promise<string> {
  const matcher = matcherOf(policy);
  const tested = { path: 'policy.yaml', mapping: loadMapping(), policy };
  const cases = generateApplicants(count, 0.05, seed).map((facts, i): CaseInFile => {
    const verdict = matcher.verdict(facts, DAY);
    const expect = { outcome: verdict.outcome, rules: firedReasons(verdict).map(({ rule }) => rule) };
    const name = `case ${i + 1}`;
    const place = { file: 'a.test.yaml', position: { line: i + 1, column: 1, length: 1 }, line: '' };
    const fixed = { parameters: {}, at: DAY, skip: undefined, only: false };
    return { file: place.file, case: { name, place, policy, tested, facts, expect, ...fixed } };
  });
  const [found] = await mutateCases(cases, runCases(cases, {}).results, {});
  const byStatus = Map.groupBy(found?.results ?? [], ({ status }) => status);
  return [...byStatus].map(([status, own]) => `${own.length} ${status}`).join(', ');
}

/** A copy that guarantees what its first rule with an outcome asks for. */
function withGuarantee(plain: PlainPolicy): PlainPolicy {
  const asking = plain.rules?.find(({ then }) => then !== undefined);
  return { ...plain, guarantees: asking ? [{ id: 'asked', never: 'accept', when: asking.when }] : [] } as PlainPolicy;
}

/** A copy of which twenty rules begin, or have their last day, on later days. */
function withLaterDays(plain: PlainPolicy): PlainPolicy {
  const rules = plain.rules ?? [];
  const step = Math.max(1, Math.floor(rules.length / 20));
  const dayOf = (i: number) => dayOfNumber(dayNumber(DAY) + 3 + 11 * i);
  return {
    ...plain,
    rules: rules.map((rule, i) => {
      const at = i / step;
      if (!Number.isInteger(at) || at >= 20) return rule;
      return at % 2 === 0 ? { ...rule, from: dayOf(at) } : { ...rule, until: dayOf(at) };
    }),
  };
}

/** A copy of which every tenth rule counts for nothing where its condition is unknown. */
function withIgnored(plain: PlainPolicy): PlainPolicy {
  return {
    ...plain,
    rules: plain.rules?.map((rule, i) => (i % 10 === 0 ? { ...rule, whenUnknown: 'ignore' } : rule)) ?? [],
  };
}

/** A copy with the first number that a test of the middle rules is limited by moved by 3. */
function withEditedLimit(plain: PlainPolicy): PlainPolicy {
  const rules = structuredClone(plain.rules ?? []) as PlainRule[];
  const move = (data: unknown): boolean => {
    if (typeof data !== 'object' || data === null) return false;
    const map = data as Record<string, unknown>;
    for (const [key, value] of Object.entries(map)) {
      if (LIMITS.has(key) && typeof value === 'number') {
        map[key] = value + 3;
        return true;
      }
      if (move(value)) return true;
    }
    return false;
  };
  const middle = Math.floor(rules.length / 2);
  [...rules.slice(middle), ...rules.slice(0, middle)].some(({ when }) => move(when));
  return { ...plain, rules };
}
