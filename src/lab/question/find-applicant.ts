/** Formulas -> an applicant for whom they hold, as facts that a check has confirmed. */

import type { FactTable } from '../../facts/catalog.ts';
import type { Facts } from '../../facts/fact.ts';
import { factAsDeclared } from '../../facts/fact-reader.ts';
import { type LineFacts, lineFacts } from '../../facts/facts-line.ts';
import { readFacts } from '../../facts/read.ts';
import { lazy } from '../../platform/lazy.ts';
import { areCountsPossible } from '../../policy/cells/nested-counts.ts';
import { MOST_APPLICANTS_SOUGHT, MOST_DRAWN, QUESTION_SHARE, STEPS_A_DRAW } from '../limits.ts';
import { type Formula, isInBox, not } from '../solver/formula.ts';
import { onDay } from '../space/space.ts';
import type { Box } from '../space/truths.ts';
import type { Variable } from '../space/variable.ts';
import type { Steps } from '../steps.ts';
import { createDice } from './draw.ts';
import { createFactDraw, type Found, findFacts, isFree } from './find-facts.ts';
import { withoutNeedless } from './needed.ts';
import type { Reasoner } from './reasoner.ts';

/** A line of facts for `evaluate`; `missing` are the causes of facts that would otherwise be derived. */
export type ExampleLine = Pick<LineFacts, 'facts'> & Partial<Pick<LineFacts, 'missing'>>;

/** Confirms an applicant by the facts, given the states of all variables in the solver's answer. */
type Confirm = (given: Facts, states: readonly number[]) => boolean;

/**
 * Given facts, as few as possible, of an applicant for whom all formulas hold and `isRight`; undefined if none was
 * found, which proves nothing; `none` if there is proof that there is none. One question takes at most a `share` of
 * all steps; the search begins at the states `near`.
 */
export async function findApplicant(
  reasoner: Reasoner,
  formulas: readonly Formula[],
  isRight: Confirm,
  steps: Steps,
  share = QUESTION_SHARE,
  near: readonly number[] = [],
): Promise<Facts | undefined | 'none'> {
  const { solver, space, table, stuck } = reasoner;
  const asserted = [...formulas];
  const free = isFree(space, table);
  const ruledOut: (readonly number[])[] = [];
  for (let tries = 0; tries < MOST_APPLICANTS_SOUGHT; tries++) {
    const answer = await solver.ask(asserted, steps.part(share), near);
    if (answer.kind === 'unsatisfiable' && tries === 0) return 'none';
    if (answer.kind === 'unsatisfiable') break;
    if (answer.kind === 'unknown') return undefined;
    const result = findIn(reasoner, answer.states, isRight, steps);
    if ('facts' in result) return result.facts;
    // Facts that depend on each other may be in states that exclude each other.
    // Only what dates exclude may be possible on another day.
    const isOfDay = result.stuck.some((i) => isOnDates(space.variables[i], table));
    const isStuck = (i: number) => (i === space.calendar ? isOfDay : !free[i] && result.stuck.includes(i));
    const open = space.variables.map(({ states: all }, i) =>
      all.map((_, at) => at === answer.states[i] || !isStuck(i)),
    );
    asserted.push(not(isInBox(open)));
    if (!('isRefused' in result)) ruledOut.push(result.stuck);
  }
  // The fewest variables together tell most: a longer way round may be open to the others.
  const least = Math.min(...ruledOut.map(({ length }) => length));
  for (const i of ruledOut.filter(({ length }) => length === least).flat()) {
    const { path, axes } = space.variables[i] as Variable;
    if (i !== space.calendar) for (const each of [path, ...axes.flatMap(({ other }) => other ?? [])]) stuck.add(each);
  }
  return undefined;
}

/** Whether a variable is about dates, or about what may be computed from them. */
function isOnDates(variable: Variable | undefined, table: FactTable): boolean {
  const definition = variable && table.get(variable.path);
  return definition?.type === 'date' || definition?.compute !== undefined;
}

/** Given facts, as few as possible, of an applicant in these states who `isRight`; undefined if none was found. */
export function applicantIn(
  reasoner: Pick<Reasoner, 'space' | 'table'>,
  states: readonly number[],
  isRight: Confirm,
  steps: Steps,
): Facts | undefined {
  const result = findIn(reasoner, states, isRight, steps);
  return 'facts' in result ? result.facts : undefined;
}

/**
 * Given facts, as few as possible, of an applicant of a box who `isRight`, drawn at random: facts that depend on each
 * other may exclude each of the states that a solver names, and not the box.
 */
export function drawApplicant(
  { space, table }: Pick<Reasoner, 'space' | 'table'>,
  box: Box,
  isRight: Confirm,
  steps: Steps,
): Facts | undefined {
  const roll = createDice();
  const calendar = space.calendar === undefined ? [] : (box[space.calendar] ?? []);
  const days = space.days.filter((_, i) => calendar[i + 1] !== false);
  const draws = days.map((day) => ({ day, draw: lazy(() => createFactDraw(onDay(space, day), table, box, roll)) }));
  for (let tries = 0; tries < MOST_DRAWN && !steps.areOver; tries++) {
    steps.spend(STEPS_A_DRAW);
    const { day, draw } = draws[roll(draws.length)] as (typeof draws)[number];
    const given = draw()();
    const read = readFacts(given, table, day);
    const states = space.variables.map((variable) => variable.find(read, day) ?? -1);
    const isKept = (facts: Facts) => isRight(facts, states);
    const isPossible = areCountsPossible(given, table) && states.every((state, i) => box[i]?.[state]);
    if (isPossible && isKept(given)) return withoutNeedless(given, table, isKept);
  }
  return undefined;
}

/** The same; or the variables that rule such an applicant out, all of them if the facts that were found are refused. */
function findIn(
  { space, table }: Pick<Reasoner, 'space' | 'table'>,
  states: readonly number[],
  isRight: Confirm,
  steps: Steps,
): Found | (Found & { readonly isRefused: true }) {
  const isKept = (given: Facts) => isRight(given, states);
  const result = findFacts(space, states, steps);
  if ('stuck' in result) return result;
  return isKept(result.facts)
    ? { facts: withoutNeedless(result.facts, table, isKept) }
    : { stuck: [...space.variables.keys()], isRefused: true };
}

/** Given facts as a line for `evaluate` of a policy with these facts: those that it can read. */
export function exampleLine(given: Facts, table: FactTable): ExampleLine {
  const isReadable = (path: string) => {
    const [definition, fact] = [table.get(path), given.get(path)];
    return definition !== undefined && fact !== undefined && factAsDeclared(definition, fact) === fact;
  };
  const { facts, missing } = lineFacts(given, table, isReadable);
  return { facts, ...(Object.keys(missing).length > 0 ? { missing } : {}) };
}
