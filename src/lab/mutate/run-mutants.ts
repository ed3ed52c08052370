/** Mutants and cases -> which mutants the cases kill, which they reach, and which they do not. */

import type { Policy } from '../../policy/language.ts';
import type { Expectation, TestCase } from '../test/test-case.ts';
import { JudgedCases } from './judge.ts';
import type { Mutant } from './mutants.ts';

/** What the cases do to a mutant. Cases are named by their index. */
export type MutantRun =
  /** An expectation of this case fails. */
  | { readonly status: 'killed'; readonly by: number; readonly reachedBy: readonly number[] }
  /** A rule does something else in these cases, and no expectation fails. */
  | { readonly status: 'survived'; readonly reachedBy: readonly number[] }
  /** In no case does a rule do anything else. */
  | { readonly status: 'notReached'; readonly reachedBy: readonly [] };

/** The cases of a policy with some values of its parameters, each with its index among all. */
interface Variant {
  readonly policy: Policy;
  readonly indexes: readonly number[];
  readonly judged: JudgedCases;
}

/** Runs cases, which pass, against mutants of one policy; each mutant up to the first case that kills it. */
export class MutantRunner {
  readonly #cases: readonly TestCase[];
  readonly #variants: readonly Variant[];

  constructor(cases: readonly TestCase[]) {
    this.#cases = cases;
    const byPolicy = Map.groupBy(cases.keys(), (i) => (cases[i] as TestCase).policy);
    this.#variants = [...byPolicy].map(([policy, indexes]) => {
      return {
        policy,
        indexes,
        judged: new JudgedCases(
          policy,
          indexes.map((i) => cases[i] as TestCase),
        ),
      };
    });
  }

  run(mutant: Mutant, policy: Policy): MutantRun {
    const reached = this.#variants.flatMap(({ policy: variant, indexes, judged }) => {
      const change = variant === policy ? mutant.change : mutant.changeIn(variant);
      const changed = change && judged.change(change);
      return (
        changed?.reached.map((at) => ({
          index: indexes[at] as number,
          fails: (expect: Expectation) => changed.fails(at, expect),
        })) ?? []
      );
    });
    if (reached.length === 0) return { status: 'notReached', reachedBy: [] };
    reached.sort((one, other) => one.index - other.index);
    const reachedBy = reached.map(({ index }) => index);
    const killing = reached.find(({ index, fails }) => fails((this.#cases[index] as TestCase).expect));
    if (killing) return { status: 'killed', by: killing.index, reachedBy };
    return { status: 'survived', reachedBy };
  }
}
