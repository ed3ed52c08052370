/** A person who has signed in -> a cookie, and the session of it in the state, which keeps no cookie. */

import { randomBytes } from 'node:crypto';
import type { Row } from '../../stores/state/cases.ts';
import type { State } from '../../stores/state/state.ts';
import type { Caller } from './roles.ts';

/** `name` is unique, `Rita Okoye <subject>`, as leases and the log have it; `display` is what pages show. */
export interface Person extends Caller {
  readonly display: string;
  /** The issuer's name for the person, which it gives to nobody else. */
  readonly subject: string;
  /** When the issuer last asked the person for a password, or another proof, if it says so: ms since 1970. */
  readonly authenticatedAt?: number;
}

/** The unique name of a person. `display` has no angle brackets. */
export function uniqueName(display: string, subject: string): string {
  return `${display} <${subject}>`;
}

/** The display name in a unique name; a name of another form, such as that of a key, as it is. */
export function displayOf(name: string): string {
  const end = name.lastIndexOf(' <');
  return end > 0 && name.endsWith('>') ? name.slice(0, end) : name;
}

/** Times are in milliseconds since 1970, by the clock of the store. */
export interface Session {
  readonly person: Person;
  /** In a hidden field of each form: another site cannot know it. */
  readonly csrf: string;
  readonly signedInAt: number;
  readonly endsAt: number;
}

const MINUTE_MS = 60_000;
/** How long a session goes on without a request, and at all. */
const LIMITS = { idleMs: 30 * MINUTE_MS, longestMs: 600 * MINUTE_MS };
/** Of a trial, whose sessions end with it. */
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;
export const TRIAL_LIMITS: typeof LIMITS = { idleMs: YEAR_MS, longestMs: YEAR_MS };
/** Pages load several things at once: not each of them is written. */
const EXTENDED_AFTER_MS = MINUTE_MS;

const LATELY_MS = 30 * 24 * 60 * MINUTE_MS;

/** 32 random bytes in base64url. */
const VALUE = /^[\w-]{43}$/;

export type Sessions = ReturnType<typeof createSessions>;

/**
 * All calls reject with `StateUnavailable` if the store fails. `told`: who signs in, with the roles that they have,
 * before the session begins.
 */
export function createSessions(
  { run, hash }: Pick<State, 'run' | 'hash'>,
  told: (person: Person) => Promise<unknown> = async () => {},
  { idleMs, longestMs } = LIMITS,
) {
  const idOf = (cookieValue: string) => hash(`session ${cookieValue}`);
  return {
    /** The value of the cookie. Other sessions of the person get the roles of this sign-in. */
    begin: async ({ authenticatedAt, ...person }: Person) => {
      const value = randomBytes(32).toString('base64url');
      const text = JSON.stringify(person);
      await told(person);
      await run('forgetSessions', [idleMs, longestMs]);
      await run('changePerson', [person.subject, text]);
      await run('beginSession', [idOf(value), person.subject, text, authenticatedAt ?? null]);
      await run('forgetPeople', [LATELY_MS]);
      await run('seePerson', [person.name, JSON.stringify(person.roles)]);
      return value;
    },
    /** Undefined if it ended: by default after 30 minutes without a request, and after 10 hours. */
    find: async (cookieValue = ''): Promise<Session | undefined> => {
      if (!VALUE.test(cookieValue)) return undefined;
      const id = idOf(cookieValue);
      let [row] = await run('findSession', [id, idleMs, longestMs]);
      if (Number(row?.['idleMs']) > EXTENDED_AFTER_MS) [row] = await run('extendSession', [id]);
      if (!row) return undefined;
      const [signedInAt, seenAt] = [Number(row['signedInAt']), Number(row['seenAt'])];
      const endsAt = Math.min(seenAt + idleMs, signedInAt + longestMs);
      return { person: personOf(row), csrf: hash(`csrf ${cookieValue}`), signedInAt, endsAt };
    },
    /** Who signed in during the last 30 days, with the roles of the last time. */
    lately: async (): Promise<readonly Caller[]> => {
      const rows = await run('people', [LATELY_MS]);
      return rows.map(({ name, roles }) => ({ name: String(name), roles: JSON.parse(String(roles)) }));
    },
    end: async (cookieValue: string) => void (await run('endSession', [idOf(cookieValue)])),
    /** All sessions of a person. */
    endAll: async (subject: string) => void (await run('endSessionsOf', [subject])),
  };
}

function personOf({ person, authenticatedAt }: Row): Person {
  return {
    ...JSON.parse(String(person)),
    ...(authenticatedAt === null ? {} : { authenticatedAt: Number(authenticatedAt) }),
  };
}

/**
 * A cookie of this service: its headers `Set-Cookie`, and its value in a header `Cookie`. No script reads it, and other
 * sites send it with links alone. Over https its name begins with `__Host-`, so that no other host of the domain can
 * set it (RFC 6265bis, section 4.1.3.2).
 */
export function createCookie(plainName: string, isSecure: boolean) {
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  /** Without a number of seconds it goes with the browser. */
  const write = (value: string, seconds?: number) =>
    `${name}=${value}; ${attributes}${seconds === undefined ? '' : `; Max-Age=${seconds}`}`;
  return {
    write,
    clear: () => write('', 0),
    read: (header = '') => {
      const found = header.split(';').find((each) => each.trimStart().startsWith(`${name}=`));
      return found?.slice(found.indexOf('=') + 1).trim();
    },
  };
}
