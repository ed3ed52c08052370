/** Usernames and passwords -> tokens that expire; a user may have any number of them. */

import { randomBytes } from 'node:crypto';
import type { Credentials } from './request.ts';

/** Someone who may sign in. */
export interface SandboxUser {
  readonly username: string;
  readonly password: string;
}

/** The default users: an account and its child account. */
export const SANDBOX_USERS: readonly SandboxUser[] = [
  { username: 'sandbox-user', password: 'sandbox-password' },
  { username: 'sandbox-branch', password: 'branch-password' },
];

/** How long a token is valid, according to the service's documentation. */
export const TOKEN_LIFE_MS = 8 * 60 * 60 * 1000;

/** The tokens that are valid. */
export interface Sessions {
  /** A new token; undefined if the username or the password is wrong. Earlier tokens stay valid. */
  signIn(credentials: Credentials): string | undefined;
  /** Whether an `Authorization` header carries a valid token. */
  admits(authorization: string | undefined): boolean;
  /** Ends every token. */
  revoke(): void;
}

/** @param now the clock, in milliseconds */
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
