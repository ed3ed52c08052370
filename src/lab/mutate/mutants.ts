/** A policy -> its mutants, those of one meaning once; and what is not mutated. */

import type { Span } from '../../platform/files/source.ts';
import { isActive, type Policy, type Rule, testsOf } from '../../policy/language.ts';
import { spanOf } from '../../policy/source-map.ts';
import { draftsOf, type RuleAt, type WithParameters } from './drafts.ts';
import { entriesToDrop, listsAsked } from './entry-mutations.ts';
import { changeKey, changesSettings, type Mutant } from './mutant.ts';

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

/** The mutants that decisions on some days can show, in the order of the policy. */
export function mutantsOf(policy: Policy, days: readonly string[], read: WithParameters): Mutants {
  const isOf = ({ from, until }: Rule) => days.some((day) => isActive({ from, until } as Rule, day));
  const asked = policy.rules.flatMap((rule, at) => (isOf(rule) ? { rule, at } : []));
  const seen = new Set<string>();
  const mutants = draftsOf(policy, asked, read).flatMap((draft): Mutant[] => {
    const change = draft.changeIn(policy);
    if (!change) return [];
    const key = draft.key ?? changeKey(change);
    const changed = [...change.rules.keys()].map((at) => policy.rules[at] as Rule);
    // Without a rule that is in effect on one of the days, nothing shows.
    const isIdle = !changed.some(isOf) && !changesSettings(policy, change);
    if (isIdle || seen.has(key)) return [];
    seen.add(key);
    const [first] = changed;
    const span = draft.at ?? (draft.about && spanOf(draft.about)) ?? (first && spanOf(first));
    return [{ ...draft, key, change, ...placed(span, draft.before), rules: changed.map(({ id }) => id) }];
  });
  return { mutants, notMutated: leftOut(policy, asked) };
}

/** Where an edit is: what it replaces, such as `then: review`, if that is written once in what has a position. */
function placed(span: Span | undefined, before: string): Pick<Mutant, 'span' | 'place'> {
  if (!span) return { span, place: undefined };
  const { source, start, end } = span;
  // The position of a key ends before its value.
  const text = source.text.startsWith(before, start) ? before : source.text.slice(start, end);
  const [at, last] = [text.indexOf(before), text.lastIndexOf(before)];
  const isOnce = at >= 0 && at === last;
  const found = isOnce ? { source, start: start + at, end: start + at + before.length } : span;
  return { span: found, place: source.placeOf(found.start, found.end) };
}

function leftOut(policy: Policy, asked: readonly RuleAt[]): readonly NotMutated[] {
  const tests = new Set(asked.flatMap(({ rule }) => (rule.shadow ? [] : [...testsOf(rule.when)])));
  const ofKinds = (...operators: readonly string[]) =>
    [...tests].filter(({ operator }) => operators.includes(operator)).length;
  const entries = [...listsAsked(policy, tests).values()].reduce((sum, [list]) => sum + entriesToDrop(list).left, 0);
  const found: readonly NotMutated[] = [
    {
      ...{ what: 'rules not active on the days of the tests', count: policy.rules.length - asked.length },
      why: 'no test can see them',
    },
    {
      ...{ what: 'rules in shadow mode', count: policy.rules.filter(({ shadow }) => shadow).length },
      why: 'only made live: no test can expect what they do',
    },
    { what: 'patterns', count: ofKinds('matches'), why: 'only negated: nobody can tell which other one is near' },
    { what: 'searched texts', count: ofKinds('startsWith', 'endsWith', 'contains'), why: 'only negated' },
    { what: 'list entries', count: entries, why: 'only lists of up to ten entries are tested entry by entry' },
  ];
  return found.filter(({ count: number }) => number > 0);
}
