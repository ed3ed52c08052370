/** Before each test file: a thread of `src` starts from its bundle, see `bundle.ts`. */

import { syncBuiltinESMExports } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';

const SRC = resolve(import.meta.dirname, '../../../src');
const { THREADS = '' } = process.env;

const { Worker } = threads;

/** The bundle of a module; any other code as it is. */
function bundleOf(code: string | URL): string | URL {
  if (!(code instanceof URL) || !code.pathname.endsWith('-thread.ts')) return code;
  return join(THREADS, relative(SRC, fileURLToPath(code)).replace(/\.ts$/, '.js'));
}

class BundledWorker extends Worker {
  constructor(code: string | URL, options?: WorkerOptions) {
    super(bundleOf(code), options);
  }
}

// Test files share a process.
if (Worker.name !== BundledWorker.name) {
  threads.Worker = BundledWorker;
  syncBuiltinESMExports();
}
