/** A policy -> its mutants, those of one meaning once; and what is not mutated. */

import { type FactTable, LEVELS } from '../../facts/catalog.ts';
import type { Span } from '../../platform/files/source.ts';
import { isActive, OUTCOMES, type ParameterValue, type Policy, type Rule, testsOf } from '../../policy/language.ts';
import { DURATION } from '../../policy/read/form.ts';
import { spanOf } from '../../policy/source-map.ts';
import { count } from '../../text.ts';
import { conditionWords } from '../edits/condition-words.ts';
import { conditionMutations, withPart } from './condition-mutations.ts';
import { effectMutations } from './effect-mutations.ts';
import { entriesToDrop, listsAsked, withoutEntry } from './entry-mutations.ts';
import { changeKey, type Mutant, type PolicyChange, ruleMeaning } from './mutant.ts';
import type { PartMutation } from './mutation-operators.ts';

/** The mutants of a policy, and what has none, each with the reason. */
export interface Mutants {
  readonly mutants: readonly Mutant[];
  readonly notMutated: readonly NotMutated[];
}

/** What is not mutated. */
export interface NotMutated {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}

/** How the policy is read with other values of its parameters; undefined if it has errors then. */
export type WithParameters = (values: Readonly<Record<string, ParameterValue>>, of: Policy) => Policy | undefined;

/** The mutants that decisions on some days can show, in the order of the policy. */
export function mutantsOf(policy: Policy, days: readonly string[], read: WithParameters): Mutants {
  const isOf = ({ from, until }: Rule) => days.some((day) => isActive({ from, until } as Rule, day));
  const asked = policy.rules.flatMap((rule, at) => (isOf(rule) ? { rule, at } : []));
  const live = asked.filter(({ rule }) => !rule.shadow);
  const computing = parametersOfFacts(policy, read);
  const drafts = [
    ...asked.flatMap(({ rule, at }) => [
      ...(rule.shadow ? [] : partDrafts(rule, at, policy)),
      ...effectDrafts(rule, at),
    ]),
    ...namedDrafts(policy),
    ...listDrafts(
      policy,
      live.map(({ rule }) => rule),
    ),
    ...settingDrafts(policy),
    ...parameterDrafts(policy, read, computing),
  ];
  const seen = new Set<string>();
  const mutants = drafts.flatMap((draft): Mutant[] => {
    const change = draft.changeIn(policy);
    if (!change) return [];
    const key = draft.key ?? changeKey(change);
    const changed = [...change.rules.keys()].map((at) => policy.rules[at] as Rule);
    // Without a rule that is in effect on one of the days, nothing shows.
    const isIdle = change.rules.size > 0 && !changed.some(isOf);
    if (isIdle || seen.has(key)) return [];
    seen.add(key);
    const [first] = changed;
    const about = draft.about ?? first;
    const span = about && (spanOf(about) ?? (first && spanOf(first)));
    return [{ ...draft, key, change, ...placed(span, draft.before), rules: changed.map(({ id }) => id) }];
  });
  return {
    mutants,
    notMutated: leftOut(policy, { asked: asked.length, live: live.map(({ rule }) => rule), computing: computing.size }),
  };
}

/** Where an edit is: what it replaces, such as `then: review`, if that is written once in what has a position. */
function placed(span: Span | undefined, before: string): Pick<Mutant, 'span' | 'place'> {
  if (!span) return { span, place: undefined };
  const { source, start, end } = span;
  const text = source.text.slice(start, end);
  const [at, last] = [text.indexOf(before), text.lastIndexOf(before)];
  const isOnce = at >= 0 && at === last;
  const found = isOnce ? { source, start: start + at, end: start + at + before.length } : span;
  return { span: found, place: source.placeOf(found.start, found.end) };
}

/** A mutant before it is applied. */
interface Draft extends Pick<Mutant, 'operator' | 'before' | 'after' | 'changeIn'> {
  /** What is edited, for its place; by default the first rule that it changes. */
  readonly about?: Parameters<typeof spanOf>[0];
  readonly key?: string;
}

/** The policy with other rules, as far as they mean something else; undefined if none does. */
function ruleChange(policy: Policy, replace: (rule: Rule, at: number) => Rule | undefined): PolicyChange | undefined {
  const rules = new Map<number, Rule | undefined>();
  for (const [at, rule] of policy.rules.entries()) {
    const other = replace(rule, at);
    if (other !== rule && !(rule.shadow && other?.shadow !== false)) rules.set(at, other);
  }
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
          const root = variant.conditions.get(name);
          const edits = root && variant !== policy ? conditionMutations(root, variant.facts) : [];
          const found = variant === policy ? edit : sameMutation(edits, edit);
          if (!found) return undefined;
          return ruleChange(variant, (rule) => {
            const when = withPart(rule.when, found.part, found.replacement);
            return when === rule.when ? rule : { ...rule, when };
          });
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
        changeIn: (variant) =>
          ruleChange(variant, (rule) => {
            const when = withoutEntry(rule.when, name, entry);
            return when === rule.when ? rule : { ...rule, when };
          }),
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

/** The parameters in computations of facts: another value of them makes another fact, not only other rules. */
function parametersOfFacts(policy: Policy, read: WithParameters): ReadonlySet<string> {
  const computations = ({ facts }: Policy) => JSON.stringify([...facts.values()].map(({ compute }) => compute));
  const own = computations(policy);
  const isOfFacts = (name: string, value: ParameterValue) =>
    otherValues(value).some((other) => {
      const changed = read({ [name]: other }, policy);
      return changed !== undefined && computations(changed) !== own;
    });
  return new Set([...policy.parameters].flatMap(([name, { value }]) => (isOfFacts(name, value) ? name : [])));
}

function parameterDrafts(policy: Policy, read: WithParameters, computing: ReadonlySet<string>): readonly Draft[] {
  const mutated = [...policy.parameters].filter(([name]) => !computing.has(name));
  return mutated.flatMap(([name, { value }]) =>
    otherValues(value).map(
      (other): Draft => ({
        ...{ operator: 'parameter', before: `${name}: ${value}`, after: `${name}: ${other}` },
        changeIn: (variant) => {
          // A case that sets the parameter itself does not see its value.
          if (variant.parameters.get(name)?.value !== value) return undefined;
          const changed = read({ [name]: other }, variant);
          if (!changed || changed.rules.length !== variant.rules.length) return undefined;
          return ruleChange(variant, (rule, at) => {
            const mutated = changed.rules[at] as Rule;
            return ruleMeaning(mutated) === ruleMeaning(rule) ? rule : mutated;
          });
        },
      }),
    ),
  );
}

/** A parameter moved by one step, or flipped. */
function otherValues(value: ParameterValue): readonly ParameterValue[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') {
    const decimals = (String(value).split('.')[1] ?? '').length;
    return [1, -1].map((by) => Number((value + by / 10 ** decimals).toFixed(decimals)));
  }
  const level = (LEVELS as readonly string[]).indexOf(value);
  if (level >= 0) return [LEVELS[level + 1] ?? [], LEVELS[level - 1] ?? []].flat();
  const [, amount, unit] = DURATION.pattern.exec(value) ?? [];
  if (amount === undefined || unit === undefined) return [];
  return [1, -1].flatMap((by) => (Number(amount) + by < 0 ? [] : count(Number(amount) + by, unit.replace(/s$/, ''))));
}

function leftOut(
  policy: Policy,
  { asked, live, computing }: { readonly asked: number; readonly live: readonly Rule[]; readonly computing: number },
) {
  const tests = new Set(live.flatMap(({ when }) => [...testsOf(when)]));
  const ofKinds = (...operators: readonly string[]) =>
    [...tests].filter(({ operator }) => operators.includes(operator)).length;
  const entries = [...listsAsked(policy, tests).values()].reduce((sum, [list]) => sum + entriesToDrop(list).left, 0);
  const found: readonly NotMutated[] = [
    {
      ...{ what: 'rules not active on the days of the tests', count: policy.rules.length - asked },
      why: 'no test can see them',
    },
    {
      ...{ what: 'rules in shadow mode', count: policy.rules.filter(({ shadow }) => shadow).length },
      why: 'only made live: no test can expect what they do',
    },
    { what: 'patterns', count: ofKinds('matches'), why: 'only negated: nobody can tell which other one is near' },
    { what: 'searched texts', count: ofKinds('startsWith', 'endsWith', 'contains'), why: 'only negated' },
    { what: 'parameters of computed facts', count: computing, why: 'they change facts, not only rules' },
    { what: 'list entries', count: entries, why: 'only lists of up to ten entries are tested entry by entry' },
  ];
  return found.filter(({ count: number }) => number > 0);
}
