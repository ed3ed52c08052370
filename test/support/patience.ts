/** Before each test file: what waits for an event waits until it comes. Only a test that hangs reaches the limit. */

import { vi } from 'vitest';

export const HANGS_MS = 300_000;
/** Test files share a process. */
const PATIENT = Symbol.for('verdict.patient');

const waiting = vi as typeof vi & { [PATIENT]?: true };
if (!waiting[PATIENT]) {
  waiting[PATIENT] = true;
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (callback, options) => waitFor(callback, { timeout: HANGS_MS, ...limited(options) });
  vi.waitUntil = (callback, options) => waitUntil(callback, { timeout: HANGS_MS, ...limited(options) });
}

function limited(options: number | { readonly timeout?: number; readonly interval?: number } = {}) {
  return typeof options === 'number' ? { timeout: options } : options;
}
