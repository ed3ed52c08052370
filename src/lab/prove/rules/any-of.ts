/** Rules -> whether one of them, apart from a given one, holds: formulas that share their parts. */

import type { Rule } from '../../../policy/language.ts';
import { FALSE, type Formula, or } from '../../solver/formula.ts';

/** A rule, or the rules below two nodes. */
interface Node {
  readonly formula: Formula;
  readonly rules: ReadonlySet<Rule>;
  readonly parts: readonly Node[];
}

/**
 * Gives when a rule other than a given one holds; without one, when any rule does. Each answer adds as many formulas as
 * a balanced tree has levels.
 */
export function createAnyOf(rules: readonly Rule[], when: (rule: Rule) => Formula): (but: Rule | undefined) => Formula {
  const root = treeOf(rules, when);
  const anyBut = ({ formula, rules: below, parts }: Node, but: Rule | undefined): Formula => {
    if (but === undefined || !below.has(but)) return formula;
    return or(parts.map((part) => anyBut(part, but)));
  };
  return (but) => (root ? anyBut(root, but) : FALSE);
}

function treeOf(rules: readonly Rule[], when: (rule: Rule) => Formula): Node | undefined {
  const [first] = rules;
  if (!first) return undefined;
  if (rules.length === 1) return { formula: when(first), rules: new Set(rules), parts: [] };
  const middle = rules.length >> 1;
  const parts = [rules.slice(0, middle), rules.slice(middle)].flatMap((half) => treeOf(half, when) ?? []);
  return { formula: or(parts.map(({ formula }) => formula)), rules: new Set(rules), parts };
}
