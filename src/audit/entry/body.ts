/** A decision and its facts, a note or an event <-> the body of its record, as texts of JSON. */

import type * as Zod from 'zod';
import type { AuditEntry, Decision } from '../../decision/decision.ts';
import type { PlannedCall } from '../../decision/events.ts';
import { shownArgument } from '../../decision/meaning/evidence.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { dayOfInstant, FIRST_DAY, isDay } from '../../facts/day.ts';
import { CAUSES, type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { markRead, newFacts } from '../../facts/fact-reader.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import { lazy, require } from '../../platform/lazy.ts';
import { OUTCOMES } from '../../policy/language.ts';
import type { BodyEntry } from './entry.ts';
import type { SearchableFields } from './searchable.ts';

/**
 * A body: JSON texts, each of which can be parsed alone. A decision has four: the paths of its facts, which are
 * mostly the same text in records of one policy, their values, the verdict, and the rest. A note has two: its author
 * and the reason. An event has a third: its details.
 */
export type BodyTexts = readonly string[];

const TEXTS: Readonly<Record<BodyEntry['kind'], number>> = { decision: 4, note: 2, event: 3 };

/** A body as one text: JSON texts as written here have no line breaks. */
export function joinTexts(texts: BodyTexts): string {
  return texts.join('\n');
}

/** The texts of a joined body; undefined if their number is not that of this kind. */
export function splitTexts(text: string, kind: BodyEntry['kind']): BodyTexts | undefined {
  const texts = text.split('\n');
  return texts.length === TEXTS[kind] ? texts : undefined;
}

/** The keys of a plain body. */
const PLAIN: Readonly<Record<BodyEntry['kind'], readonly string[]>> = {
  decision: ['facts', 'verdict', 'context'],
  note: ['by', 'why'],
  event: ['by', 'why', 'details'],
};

/** A plain body: an object for people to read. */
export function plainBody(texts: BodyTexts, kind: BodyEntry['kind']): Readonly<Record<string, unknown>> {
  const data = texts.map((text): unknown => JSON.parse(text));
  if (kind !== 'decision') return Object.fromEntries(PLAIN[kind].map((name, i) => [name, data[i]]));
  const [paths, values, verdict, context] = data as [string[], unknown[], unknown, unknown];
  return { facts: Object.fromEntries(paths.map((path, i) => [path, values[i]])), verdict, context };
}

/** The texts of a plain body; undefined if it has other keys. */
export function textsOfPlain(plain: Readonly<Record<string, unknown>>, kind: BodyEntry['kind']): BodyTexts | undefined {
  const names = PLAIN[kind];
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

/** The body of a decision: the complete verdict, and all that is not in the searchable fields. */
export function decisionTexts({
  decision,
  facts,
  caller,
  application,
  question,
}: Pick<AuditEntry, 'decision' | 'facts'> & Partial<Whose>): BodyTexts {
  const { clientReference, day, signals, policy } = decision;
  const { language, release } = policy;
  const decidedOn = day === undefined ? {} : { day };
  // Those that are undefined are left out of the text.
  const whose = { caller, application, question } as Partial<Whose>;
  const context: Context = {
    clientReference,
    ...whose,
    ...decidedOn,
    language,
    ...(release ? { release } : {}),
    signals,
  };
  // Most facts are only a value.
  const values = [...facts.values()].map((fact) => (isMissing(fact) || fact.text !== undefined ? fact : fact.value));
  return [JSON.stringify([...facts.keys()]), JSON.stringify(values), verdictText(decision), JSON.stringify(context)];
}

/** The rest of a decision beside its verdict and its searchable fields. */
type Context = Pick<Decision, 'clientReference' | 'day' | 'signals'> &
  Pick<Decision['policy'], 'language' | 'release'> &
  Partial<Whose>;

type Whose = Pick<AuditEntry, 'caller' | 'application' | 'question'>;

/** The JSON of a verdict with its keys in order. Two texts that differ may still be equal as data. */
export function verdictText({ outcome, reasons, undetermined, score, shadow }: Verdict): string {
  return JSON.stringify({ outcome, reasons, undetermined, score, shadow });
}

/** The decision of a record; undefined for other texts, because anyone with a data key can encrypt anything. */
export function readDecision({ id, at, policy, mapping, engine }: Omit<SearchableFields, 'outcome'>, texts: BodyTexts) {
  const [, , verdictJson = '', contextJson = ''] = texts;
  const facts = readFactTexts(texts);
  const [verdict, context] = [readVerdictText(verdictJson), parse(contextJson)];
  if (!facts || !verdict || !isVerdict(verdict) || !isContext(context)) return undefined;
  const { clientReference, caller, application, question, day, language, release, signals } = context as Context;
  const provenance = { policy: { ...policy, language, ...(release ? { release } : {}) }, mapping, engine };
  const decidedOn = day === undefined ? {} : { day };
  const decision = { id, clientReference, decidedAt: at, ...decidedOn, ...verdict, ...provenance, signals };
  return {
    decision,
    facts,
    /** Whose reference it is; undefined for one caller that has no name, as all had in older records. */
    caller,
    /** The id of its application; undefined in older records, and where it was not known. */
    application,
    /** The keyed hash of what was asked; undefined in older records, and in those of the library. */
    question,
  };
}

/** The day of a decision: the one on record, or that of its instant in UTC. */
export function dayOnRecord({ at }: Pick<SearchableFields, 'at'>, [, , , context = '']: BodyTexts): string {
  const { value } = { value: undefined, ...(context.includes('"day":"') ? parseJson(context) : {}) };
  const day = isObject(value) ? value['day'] : undefined;
  return typeof day === 'string' && isDay(day) ? day : dayOfInstant(Date.parse(at));
}

/** The paths of the last body read. */
let lastPaths: { readonly text: string; readonly paths: readonly string[] } | undefined;

/** The facts of a body; undefined if one is invalid. Checked by hand, because a replay reads a million a second. */
export function readFactTexts([paths = '', values = '']: BodyTexts): Facts | undefined {
  if (paths !== lastPaths?.text) {
    const read = parse(paths);
    if (!Array.isArray(read) || !read.every((path) => typeof path === 'string')) return undefined;
    lastPaths = { text: paths, paths: read };
  }
  const given = parse(values);
  if (!Array.isArray(given) || given.length !== lastPaths.paths.length) return undefined;
  const facts = newFacts();
  const { paths: names } = lastPaths;
  for (let i = 0; i < names.length; i++) {
    const fact: unknown = given[i];
    // Anything but an object is a value, because it came from JSON.
    if (typeof fact === 'object' && !isFact(fact)) return undefined;
    facts.set(names[i] ?? '', (typeof fact === 'object' ? fact : { value: fact }) as Fact);
  }
  return markRead(facts, undefined, FIRST_DAY);
}

/** Whether an object is a fact: one with a text beside its value, or a missing one. */
function isFact(data: object | null): boolean {
  if (!isObject(data)) return false;
  const { missing } = data;
  return missing === undefined
    ? isValue(data['value']) && isOptionalText(data['text'])
    : KNOWN_CAUSES.has(missing) && isOptionalText(data['raw']);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

const KNOWN_CAUSES: ReadonlySet<unknown> = new Set(CAUSES);

function isValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

const NO_CALLS: readonly PlannedCall[] = [];

/** The calls that a decision spared; undefined if they are invalid. Mostly there are none, and nothing is parsed. */
export function readSpared([, , , context = '']: BodyTexts): readonly PlannedCall[] | undefined {
  if (context.includes('"spared":[]')) return NO_CALLS;
  const data = parse(context);
  return isContext(data) ? (data as Context).signals.spared : undefined;
}

/** The caller's reference of a decision; undefined if it is invalid. */
export function readReference([, , , context = '']: BodyTexts): string | undefined {
  const data = parse(context);
  return isContext(data) ? (data as Context).clientReference : undefined;
}

/** The verdict of a decision's body. Check it with `isVerdict`; a replay, which only compares it, need not. */
export function readVerdictText(text: string): Verdict | undefined {
  const verdict = parse(text);
  return isObject(verdict) ? (verdict as unknown as Verdict) : undefined;
}

/** The author of a note, and the reason. */
export interface NoteBody {
  readonly by: string;
  readonly why: string;
}

/** The body of a note. */
export function noteTexts({ by, why }: NoteBody): BodyTexts {
  return [JSON.stringify(by), JSON.stringify(why)];
}

/** The author and reason of a note; undefined for other texts. */
export function readNote(texts: BodyTexts): NoteBody | undefined {
  const [by, why] = texts.map(parse);
  return typeof by === 'string' && typeof why === 'string' ? { by, why } : undefined;
}

/** Who did it, why, which may be empty, and further words by name. */
export interface EventBody extends NoteBody {
  readonly details: Readonly<Record<string, string>>;
}

/** The body of an event. */
export function eventTexts({ details, ...note }: EventBody): BodyTexts {
  return [...noteTexts(note), JSON.stringify(details)];
}

/** The body of an event; undefined for other texts. */
export function readEvent(texts: BodyTexts): EventBody | undefined {
  const note = readNote(texts);
  const details = parse(texts[2] ?? '');
  if (!note || !isObject(details) || !Object.values(details).every((text) => typeof text === 'string'))
    return undefined;
  return { ...note, details: details as EventBody['details'] };
}

/** Whether the texts are exactly those that `JSON.stringify` writes for their data. */
export function isCanonicalBody(texts: BodyTexts): boolean {
  return tryTo(() => texts.every((text) => JSON.stringify(parse(text)) === text)) ?? false;
}

function parse(text: string): unknown {
  return tryTo(() => JSON.parse(text));
}

/** Undefined for a text that is not JSON, and for data too deep for the stack, which can be parsed but not written. */
function tryTo<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * The verdict as a record has it: evidence says how many values the applicant was compared with, `{ listed: 2 }`. The
 * values are of other people, whose erasure does not reach this record.
 */
export function withoutIdentities<Given extends Pick<Verdict, 'reasons'>>(verdict: Given, facts: FactTable): Given {
  const reasons = verdict.reasons.map((reason) => {
    if (reason.because !== 'fired') return reason;
    const evidence = reason.evidence.map((each) => {
      const expected = shownArgument(each, facts);
      return expected === each.expected ? each : { ...each, expected };
    });
    return evidence.every((each, i) => each === reason.evidence[i]) ? reason : { ...reason, evidence };
  });
  return reasons.every((reason, i) => reason === verdict.reasons[i]) ? verdict : { ...verdict, reasons };
}

// Further keys are allowed everywhere: another version of the engine may write more.

/** Made when the first body is read: zod takes long to load. */
const schemas = lazy(() => {
  const z = require<typeof Zod>('zod');
  const text = z.string();
  const texts = z.array(text);
  const outcome = z.enum(OUTCOMES);
  const asked = outcome.nullable();
  const value = z.union([text, z.number(), z.boolean()]);
  const stage = { stage: z.number(), asked: texts };
  const reason = { code: text, decisive: z.boolean() };
  const told = { notice: z.union([text, z.record(text, text)]).optional() };

  const evidence = z.object({
    fact: text,
    operator: text,
    // Any JSON, but not absent.
    expected: z.unknown().refine((data) => data !== undefined),
    value: value.optional(),
    negated: z.literal(true).optional(),
    other: z.object({ fact: text, value: value.optional() }).optional(),
  });

  const verdict = z.object({
    outcome,
    reasons: z.array(
      z.discriminatedUnion('because', [
        z.object({
          ...{ because: z.literal('fired'), ...reason, rule: text, outcome: asked, evidence: z.array(evidence) },
          ...{ points: z.number().optional(), message: text.optional(), ...told },
        }),
        z.object({ because: z.literal('undetermined'), ...reason, rule: text, outcome }),
        z.object({ because: z.literal('score'), ...reason, ...told, outcome }),
        z.object({ because: z.literal('default'), ...reason, ...told, outcome }),
      ]),
    ),
    undetermined: z.array(
      z.object({
        rule: text,
        asks: z.literal('review').nullable(),
        missing: z.array(z.object({ fact: text, cause: z.enum([...CAUSES, 'error']) })),
      }),
    ),
    score: z.object({ least: z.number(), most: z.number(), band: asked }),
    shadow: z.array(z.object({ rule: text, result: z.enum(['fires', 'undetermined']), outcome: asked })),
  });

  const context = z.object({
    ...{ clientReference: text, caller: text.optional(), application: text.optional() },
    question: text.optional(),
    day: text.optional(),
    language: z.number(),
    release: z.number().optional(),
    signals: z.object({
      requested: texts,
      calls: z.array(
        z.object({
          ...{ ...stage, result: z.enum(['answered', 'failed', 'unknown']) },
          ...{ error: text.optional(), cause: text.optional() },
          ...{ requestId: text.optional(), attempts: z.number().optional() },
        }),
      ),
      spared: z.array(z.object(stage)),
      missing: z.record(text, z.enum(CAUSES)),
      warnings: z.array(z.object({ code: text, text, variable: text.optional() })),
    }),
  });

  return { verdict, context };
});

/** Whether data is a verdict. */
export function isVerdict(data: unknown): boolean {
  return schemas().verdict.safeParse(data).success;
}

/** Whether data is the context of a verdict: the reference, the language of the policy, the signals. */
function isContext(data: unknown): boolean {
  return schemas().context.safeParse(data).success;
}
