/** The scripts of a velocity store in Redis or Valkey, each run as one step: what they keep, and what they answer. */

import { hash } from 'node:crypto';
import { APPLICATION_MS } from '../../decision/application.ts';
import { GRACE_MS, SWEEP_ROWS } from './home.ts';

export const FORMAT = 2;
const PREFIX = 'velocity:';
export const FORMAT_KEY = `${PREFIX}format`;

/**
 * `a:` and an application's id is a hash of what is known of it, `r:` and a reference a sorted set of its applications,
 * `s:` and a set the members by time, `v:` their values. `kinds` has how long and since when each policy counts each
 * kind, `gap` the times that were not counted, `logs` the logs that fill the store, `evicted` how many keys the server
 * had evicted at the initialisation, or `lost` once it evicted more: counts would be too low. Each script is run with
 * the key of the format, ARGV[1] with its value and ARGV[2] with what it is about.
 */
const EVICTED = `
  local evicted = tonumber(string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%d+)'))
  local marked = redis.call('GET', '${PREFIX}evicted') or '0'
  local is_lost = marked == 'lost' or evicted > tonumber(marked)
`;

const COMMON = `${EVICTED}
  local format = redis.call('GET', KEYS[1])
  if not format then return redis.error_reply('NOT_INITIALISED ') end
  if string.match(format, '^%d+') ~= '${FORMAT}' then return redis.error_reply('OTHER_FORMAT ') end
  if format ~= ARGV[1] then return redis.error_reply('OTHER_KEY ') end
  if is_lost or evicted < tonumber(marked) then
    redis.call('SET', '${PREFIX}evicted', is_lost and 'lost' or evicted)
    if is_lost then return redis.error_reply('EVICTS ') end
  end
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
    local is_changed = false
    for _, each in ipairs(kinds) do
      local name, most = each.kind .. ' ' .. policy, kept[each.kind] or 0
      local row, since = rows[name], at
      if not row or row.keep < each.keepMs then
        if row then since = math.max(row.since, most >= each.keepMs and 0 or at - most)
        elseif is_new_store then since = since_of_new end
        redis.call('HSET', key('kinds'), name, string.format('%d %d', each.keepMs, since))
        is_changed = true
      end
    end
    if is_changed then read_kinds() end
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

export const APPLY = scriptOf(`${COMMON}
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

export const RESTORE = scriptOf(`${COMMON}
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

export const COVERAGE = scriptOf(`${COMMON}
  local found, from, to = {}, gap()
  for _, each in ipairs(asking.kinds) do
    local row = rows[each.kind .. ' ' .. asking.policy]
    table.insert(found, row and string.format('%d', row.since) or '')
  end
  return {from and string.format('%d', from) or '', to and string.format('%d', to) or '',
    redis.call('SMEMBERS', key('logs')), policies, redis.call('GET', key('filled')) or '', found}`);

export const COVER = scriptOf(`${COMMON}
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
export const SWEEP = scriptOf(`${COMMON}
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
export const DISCARD = scriptOf(`
  if redis.call('GET', KEYS[1]) ~= ARGV[2] then return '0' end
  local page = redis.call('SCAN', ARGV[3], 'MATCH', '${PREFIX}*', 'COUNT', ${SWEEP_ROWS})
  for _, each in ipairs(page[2]) do if each ~= KEYS[1] then redis.call('UNLINK', each) end end
  if page[1] == '0' then redis.call('SET', KEYS[1], ARGV[1]) end
  return page[1]`);

/** What was evicted is unknown, so that no count reaches back beyond now. */
export const INIT = scriptOf(`${EVICTED}
  redis.call('SET', KEYS[1], ARGV[1], 'NX')
  if is_lost and redis.call('GET', KEYS[1]) == ARGV[1] then
    redis.call('SET', '${PREFIX}evicted', evicted)
    redis.call('SET', '${PREFIX}gap', '0 ' .. redis.call('TIME')[1] * 1000)
  end`);

function scriptOf(text: string) {
  return { text, sha: hash('sha1', text) };
}

export type Script = ReturnType<typeof scriptOf>;
