/** Headers of the caller -> whether they can be added to those of the client. */

import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Names and values. A value may be a secret: no message repeats it. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** What the client or Node sets: the session, the form of the body, the connection, and where the request ends. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** Why a value cannot be used as headers; continues "headers …". */
export function headersProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'has to be an object of texts, or a function that gives one';
  }
  const names = Object.keys(value);
  const reserved = names.find((name) => RESERVED.has(name.toLowerCase()));
  if (reserved !== undefined) return `must not have ${reserved.toLowerCase()}, which the client sets`;
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return 'has one name twice';
  return Object.entries(value).every(isHeader) ? undefined : 'has a name or a value that a header cannot carry';
}

function isHeader([name, value]: [string, unknown]): boolean {
  try {
    validateHeaderName(name);
    if (typeof value !== 'string') return false;
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
