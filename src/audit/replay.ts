/** A log and its keys -> every decision made again: whether it comes out as it is on record, and what another policy would have decided. */

import { compile, type Matcher } from '../decision/matcher/matcher.ts';
import type { Verdict } from '../decision/verdict.ts';
import { VerdictError } from '../errors.ts';
import { type Facts, type GivenFact, isMissing, shownValue } from '../facts/fact.ts';
import { readFacts } from '../facts/read.ts';
import { factsOf, OUTCOMES, type Outcome, type Policy } from '../policy/language.ts';
import { Archive } from './archive.ts';
import { onDisk } from './disk.ts';
import { checkKeys } from './keys.ts';
import type { DecisionFields, Line } from './line.ts';
import { keysFolder, type LogPlace, readLog } from './log.ts';
import { BodyReader, readLines } from './read.ts';
import { type DecisionBody, dayOf, readBody } from './record.ts';

/** What is decided again. */
export interface ReplayOptions extends LogPlace {
  /** Which decisions. Default: all. */
  readonly isWanted?: (line: Line & DecisionFields) => boolean;
  /** Another policy, whose outcomes are compared with those on record. */
  readonly policy?: Policy;
  /** Told now and then how many decisions were read. */
  readonly onProgress?: (read: number) => void;
}

/** A decision that did not come out as it is on record, or could not be made again. */
export interface ReplayProblem {
  readonly id: string;
  readonly chain: string;
  readonly segment: number;
  /** From 1, in its file. */
  readonly line: number;
  /** `differs`: another verdict. Otherwise why it could not be made again. */
  readonly why: 'differs' | 'not-opened' | 'key-missing' | 'policy-missing';
  /** The parts of the verdict that differ. */
  readonly parts: readonly (keyof Verdict)[];
}

/** Decisions that would come out otherwise. */
export interface OutcomeChange {
  readonly from: Outcome;
  readonly to: Outcome;
  readonly count: number;
  /** The ids of the first few. */
  readonly examples: readonly string[];
}

/** What a replay comes to. */
export interface Replay {
  /** Decisions that were made again. */
  readonly compared: number;
  /** Of those, which came out as on record, to the last byte of canonical JSON. */
  readonly same: number;
  /** The policies that decided, in the order in which they are met. */
  readonly policies: readonly DecisionFields['policy'][];
  /** Decisions whose facts were erased. */
  readonly erased: number;
  /** How many did not come out so, or could not be made again, and the first of them. */
  readonly problemCount: number;
  readonly problems: readonly ReplayProblem[];
  /** With another policy. */
  readonly other?: {
    /** From mild to strict; outcomes that stay as they are among them. */
    readonly changes: readonly OutcomeChange[];
    /** Facts that the policy reads and that records lack: how many records each. */
    readonly lacking: Readonly<Record<string, number>>;
  };
}

const EXAMPLES = 5;
const SHOWN_PROBLEMS = 100;
const PROGRESS_EVERY = 10_000;

const PARTS = ['outcome', 'reasons', 'undetermined', 'score', 'shadow'] as const satisfies readonly (keyof Verdict)[];

/**
 * Decides the records of a log again. Rejects with CONFIGURATION_INVALID where there is no log, or the keys are not its own, and with AUDIT_FAILED
 * where a line of it is not as it was written. What a line says in clear is held to its body by `verifyLog`, with the keys.
 */
export async function replayLog(options: ReplayOptions): Promise<Replay> {
  const { dir } = options;
  const keysDir = keysFolder(options);
  const { log } = await readLog(dir);
  // With the keys of another log every record would look as if its key were gone.
  await checkKeys(keysDir, log);
  return onDisk('read', () => replayLines(options, log, new BodyReader(keysDir)));
}

async function replayLines(options: ReplayOptions, log: string, bodies: BodyReader): Promise<Replay> {
  const { dir, isWanted = () => true, policy, onProgress } = options;
  const matchers = new Matchers(new Archive(dir));
  const other = policy && new Comparison(policy);
  const problems: ReplayProblem[] = [];
  const policies = new Map<string, DecisionFields['policy']>();
  const counts = { compared: 0, same: 0, erased: 0, problems: 0 };
  let read = 0;
  for await (const { line, segment, number } of readLines(dir, log)) {
    if (line.kind !== 'decision' || !isWanted(line)) continue;
    read += 1;
    if (read % PROGRESS_EVERY === 0) onProgress?.(read);
    if (!policies.has(line.policy.digest)) policies.set(line.policy.digest, line.policy);
    const note = (why: ReplayProblem['why'], parts: ReplayProblem['parts'] = []) => {
      counts.problems += 1;
      if (problems.length < SHOWN_PROBLEMS) {
        problems.push({ id: line.id, chain: line.chain, segment, line: number, why, parts });
      }
    };
    const opened = await bodies.open(line);
    if ('closed' in opened) {
      if (opened.closed === 'erased') counts.erased += 1;
      else note(opened.closed);
      continue;
    }
    const body = readWritten(opened.data);
    const matcher = matchers.known(line) ?? (await matchers.read(line));
    if (!body) note('not-opened');
    else if (matcher === MISSING) note('policy-missing');
    else {
      counts.compared += 1;
      const parts = differingParts(matcher.verdict(body.facts, dayOf(body.decision)), body.decision);
      if (parts.length === 0) counts.same += 1;
      else note('differs', parts);
    }
    if (body) other?.add(body);
  }
  const { compared, same, erased } = counts;
  const found = { compared, same, policies: [...policies.values()], erased, problemCount: counts.problems, problems };
  return other ? { ...found, other: other.result() } : found;
}

/** A body; undefined for one that cannot be decided on: whoever can seal can seal anything. */
function readWritten(data: unknown): DecisionBody | undefined {
  const { decision, facts } = (data ?? {}) as { decision?: { decidedAt?: unknown } | null; facts?: unknown };
  if (!isObject(decision) || !isObject(facts) || Number.isNaN(Date.parse(String(decision.decidedAt)))) return undefined;
  const body = readBody(data);
  for (const fact of body.facts.values()) if (!isObject(fact)) return undefined;
  return body;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Stands for a policy that is not kept, or cannot be read, or whose mapping is not. */
const MISSING = 'missing';

/** The compiled policies of the archive. */
class Matchers {
  readonly #archive: Archive;
  readonly #matchers = new Map<string, Matcher | typeof MISSING>();

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  /** Undefined where it was not read yet. */
  known({ policy: { digest }, mapping }: DecisionFields): Matcher | typeof MISSING | undefined {
    return this.#matchers.get(digest + mapping);
  }

  async read({ policy: { digest }, mapping }: DecisionFields): Promise<Matcher | typeof MISSING> {
    let matcher: Matcher | typeof MISSING = MISSING;
    try {
      matcher = compile(await this.#archive.policy(digest, mapping));
    } catch (error) {
      if (!(error instanceof VerdictError)) throw error;
    }
    this.#matchers.set(digest + mapping, matcher);
    return matcher;
  }
}

/** What another policy decides. */
class Comparison {
  readonly #policy: Policy;
  readonly #matcher: Matcher;
  readonly #read: readonly string[];
  readonly #changes = new Map<string, { from: Outcome; to: Outcome; count: number; examples: string[] }>();
  readonly #lacking = new Map<string, number>();

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#matcher = compile(policy);
    this.#read = [...policy.rules.reduce((paths, { when }) => factsOf(when, paths), new Set<string>())];
  }

  add({ decision, facts }: DecisionBody): void {
    for (const path of this.#read) {
      if (!facts.has(path)) this.#lacking.set(path, (this.#lacking.get(path) ?? 0) + 1);
    }
    const day = dayOf(decision);
    // Read anew: the policy may declare a fact otherwise than the one that decided.
    const { outcome: to } = this.#matcher.outcome(readFacts(givenOf(facts), this.#policy.facts, day), day);
    const { outcome: from, id } = decision;
    const change = this.#changes.get(`${from} ${to}`) ?? { from, to, count: 0, examples: [] };
    change.count += 1;
    if (change.examples.length < EXAMPLES) change.examples.push(id);
    this.#changes.set(`${from} ${to}`, change);
  }

  result(): NonNullable<Replay['other']> {
    const changes = OUTCOMES.flatMap((from) => OUTCOMES.map((to) => this.#changes.get(`${from} ${to}`)));
    return { changes: changes.filter((change) => change !== undefined), lacking: Object.fromEntries(this.#lacking) };
  }
}

function givenOf(facts: Facts): ReadonlyMap<string, GivenFact> {
  return new Map([...facts].map(([path, fact]) => [path, isMissing(fact) ? fact : { value: shownValue(fact) }]));
}

function differingParts(verdict: Verdict, decision: Verdict): (keyof Verdict)[] {
  return PARTS.filter((part) => !isSameJson(verdict[part], decision[part]));
}

/** Whether two values of JSON data have the same canonical form. */
function isSameJson(one: unknown, other: unknown): boolean {
  // -0 and 0 are one number in canonical JSON.
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}
