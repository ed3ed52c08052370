/** A test of two facts, or a condition evaluated as a whole -> the bounds that its facts set together. */

import type { FactTable } from '../../../facts/catalog.ts';
import { givenFacts, setComputed } from '../../../facts/compute.ts';
import { type Fact, isMissing } from '../../../facts/fact.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import { type Condition, factsOf, testsOf } from '../../../policy/language.ts';
import { cellOfTruth, findCell, MISSING_CELL } from '../../matcher/cell-lookup.ts';
import { evaluate } from '../../meaning/truth.ts';
import type { Work } from '../steps.ts';
import { eitherOf, type TruthBounds } from './truth-bounds.ts';
import type { Variable } from './variable.ts';

/** A test that reads several facts at once. */
export type JointTest = ReturnType<typeof jointTestOf>;

/** INVARIANT: the source is a condition, or an axis of two facts or of a computed one. */
export function jointTestOf(
  source: Axis | Condition,
  cellBounds: readonly TruthBounds[],
  variables: readonly Variable[],
  { day, work, table }: { readonly day: string; readonly work: Work; readonly table: FactTable },
) {
  const isDirect = 'kind' in source;
  const paths = isDirect
    ? factsOf(source)
    : new Set([source.fact, ...(source.other === undefined ? [] : [source.other])]);
  const indexes = [...givenFacts(paths, table)].map((path) =>
    variables.findIndex((variable) => variable.path === path),
  );
  const anyBounds = eitherOf(cellBounds);
  const cache = new Map<string, TruthBounds>();
  const tests = isDirect ? [...testsOf(source)].length : 1;
  const cellOf = (chosen: readonly Fact[]): number => {
    const assigned = new Map(indexes.map((index, i) => [variables[index]?.path ?? '', chosen[i] as Fact]));
    setComputed(assigned, table, paths);
    if (isDirect) return cellOfTruth(evaluate(source, assigned, day));
    const other = source.other === undefined ? undefined : assigned.get(source.other);
    return findCell(source, assigned.get(source.fact) as Fact, other, day);
  };
  return {
    /** The facts, by the indexes of their variables. */
    indexes,
    source,
    /** The bounds where all of its facts are open. */
    anyBounds,
    /** The bounds for one choice of each of its facts, by index; undefined for an open fact. */
    boundsFor: (choices: readonly (number | undefined)[]) => {
      work.spend(5 * choices.length);
      const key = choices.join();
      const cached = cache.get(key);
      if (cached) return cached;
      const chosen = choices.map((choice, i) =>
        choice === undefined ? undefined : variables[indexes[i] as number]?.choices[choice]?.fact,
      );
      const isOpen = chosen.some((fact) => fact === undefined);
      const isUnknown = !isDirect && chosen.some((fact) => fact !== undefined && isMissing(fact));
      if (!isOpen) work.spend(10 * (tests + choices.length));
      const cell = isUnknown ? MISSING_CELL : isOpen ? undefined : cellOf(chosen as readonly Fact[]);
      const bounds = cell === undefined ? anyBounds : (cellBounds[cell] as TruthBounds);
      cache.set(key, bounds);
      return bounds;
    },
  };
}
