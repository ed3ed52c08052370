/** Texts are cut, padded and wrapped by the columns that they take in a terminal. */

import { describe, expect, it } from 'vitest';
import { cutTo, padTo, tableLines, widthOf, wrapWords } from '../../src/report/plain-text.ts';

const FAMILY = '👨‍👩‍👧';

describe('a width', () => {
  it('counts terminal columns', () => {
    expect(['abc', '東京', 'é', 'e\u0301', '😀', FAMILY, '\x1b[31mred\x1b[39m'].map(widthOf)).toEqual([
      3, 4, 1, 1, 2, 2, 3,
    ]);
  });

  it('pads wide characters to the same column as narrow ones', () => {
    expect(['ab', '東', FAMILY].map((text) => padTo(text, 4))).toEqual(['ab  ', '東  ', `${FAMILY}  `]);
    expect(padTo('abcde', 4)).toBe('abcde');
  });
});

describe('a cut text', () => {
  it('is unchanged if it fits', () => {
    expect(cutTo('東京', 4)).toBe('東京');
  });

  it('fits including its mark, and splits no character', () => {
    expect(cutTo('abcdef', 4)).toBe('abc…');
    expect(cutTo('東京都', 4)).toBe('東…');
    expect(cutTo('a😀b', 2, '')).toBe('a');
    expect(cutTo(`a${FAMILY}bc`, 3)).toBe('a…');
    expect(cutTo('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
  });
});

describe('a table', () => {
  it('aligns its columns whatever the width of its characters', () => {
    expect(
      tableLines([
        ['東京', 'x'],
        ['ab', 'y'],
        ['😀', 'z'],
      ]),
    ).toEqual(['  東京  x', '  ab    y', '  😀    z']);
  });

  it('is empty without rows', () => {
    expect(tableLines([])).toEqual([]);
  });

  it('wraps words by display width', () => {
    expect(wrapWords('東京 東京 ab', 9)).toEqual(['東京 東京', '  ab']);
  });
});
