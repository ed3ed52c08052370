/** Mutated answers and decisions on them -> how many of each kind, and how many kept the promises of reading. */

import { join } from 'node:path';
import { runLive } from '../../../src/decision/live/live.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { normalise, type ServiceAnswer } from '../../../src/facts/mapping/normalise.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { parseJson } from '../../../src/platform/json.ts';
import type { Outcome } from '../../../src/policy/language.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { ASKED, anAnswer, SHAPES, type Shape, TODAY } from './answers.ts';
import { at, change, GONE, type Mutant, mutate, type Path, pathsIn, pick, type Random, randomOf } from './mutate.ts';
import { isSound } from './sound.ts';

/** What was tried, and the results. */
export interface Tally {
  /** The number of answers mutated and read, by the name of the mutation. */
  readonly injected: Readonly<Record<string, number>>;
  /** How many of these were read without an exception, with each fact valid or missing with a cause. */
  readonly read: Row;
  /**
   * Up to three fields taken away, or one nulled or mistyped, in answers that were not accepted; held: nor were
   * they then.
   */
  readonly taken: Row;
  /** The broken promises, with enough detail to reproduce them. */
  readonly findings: readonly string[];
  /** The longest time to read one answer. */
  readonly slowestMs: number;
}

export interface Row {
  readonly cases: number;
  readonly held: number;
}

const policy = loadPolicy(join(import.meta.dirname, '../../../rules/onboarding.yaml'));

/** How often a random answer is reused, because a decision takes longer than a mutation. */
const USES = 20;

const MAX_FINDINGS = 20;

/**
 * Case after case, each by its number alone: `from` and `cases` may be split among processes as one likes. At every
 * so many cases something is taken from an answer too, and the rest is decided on, which takes longer than reading.
 */
export async function tryMutations(seed: number, from: number, cases: number, decideEvery: number): Promise<Tally> {
  const injected: Record<string, number> = {};
  const [read, taken] = [
    { cases: 0, held: 0 },
    { cases: 0, held: 0 },
  ];
  const findings: string[] = [];
  let slowestMs = 0;
  let base: Base | undefined;
  for (let number = from; number < from + cases; number++) {
    const lot = Math.floor(number / USES);
    if (base?.lot !== lot) base = await baseOf(seed, lot);
    const random = randomOf(seed ^ Math.imul(number + 1, 0x9e3779b1));
    const { name, ...mutant } = mutate(base.answer, base.paths, random);
    injected[name] = (injected[name] ?? 0) + 1;
    read.cases++;
    const started = performance.now();
    const problem = problemOf(mutant, base.shape);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    if (problem === undefined) read.held++;
    else findings.push(`case ${number}: ${base.shape.name}, ${name}: ${problem}`);
    if (number % decideEvery !== 0 || base.outcome === 'accept') continue;
    taken.cases++;
    const { how, paths, outcome } = await takeAway(base, random);
    const places = paths.map((path) => path.join('.')).join(', ');
    if (outcome !== 'accept') taken.held++;
    else findings.push(`case ${number}: ${base.shape.name}, ${how} ${places}: accepted`);
    findings.length = Math.min(findings.length, MAX_FINDINGS);
  }
  return { injected, read, taken, findings, slowestMs };
}

/** Adds up the tallies of parts. */
export function addUp(tallies: readonly Tally[]): Tally {
  const injected: Record<string, number> = {};
  for (const [name, count] of tallies.flatMap((tally) => Object.entries(tally.injected))) {
    injected[name] = (injected[name] ?? 0) + count;
  }
  const sum = (rows: readonly Row[]): Row => ({
    cases: rows.reduce((total, row) => total + row.cases, 0),
    held: rows.reduce((total, row) => total + row.held, 0),
  });
  return {
    injected,
    read: sum(tallies.map(({ read }) => read)),
    taken: sum(tallies.map(({ taken }) => taken)),
    findings: tallies.flatMap(({ findings }) => findings).slice(0, MAX_FINDINGS),
    slowestMs: Math.max(...tallies.map((tally) => tally.slowestMs)),
  };
}

/** An original answer and the decision on it. */
interface Base {
  readonly lot: number;
  readonly shape: Shape;
  readonly answer: unknown;
  readonly paths: readonly Path[];
  /** The values whose loss may only make the decision stricter. */
  readonly taking: readonly Path[];
  readonly outcome: Outcome;
}

/** Prefers answers that are not accepted: only they can become accepted. */
async function baseOf(seed: number, lot: number): Promise<Base> {
  const random = randomOf(seed ^ Math.imul(lot + 1, 0x85ebca6b));
  const shape = pick(SHAPES, random);
  for (let tries = 1; ; tries++) {
    const answer = anAnswer(shape, random);
    const outcome = await decide(factsOf({ body: answer }, shape));
    if (outcome === 'accept' && tries < MAX_TRIES) continue;
    const paths = pathsIn(answer);
    return { lot, shape, answer, paths, taking: paths.filter((path) => !isCounted(answer, path)), outcome };
  }
}

const MAX_TRIES = 5;

/** What is in a history is counted: one move less is another history, not a missing one. The history itself is not. */
function isCounted(answer: unknown, path: Path): boolean {
  return path.some((key, i) => {
    const holder = at(answer, path.slice(0, i + 1)) as { readonly name?: unknown } | null;
    return (HISTORY.test(String(key)) && i < path.length - 1) || HISTORY.test(String(holder?.name));
  });
}

const HISTORY = /^porting ?history$/i;

/**
 * Values that no fact takes for its own. A text is any text to a fact of type string, and an operator of that name;
 * a list in place of a history is another history.
 */
const MISTYPED = [true, false, { not: 'this' }, {}] as const;

async function takeAway({ answer, taking, shape }: Base, random: Random) {
  const how = pick(['deleted', 'nulled', 'mistyped'] as const, random);
  const value = { deleted: GONE, nulled: null, mistyped: pick(MISTYPED, random) }[how];
  const paths = [pick(taking, random)];
  // Additional values are not entries of lists, because later entries would move up.
  for (let more = how === 'deleted' ? Math.floor(random() * 3) : 0; more > 0; more--) {
    const path = pick(taking, random);
    if ([...paths, path].every((each) => typeof each.at(-1) === 'string')) paths.push(path);
  }
  const body = paths.reduce((changed, path) => change(changed, path, value), answer);
  return { how, paths, outcome: await decide(factsOf({ body }, shape)) };
}

function factsOf(answer: ServiceAnswer, { mapping, beside }: Shape): Facts {
  const given = normalise(answer, mapping, ASKED, policy.facts, TODAY);
  return readFacts(new Map([...given, ...beside]), policy.facts, TODAY);
}

async function decide(facts: Facts): Promise<Outcome> {
  const { verdict } = await runLive(policy, (path) => facts.get(path) ?? { missing: 'notGiven' }, TODAY);
  return verdict.outcome;
}

/** Undefined if the answer is read as promised. */
function problemOf(mutant: Mutant, shape: Shape): string | undefined {
  try {
    const answer = answerOf(mutant);
    const given = normalise(answer, shape.mapping, ASKED, policy.facts, TODAY);
    const facts = readFacts(new Map([...given, ...shape.beside]), policy.facts, TODAY);
    for (const [path, definition] of policy.facts) {
      const [before, after] = [given.get(path), facts.get(path)];
      if (definition.origin === 'service' && !(before && isSound(before, definition, undefined)))
        return `${path} as given`;
      if (!(after && isSound(after, definition, TODAY))) return `${path} as read`;
    }
    return undefined;
  } catch (error) {
    return `threw ${error}`;
  }
}

/** Parses like the client: a text that is not JSON is not an answer. */
function answerOf(mutant: Mutant): ServiceAnswer {
  if ('body' in mutant) return mutant;
  const parsed = parseJson(Buffer.from(mutant.text));
  return parsed.problem === undefined ? { body: parsed.value } : 'failed';
}
