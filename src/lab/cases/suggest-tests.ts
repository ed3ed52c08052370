/** Files of tests -> for each policy, tests of what no case reaches. */

import { FLAG, listOf, milliseconds, optionsReader, readArgument, TEXT } from '../../given/options.ts';
import { type TestHead, TestReader } from '../test/read-tests.ts';
import { readTests, runCases } from '../test/run-tests.ts';
import { TestCoverage } from '../test/test-coverage.ts';
import { suggestCases } from './suggest-cases.ts';
import { goalWords, suggestedTests } from './suggested-tests.ts';
import { testLines } from './test-yaml.ts';

/** How tests are suggested. */
export interface SuggestOptions {
  /** Whether `only: true` is allowed, which leaves the other cases out. Default: true. */
  readonly allowOnly?: boolean;
  /** After this time, in milliseconds, no more cases of a policy are sought. 60,000 by default. */
  readonly timeoutMs?: number;
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
  /** The goals that nobody can reach on the day of the tests, or when their rule is active, proved. */
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
  ...{ 'allowOnly?': FLAG, 'timeoutMs?': milliseconds(1) },
});

/** Suggests few tests that reach what the tests in files and folders do not. Throws as `runTests` does. */
export async function suggestTests(
  paths: readonly string[],
  options: SuggestOptions = {},
): Promise<readonly PolicySuggestions[]> {
  const { allowOnly = true, timeoutMs = 60_000 } = readOptions(options);
  readArgument('the paths', PATHS, paths);
  const reader = new TestReader({ allowOnly });
  const coverage = new TestCoverage();
  runCases(readTests(paths, reader), { coverage });
  const suggestions: PolicySuggestions[] = [];
  for (const { file, head } of headOfEach(reader.heads)) {
    const { name, version } = head.tested.policy;
    const found = await suggestCases(head, coverage.gapsOf(head.tested), { timeoutMs });
    suggestions.push({
      ...{ file, policy: { name, version }, unproved: found.unproved },
      tests: suggestedTests(found, head).map(({ test, reaches }) => {
        return { name: test.name, yaml: `${testLines(test).join('\n')}\n`, reaches };
      }),
      unreachable: found.unreachable.map(goalWords),
      withheld: found.withheld.map(goalWords),
      open: found.open.map(goalWords),
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
