/** What a caller of the service may do, and how a key is named. */

import type { Kind } from '../../platform/given/options.ts';

export const ROLES = ['decide', 'read', 'review', 'edit', 'approve', 'tighten', 'audit'] as const;

/** What a caller may do. */
export type Role = (typeof ROLES)[number];

/** Who calls: a key, or a person. */
export interface Caller {
  readonly name: string;
  readonly roles: readonly Role[];
}

/** Who may open decisions. */
export const READERS = ['read', 'review', 'audit'] as const satisfies readonly Role[];

/** Whose the queue is. */
export const OF_QUEUE = ['review', 'approve', 'audit'] as const satisfies readonly Role[];

/** Whether a caller has one of the roles; everybody does where none is needed. */
export function hasRole({ roles }: Caller, any: readonly Role[] | undefined): boolean {
  return any === undefined || any.some((role) => roles.includes(role));
}

const NAME = /^(?!vk_)[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

/** The name of a key; log lines contain it. */
export const KEY_NAME: Kind = {
  expected: 'up to 64 letters, digits, dots, underscores and dashes, with a letter or digit first and last',
  is: (value) => typeof value === 'string' && NAME.test(value),
};

/** What a person can be invited to: who approves has signed in at an issuer, and a program has a key. */
export const INVITED_ROLES = ['read', 'review', 'edit', 'audit'] as const satisfies readonly Role[];

/** How long a link lets somebody in. */
export const INVITATION_DAYS = 7;

/** INVARIANT: no name has angle brackets, so that none is the name and the subject of somebody else. */
export const INVITED_NAME: Kind = {
  expected: 'one line of up to 100 characters without < and >',
  is: (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 100 && !/[\p{C}<>]/u.test(value),
};
