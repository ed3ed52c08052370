/** This process, and what a file says of another -> whether that one is still running. */

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, so that one that has its number later on is not taken for it. */
export interface ProcessId {
  readonly pid: number;
  readonly host: string;
  /** When it was started, in the kernel's own count; null where the system does not tell. */
  readonly start: string | null;
  /** The PID namespace, in which alone the number means something: `pid:[4026531836]`; null where the system does not tell. */
  readonly space: string | null;
  /** The kernel's name for the time since it was started; null where it does not tell. */
  readonly boot: string | null;
  /** A hash of the machine's own name for itself, which stays over boots; null where it has none. */
  readonly machine: string | null;
}

/** The namespace that processes outside of containers are in (Linux, include/linux/proc_ns.h, PROC_PID_INIT_INO). */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';

/** This process. */
export function thisProcess(): ProcessId {
  return { pid: process.pid, host: hostname(), start: readStat(process.pid)?.start ?? null, ...readNamespace() };
}

/** Whether a process is running; undefined where it is one of another machine, or container. */
export function isRunning(found: ProcessId): boolean | undefined {
  if (found.host !== hostname()) return undefined;
  const isSame = compareNamespaces(found, readNamespace());
  return isSame === true ? isAlive(found) : isSame;
}

type Namespace = Pick<ProcessId, 'space' | 'boot' | 'machine'>;

/** Whether processes of the first may be asked after in the second; false where all of them have ended with a boot. */
function compareNamespaces(found: Namespace, own: Namespace): boolean | undefined {
  if (found.boot === own.boot) return found.space === own.space ? true : undefined;
  // Of two containers that look alike each may be on a machine of its own.
  const isSameMachine = own.machine !== null && found.machine === own.machine;
  return isSameMachine && found.space === INITIAL_PID_NAMESPACE && own.space === INITIAL_PID_NAMESPACE
    ? false
    : undefined;
}

function isAlive({ pid, start }: ProcessId): boolean {
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

function readNamespace(): Namespace {
  const space = orNull(() => readlinkSync('/proc/self/ns/pid'));
  const boot = orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const machine = orNull(() => readFileSync('/etc/machine-id', 'latin1').trim());
  return { space, boot, machine: machine === null || !/^[0-9a-f]{32}$/.test(machine) ? null : nameOf(machine) };
}

/** Hashed, since machine-id(5) asks not to hand it on as it is. */
function nameOf(machine: string): string {
  return createHash('sha256').update(`verdict ${machine}`).digest('hex').slice(0, 32);
}

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
