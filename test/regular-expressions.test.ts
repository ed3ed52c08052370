/** Every regular expression of `src` takes linear time, or sees short texts only: which, and how short, is named. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it, test } from 'vitest';
import { isLinear } from './support/backtracking.ts';

const SRC = resolve(import.meta.dirname, '../src');

/** Quadratic time on so many characters is half a second at most. */
const TEXT = 'a text of a file or a comment: 10,000 characters (MAX_TEXT)';
const LINE = 'a line that is corrected: 2,000 characters (LONGEST_LINE), or a text (MAX_TEXT)';
const SAMPLE = 'a pattern that RE2 takes, a text of a policy: 10,000 characters (MAX_TEXT)';
const OWN = 'what this program has written or ships';
const ANSWER = 'names and texts of captured answers, on a command line of their owner';

/** By file, how many expressions may take longer, and why their texts are short. */
const EXCEPTIONS: Readonly<Record<string, readonly [count: number, bound: string]>> = {
  'cli/commands/init-project.ts': [1, OWN],
  'cli/commands/service/trial.ts': [1, OWN],
  'decision/sql/pattern.ts': [1, SAMPLE],
  'diagnostics.ts': [1, 'a message, which is clipped'],
  'facts/declare.ts': [1, TEXT],
  'facts/mapping/status-gaps.ts': [1, ANSWER],
  'facts/mapping/value/day-format.ts': [1, 'the names of formats of days'],
  'facts/mapping/value/spelling-key.ts': [1, 'a folded text: 4,096 bytes (MAX_TEXT_BYTES)'],
  'platform/formats/domain.ts': [2, 'the text of a domain: 506 characters (MAX_LENGTH)'],
  'lab/test/mistakes.ts': [2, TEXT],
  'platform/files/allowance.ts': [2, TEXT],
  'platform/files/source.ts': [1, 'the name of a file: 10,000 characters (MAX_TEXT)'],
  'platform/syntax/keys-and-values.ts': [9, LINE],
  'platform/syntax/line-patterns.ts': [17, LINE],
  'platform/syntax/page.ts': [3, LINE],
  'platform/syntax/shapes.ts': [2, LINE],
  'policy/cells/sample-values.ts': [3, SAMPLE],
  'policy/check/text-checks.ts': [1, TEXT],
  'policy/read/list.ts': [1, 'the rest of a text, which always matches'],
  'policy/read/message.ts': [1, TEXT],
  'policy/read/mistakes/lists.ts': [4, TEXT],
  'policy/read/policy-keys.ts': [1, TEXT],
  'policy/read/tables/row.ts': [1, TEXT],
  'policy/read/values/parameters.ts': [1, TEXT],
  'report/diff.ts': [1, OWN],
  'report/formats/sarif.ts': [1, OWN],
  'signals/http/connection.ts': [1, 'a setting of the service: a file of certificates'],
  'signals/read-options.ts': [1, 'a setting of the service: its address'],
  'lab/suggest/names/json-path.ts': [2, ANSWER],
  'lab/suggest/structure/collect-fields.ts': [2, ANSWER],
  'lab/suggest/values/numbers.ts': [1, ANSWER],
};

interface Expression {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

function expressionsIn(file: string): readonly Expression[] {
  const found: Expression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('regex' in node && node.regex) found.push({ file, ...(node.regex as Omit<Expression, 'file'>) });
    else for (const part of Object.values(node)) visit(part);
  };
  visit(parseSync(file, readFileSync(join(SRC, file), 'utf8')).program.body);
  return found;
}

test('every expression is linear, or has a bound', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const all = files.flatMap(expressionsIn);
  expect(all.length).toBeGreaterThan(400);
  const slow = Map.groupBy(
    all.filter(({ pattern, flags }) => !isLinear(pattern, flags)),
    ({ file }) => file,
  );
  const unnamed = [...slow].flatMap(([file, expressions]) =>
    expressions.length === EXCEPTIONS[file]?.[0]
      ? []
      : expressions.map(({ pattern, flags }) => `${file}: /${pattern}/${flags}`),
  );
  expect(unnamed, 'make it linear, or name the bound of its texts above').toEqual([]);
  expect(Object.keys(EXCEPTIONS).filter((file) => !slow.has(file))).toEqual([]);
});

describe('an expression', () => {
  it.each([
    [/(a+)+b/],
    [/^(a+)+b/],
    [/^(?:a|a)*b/],
    [/^(\w+\s?)*$/],
    [/^a*a*b/],
    [/^.*,.*x/],
    [/^a{1,500}a{1,500}$/],
    [/^\s*(?:b|\s*c)*$/],
    [/\s+$/],
    [/x*y/],
    [/^(?=a*a*b)c/],
    [/a(?=.*b)/],
    [/(?<=^\s*)-/],
    [/(?<!^\s*x.*),$/],
  ])('may take more than linear time: %s', ({ source, flags }) => {
    expect(isLinear(source, flags)).toBe(false);
  });

  it.each([
    [/^\s+$/],
    [/\s+/],
    [/^(?:a|b)*c/],
    [/^[^,]*,.*x$/],
    [/^\w+\s*=\s*\w+$/],
    [/^(?:[a-z]+\.)*[A-Z]$/],
    [/^"(?:[^"\\]|\\.)*"$/],
    [/^::ffff:(?=[\d.]+$)/i],
    [/(?<=,)\d/],
    [/^[\p{L}\p{M}]+ ?\p{N}*$/u],
  ])('takes linear time: %s', ({ source, flags }) => {
    expect(isLinear(source, flags)).toBe(true);
  });
});
