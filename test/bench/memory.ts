/** Collects garbage on demand and measures the memory in use. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Only a context created after this flag is set has `gc`.
setFlagsFromString('--expose-gc');
const collectOnce = runInNewContext('gc') as () => void;

/** Collects all garbage. */
export function collectGarbage(): void {
  collectOnce();
}

/** The live bytes of the heap and of array buffers. */
export function bytesInUse(): number {
  // The second collection frees what the finalizers of the first released.
  collectOnce();
  collectOnce();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
