/** A line of known facts (JSON) <-> its facts, day and reference, or what is wrong with the line. */

import * as z from 'zod';
import { isObject, parseJson } from '../platform/json.ts';
import { didYouMean, printable, trimWhiteSpace } from '../text.ts';
import type { FactTable } from './catalog.ts';
import { CAUSES, type Fact, type Facts, type GivenFact, isMissing, shownValue } from './fact.ts';
import { INSTANT_EXPECTED, readDayOrInstant } from './instant.ts';
import { readFacts } from './read.ts';

/** A line that was read. */
export interface FactsLine {
  readonly facts: Map<string, Fact>;
  /** The day of the decision, yyyy-MM-dd: the line's own, or the default. */
  readonly at: string;
  /** The line's own time, in milliseconds since 1970. */
  readonly timeMs?: number;
  readonly clientReference?: string;
  readonly decided?: DecidedLine;
}

/** What a line says of the decision that was made on its facts, as it is written there. */
export interface DecidedLine {
  readonly outcome?: unknown;
  /** What people decided; null where the file has a place for it, and nothing stands there. */
  readonly disposition?: unknown;
  /** With which probability somebody was let in nevertheless. */
  readonly holdout?: unknown;
}

type Counts = Iterable<readonly [path: string, GivenFact]>;

/** A line that cannot be read. The problem names keys and paths, never a value. */
export interface BadLine {
  readonly problem: string;
}

// Not `z.record`, which silently ignores a key `__proto__`.
const byPath = z.custom<Record<string, unknown>>(isObject);
const SHAPE = z.strictObject({
  facts: byPath,
  missing: byPath.optional(),
  at: z
    .string()
    .refine((text) => readDayOrInstant(text) !== undefined)
    .optional(),
  clientReference: z
    .string()
    .refine((text) => text.isWellFormed())
    .optional(),
  decision: byPath.optional(),
});

const KEYS = Object.keys(SHAPE.shape);

/** The problem with each key. */
const EXPECTED: Readonly<Record<string, string>> = {
  facts: '"facts" has to be an object of values by path',
  missing: '"missing" has to be an object of causes by path',
  at: `"at" has to be ${INSTANT_EXPECTED}`,
  clientReference: '"clientReference" has to be a text',
  decision: '"decision" has to be an object',
};

/**
 * Reads one line `{ "facts": { path: value }, "missing"?: { path: cause }, "at"?: day, "clientReference"?: text }`, in
 * which `"decision"` may have the decision that was made on these facts; what it says of it is kept as it is.
 * A value that is not of its fact's type makes that fact `invalid`; any other mistake makes it a `BadLine`.
 *
 * @param defaultDay yyyy-MM-dd, for lines without `at`
 * @param counts facts that the line has if it does not give them itself
 * @param timeZone the zone in which a time is on the day of the decision
 * @param holdout the key of `"decision"`, or of `"facts"`, with the probability of the holdout: it needs to be no fact
 */
export function readFactsLine(
  text: string,
  table: FactTable,
  defaultDay: string,
  counts: Counts = [],
  timeZone?: string,
  holdout?: string,
): FactsLine | BadLine {
  const parsed = parseJson(text);
  if (parsed.problem !== undefined) return { problem: `the text ${parsed.problem}; a line is one JSON object` };
  return readFactsData(parsed.value, table, defaultDay, counts, timeZone, holdout);
}

/** The same for a line that was parsed. */
export function readFactsData(
  value: unknown,
  table: FactTable,
  defaultDay: string,
  counts: Counts = [],
  timeZone?: string,
  holdout?: string,
): FactsLine | BadLine {
  if (!isObject(value)) return { problem: 'not an object; a line is one JSON object' };
  const shape = SHAPE.safeParse(value);
  if (!shape.success) return { problem: shapeProblem(shape.error) };
  const { facts, missing = {}, at, clientReference, decision } = shape.data;
  const time = readDayOrInstant(at ?? defaultDay, timeZone) ?? { at: defaultDay };
  const given = new Map<string, GivenFact>();
  for (const [path, value] of Object.entries(facts)) {
    if (path === holdout && !table.has(path)) continue;
    if (!canBeGiven(path, table)) return refusePath(path, table);
    given.set(path, { value });
  }
  for (const [path, name] of Object.entries(missing)) {
    if (!canBeGiven(path, table)) return refusePath(path, table);
    const cause = CAUSES.find((each) => each === name);
    if (cause === undefined) return unknownCause(path, name);
    if (hasValue(given.get(path))) return { problem: `"${path}" has both a value and a cause why it is missing` };
    given.set(path, { missing: cause });
  }
  for (const [path, count] of counts) if (!given.has(path)) given.set(path, count);
  return {
    ...{ facts: readFacts(given, table, time.at), ...time },
    ...(clientReference === undefined ? {} : { clientReference }),
    ...decidedIn(decision, holdout === undefined ? undefined : (decision?.[holdout] ?? facts[holdout])),
  };
}

function decidedIn(decision: DecidedLine = {}, holdout: unknown): Pick<FactsLine, 'decided'> {
  const { outcome, disposition } = decision;
  const said = Object.entries({ outcome, disposition, holdout }).filter(([, value]) => value !== undefined);
  return said.length === 0 ? {} : { decided: Object.fromEntries(said) };
}

/** The facts of a line: values, and the causes of missing facts. */
export type LineFacts = ReturnType<typeof lineFacts>;

/** Facts in the form of a line, with texts as they came; without those that a policy computes. */
export function lineFacts(facts: Facts, table: FactTable, isWanted: (path: string) => boolean) {
  const given = [...facts].filter(([path]) => canBeGiven(path, table) && isWanted(path));
  return {
    facts: Object.fromEntries(given.flatMap(([path, fact]) => (isMissing(fact) ? [] : [[path, shownValue(fact)]]))),
    missing: Object.fromEntries(given.flatMap(([path, fact]) => (isMissing(fact) ? [[path, fact.missing]] : []))),
  };
}

function shapeProblem({ issues }: z.ZodError): string {
  for (const issue of issues) {
    const key = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    if (key !== undefined) return withHint(`unknown key "${showKey(key)}"`, key, KEYS);
  }
  return EXPECTED[String(issues[0]?.path[0])] ?? 'not a line of facts';
}

function canBeGiven(path: string, table: FactTable): boolean {
  const definition = table.get(path);
  return definition !== undefined && !definition.compute;
}

function refusePath(path: string, table: FactTable): BadLine {
  if (table.has(path)) return { problem: `"${path}" is computed by the policy; remove it` };
  return { problem: withHint(`no fact "${showKey(path)}" is declared`, path, table.keys()) };
}

/** The cause itself may be any data, so it is not repeated; only the cause that it resembles is shown. */
function unknownCause(path: string, name: unknown): BadLine {
  const hint = typeof name === 'string' ? didYouMean(name, CAUSES).hint : undefined;
  return { problem: `the cause of "${path}" is not one of ${CAUSES.join(', ')}${hint ? `; ${hint}` : ''}` };
}

function withHint(problem: string, word: string, candidates: Iterable<string>): string {
  const { hint } = didYouMean(word, candidates);
  return hint === undefined ? problem : `${problem}; ${hint}`;
}

function hasValue(given: GivenFact | undefined): boolean {
  if (given === undefined || isMissing(given) || given.value === null) return false;
  return typeof given.value !== 'string' || trimWhiteSpace(given.value) !== '';
}

/** A key for display: cut to a sensible length, without control characters. */
function showKey(key: string): string {
  return printable(key.length <= 80 ? key : `${key.slice(0, 80)}…`);
}
