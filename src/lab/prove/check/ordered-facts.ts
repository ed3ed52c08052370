/** A reasoner -> the facts with an order, each with its steps: the values that rules tell apart, from low to high. */

import { findCell } from '../../../decision/matcher/find-cell.ts';
import { type Fact, isMissing } from '../../../facts/fact.ts';
import { partsOfAll } from '../../../policy/check/ranges/borders.ts';
import { factsOf, type Rule } from '../../../policy/language.ts';
import type { Reasoner } from '../../question/reasoner.ts';
import type { Side } from '../../space/space.ts';

/** Values that lie side by side and that no test tells apart. */
export interface Step {
  /** The state of the fact's variable. */
  readonly state: number;
  /** Some of the values, ascending. */
  readonly samples: readonly Fact[];
}

/** The steps for which a rule may fire, from the first to the last. */
export interface Range {
  readonly rule: Rule;
  readonly first: number;
  readonly last: number;
}

export interface OrderedFact {
  readonly path: string;
  /** The index of its variable. */
  readonly variable: number;
  readonly steps: readonly Step[];
  /** The rules in effect that read the fact. */
  readonly rules: readonly Rule[];
  /** Undefined unless all tests of the fact that have to hold leave one range. */
  rangeOf(rule: Rule): Range | undefined;
}

/** Facts that are tested in parts, computed, or compared with others are not among them. */
export function orderedFactsIn({ space }: Reasoner): readonly OrderedFact[] {
  const [side] = space.sides as readonly [Side];
  return space.variables.flatMap(({ path, axes: [axis, ...others], states, cells: [cells = []] }, variable) => {
    const isSampled = states.some(({ fact }) => fact !== undefined && !isMissing(fact));
    if (!axis?.numbers || others.length > 0 || !isSampled) return [];
    const { numbers, firstValue } = axis;
    const rank = (fact: Fact) => (isMissing(fact) ? undefined : numbers.toNumber(fact.value, space.day)) ?? 0;
    const samples = Map.groupBy(space.samples.get(path) ?? [], (each) => findCell(axis, each, undefined, space.day));
    const steps = cells
      .flatMap((own, state) => own.filter((cell) => cell >= firstValue).map((cell) => ({ cell, state })))
      .sort((one, other) => one.cell - other.cell)
      .map(({ cell, state }): Step => {
        return { state, samples: (samples.get(cell) ?? []).toSorted((one, other) => rank(one) - rank(other)) };
      });
    const rangeOf = (rule: Rule): Range | undefined => {
      const tests = partsOfAll(rule.when).flatMap((part) => (part.kind === 'test' ? space.statesOf(part) : []));
      const own = tests.filter((test) => test.variable === variable);
      const isInside = ({ state }: Step) => own.every(({ isTrue }) => isTrue[state]);
      const [first, last] = [steps.findIndex(isInside), steps.findLastIndex(isInside)];
      if (own.length === 0 || first < 0 || !steps.slice(first, last).every(isInside)) return undefined;
      return { rule, first, last };
    };
    return [{ path, variable, steps, rules: side.rules.filter(({ when }) => factsOf(when).has(path)), rangeOf }];
  });
}
