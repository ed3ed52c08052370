/** A box -> conditions for people: the named conditions and the tests of the policies where they say just that. */

import { describeCells } from '../../decision/explain/describe-cells.ts';
import { hasPersonalTexts } from '../../policy/identities.ts';
import type { Condition } from '../../policy/language.ts';
import { MOST_VALUES_LISTED } from '../limits.ts';
import type { Space } from '../space/space.ts';
import type { Box } from '../space/truths.ts';
import type { StateSet, Variable } from '../space/variable.ts';
import { describeByTests } from './test-phrases.ts';

/**
 * A condition for each variable that may not have all its states, or for several that a named condition is about; and
 * one for a box in it that does not belong to it.
 */
export function describeBox(space: Space, box: Box, without?: Box): readonly string[] {
  const conditions = conditionsOf(space, box);
  if (!without) return conditions;
  // What holds in the whole box is said already.
  const further = without.map((states, i) => (states.join() === box[i]?.join() ? states.map(() => true) : states));
  const [one = '', ...more] = conditionsOf(space, further);
  return [...conditions, more.length === 0 ? `not ${one}` : `not all of these: ${[one, ...more].join('; ')}`];
}

function conditionsOf(space: Space, box: Box): readonly string[] {
  const words = new Map(
    box.flatMap((states, i) => (states.every(Boolean) ? [] : [[i, describeStates(space, i, states)] as const])),
  );
  for (const { name, states } of namedBoxes(space)) {
    const variables = [...states.keys()].sort((a, b) => a - b);
    const [first] = variables;
    const isSame = variables.every((i) => words.has(i) && box[i]?.join() === states.get(i)?.join());
    if (!isSame || first === undefined) continue;
    const said = variables.map((i) => words.get(i)).join(', ');
    for (const i of variables) words.delete(i);
    words.set(first, `${name} (${said})`);
  }
  return [...words].sort(([one], [other]) => one - other).map(([, each]) => each);
}

/** The values of texts that may identify somebody are not said. */
const HIDDEN = (path: string) => `${path} is one of several values that the policies name (not shown)`;

function describeStates(space: Space, index: number, states: StateSet): string {
  const variable = space.variables[index] as Variable;
  const { path, axes, cells } = variable;
  // Of two facts that are compared, either may be the missing one.
  const other = axes.find((axis) => axis.other !== undefined && axis.other !== path)?.other;
  const orMissing = states[0] ? `, or ${other === undefined ? '' : 'one of them is '}missing` : '';
  const present = states.flatMap((isIn, i) => (isIn && i > 0 ? [i] : []));
  if (present.length === 0) return other === undefined ? `${path} is missing` : `${path} or ${other} is missing`;
  if (present.length === states.length - 1)
    return other === undefined ? `${path} is known` : `${path} and ${other} are known`;
  const isHidden = space.sides.some(({ policy }) => hasPersonalTexts(path, policy.facts));
  const tested =
    describeByTests(space, index, present, { isOfOne: false }) ??
    (isHidden || !areFewValues(variable, present)
      ? describeByTests(space, index, present, { isOfOne: true })
      : undefined) ??
    (isHidden ? HIDDEN(path) : undefined);
  if (tested !== undefined) return `${tested}${orMissing}`;
  // The axis that tells these states from all others says it best.
  const others = states.flatMap((isIn, i) => (isIn || i === 0 ? [] : [i]));
  const telling = axes.findIndex((_, a) => {
    const inside = new Set(present.flatMap((i) => cells[a]?.[i] ?? []));
    return others.every((i) => cells[a]?.[i]?.every((cell) => !inside.has(cell)));
  });
  const axis = axes[telling];
  if (!axis) return `${path} is ${describeSamples(variable, present)}${orMissing}`;
  const found = [...new Set(present.flatMap((i) => cells[telling]?.[i] ?? []))].sort((a, b) => a - b);
  const words = describeCells(axis, found) ?? 'known';
  const subject = axis.other === undefined ? path : `${path} against ${axis.other}`;
  return `${subject} is ${words}${orMissing}`;
}

/** Whether texts are a few that the policies name. */
function areFewValues({ axes, cells }: Variable, present: readonly number[]): boolean {
  const isNamed = (state: number) =>
    axes.some((axis, a) => cells[a]?.[state]?.every((cell) => axis.cells[cell]?.words.startsWith('"')));
  return present.length <= MOST_VALUES_LISTED && present.every(isNamed);
}

/** States that no axis tells from the others by itself, such as days by age and by calendar: by what each axis says. */
function describeSamples({ axes, cells }: Variable, present: readonly number[]): string {
  const parts = present.map((state) =>
    axes.map((axis, a) => describeCells(axis, cells[a]?.[state] ?? []) ?? '').filter((words) => words !== ''),
  );
  return [...new Set(parts.map((words) => words.join(' and ')))].join(', or ');
}

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
function namedBoxes(space: Space): readonly NamedBox[] {
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

/** The states in which a condition is true; undefined if they are not a box. */
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
  // Alternatives of several facts are not a box.
  return condition.kind === 'all' || joined.size === 1 ? joined : undefined;
}
