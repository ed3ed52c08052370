/** A statement on a connection; apart, so that who names it needs no types of a driver. */

/** The rows of a statement. */
export type Query = (text: string, parameters?: readonly unknown[]) => Promise<readonly unknown[]>;
