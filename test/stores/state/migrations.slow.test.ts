/** Tables of the state that change: made, migrated and refused, with two versions of the program side by side. */

import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY_TABLES, LOG_TABLES } from '../../../src/audit/database.ts';
import { openConnections } from '../../../src/platform/homes/connections.ts';
import { type Area, migrate, openTables, readLevel } from '../../../src/platform/homes/migrations.ts';
import type { Home } from '../../../src/stores/state/cases.ts';
import { openState } from '../../../src/stores/state/state.ts';
import { openPostgres, STATE_TABLES } from '../../../src/stores/state/state-postgres.ts';
import { VELOCITY_TABLES } from '../../../src/stores/velocity/velocity-postgres.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HAS_POSTGRES, KEY, PASSWORD, PostgresServer } from '../../support/stores/state/postgres.ts';
import { newState, request, sql } from '../../support/stores/state/processes.ts';

const [FILES, FIXTURES] = ['src/migrations', 'test/fixtures/state'];
const AREAS = [STATE_TABLES, VELOCITY_TABLES, LOG_TABLES, KEY_TABLES];
const LAST = STATE_TABLES.files.length;

const opened: { readonly end: () => Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ end }) => end()));
});

it('every area has its folder', () => {
  expect(readdirSync(FILES).sort()).toEqual(AREAS.map(({ name }) => name).sort());
});

it.each(AREAS)(
  'the files of $name are numbered without a gap, and each says its own number',
  ({ name: area, files }) => {
    const names = readdirSync(`${FILES}/${area}`).sort();
    expect(names).toEqual(files.map((file) => `${file}.sql`));
    names.forEach((name, i) => {
      const [, number, title = ''] = /^(\d{4})-([\w-]+)\.sql$/.exec(name) ?? [];
      expect(Number(number)).toBe(i + 1);
      const [, least] =
        new RegExp(`insert into verdict_migration .*\\('${area}', ${i + 1}, '${title}', (\\d+)\\);\n$`).exec(
          readFileSync(`${FILES}/${area}/${name}`, 'utf8'),
        ) ?? [];
      expect(Number(least)).toBeLessThanOrEqual(i + 1);
    });
  },
);

it('a file of an earlier version gets the columns that its cases lack, and keeps them', async () => {
  const dir = newState();
  const queue = readFileSync(`${FILES}/state/0004-queue.sql`, 'utf8');
  const added = [...queue.matchAll(/add column (\w+)/g)].map(([, name]) => name);
  const open = () => openState({ dir, rememberMs: 60_000 });
  const one = { id: 'one', decision: 'one', kind: 'review', queue: 'default', openedAt: 1, due: 5 } as const;
  const before = await open();
  await before.cases.open([one]);
  await before.close();
  for (const name of ['reserved', 'undescribed', 'opened', 'resolved']) sql(dir, `drop index cases_${name}`);
  for (const name of added) sql(dir, `alter table cases drop column ${name}`);
  sql(dir, 'drop table people');
  const { cases, close } = await open();
  opened.push({ end: close });
  expect(await cases.reassign({ id: 'one', to: 'ann' })).toMatchObject({
    ...one,
    reservedFor: 'ann',
    codes: [],
    facts: {},
  });
  expect(await cases.undescribed(9)).toMatchObject([{ id: 'one' }]);
});

describe.skipIf(!HAS_POSTGRES)('tables of the state (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.shared();

  async function open(postgres: string): Promise<Home> {
    const home = await openPostgres({ postgres, key: KEY, rememberMs: 60_000 });
    opened.push({ end: () => home.close() });
    return home;
  }

  async function connect(url: string) {
    const connections = await openConnections(url, { limitMs: 5000, what: 'state' }, (code) => new Error(code));
    opened.push(connections);
    return connections;
  }

  /** A schema as an earlier version made it, with a reference that was decided. */
  async function earlier(fixture: string): Promise<string> {
    const url = await server.newSchema();
    const keyCheck = createHmac('sha256', Buffer.from(KEY, 'hex')).update('state').digest('base64');
    await server.sql(url, readFileSync(`${FIXTURES}/${fixture}`, 'utf8'));
    await server.sql(url, `insert into state_format values (1, '${keyCheck}')`);
    await server.sql(
      url,
      `insert into reference values ('one', 'asked', 'first', 'gone', 'done', 'accept',
      cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`,
    );
    return url;
  }

  const cli = (url: string, ...args: readonly string[]) =>
    runCli(['state', ...args, '--state', 'postgres:STATE_URL'], { env: { STATE_URL: url } });

  /** The columns, their types and the indexes of the tables. */
  async function shapeOf(url: string): Promise<readonly unknown[]> {
    const schema = new URL(url).searchParams.get('options')?.replace('-c search_path=', '');
    const rows = await server.sql(
      url,
      `select table_name || '.' || column_name || ' ' || data_type || coalesce(' ' || collation_name, '') || ' '
          || is_nullable || ' ' || coalesce(column_default, '') as each
        from information_schema.columns where table_schema = '${schema}'
       union all select replace(indexdef, '${schema}.', '') from pg_indexes where schemaname = '${schema}' order by 1`,
    );
    return rows.map((row) => (row as { readonly each: string }).each);
  }

  it.each(readdirSync(FIXTURES))('of %s are refused until they are migrated, and keep what they have', async (file) => {
    const url = await earlier(file);
    const refused = {
      code: 'CONFIGURATION_INVALID',
      message: expect.stringMatching(/lack 0001-tables.*state migrate/),
    };
    await expect(open(url)).rejects.toMatchObject(refused);
    expect(await cli(url, 'status')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^state: migration 0 of \d+\nthe tables of the state lack 0001-tables/),
    });
    expect(await cli(url, 'init')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('state migrate') });
    expect(await cli(url, 'migrate')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('0001-tables') });
    const fresh = await server.newSchema();
    expect(await cli(fresh, 'init')).toMatchObject({ exitCode: 0 });
    expect(await shapeOf(url)).toEqual(await shapeOf(fresh));
    expect(await (await open(url)).claim(request('one', 'second', { question: 'asked' }))).toMatchObject({
      answer: 'accept',
    });
    expect(await cli(url, 'status')).toMatchObject({ exitCode: 0, stdout: `state: migration ${LAST} of ${LAST}\n` });
  });

  it('are made by a script for psql as by the command, and again nothing is changed', async () => {
    const [url, other] = [await server.newSchema(), await server.newSchema()];
    const { stdout: script } = await cli(url, 'migrate', '--sql');
    expect(await cli(url, 'status', '--json')).toMatchObject({ exitCode: 1 });
    server.psql(url, script);
    expect(() => server.psql(url, script)).toThrow(/duplicate key/);
    for (const command of ['init', 'migrate']) {
      expect(await cli(url, command, '--json')).toMatchObject({ exitCode: 0, stdout: '{\n  "run": []\n}\n' });
    }
    expect(await cli(other, 'migrate', '--json')).toMatchObject({ stdout: expect.stringContaining('0001-tables') });
    expect(await shapeOf(url)).toEqual(await shapeOf(other));
    // Whose key this is, the first service says.
    expect(await (await open(url)).claim(request('one', 'first'))).toEqual({ state: 'granted' });
  });

  it('are migrated once by several at the same time', async () => {
    const url = await server.newSchema();
    const runs = await Promise.all(Array.from({ length: 4 }, async () => migrate(await connect(url), STATE_TABLES)));
    expect(runs.flat().sort()).toEqual(STATE_TABLES.files);
  });

  it('may have more than a program knows, but nothing that it has to know', async () => {
    const url = await server.newSchema();
    const old = await open(url);
    const expand = `insert into verdict_migration (area, number, name, least) values ('state', ${LAST + 1}, 'more', 1)`;
    await server.sql(url, `alter table reference add column more text; ${expand}`);
    // A program of this version that starts during the rollout beside one of the next.
    const next: Area = { ...STATE_TABLES, files: [...STATE_TABLES.files, `000${LAST + 1}-more`] };
    await openTables(await connect(url), next);
    const started = await open(url);
    expect(await old.claim(request('one', 'first'))).toEqual({ state: 'granted' });
    expect(await started.claim(request('one', 'second'))).toEqual({ state: 'running', decision: 'first' });
    expect(await cli(url, 'status')).toMatchObject({ exitCode: 0 });
    await server.sql(url, `update verdict_migration set least = number where number = ${LAST + 1}`);
    await openTables(await connect(url), next);
    const said = new RegExp(`later version: expected a version of verdict that knows migration ${LAST + 1}`);
    await expect(open(url)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringMatching(said),
    });
    expect(await cli(url, 'status')).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(said) });
    expect(await cli(url, 'migrate')).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(said) });
  });

  it('of the version before are refused until they are migrated, and that version works on with them', async () => {
    const url = await server.newSchema();
    const before: Area = { ...STATE_TABLES, files: STATE_TABLES.files.slice(0, 1) };
    await openTables(await connect(url), before);
    expect(await readLevel((await connect(url)).query, STATE_TABLES)).toMatchObject({ isNew: false, numbers: [1] });
    await expect(open(url)).rejects.toThrow(/lack 0002-in-force/);
    expect(await cli(url, 'migrate', '--json')).toMatchObject({ stdout: expect.not.stringContaining('0001-tables') });
    await open(url);
    await openTables(await connect(url), before);
  });

  it('are left as they were by a file that fails', async () => {
    const url = await server.newSchema();
    // The index of this name is made at the end of the first file, and here by somebody else.
    await server.sql(url, 'create table other (at bigint); create table cases_count (at bigint)');
    expect(await cli(url, 'init')).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('SQLSTATE_') });
    expect(await server.sql(url, `select to_regclass('reference') as made`)).toEqual([{ made: null }]);
  });

  it('are named by a variable, so that no URL stands on the command line', async () => {
    const url = await server.newSchema();
    for (const [place, env] of [
      [url, {}],
      ['postgres:', {}],
      ['postgres:NOT_SET', {}],
      ['STATE_URL', { STATE_URL: url }],
    ] as const) {
      const { exitCode, stderr } = await runCli(['state', 'status', '--state', place], { env });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: expect.stringMatching(/postgres:NAME|NOT_SET is not set/),
      });
      expect(stderr).not.toContain(PASSWORD);
    }
    const wrong = url.replace(PASSWORD, 'canary-wrong');
    const { exitCode, stderr } = await cli(wrong, 'status');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining('refuses the user or the password'),
    });
    expect(stderr).not.toContain('canary');
  });
});
