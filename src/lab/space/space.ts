/** Policies on a day -> the variables that their active rules read, and the truth of each test in their states. */

import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { withOperands } from '../../facts/compute.ts';
import type { Facts } from '../../facts/fact.ts';
import { type Condition, type Policy, type Rule, rulesInEffect, testsOf } from '../../policy/language.ts';
import { definitionKey } from '../../policy/sameness.ts';
import { CALENDAR, dayBefore } from './calendar.ts';
import { type AskedTest, SpaceBuilder, type States } from './space-builder.ts';
import type { StateSet, Variable } from './variable.ts';

/** One of the policies that are compared, with the rules in effect on the day. */
export interface Side {
  readonly policy: Policy;
  readonly rules: readonly Rule[];
}

/** Everything that the policies can tell apart on some days. */
export interface Space extends States {
  /** The first of the days. */
  readonly day: string;
  /** Ascending: more than one if the policies have a calendar. */
  readonly days: readonly string[];
  /** The index of the variable of the day; undefined for a single day. */
  readonly calendar: number | undefined;
  readonly sides: readonly Side[];
  /** Conditions that no rule has to have. */
  readonly conditions: readonly Condition[];
}

/**
 * Builds the space of policies and of further conditions, whose facts are those of the last policy, on a day, or on the
 * days of their calendar. Throws
 * REQUEST_INVALID for policies that declare a fact in ways that cannot be compared, and for a condition on a fact that
 * the last policy does not have.
 */
export function createSpace(policies: readonly Policy[], day: string, conditions: readonly Condition[] = []): Space {
  const sides = policies.map((policy): Side => ({ policy, rules: rulesInEffect(policy, day) }));
  const tests = new Map<string, AskedTest[]>();
  const read = new Map<string, Set<FactDefinition>>();
  /** Facts that are compared with others, or that others are computed from. */
  const joined = new Set<string>();
  const ask = (asking: readonly Condition[], { facts }: Policy) => {
    for (const test of new Set(asking.flatMap((condition) => [...testsOf(condition)]))) {
      const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
      if (test.other !== undefined || facts.get(test.fact)?.compute)
        for (const path of withOperands(paths, facts)) joined.add(path);
      for (const path of withOperands(paths, facts))
        getOrAdd(read, path, () => new Set()).add(definitionOf(path, facts));
      const [definition, other] = paths.map((path) => definitionOf(path, facts)) as [FactDefinition, FactDefinition?];
      getOrAdd(tests, test.fact, () => []).push({ test, definition, ...(other ? { other } : {}) });
    }
  };
  for (const { policy, rules } of sides) {
    ask(
      rules.map(({ when }) => when),
      policy,
    );
  }
  const last = policies.at(-1);
  if (last) ask(conditions, last);
  for (const [path, definitions] of read) checkComparable(path, definitions, joined.has(path));
  const table = jointTable(policies);
  const days = table.get(CALENDAR)?.values ?? [day];
  const builder = new SpaceBuilder(table, days);
  for (const [path, own] of tests) builder.add(path, own, [...(read.get(path) ?? [])]);
  return { ...builder.finish(), day, days, calendar: days.length > 1 ? 0 : undefined, sides, conditions };
}

/** The day of the decision in a state of each variable. */
export function dayIn({ calendar, days, day }: Space, states: readonly number[]): string {
  return (calendar === undefined ? undefined : days[(states[calendar] ?? 1) - 1]) ?? day;
}

/** Days, by state of the calendar: from the first one in some states to the one before the next that is not. */
export interface DayRange {
  readonly firstDay: string;
  /** Absent if it goes on. */
  readonly lastDay?: string;
}

/** The days of some states of the calendar, as ranges that are apart; one range for a space of one day. */
export function daysIn({ calendar, days, day }: Space, box: readonly StateSet[]): readonly [DayRange, ...DayRange[]] {
  const [, ...isIn] = (calendar === undefined ? undefined : box[calendar]) ?? [true, true];
  const ranges = days.flatMap((firstDay, i): readonly DayRange[] => {
    if (!isIn[i] || isIn[i - 1]) return [];
    const end = days[isIn.indexOf(false, i)];
    return [{ firstDay, ...(end === undefined ? {} : { lastDay: dayBefore(end) }) }];
  });
  const [first, ...others] = ranges;
  return [first ?? { firstDay: day }, ...others];
}

/** The state of each variable in which facts lie on a day, by the rules and entries of perhaps another one. */
export function statesOn(
  { variables, calendar }: Space,
  facts: Facts,
  day: string,
  inForceOn = day,
): readonly number[] {
  return variables.map((variable, i) => variable.find(facts, i === calendar ? inForceOn : day));
}

const spacesOnDays = new WeakMap<Space, Map<string, Space>>();

/** The space with facts that lie in the states on one of its days. */
export function onDay(space: Space, day: string): Space {
  if (day === space.day) return space;
  const onDays = spacesOnDays.get(space) ?? new Map<string, Space>();
  spacesOnDays.set(space, onDays);
  return getOrAdd(onDays, day, () => {
    const samples = new Map(space.samples);
    const variables = space.variables.map((variable): Variable => {
      const { path, states, factsOn } = variable;
      const ownFacts = factsOn?.get(day);
      if (ownFacts) samples.set(path, ownFacts.samples);
      return {
        ...variable,
        states: ownFacts ? states.map((state, i) => ({ ...state, fact: ownFacts.inStates[i] })) : states,
        find: (all, on = day) => variable.find(all, on),
      };
    });
    return { ...space, day, variables, samples };
  });
}

function definitionOf(path: string, facts: FactTable): FactDefinition {
  const definition = facts.get(path);
  if (!definition) throw new VerdictError('REQUEST_INVALID', `the policy has no fact ${path}`);
  return definition;
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

/**
 * The facts of all policies, by the definitions of the last that has them. An enum has the values of all, and a number
 * the range around all.
 */
export function jointTable(policies: readonly Policy[]): FactTable {
  const table = new Map<string, FactDefinition>();
  for (const [path, definition] of policies.flatMap(({ facts }) => [...facts])) {
    const other = table.get(path);
    const own = definition.values ?? [];
    const values = [...new Set([...own, ...(other?.values ?? [])])];
    const { range: _, ...joint } = values.length > own.length ? { ...definition, values } : definition;
    const range = other ? rangeAround(definition, other) : definition.range;
    table.set(path, range ? { ...joint, range } : joint);
  }
  return table;
}

function rangeAround({ range: one }: FactDefinition, { range: other }: FactDefinition): FactDefinition['range'] {
  return one && other && [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
}

/**
 * Throws REQUEST_INVALID unless values of a fact mean the same by all of its definitions. A joined fact has to have the
 * same range too: what other facts mean beside it would depend on the policy.
 */
export function checkComparable(path: string, definitions: Iterable<FactDefinition>, isJoined = false): void {
  const keyOf = (each: FactDefinition) => `${definitionKey(each, 'meaning')} ${isJoined ? each.range?.join() : ''}`;
  if (new Set([...definitions].map(keyOf)).size === 1) return;
  const message = `the policies declare ${path} in ways that cannot be compared`;
  throw new VerdictError('REQUEST_INVALID', `${message}; give it another name in one of them`);
}
