/** Before each test file: a thread or forked process starts from its bundle, and a solver is kept for the next test. */

import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { IS_RELEASE, IS_SOAK } from '../sampled.ts';
import { bundleOf } from './bundled.ts';
import { keeping } from './kept-processes.ts';

const { Worker } = threads;
const { fork } = child;

class BundledWorker extends Worker {
  constructor(code: string | URL, options?: WorkerOptions) {
    super(bundleOf(code), options);
  }
}

// Test files share a process.
if (Worker.name !== BundledWorker.name) {
  threads.Worker = BundledWorker;
  const bundled = (code: string | URL, ...more: never[]) => fork(bundleOf(code), ...more);
  Object.assign(child, { fork: IS_RELEASE || IS_SOAK ? bundled : keeping(bundled) });
  syncBuiltinESMExports();
}
