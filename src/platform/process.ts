/** The identity of a process, as stored in a file -> whether that process is still running. */

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The identity of a process: a later process with the same PID has a different one. */
export interface ProcessId {
  readonly pid: number;
  readonly host: string;
  /** When it was started, in the kernel's clock ticks; null if the system does not say. */
  readonly start: string | null;
  /** The PID namespace in which the PID is valid, such as `pid:[4026531836]`; null if the system does not say. */
  readonly space: string | null;
  /** The kernel's boot id; null if the system does not say. */
  readonly boot: string | null;
  /** A hash of the machine id, which is the same after each boot; null if the machine has none. */
  readonly machine: string | null;
}

/** The namespace of processes outside containers (Linux, include/linux/proc_ns.h, PROC_PID_INIT_INO). */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';

/** The identity of this process. */
export function thisProcess(): ProcessId {
  return { pid: process.pid, host: hostname(), start: readStat(process.pid)?.start ?? null, ...readNamespace() };
}

/** Whether a process is running; undefined if it belongs to another machine or container. */
export function isRunning(id: ProcessId): boolean | undefined {
  if (id.host !== hostname()) return undefined;
  const isSame = compareNamespaces(id, readNamespace());
  return isSame === true ? isAlive(id) : isSame;
}

type Namespace = Pick<ProcessId, 'space' | 'boot' | 'machine'>;

/** Whether a PID of `stored` is valid in `present`; false if a reboot has ended all processes of `stored`. */
function compareNamespaces(stored: Namespace, present: Namespace): boolean | undefined {
  if (stored.boot === present.boot) return stored.space === present.space ? true : undefined;
  // Two containers that look alike may run on different machines.
  const isSameMachine = present.machine !== null && stored.machine === present.machine;
  return isSameMachine && stored.space === INITIAL_PID_NAMESPACE && present.space === INITIAL_PID_NAMESPACE
    ? false
    : undefined;
}

function isAlive({ pid, start }: ProcessId): boolean {
  const stat = readStat(pid);
  // A zombie has ended, though its parent has not collected its exit status yet.
  if (stat && (stat.state === 'Z' || stat.state === 'X' || (start !== null && stat.start !== start))) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** State and start of a process on Linux (proc(5), /proc/pid/stat, fields 3 and 22). */
function readStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Field 2, the name, is in brackets and may contain any character.
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

/** Hashed, because machine-id(5) asks not to pass the id on as it is. */
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
