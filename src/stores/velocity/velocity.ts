/** Where the counts are -> the store of velocity, and its key. */

import { createHmac, createSecretKey, hash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { readFirstIndexKey } from '../../audit/keys/key-folder.ts';
import type { Counting, SeenSet, TimedMember, VelocityStore } from '../../decision/velocity-store.ts';
import { VerdictError } from '../../errors.ts';
import { milliseconds, optionsReader, TEXT } from '../../platform/given/options.ts';
import { readSecretKey, wrapFileErrors } from '../state/shared-file.ts';
import { type Applying, type Swept, type VelocityHome, VelocityUnavailable } from './home.ts';

/** Where the counts are: one of `sqlite`, `postgres` and `redis`. */
export interface VelocityStoreOptions {
  /** The file of a database, which the processes of one machine share. It is made if it is not there. */
  readonly sqlite?: string;
  /** `postgres://user:password@host/database?sslmode=verify-full`. Needs the optional package `pg`. */
  readonly postgres?: string;
  /** `rediss://user:password@host:port/0`, of Redis from 6.2 or Valkey. Needs the optional package `@redis/client`. */
  readonly redis?: string;
  /** The key folder of an audit log, whose first index key is then the key of the hashes. */
  readonly keys?: string;
  /**
   * A file of 32 bytes, the key of the hashes where there is no log. Default for `sqlite`: beside the file, with the
   * ending `.key`, made if it is not there.
   */
  readonly keyFile?: string;
  /** The deadline of each call, in milliseconds. Default: 1000. */
  readonly timeoutMs?: number;
}

/** A store of velocity, and what people ask of it. */
export interface OpenVelocityStore extends VelocityStore {
  /** The counts alone, without an application and without adding anything. */
  peek(of: Pick<Counting, 'at' | 'counts'>): Promise<readonly number[]>;
}

const readOptions = optionsReader<VelocityStoreOptions>('the options of the velocity store', {
  ...{ 'sqlite?': TEXT, 'postgres?': TEXT, 'redis?': TEXT, 'keys?': TEXT, 'keyFile?': TEXT },
  'timeoutMs?': milliseconds(1),
});

/** Long enough for a disk or a server that is busy, short beside a verification. */
const TIMEOUT_MS = 1000;

/**
 * Opens a store. A server that is down does not stop this: the calls of the store reject until it is there. Rejects
 * with CONFIGURATION_INVALID if the operator has to mend something, such as a store that another key has written.
 */
export async function createVelocityStore(options: VelocityStoreOptions): Promise<OpenVelocityStore> {
  return openStore(options, false);
}

/**
 * Makes the tables of a store, or marks a database of Redis as one, and makes its key unless there is one. Again, it
 * changes nothing. Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with an error whose
 * `cause` has a code.
 */
export async function initVelocityStore(options: VelocityStoreOptions): Promise<void> {
  const store = await openStore(options, true);
  await store.close();
}

async function openStore(given: VelocityStoreOptions, init: boolean): Promise<OpenVelocityStore> {
  const { sqlite, postgres, redis, keys, keyFile, timeoutMs = TIMEOUT_MS } = readOptions(given);
  if ([sqlite, postgres, redis].filter((each) => each !== undefined).length !== 1) {
    throw invalid('expected one of sqlite, postgres and redis');
  }
  if (keys !== undefined && keyFile !== undefined) throw invalid('expected one of keys and keyFile');
  const file = sqlite === undefined ? undefined : resolve(sqlite);
  const ownKey = keyFileOf(given);
  if (keys === undefined && ownKey === undefined) throw invalid('expected keys or keyFile: a server has no key');
  if (ownKey !== undefined && resolve(ownKey) === file) throw invalid('keyFile is the store itself');
  if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw invalid('sqlite is a folder');
  for (const each of [file, ownKey]) {
    const isInLog = each !== undefined && existsSync(join(dirname(resolve(each)), 'log.json'));
    if (isInLog) throw invalid('a file in the folder of an audit log makes the log fail its verification');
  }
  // A key that is made for a store which is there could only be the wrong one.
  const makesKey = file === undefined ? init : isNewStore(file);
  const secret =
    keys === undefined ? await readOwnKey(resolve(ownKey ?? ''), makesKey) : (await readFirstIndexKey(keys)).export();
  // Not the hashes of the log: who has both would see whom they have in common.
  const key = createHmac('sha256', secret).update('verdict velocity').digest();
  if (file !== undefined) {
    const { openSqlite } = await import('./velocity-sqlite.ts');
    return storeOf(await openSqlite(file, key, timeoutMs), key);
  }
  if (postgres !== undefined) {
    const { openPostgres } = await import('./velocity-postgres.ts');
    return storeOf(await openPostgres(postgres, key, timeoutMs, init), key);
  }
  const { openRedis } = await import('./velocity-redis.ts');
  return storeOf(await openRedis(redis ?? '', key, timeoutMs, init), key);
}

/** The file of the key of a store without a log; undefined if a log has the key. */
export function keyFileOf({ sqlite, keys, keyFile }: VelocityStoreOptions): string | undefined {
  if (keys !== undefined || keyFile !== undefined || sqlite === undefined) return keyFile;
  const { dir, name } = parse(resolve(sqlite));
  return join(dir, `${name}.key`);
}

/** Whether opening a store in this file makes it. */
export function isNewStore(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

const KEY_NAME = 'the key of the velocity store';

async function readOwnKey(file: string, makes: boolean): Promise<Buffer> {
  if (!makes && !existsSync(file)) {
    const expected = 'name the file with it, or the log whose key the store has';
    throw new VerdictError('CONFIGURATION_INVALID', `${KEY_NAME} is not there: ${expected}`);
  }
  const expected = 'a file that this user may read, in a folder that it may write';
  return wrapFileErrors(KEY_NAME, () => readSecretKey(file, KEY_NAME, makes), expected);
}

function invalid(problem: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', `the options of the velocity store cannot be used: ${problem}`);
}

function storeOf(opened: VelocityHome, secret: Buffer): OpenVelocityStore {
  // Of bytes, each hash would take seven times as long.
  const key = createSecretKey(secret);
  let closing: Promise<void> | undefined;
  const openHome = () => {
    if (closing) throw new VelocityUnavailable('CLOSED');
    return opened;
  };
  const sweep = async (what: Swept) => {
    let [from, deleted]: [string | undefined, number] = [undefined, 0];
    do {
      const part = await openHome().sweep(what, from);
      deleted += part.deleted;
      from = part.next;
    } while (from !== undefined);
    return deleted;
  };
  const sweepHashes = async (hashes: readonly string[], isDryRun: boolean) =>
    hashes.length === 0 ? 0 : sweep({ hashes: hashes.map(checkHash), isDryRun });
  const apply = async ({ application, at, counts, adds }: Omit<Counting, 'application'> & Partial<Counting>) => {
    const keepMs = Math.max(0, ...counts.map(({ withinMs }) => withinMs), ...adds.map((each) => each.keepMs));
    const counted = await openHome().apply({
      record:
        application === undefined ? undefined : { id: setOf({ of: application, kind: '' }), at: time(at), keepMs },
      counts: counts.map((each) => ({ set: setOf(each), after: Math.max(-1, time(at) - time(each.withinMs)) })),
      adds: uniqueAdds(adds),
    });
    return counted === '' ? [] : counted.split(',').map(Number);
  };
  return {
    hash: (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, HASH_DIGITS),
    count: async (of) => {
      checkHash(of.application);
      return apply(of);
    },
    peek: ({ at, counts }) => apply({ at, counts, adds: [] }),
    add: async (adds) => {
      if (adds.length > 0) await apply({ at: 0, counts: [], adds });
    },
    remove: async (members) => {
      const removed = members.map((each) => ({ set: setOf(each), member: checkHash(each.member) }));
      if (removed.length > 0) await openHome().remove(removed);
    },
    erase: (hashes) => sweepHashes(hashes, false),
    countMembers: (hashes) => sweepHashes(hashes, true),
    prune: async (now) => sweep({ now: time(now) }),
    close: () => {
      closing ??= opened.close();
      return closing;
    },
  };
}

/** 16 bytes: of as many values as there are people, no two have the same one. */
const HASH_DIGITS = 32;
/** The first 12 bytes of a set are of its value, so that it is erased by that. */
const VALUE_DIGITS = 24;
const HASH = /^[\da-f]{32}$/;

function checkHash(text: string): string {
  if (HASH.test(text)) return text;
  throw new VerdictError('REQUEST_INVALID', 'a velocity store takes hashes that it made itself, and nothing else');
}

function time(ms: number): number {
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new VerdictError('REQUEST_INVALID', 'a velocity store takes whole milliseconds from 0');
}

const kinds = new Map<string, string>();

function setOf({ of, kind }: SeenSet): string {
  const digits = kinds.get(kind) ?? hash('sha256', kind).slice(0, HASH_DIGITS - VALUE_DIGITS);
  kinds.set(kind, digits);
  return checkHash(of).slice(0, VALUE_DIGITS) + digits;
}

/** Each once, in one order, with the latest time. */
function uniqueAdds(members: readonly TimedMember[]) {
  const adds = new Map<string, Applying['adds'][number]>();
  for (const each of members) {
    const [set, member] = [setOf(each), checkHash(each.member)];
    const { at = 0, keepMs = 0 } = adds.get(set + member) ?? {};
    adds.set(set + member, {
      ...{ set, member },
      ...{ at: Math.max(at, time(each.at)), keepMs: Math.max(keepMs, time(each.keepMs)) },
    });
  }
  return [...adds].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, add]) => add);
}
