/** What a file of tests says of all its tests -> the same for a new file, with the sets of facts that it uses. */

import { readFacts } from '../../facts/read.ts';
import type { TestHead } from '../test/read-tests.ts';
import type { CommentedTest } from './writing/append-tests.ts';
import { type NewTestFile, pathFrom } from './writing/new-tests.ts';
import { writtenFact } from './writing/written-values.ts';

/** The head of a policy in the new file, which has no tests and sets no parameters. */
export function ofNewFile(file: string, head: TestHead, policies: number): TestHead {
  const named = policies > 1 ? pathFrom(file, head.tested.path) : undefined;
  return { ...head, named, parameters: {}, names: new Set() };
}

/** The beginning of the new file; `heads` are those of one file, one for each policy. */
export function headOfNew(file: string, heads: readonly TestHead[], tests: readonly CommentedTest[]): NewTestFile {
  const [first] = heads as readonly [TestHead];
  const used = new Set(tests.flatMap(({ test }) => test.from ?? []));
  const mapping = first.mappingPath === undefined ? undefined : pathFrom(file, first.mappingPath);
  return {
    policies: heads.map(({ tested }) => pathFrom(file, tested.path)),
    ...{ mapping, at: first.at },
    facts: Object.fromEntries(first.sets.filter((set) => used.has(set)).map((set) => [set, setOf(set, heads)])),
  };
}

/** The facts that a set gives, those of each policy's own among them. */
function setOf(set: string, heads: readonly TestHead[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    heads.flatMap(({ factsOf, at, policy }) => {
      const given = factsOf(set, at);
      const facts = readFacts(given, policy.facts, at);
      return [...given.keys()].map((path) => {
        const fact = facts.get(path) ?? { missing: 'notGiven' };
        return [path, writtenFact(path, fact, at, policy.facts)];
      });
    }),
  );
}
