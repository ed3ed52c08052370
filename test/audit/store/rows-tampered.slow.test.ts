/** Ways to tamper with a log that only rows have are found; those that files have too are those of a folder. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeCheckpoint } from '../../../src/audit/checkpoint/take.ts';
import { copyLog } from '../../../src/audit/copy.ts';
import type { DatabasePlace } from '../../../src/audit/place.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { BEGIN, makeLog, type TestLog, tearAndMend } from '../../support/audit/log.ts';
import { makeRandomLog } from '../../support/audit/random-log.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';

const masterKey = 'cd'.repeat(32);
const server = PostgresServer.shared();
let log: TestLog;
let note = '';
const root = mkdtempSync(join(tmpdir(), 'verdict-'));

beforeAll(async () => {
  if (!HAS_POSTGRES) return;
  log = await makeLog(root, { chains: 2, decisions: 7, segmentBytes: 3000 });
  await tearAndMend(log, 3000);
  note = (await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey, now: () => BEGIN })).note ?? '';
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A row of the first chain. */
const ROW = "chain = 'CHAIN' and segment = 1 and line = 2";
/** The places of two rows of the first segment. */
const TWO = "e.chain = 'CHAIN' and e.segment = 1 and o.chain = 'CHAIN' and o.segment = 1";
const INSERT = 'insert into log_entry (day, chain, segment, line, start, text) select';

/** What is done, and the codes of all findings: a checkpoint shows nothing more. */
const TAMPERS: readonly (readonly [name: string, sql: string, seen: string])[] = [
  [
    'a text changed',
    `update log_entry set text = replace(text, '"outcome":"accept"', '"outcome":"reject"') where ${ROW}`,
    'hash-differs',
  ],
  ['a text with a line break', `update log_entry set text = text || e'\\n' || text where ${ROW}`, 'sequence-broken'],
  ['a row deleted', `delete from log_entry where ${ROW}`, 'file-unexpected line-not-json'],
  [
    'the last row of a chain deleted',
    "delete from log_entry where chain = 'OTHER' and (segment, line) = (select segment, max(line) from log_entry where chain = 'OTHER' and segment = LAST group by segment)",
    'file-unexpected line-not-json',
  ],
  [
    'the rows of two lines swapped',
    `update log_entry e set line = o.line, text = o.text from log_entry o where ${TWO} and e.line + o.line = 5 and e.line in (2, 3)`,
    'line-not-json',
  ],
  [
    'a row copied behind it',
    `${INSERT} day, chain, segment, line, start + 1, text from log_entry where ${ROW}`,
    'file-unexpected line-not-json',
  ],
  [
    'a row copied to the end',
    `${INSERT} day, chain, segment, 99, (select bytes from log_segment where chain = 'CHAIN' and number = 1), text from log_entry where ${ROW}`,
    'file-unexpected',
  ],
  [
    'a row of another chain inserted',
    `${INSERT} day, 'CHAIN', 1, line, start + 1, text from log_entry where chain = 'OTHER' and segment = 1 and line = 2`,
    'file-unexpected line-not-json',
  ],
  [
    'a row moved to another segment',
    `update log_entry set segment = 2, start = start + 1 where ${ROW}`,
    'file-unexpected line-not-json',
  ],
  ['a row of no segment', `${INSERT} day, chain, 77, line, start, text from log_entry where ${ROW}`, 'file-unexpected'],
  [
    'a row of no chain',
    `${INSERT} day, '01900000-0000-7000-8000-000000000000', segment, line, start, text from log_entry where ${ROW}`,
    'file-unexpected',
  ],
  ['a row of another line', `update log_entry set line = 88 where ${ROW}`, 'line-not-json'],
  ['a row that begins elsewhere', `update log_entry set start = start + 1 where ${ROW}`, 'line-not-json'],
  [
    'a row that begins before the first',
    `update log_entry set start = -1 where ${ROW}`,
    'file-unexpected line-not-json',
  ],
  [
    'a row moved to another day',
    `select log_add_day('2031-01-01'); update log_entry set day = '2031-01-01' where ${ROW}`,
    'file-unexpected line-not-json',
  ],
  [
    'a segment deleted',
    "delete from log_segment where chain = 'CHAIN' and number = 1",
    'file-unexpected segment-missing',
  ],
  [
    'a segment with another day',
    "update log_segment set day = '2031-01-01' where chain = 'CHAIN' and number = 1",
    'file-unexpected line-not-json',
  ],
  [
    'a segment of fewer bytes',
    "update log_segment set bytes = bytes - 1 where chain = 'CHAIN' and number = 1",
    'line-not-whole',
  ],
  [
    'a segment of more bytes',
    "update log_segment set bytes = bytes + 5000000 where chain = 'CHAIN' and number = 1",
    'line-not-json',
  ],
  [
    'a segment of other lines',
    "update log_segment set lines = lines + 1 where chain = 'CHAIN' and number = 1",
    'file-unexpected',
  ],
  ['a policy removed', "delete from log_file where folder = 'policies'", 'archive-missing'],
  [
    'another file',
    "insert into log_file values ('', 'notes.txt', 'x'), ('policies', 'new.json', '{}')",
    'file-unexpected',
  ],
  ['a file in no folder', "insert into log_file values ('more', 'notes.txt', 'x')", 'file-unexpected'],
];

/** Keeps the rows of all tables of a schema; resolves with what puts them back. */
async function keepRows(postgres: string): Promise<() => Promise<unknown>> {
  const found = (await server.sql(
    postgres,
    'select relname as name from pg_class where relnamespace = current_schema::regnamespace and not relispartition ' +
      "and relkind in ('r', 'p')",
  )) as readonly { readonly name: string }[];
  const names = found.map(({ name }) => name);
  await server.sql(postgres, names.map((name) => `create table kept_${name} as table ${name}`).join(';'));
  const back = names.map((name) => `insert into ${name} overriding system value table kept_${name}`);
  const sql = [`truncate ${names.join(', ')} cascade`, ...back].join(';');
  return () => server.sql(postgres, `begin; set local session_replication_role = replica; ${sql}; commit`);
}

describe.runIf(HAS_POSTGRES)('the rows of a log (skipped where postgresql is not installed)', () => {
  let postgres = '';
  let putBack: () => Promise<unknown>;
  beforeAll(async () => {
    postgres = await server.newSchema();
    await copyLog({ from: { dir: log.dir, keys: log.keys }, to: { postgres, keys: { masterKey } } });
    putBack = await keepRows(postgres);
  });

  it('verify as they were copied, also once they were put back', async () => {
    await server.sql(postgres, 'delete from log_entry; delete from log_file');
    await putBack();
    expect((await verifyLog({ postgres, checkpoint: Buffer.from(note) })).findings).toEqual([]);
  });

  it.each(TAMPERS)('with %s', async (_, sql, seen) => {
    await putBack();
    const [chain = '', other = ''] = log.chains;
    const [{ last }] = (await server.sql(
      postgres,
      `select max(number) as last from log_segment where chain = '${other}'`,
    )) as [{ last: number }];
    await server.sql(
      postgres,
      sql.replaceAll('CHAIN', chain).replaceAll('OTHER', other).replaceAll('LAST', String(last)),
    );
    const codesOf = async (more: object) =>
      [...new Set((await verifyLog({ postgres, ...more })).findings.map(({ code }) => code))].sort().join(' ');
    expect(await codesOf({})).toBe(seen);
    expect(await codesOf({ checkpoint: Buffer.from(note), publicKeys: [log.publicKey] })).toBe(seen);
  });

  const SWAP = `update key_data k set bytes = o.bytes from key_data o
    where k.block = o.block and k.block = (select min(block) from key_data) and k.slot + o.slot = 1`;
  const KEYS: readonly (readonly [name: string, sql: string, seen: string | RegExp])[] = [
    ['the keys of two rows swapped', SWAP, /does not open/],
    ['a key changed', 'update key_data set bytes = set_byte(bytes, 20, 255 - get_byte(bytes, 20))', /does not open/],
    [
      'a key of another block',
      `update key_data k set bytes = o.bytes from key_data o
       where k.slot = 0 and o.slot = 0 and k.block < o.block`,
      /does not open/,
    ],
    ['keys deleted', 'delete from key_data', 'key-missing'],
    ['blocks deleted', 'delete from key_data; delete from key_block', 'key-missing'],
    ['blocks of fewer slots', 'update key_block set slots = 0', 'key-missing'],
    ['keys.json removed', "delete from key_file where name = 'keys.json'", /found no keys.json/],
    [
      'two files swapped',
      `update key_file k set bytes = o.bytes from key_file o
       where k.name <> o.name and k.name in ('keys.json', 'signing.json') and o.name in ('keys.json', 'signing.json')`,
      /does not open/,
    ],
  ];

  describe('and of its keys', () => {
    async function copyWithKeys() {
      const ofKeys = await server.newSchema();
      const to: DatabasePlace = { postgres: await server.newSchema(), keys: { postgres: ofKeys, masterKey } };
      await copyLog({ from: (await makeRandomLog(mkdtempSync(join(root, 'random-')), 11)).place, to });
      return { to, ofKeys, putKeysBack: await keepRows(ofKeys) };
    }
    let copied: ReturnType<typeof copyWithKeys> | undefined;

    it('with none of it, and with another master key', async () => {
      copied ??= copyWithKeys();
      const { to, ofKeys } = await copied;
      expect((await verifyLog(to)).findings).toEqual([]);
      const other = { ...to, keys: { postgres: ofKeys, masterKey: 'ef'.repeat(32) } };
      await expect(verifyLog(other)).rejects.toThrow('the master key is another one');
    });

    it.each(KEYS)('with %s', async (_, sql, seen) => {
      copied ??= copyWithKeys();
      const { to, ofKeys, putKeysBack } = await copied;
      await putKeysBack();
      await server.sql(ofKeys, sql);
      const said = await verifyLog(to).then(
        ({ findings }) => findings.map(({ code }) => code),
        (error: Error) => [error.message],
      );
      expect(said[0]).toMatch(seen);
    });
  });
});
