/** Decisions -> those whose policy or mapping the log does not store, and policy versions with several digests. */

import { join } from 'node:path';
import type { Entry } from '../entry/entry.ts';
import { statEntry } from '../store/folder.ts';
import type { Defect } from './finding.ts';

/** A version of a policy with several digests: worth knowing, and no sign that the log was changed. */
export interface VersionTwice {
  readonly name: string;
  readonly version: string;
  /** Sorted. */
  readonly digests: readonly string[];
}

/** Checks the policies and mappings that decisions name. */
export class ArtifactCheck {
  readonly #dir: string;
  readonly #stored = new Set<string>();
  /** By the JSON of name and version. */
  readonly #digests = new Map<string, Set<string>>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  async check(entry: Entry): Promise<Defect | undefined> {
    if (entry.kind !== 'decision') return undefined;
    const { name, version, digest } = entry.policy;
    const key = JSON.stringify([name, version]);
    const digests = this.#digests.get(key) ?? new Set();
    this.#digests.set(key, digests.add(digest));
    if (!(await this.#isStored('policies', digest))) return missing('policy', digest);
    if (!(await this.#isStored('mappings', entry.mapping))) return missing('mapping', entry.mapping);
    return undefined;
  }

  /** The digests of the policies of all decisions. */
  policies(): ReadonlySet<string> {
    return new Set([...this.#digests.values()].flatMap((digests) => [...digests]));
  }

  /** `own` has the own digests of policies that are archived in another form, as far as they are known. */
  versionsTwice(own: ReadonlyMap<string, string> = new Map()): VersionTwice[] {
    return [...this.#digests]
      .map(([key, digests]) => [key, new Set([...digests].map((digest) => own.get(digest) ?? digest))] as const)
      .filter(([, digests]) => digests.size > 1)
      .map(([key, digests]) => {
        const [name = '', version = ''] = JSON.parse(key) as string[];
        return { name, version, digests: [...digests].sort() };
      });
  }

  async #isStored(folder: string, digest: string): Promise<boolean> {
    const file = `${folder}/${digest.slice('sha256:'.length)}.json`;
    if (!this.#stored.has(file) && (await statEntry(join(this.#dir, file)))?.kind === 'file') this.#stored.add(file);
    return this.#stored.has(file);
  }
}

function missing(kind: 'policy' | 'mapping', digest: string): Defect {
  return {
    code: 'archive-missing',
    message: `the log does not store ${kind} ${digest.slice(0, 19)}… of this decision`,
  };
}
