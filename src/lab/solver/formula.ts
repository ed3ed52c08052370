/** The states of variables, joined -> formulas, and what answers questions about them. */

import type { Box } from '../space/truths.ts';
import type { StateSet, Tie } from '../space/variable.ts';
import type { Steps } from '../steps.ts';

/**
 * A formula over the states of variables. One object is one formula, however often others use it: what is computed for
 * it is computed once.
 */
export type Formula =
  | { readonly kind: 'constant'; readonly value: boolean }
  /** The state of the variable is one of the set. */
  | { readonly kind: 'isIn'; readonly variable: number; readonly states: StateSet }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Formula[] }
  | { readonly kind: 'not'; readonly of: readonly [Formula] }
  /** The weights of the formulas that hold add up to this at least. Weights are positive. */
  | { readonly kind: 'sumAtLeast'; readonly least: number; readonly terms: readonly Term[] };

export type Term = readonly [weight: number, formula: Formula];

export const TRUE: Formula = { kind: 'constant', value: true };
export const FALSE: Formula = { kind: 'constant', value: false };

export function and(parts: readonly Formula[]): Formula {
  const needed = parts.filter((part) => part !== TRUE);
  if (needed.includes(FALSE)) return FALSE;
  return needed.length > 1 ? { kind: 'and', of: needed } : (needed[0] ?? TRUE);
}

export function or(parts: readonly Formula[]): Formula {
  const needed = parts.filter((part) => part !== FALSE);
  if (needed.includes(TRUE)) return TRUE;
  return needed.length > 1 ? { kind: 'or', of: needed } : (needed[0] ?? FALSE);
}

export function not(part: Formula): Formula {
  if (part.kind === 'constant') return part.value ? FALSE : TRUE;
  return part.kind === 'not' ? part.of[0] : { kind: 'not', of: [part] };
}

/** Whether one of two formulas holds and the other does not. */
export function xor(one: Formula, other: Formula): Formula {
  if (one === other) return FALSE;
  return or([and([one, not(other)]), and([not(one), other])]);
}

/** Whether the sum of the weights of the formulas that hold is at least this; all are whole numbers. */
export function sumAtLeast(least: number, terms: readonly Term[]): Formula {
  // A negative weight counts where its formula does not hold, from a lower start.
  const counted = terms.filter(([weight, formula]) => weight !== 0 && formula !== FALSE);
  const start = counted.reduce((sum, [weight]) => sum + Math.min(weight, 0), 0);
  const needed = least - start;
  const most = counted.reduce((sum, [weight]) => sum + Math.abs(weight), 0);
  if (needed <= 0) return TRUE;
  if (needed > most) return FALSE;
  const unit = counted.reduce((divisor, [weight]) => commonDivisor(divisor, Math.abs(weight)), 0);
  const positive = counted.map(([weight, formula]): Term => {
    return [Math.abs(weight) / unit, weight < 0 ? not(formula) : formula];
  });
  return { kind: 'sumAtLeast', least: Math.ceil(needed / unit), terms: positive };
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

/** Whether the state of a variable is one of a set. */
export function isIn(variable: number, states: StateSet): Formula {
  if (states.every(Boolean)) return TRUE;
  return states.includes(true) ? { kind: 'isIn', variable, states } : FALSE;
}

/** Whether variables are not all in the states that exclude each other. */
export function isKept(tie: Tie): Formula {
  return not(and(tie.map(([variable, states]) => isIn(variable, states))));
}

/** Whether all variables are in their states of a box. */
export function isInBox(box: Box): Formula {
  return and(box.map((states, variable) => isIn(variable, states)));
}

/** A formula of one variable. */
export type IsIn = Extract<Formula, { readonly kind: 'isIn' }>;

/**
 * Formulas -> the same with something else in place of the states of variables. Each is rewritten once, and is the same
 * object if nothing of it is replaced.
 */
export function rewriter(replace: (formula: IsIn) => Formula): (formula: Formula) => Formula {
  const rewritten = new Map<Formula, Formula>();
  const rewrite = (formula: Formula): Formula => {
    const cached = rewritten.get(formula) ?? rewriteParts(formula);
    rewritten.set(formula, cached);
    return cached;
  };
  const rewriteParts = (formula: Formula): Formula => {
    if (formula.kind === 'constant') return formula;
    if (formula.kind === 'isIn') return replace(formula);
    const parts = partsOf(formula);
    const others = parts.map(rewrite);
    if (others.every((other, i) => other === parts[i])) return formula;
    switch (formula.kind) {
      case 'and':
        return and(others);
      case 'or':
        return or(others);
      case 'not':
        return not(others[0] as Formula);
      case 'sumAtLeast':
        return sumAtLeast(
          formula.least,
          formula.terms.map(([weight], i) => [weight, others[i] as Formula]),
        );
    }
  };
  return rewrite;
}

/** What a formula consists of. */
export function partsOf(formula: Formula): readonly Formula[] {
  if ('of' in formula) return formula.of;
  return formula.kind === 'sumAtLeast' ? formula.terms.map(([, part]) => part) : [];
}

/** The answer to a question: satisfiable, with a state of each variable; or not; or undecided when the time ran out. */
export type Answer =
  | { readonly kind: 'satisfiable'; readonly states: readonly number[] }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'unknown' };

/** Answers questions about the states of a space. The public types lead here, so it has none of z3. */
export interface Solver {
  /** Adds a variable with some number of states to those of the space; gives its index in formulas and answers. */
  addVariable(states: number): number;
  /** A formula that has to hold in the answers to all later questions. */
  assert(formula: Formula): void;
  /**
   * Whether these formulas hold at once, with all that were asserted; `unknown` too if z3 breaks down. States in which
   * they nearly hold shorten the search.
   */
  ask(formulas: readonly Formula[], steps: Steps, near?: readonly number[]): Promise<Answer>;
  /** The same by z3 alone: for formulas that no state was found for before. */
  check(formulas: readonly Formula[], steps: Steps): Promise<Answer>;
}
