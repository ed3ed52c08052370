/** serve.yaml and the environment -> receivers of events; an event -> a signed request, and what became of it. */

import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { CodedCause, foreignCode, VerdictError } from '../../errors.ts';
import { isOfInternet } from '../../platform/formats/ip.ts';
import { ENGINE_VERSION } from '../../version.ts';
import { inNetworks } from '../auth/proxies.ts';
import { type Environment, readVariable } from '../config/places.ts';
import type { ServeConfig, Webhook } from '../config.ts';

/** A webhook with what its variables say. */
export interface Receiver extends Omit<Webhook, 'urlVariable' | 'secretVariable'> {
  readonly url: URL;
  readonly secrets: readonly Buffer[];
}

/** Looks up the variables of the webhooks. Throws CONFIGURATION_INVALID, without what they say. */
export function findReceivers({ webhooks = [] }: ServeConfig, env: Environment): readonly Receiver[] {
  return webhooks.map(({ urlVariable, secretVariable, ...webhook }) => {
    const { name, allow = [] } = webhook;
    const invalid = (variable: string, expected: string) =>
      new VerdictError('CONFIGURATION_INVALID', `${variable} of webhook ${name} is malformed: expected ${expected}`);
    const url = URL.parse(readVariable(urlVariable, `the URL of webhook ${name}`, env));
    const isPlain = url?.protocol === 'http:' && allow.length > 0;
    if (!url || url.username || url.password || !(isPlain || url.protocol === 'https:')) {
      throw invalid(urlVariable, 'a URL of https without a user, or of http to an address that `allow` names');
    }
    const texts = readVariable(secretVariable, `the secret of webhook ${name}`, env).trim().split(/\s+/);
    const secrets = texts.flatMap((text) => readSecret(text) ?? []);
    if (secrets.length < texts.length) {
      throw invalid(secretVariable, `${PREFIX} and the base64 of 24 to 64 bytes; during a rotation, two with a space`);
    }
    return { ...webhook, url, secrets };
  });
}

const PREFIX = 'whsec_';

/** Standard Webhooks, "Signature scheme". */
function readSecret(text: string): Buffer | undefined {
  const secret = Buffer.from(text.slice(PREFIX.length), 'base64');
  const isSound = text === PREFIX + secret.toString('base64') && secret.length >= 24 && secret.length <= 64;
  return isSound ? secret : undefined;
}

/** Sends an event once; the code of what failed, undefined if the receiver has it. Never rejects. */
export async function send(receiver: Receiver, id: string, body: string, signal: AbortSignal) {
  const { url, secrets, allow = [] } = receiver;
  const isNamed = inNetworks(allow);
  const isAllowed = (address: string) => isNamed(address) || (url.protocol === 'https:' && isOfInternet(address));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowed(host)) return REFUSED;
  const timestamp = Math.floor(Date.now() / 1000);
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise<string | undefined>((resolve) => {
    const sending = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `verdict/${ENGINE_VERSION}`,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      },
      // No connection of another receiver is used, and each is to an address that was checked.
      ...{ agent: false, autoSelectFamily: true, lookup: lookupAmong(isAllowed), signal },
    });
    sending.once('error', (error) => {
      resolve(signal.aborted ? 'TIMED_OUT' : (foreignCode(error) ?? 'CONNECTION_FAILED'));
    });
    sending.once('response', ({ statusCode = 0 }) => {
      sending.destroy();
      resolve(statusCode >= 200 && statusCode < 300 ? undefined : `HTTP_${statusCode}`);
    });
    sending.end(body);
  });
}

const REFUSED = 'ADDRESS_NOT_ALLOWED';

/** Gives a connection those addresses of a host that pass, so that it goes to none that was not checked. */
function lookupAmong(isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, tell) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const allowed = found?.filter(({ address }) => isAllowed(address)) ?? [];
      tell(error ?? (allowed.length > 0 ? null : new CodedCause(REFUSED)), allowed);
    });
  };
}
