/** The entries of an intact chain -> what is wrong with the records themselves, and how many there are of each kind. */

import type { BodyEntry, Entry, ErasureFields } from '../entry/entry.ts';
import { KeyOrder } from '../keys/key-order.ts';
import type { ArtifactCheck } from './check-artifacts.ts';
import type { BodyCheck } from './check-body.ts';
import { ShreddedRecords } from './erasure/shredded-records.ts';
import type { Defect } from './finding.ts';
import type { IdSet } from './id-set.ts';

/** What the records of a chain are checked with. */
export interface RecordContext {
  readonly chain: string;
  /** The ids of all records read so far; those of this chain are added. */
  readonly ids: IdSet;
  readonly artifacts: Pick<ArtifactCheck, 'check'>;
  /** Undefined without the key folder: bodies are not opened. */
  readonly bodies: Pick<BodyCheck, 'check'> | undefined;
}

type Check = 'id' | 'key' | 'artifacts' | 'body';

/** Checks the records of one chain. A defect does not end the reading: the chain itself is intact. */
export class RecordChecks {
  readonly counts = { open: 0, decision: 0, note: 0, erasure: 0, seal: 0 };
  readonly shredded = new ShreddedRecords();
  readonly erasures: ErasureFields[] = [];
  /** Bodies that were decrypted and agree with their clear fields, and plain bodies. */
  opened = 0;
  plain = 0;
  readonly #context: RecordContext;
  readonly #keys: KeyOrder;
  readonly #failed = new Set<Check>();

  constructor(context: RecordContext) {
    this.#context = context;
    this.#keys = new KeyOrder(context.chain);
  }

  /** The defects of an entry, once for each check: of two records with one id or key, either may be genuine. */
  async check(entry: Entry): Promise<readonly Defect[]> {
    const { ids, artifacts, bodies } = this.#context;
    this.counts[entry.kind] += 1;
    if (entry.kind === 'erasure' && bodies) this.erasures.push(entry);
    if (entry.kind !== 'decision' && entry.kind !== 'note') return NONE;
    const isOwnKey = entry.key === undefined || this.#keys.takes(entry.key);
    const defects = [
      this.#first('id', ids.add(entry.id) ? undefined : DUPLICATE_ID),
      this.#first('key', isOwnKey ? undefined : KEY_SHARED),
      this.#first('artifacts', this.#failed.has('artifacts') ? undefined : await artifacts.check(entry)),
      this.#first('body', await this.#checkBody(entry)),
    ];
    return defects.filter((defect) => defect !== undefined);
  }

  async #checkBody(entry: BodyEntry): Promise<Defect | undefined> {
    if (entry.plain !== undefined) this.plain += 1;
    const result = await this.#context.bodies?.check(entry);
    if (result === 'shredded') this.shredded.add(entry);
    else if (result) return result;
    else if (this.#context.bodies && entry.plain === undefined) this.opened += 1;
    return undefined;
  }

  #first(check: Check, defect: Defect | undefined): Defect | undefined {
    if (!defect || this.#failed.has(check)) return undefined;
    this.#failed.add(check);
    return defect;
  }
}

const NONE: readonly Defect[] = [];
const DUPLICATE_ID: Defect = { code: 'duplicate-id', message: 'another record has the same id, expected a unique one' };
const KEY_SHARED: Defect = {
  code: 'key-shared',
  message:
    'the data key belongs to another record or chain, expected one that comes after the key of the record before',
};
