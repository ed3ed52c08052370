/** A thread of its own with a sandbox in it, so that it takes no time from what is measured; posts its address. */

import { parentPort } from 'node:worker_threads';
import { startSandbox } from '../../src/sandbox/server.ts';

const { url } = await startSandbox();
parentPort?.postMessage(url);
