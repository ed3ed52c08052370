/** A formula and states -> whether it holds, by its definition. */

import type { Formula } from '../../../src/lab/solver/formula.ts';

export function holds(formula: Formula, states: readonly number[]): boolean {
  switch (formula.kind) {
    case 'constant':
      return formula.value;
    case 'isIn':
      return formula.states[states[formula.variable] as number] === true;
    case 'and':
      return formula.of.every((each) => holds(each, states));
    case 'or':
      return formula.of.some((each) => holds(each, states));
    case 'not':
      return !holds(formula.of[0], states);
    case 'sumAtLeast': {
      const sum = formula.terms.reduce((all, [weight, each]) => all + (holds(each, states) ? weight : 0), 0);
      return sum >= formula.least;
    }
  }
}
