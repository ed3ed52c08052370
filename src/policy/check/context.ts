/** A policy and where its parts stand -> what all checks of it share. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { type MapEntry, reportAt, type Span, type Yaml } from '../../platform/yaml.ts';
import { Cells } from '../cells/cells.ts';
import { Conjunctions } from '../cells/conjunctions.ts';
import type { Condition, Policy, Rule, Test } from '../language.ts';
import type { Table } from '../read/table.ts';

/** A policy, and where its parts stand. */
export interface Parts {
  readonly policy: Policy;
  readonly tables: readonly Table[];
  /** The nodes of tests, rules and rows. */
  readonly places: WeakMap<object, Yaml>;
  /** The keys under which conditions and lists are declared, by `condition <name>` and `list <name>`. */
  readonly names: ReadonlyMap<string, Yaml>;
  /** The keys of the policy's own file. */
  readonly keys: ReadonlyMap<string, MapEntry>;
}

/** What the checks share. */
export interface Check extends Parts {
  readonly cells: Cells;
  readonly conjunctions: Conjunctions;
  /** Tests that were reported: that a rule cannot fire for their sake is not said again. */
  readonly reported: Set<Test>;
  warn(at: Span | undefined, code: DiagnosticCode, message: string, hint?: string): void;
  /** Where a key of a rule stands, be it a cell of a row or a key of its table; the rule's id, or the row, without one. */
  placeOf(rule: Rule, key?: string): Yaml | undefined;
}

/** Beyond so many problems in all, a warning more helps nobody; well below the count at which reading gives up. */
const MOST_PROBLEMS = 500;

/** What the checks of a policy share. */
export function createCheck(parts: Parts): Check {
  const { policy, tables, places } = parts;
  const cells = new Cells(testsIn(policy), policy.facts);
  const tableOf = new Map(tables.flatMap((table) => table.rows.map((row) => [row, table] as const)));
  return {
    ...parts,
    cells,
    conjunctions: new Conjunctions(cells),
    reported: new Set(),
    warn: (at, code, message, hint) => {
      if (!at) return;
      const { diagnostics, file } = at.source;
      if (diagnostics.length < MOST_PROBLEMS) {
        reportAt(at, code, message, { severity: 'warning', ...(hint === undefined ? {} : { hint }) });
      } else if (diagnostics.length === MOST_PROBLEMS) {
        const tooMany = `more than ${MOST_PROBLEMS} problems; the others are not listed`;
        diagnostics.push({ code: 'too-many', severity: 'warning', message: tooMany, file });
      }
    },
    placeOf: (rule, key) => placeIn(places.get(rule), tableOf.get(rule), key),
  };
}

/** Every condition that a policy declares or asks, at the place where it stands. */
export function* conditionsOf({ conditions, rules }: Policy): Generator<Condition> {
  yield* conditions.values();
  for (const rule of rules) yield rule.when;
}

/** A condition and its parts; what has a name stands elsewhere. */
export function* partsOf(condition: Condition): Generator<Condition> {
  yield condition;
  if (condition.kind === 'test' || condition.kind === 'named') return;
  for (const part of condition.of) yield* partsOf(part);
}

function* testsIn(policy: Policy): Generator<Test> {
  for (const condition of conditionsOf(policy)) {
    for (const part of partsOf(condition)) if (part.kind === 'test') yield part;
  }
}

function placeIn(node: Yaml | undefined, table: Table | undefined, key = 'id'): Yaml | undefined {
  if (node?.kind === 'map') return node.entries.get(key)?.value ?? node.entries.get('id')?.value ?? node;
  // The id in a table is that of the table.
  if (node?.kind !== 'list' || table?.node.kind !== 'map' || key === 'id') return node;
  const columns = table.node.entries.get('columns')?.value;
  const index =
    columns?.kind === 'list' ? columns.items.findIndex((item) => 'value' in item && item.value === key) : -1;
  return node.items[index] ?? table.node.entries.get(key)?.value ?? node;
}
