/** What the states of variables say -> the states that exclude each other. */

import { MOST_STATES_COMPARED } from '../../limits.ts';
import type { StateSet, Tie } from '../variable.ts';

/** One of the variables, by its index. */
export interface Tied {
  readonly variable: number;
}

/** What each state of a variable says of an applicant; undefined where that is nothing, as of a missing fact. */
export interface Reader<Said> extends Tied {
  readonly says: readonly (Said | undefined)[];
}

/** Reads what no variable is about: its one state says this of everybody, and is not part of a tie. */
export function always<Said>(said: Said): Reader<Said> {
  return { variable: -1, says: [said] };
}

/** Takes what a state of each variable says, one after the other: whether all of it may be true of one applicant. */
type CanBe<All extends readonly unknown[]> = All extends readonly [infer Said, ...infer Others]
  ? (said: Said) => CanBe<Others>
  : boolean;

/** The states that exclude each other. States of a variable that exclude the same are one tie. */
export function apart<All extends readonly unknown[]>(
  readers: readonly [...{ readonly [At in keyof All]: Reader<All[At]> }],
  canBe: CanBe<All>,
): Iterable<Tie> {
  const combinations = readers.reduce((product, { says }) => product * says.length, 1);
  return combinations > MOST_STATES_COMPARED ? [] : excludedBy(readers, canBe);
}

function excludedBy([first, ...others]: readonly Reader<unknown>[], canBe: unknown): Iterable<Tie> {
  const canBeWith = canBe as (said: unknown) => unknown;
  if (first && others.length > 0) return inStates(first, (said) => excludedBy(others, canBeWith(said)));
  const states = first?.says.map((said) => said !== undefined && canBeWith(said) === false) ?? [];
  return first && states.includes(true) ? [withStates(first, states, [])] : [];
}

/** The ties in each of the states of a variable. */
export function* inStates<Said>(reader: Reader<Said>, tiesIn: (said: Said) => Iterable<Tie>): Generator<Tie> {
  const { says } = reader;
  const rows = new Map<string, { readonly tie: Tie; readonly states: boolean[] }>();
  for (const [state, said] of says.entries()) {
    if (said === undefined) continue;
    for (const tie of tiesIn(said)) {
      const key = JSON.stringify(tie);
      const row = rows.get(key) ?? { tie, states: says.map(() => false) };
      row.states[state] = true;
      rows.set(key, row);
    }
  }
  for (const { tie, states } of rows.values()) yield withStates(reader, states, tie);
}

function withStates({ variable }: Tied, states: StateSet, tie: Tie): Tie {
  return states.includes(false) ? [[variable, states], ...tie] : tie;
}
