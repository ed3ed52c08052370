/** Orders of the main thread -> transactions of a file of SQLite, in a thread of its own: SQLite waits. */

import { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { CodedCause, foreignCode } from '../../errors.ts';
import { idOf } from '../../platform/files/file-id.ts';
import type { AnyOrder, FileSetting, Message, Reply } from './shared-file.ts';

/** What is kept in the file. */
export interface FileContent<Opened, Order, Answer> {
  readonly format: number;
  /** Makes the tables of a new file. */
  readonly schema: string;
  /** Drops the tables of the format before. */
  readonly dropEarlier?: string;
  prepare(database: DatabaseSync): Opened;
  /** What `scrub` does, outside of transactions. Default: what was overwritten leaves the write-ahead log. */
  readonly scrub?: string;
  /** Carries out orders, maybe none, within one transaction: an answer each. */
  carryOut(opened: Opened, orders: readonly Order[]): readonly Answer[];
}

/** The primary result codes of SQLite (sqlite.org/rescode.html) that a disk or a file may cause. */
const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

interface OpenFile<Opened> {
  readonly database: DatabaseSync;
  /** Processes that open the file from now on take the log with this name. */
  readonly walId: string;
  readonly content: Opened;
}

/** Serves the orders of the main thread until one says `close`. The result carries out no order, as a timer asks. */
export function serveFile<Opened, Order extends AnyOrder, Answer>(
  setting: FileSetting,
  content: FileContent<Opened, Order, Answer>,
): { readonly turn: () => void; readonly ended: Promise<void> } {
  const { file, fileId } = setting;
  const end = Promise.withResolvers<void>();
  let open: OpenFile<Opened> | undefined;
  /** Once the file was removed or replaced, what other processes write may be in another one: for good. */
  let isReplaced = false;

  /** Carries out all waiting orders in one transaction, so that they share one write to the disk. */
  const carryOut = (messages: readonly Message<Order>[]) => {
    try {
      if (isReplaced) throw new CodedCause('FILE_REPLACED');
      const starts = messages.some(({ order }) => order.do === 'open');
      if (open) open.database.exec('begin immediate');
      else open = openFile(setting, content, starts ? START_PATIENCE * setting.lockMs : setting.lockMs);
      const given = content.carryOut(
        open.content,
        messages.map(({ order }) => order),
      );
      open.database.exec('commit');
      isReplaced = idOf(file) !== fileId || idOf(`${file}-wal`) !== open.walId;
      if (isReplaced) throw new CodedCause('FILE_REPLACED');
      const answers = messages.map(({ id }, i) => ({ id, answer: given[i] as Answer }));
      parentPort?.postMessage({ answers } satisfies Reply<Answer>);
    } catch (error) {
      // Closing rolls back, and the next time begins with the file as it is then.
      open?.database.close();
      open = undefined;
      const answers = messages.map(({ id }) => ({ id }));
      parentPort?.postMessage({ answers, code: codeOf(error) } satisfies Reply<Answer>);
    }
    if (!messages.some(({ order }) => order.do === 'close')) return;
    open?.database.close();
    parentPort?.close();
    end.resolve();
  };
  /** An order of its own: if it fails, those that came with it were carried out. */
  const scrub = ({ id }: Message<Order>) => {
    try {
      if (!open) throw new CodedCause('NOT_OPEN');
      open.database.exec(content.scrub ?? 'pragma wal_checkpoint(truncate)');
      parentPort?.postMessage({ answers: [{ id }] } satisfies Reply<Answer>);
    } catch (error) {
      parentPort?.postMessage({ answers: [{ id }], code: codeOf(error) } satisfies Reply<Answer>);
    }
  };
  parentPort?.on('message', (first: Message<Order>) => {
    const { scrubbing = [], others = [] } = Object.groupBy(drain([first]), ({ order }) =>
      order.do === 'scrub' ? 'scrubbing' : 'others',
    );
    if (others.length > 0) carryOut(others);
    scrubbing.forEach(scrub);
  });
  return { turn: () => carryOut(drain([])), ended: end.promise };
}

/** Rejects a file with damaged pages: the whole of it is read. */
export function checkPages(database: DatabaseSync): void {
  if (database.prepare('pragma quick_check(1)').get()?.['quick_check'] !== 'ok') {
    throw new CodedCause('SQLITE_CORRUPT');
  }
}

/** A start waits this many times longer for a lock than an order: another start may be reading the whole file. */
const START_PATIENCE = 30;

/** Begins the transaction in which its orders are carried out, so that a start waits for one lock. */
function openFile<Opened>(
  { file, fileId, keyCheck, lockMs, discards }: FileSetting,
  { format, schema, dropEarlier, prepare }: Omit<FileContent<Opened, never, unknown>, 'carryOut'>,
  waitMs: number,
): OpenFile<Opened> {
  if (idOf(file) !== fileId) throw new CodedCause('FILE_REPLACED');
  const database = new DatabaseSync(file);
  try {
    // `full`: a commit is on the disk, so that it survives a power failure.
    database.exec(`pragma busy_timeout = ${waitMs}; pragma journal_mode = wal; pragma synchronous = full;
      pragma secure_delete = on`);
    database.exec('begin immediate');
    const { user_version: found } = { ...database.prepare('pragma user_version').get() };
    const isNew = found === 0 && !database.prepare('select 1 from sqlite_schema').get();
    if (isNew) {
      database.exec(`${schema}; create table key_check (value text not null) strict; pragma user_version = ${format}`);
      database.prepare('insert into key_check values (?)').run(keyCheck);
    } else if (discards && found === format - 1 && dropEarlier) {
      database.exec(`${dropEarlier}; ${schema}; pragma user_version = ${format}`);
    } else if (found !== format) throw new CodedCause('OTHER_FORMAT');
    const { value } = { ...database.prepare('select value from key_check').get() };
    if (value !== keyCheck) throw new CodedCause('OTHER_KEY');
    const content = prepare(database);
    database.exec(`pragma busy_timeout = ${lockMs}`);
    return { database, walId: idOf(`${file}-wal`), content };
  } catch (error) {
    database.close();
    throw error;
  }
}

function codeOf(error: unknown): string {
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;
  if (errcode === undefined) return foreignCode(error) ?? 'UNKNOWN';
  return CODES[errcode & 0xff] ?? `SQLITE_${errcode}`;
}

function drain<Order>(messages: Message<Order>[]): readonly Message<Order>[] {
  if (!parentPort) return messages;
  for (let next = receiveMessageOnPort(parentPort); next; next = receiveMessageOnPort(parentPort)) {
    messages.push(next.message);
  }
  return messages;
}
