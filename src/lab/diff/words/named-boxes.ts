/** The named conditions of policies -> the boxes of those that are true in one box and nowhere else. */

import type { Condition } from '../../../policy/language.ts';
import type { Space } from '../../space/space.ts';
import type { StateSet } from '../../space/variable.ts';

/** A named condition, and the states of each of its variables in which it is true. */
export interface NamedBox {
  readonly name: string;
  readonly states: ReadonlyMap<number, StateSet>;
}

const boxesBySpace = new WeakMap<Space, readonly NamedBox[]>();

/**
 * Those that rules or questions ask for, the ones of most facts first. A name that means other things in both policies
 * is left out.
 */
export function namedBoxes(space: Space): readonly NamedBox[] {
  const known = boxesBySpace.get(space);
  if (known) return known;
  const found = new Map<string, NamedBox['states'] | undefined>();
  const seen = new Set<Condition>();
  const add = (condition: Condition): void => {
    if (condition.kind === 'test' || seen.has(condition)) return;
    seen.add(condition);
    for (const part of condition.of) add(part);
    if (condition.kind !== 'named') return;
    const box = boxOf(condition, space);
    const { name } = condition;
    found.set(name, found.has(name) && textOf(found.get(name)) !== textOf(box) ? undefined : box);
  };
  for (const { rules } of space.sides) for (const { when } of rules) add(when);
  for (const condition of space.conditions) add(condition);
  const boxes = [...found].flatMap(([name, states]) => (states ? [{ name, states }] : []));
  boxes.sort((one, other) => other.states.size - one.states.size);
  boxesBySpace.set(space, boxes);
  return boxes;
}

function textOf(box: NamedBox['states'] | undefined): string {
  return JSON.stringify(box && [...box]);
}

/** The states in which a condition is true; undefined if they are no box. */
function boxOf(condition: Condition, space: Space): NamedBox['states'] | undefined {
  if (condition.kind === 'test') {
    const { variable, isTrue } = space.statesOf(condition);
    return new Map([[variable, isTrue]]);
  }
  if (condition.kind === 'named') return boxOf(condition.of[0], space);
  if (condition.kind !== 'all' && condition.kind !== 'any') return undefined;
  const parts = condition.of.map((part) => boxOf(part, space));
  const joined = new Map<number, StateSet>();
  for (const part of parts) {
    if (!part) return undefined;
    for (const [variable, states] of part) {
      const earlier = joined.get(variable);
      const isIn = (one: boolean, other: boolean) => (condition.kind === 'all' ? one && other : one || other);
      joined.set(variable, earlier ? states.map((each, at) => isIn(each, earlier[at] === true)) : states);
    }
  }
  // Alternatives of several facts are no box.
  return condition.kind === 'all' || joined.size === 1 ? joined : undefined;
}
