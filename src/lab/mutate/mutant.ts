/** A mutant: a policy with one small edit, as the rules that it changes. */

import type { Place } from '../../diagnostics.ts';
import type { FactTable } from '../../facts/catalog.ts';
import type { Span } from '../../platform/files/source.ts';
import type { Policy, Rule } from '../../policy/language.ts';
import { createRuleKey, OUTCOME } from '../../policy/sameness.ts';
import type { MutationOperator } from './mutation-operators.ts';

/** What an edit changes in a policy. */
export interface PolicyChange extends Pick<Policy, 'default' | 'score'> {
  /** By index, the rules in place of those of the policy; undefined for one that is removed. */
  readonly rules: ReadonlyMap<number, Rule | undefined>;
  /** Facts that these rules read beside those of the policy: computed in another way, with names of their own. */
  readonly facts?: FactTable;
}

export interface Mutant {
  /** Equal for mutants of one meaning. */
  readonly key: string;
  readonly operator: MutationOperator;
  /** The ids of the rules that it changes; none for the default and the score. */
  readonly rules: readonly string[];
  readonly place: Place | undefined;
  readonly span: Span | undefined;
  /** What is edited, and what it becomes, in words. No value of a personal fact is in them. */
  readonly before: string;
  readonly after: string;
  /** The change of the policy that was mutated. */
  readonly change: PolicyChange;
  /** The same edit of the policy with other values of its parameters; undefined if it changes nothing there. */
  changeIn(variant: Policy): PolicyChange | undefined;
}

/** Whether a change is of the default or of the score. */
export function changesSettings(policy: Policy, change: PolicyChange): boolean {
  return OUTCOME.settingsOf(policy) !== OUTCOME.settingsOf(change);
}

/** A change as text, equal for changes of one meaning. */
export function changeKey(change: PolicyChange): string {
  const changed = [...change.rules].map(([at, rule]) => [at, rule && ruleMeaning(rule)]);
  return JSON.stringify([OUTCOME.settingsOf(change), changed]);
}

/** Equal for rules that do the same. */
export const ruleMeaning = createRuleKey(['condition', 'outcome', 'unknown', 'activity']);
