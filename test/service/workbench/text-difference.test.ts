/** How two texts of a file differ, as a person who approves reads it. */

import { expect, test } from 'vitest';
import { differenceOf } from '../../../src/service/workbench/data/releases/text-difference.ts';

const linesOf = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word} ${i + 1}\n`).join('');

const shown = (before: string, now: string) =>
  differenceOf(before, now).parts.map((lines) =>
    lines.map(({ kind, line, text, isLast }) => `${kind} ${line} ${text}${isLast ? ' (last)' : ''}`),
  );

test('each difference stands among two lines on both sides, with the numbers of the text that has a line', () => {
  const before = linesOf(20, 'rule');
  const now = before.replace('rule 5\n', 'rule 5a\nrule 5b\n').replace('rule 15\n', '');
  expect(shown(before, now)).toEqual([
    [
      'same 3 rule 3',
      'same 4 rule 4',
      'removed 5 rule 5',
      'added 5 rule 5a',
      'added 6 rule 5b',
      'same 7 rule 6',
      'same 8 rule 7',
    ],
    ['same 14 rule 13', 'same 15 rule 14', 'removed 15 rule 15', 'same 16 rule 16', 'same 17 rule 17'],
  ]);
});

test('a file that is new, removed, or lost its last line end is shown as that', () => {
  expect(shown('', 'a\nb\n')).toEqual([['added 1 a', 'added 2 b']]);
  expect(shown('a\n', '')).toEqual([['removed 1 a']]);
  expect(shown('a\n', 'a')).toEqual([['removed 1 a', 'added 1 a (last)']]);
  expect(shown('a\n', 'a\n')).toEqual([]);
});

test('of many lines the first are shown, and of too many none', () => {
  const { parts, left } = differenceOf('', linesOf(1000, 'entry'));
  expect([parts.flat().length, left]).toEqual([300, 700]);
  expect(differenceOf(linesOf(5000, 'one'), linesOf(5000, 'other'))).toEqual({ parts: [], left: undefined });
});
