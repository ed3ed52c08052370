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
  const own = async () => ownCopy(typeof headers === 'function' ? await headers() : headers);
  return {
    async post(message, signal) {
      const { fault, value } = await askCaller('headers', own, signal, limitMs);
      if (fault !== undefined) return { failure: 'caller', sent: false, fault };
      const problem = headersProblem(value);
      if (problem !== undefined) {
        return { failure: 'caller', sent: false, fault: { text: `\`headers\` ${problem}`, mayRecover: false } };
      }
      return http.post({ ...message, headers: { ...(value as ExtraHeaders), ...message.headers } }, signal);
    },
  };
}
