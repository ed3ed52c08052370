/** This process, and what a file says of another -> whether that one is still running. */

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, so that one that has its number later on is not taken for it. */
export interface ProcessId {
  readonly pid: number;
  readonly host: string;
  /** When it was started, in the kernel's own count; null where the system does not tell. */
  readonly start: string | null;
}

/** This process. */
export function thisProcess(): ProcessId {
  return { pid: process.pid, host: hostname(), start: readStat(process.pid)?.start ?? null };
}

/** Whether a process is running; undefined where it is one of another machine, or container. */
export function isRunning({ pid, host, start }: ProcessId): boolean | undefined {
  if (host !== hostname()) return undefined;
  const stat = readStat(pid);
  // A zombie has ended, though nobody has asked what became of it.
  if (stat && (stat.state === 'Z' || stat.state === 'X' || (start !== null && stat.start !== start))) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be asked, and is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** State and start of a process on Linux (proc(5), /proc/pid/stat, fields 3 and 22). */
function readStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, field 2, stands in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, start] = [fields[0], fields[19]];
    return state !== undefined && start !== undefined ? { state, start } : undefined;
  } catch {
    return undefined;
  }
}
