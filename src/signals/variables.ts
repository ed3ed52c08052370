/** The identity variables that the service can be asked about, by the names that it has for them. */

/** In the order in which they are sent and named. */
export const IDENTITY_VARIABLES = ['phoneNo', 'email', 'ip'] as const;

/** An identity variable, by the name that the service has for it. */
export type IdentityVariable = (typeof IDENTITY_VARIABLES)[number];
