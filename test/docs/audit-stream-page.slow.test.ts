/** The page on reading the log elsewhere: its SQL brings each line to a second server, by logical replication. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { homeOf } from '../../src/audit/home.ts';
import { initAuditLog } from '../../src/audit/init.ts';
import { readSigningKey } from '../../src/audit/keys/key-folder.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import type { LogPlace } from '../../src/audit/place.ts';
import { pruneLog } from '../../src/audit/retain/prune.ts';
import { createDecider } from '../../src/decision/decide.ts';
import { localVerifier, personOf } from '../support/audit/decisions.ts';
import { ROOT } from '../support/docs/docs.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { HAS_POSTGRES, PASSWORD, PostgresServer } from '../support/stores/state/postgres.ts';

const PAGE = readFileSync(join(ROOT, 'docs/audit-stream.md'), 'utf8');
const DAY_MS = 86_400_000;
const SEARCH_PATH = { options: '-c search_path=verdict' };
const READ = 'select day::text, chain, segment, line, start, text from log_entry order by chain, segment, line';

/** A row that was read. */
interface Row {
  readonly day: string;
  readonly text: string;
}

const sqlOf = (name: string) => new RegExp(`^-- ${name}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE)?.[1] ?? '';
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Records three decisions, so many days from now. */
async function record(place: LogPlace, days: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY_MS });
  try {
    const audit = await createAuditLog({ ...place, segmentBytes: 4000 });
    const decider = createDecider({ policy: policyOf(`${HEAD}rules: []\n`), verify: localVerifier, audit });
    for (let i = 0; i < 3; i++) await decider.decide(personOf(i));
    await audit.close();
  } finally {
    vi.useRealTimers();
  }
}

async function startServer(): Promise<PostgresServer> {
  const server = await PostgresServer.start({ wal_level: 'logical' });
  onTestFinished(() => server.stop());
  await server.sql(server.url(), 'create schema verdict');
  return server;
}

describe.skipIf(!HAS_POSTGRES)('the page on reading the log (skipped where postgresql is not installed)', () => {
  test('a second server gets each line, of a new day too, and keeps what is pruned', async () => {
    const [source, reader] = [await startServer(), await startServer()];
    const [owner, url] = [source.url(SEARCH_PATH), reader.url(SEARCH_PATH)];
    const place = { postgres: owner, keys: { masterKey: 'cd'.repeat(32) } };
    await initAuditLog(place);
    await source.sql(owner, sqlOf('publication.sql').replace('…', PASSWORD));
    const subscriber = sqlOf('subscriber.sql')
      .replace('host=db.bank.example dbname=verdict', `host=127.0.0.1 port=${source.port} dbname=postgres`)
      .replace('…', PASSWORD);
    for (const statement of subscriber.split(/(?<=;\n)/)) await reader.sql(url, statement);

    const written = async () => (await source.sql(owner, READ)) as readonly Row[];
    const arrived = async () => (await reader.sql(url, READ)) as readonly Row[];
    const expectAll = async (days: number) => {
      const rows = await written();
      expect(new Set(rows.map(({ day }) => day)).size).toBe(days);
      await expect.poll(arrived).toEqual(rows);
      return rows;
    };
    await record(place, 0);
    await expectAll(1);
    await record(place, 1);
    const all = await expectAll(2);

    let before = '0'.repeat(64);
    for (const { text } of all) {
      const { hash, prev } = JSON.parse(text) as { readonly hash: string; readonly prev: string };
      const line = text.slice(0, text.lastIndexOf(',"hash":"'));
      expect([prev, hash]).toEqual([before, createHash('sha256').update(line).digest('hex')]);
      before = hash;
    }

    const signingKey = await readSigningKey((await homeOf(place)).keys);
    const now = () => Date.now() + DAY_MS;
    await pruneLog({ ...place, before: dayOf(now()), signingKey, now });
    expect(new Set((await written()).map(({ day }) => day))).toEqual(new Set([dayOf(now())]));
    await record(place, 1);
    const last = (await written()).at(-1);
    await expect.poll(async () => (await arrived()).at(-1)).toEqual(last);
    expect((await arrived()).slice(0, all.length)).toEqual(all);
    await reader.sql(url, 'drop subscription verdict_log');
  });
});
