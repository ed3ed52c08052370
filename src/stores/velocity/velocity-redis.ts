/** Sets and members -> sorted sets of Redis or Valkey, by time, which processes of several machines share. */

import { createHmac, hash } from 'node:crypto';
import type { createClient } from '@redis/client';
import { APPLICATION_MS } from '../../decision/application.ts';
import { foreignCode, VerdictError } from '../../errors.ts';
import { within } from '../state/pool.ts';
import {
  type Applied,
  type Applying,
  GRACE_MS,
  type HomeAsking,
  type HomeCoverage,
  type HomeCovered,
  type HomeKinds,
  type HomeRestoring,
  OTHER_FORMAT,
  SWEEP_ROWS,
  type Swept,
  type VelocityHome,
  VelocityUnavailable,
} from './home.ts';

const FORMAT = 2;
const PREFIX = 'velocity:';
const FORMAT_KEY = `${PREFIX}format`;

/**
 * `a:` and an application's id is a hash of what is known of it, `r:` and a reference a sorted set of its applications,
 * `s:` and a set the members by time, `v:` their values. `kinds` has how long and since when each policy counts each
 * kind, `gap` the times that were not counted, `logs` the logs that fill the store. Each script is run with the key of
 * the format, ARGV[1] with its value and ARGV[2] with what it is about.
 */
const COMMON = `
  local format = redis.call('GET', KEYS[1])
  if not format then return redis.error_reply('NOT_INITIALISED ') end
  if string.match(format, '^%d+') ~= '${FORMAT}' then return redis.error_reply('OTHER_FORMAT ') end
  if format ~= ARGV[1] then return redis.error_reply('OTHER_KEY ') end
  local asking = cjson.decode(ARGV[2])
  local function key(name) return '${PREFIX}' .. name end
  local now = tonumber(redis.call('TIME')[1]) * 1000
  local policies, named = 0, {}
  local longest, kept, rows = ${APPLICATION_MS}, {}, {}
  local function read_kinds()
    local flat = redis.call('HGETALL', key('kinds'))
    for i = 1, #flat, 2 do
      local kind, keep, since = string.sub(flat[i], 1, 6), string.match(flat[i + 1], '(%d+) (%d+)')
      local policy = string.sub(flat[i], 8)
      if not named[policy] then named[policy], policies = true, policies + 1 end
      rows[flat[i]] = {keep = tonumber(keep), since = tonumber(since)}
      kept[kind] = math.max(kept[kind] or 0, tonumber(keep))
      longest = math.max(longest, tonumber(keep))
    end
    return #flat == 0
  end
  local is_new_store = read_kinds()
  local function register(kinds, policy, since_of_new, at)
    for _, each in ipairs(kinds) do
      local name, most = each.kind .. ' ' .. policy, kept[each.kind] or 0
      local row, since = rows[name], at
      if not row or row.keep < each.keepMs then
        if row then since = math.max(row.since, most >= each.keepMs and 0 or at - most)
        elseif is_new_store then since = since_of_new end
        redis.call('HSET', key('kinds'), name, string.format('%d %d', each.keepMs, since))
      end
    end
    read_kinds()
  end
  local variables = {'phoneNo', 'email', 'ip'}
  local function put(of, makes)
    local id = of.application or of.decision
    local at = redis.call('HGET', key('a:' .. id), 'at')
    if not at and not of.application then
      local near = redis.call('ZREVRANGEBYSCORE', key('r:' .. of.reference), '(' .. of.at + ${APPLICATION_MS},
        '(' .. of.at - ${APPLICATION_MS})
      for _, each in ipairs(near) do
        local known, is_same = redis.call('HMGET', key('a:' .. each), unpack(variables)), true
        for i, name in ipairs(variables) do
          if known[i] and of.applicant[name] and known[i] ~= of.applicant[name] then is_same = false end
        end
        local began = is_same and redis.call('HGET', key('a:' .. each), 'at')
        if began then id, at = each, began; break end
      end
    end
    if not at and not makes then return nil end
    if not at then
      at = of.began
      redis.call('HSET', key('a:' .. id), 'at', string.format('%d', at), 'counts', '{}')
      redis.call('ZADD', key('r:' .. of.reference), at, id)
    end
    for _, name in ipairs(variables) do
      if makes and of.applicant[name] then redis.call('HSETNX', key('a:' .. id), name, of.applicant[name]) end
    end
    for _, name in ipairs({'a:' .. id, 'r:' .. of.reference}) do
      redis.call('PEXPIRE', key(name), longest + ${GRACE_MS})
    end
    return {id = id, at = tonumber(at)}
  end
  local function trim(set, oldest)
    local gone = redis.call('ZRANGEBYSCORE', key('s:' .. set), '-inf', oldest)
    for _, each in ipairs(gone) do
      redis.call('ZREM', key('s:' .. set), each)
      redis.call('HDEL', key('v:' .. set), each)
    end
    return #gone
  end
  local function add(app, adds)
    for _, each in ipairs(adds) do
      local keep = math.max(kept[string.sub(each.set, 17, 22)] or 0, ${APPLICATION_MS}) + ${GRACE_MS}
      local is_added = redis.call('ZADD', key('s:' .. each.set), 'NX', app.at, app.id)
      if is_added == 1 and each.value then redis.call('HSET', key('v:' .. each.set), app.id, each.value) end
      for _, name in ipairs({'s:' .. each.set, 'v:' .. each.set}) do redis.call('PEXPIRE', key(name), keep) end
      trim(each.set, math.min(now, app.at) - keep)
    end
  end
  local function gap()
    local from, to = string.match(redis.call('GET', key('gap')) or '', '(%d+) (%d+)')
    return tonumber(from), tonumber(to)
  end
`;

const APPLY = scriptOf(`${COMMON}
  local app, answers, kept_answers = {id = '', at = asking.at}, {}, {}
  if not asking.isPeek then
    if asking.missed then
      local from, to = gap()
      from, to = math.min(from or asking.missed.from, asking.missed.from), math.max(to or 0, asking.missed.to)
      redis.call('SET', key('gap'), string.format('%d %d', from, to))
    end
    register(asking.kinds, asking.policy, asking.hasPast and asking.at or 0, asking.at)
    app = put(asking, true)
    kept_answers = cjson.decode(redis.call('HGET', key('a:' .. app.id), 'counts'))
  end
  local _, gap_end = gap()
  for _, each in ipairs(asking.counts) do
    local row, set = rows[each.kind .. ' ' .. asking.policy], key('s:' .. each.set)
    local complete = math.max(row and row.since or asking.at, gap_end and gap_end + 1 or 0)
    local after = math.max(-1, app.at - each.withinMs, each.since - 1)
    local answer = kept_answers[each.key]
    if not answer and each.measure == 'applications' and not each.where then
      local own = redis.call('ZSCORE', set, app.id)
      answer = redis.call('ZCOUNT', set, '(' .. after, '+inf') - ((own and tonumber(own) > after) and 1 or 0)
    elseif not answer then
      local flat, found, values, seen = redis.call('ZRANGEBYSCORE', set, '(' .. after, '+inf', 'WITHSCORES'), {}, {}, {}
      for i = 1, #flat, 2 do
        local is_known = not each.where
          or redis.call('HGET', key('a:' .. flat[i]), each.where.key) == each.where.value
        if flat[i] ~= app.id and is_known then table.insert(found, {id = flat[i], at = flat[i + 1]}) end
      end
      if each.measure == 'distinct' or each.measure == 'sum' then
        for _, one in ipairs(found) do
          local value = redis.call('HGET', key('v:' .. each.set), one.id)
          if value and not (each.measure == 'distinct' and seen[value]) then table.insert(values, value) end
          if value then seen[value] = true end
        end
      end
      if each.measure == 'applications' then answer = #found
      elseif each.measure == 'distinct' then answer = #values
      elseif each.measure == 'sum' then answer = table.concat(values, ' ')
      elseif each.measure == 'first' then answer = found[1] and found[1].at or ''
      else answer = found[1] and found[#found].at or '' end
    end
    answer = tostring(answer)
    if complete <= after + 1 then kept_answers[each.key] = answer end
    table.insert(answers, answer)
    table.insert(answers, string.format('%d', complete))
  end
  if not asking.isPeek then
    add(app, asking.adds)
    redis.call('HSET', key('a:' .. app.id), 'counts', cjson.encode(kept_answers))
  end
  return {app.id, string.format('%d', app.at), unpack(answers)}`);

const RESTORE = scriptOf(`${COMMON}
  for _, each in ipairs(asking) do
    local app = put(each, each.isDecision)
    if app then
      add(app, each.adds)
      local counts = cjson.decode(redis.call('HGET', key('a:' .. app.id), 'counts'))
      for name, answer in pairs(each.counted) do counts[name] = counts[name] or answer end
      redis.call('HSET', key('a:' .. app.id), 'counts', cjson.encode(counts))
      for name, later in pairs(each.known) do
        local of = key('a:' .. app.id)
        if tonumber(redis.call('HGET', of, name .. '_at') or 0) <= later.at then
          redis.call('HSET', of, name, later.value, name .. '_at', string.format('%d', later.at))
        end
      end
    end
  end`);

const COVERAGE = scriptOf(`${COMMON}
  local found, from, to = {}, gap()
  for _, each in ipairs(asking.kinds) do
    local row = rows[each.kind .. ' ' .. asking.policy]
    table.insert(found, row and string.format('%d', row.since) or '')
  end
  return {from and string.format('%d', from) or '', to and string.format('%d', to) or '',
    redis.call('SMEMBERS', key('logs')), policies, redis.call('GET', key('filled')) or '', found}`);

const COVER = scriptOf(`${COMMON}
  register(asking.kinds, asking.policy, asking.at, asking.at)
  for _, each in ipairs(asking.kinds) do
    local name = each.kind .. ' ' .. asking.policy
    local row = rows[name]
    local since = asking.since and math.min(row.since, asking.since) or row.since
    redis.call('HSET', key('kinds'), name, string.format('%d %d', row.keep, since))
  end
  if asking.log then
    redis.call('SADD', key('logs'), asking.log)
    local filled = tonumber(redis.call('GET', key('filled')) or 0)
    redis.call('SET', key('filled'), string.format('%d', math.max(filled, asking.at)))
  end
  local from, to = gap()
  if asking.gap and from and asking.gap.from <= from and asking.gap.to >= to then redis.call('DEL', key('gap')) end`);

/**
 * ARGV[2]: where to begin, how many keys to look at, whether it is a dry run, a time, or hashes in both forms. Returns
 * where the rest begins. A dry run counts a key twice if the scan meets it twice, as it may while Redis makes room.
 */
const SWEEP = scriptOf(`${COMMON}
  local hashes, values, prefixes = {}, {}, {}
  for _, each in ipairs(asking.hashes) do
    hashes[each], prefixes[string.sub(each, 1, 16)] = true, true
  end
  for _, each in ipairs(asking.values) do values[each] = true end
  local page, deleted = redis.call('SCAN', asking.from, 'MATCH', '${PREFIX}*', 'COUNT', asking.most), 0
  for _, name in ipairs(page[2]) do
    local kind, rest = string.match(name, '^${PREFIX}([arsv]):(.*)$')
    if kind == 's' and asking.now then
      local oldest = asking.now - (kept[string.sub(rest, 17, 22)] or 0)
      deleted = deleted + (asking.isDryRun and redis.call('ZCOUNT', name, '-inf', oldest) or trim(rest, oldest))
    elseif kind == 's' and (prefixes[string.sub(rest, 1, 16)] or prefixes[string.sub(rest, 23, 38)]) then
      deleted = deleted + redis.call('ZCARD', name)
      if not asking.isDryRun then redis.call('DEL', name, key('v:' .. rest)) end
    elseif kind == 's' then
      local gone, flat = {}, redis.call('HGETALL', key('v:' .. rest))
      for i = 1, #flat, 2 do if values[flat[i + 1]] then gone[flat[i]] = true end end
      for _, each in ipairs(asking.hashes) do if redis.call('ZSCORE', name, each) then gone[each] = true end end
      for each in pairs(gone) do
        deleted = deleted + 1
        if not asking.isDryRun then
          redis.call('ZREM', name, each)
          redis.call('HDEL', key('v:' .. rest), each)
        end
      end
    elseif kind == 'a' and not asking.isDryRun then
      local known = redis.call('HMGET', name, 'at', unpack(variables))
      if hashes[rest] or asking.now and tonumber(known[1]) + longest <= asking.now then redis.call('DEL', name)
      else
        for i, variable in ipairs(variables) do
          if known[i + 1] and hashes[known[i + 1]] then
            redis.call('HDEL', name, variable)
            redis.call('HSET', name, 'counts', '{}')
          end
        end
      end
    elseif kind == 'r' and not asking.isDryRun then
      if asking.now then redis.call('ZREMRANGEBYSCORE', name, '-inf', asking.now - longest) end
      for _, each in ipairs(asking.hashes) do redis.call('ZREM', name, each) end
    end
  end
  return {page[1], deleted}`);

/** ARGV: the value of this format, that of the one before, and where to begin. Returns where the rest begins. */
const DISCARD = scriptOf(`
  if redis.call('GET', KEYS[1]) ~= ARGV[2] then return '0' end
  local page = redis.call('SCAN', ARGV[3], 'MATCH', '${PREFIX}*', 'COUNT', ${SWEEP_ROWS})
  for _, each in ipairs(page[2]) do if each ~= KEYS[1] then redis.call('UNLINK', each) end end
  if page[1] == '0' then redis.call('SET', KEYS[1], ARGV[1]) end
  return page[1]`);

const INIT = scriptOf(`redis.call('SET', KEYS[1], ARGV[1], 'NX')`);

/** What the operator has to mend, by the code of the error at the opening. */
const TO_MEND: Readonly<Record<string, string>> = {
  OTHER_FORMAT,
  NOT_INITIALISED: 'the velocity store is not initialised, or Redis has lost it: see verdict velocity init and rebuild',
  OTHER_KEY: 'the key of the velocity store is not the one that Redis was written with; put that one back',
  EVICTS: 'Redis may evict members of the velocity store: set maxmemory-policy to noeviction',
  REDIS_WRONGPASS: 'Redis refuses the user or the password of the velocity store',
  REDIS_NOAUTH: 'Redis wants a password for the velocity store',
  REDIS_NOPERM:
    'the user of the velocity store may not use scripts, INFO, or strings, hashes, sets and sorted sets of its keys',
};

type Client = ReturnType<typeof createClient>;

const PACKAGE = '@redis/client';

/** With `init`, marks the database as a velocity store of this key. */
export async function openRedis(
  url: string,
  key: Buffer,
  timeoutMs: number,
  { init, discards }: { readonly init: boolean; readonly discards: boolean },
): Promise<VelocityHome> {
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
    if (discards) await home.discard();
    if (init) await home.init();
    await home.check();
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

  /** Deletes what the format before has, if it is there, and marks the database as one of this format. */
  async discard(): Promise<void> {
    let from = '0';
    do from = String(await this.#run(DISCARD, [this.#format.replace(/^\d+/, '1'), from]));
    while (from !== '0');
  }

  async init(): Promise<void> {
    await this.#run(INIT, []);
    await this.check();
  }

  /** Rejects if the database is not a store of this version and key. */
  async check(): Promise<void> {
    await this.#ask(COVERAGE, { policy: '', kinds: [] });
  }

  async apply(of: Applying): Promise<Applied> {
    const { counts, adds, kinds, policy } = of;
    const asking = { ...homeAsking(of), counts: counts.map(shortSet), adds: adds.map(shortSet), policy: short(policy) };
    const kept = kinds.map(({ kind, keepMs }) => ({ kind: short(kind), keepMs }));
    const more = { isPeek: of.isPeek, hasPast: of.hasPast, missed: of.missed };
    const [application = '', began, ...rest] = (await this.#ask(APPLY, {
      ...asking,
      ...more,
      kinds: kept,
    })) as string[];
    const answers = rest.filter((_, i) => i % 2 === 0);
    const since = rest.filter((_, i) => i % 2 === 1).map(Number);
    return { application: Buffer.from(application, 'base64url').toString('hex'), began: Number(began), answers, since };
  }

  async restore(of: readonly HomeRestoring[]): Promise<void> {
    await this.#ask(
      RESTORE,
      of.map(({ isDecision, adds, known, counted, ...asking }) => ({
        ...homeAsking(asking),
        ...{ isDecision, adds: adds.map(shortSet), known, counted },
      })),
    );
  }

  async coverage({ policy, kinds }: HomeKinds): Promise<HomeCoverage> {
    const asking = { policy: short(policy), kinds: kinds.map(({ kind, keepMs }) => ({ kind: short(kind), keepMs })) };
    const answer = (await this.#ask(COVERAGE, asking)) as [string, string, string[], number, string, string[]];
    const [from, to, logs, policies, filledTo, since] = answer;
    return {
      ...{ since: since.map((each) => (each === '' ? null : Number(each))), logs, policies },
      filledTo: filledTo === '' ? null : Number(filledTo),
      gap: from === '' ? null : { from: Number(from), to: Number(to) },
    };
  }

  async cover({ policy, kinds, ...rest }: HomeCovered): Promise<void> {
    const kept = kinds.map(({ kind, keepMs }) => ({ kind: short(kind), keepMs }));
    await this.#ask(COVER, { ...rest, policy: short(policy), kinds: kept });
  }

  async sweep(what: Swept, from = '0') {
    const values = 'hashes' in what ? what.hashes : [];
    const of = 'now' in what ? { now: what.now } : { isDryRun: what.isDryRun };
    const asking = { ...of, from, most: SWEEP_ROWS, values, hashes: values.map(short) };
    const [next, deleted] = (await this.#ask(SWEEP, asking)) as [string, number];
    return next === '0' ? { deleted } : { deleted, next };
  }

  async close(): Promise<void> {
    const { client } = this.#connection ?? {};
    if (client?.isReady) await within(client.close(), this.#timeoutMs, () => new Error()).catch(() => {});
    this.#drop(client);
  }

  #ask(script: Script, asking: unknown): Promise<unknown> {
    return this.#run(script, [JSON.stringify(asking)]);
  }

  /** Runs a script, which Redis has kept since it was sent once. */
  async #run(script: Script, args: readonly string[]): Promise<unknown> {
    const rest = ['1', FORMAT_KEY, this.#format, ...args];
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

/** 16 bytes as 22 characters. */
function short(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** The value, the kind and the second value of a set, which a script tells apart by their lengths. */
function shortSet<Of extends { readonly set: string; readonly kind?: string }>(of: Of): Of {
  const { set, kind } = of;
  const parts = [set.slice(0, 24), set.slice(24, 32), set.slice(32)].map(short).join('');
  return { ...of, set: parts, ...(kind === undefined ? {} : { kind: short(kind) }) };
}

function homeAsking({ decision, application, reference, applicant, at, began }: HomeAsking) {
  const hashes = Object.entries(applicant).map(([variable, hashed]) => [variable, short(hashed)]);
  const certain = application === undefined ? {} : { application: short(application) };
  const of = { decision: short(decision), ...certain, reference: short(reference), at, began };
  return { ...of, applicant: Object.fromEntries(hashes) };
}

/** The code of Node, of Redis (the first word of its message), or our own. */
function codeOf(error: unknown): string {
  const code = foreignCode(error);
  if (code !== undefined) return code;
  const word = /^[A-Z_]{2,40}(?= )/.exec(error instanceof Error ? error.message : '')?.[0];
  if (word === undefined) return 'CONNECTION_LOST';
  return ['NOT_INITIALISED', 'OTHER_FORMAT', 'OTHER_KEY'].includes(word) ? word : `REDIS_${word}`;
}
