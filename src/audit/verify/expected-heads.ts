/** A chain's head in the checkpoint and the last state in its lease -> where a chain differs from them. */

import type { ChainHead } from '../checkpoint/checkpoint.ts';
import type { LastState } from '../store/lease.ts';
import type { Head } from '../store/segment.ts';
import type { Defect } from './finding.ts';

/** Compares a chain with the heads that are known of it from elsewhere, entry by entry. */
export class ExpectedHeads {
  readonly #checkpointed: ChainHead | undefined;
  readonly #lastState: LastState | undefined;

  constructor(checkpointed: ChainHead | undefined, lastState: LastState | undefined) {
    this.#checkpointed = checkpointed;
    this.#lastState = lastState;
  }

  /** The defects of an entry that is one of the heads. */
  compare({ seq, hash }: Head): readonly Defect[] {
    const isRewritten = this.#checkpointed?.length === seq && this.#checkpointed.hash !== hash;
    const isOther = this.#lastState?.head.seq === seq && this.#lastState.head.hash !== hash;
    if (!isRewritten && !isOther) return NONE;
    return [...(isRewritten ? [REWRITTEN] : []), ...(isOther ? [NOT_LAST_STATE] : [])];
  }

  /** The defects of a chain that ends after so many entries, each with the number of the entry where it shows. */
  compareEnd(length: number): readonly (Defect & { readonly seq: number })[] {
    const defects: (Defect & { readonly seq: number })[] = [];
    const found = `found ${length} entries, expected`;
    const least = this.#checkpointed?.length ?? 0;
    if (least > length) {
      const message = `${found} at least ${least}, as in the checkpoint`;
      defects.push({ code: 'checkpoint-cut', message, seq: length + 1 });
    }
    const { head, isClean } = this.#lastState ?? {};
    if (head && (isClean ? head.seq !== length : head.seq > length)) {
      const message = `${found}${isClean ? '' : ' at least'} ${head.seq}, the last state in the lease`;
      defects.push({ code: 'end-differs', message, seq: length });
    }
    return defects;
  }

  /** Whether the checkpoint's entry is one of a pruned segment, other than its footer, and so cannot be compared. */
  isPrunedIn({ first, last }: { readonly first: number; readonly last: number }): boolean {
    const length = this.#checkpointed?.length;
    return length !== undefined && length >= first && length < last;
  }
}

const NONE: readonly Defect[] = [];
const REWRITTEN: Defect = {
  code: 'checkpoint-rewritten',
  message: 'the hash differs from the checkpoint: the chain was rewritten, at least up to here',
};
const NOT_LAST_STATE: Defect = {
  code: 'end-differs',
  message: "the entry's hash differs from the last state in the lease",
};
