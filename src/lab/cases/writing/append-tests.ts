/** The text of a file of tests, and further tests -> the text with them at the end of `tests`. */

import { Source } from '../../../platform/files/source.ts';
import { parseYaml, type Yaml } from '../../../platform/yaml.ts';
import { testLines, type WrittenTest } from './case-yaml.ts';

/** A test, and the comment above it. */
export interface CommentedTest {
  readonly test: WrittenTest;
  readonly comment?: string | undefined;
}

/** Tests as lines, with an empty one before each; without indentation. */
export function commentedLines(tests: readonly CommentedTest[]): readonly string[] {
  return tests.flatMap(({ test, comment }) => [
    '',
    ...(comment === undefined ? [] : [`# ${comment}`]),
    ...testLines(test),
  ]);
}

/** Undefined if the file has no list of tests with a line for each, below which others can be written. */
export function appendTests(text: string, tests: readonly CommentedTest[]): string | undefined {
  const list = testsIn(text);
  const last = list?.items.at(-1);
  if (!list || !last || text[list.start] !== '-') return undefined;
  const lineEnd = text.indexOf('\n', Math.max(last.end - 1, 0));
  const at = lineEnd < 0 ? text.length : lineEnd + 1;
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = ' '.repeat(list.start - (text.lastIndexOf('\n', list.start) + 1));
  const lines = commentedLines(tests).map((line) => (line === '' ? line : indent + line));
  const added = lines.map((line) => line + newLine).join('');
  const whole = text.slice(0, at) + (lineEnd < 0 ? newLine : '') + added + text.slice(at);
  // A last test that ends otherwise than expected would swallow what is below it.
  return testsIn(whole)?.items.length === list.items.length + tests.length ? whole : undefined;
}

function testsIn(text: string): Extract<Yaml, { kind: 'list' }> | undefined {
  const root = parseYaml(new Source('', text, []));
  const list = root?.kind === 'map' ? root.entries.get('tests')?.value : undefined;
  return list?.kind === 'list' ? list : undefined;
}

/** The name, with a number if another test has it. */
export function unusedName(name: string, taken: ReadonlySet<string>): string {
  let found = name;
  for (let n = 2; taken.has(found); n++) found = `${name} (${n})`;
  return found;
}
