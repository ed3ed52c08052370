/** Files and their fingerprints -> a call after each burst of changes to them. */

import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { fingerprintOf } from '../../platform/files/disk-file.ts';

/** How files are watched. */
export interface FileWatchOptions {
  /** How long the files must be unchanged before the call. Default: 100. */
  readonly settleMs?: number | undefined;
  /** How often the files are polled, in case the system reports no event. Default: 5000. */
  readonly pollMs?: number | undefined;
  /** Whether watching keeps the process running. Default: true. */
  readonly persistent?: boolean | undefined;
}

/** Each file, existing or not, by path, with its fingerprint just before it was read. */
export type Stamps = ReadonlyMap<string, string>;

/** Watches files until it is closed. */
export class FileWatch {
  readonly #onChange: () => void;
  readonly #settleMs: number;
  readonly #persistent: boolean;
  readonly #poll: NodeJS.Timeout;
  /** The files, with their fingerprints when they were last compared. */
  #stamps: Stamps = new Map();
  #watchers: readonly FSWatcher[] = [];
  #settling: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `onChange` reads the files and passes them to `watch`, in any order. */
  constructor(
    stamps: Stamps,
    onChange: () => void,
    { settleMs = 100, pollMs = 5000, persistent = true }: FileWatchOptions = {},
  ) {
    this.#onChange = onChange;
    this.#settleMs = settleMs;
    this.#persistent = persistent;
    // Not every file system reports changes, none reports that a folder above was replaced, and a process may have only
    // a limited number of watchers. Polling a few files is cheap and misses nothing.
    this.#poll = this.#timed(setInterval(() => this.#compare(), pollMs));
    this.watch(stamps);
  }

  /** Watches other files than before. */
  watch(stamps: Stamps): void {
    this.#stamps = stamps;
    this.#watchFolders();
  }

  get isClosed(): boolean {
    return this.#isClosed;
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

  /** Watches folders: a watcher of a file itself would stay with the old one when an editor replaces the file. */
  #watchFolders(): void {
    const before = this.#watchers;
    const folders = new Set([...this.#stamps.keys()].flatMap(foldersOf));
    this.#watchers = [...folders].flatMap((folder) => this.#watchFolder(folder) ?? []);
    for (const watcher of before) watcher.close();
    // Finds changes made after a file was read and before its folder was watched.
    this.#compare();
  }

  #watchFolder(folder: string): FSWatcher | undefined {
    try {
      // Events do not report reliably which file changed, so fingerprints are compared.
      const watcher = watch(folder, { persistent: this.#persistent }, () => this.#compare());
      return watcher.on('error', () => watcher.close());
    } catch {
      return undefined; // no such folder, or too many watchers: polling finds its changes
    }
  }

  /** Calls `onChange` once the burst of changes is over, if a watched file has changed; other files do not count. */
  #compare(): void {
    if (this.#isClosed) return;
    const stamps = new Map([...this.#stamps.keys()].map((path) => [path, fingerprintOf(path)]));
    if ([...stamps].every(([path, stamp]) => stamp === this.#stamps.get(path))) return;
    this.#stamps = stamps;
    clearTimeout(this.#settling);
    this.#settling = this.#timed(setTimeout(this.#onChange, this.#settleMs));
  }
}

/** The folder of a path and, if links lead elsewhere, the real folder of the file. */
function foldersOf(path: string): readonly string[] {
  try {
    return [dirname(path), dirname(realpathSync(path))];
  } catch {
    return [dirname(path)];
  }
}
