/** The identity variables that the service accepts, by its own names. */

/** In the order in which they are sent and listed. */
export const IDENTITY_VARIABLES = ['phoneNo', 'email', 'ip'] as const;

/** An identity variable, by the service's name. */
export type IdentityVariable = (typeof IDENTITY_VARIABLES)[number];
