/** A test of one fact against another, or a condition that is evaluated whole -> what facts leave of it together. */

import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import { type Condition, factsOf } from '../../../policy/language.ts';
import { cellOfTruth, findCell, MISSING_CELL } from '../../matcher/find-cell.ts';
import { evaluate } from '../../meaning/truth.ts';
import { eitherOf, type TruthBounds } from './truth-bounds.ts';
import type { Variable } from './variable.ts';

/** What looks at several facts at once. */
export interface JointTest {
  /** The facts, by their places among the variables. */
  readonly variables: readonly number[];
  readonly source: Axis | Condition;
  /**
   * What is left where each of its facts is that of its choices, by the place among these; undefined for a fact that is open.
   */
  leeway(choices: readonly (number | undefined)[]): TruthBounds;
}

/** INVARIANT: the source is no axis of one fact alone. */
export function jointTestOf(
  source: Axis | Condition,
  leeways: readonly TruthBounds[],
  variables: readonly Variable[],
  facts: Facts,
  day: string,
): JointTest {
  const isDirect = 'kind' in source;
  const paths = isDirect ? [...factsOf(source)] : [source.fact, source.other ?? ''];
  const places = [...new Set(paths)].map((path) => variables.findIndex((variable) => variable.path === path));
  const open = eitherOf(leeways);
  const known = new Map<string, TruthBounds>();
  const cellOf = (chosen: readonly Fact[]): number => {
    const at = new Map(places.map((place, i) => [variables[place]?.path ?? '', chosen[i] as Fact]));
    if (isDirect) return cellOfTruth(evaluate(source, new Map([...facts, ...at]), day));
    return findCell(source, at.get(paths[0] as string) as Fact, at.get(paths[1] as string), day);
  };
  return {
    variables: places,
    source,
    leeway: (choices) => {
      const key = choices.join();
      const had = known.get(key);
      if (had) return had;
      const chosen = choices.map((choice, i) =>
        choice === undefined ? undefined : variables[places[i] as number]?.choices[choice]?.fact,
      );
      const isOpen = chosen.some((fact) => fact === undefined);
      const isUnknown = !isDirect && chosen.some((fact) => fact !== undefined && isMissing(fact));
      const cell = isUnknown ? MISSING_CELL : cellOf(chosen as readonly Fact[]);
      const leeway = isOpen && !isUnknown ? open : (leeways[cell] as TruthBounds);
      known.set(key, leeway);
      return leeway;
    },
  };
}
