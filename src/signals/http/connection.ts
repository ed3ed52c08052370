/** The options for connections (proxy, authorities, certificate, headers) -> checked settings. */

import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { checkedBy, type Kind, type Kinds, milliseconds } from '../../platform/given/options.ts';
import { ownCopy, ownValue } from '../../platform/given/read-given.ts';
import { isObject } from '../../platform/json.ts';
import type { ClientCertificate, ConnectionOptions } from '../options.ts';
import { http } from './node-http.ts';

/** A certificate without an end marker reaches to the end of the text. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?(?:-----END CERTIFICATE-----|$)/g;

/** The value of the option that lets the environment decide. */
const ENVIRONMENT = 'environment';

const PROXY: Kind = {
  expected: 'an http or https URL without path, such as http://proxy.bank.example:3128',
  is: (value) => typeof value === 'string' && (value === ENVIRONMENT || readProxy(value) !== undefined),
};
const AUTHORITIES: Kind = {
  expected: 'one or several certificates in PEM',
  is: (value) => {
    const texts = [value].flat().map(certificatesIn);
    // Each is parsed, because Node skips what it cannot read, and an empty list would only show at the first call.
    return texts.length > 0 && texts.every((ofText) => ofText.length > 0 && ofText.every(isCertificate));
  },
};
const CERTIFICATE_PARTS = 'an object with cert and key in PEM, and the passphrase if the key has one';
const AGENT: Kind = {
  expected: 'an http.Agent or https.Agent',
  is: (value) =>
    typeof value === 'object' && value !== null && 'addRequest' in value && typeof value.addRequest === 'function',
};

/** The kinds of these options. */
export const CONNECTION_KINDS: Kinds<ConnectionOptions> = {
  'proxy?': PROXY,
  'ca?': AUTHORITIES,
  'clientCertificate?': checkedBy(CERTIFICATE_PARTS, certificateProblem),
  'agent?': AGENT,
  'idleMs?': milliseconds(1),
  'headers?': checkedBy('an object of texts', (value) =>
    typeof value === 'function' ? undefined : headersProblem(value),
  ),
};

/** The checked options for connections: certificates and keys as texts, and the proxy to be used. */
export type ConnectionSettings = Exclude<ReturnType<typeof readConnection>, string>;

/** The settings of options that are valid one by one, or what is wrong with them together, as a sentence. */
export function readConnection(options: ConnectionOptions, baseUrl: string) {
  const { ca, clientCertificate, agent, idleMs, headers } = options;
  const proxy = findProxy(options.proxy, baseUrl);
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
  return {
    proxy,
    ca: ca === undefined ? undefined : [ca].flat().flatMap(certificatesIn),
    clientCertificate: clientCertificate && certificateTexts(clientCertificate),
    agent,
    headers: typeof headers === 'function' ? headers : (ownCopy(headers) as typeof headers),
  };
}

function certificatesIn(value: unknown): readonly string[] {
  return toText(value)?.match(CERTIFICATE) ?? [];
}

function certificateProblem(value: unknown): string | undefined {
  const { cert, key, passphrase, ...others } = Object.assign(Object.create(null), value) as Partial<ClientCertificate>;
  const isPassphrase = passphrase === undefined || typeof passphrase === 'string';
  if (!toText(cert) || !toText(key) || !isPassphrase || Object.keys(others).length > 0) {
    return `has to be ${CERTIFICATE_PARTS}`;
  }
  try {
    createSecureContext(certificateTexts(value as ClientCertificate));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return `cannot be used${code}: its certificate, key and passphrase have to belong together`;
  }
}

/** With a text for a buffer, which the caller may change. */
function certificateTexts(certificate: ClientCertificate) {
  const { cert, key, ...others } = certificate;
  return { ...others, cert: toText(cert) ?? '', key: toText(key) ?? '' };
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

/** The URL of a proxy; undefined for any other text. */
function readProxy(text: string): URL | undefined {
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
function findProxy(option: string | undefined, baseUrl: string): URL | 'invalid' | undefined {
  if (option !== ENVIRONMENT) return option === undefined ? undefined : readProxy(option);
  if (!baseUrl.startsWith('https:')) return undefined;
  const proxyUrl = getProxyForUrl(baseUrl);
  if (proxyUrl === '') return undefined;
  // To a proxy without a scheme the library adds that of the service; other programs read it as http.
  const hasScheme = Object.values(process.env).includes(proxyUrl);
  return readProxy(hasScheme ? proxyUrl : proxyUrl.replace(/^https:/, 'http:')) ?? 'invalid';
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
