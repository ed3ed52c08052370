/** The policy and mapping digests of a decision -> the compiled policy from the log's artifacts. */

import { compile } from '../../../decision/matcher/matcher.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import { VerdictError } from '../../../errors.ts';
import type { Facts } from '../../../facts/fact.ts';
import type { DecisionFields } from '../../entry/entry.ts';
import { withoutIdentities } from '../../entry/unnamed.ts';
import type { IndexKey } from '../../keys/subject.ts';
import type { ArchivedPolicy, ArtifactStore } from '../../store/artifact-store.ts';
import { touchesErased } from '../erased-texts.ts';

/** The policy or its mapping is absent or malformed. */
export const MISSING = 'missing';

/** A text of the policy that may be about the applicant was erased. */
export const ERASED = 'erased';

/** Decides facts as a record has the verdict. */
export type ArchivedMatcher = (facts: Facts, day: string) => Verdict | typeof ERASED;

type MatcherOrMissing = ArchivedMatcher | typeof MISSING;

/** Compiles each policy once. */
export class PolicyMatchers {
  readonly #artifacts: ArtifactStore;
  readonly #readIndexKeys: () => Promise<readonly IndexKey[]>;
  readonly #matchers = new Map<string, MatcherOrMissing>();
  #last: { readonly digest: string; readonly mapping: string; readonly matcher: MatcherOrMissing } | undefined;

  constructor(artifacts: ArtifactStore, readIndexKeys: () => Promise<readonly IndexKey[]>) {
    this.#artifacts = artifacts;
    this.#readIndexKeys = readIndexKeys;
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
    let archived: ArchivedPolicy;
    try {
      archived = await this.#artifacts.policy(digest, mapping);
    } catch (error) {
      if (error instanceof VerdictError) return MISSING;
      throw error;
    }
    const { policy } = archived;
    const matcher = compile(policy);
    if (!archived.isSealed) return (facts, day) => matcher.verdict(facts, day);
    const indexKeys = archived.erased.size > 0 ? await this.#readIndexKeys() : [];
    return (facts, day) =>
      touchesErased(archived, facts, indexKeys) ? ERASED : withoutIdentities(matcher.verdict(facts, day), policy.facts);
  }
}
