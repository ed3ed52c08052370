/**
 * What differs between two applicants -> formulas of the second, and when a formula holds of one and not of the other.
 *
 * Of large policies no solver answers that question as it stands: it does not see that a sum of 300 rules cannot fall
 * where none of them can. Here the question goes down to the parts, and leaves out those that cannot change that way.
 */

import { and, FALSE, type Formula, type IsIn, not, or, partsOf, rewriter } from './formula.ts';

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
  const known = { falls: new Map<Formula, Formula>(), rises: new Map<Formula, Formula>() };
  const change = (how: Change, formula: Formula): Formula => {
    const found = known[how].get(formula) ?? find(how, formula);
    known[how].set(formula, found);
    return found;
  };
  const find = (how: Change, formula: Formula): Formula => {
    const after = rewrite(formula);
    if (after === formula) return FALSE;
    if (formula.kind === 'not') return change(OPPOSITE[how], formula.of[0]);
    if (formula.kind === 'isIn' && isKept(how, formula, after)) return FALSE;
    const changed = how === 'falls' ? and([formula, not(after)]) : and([not(formula), after]);
    if (formula.kind === 'isIn') return changed;
    return and([or(partsOf(formula).map((part) => change(how, part))), changed]);
  };
  return { rewrite, falls: (formula) => change('falls', formula), rises: (formula) => change('rises', formula) };
}

type Change = keyof Omit<Changes, 'rewrite'>;

const OPPOSITE = { falls: 'rises', rises: 'falls' } as const satisfies Record<Change, Change>;

/** Whether a formula cannot change: the other is the same or more, or the same and more. */
function isKept(how: Change, formula: Formula, after: Formula): boolean {
  return after.kind === (how === 'falls' ? 'or' : 'and') && after.of.includes(formula);
}
