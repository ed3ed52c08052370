/** The walk that seeks states in which formulas hold, and its distances. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Circuit } from '../../../src/lab/solver/circuit.ts';
import { createSolver } from '../../../src/lab/solver/create-solver.ts';
import {
  and,
  FALSE,
  type Formula,
  isIn,
  not,
  or,
  rewriter,
  sumAtLeast,
  TRUE,
  xor,
} from '../../../src/lab/solver/formula.ts';
import { createWalk } from '../../../src/lab/solver/seek.ts';
import type { Space } from '../../../src/lab/space/space.ts';
import type { Variable } from '../../../src/lab/space/variable.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { sampled } from '../../support/sampled.ts';

const SIZES = [2, 3, 4];

const leaf: fc.Arbitrary<Formula> = fc.oneof(
  fc.constantFrom(TRUE, FALSE),
  fc
    .nat(SIZES.length - 1)
    .chain((variable) =>
      fc
        .array(fc.boolean(), { minLength: SIZES[variable] as number, maxLength: SIZES[variable] as number })
        .map((states) => isIn(variable, states)),
    ),
);

const { formula } = fc.letrec<{ formula: Formula }>((tie) => {
  const parts = fc.array(tie('formula'), { maxLength: 4 });
  return {
    formula: fc.oneof(
      { maxDepth: 4 },
      leaf,
      parts.map(and),
      parts.map(or),
      tie('formula').map(not),
      fc.tuple(tie('formula'), tie('formula')).map(([one, other]) => xor(one, other)),
      fc
        .tuple(fc.integer({ min: -20, max: 20 }), fc.array(fc.tuple(fc.integer({ min: -12, max: 12 }), tie('formula'))))
        .map(([least, terms]) => sumAtLeast(least, terms)),
    ),
  };
});

const EVERYWHERE = SIZES.reduce<readonly (readonly number[])[]>(
  (all, size) => all.flatMap((states) => Array.from({ length: size }, (_, at) => [...states, at])),
  [[]],
);

/** Written by the meaning of each kind, to hold the circuit and the solver to it. */
function holds(each: Formula, states: readonly number[]): boolean {
  switch (each.kind) {
    case 'constant':
      return each.value;
    case 'isIn':
      return each.states[states[each.variable] as number] === true;
    case 'not':
      return !holds(each.of[0], states);
    case 'and':
      return each.of.every((part) => holds(part, states));
    case 'or':
      return each.of.some((part) => holds(part, states));
    case 'sumAtLeast':
      return each.terms.reduce((sum, [weight, part]) => sum + (holds(part, states) ? weight : 0), 0) >= each.least;
  }
}

const spaceOf = (sizes: readonly number[]) => {
  const variables = sizes.map((size) => ({ states: Array.from({ length: size }) }) as unknown as Variable);
  return { variables, ties: [] } as unknown as Space;
};

describe('a formula', () => {
  it('has the distance 0 exactly where it holds, after any moves', () => {
    fc.assert(
      fc.property(formula, fc.array(fc.tuple(fc.nat(2), fc.nat(3)), { maxLength: 8 }), (each, moves) => {
        const circuit = new Circuit([each], [0, 0, 0]);
        for (const [variable, state] of moves) circuit.move(variable, state % (SIZES[variable] as number));
        expect(circuit.distance === 0).toBe(holds(each, circuit.states));
      }),
      { numRuns: sampled(300, 20_000) },
    );
  });

  it('is satisfiable for the solver exactly if it holds somewhere, and it holds in the states of the answer', async () => {
    const solver = await createSolver(spaceOf(SIZES));
    const found = { satisfiable: 0, unsatisfiable: 0, unknown: 0 };
    for (const formulas of fc.sample(fc.array(formula, { minLength: 1, maxLength: 3 }), sampled(24, 2000))) {
      const answer = await solver.ask(formulas, new Steps(5_000_000));
      const isEverywhere = (states: readonly number[]) => formulas.every((each) => holds(each, states));
      expect(answer.kind).toBe(EVERYWHERE.some(isEverywhere) ? 'satisfiable' : 'unsatisfiable');
      if (answer.kind === 'satisfiable') expect(isEverywhere(answer.states)).toBe(true);
      found[answer.kind] += 1;
    }
    expect(found.satisfiable).toBeGreaterThan(2);
    expect(found.unsatisfiable).toBeGreaterThan(2);
  });
});

it('a formula rewritten for one state of a variable holds as it does there, and is copied only where it changes', () => {
  const readsFirst = (each: Formula): boolean => {
    if (each.kind === 'constant' || each.kind === 'isIn') return each.kind === 'isIn' && each.variable === 0;
    return each.kind === 'sumAtLeast' ? each.terms.some(([, part]) => readsFirst(part)) : each.of.some(readsFirst);
  };
  const seen = { same: 0, other: 0 };
  for (const each of fc.sample(formula, sampled(200, 10_000))) {
    const rewritten = rewriter((own) => (own.variable > 0 ? own : own.states[1] ? TRUE : FALSE))(each);
    for (const states of EVERYWHERE) expect(holds(rewritten, states)).toBe(holds(each, states.with(0, 1)));
    expect(rewritten === each).toBe(!readsFirst(each));
    seen[rewritten === each ? 'same' : 'other'] += 1;
  }
  expect(Math.min(seen.same, seen.other)).toBeGreaterThan(20);
});

it('a sum counts negative weights, and divides by what all weights have in common', () => {
  const [one, other] = [isIn(0, [false, true]), isIn(1, [true, false, false])];
  expect(
    sumAtLeast(7, [
      [5, one],
      [10, other],
    ]),
  ).toEqual({
    kind: 'sumAtLeast',
    least: 2,
    terms: [
      [1, one],
      [2, other],
    ],
  });
  expect(
    sumAtLeast(-3, [
      [-5, one],
      [10, other],
    ]),
  ).toEqual({
    kind: 'sumAtLeast',
    least: 1,
    terms: [
      [1, not(one)],
      [2, other],
    ],
  });
});

it('a walk finds what one step after the other leads to', () => {
  const sizes = Array.from({ length: 30 }, () => 5);
  const formulas = sizes.map((_, i) => or([isIn(i, [false, false, false, false, true]), FALSE]));
  const start = sizes.map(() => 0);
  const walk = createWalk(formulas, start);
  expect(createWalk(formulas, start).seek(1000, new Steps(1))).toBeUndefined();
  expect(walk.seek(10, new Steps(1000))).toBeUndefined();
  expect(walk.seek(1000, new Steps(1000))).toEqual(sizes.map(() => 4));
});
