/** Parts of two policies -> texts that are equal if the parts have the same meaning. */

import type { FactDefinition } from '../facts/catalog.ts';
import { computationKey } from '../facts/compute.ts';
import { cached } from '../platform/cached.ts';
import { canonicalJson } from '../platform/digest.ts';
import { isNamedList, type NamedList } from './arguments.ts';
import type { Condition, Policy, Rule, Test } from './language.ts';
import { operatorRow } from './operators.ts';

/**
 * What a key of a rule or a policy is about. `outcome`: what is decided; `unknown`: what is decided if a condition is
 * unknown; `reasons`: what programs and applicants learn of it; `activity`: whether it has an effect on a day;
 * `text`: what people who work on the policy read; `parts`: everything that has a table of its own.
 */
export type Aspect = 'name' | 'condition' | 'outcome' | 'unknown' | 'reasons' | 'activity' | 'text' | 'parts';

/** What each key of a rule is about. INVARIANT: code that compares rules names aspects, and never lists their keys. */
export const RULE_ASPECTS = {
  id: 'name',
  when: 'condition',
  then: 'outcome',
  points: 'outcome',
  final: 'outcome',
  whenUnknown: 'unknown',
  reason: 'reasons',
  notice: 'reasons',
  shadow: 'activity',
  from: 'activity',
  until: 'activity',
  message: 'text',
  description: 'text',
  owner: 'text',
  tags: 'text',
} as const satisfies Record<keyof Rule, Aspect>;

/** What each key of a policy is about. */
export const POLICY_ASPECTS = {
  default: 'outcome',
  score: 'outcome',
  scoreNotices: 'reasons',
  defaultNotice: 'reasons',
  stages: 'activity',
  timeZone: 'activity',
  name: 'text',
  version: 'text',
  description: 'text',
  digest: 'text',
  facts: 'parts',
  rules: 'parts',
  guarantees: 'parts',
  conditions: 'parts',
  lists: 'parts',
  parameters: 'parts',
} as const satisfies Record<keyof Policy, Aspect>;

/** What each key of the definition of a fact is about: what a value means, which ones there are, or neither. */
export const FACT_ASPECTS = {
  type: 'meaning',
  format: 'meaning',
  isMailbox: 'meaning',
  values: 'values',
  personal: 'privacy',
  compute: 'meaning',
  velocity: 'meaning',
  range: 'values',
  past: 'meaning',
  description: 'text',
  label: 'text',
  unit: 'text',
  signal: 'text',
  origin: 'source',
  variable: 'source',
  composite: 'source',
  inputs: 'source',
} as const satisfies Record<keyof FactDefinition, string>;

/** What each key of a test is about: what it asks, or what follows from that. */
const TEST_ASPECTS = {
  fact: 'asked',
  operator: 'asked',
  argument: 'asked',
  other: 'asked',
  kind: 'derived',
  type: 'derived',
  expected: 'text',
  key: 'derived',
} as const satisfies Record<keyof Test, string>;

type Table = Readonly<Record<string, string>>;

/** The keys of a table that are about one of these aspects. */
type KeyAbout<Keys extends Table, About> = {
  [Key in keyof Keys]: Keys[Key] extends About ? Key & string : never;
}[keyof Keys];

/** The keys of a table that are about one of these aspects, in its order. */
export function keysAbout<Keys extends Table, About extends string>(
  table: Keys,
  ...aspects: readonly About[]
): readonly KeyAbout<Keys, About>[] {
  const wanted = new Set<string | undefined>(aspects);
  return Object.keys(table).filter((key): key is KeyAbout<Keys, About> => wanted.has(table[key]));
}

/** Gives texts that are equal for things whose values are equal as JSON. */
function createKey<Thing extends object, Key extends string>(
  keys: readonly Key[],
  read: (thing: Thing, key: Key) => unknown,
): (thing: Thing) => string {
  return cached((thing) => listKeyOf(keys.map((key) => read(thing, key) ?? null)));
}

/** The same as canonical JSON, faster where most values are plain. */
function listKeyOf(values: readonly unknown[]): string {
  return JSON.stringify(values.map((each) => (typeof each === 'object' && each !== null ? canonicalJson(each) : each)));
}

const ASKED_KEYS = keysAbout(TEST_ASPECTS, 'asked');

/** Equal for tests of the same fact, operator and folded argument, as evidence tells them apart. */
export function testKey(test: Pick<Test, (typeof ASKED_KEYS)[number]>): string {
  const values = { ...test, argument: identify(test.argument) };
  return listKeyOf(ASKED_KEYS.map((key) => values[key] ?? null));
}

/** Identifies patterns by their source, lists by their name, any other argument by its folded value. */
function identify(argument: Test['argument']): unknown {
  if (typeof argument !== 'object' || Array.isArray(argument)) return argument;
  if ('source' in argument) return { pattern: argument.source };
  return isNamedList(argument) ? { list: argument.name } : argument;
}

/** Equal for tests that ask the same: of several values, the order does not count. */
export function questionKey(test: Test): string {
  const { operator, argument } = test;
  if (!Array.isArray(argument) || operatorRow(operator).argument !== 'values') return test.key;
  return testKey({ ...test, argument: argument.toSorted() });
}

/** How tests and names in conditions are compared. */
interface ConditionReading {
  /** Equal for tests that ask the same; by default all that ask for the same values. */
  readonly test?: (test: Test) => string;
  /** Equal for named conditions that are the same; by default what their names stand for. */
  readonly named?: (name: string) => string;
}

/** Gives texts that are equal for conditions that ask the same, whatever the order of their parts. */
export function createConditionKey({ test, named }: ConditionReading = {}): (condition: Condition) => string {
  const join = (kind: string, parts: readonly Condition[]) => `${kind}(${parts.map(keyOf).sort().join()})`;
  const keyOf = cached((condition: Condition): string => {
    switch (condition.kind) {
      case 'test':
        return test?.(condition) ?? questionKey(condition);
      case 'named':
        return named?.(condition.name) ?? keyOf(condition.of[0]);
      case 'atLeastOf':
        return join(String(condition.count), condition.of);
      case 'all':
      case 'any':
      case 'not':
        return join(condition.kind, condition.of);
    }
  });
  return keyOf;
}

/** Gives texts that are equal for rules that are the same in these aspects. */
export function createRuleKey(aspects: readonly Aspect[], conditionKey = createConditionKey()): (rule: Rule) => string {
  return createKey(keysAbout(RULE_ASPECTS, ...aspects), (rule, key) =>
    key === 'when' ? conditionKey(rule.when) : effectValue(rule, key),
  );
}

/** A rule without points gives none. */
function effectValue(rule: Rule, key: keyof Rule): unknown {
  return key === 'points' ? (rule.points ?? 0) : rule[key];
}

/** Compares two things without their texts, which is faster for things that are compared once. */
function createEquality<Thing extends object, Key extends string>(
  keys: readonly Key[],
  read: (thing: Thing, key: Key) => unknown,
): (one: Thing, other: Thing) => boolean {
  return (one, other) => keys.every((key) => isSameValue(read(one, key), read(other, key)));
}

function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const areObjects = typeof one === 'object' && typeof other === 'object';
  return areObjects && listKeyOf([one]) === listKeyOf([other]);
}

/** What of policies is compared: what their rules do where they are true or unknown, and what is made of that. */
function compare<About extends Aspect>(...aspects: readonly About[]) {
  type Settings = Pick<Policy, KeyAbout<typeof POLICY_ASPECTS, About>>;
  const keys = keysAbout(POLICY_ASPECTS, ...aspects);
  const read = (policy: Settings, key: keyof Settings) => policy[key];
  return {
    /** Equal for rules that do the same. */
    effectOf: createRuleKey(aspects),
    isSameEffect: createEquality(keysAbout(RULE_ASPECTS, ...aspects), effectValue),
    /** Equal for policies that do the same with what their rules ask for. */
    settingsOf: createKey<Settings, keyof Settings>(keys, read),
    areSameSettings: createEquality<Settings, keyof Settings>(keys, read),
  };
}

/** What a policy decides. */
export const OUTCOME = compare('outcome', 'unknown');

/** What a policy decides where its conditions are known. */
export const KNOWN_OUTCOME = compare('outcome');

/** Equal for definitions of a fact that are the same in these aspects. */
export function definitionKey(
  definition: FactDefinition,
  ...aspects: readonly (typeof FACT_ASPECTS)[keyof typeof FACT_ASPECTS][]
): string {
  const { compute } = definition;
  return canonicalJson(
    keysAbout(FACT_ASPECTS, ...aspects).map((key) =>
      key === 'compute' && compute ? computationKey({ ...definition, compute }) : (definition[key] ?? null),
    ),
  );
}

/** The texts and blocks of a list, each with its last day or undefined, in its order. */
export function entriesOf({ entries, blocks }: NamedList): ReadonlyMap<string, string | undefined> {
  return new Map([...entries, ...(blocks?.all ?? []).map(({ value, until }) => [value, until] as const)]);
}

/** Equal for lists with the same entries, each with the same last day. */
export const listKey = createKey<NamedList, 'entries'>(['entries'], (list) => {
  return [...entriesOf(list)].map(([text, until]) => `${text} ${until ?? ''}`).sort();
});
