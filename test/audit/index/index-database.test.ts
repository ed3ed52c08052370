/** The database of an index: it opens whatever other processes do to the file. */

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { idOfIndex, openIndex } from '../../../src/audit/index/index-database.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const REMOVES = `
  const { rmSync } = require('node:fs');
  const { workerData: path } = require('node:worker_threads');
  const wait = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
    Atomics.wait(wait, 0, 0, 3 * Math.random());
  }`;

it('opens while another process removes it again and again', async () => {
  const path = join(temporaryFolder(), 'index.sqlite');
  const remover = new Worker(REMOVES, { eval: true, workerData: path });
  onTestFinished(() => void remover.terminate());
  for (let i = 0; i < 100; i++) {
    const { database } = openIndex(path);
    expect(database.prepare('select count(*) as n from entry').get()).toEqual({ n: 0 });
    database.close();
  }
  await remover.terminate();
  const { database, id } = openIndex(path);
  expect(id).toBe(idOfIndex(path));
  database.close();
});
