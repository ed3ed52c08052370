/** Files of tests -> for each policy, tests of what no case reaches, with today's decision as what they expect. */

import { TRUE } from '../../decision/meaning/truth.ts';
import { type Fact, isMissing } from '../../facts/fact.ts';
import { FLAG, listOf, optionsReader, readArgument, TEXT } from '../../platform/given/options.ts';
import { toNumber } from '../../policy/cells/sample-values.ts';
import type { Policy } from '../../policy/language.ts';
import { DEFAULT_STEPS, MOST_RULES_IN_NAME } from '../limits.ts';
import { STEPS } from '../question/reasoner.ts';
import { Steps } from '../steps.ts';
import type { Gap } from '../test/coverage/coverage.ts';
import { type CoverageKind, itemWords } from '../test/coverage/items.ts';
import { type TestHead, TestReader } from '../test/read-tests.ts';
import { readTests, runCases, TestCoverage } from '../test/run-tests.ts';
import { type Candidate, type Chosen, PATTERN_CAUSE } from './candidates.ts';
import { type SuggestedCases, suggestCases } from './suggest-cases.ts';
import {
  EXPECTED,
  expectationOf,
  takeName,
  testLines,
  type WrittenTest,
  writtenFact,
  writtenFacts,
} from './test-yaml.ts';

/** How tests are suggested. */
export interface SuggestOptions {
  /** Whether `only: true` is allowed, which leaves the other cases out. Default: true. */
  readonly allowOnly?: boolean;
  /** After so many steps of the solver, no more cases of a policy are sought. 30,000,000 by default. */
  readonly steps?: number;
}

/** A test for a person to confirm: it expects what is decided today. */
export interface Suggestion {
  readonly name: string;
  /** The test as an item of `tests` in its file, with a final line break. */
  readonly yaml: string;
  /** The goals that it is the first to reach, such as `rule voip fires`. */
  readonly reaches: readonly string[];
}

/** What is suggested for one policy. */
export interface PolicySuggestions {
  /** The file of tests that the tests belong in: they start from its sets of facts. */
  readonly file: string;
  readonly policy: { readonly name: string; readonly version: string };
  readonly tests: readonly Suggestion[];
  /** The goals that are unreachable on the day of the tests, or when their rule is active, proved. */
  readonly unreachable: readonly string[];
  /** The goals that take a value of a personal fact which the policy or one of its lists names: none is suggested. */
  readonly withheld: readonly string[];
  /** The goals for which no case was found. */
  readonly open: readonly string[];
  /** Why nothing was proved and fewer cases were found: the solver is not installed. Undefined if it was not missed. */
  readonly unproved: string | undefined;
}

const PATHS = listOf(TEXT, 'a list of paths');

const readOptions = optionsReader<SuggestOptions>('the options of the suggestions', {
  ...{ 'allowOnly?': FLAG, 'steps?': STEPS },
});

/** Suggests few tests that reach what the tests in files and folders do not. Throws as `runTests` does. */
export async function suggestTests(
  paths: readonly string[],
  options: SuggestOptions = {},
): Promise<readonly PolicySuggestions[]> {
  const { allowOnly = true, steps = DEFAULT_STEPS } = readOptions(options);
  readArgument('the paths', PATHS, paths);
  const reader = new TestReader({ allowOnly });
  const coverage = new TestCoverage();
  runCases(readTests(paths, reader), { coverage });
  const suggestions: PolicySuggestions[] = [];
  for (const { file, head } of headOfEach(reader.heads)) {
    const { name, version } = head.tested.policy;
    const suggested = await suggestCases(head, coverage.gapsOf(head.tested), new Steps(steps));
    suggestions.push({
      ...{ file, policy: { name, version }, unproved: suggested.unproved },
      tests: suggestedTests(suggested, head).map(({ test, reaches }) => {
        return { name: test.name, yaml: `${testLines(test).join('\n')}\n`, reaches };
      }),
      unreachable: suggested.unreachable.map(goalWords),
      withheld: suggested.withheld.map(goalWords),
      open: suggested.open.map(goalWords),
    });
  }
  return suggestions;
}

/** For each policy, the file of tests that its suggestions are for: one that sets no parameters, if there is one. */
export function headOfEach<Head extends { readonly head: TestHead }>(heads: readonly Head[]): readonly Head[] {
  const byPolicy = Map.groupBy(heads, ({ head }) => head.tested.policy);
  return [...byPolicy.values()].flatMap((own) => {
    const plain = own.find(({ head }) => Object.keys(head.parameters).length === 0);
    return plain ?? own.slice(0, 1);
  });
}

/** A test, and what it is the first to reach, in words. */
export interface SuggestedTest {
  readonly test: WrittenTest;
  readonly reaches: readonly string[];
}

/** The tests of a file: cases that change one fact are rows of a table. */
export function suggestedTests({ gaps, chosen }: SuggestedCases, head: TestHead): readonly SuggestedTest[] {
  const taken = new Set(head.names);
  const groups = Map.groupBy(chosen, ({ candidate }) => groupOf(candidate) ?? candidate);
  return [...groups.values()].map((group): SuggestedTest => {
    const goals = group.flatMap((each) => each.goals).map((goal) => gaps[goal] as Gap);
    const [first] = group as [Chosen];
    const { at, from, missing } = first.candidate;
    const parameters = ownParameters(head);
    const shared = { policy: head.named, at: at === head.at ? undefined : at, with: parameters, from };
    const reaches = goals.map(goalWords);
    const [path] = first.candidate.facts.keys();
    if (group.length > 1 && path !== undefined) {
      const table = tableOf(path, group, head.tested.policy);
      return { test: { name: takeName(`the decision by ${path}`, taken), ...shared, table }, reaches };
    }
    const test = {
      name: takeName(nameOf(first, goals, head.tested.policy), taken),
      ...shared,
      missing: Object.fromEntries(missing.map((pattern) => [pattern, PATTERN_CAUSE])),
      facts: writtenFacts(first.candidate.facts, at, head.tested.policy.facts),
      expect: expectationOf(first.candidate.verdict, head.tested.policy),
    };
    return { test, reaches };
  });
}

/** A goal in words: `rule voip fires`, `phone.type is voip: unknown`. */
export function goalWords({ item, goal }: Gap): string {
  const isSentence = item.kind === 'rule' || item.kind === 'row' || item.kind === 'final';
  const verb = goal.name === 'undetermined' ? 'is undetermined' : goal.name;
  return isSentence ? `${itemWords(item)} ${verb}` : `${itemWords(item)}: ${goal.name}`;
}

/** Cases with one key are rows of one table. */
function groupOf({ at, from, missing, facts }: Candidate): string | undefined {
  const [path, ...others] = facts.keys();
  const isOne = path !== undefined && others.length === 0 && missing.length === 0;
  return isOne ? JSON.stringify([at, from, path]) : undefined;
}

function tableOf(path: string, group: readonly Chosen[], policy: Policy): NonNullable<WrittenTest['table']> {
  const definition = policy.facts.get(path);
  const factOf = ({ candidate }: Chosen) => candidate.facts.get(path) as Fact;
  const rank = (fact: Fact) =>
    (isMissing(fact) || !definition ? undefined : toNumber(fact.value, definition)) ?? Number.POSITIVE_INFINITY;
  const rows = group
    .toSorted((one, other) => rank(factOf(one)) - rank(factOf(other)) || 0)
    .map((each) => ({
      fact: writtenFact(path, factOf(each), each.candidate.at, policy.facts),
      expect: expectationOf(each.candidate.verdict, policy),
    }));
  const columns = EXPECTED.filter((key) => rows.some(({ expect }) => key in expect));
  return {
    columns: [path, ...columns],
    rows: rows.map(({ fact, expect }) => [fact, ...columns.map((key) => expect[key] ?? null)]),
  };
}

/** What a case shows, in words. */
function nameOf({ candidate }: Chosen, goals: readonly Gap[], policy: Policy): string {
  const { missing, facts, from, at } = candidate;
  if (missing.includes('*') || (from === undefined && facts.size === 0)) return 'nothing is known';
  if (missing.length > 0) return `nothing is known of ${missing.map((pattern) => pattern.slice(0, -2)).join(', ')}`;
  if (facts.size === 0) return `the facts of ${from}, as they are`;
  const fire = goals.flatMap(({ item, goal }) =>
    (item.kind === 'rule' || item.kind === 'row') && goal.truth === TRUE ? item.name : [],
  );
  if (fire.length > 1) return `${shortList(fire, MOST_RULES_IN_NAME, 'rule')} fire`;
  const [[path, fact]] = [...facts] as [[string, Fact]];
  if (fire.length === 0 && facts.size === 1) {
    const value = writtenFact(path, fact, at, policy.facts);
    return `${path} is ${isMissing(fact) ? 'missing' : String(value)}`;
  }
  const told = goals.find(({ item }) => item.name === fire[0]) ?? goals.toSorted(byKind)[0];
  return told ? goalWords(told) : 'a case';
}

/** What says most of a case first. */
function byKind(one: Gap, other: Gap): number {
  return TELLING.indexOf(one.item.kind) - TELLING.indexOf(other.item.kind);
}

const TELLING: readonly CoverageKind[] = ['final', 'rule', 'row', 'band', 'condition', 'notice', 'border', 'test'];

/** The policy's own values of the parameters that the file of tests sets otherwise. */
function ownParameters({ parameters, tested }: TestHead): WrittenTest['with'] {
  const names = Object.keys(parameters);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, tested.policy.parameters.get(name)?.value]));
}

/** `a, b and 3 more goals`. */
export function shortList(words: readonly string[], most: number, thing: string): string {
  const rest = words.length - most;
  const shown = [...words.slice(0, most), ...(rest > 0 ? [`${rest} more ${thing}${rest === 1 ? '' : 's'}`] : [])];
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : (shown[0] ?? '');
}
