/** A policy -> its mutants, those of one meaning once; and what is not mutated. */

import { conditionWords } from '../../decision/explain/sentence.ts';
import type { Place } from '../../diagnostics.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { cached } from '../../platform/cached.ts';
import type { Span } from '../../platform/files/source.ts';
import { type Arguments, isNamedList, YEARS, type YearsTest } from '../../policy/arguments.ts';
import { Cells } from '../../policy/cells/cells.ts';
import { type Condition, isActive, type Policy, type Rule, type Test, testsOf } from '../../policy/language.ts';
import { operatorRow } from '../../policy/operators.ts';
import { testKey } from '../../policy/sameness.ts';
import { spanOf } from '../../policy/source-map.ts';
import { type By, editsOf, type MutationOperator, OPERATOR_ROWS } from './mutation-operators.ts';
import {
  changeKey,
  changesSettings,
  conditionChange,
  inPlaceOf,
  oneRule,
  type PartEdit,
  type PolicyChange,
  type PolicyEdit,
} from './policy-change.ts';
import type { Asked, WithParameters } from './policy-mutations.ts';
import { withArgument } from './test-mutations.ts';

/** A policy with one small edit, as the rules that it changes. */
export interface Mutant {
  /** Equal for mutants of one meaning. */
  readonly key: string;
  readonly operator: MutationOperator;
  /** The ids of the rules that it changes; none for the default and the score. */
  readonly rules: readonly string[];
  readonly place: Place | undefined;
  /** What is edited, and what it becomes, in words. No value of a personal fact is in them. */
  readonly before: string;
  readonly after: string;
  /** The change of the policy that was mutated. */
  readonly change: PolicyChange;
  /** The same edit of the policy with other values of its parameters; undefined if it changes nothing there. */
  changeIn(variant: Policy): PolicyChange | undefined;
}

/** What is not mutated. */
export interface NotMutated {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}

/** The mutants that decisions on some days can show, in the order of the policy. */
export function mutantsOf(policy: Policy, days: readonly string[], read: WithParameters) {
  const isOf = ({ from, until }: Rule) => days.some((day) => isActive({ from, until } as Rule, day));
  const inEffect = [...policy.rules.entries()].filter(([, rule]) => isOf(rule));
  const tests = new Set(inEffect.flatMap(([, rule]) => (rule.shadow ? [] : [...testsOf(rule.when)])));
  const asked: Asked = { policy, tests, read };
  const draftsIn = cached((variant: Policy) => {
    const drafts = [
      ...inEffect.flatMap(([at]) => ruleDrafts(variant, at)),
      ...[...variant.conditions].flatMap(([name, condition]) => namedDrafts(variant, name, condition)),
      ...editsOf({ ...asked, policy: variant }, ({ ofPolicy }) => ofPolicy),
    ];
    return new Map(drafts.map((draft) => [`${draft.operator} ${draft.name}`, draft]));
  });
  const seen = new Set<string>();
  const mutants = [...draftsIn(policy)].flatMap(([name, draft]): Mutant[] => {
    const { operator, before, after, change } = draft;
    if (!change) return [];
    const key = draft.key ?? changeKey(change);
    const changed = [...change.rules.keys()].map((at) => policy.rules[at] as Rule);
    // Without a rule that is in effect on one of the days, nothing shows.
    const isWithoutEffect = !changed.some(isOf) && !changesSettings(policy, change);
    if (isWithoutEffect || seen.has(key)) return [];
    seen.add(key);
    const [first] = changed;
    const span = draft.at ?? (draft.about && spanOf(draft.about)) ?? (first && spanOf(first));
    const rules = changed.map(({ id }) => id);
    const changeIn = (variant: Policy) => draftsIn(variant).get(name)?.change;
    return [{ key, operator, before, after, rules, change, changeIn, place: span && locate(span, before) }];
  });
  const left = [
    {
      ...{ what: 'rules not active on the days of the tests', count: policy.rules.length - inEffect.length },
      why: 'no test can see them',
    },
    ...OPERATOR_ROWS.flatMap(([, { leaves = [] }]) =>
      leaves.map(({ what, why, count }) => ({ what, count: count(asked), why })),
    ),
  ];
  return { mutants, notMutated: left.filter(({ count }) => count > 0) };
}

/** The edits of a rule: of the parts of its condition, then of what it does. */
function ruleDrafts(policy: Policy, at: number): readonly By<PolicyEdit>[] {
  const rule = policy.rules[at] as Rule;
  const effects = editsOf(rule, ({ ofRule, ofShadowRule }) => (rule.shadow ? ofShadowRule : ofRule));
  const edits = effects.map(({ operator, before, after, rule: other }): By<PolicyEdit> => {
    return { operator, name: `rule ${at} ${after}`, before, after, about: rule, change: oneRule(policy, at, other) };
  });
  if (rule.shadow) return edits;
  const changed = (when: Condition) => oneRule(policy, at, { ...rule, when });
  return [...partDrafts(policy, `rule ${at}`, rule.when, (replace) => changed(replace(rule.when))), ...edits];
}

/** The edits of a named condition, in all rules that name it. */
function namedDrafts(policy: Policy, name: string, condition: Condition): readonly By<PolicyEdit>[] {
  return partDrafts(policy, name, condition, (replace) => conditionChange(policy, replace));
}

/** The edits of the parts of a condition, in one place of a policy. */
function partDrafts(
  { facts }: Policy,
  place: string,
  condition: Condition,
  changed: (replace: (condition: Condition) => Condition) => PolicyChange | undefined,
): readonly By<PolicyEdit>[] {
  return partEdits(condition, facts).map(({ operator, name, part, replacement, shown: [before, after] }) => ({
    ...{ operator, name: `${place} ${name}`, about: before, before: conditionWords(before, facts) },
    after: after ? conditionWords(after, facts) : 'removed',
    change: changed((when) => withPart(when, part, replacement)),
  }));
}

/** Where an edit is: what it replaces, such as `then: review`, if that is written once in what has a position. */
function locate({ source, start, end }: Span, before: string): Place {
  // The position of a key ends before its value.
  const text = source.text.startsWith(before, start) ? before : source.text.slice(start, end);
  const [at, last] = [text.indexOf(before), text.lastIndexOf(before)];
  const isOnce = at >= 0 && at === last;
  return isOnce ? source.placeOf(start + at, start + at + before.length) : source.placeOf(start, end);
}

/** The edits of a condition and of its parts. */
function partEdits(condition: Condition, facts: FactTable, path = ''): readonly By<PartEdit>[] {
  const named = (edits: readonly By<PartEdit>[]) => edits.map((each) => ({ ...each, name: `${path}:${each.name}` }));
  if (condition.kind === 'test') return named(testEdits(condition, facts));
  if (condition.kind === 'named') return [];
  const inner = condition.of.flatMap((part, i) => partEdits(part, facts, `${path}.${i}`));
  return [...named(editsOf(condition, ({ ofJoin }) => ofJoin)), ...inner];
}

/** The edits of a test, those of one meaning once, and none that mean the same as the test. */
function testEdits(test: Test, facts: FactTable): readonly By<PartEdit>[] {
  const edits = [...yearsEdits(test), ...editsOf(test, ({ ofTest }) => ofTest)];
  return isNamedList(test.argument) ? edits : dropEquivalent(test, edits, facts);
}

/** The edits of each of the tests of a number of years: those of a test of any whole number. */
function yearsEdits(test: Test): readonly By<PartEdit>[] {
  if (operatorRow(test.operator).argument !== 'years') return [];
  const years = test.argument as Arguments['years'];
  return years.flatMap(({ operator, argument }, at) => {
    const asked = { fact: '', operator, argument, other: undefined };
    const inner: Test = { kind: 'test', type: YEARS.type, expected: argument, ...asked, key: testKey(asked) };
    return editsOf(inner, ({ ofTest }) => ofTest).flatMap(({ operator: by, name, replacement }) => {
      if (replacement.kind !== 'test') return [];
      const changed = { operator: replacement.operator, argument: replacement.argument } as YearsTest;
      const all = years.with(at, changed);
      const written = Object.fromEntries(all.map((each) => [each.operator, each.argument]));
      return { ...inPlaceOf(test, `${at} ${name}`, withArgument(test, all, written)), operator: by };
    });
  });
}

/** Edits of different truth, in any state of the fact, than the test has and than those before have. */
function dropEquivalent(test: Test, edits: readonly By<PartEdit>[], facts: FactTable): readonly By<PartEdit>[] {
  const tests = edits.flatMap(({ replacement }) => (replacement.kind === 'test' ? [replacement] : []));
  const cells = new Cells([test, ...tests], facts);
  const keyOf = (condition: Condition): string => {
    if (condition.kind !== 'test') return 'negated';
    const { axis, isTrue, isUnknown } = cells.of(condition);
    return `${cells.axes.indexOf(axis)} ${isTrue} ${isUnknown}`;
  };
  const seen = new Set([keyOf(test)]);
  return edits.filter(({ replacement }) => {
    const key = keyOf(replacement);
    return !seen.has(key) && seen.add(key);
  });
}

/** The condition with another part in place of one, which is found by identity; itself if it does not have the part. */
function withPart(condition: Condition, part: Condition, replacement: Condition): Condition {
  if (condition === part) return replacement;
  if (condition.kind === 'test') return condition;
  const of = condition.of.map((each) => withPart(each, part, replacement));
  return of.every((each, i) => each === condition.of[i]) ? condition : ({ ...condition, of } as Condition);
}
