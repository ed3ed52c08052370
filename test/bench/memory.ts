/** Collects garbage when asked to, and tells how much memory is in use. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// The collector can be called only by whoever has a context that began with the flag.
setFlagsFromString('--expose-gc');
const collectOnce = runInNewContext('gc') as () => void;

/** Collects all garbage. */
export function collectGarbage(): void {
  collectOnce();
}

/** The bytes of the heap and of array buffers that something still holds. */
export function bytesInUse(): number {
  // What the first leaves to finalizers goes with the second.
  collectOnce();
  collectOnce();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
