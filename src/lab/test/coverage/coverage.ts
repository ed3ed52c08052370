/** A policy and cases -> what the cases reach of it, and what they do not. */

import { matcherOf } from '../../../decision/matcher/matcher.ts';
import { evaluate, TRUE } from '../../../decision/meaning/truth.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Place } from '../../../diagnostics.ts';
import type { Facts } from '../../../facts/fact.ts';
import { readAgain, readFacts } from '../../../facts/read.ts';
import { optionsReader, readArgument } from '../../../platform/given/options.ts';
import { isNamedList } from '../../../policy/arguments.ts';
import {
  type Condition,
  factsOf,
  isActive,
  type Policy,
  type Rule,
  type Test,
  testsOf,
} from '../../../policy/language.ts';
import { createConditionKey, createRuleKey, definitionKey, listKey, questionKey } from '../../../policy/sameness.ts';
import { POLICY, spanOf } from '../../../policy/source-map.ts';
import { Counters, type DayCounts } from './counters.ts';
import { type CoverageKind, type Goal, type Item, itemsOf, KINDS } from './items.ts';

/** A case of a test. */
export interface CoverageCase {
  /** As `readFacts` takes them; facts that are not given are derived. */
  readonly facts: Facts;
  /** The day of the decision, yyyy-MM-dd. */
  readonly at: string;
  /** The same policy with other values of its parameters, if the case is decided by them. */
  readonly policy?: Policy;
}

export interface CoverageOptions {
  /** An earlier version: only what means something else since then is counted. */
  readonly since?: Policy;
}

/** A part of a policy, and how often the cases reached what can happen to it. What cannot happen is left out. */
export interface CoverageItem {
  readonly kind: CoverageKind;
  /** The id of a rule, a test or a border in words, the name of a condition, a band. */
  readonly name: string;
  /** Undefined for the score and the default. */
  readonly place: Place | undefined;
  /** The ids of the rules that it belongs to. */
  readonly rules: readonly string[];
  /** What can happen, such as `fires` or `unknown`, with the number of cases in which it did. */
  readonly goals: readonly { readonly name: string; readonly count: number }[];
}

/** What the cases reach of a policy. */
export interface Coverage {
  readonly policy: { readonly name: string; readonly version: string };
  /** The number of cases. */
  readonly cases: number;
  /** The number of goals, and of those that a case reached. The share of a policy is their ratio. */
  readonly goals: number;
  readonly reached: number;
  readonly items: readonly CoverageItem[];
}

/** The share of goals that are reached, in percent, rounded down: 100 is all of them. Without a goal it is 100. */
export function shareOf({ goals, reached }: Pick<Coverage, 'goals' | 'reached'>): number {
  return goals === 0 ? 100 : Math.floor((1000 * reached) / goals) / 10;
}

/** The goals of an item that no case reached. */
export function gapsOf({ goals }: CoverageItem): readonly string[] {
  return goals.flatMap(({ name, count }) => (count === 0 ? [name] : []));
}

/** The goals of each kind that the policy has, in the order of `KINDS`. */
export function kindsOf({ items }: Coverage) {
  return (Object.keys(KINDS) as CoverageKind[]).flatMap((kind) => {
    const goals = items.filter((item) => item.kind === kind).flatMap((item) => item.goals);
    const reached = goals.filter(({ count }) => count > 0).length;
    return goals.length === 0 ? [] : [{ kind, goals: goals.length, reached }];
  });
}

/** Counts what cases reach of one policy. */
export class CoverageCounter {
  readonly #policy: Policy;
  readonly #since: Policy | undefined;
  /** The rules that only the earlier version has, each with the number of cases in which it would have fired. */
  readonly #removed = new Map<Rule, number>();
  /** The policy, and the same with other values of its parameters. */
  readonly #views = new Map<Policy, View>();

  constructor(policy: Policy, { since }: CoverageOptions = {}) {
    this.#policy = policy;
    this.#since = since;
    for (const rule of since ? rulesRemoved(since, policy) : []) this.#removed.set(rule, 0);
    this.#viewOf(policy);
  }

  /** Counts a case that was decided. `facts` are as `readFacts` gives them, `by` is the policy that decided it. */
  add(verdict: Verdict, facts: Facts, day: string, by: Policy = this.#policy): void {
    this.#viewOf(by).counters.add(verdict, facts, day);
    if (!this.#since || this.#removed.size === 0) return;
    const before = readAgain(facts, this.#since.facts, day);
    for (const [rule, count] of this.#removed) {
      if (isActive(rule, day) && evaluate(rule.when, before, day) === TRUE) this.#removed.set(rule, count + 1);
    }
  }

  /** What the cases reached so far. */
  coverage(): Coverage {
    const { name, version } = this.#policy;
    const removed = [...this.#removed].map(([rule, count]): CoverageItem => {
      const goals = [{ name: 'fired before', count }];
      return { kind: 'removed', name: rule.id, place: undefined, rules: [], goals };
    });
    const items = [...this.#covered().map(({ item }) => item), ...removed];
    const all = items.flatMap(({ goals }) => goals);
    return {
      policy: { name, version },
      cases: this.#days().reduce((sum, [, { cases }]) => sum + cases, 0),
      goals: all.length,
      reached: all.filter(({ count }) => count > 0).length,
      items,
    };
  }

  /** The goals that no case reached so far, apart from those of removed rules: the policy has no words for them. */
  gaps(): readonly Gap[] {
    return this.#covered().flatMap(({ of, item }) =>
      of.goals.flatMap((goal, i) => (item.goals[i]?.count === 0 ? { item: of, goal } : [])),
    );
  }

  /** The texts of the files that the items are from, by name. */
  texts(): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const { of, item } of this.#covered()) {
      const span = of.subject && spanOf(of.subject);
      if (span && item.place) texts.set(item.place.file, span.source.ofFile.text);
    }
    return texts;
  }

  #days(): readonly (readonly [string, DayCounts])[] {
    return [...this.#views.values()].flatMap(({ counters }) => [...counters.days]);
  }

  #covered(): readonly { readonly of: Item; readonly item: CoverageItem }[] {
    const { rules } = this.#policy;
    const views = [...this.#views.values()];
    const [firstDay] = this.#days()
      .map(([day]) => day)
      .sort();
    const ended = endedBefore(this.#policy, firstDay);
    const isCounted = this.#since ? changedSince(this.#since, this.#policy) : () => true;
    const counted = this.#viewOf(this.#policy).items.filter(
      (item) => isCounted(item) && !item.rules?.every((rule) => ended.has(rule)),
    );
    return counted.map((of) => {
      const { key, kind, name, place, goals } = of;
      const same = views.flatMap(({ byKey, counters }) => {
        const found = byKey.get(key);
        return found ? { found, days: counters.days } : [];
      });
      const count = (goal: string) =>
        same.reduce((sum, { found, days }) => sum + countOf(found, goal, days.values()), 0);
      const item = {
        ...{ kind, name, place },
        rules: of.rules?.map((rule) => rules[rule]?.id ?? '') ?? [],
        goals: goals.map((goal) => ({ name: goal.name, count: count(goal.name) })),
      };
      return { of, item };
    });
  }

  #viewOf(policy: Policy): View {
    const cached = this.#views.get(policy);
    if (cached) return cached;
    const counters = new Counters(policy);
    // What cannot happen is left out of the policy's own items; those of the others are only looked up.
    const items = itemsOf(counters, { isExact: policy === this.#policy });
    const view = { counters, items, byKey: new Map(items.map((item) => [item.key, item])) };
    this.#views.set(policy, view);
    return view;
  }
}

/** A goal of an item. */
export interface Gap {
  readonly item: Item;
  readonly goal: Goal;
}

interface View {
  readonly counters: Counters;
  readonly items: readonly Item[];
  readonly byKey: ReadonlyMap<string, Item>;
}

/** How many cases reached a goal of an item, on the days on which one of its rules is active. */
export function countOf({ goals, rules }: Item, name: string, days: Iterable<DayCounts>): number {
  const goal = goals.find((each) => each.name === name);
  let sum = 0;
  for (const day of days) {
    if (goal && (!rules || rules.some((rule) => day.isActive[rule]))) sum += goal.countOn(day);
  }
  return sum;
}

/** The rules that ended before the first day of the cases: they no longer have to be tested. */
function endedBefore({ rules }: Policy, firstDay: string | undefined): ReadonlySet<number> {
  const hasEnded = (until: string | undefined) => until !== undefined && firstDay !== undefined && until < firstDay;
  return new Set(rules.flatMap(({ until }, i) => (hasEnded(until) ? [i] : [])));
}

const readOptions = optionsReader<CoverageOptions>('the options of the coverage', { 'since?': POLICY });

/**
 * What cases reach of a policy. They are decided by the policy, or by what they name in `policy`, which has to be the
 * same with other values of its parameters. Throws REQUEST_INVALID for facts or a day that cannot be read.
 */
export function coverage(policy: Policy, cases: Iterable<CoverageCase>, options: CoverageOptions = {}): Coverage {
  readArgument('the policy', POLICY, policy);
  const counter = new CoverageCounter(policy, readOptions(options));
  for (const { facts: given, at, policy: by = policy } of cases) {
    const facts = readFacts(given, by.facts, at);
    counter.add(matcherOf(by).verdict(facts, at), facts, at, by);
  }
  return counter.coverage();
}

/** Tells which items an edit touched: by what they mean, whatever they are called and wherever they stand. */
export function changedSince(old: Policy, now: Policy): (item: Item) => boolean {
  const [before, after] = [meaningsIn(old), meaningsIn(now)];
  const same = new Set(old.rules.map(before.ofRule));
  const isNew = now.rules.map((rule) => !same.has(after.ofRule(rule)));
  const oldRules = new Map(old.rules.map((rule) => [rule.id, rule]));
  const cache = new Map<Rule, ReadonlySet<string>>();
  const testsBefore = (rule: Rule): ReadonlySet<string> => {
    const was = oldRules.get(rule.id);
    const tests = cache.get(rule) ?? new Set(was && [...testsOf(was.when)].map(before.ofCondition));
    cache.set(rule, tests);
    return tests;
  };
  const others = (policy: Policy): Readonly<Record<string, unknown>> => ({
    'band review': policy.score.review,
    'band reject': policy.score.reject,
    'notice review': policy.scoreNotices.review,
    'notice reject': policy.scoreNotices.reject,
    'notice default': policy.defaultNotice,
  });
  const [othersBefore, othersAfter] = [others(old), others(now)];
  return ({ key, kind, rules, subject }) => {
    if (!rules) return JSON.stringify(othersBefore[key]) !== JSON.stringify(othersAfter[key]);
    if (kind === 'condition') return after.ofCondition(subject as Condition) !== before.ofName(key);
    const touched = rules.filter((rule) => isNew[rule]).map((rule) => now.rules[rule] as Rule);
    if (kind !== 'test' && kind !== 'border') return touched.length > 0;
    const meaning = after.ofCondition(subject as Test);
    return touched.some((rule) => !testsBefore(rule).has(meaning));
  };
}

/** The rules that an edit removed, apart from those that read a fact which is gone too. */
function rulesRemoved(old: Policy, now: Policy): readonly Rule[] {
  const [before, after] = [meaningsIn(old), meaningsIn(now)];
  const meanings = new Set(now.rules.map(after.ofRule));
  const ids = new Set(now.rules.map(({ id }) => id));
  const isGone = (rule: Rule) => !rule.shadow && !ids.has(rule.id) && !meanings.has(before.ofRule(rule));
  return old.rules.filter((rule) => isGone(rule) && [...factsOf(rule.when)].every((path) => now.facts.has(path)));
}

/** Texts that are equal for rules and conditions of one meaning. */
function meaningsIn({ facts, conditions }: Policy) {
  const formOf = (path: string | undefined) => {
    const definition = path === undefined ? undefined : facts.get(path);
    return definition ? definitionKey(definition, 'meaning', 'values') : '';
  };
  const ofCondition = createConditionKey({
    test: (test) => {
      const { fact, other, argument } = test;
      return [questionKey(test), isNamedList(argument) ? listKey(argument) : '', formOf(fact), formOf(other)].join(' ');
    },
  });
  return {
    ofCondition,
    ofRule: createRuleKey(['condition', 'outcome', 'unknown', 'reasons', 'activity'], ofCondition),
    /** Of a named condition, by the key of its item. */
    ofName: (key: string) => {
      const condition = conditions.get(key.replace(/^condition /, ''));
      return condition && ofCondition(condition);
    },
  };
}
