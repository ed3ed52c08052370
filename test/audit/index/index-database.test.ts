/** The database of an index: it opens whatever other processes do to the file. */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { idOfIndex, openIndex, removeIndex } from '../../../src/audit/index/index-database.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

/** Removes the index once each time that it is told to, a little later. */
const REMOVES = `
  const { rmSync } = require('node:fs');
  const { workerData: { path, turn } } = require('node:worker_threads');
  for (let seen = 0; ; ) {
    Atomics.wait(turn, 0, seen);
    seen = Atomics.load(turn, 0);
    Atomics.wait(turn, 1, 0, Math.random());
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  }`;

it('opens while another process removes it', async () => {
  const path = join(temporaryFolder(), 'index.sqlite');
  const turn = new Int32Array(new SharedArrayBuffer(8));
  const remover = new Worker(REMOVES, { eval: true, workerData: { path, turn } });
  onTestFinished(() => void remover.terminate());
  for (let i = 0; i < 500; i++) {
    Atomics.add(turn, 0, 1);
    Atomics.notify(turn, 0);
    const { database } = openIndex(path);
    expect(database.prepare('select count(*) as n from entry').get()).toEqual({ n: 0 });
    database.close();
  }
  await remover.terminate();
  const { database, id } = openIndex(path);
  expect(id).toBe(idOfIndex(path));
  database.close();
});

it('is removed with its journals: SQLite would roll a new database back by an old one', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'index.sqlite');
  for (const ending of ['', '-wal', '-shm', '-journal']) writeFileSync(path + ending, 'old');
  removeIndex(path);
  expect(readdirSync(folder)).toEqual([]);
});
