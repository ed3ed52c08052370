/** The options for connections -> checked settings. */

import { X509Certificate } from 'node:crypto';
import type { Agent } from 'node:http';
import { createSecureContext } from 'node:tls';
import type * as Zod from 'zod';
import { ownCopy, ownValue } from '../../given/read-given.ts';
import { lazy, require } from '../../platform/lazy.ts';
import { expected } from '../describe-issues.ts';
import type { ClientCertificate } from './connection.ts';
import { type ExtraHeaders, headersProblem } from './headers.ts';
import { readProxy } from './proxy.ts';

/** Up to the end of the text, if the certificate has none. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?(?:-----END CERTIFICATE-----|$)/g;

/** The schemas of these options. */
export const connectionFields = lazy(() => {
  const z = require<typeof Zod>('zod');
  const ca = z.unknown().transform((value, context) => {
    const texts = (Array.isArray(value) ? value : [value]).map(toText);
    // Each is parsed, because Node skips what it cannot read, and an empty list would only show at the first call.
    const certificates = texts.map((text) => text?.match(CERTIFICATE) ?? []);
    if (certificates.length > 0 && certificates.every((found) => found.length > 0 && found.every(isCertificate))) {
      return certificates.flat();
    }
    context.addIssue('has to be one or several certificates in PEM');
    return z.NEVER;
  });

  const clientCertificate = z.unknown().transform((value, context) => {
    const given = Object.assign(Object.create(null), value) as Partial<Record<keyof ClientCertificate, unknown>>;
    const { cert, key, passphrase, ...others } = given;
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

/** What is wrong with options that are valid one by one, as a sentence. `proxy` is the one to be used. */
export function connectionProblem(
  { proxy, ca, clientCertificate, agent }: Omit<ConnectionSettings, 'proxy'> & { readonly proxy?: unknown },
  baseUrl: string,
): string | undefined {
  if (proxy === 'invalid') return 'proxy is left to the environment, whose proxy is not an http or https URL';
  const [forTls] = Object.entries({ proxy, ca, clientCertificate }).find(([, value]) => value !== undefined) ?? [];
  if (agent !== undefined && forTls !== undefined) return `agent cannot be combined with ${forTls}`;
  if (forTls !== undefined && !baseUrl.startsWith('https:')) return `${forTls} needs a baseUrl of https`;
  // Libraries have agents for both, whose protocol is no property of their own.
  const protocol = ownValue(agent, 'protocol');
  if (typeof protocol === 'string' && !baseUrl.startsWith(protocol)) {
    return `agent is for ${protocol.slice(0, -1)}, and the baseUrl is ${baseUrl.replace(/:.*/, '')}`;
  }
  if (ownValue(ownValue(agent, 'options'), 'rejectUnauthorized') === false) {
    return 'agent accepts any certificate: trust your own authority by ca instead of rejectUnauthorized: false';
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
