/** PostgreSQL that restarts, hangs, crashes or is set up wrong: nothing is claimed twice, nothing secret is said. */

import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Cases, createCases, type Home } from '../../../src/stores/state/cases.ts';
import { openPostgres, type PostgresOptions } from '../../../src/stores/state/state-postgres.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../../support/stores/state/postgres.ts';
import { request } from '../../support/stores/state/processes.ts';

const GRANTED = { state: 'granted' };
const UNAVAILABLE = expect.objectContaining({ name: 'StateUnavailable' });

describe.skipIf(!HAS_POSTGRES)('PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.ofTests();

  const opened: Home[] = [];
  afterEach(async () => {
    server.resume();
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });

  async function open(postgres: string, other: Partial<PostgresOptions> = {}): Promise<Home> {
    const home = await openPostgres({ postgres, key: KEY, rememberMs: 60_000, ...other });
    opened.push(home);
    return home;
  }

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'that ends by %s and starts again keeps claims, and loses no answer',
    async (signal) => {
      const [home, other] = await Promise.all(
        Array(2)
          .fill(await server.newSchema())
          .map((url) => open(url)),
      );
      for (const key of ['one', 'two']) await home?.claim(request(key, `${key} 1`));
      await server.stop(signal);
      await expect(home?.claim(request('three', 'three 1'))).rejects.toEqual(UNAVAILABLE);
      await expect(home?.check()).rejects.toEqual(UNAVAILABLE);
      await expect(home?.run('counts', [])).rejects.toEqual(UNAVAILABLE);
      await expect(home?.finish('one', 'one 1', 'accept')).rejects.toEqual(UNAVAILABLE);
      await home?.finish('two', 'two 1', 'review', true);
      await server.start();
      expect(await other?.claim(request('two', 'two 2'))).toEqual({ state: 'running', decision: 'two 1' });
      // What could not be written goes along with the next claim.
      expect(await home?.claim(request('three', 'three 2'))).toEqual(GRANTED);
      for (const [key, answer] of Object.entries({ one: 'accept', two: 'review' })) {
        await vi.waitFor(async () => {
          expect(await other?.claim(request(key, `${key} 3`))).toEqual({ state: 'done', answer });
        });
      }
    },
  );

  it('that hangs fails every call in time, and what it carries out late is let go', async () => {
    const url = await server.newSchema();
    const [home, other] = [await open(url, { limitMs: 2500, beatMs: 50 }), await open(url)];
    await home.claim(request('running', 'running 1'));
    server.pause();
    // More than there are connections.
    const claims = Array.from({ length: 30 }, (_, i) => home.claim(request(`key ${i}`, `${i}`)));
    const calls = [...claims, home.check(), home.run('take', ['ann', null, 'ann', 1]), home.run('counts', [])];
    const results = await Promise.allSettled([...calls, home.doubt('running', 'running 1')]);
    expect(results).toEqual(Array(34).fill({ status: 'rejected', reason: UNAVAILABLE }));
    server.resume();
    await vi.waitFor(async () => {
      const again = Array.from({ length: 30 }, (_, i) => other.claim(request(`key ${i}`, `again ${i}`)));
      const late = (await Promise.all(again)).filter((claim, i) => 'decision' in claim && claim.decision === `${i}`);
      expect(late).toEqual([]);
      expect(await other.claim(request('running', 'running 2'))).toEqual({ state: 'inDoubt', decision: 'running 1' });
    });
  });

  it('whose connections hang gets new ones', async () => {
    const home = await open(await server.newSchema(), { limitMs: 2500 });
    await Promise.all(Array.from({ length: 10 }, () => home.check()));
    server.pause('connections');
    const checks = await Promise.allSettled(Array.from({ length: 10 }, () => home.check()));
    expect(checks).toEqual(Array(10).fill({ status: 'rejected', reason: UNAVAILABLE }));
    await vi.waitFor(async () => expect(await home.claim(request('one', 'first'))).toEqual(GRANTED));
  });

  it('lets go of a claim that is carried out after its caller was told that it failed', async () => {
    const url = await server.newSchema();
    const [home, other] = [
      await open(`${url}&statement_timeout=60000`, { limitMs: 2500, beatMs: 50 }),
      await open(url),
    ];
    await server.sql(
      url,
      `create table seen (decision text);
       create function see() returns trigger language plpgsql as
         'begin insert into seen values (new.decision); return new; end';
       create trigger see after insert on reference for each row execute function see()`,
    );
    await server.locked(url, 'reference', () =>
      expect(home.claim(request('one', 'first'))).rejects.toEqual(UNAVAILABLE),
    );
    await vi.waitFor(async () => expect(await server.sql(url, 'select * from seen')).toEqual([{ decision: 'first' }]));
    await vi.waitFor(async () => expect(await other.claim(request('one', 'second'))).toEqual(GRANTED));
  });

  it('that hangs takes no case late, and a resolution that it begins late is the one of its holder', async () => {
    const url = await server.newSchema();
    const [home, other] = [await open(`${url}&statement_timeout=60000`, { limitMs: 1500 }), await open(url)];
    const [late, cases] = [home, other].map((each) => createCases(each.run.bind(each))) as [Cases, Cases];
    const rest = { kind: 'review', queue: 'default', openedAt: 1 } as const;
    await cases.open(['a', 'b'].map((id, due) => ({ id, decision: id, due, ...rest })));
    const take = (of: Cases, person: string) => of.take({ person, leaseMs: 60_000 });
    await server.locked(url, 'cases', () => expect(take(late, 'ann')).rejects.toEqual(UNAVAILABLE));
    // The late statement locks a case until it sees how late it is.
    await server.locked(url, 'cases', async () => {});
    expect(await take(cases, 'ben')).toMatchObject({ id: 'a', token: 1 });
    expect(await cases.held('ann')).toEqual([]);
    const said = { id: 'a', token: 1, person: 'ben', note: 'note 1', disposition: 'approve', leastMs: 1 };
    await server.locked(url, 'cases', () => expect(late.beginResolve(said)).rejects.toEqual(UNAVAILABLE));
    await vi.waitFor(async () => expect(await cases.get('a')).toMatchObject({ state: 'resolving' }));
    // Whoever was told that it failed repeats it.
    expect(await cases.beginResolve(said)).toMatchObject({ state: 'resolving', token: 1 });
  });

  it('takes a process that has been silent for ended, until it beats again', async () => {
    const url = await server.newSchema();
    const [silent, other] = [await open(url, { beatMs: 600_000 }), await open(url, { beatMs: 600_000 })];
    for (const key of ['one', 'two']) expect(await silent.claim(request(key, 'first'))).toEqual(GRANTED);
    const age = () => server.sql(url, 'update process set beat = beat - 30000');
    await age();
    expect(await other.claim(request('one', 'third'))).toEqual({ state: 'inDoubt', decision: 'first' });
    // With all connections, so that several see the same attempt.
    await Promise.all(Array.from({ length: 10 }, () => other.check()));
    const resent = Array.from({ length: 20 }, (_, i) => other.claim(request('one', `${i}`, { resend: true })));
    const states = (await Promise.all(resent)).map(({ state }) => state).sort();
    expect(states).toEqual(['granted', ...Array(19).fill('running')]);
    await silent.check();
    expect(await other.claim(request('two', 'third'))).toEqual({ state: 'running', decision: 'first' });
    const beating = await open(url, { beatMs: 20 });
    expect(await beating.claim(request('three', 'second'))).toEqual(GRANTED);
    await age();
    await vi.waitFor(async () => {
      expect(await silent.claim(request('three', 'third'))).toEqual({ state: 'running', decision: 'second' });
    });
  });

  it('is not asked for a claim by a process that could not beat: others think that it has ended', async () => {
    const home = await open(await server.newSchema(), { beatMs: 600_000, silentMs: 1 });
    await expect(home.claim(request('one', 'first'))).rejects.toEqual(UNAVAILABLE);
    await expect(home.check()).rejects.toEqual(UNAVAILABLE);
  });

  it('forgets references after their time, and processes that have ended', async () => {
    const url = await server.newSchema();
    const home = await open(url, { beatMs: 20 });
    const [, gone] = [await home.claim(request('new', '1')), await home.claim(request('old', '2'))];
    expect(gone).toEqual(GRANTED);
    await server.sql(url, `insert into process values ('gone', 1); update reference set at = 1 where key = 'old'`);
    await vi.waitFor(async () => {
      expect(await server.sql(url, `select key from reference`)).toEqual([{ key: 'new' }]);
      expect(await server.sql(url, `select count(*)::int as count from process`)).toEqual([{ count: 1 }]);
    });
  });

  it('is reached by TLS if the URL says so, and then by nothing else', async () => {
    const schema = await server.newSchema();
    const sslrootcert = server.caFile;
    const plain = await open(schema);
    const secure = await open(`${schema}&${new URLSearchParams({ sslmode: 'verify-full', sslrootcert })}`);
    await Promise.all([plain.check(), secure.check()]);
    const connections = `select ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name = 'verdict' and query like '%process%' order by ssl`;
    expect(await server.sql(server.url(), connections)).toEqual([{ ssl: false }, { ssl: true }]);
    // Of another authority.
    await expect(open(`${schema}&sslmode=verify-full`)).rejects.toEqual(UNAVAILABLE);
  });

  it('is opened by many at once, which make its tables once', async () => {
    const url = await server.newSchema();
    const homes = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    const claims = await Promise.all(homes.map((home, i) => home.claim(request('one', `${i}`))));
    expect(claims.filter(({ state }) => state === 'granted')).toHaveLength(1);
    expect(await server.sql(url, 'select format from state_format')).toEqual([{ format: 1 }]);
  });

  it('makes no tables for a user who may not, and says so', async () => {
    const url = await server.clerk(await server.newSchema());
    await expect(open(url)).rejects.toThrow(/may not create its tables/);
  });

  it.each([
    [
      'a wrong password',
      /refuses the user or the password/,
      () => ({ postgres: server.url({}, { password: 'canary-wrong' }) }),
    ],
    [
      'no database',
      /the database of the state does not exist/,
      () => ({ postgres: server.url({}, { database: 'none' }) }),
    ],
    ['another URL', /expected one of PostgreSQL/, () => ({ postgres: 'mysql://verdict:canary-wrong@localhost/none' })],
    ['a short key', /64 hex digits/, () => ({ key: 'canary-wrong' })],
    ['another key', /is not the one that its tables were written with/, () => ({ key: 'cd'.repeat(32) })],
    [
      'another format',
      /have another format/,
      async (url: string) => {
        await server.sql(url, 'update state_format set format = 2');
        return {};
      },
    ],
    [
      'claims that may be lost',
      /synchronous_commit of PostgreSQL is off/,
      (url: string) => ({
        postgres: url.replace('search_path', 'synchronous_commit=off+-c+search_path'),
      }),
    ],
  ])('with %s is refused, and the message says what and no secret', async (_, message, change) => {
    const url = await server.newSchema();
    await (await open(url)).close();
    const error: unknown = await open(url, await change(url)).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringMatching(message) });
    expect(inspect(error, { depth: 9 })).not.toMatch(/canary|postgres:\/\/|abab|cdcd|127\.0\.0\.1/);
  });

  it('that is not there is unavailable, and an open home shows no secret', async () => {
    const url = await server.newSchema();
    const nobody = url.replace(/:\d+\//, ':1/');
    const error: unknown = await open(nobody).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: 'StateUnavailable', cause: { code: 'ECONNREFUSED' } });
    const shown = inspect([error, await open(url)], { depth: 9, showHidden: true });
    expect(shown).not.toMatch(/canary|postgres:\/\/|abab|127\.0\.0\.1/);
  });
});
