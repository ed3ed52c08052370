/** The form of a route: what a row of the table says. */

import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { ApiKey } from './auth/keys.ts';
import type { Role } from './auth/roles.ts';
import type { ProblemCode } from './problem.ts';
import type { Service } from './service.ts';

/** A request that was let in, with a body and a query of the route's schemas. */
export interface RouteRequest {
  readonly body: unknown;
  /** The body of a stream of lines; undefined for JSON. */
  readonly lines: Readable | undefined;
  /** Throws UNAUTHENTICATED or FORBIDDEN if the key of a stream was removed since, is over, or lost its roles. */
  check(): void;
  /** The same for what counts as another request: waits for the rate of the key. */
  more(): Promise<void>;
  readonly query: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly language: string;
  /** Whether a page is asked for: only where the route has one. */
  readonly asPage: boolean;
  /** Whose key it is; for routes with a role it is there. */
  readonly caller: ApiKey;
}

/** What a handler answers with status 200. */
export interface Answer {
  /** A value for JSON, a text or bytes of `type`, or lines of JSON; undefined if there is nothing. */
  readonly body: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of the decision that was made. */
  readonly decision?: string;
}

/** A row of the table. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  /** The name of its function in a generated client. */
  readonly operation: string;
  readonly summary: string;
  /** Keys with one of these roles may call it; absent for everybody. */
  readonly roles?: readonly Role[];
  readonly body?: z.ZodType;
  /** Whether the header `Idempotency-Key` is another name of `reference` in the body. */
  readonly takesKey?: true;
  /** A body with more is refused. Default: 64. */
  readonly kib?: number;
  readonly query?: z.ZodType;
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
  readonly problems: readonly ProblemCode[];
  handle(request: RouteRequest, service: Service): Promise<Answer> | Answer;
}

/** The codes of all problems that a route may answer with, each once. */
export function problemsOf({ method, roles, body, problems }: Route): readonly ProblemCode[] {
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
