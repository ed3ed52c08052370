/** Sets and members -> sorted sets of Redis or Valkey, by time, which processes of several machines share. */

import { createHmac, hash } from 'node:crypto';
import type { createClient } from '@redis/client';
import { foreignCode, VerdictError } from '../../errors.ts';
import { within } from '../state/pool.ts';
import { type Applying, GRACE_MS, SWEEP_ROWS, type Swept, type VelocityHome, VelocityUnavailable } from './home.ts';

const FORMAT = 1;
const PREFIX = 'velocity:';
const FORMAT_KEY = `${PREFIX}format`;

/**
 * A set is a sorted set, whose members have their times. Its member '' has how long the others are kept, negative, so
 * that no count has it. The counts of an application are a text after the time until which they are kept.
 *
 * KEYS: of the format, of the application, of the sets to count, of the sets to add to. ARGV: the format; how many sets
 * are counted; until when the counts are kept, and for how long from now, or two empty texts; the time of each count;
 * member, time, time of keeping, and that from now of each to add.
 */
export const APPLY = scriptOf(`
  local format = redis.call('GET', KEYS[1])
  if not format then return redis.error_reply('NOT_INITIALISED ') end
  if format ~= ARGV[1] then return redis.error_reply('OTHER_KEY ') end
  local counts, until_, kept = tonumber(ARGV[2]), ARGV[3], ARGV[4]
  if kept ~= '' then
    local earlier = redis.call('GET', KEYS[2])
    if earlier then return string.match(earlier, ':(.*)') end
  end
  local counted = {}
  for i = 1, counts do counted[i] = redis.call('ZCOUNT', KEYS[2 + i], '(' .. ARGV[4 + i], '+inf') end
  counted = table.concat(counted, ',')
  local now = tonumber(redis.call('TIME')[1]) * 1000
  for i = 0, #KEYS - counts - 3 do
    local set, arg = KEYS[3 + counts + i], 5 + counts + 4 * i
    redis.call('ZADD', set, 'GT', ARGV[arg + 1], ARGV[arg])
    redis.call('ZADD', set, 'LT', '-' .. ARGV[arg + 2], '')
    if redis.call('PTTL', set) < tonumber(ARGV[arg + 3]) then redis.call('PEXPIRE', set, ARGV[arg + 3]) end
    local oldest = math.min(now, tonumber(ARGV[arg + 1])) + tonumber(redis.call('ZSCORE', set, '')) - ${GRACE_MS}
    redis.call('ZREMRANGEBYSCORE', set, 0, oldest)
  end
  if kept ~= '' then redis.call('SET', KEYS[2], until_ .. ':' .. counted, 'PX', kept) end
  return counted`);

/** KEYS: a set for each member. ARGV: the members. A set without any has the member '' alone. */
const REMOVE = scriptOf(`
  for i, set in ipairs(KEYS) do
    redis.call('ZREM', set, ARGV[i])
    if redis.call('ZCARD', set) == 1 then redis.call('DEL', set) end
  end`);

/**
 * ARGV: where to begin, how many keys to look at, `1` for a dry run, a time or an empty text, hashes. Returns where the
 * rest begins. A dry run counts a key twice if the scan meets it twice, as it may while Redis makes room for more keys.
 */
const SWEEP = scriptOf(`
  local is_dry_run, now, hashes, values = ARGV[3] == '1', ARGV[4], {unpack(ARGV, 5)}, {}
  for _, each in ipairs(hashes) do values[string.sub(each, 1, 16)] = true end
  local page, deleted = redis.call('SCAN', ARGV[1], 'MATCH', '${PREFIX}*', 'COUNT', ARGV[2]), 0
  for _, key in ipairs(page[2]) do
    local isOfHash = values[string.sub(key, ${PREFIX.length + 1}, ${PREFIX.length + 16})]
    local kind = redis.call('TYPE', key).ok
    if kind == 'zset' then
      local gone, of_range = 0, is_dry_run and 'ZCOUNT' or 'ZREMRANGEBYSCORE'
      if isOfHash then gone = redis.call(of_range, key, 0, '+inf')
      elseif now == '' then
        for _, each in ipairs(hashes) do
          if redis.call('ZSCORE', key, each) then gone = gone + 1 end
        end
        if not is_dry_run then redis.call('ZREM', key, unpack(hashes)) end
      else
        local oldest = tonumber(now) + tonumber(redis.call('ZSCORE', key, ''))
        gone = redis.call(of_range, key, 0, oldest)
      end
      deleted = deleted + gone
      if gone > 0 and redis.call('ZCARD', key) == 1 then redis.call('DEL', key) end
    elseif kind == 'string' and key ~= '${FORMAT_KEY}' then
      local until_ = tonumber(string.match(redis.call('GET', key), '^(%d+):'))
      if not is_dry_run and (isOfHash or now ~= '' and until_ <= tonumber(now)) then redis.call('DEL', key) end
    end
  end
  return {page[1], deleted}`);

const INIT = scriptOf(`redis.call('SET', KEYS[1], ARGV[1], 'NX')`);

/** What the operator has to mend, by the code of the error at the opening. */
const TO_MEND: Readonly<Record<string, string>> = {
  NOT_INITIALISED: 'the velocity store is not initialised, or Redis has lost it: see verdict velocity init and rebuild',
  OTHER_KEY: 'the key of the velocity store is not the one that Redis was written with; put that one back',
  EVICTS: 'Redis may evict members of the velocity store: set maxmemory-policy to noeviction',
  REDIS_WRONGPASS: 'Redis refuses the user or the password of the velocity store',
  REDIS_NOAUTH: 'Redis wants a password for the velocity store',
  REDIS_NOPERM: 'the user of the velocity store may not use scripts, INFO, or strings and sorted sets of its keys',
};

type Client = ReturnType<typeof createClient>;

const PACKAGE = '@redis/client';

/** With `init`, marks the database as a velocity store of this key. */
export async function openRedis(url: string, key: Buffer, timeoutMs: number, init: boolean): Promise<VelocityHome> {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) {
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      'the URL of the velocity store is malformed: expected one of Redis',
    );
  }
  const loaded = await (import(PACKAGE) as Promise<typeof import('@redis/client')>).catch(() => {
    const how = `it is an optional package: npm install ${PACKAGE}@6`;
    const problem = `velocity store in Redis needs ${PACKAGE}, which cannot be loaded; ${how}`;
    throw new VerdictError('CONFIGURATION_INVALID', problem);
  });
  const home = new RedisHome(() => newClient(loaded, url, timeoutMs), key, timeoutMs);
  try {
    if (init) await home.init();
    await home.apply({ counts: [], adds: [] });
  } catch (error) {
    const problem = TO_MEND[foreignCode(error) ?? ''];
    if (problem === undefined && !init) return home;
    await home.close();
    throw problem === undefined ? error : new VerdictError('CONFIGURATION_INVALID', problem, { cause: error });
  }
  return home;
}

/** A connection that is lost is not made again by the client: what it was told would be sent late. */
function newClient(redis: typeof import('@redis/client'), url: string, timeoutMs: number): Client {
  const client = redis.createClient({
    url,
    name: 'verdict',
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: timeoutMs },
  });
  return client.on('error', () => {}) as Client;
}

interface Connection {
  readonly client: Client;
  readonly ready: Promise<unknown>;
}

class RedisHome implements VelocityHome {
  readonly #newClient: () => Client;
  readonly #format: string;
  readonly #timeoutMs: number;
  #connection: Connection | undefined;

  constructor(newClient: () => Client, key: Buffer, timeoutMs: number) {
    this.#newClient = newClient;
    this.#format = `${FORMAT} ${createHmac('sha256', key).update('velocity').digest('base64')}`;
    this.#timeoutMs = timeoutMs;
  }

  async init(): Promise<void> {
    await this.#run(INIT, [FORMAT_KEY], [this.#format]);
  }

  async apply({ record, counts, adds }: Applying): Promise<string> {
    const ofRecord = record ? [record.at + record.keepMs, record.keepMs + GRACE_MS] : ['', ''];
    const keys = [
      FORMAT_KEY,
      record ? keyOf(record.id) : FORMAT_KEY,
      ...[...counts, ...adds].map(({ set }) => keyOf(set)),
    ];
    const args = [
      ...[this.#format, counts.length, ...ofRecord, ...counts.map(({ after }) => after)],
      ...adds.flatMap(({ member, at, keepMs }) => [short(member), at, keepMs, keepMs + GRACE_MS]),
    ];
    return String(await this.#run(APPLY, keys, args));
  }

  async remove(members: Parameters<VelocityHome['remove']>[0]): Promise<void> {
    const keys = members.map(({ set }) => keyOf(set));
    await this.#run(
      REMOVE,
      keys,
      members.map(({ member }) => short(member)),
    );
  }

  async sweep(what: Swept, from = '0') {
    const args = 'now' in what ? ['', what.now] : [what.isDryRun ? '1' : '', '', ...what.hashes.map(short)];
    const [next, deleted] = (await this.#run(SWEEP, [], [from, SWEEP_ROWS, ...args])) as [string, number];
    return next === '0' ? { deleted } : { deleted, next };
  }

  async close(): Promise<void> {
    const { client } = this.#connection ?? {};
    if (client?.isReady) await within(client.close(), this.#timeoutMs, () => new Error()).catch(() => {});
    this.#drop(client);
  }

  /** Runs a script, which Redis has kept since it was sent once. */
  async #run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    const connection = this.#connection ?? this.#connect();
    const { client, ready } = connection;
    const run = async () => {
      await ready;
      const reply = client.sendCommand(['EVALSHA', script.sha, ...rest]);
      return reply.catch((error: unknown) => {
        if (codeOf(error) !== 'REDIS_NOSCRIPT') throw error;
        return client.sendCommand(['EVAL', script.text, ...rest]);
      });
    };
    try {
      return await within(run(), this.#timeoutMs, () => new VelocityUnavailable('TIMED_OUT'));
    } catch (error) {
      const code = codeOf(error);
      // What waits for a connection that hangs is not sent once it goes on; the next order makes another one.
      if (!code.startsWith('REDIS_') && this.#connection === connection) this.#drop(client);
      throw new VelocityUnavailable(code);
    }
  }

  #connect(): Connection {
    const client = this.#newClient();
    const ready = (async () => {
      await client.connect();
      // The deadline of an order keeps the process running, an idle connection does not.
      client.unref();
      const memory = String(await client.sendCommand(['INFO', 'memory']));
      const isLimited = !/^maxmemory:0\r?$/m.test(memory);
      if (isLimited && !/^maxmemory_policy:noeviction\r?$/m.test(memory)) throw new VelocityUnavailable('EVICTS');
    })();
    this.#connection = { client, ready };
    return this.#connection;
  }

  #drop(client: Client | undefined): void {
    this.#connection = undefined;
    if (client?.isOpen) client.destroy();
  }
}

function scriptOf(text: string) {
  return { text, sha: hash('sha1', text) };
}

type Script = ReturnType<typeof scriptOf>;

/** As 22 characters. */
function short(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

function keyOf(hex: string): string {
  return PREFIX + short(hex);
}

/** The code of Node, of Redis (the first word of its message), or our own. */
function codeOf(error: unknown): string {
  const code = foreignCode(error);
  if (code !== undefined) return code;
  const word = /^[A-Z_]{2,40}(?= )/.exec(error instanceof Error ? error.message : '')?.[0];
  if (word === undefined) return 'CONNECTION_LOST';
  return word === 'NOT_INITIALISED' || word === 'OTHER_KEY' ? word : `REDIS_${word}`;
}
