/** Tests, and what they are read with -> the text of a new file of tests. */

import { dirname, relative, sep } from 'node:path';
import { type CommentedTest, commentedLines } from './append-tests.ts';
import { flow } from './case-yaml.ts';

/** What a file of tests says of all its tests. */
export interface NewTestFile {
  /** Relative to the file. */
  readonly policies: readonly string[];
  readonly mapping?: string | undefined;
  /** yyyy-MM-dd. */
  readonly at: string;
  /** Sets of facts by name, as a test writes facts. */
  readonly facts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The text, with a line for each fact of a set. */
export function newTests({ policies, mapping, at, facts = {} }: NewTestFile, tests: readonly CommentedTest[]): string {
  const [policy] = policies;
  const sets = Object.entries(facts).flatMap(([name, set]) => {
    const lines = Object.entries(set).map(([path, value]) => `    ${flow(path)}: ${flow(value)}`);
    return [`  ${flow(name)}:`, ...lines];
  });
  const [, ...lines] = commentedLines(tests).map((line) => (line === '' ? line : `  ${line}`));
  const head = [
    `policy: ${flow(policies.length > 1 ? policies : policy)}`,
    ...(mapping === undefined ? [] : [`mapping: ${flow(mapping)}`]),
    `at: ${at}`,
    ...(sets.length > 0 ? ['', 'facts:', ...sets] : []),
  ];
  return `${[...head, '', 'tests:', ...lines].join('\n')}\n`;
}

/** The path of a file as a file of tests names it. */
export function pathFrom(testFile: string, path: string): string {
  return relative(dirname(testFile), path).split(sep).join('/');
}
