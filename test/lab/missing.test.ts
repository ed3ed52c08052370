/** Ties of missing facts: few, with the meaning of all. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { missingTies, type Subject } from '../../src/lab/space/ties/missing-ties.ts';
import type { Variable } from '../../src/lab/space/variable.ts';
import { sampled } from '../support/sampled.ts';

/** The first state of a variable is the missing one. */
const variablesOf = (subjects: readonly Subject[]) =>
  subjects.map(() => ({ states: [true, false].map((isMissing) => ({ isMissing })) }) as unknown as Variable);

/** Each variable against each other one. */
function canBe(subjects: readonly Subject[], isKnown: (at: number) => boolean): boolean {
  return subjects.every((each, at) => {
    const behind = new Set([...each.facts, ...each.operands]);
    const isAlone = (path: string) => (other: Subject) => other.facts.every((fact) => fact === path);
    const knownOf = (path: string) => subjects.filter(isAlone(path)).map(({ variable }) => isKnown(variable));
    const isWhole = each.facts.every((path) => knownOf(path).some(Boolean));
    if (!isKnown(at)) return !isWhole;
    return subjects.every(({ facts, variable }) => isKnown(variable) || !facts.every((path) => behind.has(path)));
  });
}

it('a variable is known where its facts and their operands are, whatever other variables the facts have', () => {
  const path = fc.constantFrom('a', 'b', 'c');
  const subject = fc.oneof(
    fc.record({ facts: fc.array(path, { minLength: 1, maxLength: 2 }), operands: fc.constant([]) }),
    fc.record({ facts: fc.constant(['x']), operands: fc.constant(['a', 'b']) }),
    fc.record({ facts: fc.tuple(fc.constant('x'), path), operands: fc.constant(['a', 'b']) }),
  );
  const some = fc.array(subject, { minLength: 1, maxLength: 7 });
  for (const chosen of fc.sample(some, sampled(34, 3000))) {
    const subjects = chosen.map((each, variable): Subject => ({ ...each, variable }));
    const ties = [...missingTies(subjects, variablesOf(subjects))];
    for (let known = 0; known < 1 << subjects.length; known++) {
      const isKnown = (at: number) => (known & (1 << at)) > 0;
      const isTied = ties.every((tie) => tie.some(([at, states]) => !states[isKnown(at) ? 1 : 0]));
      expect(isTied, JSON.stringify([chosen, known])).toBe(canBe(subjects, isKnown));
    }
  }
});

it('a fact has one tie for each of its variables', () => {
  const subjects = Array.from({ length: 300 }, (_, variable) => ({ variable, facts: ['a'], operands: [] }));
  expect([...missingTies(subjects, variablesOf(subjects))]).toHaveLength(300);
});
