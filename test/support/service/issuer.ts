/** People -> an OpenID Connect issuer on this machine where they sign in, and browsers to do it with. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';

/** The claims of a person. */
export interface IssuerPerson {
  readonly sub: string;
  readonly name?: unknown;
  readonly groups?: unknown;
  readonly preferred_username?: unknown;
}

/** What an issuer answers in place of what it would. */
type Answer = 'hang up' | 'hang' | { readonly status: number; readonly body: string } | undefined;

export interface Issuer {
  readonly url: string;
  /** By their `sub`; a change counts from the next sign-in. */
  readonly people: Map<string, IssuerPerson>;
  /** Decides by the path of a request. */
  answer: (path: string) => Answer;
  /** How far its clock is ahead of this process. */
  aheadMs: number;
  /** How many requests it got, by path. */
  readonly requests: Map<string, number>;
  /** Signs with a new key from now on; the one before is gone. */
  rotateKeys(): void;
  close(): Promise<void>;
}

export interface IssuerOptions {
  readonly people: readonly IssuerPerson[];
  readonly redirectUri: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Whether the claims are in the ID token, or only for who asks for them. */
  readonly hasClaimsInToken?: boolean;
  /** How long an ID token is valid. Default: an hour. */
  readonly tokenSeconds?: number;
  /** A certificate and its key in PEM; without them it is http. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export const CLIENT = { clientId: 'verdict', clientSecret: 'canary-client-secret' };

/** By how much the clock of what runs now is ahead. */
const ahead = new AsyncLocalStorage<number>();
const realNow = Date.now;
const running = new Set<Issuer>();

/**
 * Who is sent to the issuer with `login_hint` signs in at once, if it is a `sub`. Others get a form with a list of the
 * people and a button.
 */
export async function startIssuer(options: IssuerOptions): Promise<Issuer> {
  const {
    redirectUri,
    clientId,
    clientSecret,
    hasClaimsInToken = true,
    tokenSeconds = 3600,
    tls,
  } = { ...CLIENT, ...options };
  const people = new Map(options.people.map((person) => [person.sub, person]));
  const server = tls ? createSecureServer(tls) : createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rows = new Map<string, AdapterPayload>();
  const newProvider = () =>
    new Provider(url, {
      clients: [
        { client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri], require_auth_time: true },
      ],
      adapter: (model) => adapterOf(rows, model),
      jwks: { keys: [newKey()] },
      cookies: { keys: [randomBytes(32).toString('hex')] },
      claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'groups'] },
      conformIdTokenClaims: !hasClaimsInToken,
      features: { devInteractions: { enabled: false } },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 3600,
        IdToken: tokenSeconds,
        Interaction: 3600,
        Session: 3600,
      },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      // Nobody is asked whether they agree.
      loadExistingGrant: async ({ oidc }) => {
        const accountId = oidc.session?.accountId;
        const grant = new oidc.provider.Grant({ clientId, ...(accountId === undefined ? {} : { accountId }) });
        grant.addOIDCScope('openid profile');
        await grant.save();
        return grant;
      },
    });
  let provider = newProvider();
  const issuer: Issuer = {
    url,
    people,
    answer: () => undefined,
    aheadMs: 0,
    requests: new Map(),
    rotateKeys: () => {
      provider = newProvider();
    },
    close: async () => {
      running.delete(issuer);
      if (running.size === 0) Date.now = realNow;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  running.add(issuer);
  // The clock of its own requests alone.
  Date.now = () => realNow() + (ahead.getStore() ?? 0);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '', url).pathname;
    issuer.requests.set(path, (issuer.requests.get(path) ?? 0) + 1);
    const answer = issuer.answer(path);
    if (answer === 'hang up') request.socket.destroy();
    else if (answer && answer !== 'hang')
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    else if (!answer) {
      void ahead.run(issuer.aheadMs, async () => {
        if (!path.startsWith('/interaction/')) return provider.callback()(request, response);
        return interact(provider, people, request, response).catch(() => response.writeHead(400).end());
      });
    }
  });
  return issuer;
}

function newKey(): Record<string, unknown> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomBytes(8).toString('hex');
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
}

/** What the issuer remembers, so that it is there after its keys have changed. */
function adapterOf(rows: Map<string, AdapterPayload>, model: string): Adapter {
  const find = (is: (payload: AdapterPayload) => boolean) =>
    [...rows].find(([key, payload]) => key.startsWith(`${model} `) && is(payload))?.[1];
  return {
    upsert: async (id, payload) => void rows.set(`${model} ${id}`, payload),
    find: async (id) => rows.get(`${model} ${id}`),
    findByUid: async (uid) => find((payload) => payload.uid === uid),
    findByUserCode: async (userCode) => find((payload) => payload.userCode === userCode),
    consume: async (id) => {
      const payload = rows.get(`${model} ${id}`);
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => void rows.delete(`${model} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, payload] of rows) if (payload.grantId === grantId) rows.delete(key);
    },
  };
}

async function interact(
  provider: Provider,
  people: Issuer['people'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  let body = '';
  for await (const chunk of request) body += chunk;
  const accountId = new URLSearchParams(body).get('sub') ?? String(params['login_hint']);
  if (people.has(accountId)) {
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const choices = [...people.keys()].map((sub) => `<option>${sub}</option>`).join('');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><html lang="en"><title>Sign in</title><form method="post">
    <label>Who <select name="sub">${choices}</select></label> <button>Sign in</button></form></html>`);
}

/** A browser: it keeps cookies of all sites of this machine, and follows redirects. */
export class Browser {
  readonly cookies = new Map<string, string>();

  /** The header `Cookie`. */
  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Takes a header `Set-Cookie`. */
  keep(setCookie: string): void {
    const [pair = '', ...attributes] = setCookie.split(/; */);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const isOver = attributes.some((each) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(each));
    if (isOver) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** Signs in at the issuer, as the person of the hint, and returns where it sends the browser back to. */
  async signIn(location: string, sub: string, redirectUri: string): Promise<URL> {
    const url = new URL(location);
    url.searchParams.set('login_hint', sub);
    for (let at = url, steps = 0; steps < 10; steps++) {
      const response = await fetch(at, { redirect: 'manual', headers: { cookie: this.cookieHeader } });
      for (const each of response.headers.getSetCookie()) this.keep(each);
      const next = response.headers.get('location');
      if (next === null) throw new Error(`the issuer answers ${response.status}: ${await response.text()}`);
      at = new URL(next, at);
      if (at.href.startsWith(redirectUri)) return at;
    }
    throw new Error('the issuer does not send the browser back');
  }
}
