/** Where the state is -> the references, cases, events and sessions that all processes of a service share. */

import { hash } from 'node:crypto';
import { type Cases, checkText, createCases, type Run } from './cases.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { References } from './references.ts';
import { openPostgres } from './state-postgres.ts';
import { openSqlite, readReferencesKey } from './state-sqlite.ts';

/**
 * A folder of this machine; or the URL of a database, with the secret of the hashes: 32 bytes as 64 hex digits, and how
 * many connections there are at most.
 */
export type StatePlace =
  | { readonly dir: string }
  | { readonly postgres: string; readonly key: string; readonly connections?: number | undefined };

export interface State {
  readonly references: References;
  readonly cases: Cases;
  readonly outbox: Outbox;
  /** For sessions. */
  readonly run: Run;
  /** As of `Home`. */
  scrub(): Promise<void>;
  /** A hash that nobody without the secret of the state can guess. */
  hash(text: string): string;
  /** How many calls wait for a connection to PostgreSQL. */
  waiting(): number;
  /** After the last claim is settled. */
  close(): Promise<void>;
}

/** Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with `StateUnavailable`. */
export async function openState(
  options: StatePlace & {
    /** After this time since its claim, a reference is forgotten. */ readonly rememberMs: number;
  },
): Promise<State> {
  const isFolder = 'dir' in options;
  const home = isFolder ? await openSqlite(options) : await openPostgres(options);
  // Of a fixed length, before each text. A `createHmac` for each request takes a tenth of its time.
  const secret = (isFolder ? await readReferencesKey(options.dir) : Buffer.from(options.key, 'hex')).toString('hex');
  const run: Run = async (name, parameters) => {
    for (const each of parameters) if (typeof each === 'string') checkText(each);
    return home.run(name, parameters);
  };
  return {
    references: home,
    cases: createCases(run),
    outbox: createOutbox(run, (...asked) => home.runAll(...asked)),
    run,
    hash: (text) => hash('sha256', secret + text, 'base64'),
    scrub: async () => home.scrub?.(),
    waiting: () => home.waiting ?? 0,
    close: () => home.close(),
  };
}
