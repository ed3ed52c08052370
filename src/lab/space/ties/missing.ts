/** Variables -> the states in which they cannot lie at once: a fact that is missing to one test is missing to all. */

import type { Tie, Variable } from '../variable.ts';
import { StateSets, type Tied } from './state-sets.ts';

/** What the tests of a variable are about. */
export interface Subject extends Tied {
  /**
   * The fact, or the two that are compared: it is missing where one of them is, and nowhere else. Facts that policies
   * compute alike have one name here.
   */
  readonly facts: readonly string[];
  /** What the policy computes them from: it is missing where one of these is, and perhaps elsewhere. */
  readonly operands: readonly string[];
}

/** The ties of missing facts: as few as say it, since a fact may have hundreds of variables. */
export function* missingTies(subjects: readonly Subject[], variables: readonly Variable[]): Generator<Tie> {
  const sets = new StateSets(variables);
  const groups = [...Map.groupBy(subjects, ({ facts }) => [...new Set(facts)].sort().join()).values()];
  const firsts = groups.flatMap(([first]) => first ?? []);
  for (const group of groups.filter(({ length }) => length > 1)) {
    for (const [i, each] of group.entries())
      yield [sets.known(each), sets.missing(group[(i + 1) % group.length] as Subject)];
  }
  for (const each of firsts) {
    const needed = new Set([...each.facts, ...each.operands]);
    const parts = firsts.filter((other) => other !== each && other.facts.every((path) => needed.has(path)));
    for (const part of parts) yield [sets.known(each), sets.missing(part)];
    const alone = each.facts.map((path) => parts.find(({ facts }) => facts.every((fact) => fact === path)));
    if (alone.every((part) => part !== undefined)) yield [sets.missing(each), ...alone.map((part) => sets.known(part))];
  }
}
