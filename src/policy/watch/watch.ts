/** The files of a policy, and of a mapping, as they change -> those in force: always the last ones without errors. */

import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DiagnosticsError } from '../../diagnostics.ts';
import { type Mapping, readMapping } from '../../facts/mapping/mapping.ts';
import type { Policy } from '../language.ts';
import { PolicyFolder } from '../read/folder.ts';
import { readPolicyIn } from '../read/parse.ts';
import { fingerprintOf } from './file-fingerprint.ts';

/** What is in force. Policy and mapping change together, and only where both are without errors. */
export interface InForce {
  readonly policy: Policy;
  /** Where a mapping is watched too. */
  readonly mapping?: Mapping;
}

/** How a policy is watched. */
export interface WatchOptions {
  /** A mapping file, to be loaded and watched too. */
  readonly mapping?: string;
  /** Called after each change, with what is in force from now on. An edit that changes no digest is no change. */
  readonly onChange?: (now: InForce) => void;
  /**
   * Called for each broken edit, with POLICY_INVALID or MAPPING_INVALID: what is in force stays so. A list file that had
   * entries and has none any more is such an edit.
   */
  readonly onError: (error: DiagnosticsError) => void;
  /** How long the files have to be at rest before they are read. Default: 100. */
  readonly settleMs?: number;
  /** How often the files are looked at, whether or not the system tells of a change. Default: 5000. */
  readonly pollMs?: number;
  /** Whether watching keeps the process running. Default: true. */
  readonly persistent?: boolean;
}

/** A policy that is watched: what is in force now. */
export interface PolicyWatcher {
  readonly policy: Policy;
  readonly mapping?: Mapping | undefined;
  /** Ends the watching: nothing is called any more, and what is in force stays so. */
  close(): void;
}

/**
 * Loads a policy and keeps it fresh: its own file, its rule sets and list files are read again when one of them changes,
 * and so are those that an edit comes to name. A policy that has been handed out never changes: a decider that was created
 * with it decides by it to the end.
 * Throws a `DiagnosticsError` where there are errors to begin with.
 */
export function watchPolicy(
  file: string,
  options: WatchOptions & { readonly mapping: string },
): PolicyWatcher & Required<InForce>;
export function watchPolicy(file: string, options: WatchOptions): PolicyWatcher;
export function watchPolicy(file: string, options: WatchOptions): PolicyWatcher {
  const read = readerOf(file, options.mapping);
  const reading = read(new Set());
  if (!reading.found) throw reading.errors[0];
  return new Watch(read, reading, reading.found, options);
}

/** What came of reading all files once. */
interface Reading {
  /** Undefined if there are errors, one for the policy and one for the mapping. */
  readonly found: InForce | undefined;
  readonly errors: readonly DiagnosticsError[];
  /** Every file that was opened, there or not, by absolute path, with its stamp just before. */
  readonly stamps: ReadonlyMap<string, string>;
  readonly filledLists: ReadonlySet<string>;
}

/** Reads all files; the list files that are named must not be empty. */
type Reader = (filledLists: ReadonlySet<string>) => Reading;

function readerOf(policyFile: string, mappingFile: string | undefined): Reader {
  // Once and for all: the working folder may be another one later.
  const policyPath = resolve(policyFile);
  const mappingPath = mappingFile === undefined ? undefined : resolve(mappingFile);
  return (mustHaveEntries) => {
    const errors: DiagnosticsError[] = [];
    const folder = new PolicyFolder(policyPath, { shown: policyFile, filledLists: mustHaveEntries });
    const { stamps, filledLists } = folder;
    if (mappingPath !== undefined) stamps.set(mappingPath, fingerprintOf(mappingPath));
    const mapped =
      mappingPath === undefined ? undefined : readMapping(mappingPath, { shown: mappingFile ?? mappingPath });
    // The checks would hold up the event loop of a live service, and nobody would see their warnings.
    const { policy, diagnostics } = readPolicyIn(folder, { mapping: mapped, warns: false });
    if (!policy) errors.push(new DiagnosticsError('POLICY_INVALID', diagnostics));
    if (!mapped) return { found: policy && { policy }, errors, stamps, filledLists };
    const { mapping, diagnostics: problems } = mapped;
    if (!mapping) errors.push(new DiagnosticsError('MAPPING_INVALID', problems));
    return { found: policy && mapping && { policy, mapping }, errors, stamps, filledLists };
  };
}

/** The watching itself. */
class Watch implements PolicyWatcher {
  readonly #read: Reader;
  readonly #onChange: (now: InForce) => void;
  readonly #onError: (error: DiagnosticsError) => void;
  readonly #settleMs: number;
  readonly #persistent: boolean;
  readonly #poll: NodeJS.Timeout;
  #inForce: InForce;
  /** Of the reading that `#inForce` came from. */
  #filledLists: ReadonlySet<string>;
  /** The files of the last reading, which alone decide what the next one gives, with their stamps at the last look. */
  #stamps: ReadonlyMap<string, string>;
  #watchers: readonly FSWatcher[] = [];
  #settling: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(read: Reader, { stamps, filledLists }: Reading, found: InForce, options: WatchOptions) {
    this.#read = read;
    this.#inForce = found;
    this.#filledLists = filledLists;
    this.#stamps = stamps;
    this.#onChange = options.onChange ?? (() => {});
    this.#onError = options.onError;
    this.#settleMs = options.settleMs ?? 100;
    this.#persistent = options.persistent ?? true;
    // Not every file system tells of changes, none tells of a folder above that was replaced, and a process may have only
    // so many watchers. A look at a few files now and then costs nothing and misses nothing.
    this.#poll = this.#timed(setInterval(() => this.#look(), options.pollMs ?? 5000));
    this.#watchFolders();
  }

  get policy(): Policy {
    return this.#inForce.policy;
  }

  get mapping(): Mapping | undefined {
    return this.#inForce.mapping;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#settling);
    for (const watcher of this.#watchers) watcher.close();
  }

  #timed(timer: NodeJS.Timeout): NodeJS.Timeout {
    return this.#persistent ? timer : timer.unref();
  }

  /** Folders are watched, since an editor that replaces a file leaves the old one, and whoever watches it, behind. */
  #watchFolders(): void {
    const before = this.#watchers;
    const folders = new Set([...this.#stamps.keys()].flatMap(foldersOf));
    this.#watchers = [...folders].flatMap((folder) => this.#watchFolder(folder) ?? []);
    for (const watcher of before) watcher.close();
    // What changed after it was read and before its folder was watched.
    this.#look();
  }

  #watchFolder(folder: string): FSWatcher | undefined {
    try {
      // What has happened, and to which file, is not told reliably: the stamps know.
      const watcher = watch(folder, { persistent: this.#persistent }, () => this.#look());
      return watcher.on('error', () => watcher.close());
    } catch {
      return undefined; // no such folder, or one watcher too many: there is the poll
    }
  }

  /** Where a file has changed since the last look, waits until the burst is over; whatever else goes on in its folder. */
  #look(): void {
    if (this.#isClosed) return;
    const stamps = new Map([...this.#stamps.keys()].map((path) => [path, fingerprintOf(path)]));
    if ([...stamps].every(([path, stamp]) => stamp === this.#stamps.get(path))) return;
    this.#stamps = stamps;
    clearTimeout(this.#settling);
    this.#settling = this.#timed(setTimeout(() => this.#reload(), this.#settleMs));
  }

  #reload(): void {
    const { found, errors, stamps, filledLists } = this.#read(this.#filledLists);
    const isChanged = found !== undefined && !isSame(found, this.#inForce);
    if (found) this.#filledLists = filledLists;
    if (isChanged) this.#inForce = found;
    this.#stamps = stamps;
    this.#watchFolders();
    // Last of all, so that an exception of the caller's own, or a call of `close`, finds everything in its place.
    if (isChanged) this.#onChange(found);
    for (const error of errors) if (!this.#isClosed) this.#onError(error);
  }
}

function isSame(one: InForce, other: InForce): boolean {
  return one.policy.digest === other.policy.digest && one.mapping?.digest === other.mapping?.digest;
}

/** The folder that a path names and, where links lead elsewhere, the one in which the file really is. */
function foldersOf(path: string): readonly string[] {
  try {
    return [dirname(path), dirname(realpathSync(path))];
  } catch {
    return [dirname(path)];
  }
}
