/** A record -> whether its body opens and agrees with its clear fields, and whether its policy and mapping are kept. */

import { VerdictError } from '../../errors.ts';
import { digest as digestOf } from '../../platform/digest.ts';
import { isCanonicalBody, readDecision, readEvent, readNote } from '../entry/body.ts';
import type { BodyEntry, Entry, ErasureFields } from '../entry/entry.ts';
import { matchesDecision } from '../entry/searchable.ts';
import type { LogHome } from '../place.ts';
import { BodyReader } from '../read/read-log.ts';
import { ArtifactStore } from '../store/artifact-store.ts';
import { statEntry } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import type { Defect, Finding } from './finding.ts';

/** Opens and checks bodies. */
export class BodyCheck {
  readonly #bodies: BodyReader;

  constructor(keys: Folder) {
    this.#bodies = new BodyReader(keys);
  }

  /** The defect of a body; `shredded` if its key is erased or missing. */
  async check(entry: BodyEntry): Promise<Defect | 'shredded' | undefined> {
    const opened = await this.#bodies.open(entry);
    if ('closed' in opened) {
      return opened.closed === 'erased' || opened.closed === 'key-missing' ? 'shredded' : BODY_UNREADABLE;
    }
    if (!isCanonicalBody(opened.texts)) return BODY_UNREADABLE;
    if (entry.kind !== 'decision') {
      const read = entry.kind === 'note' ? readNote : readEvent;
      return read(opened.texts) ? undefined : BODY_UNREADABLE;
    }
    const body = readDecision(entry, opened.texts);
    if (!body) return BODY_UNREADABLE;
    return matchesDecision(entry, body.decision) ? undefined : CLEAR_DIFFERS;
  }
}

const BODY_UNREADABLE: Defect = {
  code: 'body-unreadable',
  message: 'the body cannot be decrypted with its key and these clear fields, or is malformed',
};
const CLEAR_DIFFERS: Defect = {
  code: 'clear-differs',
  message: 'the clear fields differ from the body',
};

/** A version of a policy with several digests: worth knowing, and no sign that the log was changed. */
export interface VersionTwice {
  readonly name: string;
  readonly version: string;
  /** Sorted. */
  readonly digests: readonly string[];
}

/** Checks the policies and mappings that decisions name. */
export class ArtifactCheck {
  readonly #dir: Folder;
  readonly #stored = new Set<string>();
  /** By the JSON of name and version. */
  readonly #digests = new Map<string, Set<string>>();

  constructor(dir: Folder) {
    this.#dir = dir;
  }

  async check(entry: Entry): Promise<Defect | undefined> {
    if (entry.kind !== 'decision') return undefined;
    const { name, version, digest } = entry.policy;
    const key = JSON.stringify([name, version]);
    const digests = this.#digests.get(key) ?? new Set();
    this.#digests.set(key, digests.add(digest));
    if (!(await this.#isStored('policies', digest))) return missingArtifact('policy', digest);
    if (!(await this.#isStored('mappings', entry.mapping))) return missingArtifact('mapping', entry.mapping);
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
    if (!this.#stored.has(file) && (await statEntry(this.#dir, file))?.kind === 'file') this.#stored.add(file);
    return this.#stored.has(file);
  }
}

function missingArtifact(kind: 'policy' | 'mapping', digest: string): Defect {
  return {
    code: 'archive-missing',
    message: `the log does not store ${kind} ${digest.slice(0, 19)}… of this decision`,
  };
}

/** An archived policy with encrypted texts about people. */
export interface SealedPolicyStatus {
  /** The digest of its archived form. */
  readonly archive: string;
  readonly texts: number;
  /** How many people were erased from it. With any, the policy's own digest is erased too. */
  readonly erasedPeople: number;
}

/** The result of the check. */
export type CheckedPolicies = Awaited<ReturnType<typeof checkPolicies>>;

/** Opens the archived policies with these digests; those that are absent or changed have findings of their own. */
export async function checkPolicies(home: LogHome, digests: Iterable<string>, erasures: readonly ErasureFields[]) {
  const store = new ArtifactStore(home);
  const sealed: SealedPolicyStatus[] = [];
  const findings: Finding[] = [];
  const ownDigests = new Map<string, string>();
  for (const archive of digests) {
    const data = await store.data(archive).catch(ignoreRefused);
    if (data === undefined) continue;
    const add = (defect: Defect) => findings.push({ ...defect, file: `policies/${archive.slice(7)}.json` });
    const opened = await store.open(data, archive).catch(ignoreRefused);
    if (opened === undefined) {
      add(POLICY_UNREADABLE);
      continue;
    }
    if (!opened.table) continue;
    const { ownDigest, texts, erased, table } = opened;
    if (ownDigest !== undefined && digestOf(opened.data) !== ownDigest) add(POLICY_DIFFERS);
    const subjects = erasures.flatMap(({ subject, policies = [] }) => (policies.includes(archive) ? subject : []));
    if (table.find(subjects).some((number) => table.keyOf(number))) add(ERASURE_UNDONE);
    sealed.push({ archive, texts, erasedPeople: erased.size });
    if (ownDigest !== undefined) ownDigests.set(archive, ownDigest);
  }
  return {
    sealed,
    findings,
    /** The own digests of the archived policies of which nothing was erased. */
    ownDigests,
  };
}

/** Undefined in place of an error of the log's own checks. */
function ignoreRefused(error: unknown): undefined {
  if (!(error instanceof VerdictError)) throw error;
}

const POLICY_UNREADABLE: Defect = {
  code: 'policy-unreadable',
  message: 'a text about a person does not open, or the keys of this policy are missing from the key folder',
};
const POLICY_DIFFERS: Defect = {
  code: 'policy-unreadable',
  message: 'the opened policy does not have the digest that was encrypted with it',
};
const ERASURE_UNDONE: Defect = {
  code: 'erasure-undone',
  message: 'the key of a text about a person is there although its erasure is on record: erase it again',
};
