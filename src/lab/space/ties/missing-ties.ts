/** What variables are about -> the states of them that exclude each other since a fact is missing to all or to none. */

import type { Tie, Variable } from '../variable.ts';
import type { Tied } from './apart.ts';

/** The states in which something is known. */
export function known({ variable }: Tied, variables: readonly Variable[]): Tie[number] {
  return [variable, variables[variable]?.states.map(({ isMissing }) => !isMissing) ?? []];
}

export function missing({ variable }: Tied, variables: readonly Variable[]): Tie[number] {
  return [variable, variables[variable]?.states.map(({ isMissing }) => isMissing) ?? []];
}

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
  const groups = [...Map.groupBy(subjects, ({ facts }) => [...new Set(facts)].sort().join()).values()];
  const firsts = groups.flatMap(([first]) => first ?? []);
  for (const group of groups.filter(({ length }) => length > 1)) {
    for (const [i, each] of group.entries())
      yield [known(each, variables), missing(group[(i + 1) % group.length] as Subject, variables)];
  }
  for (const each of firsts) {
    const needed = new Set([...each.facts, ...each.operands]);
    const parts = firsts.filter((other) => other !== each && other.facts.every((path) => needed.has(path)));
    for (const part of parts) yield [known(each, variables), missing(part, variables)];
    const alone = each.facts.map((path) => parts.find(({ facts }) => facts.every((fact) => fact === path)));
    if (alone.every((part) => part !== undefined))
      yield [missing(each, variables), ...alone.map((part) => known(part, variables))];
  }
}
