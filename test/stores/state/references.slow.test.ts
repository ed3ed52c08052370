import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCases } from '../../../src/stores/state/cases.ts';
import { type Claim, type References, StateUnavailable } from '../../../src/stores/state/references.ts';
import { openSqlite, readReferencesKey } from '../../../src/stores/state/state-sqlite.ts';
import { IS_SOAK, sampled } from '../../support/sampled.ts';
import { newState, request, sql } from '../../support/stores/state/processes.ts';

const DAY_MS = 86_400_000;
const GRANTED: Claim = { state: 'granted' };

const opened: References[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function open(dir: string, other: Partial<Parameters<typeof openSqlite>[0]> = {}): Promise<References> {
  const references = await openSqlite({ dir, rememberMs: DAY_MS, ...other });
  opened.push(references);
  return references;
}

function unavailable(code: string): object {
  return expect.objectContaining({ name: 'StateUnavailable', cause: expect.objectContaining({ code }) });
}

describe('the file', () => {
  it('and its folder are for their owner alone', async () => {
    const dir = newState();
    await open(dir);
    const modes = ['.', ...readdirSync(dir)].map((name) => (statSync(join(dir, name)).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', ...Array(4).fill('600')]);
  });

  it('is written once for many claims that wait', async () => {
    const claimAll = async (isAtOnce: boolean) => {
      const dir = newState();
      const references = await open(dir);
      const before = statSync(join(dir, 'state.sqlite-wal')).size;
      let last: Promise<Claim> | undefined;
      for (let i = 0; i < 64; i++) {
        last = references.claim(request(`key ${i}`, `${i}`));
        if (!isAtOnce) await last;
      }
      await last;
      return statSync(join(dir, 'state.sqlite-wal')).size - before;
    };
    expect(await claimAll(true)).toBeLessThan((await claimAll(false)) / 2);
  });

  it('has an answer that is recorded with the next order, or a moment later', async () => {
    const dir = newState();
    const [references, other] = [await open(dir), await open(dir)];
    for (const id of ['one', 'two']) await references.claim(request(id, id));
    const before = statSync(join(dir, 'state.sqlite-wal')).size;
    await references.finish('one', 'one', 'accept', true);
    expect(statSync(join(dir, 'state.sqlite-wal')).size).toBe(before);
    expect(await references.claim(request('one', 'again'))).toEqual({ state: 'done', answer: 'accept' });
    await references.finish('two', 'two', 'review', true);
    const done = { state: 'done', answer: 'review' };
    await vi.waitFor(async () => expect(await other.claim(request('two', 'again'))).toEqual(done));
  });

  it('forgets by age: a reference from the future, as after a change of the clock, is kept', async () => {
    const dir = newState();
    const references = await open(dir);
    for (const key of ['old', 'new', 'future']) await references.claim(request(key, key));
    sql(dir, `update reference set at = at - ${DAY_MS + 1} where key = 'old'`);
    sql(dir, `update reference set at = at + ${DAY_MS} where key = 'future'`);
    const states = ['old', 'new', 'future'].map(async (key) => (await references.claim(request(key, 'again'))).state);
    expect(await Promise.all(states)).toEqual(['granted', 'running', 'running']);
  });

  it('loses forgotten references, a few with each claim', async () => {
    const dir = newState();
    const references = await open(dir);
    for (let i = 0; i < 10; i++) await references.claim(request(`key ${i}`, `${i}`));
    sql(dir, `update reference set at = at - ${DAY_MS + 1}`);
    for (let i = 0; i < 2; i++) await references.claim(request(`new ${i}`, `${i}`));
    expect(sql(dir, "select count(*) as rows from reference where key like 'key%'")).toEqual([{ rows: 6 }]);
  });
});

describe('a process that cannot be known', () => {
  const elsewhere = (dir: string, owner: string) =>
    sql(dir, `update process set identity = json_set(identity, '$.host', 'elsewhere') where owner = '${owner}'`);
  const ownerOf = (dir: string, key: string) => {
    const [row] = sql(dir, `select owner from reference where key = '${key}'`) as readonly { owner: string }[];
    return row?.owner ?? '';
  };
  const beatOf = (dir: string, key: string) =>
    sql(dir, `select beat from process where owner = '${ownerOf(dir, key)}'`) as readonly { beat: number }[];

  it('has ended after six beats without one of it', async () => {
    const dir = newState();
    const silent = await open(dir);
    await silent.claim(request('one', 'first'));
    elsewhere(dir, ownerOf(dir, 'one'));
    const other = await open(dir, { beatMs: 20 });
    expect(await other.claim(request('one', 'second'))).toEqual({ state: 'running', decision: 'first' });
    await vi.waitFor(async () => {
      expect(await other.claim(request('one', 'second'))).toEqual({ state: 'inDoubt', decision: 'first' });
    });
  });

  it('is alive as long as it beats, whatever its clock says', async () => {
    const dir = newState();
    const beating = await open(dir, { beatMs: 5 });
    const other = await open(dir, { beatMs: 40 });
    await beating.claim(request('one', 'first'));
    await other.claim(request('two', 'second'));
    elsewhere(dir, ownerOf(dir, 'one'));
    await vi.waitFor(() => expect(beatOf(dir, 'two')[0]?.beat).toBeGreaterThan(8));
    expect(await other.claim(request('one', 'third'))).toEqual({ state: 'running', decision: 'first' });
  });
});

describe('what goes wrong', () => {
  it('a start waits for a lock for longer than a claim does', async () => {
    const dir = newState();
    const references = await open(dir, { lockMs: 50 });
    const lock = new DatabaseSync(join(dir, 'state.sqlite'));
    lock.exec('begin exclusive');
    const starting = open(dir, { lockMs: 50 });
    starting.catch(() => {});
    for (let i = 0; i < 4; i++) await expect(references.check()).rejects.toEqual(unavailable('SQLITE_BUSY'));
    lock.close();
    await (await starting).check();
  });

  it('a file that another locks refuses claims until it is free, and loses no answer', async () => {
    const dir = newState();
    const references = await open(dir, { lockMs: 20 });
    await references.claim(request('one', 'first'));
    const lock = new DatabaseSync(join(dir, 'state.sqlite'));
    lock.exec('begin exclusive');
    await expect(references.claim(request('two', 'second'))).rejects.toEqual(unavailable('SQLITE_BUSY'));
    await expect(references.finish('one', 'first', 'accept')).rejects.toEqual(unavailable('SQLITE_BUSY'));
    await expect(references.check()).rejects.toEqual(unavailable('SQLITE_BUSY'));
    await expect(open(dir, { lockMs: 20 })).rejects.toEqual(unavailable('SQLITE_BUSY'));
    lock.close();
    await references.check();
    expect(await references.claim(request('one', 'third'))).toEqual({ state: 'done', answer: 'accept' });
    expect(await references.claim(request('two', 'fourth'))).toEqual(GRANTED);
  });

  it('a lock that another holds for long refuses what is asked of cases in time, and leaves them as they are', async () => {
    const dir = newState();
    const home = await openSqlite({ dir, rememberMs: DAY_MS, ...(IS_SOAK ? {} : { lockMs: 50 }) });
    opened.push(home);
    const cases = createCases(home.run.bind(home));
    await cases.open([{ id: 'a', decision: 'a', kind: 'review', queue: 'default', openedAt: 1, due: 1 }]);
    const taken = await cases.take({ person: 'ann', leaseMs: 600_000 });
    const hold = { id: 'a', token: 1, person: 'ann' };
    const lock = new DatabaseSync(join(dir, 'state.sqlite'));
    lock.exec('begin immediate');
    const said = { note: 'note 1', disposition: 'approve', leastMs: 1 };
    for (let round = 0; round < sampled(3, 50); round++) {
      let turns = 0;
      const turning = setInterval(() => turns++);
      const calls = [cases.take({ person: 'ben', leaseMs: 1 }), cases.beginResolve({ ...hold, ...said })];
      const results = await Promise.allSettled([...calls, cases.release({ ...hold, skip: true }), cases.counts()]);
      expect(results).toEqual(Array(4).fill({ status: 'rejected', reason: unavailable('SQLITE_BUSY') }));
      clearInterval(turning);
      // The thread of the state waits, and no other.
      expect(turns).toBeGreaterThan(0);
    }
    lock.close();
    expect(await cases.get('a')).toEqual(taken);
    expect(await cases.beginResolve({ ...hold, ...said })).toMatchObject({ state: 'resolving' });
  });

  it.each(['state.sqlite', 'state.sqlite-wal'])('a removed %s refuses all claims until a restart', async (name) => {
    const dir = newState();
    const references = await open(dir);
    await references.claim(request('one', 'first'));
    rmSync(join(dir, name));
    for (let i = 0; i < 2; i++) {
      await expect(references.claim(request('two', 'second'))).rejects.toEqual(unavailable('FILE_REPLACED'));
      await expect(references.check()).rejects.toEqual(unavailable('FILE_REPLACED'));
    }
    expect(await (await open(dir)).claim(request('three', 'third'))).toEqual(GRANTED);
    await expect(references.claim(request('two', 'fourth'))).rejects.toEqual(unavailable('FILE_REPLACED'));
  });

  it('a file that is damaged while it is open refuses claims', async () => {
    const dir = newState();
    const references = await open(dir);
    for (let i = 0; i < 20; i++) await references.claim(request(`key ${i}`, `${i}`));
    sql(dir, 'pragma wal_checkpoint(truncate)');
    // In another process: closing the file in this one would release its locks.
    execFileSync(
      'dd',
      ['if=/dev/urandom', `of=${join(dir, 'state.sqlite')}`, 'bs=4096', 'seek=1', 'count=9', 'conv=notrunc'],
      { stdio: 'ignore' },
    );
    sql(dir, 'pragma user_version = 1');
    await expect(references.claim(request('key 3', 'again'))).rejects.toBeInstanceOf(StateUnavailable);
    await expect(references.claim(request('new', 'again'))).rejects.toBeInstanceOf(StateUnavailable);
  });

  it('a thread that ends rejects what waits, and the next call starts another', async () => {
    const started = once(process, 'worker');
    const dir = newState();
    const references = await open(dir);
    const [thread] = (await started) as [Worker];
    await references.claim(request('one', 'first'));
    const lock = new DatabaseSync(join(dir, 'state.sqlite'));
    lock.exec('begin immediate');
    const waiting = [references.finish('one', 'first', 'accept'), references.claim(request('two', 'second'))];
    void thread.terminate();
    lock.close();
    const results = await Promise.allSettled(waiting);
    expect(results).toEqual(Array(2).fill({ status: 'rejected', reason: unavailable('THREAD_ENDED') }));
    expect(await references.claim(request('one', 'third'))).toEqual({ state: 'done', answer: 'accept' });
    expect(await references.claim(request('two', 'fourth'))).toEqual(GRANTED);
  });

  it('a thread that ends does not take a new file for its own', async () => {
    const started = once(process, 'worker');
    const dir = newState();
    const references = await open(dir);
    const [thread] = (await started) as [Worker];
    await thread.terminate();
    for (const name of readdirSync(dir).filter((name) => name.startsWith('state.sqlite'))) rmSync(join(dir, name));
    await expect(references.check()).rejects.toEqual(unavailable('FILE_REPLACED'));
    expect(existsSync(join(dir, 'state.sqlite'))).toBe(false);
  });
});

describe('the opening', () => {
  const invalid = (message: RegExp) =>
    expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringMatching(message) });

  async function closedState(): Promise<string> {
    const dir = newState();
    const references = await open(dir);
    for (let i = 0; i < 20; i++) await references.claim(request(`key ${i}`, `${i}`));
    await references.close();
    return dir;
  }

  it.each([
    ['another file', /is not a database; stop all processes .* may be billed twice/, 'a text'.repeat(2000), 0],
    ['a damaged one', /is damaged; stop all processes .* may be billed twice/, '\u0001'.repeat(5000), 4096],
  ])('refuses %s, and says what to do and what is lost', async (_, message, text, at) => {
    const dir = await closedState();
    const file = join(dir, 'state.sqlite');
    const bytes = readFileSync(file);
    bytes.write(text, at);
    writeFileSync(file, bytes);
    await expect(open(dir)).rejects.toEqual(invalid(message));
    expect(readFileSync(file)).toEqual(bytes);
  });

  it.each(['pragma user_version = 2', 'pragma user_version = 0'])(
    'refuses a file of another format: %s',
    async (change) => {
      const dir = await closedState();
      sql(dir, change);
      await expect(open(dir)).rejects.toEqual(invalid(/has another format/));
    },
  );

  it('refuses a file that was written with another key, and makes no new one in its place', async () => {
    const dir = await closedState();
    rmSync(join(dir, 'references.key'));
    await expect(open(dir)).rejects.toEqual(
      invalid(/references\.key is not the one that state\.sqlite was written with/),
    );
  });

  it('refuses a folder that cannot be made, without naming it', async () => {
    const dir = newState();
    await expect(open(join(dir, 'deeper'))).rejects.toEqual(invalid(/^the state folder cannot be used \(ENOENT\)/));
    writeFileSync(dir, '');
    await expect(open(dir)).rejects.toEqual(invalid(/^the state folder cannot be used \(ENOTDIR\)/));
  });
});

describe('the secret of references', () => {
  it('is made once, and is in no other file', async () => {
    const dir = newState();
    const [first, second] = await Promise.all([readReferencesKey(dir), readReferencesKey(dir)]);
    expect(first).toHaveLength(32);
    expect(second).toEqual(first);
    const references = await open(dir);
    await references.claim(request('one', 'first'));
    await references.close();
    expect(await readReferencesKey(dir)).toEqual(first);
    const file = readFileSync(join(dir, 'state.sqlite'));
    for (const form of ['latin1', 'hex', 'base64'] as const) {
      expect(file.toString('latin1').toLowerCase()).not.toContain(first.toString(form).toLowerCase());
    }
  });

  it('is refused if it is shorter or longer', async () => {
    const dir = newState();
    mkdirSync(dir);
    writeFileSync(join(dir, 'references.key'), 'short');
    await expect(readReferencesKey(dir)).rejects.toThrow('references.key is malformed: expected 32 bytes');
  });
});
