/** What the readers of conditions share: names, positions, compiled patterns, and the budget of a policy. */

import type { FactTable } from '../../../facts/catalog.ts';
import { reportAt } from '../../../platform/files/source.ts';
import type { PatternEngine } from '../../../platform/formats/pattern-engine.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { readText } from '../../../platform/yaml-fields.ts';
import type { Pattern } from '../../arguments.ts';
import type { Condition } from '../../language.ts';
import { keepSpan } from '../../source-map.ts';
import type { UnresolvedNames } from '../key.ts';
import { globMeant } from '../mistakes/tests.ts';
import type { DeclaredList } from '../values/declared-list.ts';
import type { Parameters } from '../values/parameters.ts';

/** The names that a condition can refer to, and where its nodes are noted. */
export interface Scope {
  readonly facts: FactTable;
  readonly lists: ReadonlyMap<string, DeclaredList>;
  readonly conditions: ReadonlyMap<string, NamedCondition>;
  /** The names of the conditions that are being read, each referred to by the one before. */
  readonly reading: string[];
  readonly parameters: Parameters;
  readonly unresolved: UnresolvedNames;
  readonly budget: Budget;
  readonly patterns: PatternReader;
  /** The node of each test, rule, row and guarantee that was read. */
  readonly nodes: WeakMap<object, Yaml>;
}

/** A named condition as declared, and how far it has been read. */
export interface NamedCondition {
  readonly name: string;
  readonly node: Yaml;
  state: 'declared' | 'reading' | 'read';
  /** Undefined if it has errors. */
  condition: Condition | undefined;
  /** The number of levels of named conditions that it refers to. */
  levels: number;
  /** The number of its tests, with named conditions expanded. */
  tests: number;
}

/** Notes which node a rule, a guarantee or a test was read from; gives it back. */
export function noteSpan<Thing extends object>(thing: Thing, node: Yaml, { nodes }: Scope): Thing {
  nodes.set(thing, node);
  keepSpan(thing, node);
  return thing;
}

/** All of the conditions together, or the only one itself; undefined if one is wrong. Without any, always true. */
export function conjunction(children: readonly (Condition | undefined)[]): Condition | undefined {
  if (!children.every((child) => child !== undefined)) return undefined;
  return children.length === 1 ? children[0] : { kind: 'all', of: children };
}

/** What a pattern counts in addition to its instructions: about the memory of its states. */
const EACH_PATTERN = 250;

/** Reads the patterns of one policy; a pattern that occurs again is compiled once. */
export class PatternReader {
  readonly #engine: PatternEngine | undefined;
  readonly #budget: Budget;
  readonly #compiled = new Map<string, Pattern>();

  constructor(engine: PatternEngine | undefined, budget: Budget) {
    this.#engine = engine;
    this.#budget = budget;
  }

  /**
   * Undefined, with a diagnostic, for a text that is not a pattern; without an engine; or once the policy's patterns
   * are too large.
   */
  read(node: Yaml): Pattern | undefined {
    const source = readText(node, 'a pattern');
    if (source === undefined) return undefined;
    const pattern = this.#compiled.get(source) ?? this.#compile(source, node);
    if (pattern) this.#compiled.set(source, pattern);
    return pattern;
  }

  #compile(source: string, node: Yaml): Pattern | undefined {
    if (!this.#engine) {
      return reportAt(node, 'not-supported', 'found a pattern; patterns need an engine, and none was given', {
        hint: 'give the function that reads the policy the option `patterns`: RE2 of verdict-engine/patterns',
      });
    }
    // Compiling takes most of the time, so it ends where the budget does.
    if (this.#budget.isSpent('patterns')) return undefined;
    const compiled = this.#engine.compilePattern(source);
    if ('problem' in compiled) {
      const glob = globMeant(source);
      return reportAt(node, 'bad-pattern', `RE2 cannot compile this pattern: ${compiled.problem}`, {
        hint:
          glob === undefined
            ? 'RE2 has no look-around and no back-references: they cannot be matched in linear time'
            : `write \`${glob}\` in place of \`matches\``,
      });
    }
    if (!this.#budget.spend('patterns', compiled.size + EACH_PATTERN, node)) return undefined;
    return { source, test: compiled.tester() };
  }
}

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
  velocities: { most: 100, what: 'velocities', hint: 'leave out those that no rule needs: each is counted every time' },
  lists: { most: 200, what: 'lists', hint: 'join lists that are tested alike' },
  // An instruction takes up to 350 bytes, and a pattern another 100 KB while it matches: see `re2.ts`.
  patterns: {
    most: 100_000,
    what: 'RE2 instructions in all patterns (each pattern counts 250 more)',
    hint: 'make {n} repeats smaller, or write `contains`, `startsWith`, `in` or a list instead',
  },
} as const satisfies Record<string, Limit>;

/** What is counted. */
type Counted = keyof typeof POLICY_LIMITS;

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
