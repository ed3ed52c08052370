/** A policy -> its small edits, each of which can be made in the policy with other values of its parameters, too. */

import { conditionWords } from '../../decision/explain/sentence.ts';
import { type FactTable, LEVELS } from '../../facts/catalog.ts';
import { computationWords, computedIn } from '../../facts/compute.ts';
import type { Span } from '../../platform/files/source.ts';
import {
  type Condition,
  OUTCOMES,
  type ParameterValue,
  type Policy,
  type Rule,
  testsOf,
} from '../../policy/language.ts';
import { DURATION } from '../../policy/read/form.ts';
import { type spanOf, spanOfKey } from '../../policy/source-map.ts';
import { count } from '../../text.ts';
import { withOwnComputations } from '../space/own-computations.ts';
import { computationMutations, writtenComputation } from './computation-mutations.ts';
import { conditionMutations, withPart } from './condition-mutations.ts';
import { effectMutations } from './effect-mutations.ts';
import { entriesToDrop, listsAsked, withoutEntry } from './entry-mutations.ts';
import { changesSettings, type Mutant, type PolicyChange, ruleMeaning } from './mutant.ts';
import type { PartMutation } from './mutation-operators.ts';
import { movedNumber } from './test-mutations.ts';

/** How the policy is read with other values of its parameters; undefined if it has errors then. */
export type WithParameters = (values: Readonly<Record<string, ParameterValue>>, of: Policy) => Policy | undefined;

/** A mutant before it is applied. */
export interface Draft extends Pick<Mutant, 'operator' | 'before' | 'after' | 'changeIn'> {
  /** What is edited, for its place; by default the first rule that it changes. */
  readonly about?: Parameters<typeof spanOf>[0];
  /** The same, for what only a key of the policy has a place for. */
  readonly at?: Span | undefined;
  readonly key?: string;
}

/** A rule, and its index in the policy. */
export interface RuleAt {
  readonly rule: Rule;
  readonly at: number;
}

/** The edits of a policy, as far as some of its rules can show them, in the order of the policy. */
export function draftsOf(policy: Policy, rules: readonly RuleAt[], read: WithParameters): readonly Draft[] {
  const live = rules.flatMap(({ rule }) => (rule.shadow ? [] : rule));
  return [
    ...rules.flatMap(({ rule, at }) => [
      ...(rule.shadow ? [] : partDrafts(rule, at, policy)),
      ...effectDrafts(rule, at),
    ]),
    ...namedDrafts(policy),
    ...listDrafts(policy, live),
    ...computationDrafts(policy),
    ...settingDrafts(policy),
    ...parameterDrafts(policy, read),
  ];
}

type Rules = PolicyChange['rules'];

/** The rules that others replace; one in shadow mode would have to be live. */
function changedRules(policy: Policy, replace: (rule: Rule, at: number) => Rule | undefined): Rules {
  const rules = new Map<number, Rule | undefined>();
  for (const [at, rule] of policy.rules.entries()) {
    const other = replace(rule, at);
    if (other !== rule && !(rule.shadow && other?.shadow !== false)) rules.set(at, other);
  }
  return rules;
}

/** The policy with other conditions; undefined if all stay. */
function conditionChange(policy: Policy, replace: (condition: Condition) => Condition): PolicyChange | undefined {
  const rules = changedRules(policy, (rule) => {
    const when = replace(rule.when);
    return when === rule.when ? rule : { ...rule, when };
  });
  return rules.size === 0 ? undefined : { rules, default: policy.default, score: policy.score };
}

function oneRule(policy: Policy, at: number, other: Rule | undefined): PolicyChange {
  return { rules: new Map([[at, other]]), default: policy.default, score: policy.score };
}

function partDrafts(rule: Rule, at: number, policy: Policy): readonly Draft[] {
  return conditionMutations(rule.when, policy.facts).map((edit) => ({
    ...words(edit, policy.facts),
    changeIn: (variant) => {
      const own = variant.rules[at] as Rule;
      const found = variant === policy ? edit : sameMutation(conditionMutations(own.when, variant.facts), edit);
      return found && oneRule(variant, at, { ...own, when: withPart(own.when, found.part, found.replacement) });
    },
  }));
}

function sameMutation(edits: readonly PartMutation[], { name }: PartMutation): PartMutation | undefined {
  return edits.find((each) => each.name === name);
}

function words({ operator, shown: [before, after] }: PartMutation, facts: FactTable) {
  const afterWords = after ? conditionWords(after, facts) : 'removed';
  return { operator, about: before, before: conditionWords(before, facts), after: afterWords };
}

function effectDrafts(rule: Rule, at: number): readonly Draft[] {
  return effectMutations(rule).map(({ operator, name, before, after }) => ({
    ...{ operator, before, after, about: rule },
    changeIn: (variant) => {
      const found = effectMutations(variant.rules[at] as Rule).find((each) => each.name === name);
      return found && oneRule(variant, at, found.rule);
    },
  }));
}

function namedDrafts(policy: Policy): readonly Draft[] {
  return [...policy.conditions].flatMap(([name, condition]) =>
    conditionMutations(condition, policy.facts).map((edit): Draft => {
      const draft = words(edit, policy.facts);
      return {
        ...draft,
        changeIn: (variant) => {
          const own = variant.conditions.get(name) as Condition;
          const found = variant === policy ? edit : sameMutation(conditionMutations(own, variant.facts), edit);
          return found && conditionChange(variant, (when) => withPart(when, found.part, found.replacement));
        },
      };
    }),
  );
}

function listDrafts(policy: Policy, live: readonly Rule[]): readonly Draft[] {
  const asked = listsAsked(
    policy,
    live.flatMap(({ when }) => [...testsOf(when)]),
  );
  return [...asked].flatMap(([name, [list, test]]) =>
    entriesToDrop(list).entries.map(
      ({ entry, number }): Draft => ({
        ...{ operator: 'list-entry', about: test, key: JSON.stringify([name, number]) },
        ...{ before: `entry ${number} of the list ${name}`, after: 'removed' },
        changeIn: (variant) => conditionChange(variant, (when) => withoutEntry(when, name, entry)),
      }),
    ),
  );
}

function settingDrafts(policy: Policy): readonly Draft[] {
  const others = OUTCOMES.filter((outcome) => outcome !== policy.default);
  const bands = (['review', 'reject'] as const).flatMap((band): Draft[] => {
    const from = policy.score[band];
    if (from === undefined) return [];
    return [from + 1, from - 1, undefined].map((value) => ({
      ...{ operator: 'band', about: policy.score, before: `score: { ${band}: ${from} }` },
      after: value === undefined ? 'removed' : `score: { ${band}: ${value} }`,
      changeIn: ({ default: fallback, score }) => ({
        ...{ rules: new Map(), default: fallback, score: { ...score, [band]: value } },
      }),
    }));
  });
  return [
    ...bands,
    ...others.map(
      (outcome): Draft => ({
        ...{ operator: 'default', about: policy, before: `default: ${policy.default}`, after: `default: ${outcome}` },
        changeIn: ({ score }) => ({ rules: new Map(), default: outcome, score }),
      }),
    ),
  ];
}

function parameterDrafts(policy: Policy, read: WithParameters): readonly Draft[] {
  return [...policy.parameters].flatMap(([name, { value }]) =>
    otherValues(value).map(
      (other): Draft => ({
        ...{ operator: 'parameter', at: spanOfKey(policy, ['parameters', name]) },
        ...{ before: `${name}: ${value}`, after: `${name}: ${other}` },
        changeIn: (variant) => {
          // A case that sets the parameter itself does not see its value.
          if (variant.parameters.get(name)?.value !== value) return undefined;
          const changed = read({ [name]: other }, variant);
          return changed && changeBetween(variant, changed);
        },
      }),
    ),
  );
}

function computationDrafts(policy: Policy): readonly Draft[] {
  return [...computedIn(policy.facts)].flatMap(([path, { compute }]) =>
    computationMutations(compute).map(
      (edit): Draft => ({
        ...{ operator: 'computation', at: spanOfKey(policy, ['facts', path, 'compute']) },
        ...{ before: writtenComputation(compute), after: writtenComputation(edit.compute) },
        changeIn: (variant) => {
          const definition = computedIn(variant.facts).get(path);
          const edits = definition ? computationMutations(definition.compute) : [];
          const found = edits.find(({ name }) => name === edit.name);
          if (!definition || !found) return undefined;
          const facts = new Map(variant.facts).set(path, { ...definition, compute: found.compute });
          return changeBetween(variant, { ...variant, facts });
        },
      }),
    ),
  );
}

/** What another version of a policy, with the same rules, changes; undefined if it changes nothing. */
function changeBetween(policy: Policy, version: Policy): PolicyChange | undefined {
  if (version.rules.length !== policy.rules.length) return undefined;
  const named = withOwnComputations(version, policy, (path, { compute }) =>
    compute ? `${path} (${computationWords(compute)})` : path,
  );
  const rules = changedRules(policy, (rule, at) => {
    const other = named.rules[at] as Rule;
    return ruleMeaning(other) === ruleMeaning(rule) ? rule : other;
  });
  const facts = new Map([...named.facts].filter(([path]) => !policy.facts.has(path)));
  const change = { rules, default: version.default, score: version.score, ...(facts.size > 0 ? { facts } : {}) };
  return rules.size > 0 || changesSettings(policy, change) ? change : undefined;
}

/** A parameter moved by one step, or flipped. */
function otherValues(value: ParameterValue): readonly ParameterValue[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [1, -1].map((by) => movedNumber(value, by));
  const level = (LEVELS as readonly string[]).indexOf(value);
  if (level >= 0) return [LEVELS[level + 1] ?? [], LEVELS[level - 1] ?? []].flat();
  const [, amount, unit] = DURATION.pattern.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return [];
  return [1, -1].flatMap((by) => (Number(amount) + by < 0 ? [] : count(Number(amount) + by, unit.replace(/s$/, ''))));
}
