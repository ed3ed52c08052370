/** A decision and its facts, or a note's words -> the texts of a record's body, JSON each; and back. */

import type { AuditEntry } from '../../decision/audit-port.ts';
import type { Decision } from '../../decision/decision.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import { CAUSES, type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { isContext, isVerdict } from './body-schema.ts';
import type { BodyEntry } from './entry.ts';
import type { SearchableFields } from './searchable.ts';

/**
 * A body: JSON texts, each of which can be read without the others. Of a decision the paths of its facts, in records of one policy mostly the
 * same text, then their values, the verdict, and what is left; of a note who wrote it, and why.
 */
export type BodyTexts = readonly string[];

const TEXTS: Readonly<Record<BodyEntry['kind'], number>> = { decision: 4, note: 2 };

/** A body as one text: no JSON text that is written here has a line break in it. */
export function joinTexts(texts: BodyTexts): string {
  return texts.join('\n');
}

/** The texts of a body that was one; undefined where they are not as many as a body of that kind has. */
export function splitTexts(text: string, kind: BodyEntry['kind']): BodyTexts | undefined {
  const texts = text.split('\n');
  return texts.length === TEXTS[kind] ? texts : undefined;
}

/** A body in clear: an object for people to read. */
export function plainBody(texts: BodyTexts, kind: BodyEntry['kind']): Readonly<Record<string, unknown>> {
  const data = texts.map((text): unknown => JSON.parse(text));
  if (kind === 'note') return { by: data[0], why: data[1] };
  const [paths, values, verdict, context] = data as [string[], unknown[], unknown, unknown];
  return { facts: Object.fromEntries(paths.map((path, i) => [path, values[i]])), verdict, context };
}

/** The texts of a body in clear; undefined where one is not there, or another is. */
export function textsOfPlain(plain: Readonly<Record<string, unknown>>, kind: BodyEntry['kind']): BodyTexts | undefined {
  const names = kind === 'note' ? ['by', 'why'] : ['facts', 'verdict', 'context'];
  if (Object.keys(plain).length !== names.length || !names.every((name) => Object.hasOwn(plain, name)))
    return undefined;
  const data = names.map((name) => plain[name]);
  if (kind === 'decision') {
    const [facts] = data;
    if (!isObject(facts)) return undefined;
    data.splice(0, 1, Object.keys(facts), Object.values(facts));
  }
  return tryTo(() => data.map((one) => JSON.stringify(one)));
}

/** What a decision's body holds. */
export interface DecisionBody {
  readonly decision: Decision;
  readonly facts: Facts;
}

/** The body of a decision: what its record does not say in clear, and the verdict, all of it. */
export function decisionTexts({ decision, facts }: Pick<AuditEntry, 'decision' | 'facts'>): BodyTexts {
  const { clientReference, signals, policy } = decision;
  const context: Context = { clientReference, language: policy.language, signals };
  // Most facts are a value and nothing else.
  const values = [...facts.values()].map((fact) => (isMissing(fact) || fact.text !== undefined ? fact : fact.value));
  return [JSON.stringify([...facts.keys()]), JSON.stringify(values), verdictText(decision), JSON.stringify(context)];
}

/** What is left of a decision beside its verdict and what its record says in clear. */
type Context = Pick<Decision, 'clientReference' | 'signals'> & Pick<Decision['policy'], 'language'>;

/** The text of a verdict, in the order in which it is written. Two that differ may still be the same as data. */
export function verdictText({ outcome, reasons, undetermined, score, shadow }: Verdict): string {
  return JSON.stringify({ outcome, reasons, undetermined, score, shadow });
}

/** A decision's record and its body -> the decision; undefined for texts that are none: whoever can seal can seal anything. */
export function readDecision(
  { id, at, policy, mapping, engine }: Omit<SearchableFields, 'outcome'>,
  texts: BodyTexts,
): DecisionBody | undefined {
  const [, , verdict = '', surroundings = ''] = texts;
  const facts = readFactTexts(texts);
  const [decided, context] = [readVerdictText(verdict), parse(surroundings)];
  if (!facts || !decided || !isVerdict(decided) || !isContext(context)) return undefined;
  const { clientReference, language, signals } = context as Context;
  const provenance = { policy: { ...policy, language }, mapping, engine };
  return { decision: { id, clientReference, decidedAt: at, ...decided, ...provenance, signals }, facts };
}

/** The paths of the body that was read last. */
let lastPaths: { readonly text: string; readonly paths: readonly string[] } | undefined;

/** The facts of a decision's body; undefined where one is none. Looked at by hand: a replay reads a million a second. */
export function readFactTexts([paths = '', values = '']: BodyTexts): Facts | undefined {
  if (paths !== lastPaths?.text) {
    const read = parse(paths);
    if (!Array.isArray(read) || !read.every((path) => typeof path === 'string')) return undefined;
    lastPaths = { text: paths, paths: read };
  }
  const given = parse(values);
  if (!Array.isArray(given) || given.length !== lastPaths.paths.length) return undefined;
  const facts = new Map<string, Fact>();
  const { paths: names } = lastPaths;
  for (let i = 0; i < names.length; i++) {
    const found: unknown = given[i];
    // What is no object came from JSON, and so is a value.
    if (typeof found === 'object' && !isFact(found)) return undefined;
    facts.set(names[i] ?? '', (typeof found === 'object' ? found : { value: found }) as Fact);
  }
  return facts;
}

/** Whether an object is a fact that has a text beside its value, or is missing. */
function isFact(found: object | null): boolean {
  if (!isObject(found)) return false;
  const { missing } = found;
  return missing === undefined
    ? isValue(found['value']) && isTextOrNone(found['text'])
    : KNOWN_CAUSES.has(missing) && isTextOrNone(found['raw']);
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

const KNOWN_CAUSES: ReadonlySet<unknown> = new Set(CAUSES);

function isValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The verdict of a decision's body, which `isVerdict` looks at: a replay compares it, and need not. */
export function readVerdictText(text: string): Verdict | undefined {
  const verdict = parse(text);
  return isObject(verdict) ? (verdict as unknown as Verdict) : undefined;
}

/** Who wrote a note, and why. */
export interface NoteBody {
  readonly by: string;
  readonly why: string;
}

/** The body of a note. */
export function noteTexts({ by, why }: NoteBody): BodyTexts {
  return [JSON.stringify(by), JSON.stringify(why)];
}

/** The body of a note; undefined for texts that are none. */
export function readNote(texts: BodyTexts): NoteBody | undefined {
  const [by, why] = texts.map(parse);
  return typeof by === 'string' && typeof why === 'string' ? { by, why } : undefined;
}

/** Whether the texts are those that JSON writes for what they say. */
export function isWrittenSo(texts: BodyTexts): boolean {
  return tryTo(() => texts.every((text) => JSON.stringify(parse(text)) === text)) ?? false;
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function parse(text: string): unknown {
  return tryTo(() => JSON.parse(text));
}

/** Undefined for what is no JSON, or is nested deeper than the stack, which can be read and not be written. */
function tryTo<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
