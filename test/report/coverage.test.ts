/** Coverage as text for people, as data, and as a tracefile for editors. */

import { expect, it } from 'vitest';
import type { Coverage, CoverageItem } from '../../src/lab/test/coverage/coverage.ts';
import { coverageAsData, coverageText } from '../../src/report/coverage.ts';
import { lcov } from '../../src/report/formats/lcov.ts';
import { textOf } from '../../src/report/plain-text.ts';

const at = (line: number) => ({ file: 'p.yaml', position: { line, column: 5, length: 3 }, line: '' });
const goals = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([name, count]) => ({ name, count }));

const RULE: CoverageItem = {
  ...{ kind: 'rule', name: 'voip', rules: ['voip'], place: at(3) },
  goals: goals({ fires: 2, 'does not fire': 5, undetermined: 0 }),
};
const TEST: CoverageItem = {
  ...{ kind: 'test', name: 'phone.type is voip', rules: ['voip'], place: at(4) },
  goals: goals({ true: 2, false: 5, unknown: 1 }),
};
const BORDER: CoverageItem = {
  ...{ kind: 'border', name: 'phone.score: 1 and 2', rules: ['voip'], place: at(4) },
  goals: goals({ '1': 1, '2': 0 }),
};
const BAND: CoverageItem = {
  ...{ kind: 'band', name: 'review from 40', rules: [], place: undefined },
  goals: goals({ reached: 0, 'not reached': 7 }),
};

function coverageOf(...items: readonly CoverageItem[]): Coverage {
  const all = items.flatMap((item) => item.goals);
  const reached = all.filter(({ count }) => count > 0).length;
  return { policy: { name: 'p', version: '1' }, cases: 7, goals: all.length, reached, items };
}

const textFor = (coverage: Coverage) => textOf(coverageText(coverage), (_, text) => text);

it('people read the share of each kind, and what is missing with its place', () => {
  expect(textFor(coverageOf(RULE, TEST, BORDER, BAND))).toBe(`p 1: 70 % covered, 7 of 10 goals

  goals        covered  all  share
  rules        2        3    66.6 %
  tests        3        3    100 %
  borders      1        2    50 %
  score bands  1        2    50 %

Not covered

- rule voip, not seen: undetermined (p.yaml:3)
- border of phone.score: 1 and 2, not seen: 2 (p.yaml:4)
- score, review from 40, not seen: reached
`);
  expect(textFor(coverageOf())).toBe('p 1: nothing to cover\n');
  expect(coverageAsData(coverageOf())).toMatchObject({ share: 100, goals: 0 });
});

it('of many gaps the first are listed', () => {
  const text = textFor(coverageOf(...Array.from({ length: 50 }, () => RULE)));
  expect(text.match(/p\.yaml:3/g)).toHaveLength(40);
  expect(text).toContain('and 10 more: --json lists them');
});

it('data have the share, the goals of each kind, and every item with its place', () => {
  expect(coverageAsData(coverageOf(TEST, BORDER))).toEqual({
    ...{ policy: { name: 'p', version: '1' }, cases: 7, share: 80, goals: 5, reached: 4 },
    kinds: [
      { kind: 'test', goals: 3, reached: 3 },
      { kind: 'border', goals: 2, reached: 1 },
    ],
    items: [TEST, BORDER].map(({ place: _, ...item }) => ({ ...item, file: 'p.yaml', line: 4, column: 5, length: 3 })),
  });
});

it('in a tracefile, what one of several policies reaches in a rule set is reached', () => {
  const [one, other] = [BORDER, { ...BORDER, goals: goals({ '1': 0, '2': 3 }) }].map((item) => coverageOf(item));
  const text = lcov([one, other] as Coverage[]);
  expect(text).toContain('BRDA:4,0,0,1\nBRDA:4,0,1,3\nBRF:2\nBRH:2\nDA:4,4\nLF:1\nLH:1\n');
});

it('in a tracefile rules are functions, goals are branches, and a line is hit with any of its goals', () => {
  expect(lcov([coverageOf(RULE, TEST, BAND), coverageOf(BORDER)])).toBe(`TN:
SF:p.yaml
FN:3,voip
FNDA:2,voip
FNF:1
FNH:1
BRDA:3,0,0,2
BRDA:3,0,1,5
BRDA:3,0,2,0
BRDA:4,0,0,2
BRDA:4,0,1,5
BRDA:4,0,2,1
BRDA:4,1,0,1
BRDA:4,1,1,0
BRF:8
BRH:6
DA:3,7
DA:4,8
LF:2
LH:2
end_of_record
`);
});

it('in a tracefile no branch is taken, nor left, of a line that no case was counted on', () => {
  const notice: CoverageItem = { ...BORDER, kind: 'notice', name: 'a notice', goals: goals({ given: 0 }) };
  expect(lcov([coverageOf(notice)])).toContain('BRDA:4,0,0,-\nBRF:1\nBRH:0\nDA:4,0\nLF:1\nLH:0\n');
});

it('in a tracefile a name with line breaks stays in its line', () => {
  const file = 'p.yaml\nend_of_record\nSF:other.yaml';
  const text = lcov([coverageOf({ ...BORDER, place: { ...at(4), file } })]);
  expect(text).toContain('SF:p.yaml\\u{000a}end_of_record\\u{000a}SF:other.yaml\n');
  expect(text.match(/^SF:/gm)).toHaveLength(1);
});
