/** Random formulas about two applicants: what falls and what rises, in all states, by the definition. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createChanges } from '../../../src/lab/prove/second-applicant.ts';
import {
  and,
  FALSE,
  type Formula,
  type IsIn,
  isIn,
  not,
  or,
  sumAtLeast,
  TRUE,
} from '../../../src/lab/solver/formula.ts';
import { holds } from '../../support/lab/holds.ts';
import { sampled } from '../../support/sampled.ts';

/** Facts of three states, of which the first is the missing one; as many variables say what the second has of them. */
const FACTS = 3;
const STATES = 3;

const STATES_OF_ALL = Array.from({ length: STATES ** (2 * FACTS) }, (_, n) =>
  Array.from({ length: 2 * FACTS }, (_, i) => Math.floor(n / STATES ** i) % STATES),
);

/** A second applicant: what has to hold for it to be in some states, and its own states. */
interface Second {
  replace(formula: IsIn): Formula;
  statesIn(states: readonly number[]): readonly number[];
}

const isLost = ({ variable }: IsIn) => isIn(FACTS + variable, [false, true, true]);

const SECONDS: readonly Second[] = [
  // Without some facts.
  {
    replace: (formula) => (formula.states[0] ? or([isLost(formula), formula]) : and([not(isLost(formula)), formula])),
    statesIn: (all) => all.slice(0, FACTS).map((state, i) => (all[FACTS + i] === 0 ? state : 0)),
  },
  // Without the first fact.
  {
    replace: (formula) => (formula.variable > 0 ? formula : formula.states[0] ? TRUE : FALSE),
    statesIn: (all) => [0, ...all.slice(1, FACTS)],
  },
  // With any value of the first fact.
  {
    replace: (formula) => (formula.variable > 0 ? formula : isIn(FACTS, formula.states)),
    statesIn: (all) => [all[FACTS] as number, ...all.slice(1, FACTS)],
  },
];

const aTest = fc
  .tuple(fc.nat(FACTS - 1), fc.array(fc.boolean(), { minLength: STATES, maxLength: STATES }))
  .map(([variable, states]) => isIn(variable, states));

const { formula: aFormula } = fc.letrec<{ formula: Formula }>((tie) => {
  const parts = fc.array(tie('formula'), { minLength: 1, maxLength: 3 });
  const terms = fc.array(fc.tuple(fc.integer({ min: -3, max: 3 }), tie('formula')), { minLength: 1, maxLength: 4 });
  return {
    formula: fc.oneof(
      { maxDepth: 3 },
      aTest,
      parts.map(and),
      parts.map(or),
      tie('formula').map(not),
      fc.tuple(fc.integer({ min: -2, max: 4 }), terms).map(([least, of]) => sumAtLeast(least, of)),
    ),
  };
});

it('a formula falls where it holds of the first applicant alone, and rises where it holds of the second alone', () => {
  const seen = { falls: 0, rises: 0, never: 0 };
  for (const formula of fc.sample(aFormula, sampled(20, 20_000))) {
    for (const { replace, statesIn } of SECONDS) {
      const { rewrite, falls, rises } = createChanges(replace);
      const [second, fall, rise] = [rewrite(formula), falls(formula), rises(formula)];
      for (const states of STATES_OF_ALL) {
        const [before, after] = [holds(formula, states), holds(formula, statesIn(states))];
        const found = [holds(second, states), holds(fall, states), holds(rise, states)];
        if (found[0] === after && found[1] === (before && !after) && found[2] === (after && !before)) continue;
        expect.fail(JSON.stringify({ formula, states, found }));
      }
      if (fall === FALSE) seen.never += 1;
      if (fall !== FALSE) seen.falls += 1;
      if (rise !== FALSE) seen.rises += 1;
    }
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});

it('a sum of many terms that can only grow is not asked for', () => {
  const [{ replace }] = SECONDS as readonly [Second];
  const unknownToo = Array.from({ length: FACTS }, (_, i) => isIn(i, [true, true, false]));
  const { falls, rises } = createChanges(replace);
  const most = sumAtLeast(
    10,
    unknownToo.map((formula) => [5, formula]),
  );
  expect([falls(most) === FALSE, rises(most) === FALSE]).toEqual([true, false]);
});
