/** A worker thread that runs a sandbox, which keeps its work off the measured thread, and posts its address. */

import { parentPort } from 'node:worker_threads';
import { startSandbox } from '../../src/sandbox/server.ts';

const { url } = await startSandbox();
parentPort?.postMessage(url);
