/** The form of a route: what a row of the table says. */

import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { Caller, Role } from './auth/roles.ts';
import type { ProblemCode } from './problem.ts';
import type { Service } from './service.ts';

/** Lines instead of a body. */
export interface LineStream {
  readonly lines: Readable;
  /** Throws UNAUTHENTICATED or FORBIDDEN if the key was removed since, is over, or lost its roles. */
  check(): void;
  /** The same for what counts as another request: waits for the rate of the key. */
  more(): Promise<void>;
}

/** What a key asks for, or a person with a form: let in, with a body and a query of the route's schemas. */
export interface Asked<Body extends z.ZodType = z.ZodType, Query extends z.ZodType = z.ZodType> {
  /** The value of the path's parameter; empty without one. */
  readonly id: string;
  readonly body: z.infer<Body>;
  readonly stream?: LineStream | undefined;
  readonly query: z.infer<Query>;
  readonly language: string;
  /** Whether a page is asked for: only where the route has one. */
  readonly asPage?: boolean;
  /** For routes with a role it is there. */
  readonly caller: Caller;
}

/** An answer with more to say than a value for JSON. */
export class Answer {
  /** A text or bytes of `type`, lines of JSON, or a value for JSON. */
  readonly body: unknown;
  readonly as: AnswerForm;

  constructor(body: unknown, as: AnswerForm) {
    this.body = body;
    this.as = as;
  }
}

interface AnswerForm {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of the decision that was made. */
  readonly decision?: string;
}

/** A row of the table. */
export interface Route<Body extends z.ZodType = z.ZodType, Query extends z.ZodType = z.ZodType, Done = unknown> {
  readonly method: 'GET' | 'POST';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  /** Keys with one of these roles may call it; absent for everybody. */
  readonly roles?: readonly Role[];
  readonly body?: Body;
  /** Whether the header `Idempotency-Key` is another name of `reference` in the body. */
  readonly takesKey?: true;
  /** A body with more is refused. Default: 64. */
  readonly kib?: number;
  readonly query?: Query;
  /** Whether lines of JSON are taken instead of a body, and answered with lines. */
  readonly takesLines?: true;
  /** The schema of the answer; absent for a text. */
  readonly answer?: z.ZodType;
  /**
   * The page of the workbench on the same, with the same parameters: there a browser without a key is sent.
   * `Accept: text/html` with a key is answered with a page too.
   */
  readonly page?: string;
  /** Whether a request may wait for news. */
  readonly waits?: true;
  /** Whether there may be nothing to answer: status 204. */
  readonly mayBeEmpty?: true;
  /** Whether the answer has notices, in the language of `Accept-Language`. */
  readonly hasNotices?: true;
  /** What headers of the answer say. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** The type of an answer that is a text. */
  readonly type?: string;
  /** The problems that this route alone has; `problemsOf` adds those that all have. */
  readonly problems?: readonly ProblemCode[];
  /** The answer, with status 200: a value for JSON, an `Answer`, or undefined if there is nothing. */
  do(asked: Asked<Body, Query>, service: Service): Promise<Done> | Done;
}

/** A route, with the name of its function in a generated client. */
export interface NamedRoute extends Route {
  readonly operation: string;
}

/** A row whose `do` knows what its schemas say. */
export function route<Body extends z.ZodType, Query extends z.ZodType, Done>(
  method: Route['method'],
  path: string,
  row: Omit<Route<Body, Query, Done>, 'method' | 'path'>,
): Route<Body, Query, Done> {
  return { method, path, ...row };
}

/** The codes of all problems that a route may answer with, each once. */
export function problemsOf({ method, roles, body, problems = [] }: Route): readonly ProblemCode[] {
  return [
    ...new Set<ProblemCode>([
      'REQUEST_INVALID',
      ...problems,
      ...(roles ? (['UNAUTHENTICATED', 'FORBIDDEN', 'TOO_MANY_REQUESTS'] as const) : []),
      ...(body ? (['TOO_LARGE'] as const) : []),
      ...(method === 'POST' ? (['UNSUPPORTED_MEDIA_TYPE'] as const) : []),
      ...(['INTERNAL', 'OVERLOADED'] as const),
    ]),
  ];
}

/** How many KiB a body may have. */
export function kibOf({ kib = 64 }: Route): number {
  return kib;
}

/** A path with parameters in braces, as the router of Fastify writes them. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
