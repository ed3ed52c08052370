/**
 * A second applicant in terms of the first, with fewer facts or another value of one -> formulas of what differs.
 *
 * Of large policies no solver answers as it stands when a formula holds of one and not of the other: it does not see
 * that a sum of 300 rules cannot fall where none of them can. Here the question goes down to the parts, and leaves out
 * those that cannot change that way.
 */

import type { FactTable } from '../../facts/catalog.ts';
import { isMissing } from '../../facts/fact.ts';
import { toNumber } from '../../policy/cells/sample-values.ts';
import { factsBehind } from '../question/dependent-facts.ts';
import type { Reasoner } from '../question/reasoner.ts';
import {
  and,
  FALSE,
  type Formula,
  type IsIn,
  isIn,
  isKept,
  not,
  or,
  partsOf,
  rewriter,
  TRUE,
} from '../solver/formula.ts';
import type { StateSet, Tie, Variable } from '../space/variable.ts';

/** Formulas about a first applicant -> formulas about a second, or about both. */
export interface Changes {
  /** The same about the second. */
  rewrite(formula: Formula): Formula;
  /** It holds of the first and not of the second. */
  falls(formula: Formula): Formula;
  /** It holds of the second and not of the first. */
  rises(formula: Formula): Formula;
}

/** `replace` gives what has to hold for the second to be in some states of a variable; the formula itself for most. */
export function createChanges(replace: (formula: IsIn) => Formula): Changes {
  const rewrite = rewriter(replace);
  const cache = { falls: new Map<Formula, Formula>(), rises: new Map<Formula, Formula>() };
  const change = (how: Change, formula: Formula): Formula => {
    const shift = cache[how].get(formula) ?? find(how, formula);
    cache[how].set(formula, shift);
    return shift;
  };
  const find = (how: Change, formula: Formula): Formula => {
    const after = rewrite(formula);
    if (after === formula) return FALSE;
    if (formula.kind === 'not') return change(OPPOSITE[how], formula.of[0]);
    if (formula.kind === 'isIn' && cannotChange(how, formula, after)) return FALSE;
    const changed = how === 'falls' ? and([formula, not(after)]) : and([not(formula), after]);
    if (formula.kind === 'isIn') return changed;
    return and([or(partsOf(formula).map((part) => change(how, part))), changed]);
  };
  return { rewrite, falls: (formula) => change('falls', formula), rises: (formula) => change('rises', formula) };
}

type Change = keyof Omit<Changes, 'rewrite'>;

const OPPOSITE = { falls: 'rises', rises: 'falls' } as const satisfies Record<Change, Change>;

/** Whether a formula cannot change: the other is the same or more, or the same and more. */
function cannotChange(how: Change, formula: Formula, after: Formula): boolean {
  return after.kind === (how === 'falls' ? 'or' : 'and') && after.of.includes(formula);
}

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
  const ownStates = space.variables.map((each, variable) =>
    isTouched(each, new Set([fact]), table) ? solver.addVariable(each.states.length) : variable,
  );
  return createSecond(reasoner, (formula) => {
    const variable = ownStates[formula.variable] as number;
    return variable === formula.variable ? formula : isIn(variable, formula.states);
  });
}

/** When both applicants know the fact, and the second has a higher value; more often if others are compared with it. */
export function isHigher(path: string, { space, table }: Reasoner, { rewrite }: SecondApplicant): Formula {
  const at = space.variables.findIndex(({ path: own, axes }) => own === path && axes.every(({ other }) => !other));
  const variable = space.variables[at];
  const definition = table.get(path);
  if (!variable || !definition) return TRUE;
  const { states } = variable;
  const ranks = states.map((): number[] => []);
  for (const fact of space.samples.get(path) ?? []) {
    if (isMissing(fact)) continue;
    ranks[variable.find(new Map([[path, fact]]))]?.push(toNumber(fact.value, definition) ?? 0);
  }
  const least = ranks.map((own) => Math.min(...own));
  const most = ranks.map((own) => Math.max(...own));
  const only = (state: number) => states.map((_, i) => i === state);
  const cases = states.flatMap((_, state) => {
    if (state === 0) return [];
    const above = states.map((_, i) => i > 0 && (most[i] as number) > (least[state] as number));
    return or([not(isIn(at, only(state))), rewrite(isIn(at, above))]);
  });
  return and([not(isIn(at, only(0))), ...cases]);
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
function ifMissing([hasMissing]: StateSet): Formula {
  return hasMissing ? TRUE : FALSE;
}

/** Whether the state of a variable depends on one of these facts. */
function isTouched(variable: Variable, facts: ReadonlySet<string>, table: FactTable): boolean {
  return factsBehind(variable, table).some((path) => dependsOn(path, facts, table));
}
