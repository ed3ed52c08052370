/** An index of a log: it says what the log says, whatever becomes of either. */

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { v7 as uuidV7 } from 'uuid';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DecisionFields } from '../../../src/audit/entry/entry.ts';
import type { LogIndex } from '../../../src/audit/index/log-index.ts';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { createAuditLog } from '../../../src/audit/log.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { addEvent } from '../../../src/audit/query/event.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { pruneLog } from '../../../src/audit/retain/prune.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { addDecision, decisionOf, LATER, makeLog, openTestChain, type TestLog } from '../../support/audit/log.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';

let log: TestLog;
let file: string;
beforeEach(async () => {
  log = await makeLog(temporaryFolder(), { chains: 2, decisions: 6, segmentBytes: 1500 });
  file = join(log.dir, 'index.sqlite');
});

const place = () => ({ dir: log.dir, keys: log.keys });

async function open(): Promise<LogIndex> {
  const index = await openLogIndex({ dir: log.dir });
  onTestFinished(() => index.close());
  return index;
}

/** Both ways find the same. */
async function compare(index: LogIndex): Promise<void> {
  const [by, without] = [await searchLog(place(), {}, { index }), await searchLog(place())];
  expect(by).toEqual(without);
  expect(without.total).toBeGreaterThan(0);
}

/** Adds a decision in a chain of its own; returns its id. */
async function grow(): Promise<string> {
  const writer = await openTestChain(log, 1500);
  const id = await addDecision(writer, 1, false);
  await writer.close();
  return id;
}

it('follows the log as it grows, also beside another index of it', async () => {
  const indexes = [await open(), await open()] as const;
  for (let i = 0; i < 3; i++) {
    for (const index of indexes) await compare(index);
    const id = await grow();
    expect(await indexes[i % 2]?.find(id)).toHaveLength(1);
  }
  await Promise.all(indexes.map((index) => index.catchUp()));
  for (const index of indexes) await compare(index);
  expect((await verifyLog({ dir: log.dir })).findings).toEqual([]);
});

it('forgets pruned segments', async () => {
  const index = await open();
  await compare(index);
  const before = await index.dayCounts('outcome');
  const { dir, keys, privateKey } = log;
  await pruneLog({ dir, keys, before: '2026-11-24', signingKey: privateKey, now: () => LATER });
  await compare(index);
  const sum = (counts: readonly { readonly decisions: number }[]) => counts.reduce((n, each) => n + each.decisions, 0);
  const { total } = await searchLog(place());
  expect(sum(before)).toBeGreaterThan(total);
  expect(sum(await index.dayCounts('outcome'))).toBe(total);
});

const DAMAGES: readonly (readonly [what: string, damage: () => void])[] = [
  ['was removed', () => rmSync(file)],
  ['was truncated', () => truncateSync(file, 5000)],
  ['was emptied', () => truncateSync(file, 0)],
  ['is another file', () => writeFileSync(file, 'not an index'.repeat(1000))],
  ['has another format', () => void new DatabaseSync(file).exec('pragma user_version = 99')],
];

describe.each(DAMAGES)('an index that %s', (_what, damage) => {
  it('is made again when it is opened', async () => {
    const index = await openLogIndex({ dir: log.dir });
    await compare(index);
    await index.close();
    for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
    damage();
    await compare(await open());
  });
});

it('may be on another disk, where each log has its own', async () => {
  const indexes = join(temporaryFolder(), 'indexes');
  const other = await makeLog(temporaryFolder(), { chains: 1, decisions: 2, segmentBytes: 1500 });
  for (const each of [log, other, log]) {
    await using index = await openLogIndex({ dir: each.dir, index: indexes });
    const found = await searchLog({ dir: each.dir }, {}, { index });
    expect(found).toEqual(await searchLog({ dir: each.dir }));
    expect(existsSync(join(each.dir, 'index.sqlite'))).toBe(false);
  }
  expect(readdirSync(indexes).sort()).toEqual([log.log, other.log].sort());
  await using again = await openLogIndex({ dir: log.dir, index: indexes });
  expect(await again.behind()).toBe(0);
});

it('is not kept inside the log, nor where no folder can be made', async () => {
  const inside = openLogIndex({ dir: log.dir, index: join(log.dir, 'indexes') });
  await expect(inside).rejects.toThrow(/index folder is inside the other/);
  const noFolder = openLogIndex({ dir: log.dir, index: join(log.keys, 'keys.json') });
  await expect(noFolder).rejects.toMatchObject({ code: 'AUDIT_FAILED', message: expect.stringContaining('ENOTDIR') });
});

it('is made again if it is removed while it is open', async () => {
  const index = await open();
  await compare(index);
  for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
  await compare(index);
  expect(statSync(file).size).toBeGreaterThan(0);
});

it('reads a segment again that is shorter than it was, or has another end', async () => {
  const index = await open();
  const copy = join(temporaryFolder(), 'copy');
  cpSync(log.dir, copy, { recursive: true });
  await grow();
  await compare(index);
  // From a backup: the new decision is gone.
  rmSync(join(log.dir, 'chains'), { recursive: true });
  cpSync(join(copy, 'chains'), join(log.dir, 'chains'), { recursive: true });
  await compare(index);
});

/** An index in whose file a statement was carried out while it was closed. */
async function openChanged(sql: string): Promise<LogIndex> {
  const index = await openLogIndex({ dir: log.dir });
  await index.catchUp();
  await index.close();
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return open();
}

it('with a changed line is noticed by the search that meets it', async () => {
  const again = await openChanged('update entry set start = start + 1 where n = (select min(entry) from decision)');
  await expect(searchLog(place(), {}, { index: again })).rejects.toThrow(
    /is not what the index says: make the index again/,
  );
});

it('that leads to another decision is noticed too', async () => {
  const other = '(select chain, segment, line, start, end from entry where n = (select max(entry) from decision))';
  const first = '(select min(entry) from decision)';
  const again = await openChanged(`update entry set (chain, segment, line, start, end) = ${other} where n = ${first}`);
  await expect(searchLog(place(), {}, { index: again })).rejects.toThrow(/is not what the index says/);
});

it('that was changed so that a segment is read into it again is noticed too', async () => {
  const again = await openChanged(
    "update segment set chain = 'another' where chain = (select min(chain) from segment)",
  );
  // Both the search that the index answers, and one that it narrows.
  for (const options of [{}, { countBy: ['outcome'] as const }]) {
    await expect(searchLog(place(), { from: '2026-11-01' }, { ...options, index: again })).rejects.toThrow(
      /is not what the index says/,
    );
  }
});

it('reads a segment again whose last line is another one of the same length', async () => {
  const index = await openLogIndex({ dir: log.dir });
  await compare(index);
  await index.close();
  const [chain = ''] = log.chains;
  const folder = join(log.dir, 'chains', chain);
  const segment = readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => join(folder, name))
    .findLast((path) => readFileSync(path, 'utf8').includes('"kind":"decision"'));
  if (segment === undefined) throw new Error('no decision');
  const lines = readFileSync(segment, 'utf8').split('\n');
  const decided = lines.findLastIndex((line) => line.includes('"kind":"decision"'));
  const kept = lines.slice(0, decided + 1).join('\n');
  writeFileSync(segment, `${kept}\n`);
  const before = await openLogIndex({ dir: log.dir });
  await compare(before);
  await before.close();
  const changed = kept.replace(/"at":"2026-11-(\d\d[^\n]*)$/, '"at":"2026-10-$1');
  expect(changed).not.toBe(kept);
  writeFileSync(segment, `${changed}\n`);
  await compare(await open());
});

it('rejects as the log does at a line that cannot be read, and goes on once it can', async () => {
  const index = await open();
  const segment = join(log.dir, 'chains', log.chains[0] ?? '', '00000001.ndjson');
  const whole = readFileSync(segment);
  writeFileSync(segment, whole.subarray(1));
  const [by, without] = await Promise.all(
    [{ index }, {}].map((options) => searchLog(place(), {}, options).catch((error: unknown) => error)),
  );
  expect(by).toEqual(without);
  expect(by).toMatchObject({ code: 'AUDIT_FAILED' });
  writeFileSync(segment, whole);
  await compare(index);
});

it('counts by day which groups of facts were missing, and why, as the log says', async () => {
  const writer = await openTestChain(log, 1500);
  for (const [n, missing] of MISSING.entries()) await writer.append({ ...decisionOf(uuidV7(), n, PLAIN), missing });
  await writer.close();
  const index = await open();
  await index.catchUp();
  const found = await index.dayCounts('missing');
  const plain = new Map<string, number>();
  for (const { at, missing } of (await searchLog(place())).rows) {
    for (const text of new Set(Object.entries(missing).flatMap(([cause, facts = []]) => facts.map(groupOf(cause))))) {
      const name = `${at.slice(0, 10)} ${text}`;
      plain.set(name, (plain.get(name) ?? 0) + 1);
    }
  }
  expect(plain.get('2026-11-20 sourceFailed email.darkWeb')).toBe(1);
  expect(new Map(found.map(({ day, text, decisions }) => [`${day} ${text}`, decisions]))).toEqual(plain);
});

const PLAIN = { plain: { facts: {} } };

const MISSING: readonly DecisionFields['missing'][] = [
  { sourceFailed: ['email.darkWeb.firstSeen', 'email.darkWeb.hitCount'], error: ['email.domain.type', 'ip'] },
  { notRequested: ['email.domain.type', 'ip.country'], notReturned: ['email.domain.type'] },
  {},
];

const groupOf = (cause: string) => (fact: string) => `${cause} ${fact.replace(/[.][^.]*$/, '')}`;

it('leads to a record, its notes and its erasures', async () => {
  const { place } = await logFolder();
  const audit = await createAuditLog(place);
  const policy = policyOf(`${HEAD}rules: [{ id: r, when: { phone.type: mobile }, then: review }]`);
  const decision = await createDecider({ policy, verify: localVerifier, audit }).decide(personOf(0));
  const index = await openLogIndex(place);
  onTestFinished(() => index.close());
  const said = { log: audit, index, decision: decision.id, by: 'A', why: 'B' };
  await addNote({ ...said, disposition: 'approve' });
  await addNote({ ...said, disposition: 'decline' });
  const record = await readRecord(place, decision.id, { index });
  expect({ ...record, body: undefined }).toEqual({ ...(await readRecord(place, decision.id)), body: undefined });
  expect(record?.notes.map(({ disposition }) => disposition)).toEqual(['approve', 'decline']);
  const unchecked = await readRecord(place, decision.id, { index, checkSegment: false });
  expect(unchecked?.segmentStatus).toEqual({ state: 'unchecked' });
  await expect(addNote({ ...said, decision: record?.notes[0]?.id ?? '', disposition: 'approve' })).rejects.toThrow(
    'found a note with that id',
  );
  // Who needs no events reads none, however many there are.
  const event = await addEvent({ log: audit, type: 'case.taken', by: 'A', object: decision.id });
  expect(await index.find(decision.id)).toHaveLength(4);
  expect(await index.find(decision.id, false)).toHaveLength(3);
  expect(await index.find(event, false)).toHaveLength(1);
  const found = { find: (id: string) => index.find(id, false) };
  expect(await readRecord(place, decision.id, { index: found })).toMatchObject({ notes: record?.notes, events: [] });
  await audit.close();
});

it('that leads to the line of another decision is told, and not taken for a log without it', async () => {
  const index = await open();
  await index.catchUp();
  const { rows } = await searchLog(place(), {}, { index });
  const [one = '', other = ''] = rows.map(({ id }) => id);
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const at = 'chain, segment, line, start, end';
  const placeOf = (id: string) =>
    database
      .prepare(`select n, ${at} from entry where n in (select entry from about where id = ?)`)
      .all(Buffer.from(id.replaceAll('-', ''), 'hex'));
  const [first, second] = [placeOf(one)[0], placeOf(other)[0]];
  const put = database.prepare(`update entry set (${at}) = (?, ?, ?, ?, ?) where n = ?`);
  for (const [to, from] of [
    [first, second],
    [second, first],
  ])
    put.run(...['chain', 'segment', 'line', 'start', 'end'].map((key) => from?.[key] ?? 0), to?.['n'] ?? 0);
  const read = readRecord(place(), one, { index });
  await expect(read).rejects.toMatchObject({ code: 'AUDIT_FAILED', message: expect.stringContaining('of another id') });
});
