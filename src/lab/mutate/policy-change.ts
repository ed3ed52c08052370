/** What an edit changes in a policy: as the rules that it changes, with the rest of the policy as it is. */

import type { FactTable } from '../../facts/catalog.ts';
import type { Span } from '../../platform/files/source.ts';
import type { Condition, Policy, Rule } from '../../policy/language.ts';
import { createRuleKey, OUTCOME } from '../../policy/sameness.ts';
import type { spanOf } from '../../policy/source-map.ts';
import { givenByName, WORDED_NAME, withOwnComputations } from '../space/own-computations.ts';

/** What an edit changes in a policy. */
export interface PolicyChange extends Pick<Policy, 'default' | 'score'> {
  /** By index, the rules in place of those of the policy; undefined for one that is removed. */
  readonly rules: ReadonlyMap<number, Rule | undefined>;
  /** Facts that these rules read in addition to those of the policy: computed differently, under names of their own. */
  readonly facts?: FactTable;
}

/** A part of a condition, and what is put in its place. */
export interface PartEdit {
  /** Unique among the edits of one condition, and equal for the same edit of other values of parameters. */
  readonly name: string;
  readonly part: Condition;
  readonly replacement: Condition;
  /** What people see: the part that is edited, and what it becomes; undefined if it is removed. */
  readonly shown: readonly [before: Condition, after: Condition | undefined];
}

/** A rule in place of another, undefined if it is removed. The words are unique among the edits of one operator. */
export interface RuleEdit {
  readonly before: string;
  readonly after: string;
  readonly rule: Rule | undefined;
}

/** An edit of what is not a rule. */
export interface PolicyEdit {
  /** What is edited, and what it becomes, in words. No value of a personal fact is in them. */
  readonly before: string;
  readonly after: string;
  /** Unique among the edits of one operator, and equal for the same edit of other values of parameters. */
  readonly name: string;
  /** Undefined if it changes nothing. */
  readonly change: PolicyChange | undefined;
  /** What is edited, for its place; by default the first rule that it changes. */
  readonly about?: Parameters<typeof spanOf>[0];
  /** The same, for what only a key of the policy has a place for. */
  readonly at?: Span | undefined;
  /** Equal for edits of one meaning; by default the text of the change. */
  readonly key?: string;
}

/** A part with a replacement, shown as they are. */
export function inPlaceOf(part: Condition, name: string, replacement: Condition): PartEdit {
  return { name, part, replacement, shown: [part, replacement] };
}

/** Whether a change is of the default or of the score. */
export function changesSettings(policy: Policy, change: PolicyChange): boolean {
  return !OUTCOME.areSameSettings(policy, change);
}

/** A change as text, equal for changes of one meaning. */
export function changeKey(change: PolicyChange): string {
  const changed = [...change.rules].map(([at, rule]) => [at, rule && ruleMeaning(rule)]);
  return JSON.stringify([OUTCOME.settingsOf(change), changed]);
}

/** Equal for rules that do the same. */
const ruleMeaning = createRuleKey(['condition', 'outcome', 'unknown', 'activity']);

/** The rules that others replace; one in shadow mode would have to be live. */
function changedRules(policy: Policy, replace: (rule: Rule, at: number) => Rule | undefined): PolicyChange['rules'] {
  const rules = new Map<number, Rule | undefined>();
  for (const [at, rule] of policy.rules.entries()) {
    const other = replace(rule, at);
    if (other !== rule && !(rule.shadow && other?.shadow !== false)) rules.set(at, other);
  }
  return rules;
}

/** The policy with other conditions; undefined if all stay. */
export function conditionChange(
  policy: Policy,
  replace: (condition: Condition) => Condition,
): PolicyChange | undefined {
  const rules = changedRules(policy, (rule) => {
    const when = replace(rule.when);
    return when === rule.when ? rule : { ...rule, when };
  });
  return rules.size === 0 ? undefined : { rules, default: policy.default, score: policy.score };
}

/** The policy with another rule in place of one. */
export function oneRule(policy: Policy, at: number, other: Rule | undefined): PolicyChange {
  return { rules: new Map([[at, other]]), default: policy.default, score: policy.score };
}

/** What another version of a policy, with the same rules, changes; undefined if it changes nothing. */
export function changeBetween(policy: Policy, version: Policy): PolicyChange | undefined {
  if (version.rules.length !== policy.rules.length) return undefined;
  const named = withOwnComputations(version, policy, givenByName(WORDED_NAME));
  const rules = changedRules(policy, (rule, at) => {
    const other = named.rules[at] as Rule;
    return ruleMeaning(other) === ruleMeaning(rule) ? rule : other;
  });
  const facts = new Map([...named.facts].filter(([path]) => !policy.facts.has(path)));
  const change = { rules, default: version.default, score: version.score, ...(facts.size > 0 ? { facts } : {}) };
  return rules.size > 0 || changesSettings(policy, change) ? change : undefined;
}
