/** The rows of a table of unique ones -> an error for each that may match together with an earlier row. */

import type { FactTable } from '../../../facts/catalog.ts';
import { reportAt } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { findOverlaps, type SharedFact } from '../../cells/overlap.ts';
import { isPersonal } from '../../identities.ts';
import { type Rule, testsOf } from '../../language.ts';

/** What the rows refer to, and where they stand. */
interface RowScope {
  readonly facts: FactTable;
  readonly nodes: WeakMap<object, Yaml>;
}

/** Reports rows that may match at once, or at `key` that the table is too large to tell. */
export function checkUnique(table: string, rows: readonly Rule[], key: Yaml, { facts, nodes }: RowScope): void {
  const { found, isWhole } = findOverlaps(
    rows.map(({ when }) => [...testsOf(when)]),
    facts,
  );
  for (const { earlier, later, facts: shared } of found) {
    const [first, second] = [rows[earlier], rows[later]].map((row) => row && nodes.get(row));
    if (!first || !second) continue;
    const values = [...shared].map(([fact, each]) => `${fact} ${show(fact, each, facts)}`).join(', ');
    const both = `the rows ${earlier + 1} and ${later + 1}`;
    const message = `${both} of the table "${table}" may match at once: ${values || 'both test nothing'}`;
    reportAt(second, 'rows-overlap', message, {
      hint: 'with `unique: true`, some column has to keep each two rows apart',
      related: { at: first, message: `row ${earlier + 1} is here` },
    });
  }
  if (found.length > 0 || isWhole) return;
  reportAt(key, 'too-large', `the rows of the table "${table}" are too many to be compared with each other`, {
    hint: 'split the table, or remove `unique`',
  });
}

/** A value of a fact for people; not a personal one. */
function show(path: string, given: SharedFact, facts: FactTable): string {
  if (isPersonal(path, facts)) return 'of both (not shown)';
  if ('value' in given) return typeof given.value === 'string' ? given.value : JSON.stringify(given.value);
  return given.cells.map(({ words }) => words).join(' and ');
}
