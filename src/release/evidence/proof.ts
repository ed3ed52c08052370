/**
 * A folder of rules, the one that it replaces, and a day -> what is proved of the change: a text that is the same
 * wherever it is made. It has no time, no path of a machine, and no text about people.
 */

import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { Diagnostic } from '../../diagnostics.ts';
import { isDay } from '../../facts/day.ts';
import { diffPolicies } from '../../lab/diff/diff.ts';
import { describeEdits } from '../../lab/diff/edits/describe-edits.ts';
import type { PolicyEdit } from '../../lab/diff/edits/edit.ts';
import { type SingleEdit, singleEdits } from '../../lab/diff/edits/single-edits.ts';
import { CHANGES, type Change } from '../../lab/diff/parts.ts';
import { DEFAULT_STEPS } from '../../lab/limits.ts';
import { proveProperties } from '../../lab/prove/prove.ts';
import { coverage, gapsOf } from '../../lab/test/coverage/coverage.ts';
import { itemWords } from '../../lab/test/coverage/items.ts';
import { TestReader } from '../../lab/test/read-tests.ts';
import { type CaseInFile, runCases, TestCoverage } from '../../lab/test/run-tests.ts';
import { canonicalJson } from '../../platform/digest.ts';
import { type CheckReport, checkFiles } from '../../policy/check/check-files.ts';
import { LANGUAGE_VERSION, OUTCOMES, type Policy } from '../../policy/language.ts';
import { entriesOf } from '../../policy/sameness.ts';
import { isChangeUndecided } from '../../report/diff.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { policiesIn } from '../policies.ts';
import { testsIn } from '../tests.ts';
import { readCanonical } from './canonical-text.ts';
import { comparable } from './comparable.ts';
import { hiderOf } from './private-texts.ts';

const LINE = z.int().positive();
const COUNT = z.int().nonnegative();
const DAY = z.string().refine(isDay);
/** In a file of the folder, by its path from there. */
const PROBLEM = z.strictObject({ code: z.string(), file: z.string(), line: LINE.optional() });
const CASE = z.strictObject({ file: z.string(), name: z.string(), line: LINE });
const CHANGE = z.strictObject({ from: z.enum(OUTCOMES), to: z.enum(OUTCOMES) });
const GAP = z.strictObject({ file: z.string().optional(), line: LINE.optional(), what: z.string() });

const REGION = CHANGE.extend({
  conditions: z.array(z.string()),
  firstDay: DAY,
  lastDay: DAY.optional(),
  rules: z.array(z.string()),
  /** Whether an applicant was found; else there may be none. */
  isFound: z.boolean(),
});

const POLICY_CHANGE = z.strictObject({
  name: z.string(),
  /** The versions; null for a policy that is new, or is removed. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  edits: z.array(z.string()),
  regions: z.array(REGION),
  /** As `PolicyDiff` has it; `notCompared` without two versions, or if they cannot be compared. */
  elsewhere: z.enum(['same', 'notSought', 'undecided', 'notProved', 'notCompared']),
  /** The changes of outcomes that may happen to applicants outside the regions, or to none. */
  undecided: z.array(CHANGE),
  days: z.array(DAY),
  lastDay: DAY.optional(),
  /** Of several edits: how each alone changes outcomes, what is not decided of it, and how many were left out. */
  alone: z.array(z.strictObject({ edits: z.array(z.string()), can: z.array(CHANGE), undecided: z.array(CHANGE) })),
  aloneLeftOut: COUNT,
  /** What was edited and may change decisions in ways that no comparison of policies sees. */
  beyond: z.array(z.string()),
});

const PROOF = z.strictObject({
  format: z.literal(1),
  engine: z.string(),
  language: z.int(),
  day: DAY,
  steps: LINE,
  /** Against that of the folder that is replaced. */
  mapping: z.enum(['same', 'changed', 'new']),
  check: z.strictObject({
    errors: z.array(PROBLEM),
    warnings: z.array(PROBLEM),
    silenced: z.array(PROBLEM.extend({ isNew: z.boolean() })),
  }),
  tests: z.strictObject({
    passed: COUNT,
    failed: z.array(CASE),
    skipped: z.array(CASE),
    /** Those of the same name with other facts, another day or another expectation. */
    changed: z.array(CASE),
    /** Those of the folder that is replaced, with their lines there. */
    removed: z.array(CASE),
  }),
  /** Of what the change touches; of all where there was nothing before. */
  coverage: z.array(z.strictObject({ policy: z.string(), goals: COUNT, reached: COUNT, unreached: z.array(GAP) })),
  guarantees: z.array(
    z.strictObject({
      policy: z.string(),
      id: z.string(),
      result: z.enum(['proved', 'refuted', 'undecided', 'removed']),
    }),
  ),
  policies: z.array(POLICY_CHANGE),
  /** The lists whose entries differ. */
  lists: z.array(
    z.strictObject({ policy: z.string(), list: z.string(), before: COUNT, after: COUNT, added: COUNT, removed: COUNT }),
  ),
});

/** What is proved of a change of rules. */
export type Proof = z.infer<typeof PROOF>;
export type PolicyChange = z.infer<typeof POLICY_CHANGE>;
type Alone = PolicyChange['alone'][number];

/** Two folders of rules, and on which day and in how many steps they are compared. */
export interface ProofOptions {
  readonly files: string;
  /** What is in force; undefined for a first release. */
  readonly base: string | undefined;
  /** The name of the mapping in the folder. */
  readonly mapping: string;
  /** The same in the base. Default: as in `files`. */
  readonly baseMapping?: string;
  /** The first day of the decisions, yyyy-MM-dd. */
  readonly day: string;
  /** Of the solver, for each policy. 30,000,000 by default. */
  readonly steps?: number;
}

/** More regions are not sought. Measured on 300 rules with four edits: 20 take 12 s, 10 take 5 s. */
const MOST_REGIONS = 12;
/** More edits are not looked at one by one: of 300 rules, each takes 1 s. */
const MOST_EDITS_ALONE = 10;
/** The share of the steps that all edits by themselves have together. Of 300 rules, five times as many find no more. */
const ALONE_SHARE = 0.1;

/**
 * Checks, tests and compares. Rejects with a `DiagnosticsError` if a policy, the mapping or a file of tests has errors,
 * with RELEASE_REFUSED for tests that read what is not in the folder and as `policiesIn`, and with
 * CONFIGURATION_INVALID without a solver.
 */
export async function makeProof(options: ProofOptions): Promise<Proof> {
  const { files, mapping, baseMapping = mapping, day, steps = DEFAULT_STEPS } = options;
  const now = readRules(files, mapping, day);
  const base = options.base === undefined ? undefined : readRules(options.base, baseMapping, day);
  const both = [now, ...(base ? [base] : [])];
  const hide = hiderOf(
    both.flatMap(({ policies }) => [...policies.values()]),
    both.flatMap(({ cases }) => cases.map((each) => each.case)),
  );
  const names = [...new Set([...now.policies.keys(), ...(base?.policies.keys() ?? [])])].sort();
  const pairs = names.map((name) => ({ name, old: base?.policies.get(name), new: now.policies.get(name) }));
  const policies: PolicyChange[] = [];
  const guarantees: Proof['guarantees'] = [];
  for (const pair of pairs) {
    policies.push(await changeOf(pair, { day, steps, hide }));
    guarantees.push(...(await guaranteesOf(pair, { day, steps })));
  }
  const change = base && (base.mapping.equals(now.mapping) ? 'same' : 'changed');
  return {
    ...{ format: 1, engine: ENGINE_VERSION, language: LANGUAGE_VERSION, day, steps, mapping: change ?? 'new' },
    check: checkOf(now, base),
    ...testsOf(now, base, hide),
    ...{ guarantees, policies, lists: pairs.flatMap(listsOf) },
  };
}

/** The one text of a proof: canonical JSON. */
export function proofText(proof: Proof): string {
  return canonicalJson(proof);
}

/** Reads the text of a proof; undefined for any other text. */
export function readProof(text: string): Proof | undefined {
  return readCanonical(PROOF, text);
}

/** The rules of a folder, as they are on a day. */
interface Rules {
  readonly folder: string;
  /** The bytes of the mapping. */
  readonly mapping: Buffer;
  /** By name. */
  readonly policies: ReadonlyMap<string, Policy>;
  readonly check: CheckReport;
  readonly cases: readonly CaseInFile[];
}

function readRules(path: string, mappingName: string, day: string): Rules {
  const folder = resolve(path);
  const policies = new Map(Array.from(policiesIn(folder, mappingName), ([name, { policy }]) => [name, policy]));
  const reader = new TestReader({ allowOnly: false, today: day });
  const cases = testsIn(folder, reader);
  return {
    folder,
    mapping: readFileSync(join(folder, mappingName)),
    policies,
    check: checkFiles([folder], { at: day }),
    cases,
  };
}

function pathIn({ folder }: Rules, file: string): string {
  return relative(folder, resolve(file)).split(sep).join('/');
}

function checkOf(now: Rules, base: Rules | undefined): Proof['check'] {
  const found = ({ code, file, position }: Diagnostic) => {
    return { code, file: pathIn(now, file), ...(position ? { line: position.line } : {}) };
  };
  const keyOf = (rules: Rules, { code, file, line = '' }: Diagnostic) =>
    JSON.stringify([code, pathIn(rules, file), line]);
  const before = new Set(base?.check.silenced.map((each) => keyOf(base, each)));
  const { diagnostics, silenced } = now.check;
  const { error: errors = [], warning: warnings = [] } = Object.groupBy(diagnostics, ({ severity }) => severity);
  return {
    ...{ errors: errors.map(found), warnings: warnings.map(found) },
    silenced: silenced.map((each) => ({ ...found(each), isNew: !before.has(keyOf(now, each)) })),
  };
}

type Hide = (sentence: string) => string;

/** What a case says, but for its name. */
function saidBy({ case: { at, facts, expect, parameters } }: CaseInFile): string {
  return canonicalJson([at, [...facts], expect, parameters]);
}

function testsOf(now: Rules, base: Rules | undefined, hide: Hide): Pick<Proof, 'tests' | 'coverage'> {
  const caseOf = (rules: Rules, { file, case: { name, place } }: CaseInFile) => {
    return { file: pathIn(rules, file), name: hide(name), line: place.position.line };
  };
  const keyOf = (rules: Rules, { file, case: { name } }: CaseInFile) => JSON.stringify([pathIn(rules, file), name]);
  const before = new Map(base?.cases.map((each) => [keyOf(base, each), each]));
  const isOther = (each: CaseInFile) => {
    const old = before.get(keyOf(now, each));
    return old !== undefined && saidBy(old) !== saidBy(each);
  };
  const kept = new Set(now.cases.map((each) => keyOf(now, each)));
  const counter = new TestCoverage(({ policy: { name } }) => base?.policies.get(name));
  const { results, passed, coverage: counted = [] } = runCases(now.cases, { coverage: counter });
  const having = (result: string) => now.cases.filter((_, i) => results[i]?.result === result);
  const covered = counted.map((each) => each.coverage);
  const untested = [...now.policies.values()].filter(({ name }) => !covered.some(({ policy }) => policy.name === name));
  const uncovered = untested.map((policy) => {
    const since = base?.policies.get(policy.name);
    return coverage(policy, [], since ? { since } : {});
  });
  return {
    tests: {
      passed,
      failed: having('failed').map((each) => caseOf(now, each)),
      skipped: having('skipped').map((each) => caseOf(now, each)),
      changed: now.cases.filter(isOther).map((each) => caseOf(now, each)),
      removed: base ? base.cases.filter((each) => !kept.has(keyOf(base, each))).map((each) => caseOf(base, each)) : [],
    },
    coverage: [...covered, ...uncovered].map(({ policy: { name: policy }, goals, reached, items }) => {
      const unreached = items.flatMap((item) => {
        const { kind, name, place } = item;
        const at = place ? { file: pathIn(now, place.file), line: place.position.line } : {};
        return gapsOf(item).map((goal) => ({ ...at, what: hide(`${itemWords({ kind, name })}: ${goal}`) }));
      });
      return { policy, goals, reached, unreached };
    }),
  };
}

/** A policy before and now; one of them may be absent. */
interface Pair {
  readonly name: string;
  readonly old: Policy | undefined;
  readonly new: Policy | undefined;
}

async function guaranteesOf(
  { name: policy, old, new: now }: Pair,
  { day, steps }: { readonly day: string; readonly steps: number },
): Promise<Proof['guarantees']> {
  const isKept = (id: string) => now?.guarantees.some((each) => each.id === id);
  const removed = old?.guarantees.filter(({ id }) => !isKept(id)) ?? [];
  const proofs =
    now && now.guarantees.length > 0 ? proveProperties(now, { at: day, steps, properties: ['guarantee'] }) : [];
  return [
    ...(await proofs).map(({ property: { about: id }, result }) => ({ policy, id, result })),
    ...removed.map(({ id }) => ({ policy, id, result: 'removed' as const })),
  ];
}

function listsOf({ name: policy, old, new: now }: Pair): Proof['lists'] {
  if (!old || !now) return [];
  return [...new Set([...old.lists.keys(), ...now.lists.keys()])].sort().flatMap((list) => {
    const [before, after] = [old, now].map(({ lists }) => {
      const named = lists.get(list);
      return new Set(named && entriesOf(named).keys());
    }) as [Set<string>, Set<string>];
    const [added, removed] = [after.difference(before).size, before.difference(after).size];
    return added + removed > 0 ? [{ policy, list, before: before.size, after: after.size, added, removed }] : [];
  });
}

interface Comparing {
  readonly day: string;
  readonly steps: number;
  readonly hide: Hide;
}

async function changeOf({ name, old, new: now }: Pair, comparing: Comparing): Promise<PolicyChange> {
  const known = { name, from: old?.version ?? null, to: now?.version ?? null };
  const nothing = { regions: [], undecided: [], days: [], alone: [], aloneLeftOut: 0, beyond: [], edits: [] };
  if (!old || !now) return { ...known, ...nothing, elsewhere: 'notCompared' };
  const { day: at, steps, hide } = comparing;
  const diff = await comparable(() => diffPolicies(old, now, { at, steps, mostRegions: MOST_REGIONS }));
  const edits = diff?.edits ?? describeEdits(old, now);
  const said = { edits: edits.map(({ text }) => hide(text)), beyond: [...new Set(edits.flatMap(beyondComparison))] };
  if (!diff) return { ...known, ...nothing, ...said, elsewhere: 'notCompared' };
  const { days, lastDay, elsewhere } = diff;
  const single = singleEdits(old, now);
  const looked = single.length > 1 ? single.slice(0, MOST_EDITS_ALONE) : [];
  const alone: Alone[] = [];
  const own = { ...comparing, steps: Math.ceil((steps * ALONE_SHARE) / looked.length) };
  for (const edit of looked) alone.push(await aloneOf(old, edit, own));
  return {
    ...{ ...known, ...said, days: [...days], ...(lastDay === undefined ? {} : { lastDay }), elsewhere },
    undecided: CHANGES.filter((change) => isChangeUndecided(diff, change)),
    regions: diff.regions.map(({ from, to, conditions, firstDay, lastDay, rules, example }) => ({
      ...{ from, to, conditions: conditions.map(hide), firstDay, ...(lastDay === undefined ? {} : { lastDay }) },
      ...{ rules: [...rules], isFound: example !== undefined },
    })),
    ...{ alone, aloneLeftOut: single.length > 1 ? single.length - looked.length : 0 },
  };
}

/** How one edit by itself changes outcomes: after a first region, only changes that it does not have are sought. */
async function aloneOf(old: Policy, edit: SingleEdit, { day: at, steps, hide }: Comparing): Promise<Alone> {
  const edited = edit.alone();
  const diff = edited && (await comparable(() => diffPolicies(old, edited, { at, steps, mostRegions: 1 })));
  const isFound = (change: Change) =>
    diff?.regions.some(({ example, from, to }) => example && from === change.from && to === change.to);
  const isOpen = (change: Change) => !diff || isChangeUndecided(diff, change);
  return { edits: edit.texts.map(hide), can: CHANGES.filter(isFound), undecided: CHANGES.filter(isOpen) };
}

/** The name of what was edited, if that may change what is asked and counted, or which day it is. */
function beyondComparison({ kind, path: [part = '', name = ''] }: PolicyEdit): readonly string[] {
  if (part === 'stages' || part === 'timeZone') return [part];
  return (part === 'velocity' || part === 'facts') && kind === 'changed' ? [`${part} ${name}`] : [];
}
