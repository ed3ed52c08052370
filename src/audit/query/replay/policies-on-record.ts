/** The policies that the decisions of a log name -> what is made of each, once. */

import { VerdictError } from '../../../errors.ts';
import type { DecisionFields } from '../../entry/entry.ts';
import { homeOf } from '../../home.ts';
import type { LogPlace } from '../../place.ts';
import { type ArchivedPolicy, ArtifactStore } from '../../store/artifact-store.ts';

/** The log does not keep the policy of a decision or its mapping, or what it keeps was changed. */
export const MISSING = 'missing';

export class PoliciesOnRecord<Made> {
  readonly #place: LogPlace;
  readonly #make: (archived: ArchivedPolicy) => Made | Promise<Made>;
  readonly #made = new Map<string, Made | typeof MISSING>();
  #artifacts: ArtifactStore | undefined;
  #last: { readonly digest: string; readonly mapping: string; readonly made: Made | typeof MISSING } | undefined;

  constructor(place: LogPlace, make: (archived: ArchivedPolicy) => Made | Promise<Made>) {
    this.#place = place;
    this.#make = make;
  }

  /** What was made for the decision before; undefined if this decision has another policy or mapping. */
  same({ policy: { digest }, mapping }: DecisionFields): Made | typeof MISSING | undefined {
    return this.#last?.digest === digest && this.#last.mapping === mapping ? this.#last.made : undefined;
  }

  async of({ policy: { digest }, mapping }: DecisionFields): Promise<Made | typeof MISSING> {
    const name = `${digest} ${mapping}`;
    const made = this.#made.get(name) ?? (await this.#open(digest, mapping));
    this.#made.set(name, made);
    this.#last = { digest, mapping, made };
    return made;
  }

  async #open(digest: string, mapping: string): Promise<Made | typeof MISSING> {
    let archived: ArchivedPolicy;
    try {
      this.#artifacts ??= new ArtifactStore(await homeOf(this.#place));
      archived = await this.#artifacts.policy(digest, mapping);
    } catch (error) {
      if (error instanceof VerdictError) return MISSING;
      throw error;
    }
    return this.#make(archived);
  }
}
