/** An OpenID Connect issuer -> the people who sign in there, by an authorization code and PKCE (RFC 6749, RFC 7636). */

import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Configuration, ServerMetadata } from 'openid-client';
import { openText, sealText } from '../../audit/keys/encrypt.ts';
import { foreignCode } from '../../errors.ts';
import { loadOptional } from '../../platform/lazy.ts';
import { CONTROL } from '../../signals/request.ts';
import type { State } from '../../stores/state/state.ts';
import type { People } from '../config.ts';
import { ProblemError } from '../problem.ts';
import { ROLES } from './roles.ts';
import { createCookie, type Person, uniqueName } from './sessions.ts';

export interface SignIn {
  /**
   * Where to send the browser, and the cookie that binds the sign-in to it. `to` is where the person wants to go: a
   * path of this service, and `/` in place of anything else. `isAfresh`: whether the issuer asks for a password
   * or another proof even if its own session goes on (OpenID Connect Core, section 3.1.2.1). Throws ISSUER_UNAVAILABLE.
   */
  begin(to: string, isAfresh?: boolean): Promise<{ readonly location: string; readonly setCookie: string }>;
  /**
   * The query that the issuer sent the browser back with, and its header `Cookie` -> the person. `setCookie` removes
   * the cookie. A query is good once: the issuer takes a code once (RFC 6749, section 4.1.2), and another code has
   * another state and nonce. Throws SIGN_IN_INVALID, ISSUER_UNAVAILABLE, and FORBIDDEN for a person without a role.
   */
  finish(
    query: string,
    cookieHeader: string | undefined,
  ): Promise<{ readonly person: Person; readonly to: string; readonly setCookie: string }>;
}

export interface SignInOptions {
  readonly people: People;
  readonly clientSecret: string;
  /** Of the state: all processes of a service open the cookies of each other. */
  readonly hash: State['hash'];
}

/** What the cookie has, encrypted. */
interface Begun {
  readonly to: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Whether the issuer was to ask for a password. */
  readonly isAfresh: boolean;
  /** In milliseconds since 1970. */
  readonly beganAt: number;
}

/** Long enough for a password and a second factor. */
const SIGN_IN_SECONDS = 600;
/** How often a cookie is good: a code may be guessed, and each guess is a request to the issuer. */
const MOST_TRIES = 3;
/** Cookies of which tries are remembered: the oldest is forgotten first. */
const MOST_REMEMBERED = 10_000;
/** OpenID Connect Core, section 2. */
const LONGEST_SUBJECT = 255;
/** For each request to the issuer. */
const LIMIT_SECONDS = 5;
/** How far the clocks may differ, and by how much Microsoft Entra ID dates its tokens back. */
const [TOLERANCE_SECONDS, DATED_BACK_SECONDS] = [120, 300];
/** With a longer path the cookie could be longer than the 4,096 bytes that browsers keep. */
const LONGEST_PATH = 1000;
/** Longer names are of no person. */
const LONGEST_NAME = 100;

type Library = typeof import('openid-client');

/** Rejects with CONFIGURATION_INVALID, which says how to install it. */
export const loadOpenIdClient = () => loadOptional<Library>('openid-client', 6, 'people need');

export function createSignIn({ people, clientSecret, hash }: SignInOptions): SignIn {
  const { origin } = people;
  const cookie = createCookie('verdict-sign-in', origin.startsWith('https:'));
  const key = createSecretKey(hash('key of the cookie of a sign-in'), 'base64');
  const redirectUri = `${origin}/sign-in/callback`;

  let found: { readonly server: ServerMetadata; readonly at: number } | undefined;
  /** How often the cookies of late were tried, by their nonce. */
  const tries = new Map<string, number>();

  /**
   * Each beginning asks the issuer, so that a sign-in works as soon as the issuer does; its end goes by what that said.
   * The keys are asked for at each end.
   */
  const configure = async (library: Library, isAnew: boolean): Promise<Configuration> => {
    const { discovery, allowInsecureRequests, Configuration, clockTolerance } = library;
    const metadata = { [clockTolerance]: TOLERANCE_SECONDS };
    const execute = [library.enableNonRepudiationChecks];
    // Which are those of this machine.
    if (people.issuer.startsWith('http:')) execute.push(allowInsecureRequests);
    const secret = library.ClientSecretBasic(clientSecret);
    if (!isAnew && found && Date.now() - found.at < SIGN_IN_SECONDS * 1000) {
      const config = new Configuration(found.server, people.clientId, metadata, secret);
      config.timeout = LIMIT_SECONDS;
      for (const each of execute) each(config);
      return config;
    }
    const issuer = new URL(people.issuer);
    const config = await discovery(issuer, people.clientId, metadata, secret, { execute, timeout: LIMIT_SECONDS });
    found = { server: config.serverMetadata(), at: Date.now() };
    return config;
  };

  const countTry = (nonce: string) => {
    const count = (tries.get(nonce) ?? 0) + 1;
    if (count > MOST_TRIES) throw new ProblemError('SIGN_IN_INVALID', 'it was tried too often');
    tries.set(nonce, count);
    const [oldest = ''] = tries.keys();
    if (tries.size > MOST_REMEMBERED) tries.delete(oldest);
  };

  return {
    begin: async (to, isAfresh = false) => {
      const library = await loadOpenIdClient();
      const config = await configure(library, true).catch(refuse);
      const begun: Begun = {
        to: pathOf(to, origin),
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
        isAfresh,
        beganAt: Date.now(),
      };
      const location = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: ['openid', ...(people.scopes ?? ['profile'])].join(' '),
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        ...(isAfresh ? { prompt: 'login', max_age: '0' } : {}),
      });
      const sealed = sealText(JSON.stringify(begun), key, NO_CONTEXT);
      return { location: location.href, setCookie: cookie.write(sealed.toString('base64url'), SIGN_IN_SECONDS) };
    },
    finish: async (query, cookieHeader) => {
      const begun = decrypt(cookie.read(cookieHeader), key);
      if (!begun || Date.now() - begun.beganAt > SIGN_IN_SECONDS * 1000)
        throw new ProblemError('SIGN_IN_INVALID', NOT_BEGUN);
      countTry(begun.nonce);
      const library = await loadOpenIdClient();
      const url = new URL(redirectUri);
      url.search = query;
      const claims = await configure(library, false)
        .then((config) => claimsOf(config, url, begun, library, people.roles.claim))
        .catch(refuse);
      return { person: personOf(claims, people.roles), to: begun.to, setCookie: cookie.clear() };
    },
  };
}

const NOT_BEGUN = 'it was begun in another browser, or more than 10 minutes ago';

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Trades the code for the claims of the person. */
async function claimsOf(
  config: Configuration,
  url: URL,
  { state, nonce, verifier, isAfresh, beganAt }: Begun,
  { authorizationCodeGrant, fetchUserInfo }: Library,
  groups: string,
): Promise<Claims> {
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const tokens = await authorizationCodeGrant(config, url, checks);
  const claims = tokens.claims();
  if (!claims) throw new ProblemError('SIGN_IN_INVALID');
  const ageSeconds = Date.now() / 1000 - claims.iat;
  if (ageSeconds < -TOLERANCE_SECONDS || ageSeconds > DATED_BACK_SECONDS + TOLERANCE_SECONDS) {
    throw new ProblemError('SIGN_IN_INVALID', CLOCKS);
  }
  // By the issuer's clock alone, in whole seconds.
  const provedSeconds = claims.iat - (claims.auth_time ?? Number.NEGATIVE_INFINITY);
  if (isAfresh && provedSeconds > (Date.now() - beganAt) / 1000 + 1)
    throw new ProblemError('SIGN_IN_INVALID', NOT_AFRESH);
  // Some issuers leave the groups out of a token that comes with a code.
  if (claims[groups] !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
}

const NOT_AFRESH = 'after a sign-out the issuer has to ask for a password, and to say when it did (`auth_time`)';

const CLOCKS = 'the clocks of the issuer and of this service differ by more than 2 minutes';

function personOf(claims: Claims, { claim, map }: People['roles']): Person {
  const groups = [claims[claim]].flat() as readonly string[];
  const held = new Set(groups.flatMap((group) => map.get(group) ?? []));
  const roles = ROLES.filter((role) => held.has(role));
  if (roles.length === 0)
    throw new ProblemError('FORBIDDEN', 'this person has no role here: ask the people who give roles');
  const { sub: subject, auth_time: authTime } = claims;
  if (subject.trim() === '' || subject.length > LONGEST_SUBJECT || CONTROL.test(subject))
    throw new ProblemError('SIGN_IN_INVALID', 'the issuer names the person by no usable subject (`sub`)');
  const display = [claims['name'], claims['preferred_username']].map(nameOf).find(Boolean) ?? subject;
  const authenticatedAt = typeof authTime === 'number' ? { authenticatedAt: authTime * 1000 } : {};
  return { name: uniqueName(display, subject), display, subject, roles, ...authenticatedAt };
}

/** INVARIANT: no name has angle brackets, so that none is the name and the subject of somebody else. */
function nameOf(claim: unknown): string {
  if (typeof claim !== 'string') return '';
  const words = claim.replace(/[\p{C}\p{Z}<>]+/gu, ' ').trim();
  return [...words].slice(0, LONGEST_NAME).join('');
}

/** A path of this service. */
function pathOf(to: string, origin: string): string {
  const url = URL.parse(to, origin);
  const path = url?.origin === origin ? url.pathname + url.search : '';
  // `/..//a.example` is a path of this service, and a redirect to `//a.example` leads to another one.
  return /^\/(?!\/)/.test(path) && path.length <= LONGEST_PATH ? path : '/';
}

/** Codes of openid-client for an answer that is not OpenID Connect: the issuer fails, or another server answers. */
const NO_ANSWER = ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR', 'OAUTH_TIMEOUT'];

const NO_CLIENT = 'the issuer does not know the client, or its secret: see `people` in serve.yaml';
const OTHER_NAME = 'the issuer names itself otherwise: see `issuer` in serve.yaml';

/** What an issuer may say (RFC 6749, sections 4.1.2.1 and 5.2), or openid-client of its answer. */
const REFUSALS: ReadonlyMap<string | undefined, string> = new Map([
  ['access_denied', 'the issuer refused it'],
  ['invalid_grant', 'the issuer does not take its code, or took it before'],
  ['invalid_client', NO_CLIENT],
  ['unauthorized_client', 'the issuer does not let the client sign people in'],
  ['invalid_scope', 'the issuer does not know a scope: see `people` in serve.yaml'],
  ['OAUTH_WWW_AUTHENTICATE_CHALLENGE', NO_CLIENT],
  ['OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', OTHER_NAME],
  ['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', CLOCKS],
]);

/** Throws the problem of an error of openid-client. Its code alone is shown: the rest may quote tokens and people. */
function refuse(error: unknown): never {
  if (error instanceof ProblemError) throw error;
  const { code, error: named } = error as { readonly code?: string; readonly error?: string };
  // `fetch` throws a TypeError without a code.
  const isDown = (error instanceof TypeError && code === undefined) || NO_ANSWER.includes(code ?? '');
  const how = foreignCode(error);
  const detail = how && `the issuer fails with ${how}`;
  if (isDown) throw new ProblemError('ISSUER_UNAVAILABLE', detail);
  throw new ProblemError('SIGN_IN_INVALID', REFUSALS.get(named ?? code) ?? detail);
}

function decrypt(value: string | undefined, key: KeyObject): Begun | undefined {
  const text = openText(Buffer.from(value ?? '', 'base64url'), key, NO_CONTEXT);
  return text === undefined ? undefined : JSON.parse(text);
}

const NO_CONTEXT = Buffer.alloc(0);
