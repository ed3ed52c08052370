/** A policy and the index keys of a log -> its archived form, with a durable key for each text about a person. */

import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type IdentityPart, replaceIdentities } from '../../policy/identities.ts';
import type { Policy } from '../../policy/language.ts';
import { KEY_BYTES, KeyTable, type PolicyKeys, policyKeysName } from '../keys/policy-keys.ts';
import { type IndexKey, subjectIn } from '../keys/subject.ts';
import { TamperedError } from '../tampered-error.ts';
import { isCode } from './files.ts';
import { formatSealedPolicy, sealText } from './sealed-policy.ts';

/** The archived form of a policy: its digest, and its bytes unless the log keeps it already. */
export interface SealedForm {
  readonly archive: string;
  readonly bytes?: Buffer;
}

/** A policy with its data and the parts of these that are to be encrypted. */
interface SealedParts {
  readonly policy: Policy;
  readonly data: unknown;
  readonly parts: readonly IdentityPart[];
}

/** Other work goes on after so many texts. */
const TEXTS_AT_ONCE = 1000;

/** Seals policies with the keys of a key folder. */
export class PolicySealer {
  readonly #keys: PolicyKeys;
  readonly #first: IndexKey;
  readonly #current: IndexKey;

  constructor(keys: PolicyKeys, indexKeys: readonly IndexKey[]) {
    this.#keys = keys;
    [this.#first, this.#current] = [indexKeys[0] as IndexKey, indexKeys.at(-1) as IndexKey];
  }

  /**
   * Undefined for a policy that says nothing of people. INVARIANT: the keys are durable before the archived form is
   * written, and one policy has one archived form, whichever process makes it and however often: an erased text stays
   * erased. The form is made again with the keys that a crash left; with an erased one among them it cannot be, so
   * there are new keys under the next name.
   */
  async seal(
    policy: Policy,
    data: unknown,
    isKept: (archive: string) => Promise<boolean>,
  ): Promise<SealedForm | undefined> {
    const parts: IdentityPart[] = [];
    replaceIdentities(policy, data, (part) => parts.push(part));
    if (parts.length === 0) return undefined;
    const given = { policy, data, parts };
    for (let generation = 1; ; ) {
      const name = policyKeysName(policy.digest, this.#first, generation);
      const archive = await this.#keys.readArchive(name);
      if (archive === undefined) {
        const made = await this.#make(name, given);
        if (made) return made;
        continue;
      }
      await this.#keys.sync();
      if (await isKept(archive)) return { archive };
      const { table } = (await this.#keys.read(name)) ?? {};
      if (table?.isComplete()) {
        const bytes = await formatParts(name, given, table);
        if (digestOf(bytes) === archive) return { archive, bytes };
        throw new TamperedError('the keys of a policy, in the key folder, belong to another archived form of it');
      }
      generation += 1;
    }
  }

  /** Undefined if another process has made the keys meanwhile. */
  async #make(name: string, given: SealedParts): Promise<SealedForm | undefined> {
    // The first key is that of the policy's own digest.
    const subjects: (string | undefined)[] = [undefined];
    for (const [i, { text, format }] of given.parts.entries()) {
      if (i % TEXTS_AT_ONCE === 0) await setImmediate();
      subjects.push(subjectIn(text, format, this.#current));
    }
    const table = KeyTable.of(this.#current.number, randomBytes(subjects.length * KEY_BYTES), subjects);
    const bytes = await formatParts(name, given, table);
    const archive = digestOf(bytes);
    try {
      await this.#keys.create(name, { archive, table });
      return { archive, bytes };
    } catch (error) {
      if (isCode(error, 'EEXIST')) return undefined;
      throw error;
    }
  }
}

async function formatParts(name: string, { policy, data, parts }: SealedParts, table: KeyTable): Promise<Buffer> {
  const sealed: unknown[] = [];
  for (const [i, { format, data: part }] of parts.entries()) {
    if (i % TEXTS_AT_ONCE === 0) await setImmediate();
    sealed.push(sealText(i + 1, part, format, table.keyOf(i + 1)));
  }
  let next = 0;
  const replaced = replaceIdentities(policy, data, () => sealed[next++]);
  const digest = sealText(0, policy.digest, undefined, table.keyOf(0));
  return formatSealedPolicy({ keys: name, digest, policy: replaced });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
