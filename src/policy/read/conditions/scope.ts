/** What the readers of conditions share: the names that conditions refer to, and where they stand. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import type { Budget } from '../../budget.ts';
import type { Condition } from '../../language.ts';
import { keepSpan } from '../../source-map.ts';
import type { PatternReader } from '../pattern.ts';
import type { UnresolvedNames } from '../unresolved-names.ts';
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
