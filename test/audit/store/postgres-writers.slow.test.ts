/** Writers of one log in PostgreSQL: at once, after one another's silence, and while the server is away. */

import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo, LOG_TABLES } from '../../../src/audit/database.ts';
import { homeOf } from '../../../src/audit/home.ts';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { initAuditLog } from '../../../src/audit/init.ts';
import { createAuditLog, type OpenAuditLog } from '../../../src/audit/log.ts';
import type { DatabasePlace } from '../../../src/audit/place.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { inventedPerson, localVerifier } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';

const server = PostgresServer.ofTests();

async function newLog(): Promise<DatabasePlace> {
  const place = { postgres: await server.newSchema(), keys: { masterKey: 'cd'.repeat(32) } };
  await initAuditLog(place);
  return place;
}

type Decide = (n: number) => Promise<string>;

/** Opens a log; resolves with what decides in it and returns the id. */
async function open(place: DatabasePlace, more: { readonly onReopened?: () => void } = {}) {
  const log = await createAuditLog({ ...place, segmentBytes: 20_000, reopen: more.onReopened !== undefined, ...more });
  onTestFinished(() => log.close());
  const decider = createDecider({ policy: policyOf(HEAD), verify: localVerifier, audit: log });
  const decide: Decide = async (n) => (await decider.decide(inventedPerson(n))).id;
  return { log, decide };
}

async function chainsOf({ postgres }: DatabasePlace): Promise<readonly string[]> {
  const rows = await server.sql(postgres, 'select id from log_chain order by id');
  return (rows as readonly { readonly id: string }[]).map(({ id }) => id);
}

/** Expects a log that is whole, in which each decision is once, in its lines and in its index. */
async function expectAll(place: DatabasePlace, ids: readonly string[]): Promise<void> {
  expect((await verifyLog(place)).findings).toEqual([]);
  const found = new Set((await searchLog(place, {}, { limit: 10_000 })).rows.map(({ id }) => id));
  expect(ids.filter((id) => !found.has(id))).toEqual([]);
  await using index = await openLogIndex(place);
  const at = await index.about(ids);
  expect(at).toHaveLength(ids.length);
  expect(await index.entries()).toBe(found.size);
}

/** The writer of the first chain is on another machine, and has not shown for two minutes that it lives. */
const ELSEWHERE = `update log_owner set bytes =
  convert_to(regexp_replace(convert_from(bytes, 'UTF8'), '"host":"[^"]*"', '"host":"elsewhere"'), 'UTF8')`;
const SILENT = `update log_owner set at = now() - interval '2 minutes';
  update log_chain set beat = now() - interval '2 minutes'`;

/** More than there are connections for readers. */
const READERS = 12;

describe.runIf(HAS_POSTGRES)('writers of a log in PostgreSQL (skipped where postgresql is not installed)', () => {
  it('begin a day at once, and one waits for the other', async () => {
    const { postgres } = await newLog();
    const [one, other] = [postgres, postgres].map((connectionString) => new pg.Client({ connectionString }));
    if (!one || !other) throw new Error('two clients were expected');
    onTestFinished(async () => void (await Promise.all([one.end(), other.end()])));
    await Promise.all([one.connect(), other.connect()]);
    const begin = `select log_add_day('2030-01-01')`;
    await one.query('begin');
    await one.query(begin);
    const begun = other.query(begin);
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
    await expect.poll(() => server.sql(postgres, waiting)).toHaveLength(1);
    await one.query('commit');
    expect((await begun).rows).toHaveLength(1);
    expect(await server.sql(postgres, `select from pg_inherits where inhparent = 'log_entry'::regclass`)).toHaveLength(
      1,
    );
  });

  it('write at once, a chain each, and records that wait are written together', async () => {
    const place = await newLog();
    const writers = await Promise.all([open(place), open(place), open(place)]);
    const deciding = writers.flatMap(({ decide }, w) => Array.from({ length: 60 }, (_, n) => decide(w * 60 + n)));
    await expectAll(place, await Promise.all(deciding));
    const [{ batches }] = (await server.sql(
      place.postgres,
      `select count(distinct (chain, substring(text from '"batch":(\\d+)'))) as batches from log_entry`,
    )) as [{ batches: string }];
    expect(Number(batches)).toBeLessThan(90);
    expect(await chainsOf(place)).toHaveLength(3);
  });

  it('that open at once share no chain, also one that is free', async () => {
    const place = await newLog();
    await (await open(place)).log.close();
    const writers = await Promise.all(Array.from({ length: 6 }, () => open(place)));
    expect(await chainsOf(place)).toHaveLength(6);
    await expectAll(place, await Promise.all(writers.map(({ decide }, n) => decide(n))));
    await Promise.all(writers.map(({ log }) => log.close()));
    expect((await verifyLog(place)).chains).toHaveLength(6);
  });

  it('take over a chain whose writer is silent for a minute, which writes no more there', async () => {
    const place = await newLog();
    let reopened = () => {};
    const isReopened = new Promise<void>((resolve) => {
      reopened = resolve;
    });
    const first = await open(place);
    const lasting = await open(place, { onReopened: () => reopened() });
    const ids = [await first.decide(1), await lasting.decide(2)];
    await server.sql(place.postgres, ELSEWHERE);
    // They live, as far as the database knows.
    const third = await open(place);
    expect(await chainsOf(place)).toHaveLength(3);
    ids.push(await third.decide(3));
    await third.log.close();
    await server.sql(place.postgres, SILENT);
    const others = [await open(place), await open(place), await open(place)];
    expect(await chainsOf(place)).toHaveLength(3);
    for (const [n, { decide }] of others.entries()) ids.push(await decide(4 + n));
    for (const { decide } of [first, lasting]) {
      await expect(decide(8)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    }
    await isReopened;
    ids.push(await lasting.decide(9));
    await expect(first.decide(10)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    ids.push(await (await open(place)).decide(11));
    await expectAll(place, ids);
    for (const { log } of [first, lasting, ...others]) await log.close();
    await expectAll(place, ids);
  });

  it('wait for no connection of readers, however many there are and however long they take', async () => {
    const place = await newLog();
    const { log, decide } = await open(place);
    const { reading } = await connectTo(place.postgres, LOG_TABLES, 'read');
    const isRead = Promise.withResolvers<void>();
    const begun: Promise<void>[] = [];
    const readers = Array.from({ length: READERS }, () => {
      const begins = Promise.withResolvers<void>();
      begun.push(begins.promise);
      const read = async () => {
        begins.resolve();
        await isRead.promise;
      };
      return reading('', read, 60_000).catch(() => {});
    });
    await Promise.all(begun.slice(0, 10));
    const ids = [await decide(1), await decide(2)];
    await log.close();
    isRead.resolve();
    await Promise.all(readers);
    await expectAll(place, ids);
  });

  it('do not wait for a pruning of their chain', async () => {
    const place = await newLog();
    const { decide } = await open(place);
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await decide(n));
    const { files } = (await homeOf(place)).log;
    const [chain] = await chainsOf(place);
    const other = await connectTo(place.postgres, LOG_TABLES, 'make');
    const pruning = await other.transaction('test', async (query) => {
      await query('select from log_segment where chain = $1 and number = 1 for update', [chain]);
      const unlinking = files.unlink(`chains/${chain}/00000001.ndjson`);
      const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from log_segment%'`;
      while ((await other.query(waits)).length === 0);
      ids.push(await decide(12));
      return { unlinking };
    });
    await pruning.unlinking;
    expect(ids).toHaveLength(13);
  });

  it('begin no segment again that was pruned, whatever they know', async () => {
    const place = await newLog();
    const { log, decide } = await open(place);
    for (let n = 0; n < 12; n++) await decide(n);
    await log.close();
    const { files } = (await homeOf(place)).log;
    const first = `chains/${(await chainsOf(place))[0]}/00000001.ndjson`;
    const [line] = (await Array.fromAsync(files.read(first))).map(String);
    const texts = line?.match(/.*\n/g)?.slice(0, 1) ?? [];
    await files.unlink(first);
    const late = files.rows?.log?.append(first, { texts, size: 0, day: new Date().toISOString().slice(0, 10) });
    await expect(late).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  });

  it.each(Array.from({ length: sampled(1, 3) }, (_, i) => i + 1))(
    'lose nothing that was acknowledged when the server crashes and comes again (%i)',
    async () => {
      const place = await newLog();
      const ids: string[] = [];
      let refused = 0;
      let isDone = false;
      const reopened: Promise<void>[] = [];
      const writers: { readonly log: OpenAuditLog; readonly decide: Decide }[] = [];
      for (let w = 0; w < 2; w++) {
        const opened = Promise.withResolvers<void>();
        reopened.push(opened.promise);
        writers.push(await open(place, { onReopened: opened.resolve }));
      }
      let n = 0;
      const enough = Promise.withResolvers<void>();
      const decideOn = async (decide: Decide) => {
        while (!isDone) {
          await decide(n++).then(
            (id) => ids.push(id),
            () => {
              refused += 1;
            },
          );
          if (ids.length >= 30) enough.resolve();
          await new Promise(setImmediate);
        }
      };
      const deciding = writers.flatMap(({ decide }) => [decideOn(decide), decideOn(decide), decideOn(decide)]);
      await enough.promise;
      await server.stop('SIGKILL');
      await server.start();
      await Promise.all(reopened);
      isDone = true;
      await Promise.all(deciding);
      for (const { decide } of writers) ids.push(await decide(n++));
      expect(refused).toBeGreaterThan(0);
      for (const { log } of writers) await log.close();
      await expectAll(place, ids);
    },
  );
});
