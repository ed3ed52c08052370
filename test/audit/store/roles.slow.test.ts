/** The roles of the page on the log in PostgreSQL: what each may do is enough for it, and is all that it may do. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeCheckpoint } from '../../../src/audit/checkpoint/take.ts';
import { homeOf } from '../../../src/audit/home.ts';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { initAuditLog } from '../../../src/audit/init.ts';
import { readSigningKey, rotateSigningKey } from '../../../src/audit/keys/key-folder.ts';
import { createAuditLog } from '../../../src/audit/log.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { pruneLog } from '../../../src/audit/retain/prune.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, personOf } from '../../support/audit/decisions.ts';
import { TOMORROW } from '../../support/audit/random-log.ts';
import { ROOT } from '../../support/docs/docs.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';

const PASSWORD = 'a password for tests';
const [, GRANTS = ''] =
  /## Roles.*?```sql\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/audit-postgres.md'), 'utf8')) ?? [];

const server = PostgresServer.shared();

const urlOf = (role: string, schema: string) => {
  const url = new URL(server.url({ options: `-c search_path=${schema}` }));
  [url.username, url.password] = [role, encodeURIComponent(role === 'verdict' ? url.password : PASSWORD)];
  return role === 'verdict' ? server.url({ options: `-c search_path=${schema}` }) : url.href;
};

const placeOf = (role: string) => ({
  postgres: urlOf(role, 'verdict_log'),
  keys: { postgres: urlOf(role, 'verdict_keys'), masterKey: 'cd'.repeat(32) },
});

describe.runIf(HAS_POSTGRES)('the roles of a log (skipped where postgresql is not installed)', () => {
  it('suffice to record, to erase and prune, and to read', async () => {
    await server.sql(server.url(), 'create schema verdict_log; create schema verdict_keys');
    await initAuditLog(placeOf('verdict'));
    await server.sql(server.url(), GRANTS);
    for (const role of ['service', 'keeper', 'reader']) {
      await server.sql(server.url(), `alter role verdict_${role} password '${PASSWORD}'`);
    }
    const [service, keeper] = [placeOf('verdict_service'), placeOf('verdict_keeper')];
    const reader = { postgres: urlOf('verdict_reader', 'verdict_log') };

    const ids: string[] = [];
    for (let session = 0; session < 2; session++) {
      const log = await createAuditLog({ ...service, segmentBytes: 3000 });
      const decider = createDecider({ policy: policyOf(HEAD), verify: localVerifier, audit: log });
      for (let n = 0; n < 6; n++) ids.push((await decider.decide(personOf(n))).id);
      await addNote({ log, decision: ids[0] ?? '', disposition: 'approve', by: 'Raj', why: 'Called back.' });
      await addNote({ log, decision: ids[0] ?? '', disposition: 'decline', by: 'Ida', why: 'Called again.' });
      await expect(eraseSubject({ log, subject: personOf(1).phoneNo })).rejects.toThrow('SQLSTATE_42501');
      await log.close();
    }
    expect((await readRecord(service, ids[0] ?? ''))?.notes).toHaveLength(4);
    expect((await verifyLog(service)).findings).toEqual([]);

    await using index = await openLogIndex(reader);
    expect((await searchLog(reader, { dispositions: ['decline'] }, { index })).rows.map(({ id }) => id)).toEqual([
      ids[0],
    ]);
    expect((await verifyLog(reader)).findings).toEqual([]);

    const log = await createAuditLog(keeper);
    const { records } = await eraseSubject({ log, subject: personOf(1).phoneNo });
    expect(records).toEqual(expect.arrayContaining([ids[1], ids[7]]));
    await log.close();
    const home = await homeOf(keeper);
    const signingKey = await readSigningKey(home.keys);
    const before = new Date(TOMORROW()).toISOString().slice(0, 10);
    const pruning = { before, signingKey, now: TOMORROW };
    await expect(pruneLog({ ...service, ...pruning })).rejects.toThrow('SQLSTATE_42501');
    expect((await pruneLog({ ...keeper, ...pruning })).segments.length).toBeGreaterThan(1);
    expect((await takeCheckpoint({ ...keeper, signingKey })).note).toBeDefined();
    await rotateSigningKey(home.log, home.keys);
    for (const place of [service, reader]) expect((await verifyLog(place)).findings).toEqual([]);
  });

  it.each([
    ...['log_entry', 'log_file', 'log_indexed', 'log_decision', 'log_note', 'verdict_migration'].flatMap((table) => [
      [`delete from ${table}`, 'verdict_service', 'verdict_log'],
      [`truncate ${table}`, 'verdict_keeper', 'verdict_log'],
    ]),
    ["update log_entry set text = ''", 'verdict_service', 'verdict_log'],
    ["update log_entry set text = ''", 'verdict_keeper', 'verdict_log'],
    ["update log_file set bytes = ''", 'verdict_keeper', 'verdict_log'],
    ["update log_segment set day = '2020-01-01'", 'verdict_service', 'verdict_log'],
    ['delete from log_segment', 'verdict_service', 'verdict_log'],
    ["select log_drop_day('2020-01-01')", 'verdict_service', 'verdict_log'],
    ['delete from key_data', 'verdict_service', 'verdict_keys'],
    ["update key_data set bytes = ''", 'verdict_service', 'verdict_keys'],
    ["update key_data set bytes = ''", 'verdict_keeper', 'verdict_keys'],
    ["update key_file set bytes = ''", 'verdict_service', 'verdict_keys'],
    ['delete from key_block', 'verdict_keeper', 'verdict_keys'],
    ['select from key_data', 'verdict_reader', 'verdict_keys'],
    ["insert into log_file values ('', 'x', '')", 'verdict_reader', 'verdict_log'],
    ["select log_add_day('2020-01-01')", 'verdict_reader', 'verdict_log'],
    ['create table more (n integer)', 'verdict_keeper', 'verdict_log'],
  ])('refuse `%s` to %s', async (statement = '', role = '', schema = '') => {
    await expect(server.sql(urlOf(role, schema), statement)).rejects.toThrow(
      /permission denied|relation "key_data" does not exist/,
    );
  });
});
