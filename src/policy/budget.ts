/** What the files of a policy ask for -> sums, each with a limit; an error where a sum passes its limit. */

import { reportAt } from '../platform/files/source.ts';
import type { Yaml } from '../platform/yaml.ts';

/** One sum over all files of a policy. */
interface Limit {
  readonly most: number;
  /** What is counted, as in `more than 10000 … in the policy`. */
  readonly what: string;
  readonly hint: string;
}

/**
 * The limits of a policy as a whole. Without them, a file of 100 KB can ask for gigabytes. 10,000 rules is what the
 * benchmarks measure; the other limits leave each of these rules 20 tests or cells.
 */
export const POLICY_LIMITS = {
  rules: {
    most: 10_000,
    what: 'rules and rows of tables',
    hint: 'for many single values, declare a list and test it with `inList` or `inDomainList`',
  },
  tests: {
    most: 200_000,
    what: 'tests, with named conditions expanded',
    hint: 'make the condition that many rules name smaller, or merge these rules',
  },
  cells: { most: 200_000, what: 'cells of tables', hint: 'leave out columns, or split the policy' },
  values: {
    most: 200_000,
    what: 'values of `in` and `notIn`',
    hint: 'declare a list and test it with `inList`',
  },
  lists: { most: 200, what: 'lists', hint: 'join lists that are tested alike' },
  // An instruction takes up to 350 bytes, and a pattern another 100 KB while it matches: see `re2.ts`.
  patterns: {
    most: 100_000,
    what: 'RE2 instructions in all patterns (each pattern counts 250 more)',
    hint: 'make {n} repeats smaller, or write `contains`, `startsWith`, `in` or a list instead',
  },
} as const satisfies Record<string, Limit>;

/** What is counted. */
export type Counted = keyof typeof POLICY_LIMITS;

/** The sums of one policy so far. */
export class Budget {
  readonly #spent = new Map<Counted, number>();

  /** Adds to a sum. False once it is above its limit; the first time, that is reported at `node`. */
  spend(counted: Counted, amount: number, node: Yaml): boolean {
    const { most, what, hint }: Limit = POLICY_LIMITS[counted];
    const before = this.#spent.get(counted) ?? 0;
    this.#spent.set(counted, before + amount);
    if (before + amount <= most) return true;
    if (before <= most) reportAt(node, 'too-large', `found more than ${most} ${what} in the policy`, { hint });
    return false;
  }

  /** Whether a sum is above its limit, which was reported. */
  isSpent(counted: Counted): boolean {
    return (this.#spent.get(counted) ?? 0) > POLICY_LIMITS[counted].most;
  }
}
