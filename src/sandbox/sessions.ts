/** From usernames and passwords to tokens that live for a while; any number of them per user. */

import { randomBytes } from 'node:crypto';
import type { Credentials } from './request.ts';

/** Someone who may sign in. */
export interface SandboxUser {
  readonly username: string;
  readonly password: string;
}

/** Who may sign in unless the caller says otherwise: one account, and a child account of its own. */
export const SANDBOX_USERS: readonly SandboxUser[] = [
  { username: 'sandbox-user', password: 'sandbox-password' },
  { username: 'sandbox-branch', password: 'branch-password' },
];

/** How long a token lives, by the service's documentation. */
export const TOKEN_LIFE_MS = 8 * 60 * 60 * 1000;

/** Who is signed in. */
export interface Sessions {
  /** A new token, or undefined where username and password are not a pair. Earlier tokens stay valid. */
  signIn(credentials: Credentials): string | undefined;
  /** Whether an `Authorization` header carries a token that is alive. */
  admits(authorization: string | undefined): boolean;
  /** Ends every token. */
  revoke(): void;
}

/** Sessions of some users on a clock (milliseconds). */
export function createSessions(users: readonly SandboxUser[], now: () => number, tokenLifeMs: number): Sessions {
  const ends = new Map<string, number>();
  return {
    signIn({ username, password }) {
      if (!users.some((user) => user.username === username && user.password === password)) return undefined;
      for (const [token, end] of ends) if (end <= now()) ends.delete(token);
      const token = randomBytes(32).toString('base64url');
      ends.set(token, now() + tokenLifeMs);
      return token;
    },
    admits(authorization) {
      // RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1).
      const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
      const end = token === undefined ? undefined : ends.get(token);
      return end !== undefined && now() < end;
    },
    revoke() {
      ends.clear();
    },
  };
}
