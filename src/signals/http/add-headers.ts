/** Headers of the caller -> a client that adds them to every request. */

import { ownCopy } from '../../given/read-given.ts';
import { askCaller } from '../ask.ts';
import { type ExtraHeaders, headersProblem } from './headers.ts';
import type { HttpClient } from './http.ts';

/** Adds headers to each request. A function that fails, or is late, fails the request before it is sent. */
export function addHeaders(
  http: HttpClient,
  headers: ExtraHeaders | (() => unknown) | undefined,
  limitMs: number,
): HttpClient {
  if (headers === undefined) return http;
  return {
    async post(message, signal) {
      const { fault, value } =
        typeof headers === 'function'
          ? await askCaller('headers', headers, signal, limitMs)
          : { fault: undefined, value: headers };
      if (fault !== undefined) return { failure: 'caller', sent: false, fault };
      const own = ownCopy(value);
      const problem = headersProblem(own);
      if (problem !== undefined) {
        return { failure: 'caller', sent: false, fault: { text: `\`headers\` ${problem}`, mayRecover: false } };
      }
      return http.post({ ...message, headers: { ...(own as ExtraHeaders), ...message.headers } }, signal);
    },
  };
}
