/** People of a pilot without an issuer -> links that let them in once, and who was invited. */

import { randomBytes } from 'node:crypto';
import type { State } from '../../stores/state/state.ts';
import { INVITATION_DAYS, type Role } from './roles.ts';
import { createSessions, type Person, uniqueName } from './sessions.ts';

const VALID_MS = INVITATION_DAYS * 86_400_000;

export interface Invitation {
  readonly name: string;
  readonly roles: readonly Role[];
  /** Times are in milliseconds since 1970, by the clock of the store. */
  readonly madeAt: number;
  /** Null if nobody has used it. */
  readonly usedAt: number | null;
  readonly hasExpired: boolean;
}

export type Invitations = ReturnType<typeof createInvitations>;

/** All calls reject with `StateUnavailable` if the store fails. */
export function createInvitations({ run, hash }: Pick<State, 'run' | 'hash'>) {
  const idOf = (secret: string) => hash(`invitation ${secret}`);
  const withdraw = (name: string) => run('withdraw', [name]);
  return {
    /** The secret of a link, which is kept nowhere. Earlier links of the person are void; their sessions go on. */
    invite: async (name: string, roles: readonly Role[]): Promise<string> => {
      const secret = randomBytes(24).toString('base64url');
      await withdraw(name);
      await run('invite', [idOf(secret), name, JSON.stringify(roles)]);
      return secret;
    },
    /** Whom a link lets in, once. Undefined for one that was used, revoked, or made more than seven days ago. */
    redeem: async (secret: string): Promise<Person | undefined> => {
      const [row] = await run('redeem', [idOf(secret), VALID_MS]);
      return row && invitedPerson(String(row['name']), JSON.parse(String(row['roles'])));
    },
    /** Whether a link was not revoked since it was used. */
    stands: async (secret: string): Promise<boolean> => (await run('hasInvitation', [idOf(secret)])).length > 0,
    list: async (): Promise<readonly Invitation[]> =>
      (await run('invitations', [VALID_MS])).map(({ name, roles, madeAt, usedAt, hasExpired }) => ({
        name: String(name),
        roles: JSON.parse(String(roles)),
        madeAt: Number(madeAt),
        usedAt: usedAt === null ? null : Number(usedAt),
        hasExpired: Boolean(hasExpired),
      })),
    /** Ends the links and then the sessions of a person; false if nobody of that name was invited. */
    revoke: async (name: string): Promise<boolean> => {
      const withdrawn = await withdraw(name);
      await createSessions({ run, hash }).endAll(invitedPerson(name, []).subject);
      return withdrawn.length > 0;
    },
  };
}

function invitedPerson(name: string, roles: readonly Role[]): Person {
  return { display: name, subject: `invited ${name}`, name: uniqueName(name, 'invited'), roles };
}
