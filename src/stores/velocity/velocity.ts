/** Where the counts are -> the store of velocity, and its key. */

import { createHmac, createSecretKey, hash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { homeOf } from '../../audit/home.ts';
import { readFirstIndexKey } from '../../audit/keys/key-folder.ts';
import type { LogPlace } from '../../audit/place.ts';
import { folderAt } from '../../audit/store/files.ts';
import { beganAt } from '../../decision/application.ts';
import { minutesBetween, sumOf } from '../../decision/velocity.ts';
import type {
  AskedCount,
  Asking,
  CountedNumber,
  Counting,
  PolicyKinds,
  Restoring,
  SeenMember,
  SeenSet,
  VelocityStore,
} from '../../decision/velocity-store.ts';
import { foreignCode, VerdictError } from '../../errors.ts';
import { UNIT_MS } from '../../platform/files/times.ts';
import { type Kind, milliseconds, OBJECT, optionsReader, TEXT, wholeNumber } from '../../platform/given/options.ts';
import { count } from '../../text.ts';
import { readSecretKey, wrapFileErrors } from '../state/shared-file.ts';
import {
  type Applying,
  type HomeAsking,
  type HomeCount,
  type HomeKinds,
  type HomeMember,
  type Swept,
  type VelocityHome,
  VelocityUnavailable,
} from './home.ts';

/** Where the counts are: one of `sqlite`, `postgres` and `redis`. */
export interface VelocityStoreOptions {
  /** The file of a database, which the processes of one machine share. It is made if it is not there. */
  readonly sqlite?: string;
  /** `postgres://user:password@host/database?sslmode=verify-full`. Needs the optional package `pg`. */
  readonly postgres?: string;
  /** `rediss://user:password@host:port/0`, of Redis from 6.2 or Valkey. Needs the optional package `@redis/client`. */
  readonly redis?: string;
  /** The key folder of an audit log, whose first index key is then the key of the hashes. */
  readonly keys?: string | LogPlace;
  /**
   * A file of 32 bytes, the key of the hashes where there is no log. Default for `sqlite`: beside the file, with the
   * ending `.key`, made if it is not there.
   */
  readonly keyFile?: string;
  /** Of `postgres`: how many connections there are at most. Default: 10. */
  readonly connections?: number;
  /** The deadline of each call, in milliseconds; maintenance has more. Default: 1000. */
  readonly timeoutMs?: number;
}

/** A store of velocity, and what people ask of it. */
export interface OpenVelocityStore extends VelocityStore {
  /** The counts alone, as of a time, without an application and without adding anything. */
  peek(of: PolicyKinds & Pick<Counting, 'counts'> & { readonly at: number }): Promise<readonly CountedNumber[]>;
}

const KEYS_OF_LOG: Kind = {
  expected: 'a key folder, or the place of a log',
  is: (value) => TEXT.is(value) || OBJECT.is(value),
};

const readOptions = optionsReader<VelocityStoreOptions>('the options of the velocity store', {
  ...{ 'sqlite?': TEXT, 'postgres?': TEXT, 'redis?': TEXT, 'keys?': KEYS_OF_LOG, 'keyFile?': TEXT },
  ...{ 'connections?': wholeNumber(1), 'timeoutMs?': milliseconds(1) },
});

/** Long enough for a disk or a server that is busy, short beside a verification. */
const TIMEOUT_MS = 1000;

/**
 * Opens a store. A server that is down does not stop this: the calls of the store reject until it is there. Rejects
 * with CONFIGURATION_INVALID if the operator has to mend something, such as a store that another key has written.
 */
export async function createVelocityStore(options: VelocityStoreOptions): Promise<OpenVelocityStore> {
  return openStore(options, false, false);
}

/** The same for who fills it from a log: a store of the format before is made anew. */
export function openFilledStore(options: VelocityStoreOptions): Promise<OpenVelocityStore> {
  return openStore(options, false, true);
}

/**
 * Makes the tables of a store, or marks a database of Redis as one, and makes its key unless there is one. Again, it
 * changes nothing. Rejects with CONFIGURATION_INVALID if the operator has to mend something, else with an error whose
 * `cause` has a code.
 *
 * @param discards whether a store of the format before loses what it has, and is made anew
 */
export async function initVelocityStore(options: VelocityStoreOptions, discards = false): Promise<void> {
  const store = await openStore(options, true, discards);
  await store.close();
}

async function openStore(given: VelocityStoreOptions, init: boolean, discards: boolean): Promise<OpenVelocityStore> {
  const { sqlite, postgres, redis, keys, keyFile, connections, timeoutMs = TIMEOUT_MS } = readOptions(given);
  if ([sqlite, postgres, redis].filter((each) => each !== undefined).length !== 1) {
    throw invalid('expected one of sqlite, postgres and redis');
  }
  if (connections !== undefined && postgres === undefined) throw invalid('connections are those of postgres');
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
    keys === undefined
      ? await readOwnKey(resolve(ownKey ?? ''), makesKey)
      : (await readFirstIndexKey(typeof keys === 'string' ? folderAt(keys) : (await homeOf(keys)).keys)).export();
  // Not the hashes of the log: who has both would see whom they have in common.
  const key = createHmac('sha256', secret).update('verdict velocity').digest();
  if (file !== undefined) {
    const { openSqlite } = await import('./velocity-sqlite.ts');
    return storeOf(await openSqlite(file, key, timeoutMs, discards), key);
  }
  if (postgres !== undefined) {
    const { openPostgres } = await import('./velocity-postgres.ts');
    return storeOf(await openPostgres(postgres, key, timeoutMs, { init, discards, connections }), key);
  }
  const { openRedis } = await import('./velocity-redis.ts');
  return storeOf(await openRedis(redis ?? '', key, timeoutMs, { init, discards }), key);
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
  /** The applications that were not counted, until the store has noted it. */
  let missed: { readonly from: number; readonly to: number } | undefined;
  const openHome = () => {
    if (closing) throw new VelocityUnavailable('CLOSED');
    return opened;
  };
  const sweep = async (what: Swept) => {
    let [from, deleted]: [string | undefined, number] = [undefined, 0];
    try {
      do {
        const part = await openHome().sweep(what, from);
        deleted += part.deleted;
        from = part.next;
      } while (from !== undefined);
      return deleted;
    } catch (error) {
      const isPart = error instanceof VelocityUnavailable && !('isDryRun' in what && what.isDryRun);
      const done = `; ${count(deleted, 'member')} ${deleted === 1 ? 'was' : 'were'} deleted before that`;
      throw isPart ? new VelocityUnavailable(foreignCode(error) ?? '', done) : error;
    }
  };
  const sweepHashes = async (hashes: readonly string[], isDryRun: boolean) =>
    hashes.length === 0 ? 0 : sweep({ hashes: hashes.map(checkHash), isDryRun });
  const miss = ({ from, to }: NonNullable<typeof missed>) => {
    missed = { from: Math.min(from, missed?.from ?? from), to: Math.max(to, missed?.to ?? to) };
  };
  /** Runs what an application needs; if it fails, counts that reach back to the application are not complete. */
  const noting = async <Result>({ began }: HomeAsking, run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      if (!closing) miss({ from: began, to: began });
      throw error;
    }
  };
  const apply = async (of: Applying) => {
    const { application, began, answers, since } = await openHome().apply(of);
    const counts = of.counts.map((count, i) => readAnswer(count, answers[i] ?? '', { began, since: since[i] ?? 0 }));
    return { application: uuidOf(application), counts };
  };
  return {
    hash: (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, HASH_DIGITS),
    count: async ({ hasPast, counts, adds, ...of }) => {
      const asking = homeAsking(of);
      return noting(asking, async () => {
        const noted = missed;
        missed = undefined;
        const applying = { ...asking, ...homeKinds(of), counts: counts.map(homeCount), adds: sorted(adds) };
        try {
          return await apply({ ...applying, hasPast, isPeek: false, missed: noted });
        } catch (error) {
          if (noted) miss(noted);
          throw error;
        }
      });
    },
    peek: async ({ at, counts, ...of }) => {
      const nobody = { decision: '', application: undefined, reference: '', applicant: {}, at, began: time(at) };
      const peeking = { ...homeKinds(of), counts: counts.map(homeCount), adds: [] };
      return (await apply({ ...nobody, ...peeking, hasPast: false, isPeek: true, missed: undefined })).counts;
    },
    know: async ({ known, ...of }) => {
      const asking = homeAsking(of);
      await noting(asking, () => openHome().restore([{ ...asking, isDecision: false, adds: [], known, counted: {} }]));
    },
    restore: async (restoring) => {
      const homes = restoring.map(({ adds, known, counted, ...of }) => {
        const asking = homeAsking(of);
        return { ...asking, isDecision: true, adds: sorted(adds), known, counted: answersOf(counted, asking) };
      });
      if (homes.length > 0) await openHome().restore(homes);
    },
    coverage: async (of) => {
      const { since, gap, filledTo, ...rest } = await openHome().coverage(homeKinds(of));
      const known = of.kinds.flatMap(({ kind }, i) => {
        const from = since[i];
        return typeof from === 'number' ? [[kind, from] as const] : [];
      });
      return { since: new Map(known), gap: gap ?? undefined, filledTo: filledTo ?? undefined, ...rest };
    },
    cover: async ({ at, since, log, gap, ...of }) =>
      openHome().cover({ ...homeKinds(of), at: time(at), since, log, gap }),
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
/** A set has so much of each of its values, so that it is erased by them. */
const VALUE_DIGITS = 24;
const HASH = /^[\da-f]{32}$/;
const ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

function checkHash(text: string): string {
  if (HASH.test(text)) return text;
  throw new VerdictError('REQUEST_INVALID', 'a velocity store takes hashes that it made itself, and nothing else');
}

function checkId(text: string): string {
  if (ID.test(text)) return text.replaceAll('-', '');
  throw new VerdictError('REQUEST_INVALID', 'a velocity store takes ids of decisions, and nothing else');
}

function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function time(ms: number): number {
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new VerdictError('REQUEST_INVALID', 'a velocity store takes whole milliseconds from 0');
}

function homeAsking({ decision, application, reference, applicant }: Asking): HomeAsking {
  const certain = application === undefined ? undefined : checkId(application);
  const hashes = Object.entries(applicant).map(([variable, hashed]) => [variable, checkHash(hashed)]);
  return {
    ...{ decision: checkId(decision), application: certain, reference: checkHash(reference) },
    ...{ applicant: Object.fromEntries(hashes), at: beganAt(decision), began: beganAt(application ?? decision) },
  };
}

const kinds = new Map<string, string>();

/** The digits of a kind: there are few. */
function kindOf(kind: string): string {
  const digits = kinds.get(kind) ?? hash('sha256', kind).slice(0, HASH_DIGITS - VALUE_DIGITS);
  kinds.set(kind, digits);
  return digits;
}

function homeKinds({ policy, kinds: asked }: PolicyKinds): HomeKinds {
  return {
    policy: checkHash(policy),
    kinds: asked.map(({ kind, keepMs }) => ({ kind: kindOf(kind), keepMs: time(keepMs) })),
  };
}

function setOf({ of, kind }: SeenSet): string {
  const [first = '', second] = of.map((each) => checkHash(each).slice(0, VALUE_DIGITS));
  return first + kindOf(kind) + (second ?? '');
}

function homeCount(count: AskedCount): HomeCount {
  const { kind, measure, withinMs, sinceMs, where } = count;
  const key = hash('sha256', JSON.stringify([setOf(count), measure, withinMs, sinceMs, where])).slice(0, HASH_DIGITS);
  return { set: setOf(count), kind: kindOf(kind), measure, withinMs: time(withinMs), since: sinceMs ?? -1, where, key };
}

/** Each set once, in one order. */
function sorted(members: readonly SeenMember[]): readonly HomeMember[] {
  const adds = new Map<string, HomeMember>();
  for (const member of members) {
    const set = setOf(member);
    if (!adds.has(set)) adds.set(set, { set, ...(member.value === undefined ? {} : { value: member.value }) });
  }
  return [...adds.values()].sort((one, other) => (one.set < other.set ? -1 : 1));
}

/** The answers of numbers that an application was counted: see `Applied`. */
function answersOf(counted: Restoring['counted'], { began }: HomeAsking): Readonly<Record<string, string>> {
  const answers = counted.map(({ count, number }) => {
    const { measure, key } = homeCount(count);
    const isTime = measure === 'first' || measure === 'last';
    const answer = number === null ? '' : String(isTime ? began - number * UNIT_MS.minute : number);
    return [key, answer] as const;
  });
  return Object.fromEntries(answers);
}

/** What a home answered to a count, if it was complete since the beginning of the window. */
function readAnswer(
  { measure, withinMs, since: asked }: HomeCount,
  answer: string,
  { began, since }: { readonly began: number; readonly since: number },
): CountedNumber {
  if (since > Math.max(began - withinMs, asked - 1) + 1) return { completeAt: since - 1 + withinMs };
  if (measure === 'sum') return sumOf(answer === '' ? [] : answer.split(' ').map(Number));
  if (measure === 'applications' || measure === 'distinct') return Number(answer);
  return answer === '' ? null : minutesBetween(Number(answer), began);
}
