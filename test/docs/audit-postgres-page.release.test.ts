/** The page on the log in PostgreSQL: its roles, grants, commands and configuration make a service that works. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/docs/docs.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { APPLICANT, startTestService } from '../support/service/running.ts';
import { HAS_POSTGRES, KEY, PASSWORD, PostgresServer } from '../support/stores/state/postgres.ts';

const PAGE = readFileSync(join(ROOT, 'docs/audit-postgres.md'), 'utf8');
const MASTER_KEY = 'cd'.repeat(32);

const blocks = [...PAGE.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({ language, text }));
const blockOf = (language: string, part: string) =>
  blocks.find((each) => each.language === language && each.text.includes(part))?.text ?? '';
/** What serve.yaml of the page says of a key, as YAML. */
const configured = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(blockOf('yaml', '# serve.yaml'))?.[1] ?? '';

describe.skipIf(!HAS_POSTGRES)('the page on the log in PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.ofTests();

  /** The URL of a role of the page, in one of its schemas. */
  const urlOf = (role: string, schema: string) =>
    server
      .url({ options: `-c search_path=verdict_${schema}` }, { database: 'verdict' })
      .replace('//verdict:', `//verdict_${role}:`);

  test('its steps make a service that works, may not change a line, and is erased by another role', async () => {
    await server.sql(server.url(), 'create database verdict');
    const folder = temporaryFolder();
    const [, roles = ''] = /^## Roles\n.*?^```sql\n(.*?)^```$/ms.exec(PAGE) ?? [];
    const passwords = ['service', 'keeper'].map((role) => `alter role verdict_${role} password '${PASSWORD}';\n`);
    writeFileSync(join(folder, 'roles.sql'), `${roles}${passwords.join('')}`);
    writeFileSync(join(folder, 'state.sql'), blockOf('sql', '-- state.sql'));
    const steps = blockOf('sh', 'state.sql')
      .replace("'create role verdict_owner login'", `"create role verdict_owner login password '${PASSWORD}'"`)
      .replace(':…@db.bank.example/', `:${PASSWORD}@127.0.0.1:${server.port}/`)
      .replace('sslmode=verify-full', `sslmode=verify-full&sslrootcert=${server.caFile}`)
      .replace('$(openssl rand -hex 32)', MASTER_KEY)
      .replaceAll('npx verdict', `${process.execPath} ${join(ROOT, 'dist/cli/main.js')}`)
      .replaceAll('psql ', 'psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 ');
    const env = { ...process.env, DBA_URL: server.url({}, { database: 'verdict' }) };
    execFileSync('bash', ['-euc', steps], { cwd: folder, env, stdio: 'pipe' });

    const [url, keysUrl] = [urlOf('service', 'log'), urlOf('service', 'keys')];
    const service = await startTestService({
      audit: configured('audit'),
      state: configured('state'),
      more: `velocity: ${configured('velocity')}`,
      env: { DATABASE_URL: url, KEYS_URL: keysUrl, VERDICT_MASTER_KEY: MASTER_KEY, VERDICT_STATE_KEY: KEY },
    });
    const { id } = (await service.decide('A-1')).body;
    expect((await service.decide('A-1')).body['id']).toBe(id);
    const auditor = await service.key(['read', 'audit', 'review'], 'auditor');
    const taken = await service.ask('POST', '/v1/cases/take', {}, { key: auditor });
    expect(taken.body).toMatchObject({ id });
    const said = { token: taken.body['token'], disposition: 'approve', why: 'Showed an identity card.' };
    expect((await service.ask('POST', `/v1/cases/${id}/resolve`, said, { key: auditor })).status).toBe(200);
    const found = await service.ask('GET', '/v1/decisions?outcome=review', undefined, { key: auditor });
    expect(found.body['decisions']).toMatchObject([{ id, review: 'approve' }]);
    expect(service.lines.filter(({ event }) => /fail|broken/i.test(String(event)))).toEqual([]);

    const notWritten = await server.sql(
      url,
      `select relname as name from pg_class where relnamespace = 'verdict_log'::regnamespace and relkind in ('r', 'p')
        and not relispartition and not has_table_privilege('verdict_service', oid, 'insert') order by name`,
    );
    expect(notWritten).toEqual([{ name: 'velocity_format' }, { name: 'verdict_migration' }]);
    for (const statement of [`update log_entry set text = ''`, 'delete from log_entry', 'delete from log_segment']) {
      await expect(server.sql(url, statement)).rejects.toMatchObject({ code: '42501' });
    }

    const verdict = [
      join(ROOT, 'dist/cli/main.js'),
      'audit',
      'erase',
      'postgres:LOG_URL',
      '--keys',
      'postgres:KEYS_URL',
    ];
    const erase = [...verdict, '--subject', APPLICANT.phoneNo, '--yes', '--by', 'Raj', '--why', 'Asked.'];
    const [keeper, keepersKeys] = [urlOf('keeper', 'log'), urlOf('keeper', 'keys')];
    const erased = execFileSync(process.execPath, erase, {
      env: { ...env, VERDICT_MASTER_KEY: MASTER_KEY, LOG_URL: keeper, KEYS_URL: keepersKeys, VERDICT_VELOCITY: keeper },
      encoding: 'utf8',
    });
    expect(erased).toContain('3 records erased');
    expect(erased).not.toContain('Not looked at');
    const shown = await service.ask('GET', `/v1/decisions/${id}`, undefined, { key: auditor });
    expect(shown.body['erasedAt']).toBeTruthy();
  });
});
