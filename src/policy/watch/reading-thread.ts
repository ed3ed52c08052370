/** Orders of the main thread -> what is read of the files, as data. A thread of its own; see `reading-worker.ts`. */

import { parentPort } from 'node:worker_threads';
import { asData, readFiles } from './read-files.ts';
import type { Answer, Order } from './reading-worker.ts';

parentPort?.on('message', ({ id, files }: Order) => {
  parentPort?.postMessage({ id, read: asData(readFiles(files)) } satisfies Answer);
});
