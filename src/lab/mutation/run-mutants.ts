/** Mutants and cases -> which mutants the cases kill, which they reach, and which they do not. */

import type { Policy } from '../../policy/language.ts';
import type { TestCase } from '../testing/test-case.ts';
import { changeCase, type DecidedCase, decideCase } from './judge.ts';
import type { Mutant, PolicyChange } from './mutant.ts';

/** What the cases do to a mutant. Cases are named by their index. */
export type MutantRun =
  /** An expectation of this case fails. */
  | { readonly status: 'killed'; readonly by: number; readonly reachedBy: readonly number[] }
  /** A rule does something else in these cases, and no expectation fails. */
  | { readonly status: 'survived'; readonly reachedBy: readonly number[] }
  /** In no case does a rule do anything else. */
  | { readonly status: 'notReached'; readonly reachedBy: readonly [] };

/** Runs cases, which pass, against mutants of one policy; each mutant up to the first case that kills it. */
export class MutantRunner {
  readonly #cases: readonly { readonly expect: TestCase['expect']; readonly decided: DecidedCase }[];

  constructor(cases: readonly TestCase[]) {
    this.#cases = cases.map(({ policy, facts, at, expect }) => ({ expect, decided: decideCase(policy, facts, at) }));
  }

  run(mutant: Mutant, policy: Policy): MutantRun {
    const changes = new Map<Policy, PolicyChange | undefined>([[policy, mutant.change]]);
    const changeOf = (variant: Policy) => {
      if (!changes.has(variant)) changes.set(variant, mutant.changeIn(variant));
      return changes.get(variant);
    };
    const reachedBy: number[] = [];
    for (const [i, { expect, decided }] of this.#cases.entries()) {
      const change = changeOf(decided.policy);
      const changed = change && changeCase(decided, change);
      if (!changed) continue;
      reachedBy.push(i);
      if (changed.fails(expect)) return { status: 'killed', by: i, reachedBy };
    }
    return reachedBy.length > 0 ? { status: 'survived', reachedBy } : { status: 'notReached', reachedBy: [] };
  }
}
