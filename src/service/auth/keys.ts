/** The file of API keys -> whose key a request has. The file keeps no secret: only a hash of each. */

import { hash as digestOf, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { HASH, INSTANT } from '../../audit/entry/schema.ts';
import type { OpenAuditLog } from '../../audit/log.ts';
import { addEvent } from '../../audit/query/event.ts';
import { foreignCode, VerdictError } from '../../errors.ts';
import { DAY, dayOfInstant } from '../../facts/day.ts';
import { createFile, fingerprintOf, makeFolder, realPathOf, replaceFile } from '../../platform/files/disk-file.ts';
import { type Kinds, listOf, oneOf, optionsReader } from '../../platform/given/options.ts';
import { parseJson } from '../../platform/json.ts';
import { FileWatch } from '../../policy/watch/watch-files.ts';
import { toJson } from '../../text.ts';
import { KEY_NAME, ROLES, type Role } from './roles.ts';

/** A key as others see it. */
export interface ApiKey {
  readonly id: string;
  /** Of the caller. Its references are its own, so another key of this name takes its place. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** Requests a second; without a limit if absent. */
  readonly rate?: number | undefined;
  /** The last day on which it is valid, yyyy-MM-dd, UTC; without end if absent. */
  readonly expires?: string | undefined;
  readonly createdAt: string;
}

/** A key and, apart from it so that nothing shows it by mistake, the hash of its secret. */
interface StoredKey {
  readonly key: ApiKey;
  readonly hash: Buffer;
}

const FILE: Kinds<{ readonly format: number; readonly keys: readonly unknown[] }> = {
  format: { expected: '1', is: (value) => value === 1 },
  keys: { expected: 'a list', is: Array.isArray },
};

/** An entry of the list. */
const KEY: Kinds<ApiKey & { readonly sha256: string }> = {
  id: { expected: '8 hexadecimal digits', is: (value) => typeof value === 'string' && /^[0-9a-f]{8}$/.test(value) },
  name: KEY_NAME,
  roles: listOf(oneOf(ROLES), `a list of ${ROLES.join(', ')}`),
  'rate?': { expected: 'a number above 0', is: (value) => typeof value === 'number' && value > 0 },
  'expires?': DAY,
  createdAt: INSTANT,
  sha256: HASH,
};

/** The keys of a file. Throws CONFIGURATION_INVALID, with the place and what was expected, and nothing of its text. */
export function readKeys(file: string): readonly ApiKey[] {
  return readStored(file).map(({ key }) => key);
}

function readStored(file: string): readonly StoredKey[] {
  const parsed = parseJson(readBytes(file));
  if (parsed.problem === undefined) return parseKeys(parsed.value);
  throw invalid(parsed.line === undefined ? parsed.problem : `${parsed.problem}, in line ${parsed.line}`);
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const isAbsent = foreignCode(error) === 'ENOENT';
    const how = 'does not exist: `verdict key add NAME --role decide` makes it';
    throw invalid(isAbsent ? how : `cannot be read (${foreignCode(error)})`);
  }
}

function parseKeys(data: unknown): readonly StoredKey[] {
  const { keys } = optionsReader('the file of keys', FILE)(data);
  const ids = new Set<string>();
  return keys.map((each, i) => {
    const { sha256, ...key } = optionsReader(`/keys/${i} of the file of keys`, KEY)(each);
    if (key.roles.length === 0) throw invalid(`has no role at /keys/${i}/roles, expected one at least`);
    if (ids.has(key.id)) throw invalid(`has one id twice, at /keys/${i}/id and before`);
    ids.add(key.id);
    return { key, hash: Buffer.from(sha256, 'hex') };
  });
}

function invalid(problem: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', `the file of keys ${problem}`);
}

/** The keys in force. */
export type KeyRing = ReturnType<typeof watchKeys>;

/** What to call after an edit of the file. */
export interface KeyEvents {
  /** The number of keys. */
  readonly onChange: (keys: number) => void;
  readonly onError: (problem: string) => void;
}

/** Reads the file of keys, and follows it: a key that is removed there is refused within a second. */
export function watchKeys(file: string, { onChange, onError }: KeyEvents) {
  const stamps = new Map([[file, fingerprintOf(file)]]);
  let keys = byId(readStored(file));
  let brokenSince: string | undefined;
  const listeners: ((keys: readonly ApiKey[]) => void)[] = [];
  const listed = () => [...keys.values()].map(({ key }) => key);
  const update = () => {
    try {
      const now = byId(readStored(file));
      // A file that was just written is read twice.
      const isChanged = brokenSince !== undefined || !isDeepStrictEqual(now, keys);
      [keys, brokenSince] = [now, undefined];
      if (!isChanged) return;
      onChange(keys.size);
      for (const listener of listeners) listener(listed());
    } catch (error) {
      if (!VerdictError.is(error)) throw error;
      brokenSince ??= new Date().toISOString();
      onError(error.message);
    }
  };
  // `verdict key` replaces the file as a whole, and an editor writes it in far less.
  const watch = new FileWatch(stamps, update, { pollMs: 500, settleMs: 20, persistent: false });
  return {
    /** The key of the header `Authorization`, if it is valid at that time, in milliseconds since 1970. */
    find: (header: string | undefined, nowMs: number) => findKey(keys, header, nowMs),
    /** Since when, ISO 8601 in UTC, the file is broken; the keys before stay in force. Undefined while it is not. */
    get brokenSince() {
      return brokenSince;
    },
    /** Calls it with all keys, and again after each change. */
    follow: (listener: (keys: readonly ApiKey[]) => void) => {
      listeners.push(listener);
      listener(listed());
    },
    close: () => watch.close(),
  };
}

/** The most keys that one event lists. */
const A_TIME = 50;

/** Puts on record who may do what over HTTP from now on. */
export async function recordKeys(log: OpenAuditLog, keys: readonly ApiKey[]): Promise<void> {
  for (let i = 0; i < keys.length; i += A_TIME) {
    const some = keys.slice(i, i + A_TIME).map(({ id, name, roles }) => [id, `${name}: ${roles.join(', ')}`]);
    await addEvent({ log, type: 'key.changed', by: 'verdict serve', details: Object.fromEntries(some) });
  }
}

function byId(keys: readonly StoredKey[]): ReadonlyMap<string, StoredKey> {
  return new Map(keys.map((stored) => [stored.key.id, stored]));
}

/** The scheme may be in any case (RFC 9110, section 11.1). */
const HEADER = /^Bearer +vk_([0-9a-f]{8})_([A-Za-z0-9_-]{43})$/i;

/** An unknown id is compared too, so that the time does not tell which ids there are. */
const NO_HASH = Buffer.alloc(32);

function findKey(keys: ReadonlyMap<string, StoredKey>, header: string | undefined, nowMs: number): ApiKey | undefined {
  const [, id = '', secret = ''] = HEADER.exec(header ?? '') ?? [];
  const { key, hash } = keys.get(id) ?? { hash: NO_HASH };
  const isSame = timingSafeEqual(hashOf(secret), hash);
  if (!key || !isSame) return undefined;
  return key.expires !== undefined && key.expires < dayOfInstant(nowMs) ? undefined : key;
}

/** The secret has 256 random bits, so that a hash needs neither salt nor rounds. */
function hashOf(secret: string): Buffer {
  return digestOf('sha256', secret, 'buffer');
}

/** Adds a key to the file, which it makes if there is none, and returns the key's text: it is kept nowhere. */
export async function addKey(file: string, given: Omit<ApiKey, 'id' | 'createdAt'>): Promise<string> {
  const [id, secret] = [randomBytes(4).toString('hex'), randomBytes(32).toString('base64url')];
  const key = { id, ...given, createdAt: new Date().toISOString() };
  await edit(file, (stored) => [...stored, { key, hash: hashOf(secret) }]);
  return `vk_${id}_${secret}`;
}

/** Removes a key. */
export async function removeKey(file: string, id: string): Promise<void> {
  await edit(file, (stored) => stored.filter(({ key }) => key.id !== id));
}

/** INVARIANT: of edits at once none is lost, a reader sees a whole file, and what is written can be read. */
async function edit(file: string, change: (stored: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> {
  const lock = `${realPathOf(file) ?? file}.lock`;
  try {
    makeFolder(dirname(file), 0o700);
    await takeLock(lock);
    try {
      const stored = change(fingerprintOf(file) === '' ? [] : readStored(file));
      const data = { format: 1, keys: stored.map(({ key, hash }) => ({ ...key, sha256: hash.toString('hex') })) };
      parseKeys(data);
      replaceFile(file, `${toJson(data, 2)}\n`, 0o600);
    } finally {
      rmSync(lock, { force: true });
    }
  } catch (error) {
    const code = foreignCode(error);
    throw code === undefined ? error : invalid(`cannot be written (${code})`);
  }
}

const [LOCK_TRIES, LOCK_PAUSE_MS] = [500, 20];

/** Waits until no other process edits the file. A process that was killed within an edit leaves its lock. */
async function takeLock(lock: string): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      return createFile(lock, '');
    } catch (error) {
      if (foreignCode(error) !== 'EEXIST') throw error;
      if (i === LOCK_TRIES) throw invalid('is being edited; if no other edit runs, remove the file .lock beside it');
      await setTimeout(LOCK_PAUSE_MS);
    }
  }
}
