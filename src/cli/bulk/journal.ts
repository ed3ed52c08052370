/** A file of decisions and its intent log -> which rows are done, which were begun; makes further decisions durable. */

import { createHmac, randomBytes } from 'node:crypto';
import { appendFile, type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import * as z from 'zod';
import { realFiles } from '../../audit/store/files.ts';
import type { Row } from '../input/applicant-row.ts';
import { CouldNotRunError, write } from '../io.ts';
import { describeUnwritable } from '../options/own-file.ts';
import { Appender, readJsonLines } from './append.ts';
import { type IntentLog, type OpenOptions, openIntentLog, readIntents } from './intent-log.ts';
import { MARK, ReferenceSet } from './reference-set.ts';

/** What is known of a row before it is sent. */
type RowState = 'new' | 'begun' | 'recorded' | 'repeated';

/** Where decisions go, and what is known of earlier ones. */
export interface Journal {
  /** The row's own reference, or a keyed hash of the row: the same in each run, and revealing nothing of its values. */
  referenceOf(row: Row): string;
  /** Notes that a row of this run has the reference; gives its state, `repeated` if an earlier row had it. */
  meet(reference: string): RowState;
  /** Resolves when it is durable that the row is about to be sent. INVARIANT: a row is not sent before that. */
  begin(reference: string, line: number): Promise<void>;
  /** Notes that a begun row was certainly not carried out. */
  unsend(reference: string, error: string): Promise<void>;
  /** Resolves when the decision is durable. */
  record(decision: string): Promise<void>;
  /** Rows that earlier runs began and did not record, and that are no longer in the input. */
  lost(): AsyncGenerator<{ readonly reference: string; readonly line: number }>;
  close(): Promise<void>;
}

export function intentsFile(out: string): string {
  return `${out}.intents`;
}

/** Decisions go to a stream; nothing is kept for a later run. */
export function streamTo(out: Writable): Journal {
  const ledger = new ReferenceSet();
  const key = randomBytes(32).toString('hex');
  return {
    referenceOf: (row) => referenceOf(row, key),
    meet: (reference) => (ledger.set(reference, MARK.seen) ? 'new' : 'repeated'),
    begin: async () => {},
    unsend: async () => {},
    record: (decision) => write(out, `${decision}\n`),
    async *lost() {},
    close: async () => {},
  };
}

/**
 * Decisions go to a file, and intents to a log beside it; both are appended to, since an interrupted run is resumed.
 * Throws `CouldNotRunError` if one of them cannot be used.
 */
export async function openJournal(out: string, options: OpenOptions): Promise<Journal> {
  const opened: { close(): Promise<void> }[] = [];
  try {
    const size = await sizeOf(out);
    if (size && (await sizeOf(intentsFile(out))) === undefined) {
      throw new CouldNotRunError(
        `${out} exists without ${intentsFile(out)}, so begun rows are unknown: name another file`,
      );
    }
    const ledger = new ReferenceSet();
    const intents = await openIntentLog(intentsFile(out), ledger, options);
    opened.push(intents);
    const handle = await open(out, 'a', 0o600);
    opened.push(handle);
    await readRecorded(out, handle, (reference) => ledger.set(reference, MARK.recorded));
    // A new file survives a power failure only once its folder is on the disk.
    await realFiles.syncFolder(dirname(out));
    return journalOf(out, ledger, intents, new Appender(handle));
  } catch (error) {
    for (const each of opened.reverse()) await each.close();
    throw describeUnwritable(error, out);
  }
}

function journalOf(out: string, ledger: ReferenceSet, intents: IntentLog, decisions: Appender): Journal {
  return {
    referenceOf: (row) => referenceOf(row, intents.key),
    meet(reference) {
      if (!ledger.set(reference, MARK.seen)) return 'repeated';
      if (ledger.has(reference, MARK.recorded)) return 'recorded';
      return ledger.has(reference, MARK.begun) ? 'begun' : 'new';
    },
    begin: (reference, line) => intents.append({ begun: reference, line }),
    // Without this note the next run would count the row as doubtful.
    unsend: (reference, error) => intents.append({ unsent: reference, error }),
    record: (decision) => decisions.append(decision),
    async *lost() {
      if (ledger.count(MARK.begun, MARK.recorded | MARK.seen) === 0) return;
      for await (const intent of readIntents(intentsFile(out))) {
        if (!('begun' in intent)) continue;
        const { begun: reference, line } = intent;
        const isElsewhere = ledger.has(reference, MARK.recorded | MARK.seen) || !ledger.has(reference, MARK.begun);
        // Marked as seen, so that a row that was begun twice is reported once.
        if (!isElsewhere && ledger.set(reference, MARK.seen)) yield { reference, line };
      }
    },
    async close() {
      try {
        await decisions.close();
      } finally {
        await intents.close();
      }
    },
  };
}

const DECISION = z.object({ clientReference: z.string(), outcome: z.string() });

/** Reads the references of the decisions in a file. Repairs its end if a run was killed in the middle of a line. */
async function readRecorded(out: string, handle: FileHandle, onRecorded: (reference: string) => void): Promise<void> {
  for await (const { number, text, start, isEnded, value } of readJsonLines(out, DECISION)) {
    if (value) onRecorded(value.clientReference);
    else if (isEnded) throw new CouldNotRunError(`${out}, line ${number}, is not a decision: was the file changed?`);
    if (isEnded) continue;
    if (value) await handle.appendFile('\n');
    else {
      // Half a decision may be needed to reconcile a billed call.
      await appendFile(`${out}.torn`, `${text}\n`, { mode: 0o600, flush: true });
      await handle.truncate(start);
    }
    await handle.datasync();
  }
}

function referenceOf(row: Row, key: string): string {
  const { applicant, clientReference, context, variables } = row;
  if (clientReference !== undefined) return clientReference;
  const sorted = (values: object) => Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  const content = [applicant.phoneNo, applicant.email, applicant.ip, sorted(context), sorted(variables)];
  const digest = createHmac('sha256', key).update(JSON.stringify(content)).digest('hex');
  return `row-${digest.slice(0, 32)}`;
}

/** The size of a file; undefined if it does not exist. */
async function sizeOf(file: string): Promise<number | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new CouldNotRunError(`${file} is not a regular file`);
    return found.size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
