/** The cases of files of tests -> what they cover of each policy that they test. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { DiagnosticsError } from '../../diagnostics.ts';
import { RE2 } from '../../formats/re2.ts';
import type { Policy } from '../../policy/language.ts';
import { PolicyInGit } from '../../policy/read/files/policy-in-git.ts';
import { readUnchecked } from '../../policy/read/read-policy.ts';
import { type Coverage, CoverageCounter, type Gap } from './coverage/coverage.ts';
import type { TestCase, TestedPolicy } from './test-case.ts';

/** The coverage of a policy, and the texts of its files by name. */
export interface CoveredPolicy {
  readonly coverage: Coverage;
  readonly texts: ReadonlyMap<string, string>;
}

/** Counts what the cases of tests reach. */
export class TestCoverage {
  readonly #counters = new Map<Policy, CoverageCounter>();
  readonly #revision: string | undefined;

  /** With a git revision, only what the policies do not mean alike there is counted. */
  constructor(revision?: string) {
    this.#revision = revision;
  }

  /**
   * Counts a case. Throws REQUEST_INVALID if there is no such revision, CONFIGURATION_INVALID if git cannot be run, and
   * POLICY_INVALID if the policy has errors there.
   */
  add({ tested, policy, facts, at }: TestCase): void {
    this.#counterOf(tested).add(matcherOf(policy).verdict(facts, at), facts, at, policy);
  }

  /** Takes the policy of a case that is to be skipped: nothing of it is reached by that. Throws as `add` does. */
  addSkipped({ tested }: TestCase): void {
    this.#counterOf(tested);
  }

  /** The policies in the order of their first cases. */
  policies(): readonly CoveredPolicy[] {
    return [...this.#counters.values()].map((counter) => ({ coverage: counter.coverage(), texts: counter.texts() }));
  }

  /** The goals of a policy that no case reached. Throws as `add` does. */
  gapsOf(tested: TestedPolicy): readonly Gap[] {
    return this.#counterOf(tested).gaps();
  }

  #counterOf(tested: TestedPolicy): CoverageCounter {
    const known = this.#counters.get(tested.policy);
    if (known) return known;
    const since = this.#revision === undefined ? undefined : policyIn(this.#revision, tested);
    const counter = new CoverageCounter(tested.policy, since ? { since } : {});
    this.#counters.set(tested.policy, counter);
    return counter;
  }
}

/** A policy as it was in a revision; undefined if there was none, so that all of it is new. */
function policyIn(revision: string, { path, mapping }: TestedPolicy): Policy | undefined {
  const { policy, diagnostics } = readUnchecked(new PolicyInGit(path, revision), { mapping, patterns: RE2 });
  // What is wrong with another file of the policy is reported where that is named.
  const isNew = diagnostics.some(({ code, position }) => code === 'file-unreadable' && position === undefined);
  if (!policy && !isNew) throw new DiagnosticsError('POLICY_INVALID', diagnostics);
  return policy;
}
