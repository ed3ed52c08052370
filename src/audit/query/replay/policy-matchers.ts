/** The policy and mapping digests of a decision -> the compiled policy from the log's artifacts. */

import { compile, type Matcher } from '../../../decision/matcher/matcher.ts';
import { VerdictError } from '../../../errors.ts';
import type { DecisionFields } from '../../entry/entry.ts';
import type { ArtifactStore } from '../../store/artifact-store.ts';

/** The policy or its mapping is absent or malformed. */
export const MISSING = 'missing';

type MatcherOrMissing = Matcher | typeof MISSING;

/** Compiles each policy once. */
export class PolicyMatchers {
  readonly #artifacts: ArtifactStore;
  readonly #matchers = new Map<string, MatcherOrMissing>();
  #last: { readonly digest: string; readonly mapping: string; readonly matcher: MatcherOrMissing } | undefined;

  constructor(artifacts: ArtifactStore) {
    this.#artifacts = artifacts;
  }

  /** The matcher of the decision before; undefined if this decision has another policy or mapping. */
  same({ policy: { digest }, mapping }: DecisionFields): MatcherOrMissing | undefined {
    return this.#last?.digest === digest && this.#last.mapping === mapping ? this.#last.matcher : undefined;
  }

  async of({ policy: { digest }, mapping }: DecisionFields): Promise<MatcherOrMissing> {
    const name = `${digest} ${mapping}`;
    const matcher = this.#matchers.get(name) ?? (await this.#compile(digest, mapping));
    this.#matchers.set(name, matcher);
    this.#last = { digest, mapping, matcher };
    return matcher;
  }

  async #compile(digest: string, mapping: string): Promise<MatcherOrMissing> {
    try {
      return compile(await this.#artifacts.policy(digest, mapping));
    } catch (error) {
      if (error instanceof VerdictError) return MISSING;
      throw error;
    }
  }
}
