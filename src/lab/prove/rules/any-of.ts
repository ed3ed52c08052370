/** Formulas about rules -> the same formulas without any one of the rules; all of them share their parts. */

import type { Connectives } from '../../../decision/meaning/ranking.ts';
import type { Rule } from '../../../policy/language.ts';
import { and, FALSE, type Formula, not, or } from '../../solver/formula.ts';

/** A formula, and what it is if one of its rules is false. */
export interface Separable {
  readonly formula: Formula;
  readonly rules: ReadonlySet<Rule>;
  /** Without a rule that it is not about, or without any, the formula itself. */
  without(rule: Rule | undefined): Formula;
}

/** A formula that is false where its rule is: when it is true, or when it is true or unknown. */
export function ofRule(rule: Rule, formula: Formula): Separable {
  return { formula, rules: new Set([rule]), without: (but) => (but === rule ? FALSE : formula) };
}

const NEVER: Separable = { formula: FALSE, rules: new Set(), without: () => FALSE };

/** Each answer of `without` adds as many formulas as a balanced tree of the parts of `or` has levels. */
export const SEPARABLE: Connectives<Separable> = {
  and: (parts) => joined(parts, and),
  or: (parts) => balanced(parts.filter((part) => part !== NEVER)),
  not: (part) => joined([part], ([formula = FALSE]) => not(formula)),
};

function balanced(parts: readonly Separable[]): Separable {
  const [only = NEVER] = parts;
  if (parts.length < 2) return only;
  const middle = parts.length >> 1;
  return joined([balanced(parts.slice(0, middle)), balanced(parts.slice(middle))], or);
}

function joined(parts: readonly Separable[], by: (formulas: readonly Formula[]) => Formula): Separable {
  const formula = by(parts.map((part) => part.formula));
  const rules = parts.reduce<ReadonlySet<Rule>>((all, part) => all.union(part.rules), new Set());
  return {
    formula,
    rules,
    without: (rule) => (rule !== undefined && rules.has(rule) ? by(parts.map((part) => part.without(rule))) : formula),
  };
}
