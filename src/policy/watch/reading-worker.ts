/** The files of a policy and a mapping -> what is read of them by a thread, while other things run. */

import { Thread } from '../../platform/thread.ts';
import { type FilesRead, type FilesToRead, fromData } from './read-files.ts';
import type { ReadingFunctions } from './reading-thread.ts';

/** Edits come in bursts, and a thread takes a third of a second to start; but it keeps some 30 MB of memory. */
const IDLE_MS = 10_000;

/** One for all watchers of the process. */
let thread: Thread<ReadingFunctions> | undefined;
let waiting = 0;
let idle: NodeJS.Timeout | undefined;

/**
 * Reads files in a thread of its own. Undefined if there can be none: its file is not there, as in a bundle, or the
 * process must not start threads. Rejects if the thread ends, such as for want of memory. It keeps the process
 * running only while it reads.
 */
export async function readInWorker(files: FilesToRead): Promise<FilesRead | undefined> {
  if (!thread || thread.hasEnded) thread = startThread();
  if (!thread) return undefined;
  clearTimeout(idle);
  waiting += 1;
  try {
    return fromData(await thread.call('read', files), files);
  } finally {
    waiting -= 1;
    if (waiting === 0) idle = setTimeout(endThread, IDLE_MS).unref();
  }
}

function startThread(): Thread<ReadingFunctions> | undefined {
  try {
    return new Thread<ReadingFunctions>('policy/watch/reading-thread', undefined);
  } catch {
    return undefined;
  }
}

/** The next files start another one. */
function endThread(): void {
  void thread?.end();
  thread = undefined;
}
