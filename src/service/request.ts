/** A request -> its body, once it has its form, and what is wrong with it. Nothing of it is in a message. */

import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { ID } from '../audit/entry/schema.ts';
import { MOST_NAMED } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import { describeUnknownKey } from '../platform/given/options.ts';
import { isObject, parseJson } from '../platform/json.ts';
import { count } from '../text.ts';
import type { ApiKey } from './auth/keys.ts';
import { type PointedError, ProblemError, problemOf } from './problem.ts';
import { type Route, routerPath } from './route.ts';

/** What the log of requests says of one, beside its route, status and time. */
export interface Known {
  key?: ApiKey;
  /** Gives back the place where the request waits for its body. */
  leave?: () => void;
  /** The issuer's name for the person. */
  person?: string;
  /** The id of the decision that it is about. */
  decision?: string;
  /** The code of the problem. */
  problem?: string;
}

const known = new WeakMap<FastifyRequest, Known>();

/** What is known of a request: who learns more writes it here. */
export function knownOf(request: FastifyRequest): Known {
  const entry = known.get(request) ?? {};
  known.set(request, entry);
  return entry;
}

const FORM_KIB = 64;

/** No schema allows an object or a list with more, which is seen before they are made. */
export const BOUNDS = { maxNames: 200, maxItems: 1000 };

const MOST_CHARACTERS = 10_000;

/** A body of an honest caller arrives in far less; lines of facts pause for less. */
export const BODY_MS = 10_000;

export function typeOfBody({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}

export function refuseEncoded({ headers }: FastifyRequest): void {
  if (headers['content-encoding'] === undefined) return;
  throw new ProblemError('UNSUPPORTED_MEDIA_TYPE', 'a body is not compressed');
}

export async function readJson(request: FastifyRequest, kib: number): Promise<unknown> {
  if (typeOfBody(request) !== 'application/json') {
    throw new ProblemError('UNSUPPORTED_MEDIA_TYPE', 'send application/json');
  }
  const parsed = parseJson(await readBody(request, request.body as AsyncIterable<Buffer>, kib), BOUNDS);
  if (parsed.problem === undefined) return parsed.value;
  throw new ProblemError('REQUEST_INVALID', `the body ${parsed.problem}`);
}

/** A text as structured fields write it (RFC 9651, section 3.3.3). */
const QUOTED = /^"(?:[ !#-[\]-~]|\\["\\])*"$/;
const BARE = /^[!#-~][ -~]*$/;

/**
 * The body with its reference, if the header `Idempotency-Key` has it, bare or quoted as in
 * draft-ietf-httpapi-idempotency-key-header-07. Throws REQUEST_INVALID if the body has another one.
 */
export function withReference(body: unknown, { raw }: FastifyRequest): unknown {
  const [key, ...more] = raw.headersDistinct['idempotency-key'] ?? [];
  if (key === undefined || !isObject(body)) return body;
  const isQuoted = QUOTED.test(key);
  if (more.length > 0 || !(isQuoted || BARE.test(key))) {
    throw new ProblemError('REQUEST_INVALID', 'Idempotency-Key is malformed: expected one text, bare or in quotes');
  }
  const reference = isQuoted ? key.slice(1, -1).replace(/\\(["\\])/g, '$1') : key;
  if ((body['reference'] ?? reference) === reference) return { ...body, reference };
  throw new ProblemError(
    'REQUEST_INVALID',
    '`reference` and Idempotency-Key differ: expected one, or the same in both',
  );
}

/** The fields of a form. Throws TOO_LARGE, and REQUEST_INVALID if one is there twice. */
export async function readForm(
  request: FastifyRequest,
  payload: AsyncIterable<Buffer>,
  kib = FORM_KIB,
): Promise<Record<string, string>> {
  const body = await readBody(request, payload, kib);
  const fields = [...new URLSearchParams(body.toString())];
  const form = Object.fromEntries(fields);
  if (Object.keys(form).length < fields.length) throw new ProblemError('REQUEST_INVALID', 'a field is there twice');
  return form;
}

/** Ends the connection of a caller that is slow. Throws TOO_LARGE. */
async function readBody(
  { headers, raw }: FastifyRequest,
  payload: AsyncIterable<Buffer>,
  kib: number,
): Promise<Buffer> {
  const tooLarge = () => new ProblemError('TOO_LARGE', `expected at most ${kib} KiB`);
  if (Number(headers['content-length'] ?? 0) > kib * 1024) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => raw.destroy(), BODY_MS);
  try {
    for await (const chunk of payload) {
      bytes += chunk.length;
      if (bytes > kib * 1024) throw tooLarge();
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/**
 * A value of a schema, whose texts have at most so many characters. Throws REQUEST_INVALID with what is wrong, by
 * place. No sentence repeats the value.
 */
export function readAs<Of extends z.ZodType>(schema: Of, value: unknown, most = MOST_CHARACTERS): z.infer<Of> {
  const flaw = flawIn(value, most);
  const read = flaw ? undefined : schema.safeParse(value);
  if (read?.success) return read.data;
  const errors: PointedError[] = flaw ? [flaw] : [];
  for (const issue of read?.error.issues ?? []) {
    const left = MOST_NAMED - errors.length;
    if (left <= 0) break;
    const pointer = issue.path.map(stepOf).join('');
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, issue.path);
      const expected = known.length > 0 ? `expected ${known.join(', ')}` : 'no field was expected';
      const described = issue.keys.slice(0, left).map((key) => `${describeUnknownKey(key, known)}; ${expected}`);
      errors.push(...described.map((detail) => ({ pointer, detail })));
    } else errors.push({ pointer, detail: describe(issue) });
  }
  throw new ProblemError('REQUEST_INVALID', 'the request does not have the form of its schema', { errors });
}

/** The first text of a value with too many characters, or with control characters other than a tab and line ends. */
export function flawIn(value: unknown, most = MOST_CHARACTERS): PointedError | undefined {
  const at = (detail: string) => ({ pointer: '', detail });
  if (typeof value === 'string') {
    if (value.length > most) return at(`expected at most ${count(most, 'character')}`);
    return UNPRINTED.test(value) ? at('has control characters') : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    if (UNPRINTED.test(key)) return at('a name has control characters');
    const found = flawIn(each, most);
    if (found) return { ...found, pointer: stepOf(key) + found.pointer };
  }
  return undefined;
}

const UNPRINTED = /[^\P{Cc}\t\n\r]/u;

/** A step of a JSON pointer (RFC 6901). */
function stepOf(key: PropertyKey): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/** The type that was found, or the limit; zod's own messages have nothing of the value either. */
function describe(issue: z.core.$ZodIssue): string {
  const { code, message } = issue;
  if (message.endsWith('received undefined')) return 'is missing';
  if (code === 'too_small') return `expected at least ${limit(issue.minimum, issue.origin)}`;
  if (code === 'too_big') return `expected at most ${limit(issue.maximum, issue.origin)}`;
  if (code === 'invalid_value') return `expected one of ${issue.values.join(', ')}`;
  const [, wanted, found] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  return wanted === undefined ? message : `found ${found}, expected ${wanted === 'int' ? 'integer' : wanted}`;
}

function limit(of: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  return unit === undefined ? String(of) : count(Number(of), unit);
}

function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at = inner(schema);
  for (const key of path) {
    if (at instanceof z.ZodArray) at = inner(at.element);
    else if (at instanceof z.ZodObject) at = inner(at.shape[String(key)]);
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function inner(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? inner(schema.unwrap()) : schema;
}

/** The fields of a form with the types of a schema: browsers send texts alone. */
export function typedFields(schema: z.ZodType, fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const typed = Object.entries(fields).map(([name, text]) => {
    const of = inner(shape[name]);
    if (of instanceof z.ZodNumber) return [name, Number(text)];
    return [name, of instanceof z.ZodBoolean ? text === 'true' || text : text];
  });
  return Object.fromEntries(typed);
}

/** The problem of any error. Messages of Fastify may quote the request. `wanted`: the type that a body should have. */
export function errorOf(error: unknown, wanted = 'application/json'): ProblemError {
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  if (error instanceof ProblemError || VerdictError.is(error) || typeof status !== 'number') return problemOf(error);
  if (status === 415) return new ProblemError('UNSUPPORTED_MEDIA_TYPE', `send ${wanted}`);
  return status < 500 ? new ProblemError('REQUEST_INVALID', 'the request is malformed') : new ProblemError('INTERNAL');
}

/** Puts a problem into the log of requests, and into the headers of its answer. */
export function markProblem(
  { problem, retryAfterSeconds }: ProblemError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  knownOf(request).problem = problem.code;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(retryAfterSeconds));
}

/** The value of the path's parameter; empty without one. */
export function idIn({ params }: FastifyRequest): string {
  return Object.values(params as Record<string, string>)[0] ?? '';
}

/** Puts the decision that a path or a body names by its id into the log of requests. */
export function markDecision(request: FastifyRequest, path: string, body?: unknown): void {
  const named = path.includes('/decisions/{id}') ? idIn(request) : isObject(body) ? body['decision'] : undefined;
  if (typeof named === 'string' && ID.is(named)) knownOf(request).decision = named;
}

/** No phone number or address has this form: the log has the id. */
const REQUEST_ID = /^[\w-]{1,128}$/;
const FEW_DIGITS = /^\d{1,15}$/;

/** The id of a request that its caller gave, or a new one. */
export function requestIdOf(given: unknown): string {
  return typeof given === 'string' && REQUEST_ID.test(given) && !FEW_DIGITS.test(given) ? given : randomUUID();
}

/** The id of the trace that a request is part of (W3C Trace Context, section 3.2). */
export function traceOf({ headers }: FastifyRequest): string | undefined {
  return /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(String(headers['traceparent']))?.[1];
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Answers the methods that paths do not take, also where a path with a parameter would take it for a value. */
export function refuseMethods(app: FastifyInstance, rows: readonly Pick<Route, 'method' | 'path'>[]): void {
  for (const [path, each] of Map.groupBy(rows, ({ path }) => path)) {
    const taken = each.map(({ method }): string => method);
    app.route({
      method: METHODS.filter((method) => !taken.includes(method)),
      url: routerPath(path),
      onRequest: async (_request, reply) => {
        reply.header('allow', taken.join(', '));
        throw new ProblemError('METHOD_NOT_ALLOWED', `expected ${taken.join(' or ')}`);
      },
      handler: () => undefined,
    });
  }
}

/** A tag that `noticesOf` reads. */
const TAG = /^[a-z]{2,8}(?:-[a-z\d]{1,8}){0,3}$/i;

/** The language that the header prefers, of the first eight; English if it names none. */
export function languageOf(header: string | undefined): string {
  const ranges = (header ?? '')
    .slice(0, 200)
    .split(',', 8)
    .map((range) => {
      const [tag = '', quality] = range.trim().split(/;\s*q=/);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    });
  const usable = ranges.filter(({ tag, quality }) => TAG.test(tag) && quality > 0);
  return usable.sort((one, other) => other.quality - one.quality)[0]?.tag ?? 'en';
}
