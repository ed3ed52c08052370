/** Before each test file: a thread or forked process starts from its bundle, see `bundle.ts`. */

import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { bundleOf } from './bundled.ts';

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
  Object.assign(child, { fork: (code: string | URL, ...more: never[]) => fork(bundleOf(code), ...more) });
  syncBuiltinESMExports();
}
