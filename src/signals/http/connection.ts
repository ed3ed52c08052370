/** The options for connections (proxy, authorities, certificate, headers) -> checked settings. */

import { X509Certificate } from 'node:crypto';
import type { Agent } from 'node:http';
import { createSecureContext } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import type * as Zod from 'zod';
import { ownCopy, ownValue } from '../../platform/given/read-given.ts';
import { isObject } from '../../platform/json.ts';
import { lazy, require } from '../../platform/lazy.ts';
import { expected } from '../describe-issues.ts';
import type { ClientCertificate, ExtraHeaders } from '../options.ts';
import { http } from './node-http.ts';

/** A certificate without an end marker reaches to the end of the text. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?(?:-----END CERTIFICATE-----|$)/g;

/** The schemas of these options. */
export const connectionFields = lazy(() => {
  const z = require<typeof Zod>('zod');
  const ca = z.unknown().transform((value, context) => {
    const texts = (Array.isArray(value) ? value : [value]).map(toText);
    // Each is parsed, because Node skips what it cannot read, and an empty list would only show at the first call.
    const certificates = texts.map((text) => text?.match(CERTIFICATE) ?? []);
    if (certificates.length > 0 && certificates.every((ofText) => ofText.length > 0 && ofText.every(isCertificate))) {
      return certificates.flat();
    }
    context.addIssue('has to be one or several certificates in PEM');
    return z.NEVER;
  });

  const clientCertificate = z.unknown().transform((value, context) => {
    const fields = Object.assign(Object.create(null), value) as Partial<Record<keyof ClientCertificate, unknown>>;
    const { cert, key, passphrase, ...others } = fields;
    const texts = { cert: toText(cert), key: toText(key) };
    const isPassphrase = passphrase === undefined || typeof passphrase === 'string';
    if (!texts.cert || !texts.key || !isPassphrase || Object.keys(others).length > 0) {
      context.addIssue('has to be an object with cert and key in PEM, and the passphrase if the key has one');
      return z.NEVER;
    }
    const certificate = { cert: texts.cert, key: texts.key, ...(passphrase === undefined ? {} : { passphrase }) };
    try {
      createSecureContext(certificate);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
      context.addIssue(`cannot be used${code}: its certificate, key and passphrase have to belong together`);
      return z.NEVER;
    }
    return certificate;
  });

  return {
    proxy: z
      .string(expected('a text'))
      .transform((text, context) => {
        const proxy = readProxy(text);
        if (proxy !== undefined) return proxy;
        context.addIssue('has to be an http or https URL without path, such as http://proxy.bank.example:3128');
        return z.NEVER;
      })
      .optional(),
    ca: ca.optional(),
    clientCertificate: clientCertificate.optional(),
    agent: z.custom<Agent>(isAgent, 'has to be an http.Agent or https.Agent').optional(),
    headers: z
      .unknown()
      .transform((value, context) => {
        if (typeof value === 'function') return value as () => unknown;
        const problem = headersProblem(value);
        if (problem === undefined) return ownCopy(value) as ExtraHeaders;
        context.addIssue(problem);
        return z.NEVER;
      })
      .optional(),
  };
});

/** The checked options for connections. */
export type ConnectionSettings = Zod.output<Zod.ZodObject<ReturnType<typeof connectionFields>>>;

/** What is wrong with options that are valid one by one, as a sentence. `proxy` is already resolved. */
export function connectionProblem(
  {
    proxy,
    ca,
    clientCertificate,
    agent,
    idleMs,
  }: Omit<ConnectionSettings, 'proxy'> & { readonly proxy?: unknown; readonly idleMs?: number | undefined },
  baseUrl: string,
): string | undefined {
  if (proxy === 'invalid') return 'proxy is `environment`, but the proxy named there is not an http or https URL';
  const [forTls] = Object.entries({ proxy, ca, clientCertificate }).find(([, value]) => value !== undefined) ?? [];
  const notForAgent = forTls ?? (idleMs === undefined ? undefined : 'idleMs');
  if (agent !== undefined && notForAgent !== undefined) return `agent cannot be combined with ${notForAgent}`;
  if (forTls !== undefined && !baseUrl.startsWith('https:')) return `${forTls} needs a baseUrl of https`;
  // An agent of a library may serve both protocols; then `protocol` is not an own property.
  const protocol = ownValue(agent, 'protocol');
  if (typeof protocol === 'string' && !baseUrl.startsWith(protocol)) {
    return `agent is for ${protocol.slice(0, -1)}, and the baseUrl is ${baseUrl.replace(/:.*/, '')}`;
  }
  if (ownValue(ownValue(agent, 'options'), 'rejectUnauthorized') === false) {
    return 'agent accepts any certificate: trust your own authority with ca instead of rejectUnauthorized: false';
  }
  return undefined;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : undefined;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function isAgent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'addRequest' in value && typeof value.addRequest === 'function';
}

/** The value of the option that lets the environment decide. */
const ENVIRONMENT = 'environment';

/** The option `proxy`; undefined if it is neither `environment` nor the URL of a proxy. */
function readProxy(text: string): URL | typeof ENVIRONMENT | undefined {
  if (text === ENVIRONMENT) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isProxy = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isProxy && url.pathname === '/' && !/[?#]/.test(text) && isDecodable(url) ? url : undefined;
}

function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The proxy to a URL of the service; undefined if there is none. The environment's proxy is not used for an http URL,
 * which usually leads to this machine. `invalid` if the environment names a proxy that cannot be used.
 */
export function findProxy(option: URL | typeof ENVIRONMENT | undefined, baseUrl: string): URL | 'invalid' | undefined {
  if (option !== ENVIRONMENT) return option;
  if (!baseUrl.startsWith('https:')) return undefined;
  const proxyUrl = getProxyForUrl(baseUrl);
  if (proxyUrl === '') return undefined;
  // To a proxy without a scheme the library adds that of the service; other programs read it as http.
  const hasScheme = Object.values(process.env).includes(proxyUrl);
  const proxy = readProxy(hasScheme ? proxyUrl : proxyUrl.replace(/^https:/, 'http:'));
  return proxy instanceof URL ? proxy : 'invalid';
}

/** Headers that the client or Node sets: the session, the form of the body, the connection, the request's end. */
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
  if (!isObject(value)) return 'has to be an object of texts, or a function that returns one';
  const names = Object.keys(value);
  const reserved = names.find((name) => RESERVED.has(name.toLowerCase()));
  if (reserved !== undefined) return `must not have ${reserved.toLowerCase()}, which the client sets`;
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return 'has a name twice';
  return Object.entries(value).every(isHeader) ? undefined : 'has a name or a value that a header cannot carry';
}

function isHeader([name, value]: [string, unknown]): boolean {
  try {
    http.validateHeaderName(name);
    if (typeof value !== 'string') return false;
    http.validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
