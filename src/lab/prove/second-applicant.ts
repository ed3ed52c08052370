/** A second applicant in terms of the first: with fewer facts, or with another value of one. */

import type { FactTable } from '../../facts/catalog.ts';
import { factsBehind } from '../question/groups.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { type Changes, createChanges } from '../solver/changes.ts';
import { and, FALSE, type Formula, type IsIn, isIn, isKept, not, or, TRUE } from '../solver/formula.ts';
import type { StateSet, Tie, Variable } from '../space/variable.ts';

/** An applicant who has much in common with the one that formulas are about. */
export interface SecondApplicant extends Changes {
  /** That no ties are broken. */
  readonly isPossible: Formula;
}

/** Whether a fact is one of these, or derived from one of them. */
export function dependsOn(path: string, others: ReadonlySet<string>, table: FactTable): boolean {
  return others.has(path) || (table.get(path)?.inputs ?? []).some((input) => dependsOn(input, others, table));
}

/** The same applicant without some facts, whichever; `isLost` tells which, by the states of an answer. */
export function withoutSome(
  reasoner: Reasoner,
): SecondApplicant & { isLost(variable: number, states: readonly number[]): boolean } {
  const { space, solver } = reasoner;
  const lost = space.variables.map(() => solver.addVariable(2));
  const isLost = (variable: number) => isIn(lost[variable] as number, [false, true]);
  return {
    ...createSecond(
      reasoner,
      (formula) => {
        const gone = isLost(formula.variable);
        return ifMissing(formula.states) === TRUE ? or([gone, formula]) : and([not(gone), formula]);
      },
      isOfMissing,
    ),
    isLost: (variable, states) => states[lost[variable] as number] === 1,
  };
}

/** The same applicant without these facts and what is derived from them. */
export function withoutAll(reasoner: Reasoner, lost: ReadonlySet<string>): SecondApplicant {
  const isLost = reasoner.space.variables.map((each) => isTouched(each, lost, reasoner.table));
  return createSecond(
    reasoner,
    (formula) => (isLost[formula.variable] ? ifMissing(formula.states) : formula),
    isOfMissing,
  );
}

/** The same applicant with any value of one fact. */
export function withOther(reasoner: Reasoner, fact: string): SecondApplicant {
  const { space, solver, table } = reasoner;
  const own = space.variables.map((each, variable) =>
    isTouched(each, new Set([fact]), table) ? solver.addVariable(each.states.length) : variable,
  );
  return createSecond(reasoner, (formula) => {
    const variable = own[formula.variable] as number;
    return variable === formula.variable ? formula : isIn(variable, formula.states);
  });
}

function createSecond(
  { space }: Reasoner,
  replace: (formula: IsIn) => Formula,
  canBreak: (tie: Tie) => boolean = () => true,
): SecondApplicant {
  const changes = createChanges(replace);
  const ties = space.ties.filter(canBreak);
  return { ...changes, isPossible: and(ties.map((tie) => changes.rewrite(isKept(tie)))) };
}

/** Whether fewer facts can break a tie: one of known states alone is broken by those who break it with all facts. */
function isOfMissing(tie: Tie): boolean {
  return tie.some(([, [excludesMissing]]) => excludesMissing === true);
}

/** A missing fact is in the first state of each of its variables. */
function ifMissing([isMissing]: StateSet): Formula {
  return isMissing ? TRUE : FALSE;
}

/** Whether the state of a variable depends on one of these facts. */
function isTouched(variable: Variable, facts: ReadonlySet<string>, table: FactTable): boolean {
  return factsBehind(variable, table).some((path) => dependsOn(path, facts, table));
}
