/** Decisions, one by one -> whether what decided them is kept, and which version of a policy is two. */

import { join } from 'node:path';
import type { Entry } from '../entry/entry.ts';
import { statEntry } from '../store/folder.ts';
import type { Defect } from './chain-check.ts';

/** A version of a policy that is two: worth knowing, and no sign that the log was changed. */
export interface VersionTwice {
  readonly name: string;
  readonly version: string;
  /** Sorted. */
  readonly digests: readonly string[];
}

/** What a decision names: its policy and mapping, which have to be kept. */
export class ArtifactCheck {
  readonly #dir: string;
  readonly #kept = new Set<string>();
  readonly #digests = new Map<string, Set<string>>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  async check(line: Entry): Promise<Defect | undefined> {
    if (line.kind !== 'decision') return undefined;
    const { name, version, digest } = line.policy;
    const key = JSON.stringify([name, version]);
    const digests = this.#digests.get(key) ?? new Set();
    this.#digests.set(key, digests.add(digest));
    for (const [what, folder, named] of [
      ['policy', 'policies', digest],
      ['mapping', 'mappings', line.mapping],
    ] as const) {
      if (await this.#isKept(folder, named)) continue;
      return {
        code: 'archive-missing',
        message: `found no kept ${what} ${named.slice(0, 19)}…, which the decision names`,
      };
    }
    return undefined;
  }

  versionsTwice(): VersionTwice[] {
    return [...this.#digests]
      .filter(([, digests]) => digests.size > 1)
      .map(([version, digests]) => {
        const [name = '', number = ''] = JSON.parse(version) as string[];
        return { name, version: number, digests: [...digests].sort() };
      });
  }

  async #isKept(folder: string, digest: string): Promise<boolean> {
    const file = `${folder}/${digest.slice('sha256:'.length)}.json`;
    if (!this.#kept.has(file) && (await statEntry(join(this.#dir, file)))?.kind === 'file') this.#kept.add(file);
    return this.#kept.has(file);
  }
}
