/** Decision tables: a rule for each row, and what is said of tables that make no sense. test/cases has what rows do. */

import { describe, expect, it } from 'vitest';
import { decide, type Given } from '../../support/policy/decide.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { problemsOf } from '../../support/policy/problems.ts';

/** A policy with one table of the id `t`; `rows` are lines. */
const table = (columns: string, rows: readonly string[], more = '') =>
  `${HEAD}facts:\n  context.text: { type: string }\n  context.other: { type: string }\n` +
  '  context.a: { type: number }\n' +
  `tables:\n  - id: t\n${more}    columns: ${columns}\n    rows:\n${rows.map((row) => `      - ${row}\n`).join('')}`;

/** The ids of the rules that fire, in the policy's order. */
async function firing(text: string, given: Given = {}, files: Readonly<Record<string, string>> = {}) {
  const policy = policyOf(text, files);
  const { reasons } = await decide(policy, given);
  const fired = new Set(reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : [])));
  return policy.rules.map(({ id }) => id).filter((id) => fired.has(id));
}

const RULE = (id: string) => `  - { id: ${id}, when: { phone.valid: false }, then: review }\n`;
const TABLE = (id: string, rows = 2) =>
  `  - { id: ${id}, columns: [phone.valid, then], rows: [${Array(rows).fill('[false, review]').join(', ')}] }\n`;

describe('a table', () => {
  it('numbers its rows from 1, and their reasons with them', () => {
    const { rules } = policyOf(`${HEAD}tables:\n${TABLE('phone-type', 11)}`);
    const named = rules.map(({ id, reason }) => `${id} ${reason}`);
    expect(named.slice(0, 2)).toEqual(['phone-type/1 PHONE_TYPE_1', 'phone-type/2 PHONE_TYPE_2']);
    expect(named[10]).toBe('phone-type/11 PHONE_TYPE_11');
  });

  it('lends each row its whenUnknown, mode, from, until, tags, owner and description', () => {
    const more =
      '    whenUnknown: ignore\n    mode: shadow\n    from: 2026-01-01\n    until: 2026-12-31\n' +
      '    tags: [a, b]\n    owner: risk\n    description: By type\n';
    const { rules } = policyOf(table('[phone.valid, then]', ['[false, review]', '[true, accept]'], more));
    const lent = {
      whenUnknown: 'ignore',
      shadow: true,
      from: '2026-01-01',
      until: '2026-12-31',
      tags: ['a', 'b'],
      owner: 'risk',
      description: 'By type',
    };
    expect(rules).toMatchObject([lent, lent]);
  });

  it('has what it does not say from its policy and nowhere', () => {
    const { rules } = policyOf(`${HEAD}whenUnknown: ignore\ntables:\n${TABLE('t', 1)}`);
    expect(rules).toMatchObject([
      { whenUnknown: 'ignore', shadow: false, from: undefined, until: undefined, tags: [], notice: undefined },
    ]);
  });
});

describe('a cell', () => {
  it.each([
    ['"any"', 'beta', true],
    ['{ is: any }', 'beta', false],
    ['[any]', 'beta', false],
    ['[any]', 'any', true],
    ['{ isNot: any }', 'beta', true],
  ])('%s on the value %j fires: %j', async (cell, text, fires) => {
    const given = { 'context.text': text };
    expect(await firing(table('[context.text, then]', [`[${cell}, review]`]), given)).toEqual(fires ? ['t/1'] : []);
  });

  it('that names a condition is a text like any other', async () => {
    const text = `${table('[context.text, then]', ['[risky, review]'])}conditions:\n  risky: { phone.valid: true }\n`;
    expect(await firing(text, { 'phone.valid': true, 'context.text': 'safe' })).toEqual([]);
  });

  it('of an enum that has `any` among its values takes it as a value under `is` alone', async () => {
    const text = `${HEAD}facts:\n  context.a: { type: enum, values: [any, some] }\ntables:
  - { id: t, columns: [context.a, then], rows: [[any, review], [{ is: any }, review]] }\n`;
    expect(await firing(text, { 'context.a': 'some' })).toEqual(['t/1']);
    expect(await firing(text, { 'context.a': 'any' })).toEqual(['t/1', 't/2']);
  });
});

describe("the policy's order", () => {
  it("is a file's rules, then its tables row by row, then each rule set's in the same way", () => {
    const { rules } = policyOf(
      `${HEAD}ruleSets: [a.yaml, b.yaml]\ntables:\n${TABLE('t')}${TABLE('u', 1)}rules:\n${RULE('one')}${RULE('two')}`,
      {
        'a.yaml': `tables:\n${TABLE('v')}ruleSets: [deep/c.yaml]\nrules:\n${RULE('three')}`,
        'deep/c.yaml': `tables:\n${TABLE('w', 1)}rules:\n${RULE('four')}`,
        'b.yaml': `tables:\n${TABLE('x', 1)}`,
      },
    );
    expect(rules.map(({ id }) => id)).toEqual(
      ['one', 'two', 't/1', 't/2', 'u/1', 'three', 'v/1', 'v/2', 'four', 'w/1', 'x/1'], // as the page has it
    );
  });
});

/**
 * What is wrong, its codes, the text with marks at the places, and the hint of the first, where one has to be
 * given.
 */
type Row = [what: string, codes: string | readonly string[], text: string, hint?: RegExp];

const TYPE = '[phone.type, then]';
const ERRORS: readonly Row[] = [
  // the table
  ['tables that are a map', 'wrong-type', `${HEAD}tables: ‹{ t: 1 }\n`],
  ['a table that is a list', 'wrong-type', `${HEAD}tables:\n  - ‹[a]\n`],
  ['a table that is null', 'null-value', `${HEAD}tables: [‹~]\n`],
  ['an empty table', 'empty', `${HEAD}tables: [‹{}]\n`],
  ['no id', 'missing-key', `${HEAD}tables:\n  - ‹columns: [phone.valid, then]\n    rows: [[true, review]]\n`],
  ['no columns', 'missing-key', `${HEAD}tables:\n  - ‹id: t\n    rows: [[true, review]]\n`],
  ['no rows', 'missing-key', `${HEAD}tables:\n  - ‹id: t\n    columns: [phone.valid, then]\n`],
  ['an id that is malformed', 'malformed', `${HEAD}tables:\n${TABLE('‹Phone_type')}`],
  ['an id like that of a row', 'malformed', `${HEAD}tables:\n${TABLE('‹phone-type/1')}`],
  ['an id that is a number', 'wrong-type', `${HEAD}tables:\n${TABLE('‹12')}`],
  ['two tables of one id', 'duplicate-name', `${HEAD}tables:\n${TABLE('t')}${TABLE('‹t')}`],
  ['a table with the id of a rule', 'duplicate-name', `${HEAD}tables:\n${TABLE('‹one')}rules:\n${RULE('one')}`],
  ['an unknown key', 'unknown-key', table(TYPE, ['[voip, review]'], '    ‹row: 1\n'), /"rows"/],
  ...['then: review', 'points: 5', 'reason: A', 'message: a', 'notice: a', 'when: a', 'priority: 1'].map(
    (key): Row => [`a table with ${key}`, 'unknown-key', table(TYPE, ['[voip, review]'], `    ‹${key}\n`)],
  ),

  // what holds for every row
  [
    'a from after until',
    'wrong-value',
    table(TYPE, ['[voip, review]'], '    from: 2026-02-02\n    until: ‹2026-02-01\n'),
  ],
  ['a malformed from', 'malformed', table(TYPE, ['[voip, review]', '[voip, reject]'], '    from: ‹2026-02-30\n')],
  ['a malformed until', 'malformed', table(TYPE, ['[voip, review]'], '    until: ‹tomorrow\n')],
  ['a mode that there is not', 'wrong-value', table(TYPE, ['[voip, review]', '[voip, reject]'], '    mode: ‹live\n')],
  ['an unknown whenUnknown', 'wrong-value', table(TYPE, ['[voip, review]'], '    whenUnknown: ‹accept\n')],
  ['tags that are a text', 'wrong-type', table(TYPE, ['[voip, review]'], '    tags: ‹a\n')],
  ['an owner that is a number', 'wrong-type', table(TYPE, ['[voip, review]'], '    owner: ‹7\n')],
  ['a description without a value', 'null-value', table(TYPE, ['[voip, review]'], '    ‹description:\n')],

  // columns
  ['columns that are a text', 'wrong-type', table('‹phone.type', ['[voip]'])],
  ['no column', 'empty', table('‹[]', ['[voip]'])],
  ['columns without a value', 'null-value', `${HEAD}tables:\n  - id: t\n    ‹columns:\n    rows: [[voip]]\n`],
  [
    'a column that is neither fact nor key',
    'unknown-fact',
    table('[‹phone.typ, then]', ['[voip, review]']),
    /"phone\.type"/,
  ],
  ['a key with a typo in it', 'unknown-fact', table('[phone.type, ‹thne]', ['[voip, review]']), /"then"/],
  ...['id', 'when', 'final', 'whenUnknown', 'mode', 'tags', 'owner', 'any', '__proto__', 'constructor'].map(
    (key): Row => [`a column ${key}`, 'unknown-fact', table(`[phone.type, then, ‹${key}]`, ['[voip, review, 1]'])],
  ),
  ['a fact twice', 'duplicate-name', table('[phone.type, then, ‹phone.type]', ['[voip, review, mobile]'])],
  ['a key twice', 'duplicate-name', table('[phone.type, then, ‹then]', ['[voip, review, reject]'])],
  ['a column that is null', 'null-value', table('[phone.type, then, ‹~]', ['[voip, review, a]'])],
  ['a column that is a number', 'wrong-type', table('[phone.type, then, ‹1]', ['[voip, review, a]'])],
  ['a column that is a map', 'wrong-type', table('[phone.type, then, ‹{ a: 1 }]', ['[voip, review, a]'])],
  ['a column that is null and may be meant as then', 'null-value', table('[phone.type, ‹~]', ['[voip, review]'])],
  ['neither then nor points', 'no-effect', table('‹[phone.type, reason]', ['[voip, A]', '[mobile, B]', '[other, C]'])],

  // rows
  ['rows that are a text', 'wrong-type', `${HEAD}tables:\n  - id: t\n    columns: ${TYPE}\n    rows: ‹voip\n`],
  ['no row', 'empty', `${HEAD}tables:\n  - id: t\n    columns: ${TYPE}\n    rows: ‹[]\n`],
  ['rows without a value', 'null-value', `${HEAD}tables:\n  - id: t\n    columns: ${TYPE}\n    ‹rows:\n`],
  ['an empty row', 'empty', table(TYPE, ['[voip, review]', '‹[]'])],
  ['a row that is a map', 'wrong-type', table(TYPE, ['‹{ phone.type: voip, then: review }'])],
  ['a row that is a text', 'wrong-type', table(TYPE, ['‹voip'])],
  ['a row that is null', 'null-value', table(TYPE, ['[voip, review]', '‹~'])],
  ['a row with too few cells', 'row-length', table(TYPE, ['[voip, review]', '‹[voip]'])],
  ['a row with too many cells', 'row-length', table(TYPE, ['‹[voip, review, VOIP]', '[voip, review]'])],
  ['a row in a row', 'row-length', table(TYPE, ['‹[[voip, review]]'])],

  // cells
  ['a cell of a fact that is null', 'null-value', table(TYPE, ['[‹~, review]']), /`any`.*`\{ known: false \}`/],
  ['a cell of a key that is null', 'null-value', table(TYPE, ['[voip, ‹~]'])],
  ['a cell with nothing in it', 'null-value', table(TYPE, ['\n        - voip\n        -‹\n'])],
  ['a value outside the enum', 'wrong-value', table(TYPE, ['[voip, review]', '[‹viop, review]']), /"voip"/],
  ['a value of another type', 'wrong-type', table('[phone.score, then]', ['[‹"10", review]']), /remove the quotes/],
  ['a value outside the enum in a list', 'wrong-value', table(TYPE, ['[[voip, ‹mobil], review]']), /"mobile"/],
  ['an empty list of values', 'empty', table(TYPE, ['[‹[], review]'])],
  ['an empty map', 'empty', table(TYPE, ['[‹{}, review]'])],
  ['a list of lists', 'wrong-type', table(TYPE, ['[[‹[voip]], review]'])],
  ['an unknown operator', 'unknown-operator', table(TYPE, ['[{ ‹isnot: voip }, review]']), /"isNot"/],
  ['a combinator', 'unknown-operator', table(TYPE, ['[{ ‹any: [voip] }, review]'])],
  ['an operator that the type lacks', 'operator-type', table(TYPE, ['[{ ‹above: 1 }, review]'])],
  ['an argument of another type', 'wrong-type', table('[phone.score, then]', ['[{ above: ‹high }, review]'])],
  ['a range the wrong way round', 'wrong-value', table('[phone.score, then]', ['[{ between: ‹[2, 1] }, review]'])],
  ['an unknown list', 'unknown-list', table('[context.text, then]', ['[{ inList: ‹names }, review]'])],
  ['an unknown other fact', 'unknown-fact', table('[context.text, then]', ['[{ fact: ‹context.txt }, review]'])],
  ['a then that is no outcome', 'wrong-value', table(TYPE, ['[voip, ‹revew]']), /"review"/],
  ['a row of `none` without points', 'no-effect', table(TYPE, ['[voip, ‹none]'])],
  [
    'a final row of `none`',
    'no-effect',
    table('[phone.type, then, points]', ['[voip, ‹none, 5]'], '    final: true\n'),
  ],
  [
    'a final table of points',
    'no-effect',
    table('[phone.type, points]', ['[voip, 5]', '[any, 6]'], '    ‹final: true\n'),
  ],
  ['a final that is no truth', 'wrong-type', table(TYPE, ['[voip, reject]'], '    final: ‹"yes"\n')],
  ['a then of `any`', 'wrong-value', table(TYPE, ['[voip, ‹any]'])],
  ['a reason that is malformed', 'malformed', table('[phone.type, then, reason]', ['[voip, review, ‹Voip]'])],
  ['a reason of nothing', 'empty', table('[phone.type, then, reason]', ['[voip, review, ‹""]'])],
  ['points that are no integer', 'wrong-type', table('[phone.type, points]', ['[voip, ‹2.5]'])],
  ['more points than sums hold exactly', 'wrong-value', table('[phone.type, points]', ['[voip, ‹1000000001]'])],
  ['negative points with review', 'points-sign', table('[phone.type, points, then]', ['[voip, ‹-1, review]'])],
  [
    'a place that there is not',
    'unknown-fact',
    table('[phone.type, then, message]', ['[voip, review, "a ‹{phone.typ}"]']),
  ],
  ['a personal datum', 'bad-message', table('[phone.type, then, message]', ['[voip, review, "‹{applicant.email}"]'])],
  ['a notice that is a number', 'wrong-type', table('[phone.type, then, notice]', ['[voip, review, ‹1]'])],
];

describe('a table is refused, once and where it is wrong, for', () => {
  it.each<Row>(ERRORS)('%s', (_what, code, text, hint) => {
    const { codes, places, marks, hints, loads } = problemsOf(text);
    expect({ codes, places }).toEqual({ codes: [code].flat(), places: marks });
    if (hint) expect(hints[0]).toMatch(hint);
    expect(loads).toBe(false);
  });

  it('the id of a table of another file', () => {
    const { codes, places, marks } = problemsOf(`${HEAD}ruleSets: [a.yaml]\ntables:\n${TABLE('t')}`, {
      'a.yaml': `rules:\n${RULE('‹t')}tables:\n${TABLE('u')}${TABLE('‹u')}`,
    });
    expect({ codes, places }).toEqual({ codes: ['duplicate-name', 'duplicate-name'], places: marks });
  });
});

describe('of a table all mistakes come at once', () => {
  it('those in the cells of every row, in the order of the text', () => {
    const rows = ['[‹vip, ‹revew, ‹x]', '‹[voip, review]', '[any, ‹~, 1]', '[{ ‹abov: 1 }, reject, ‹-1]'];
    const { codes, places, marks } = problemsOf(table('[phone.type, then, points]', rows));
    expect(places).toEqual(marks);
    expect(codes).toEqual([
      'wrong-value',
      'wrong-value',
      'wrong-type',
      'row-length',
      'null-value',
      'unknown-operator',
      'points-sign',
    ]);
  });

  it.each([
    ['an id that is malformed', `${HEAD}tables:\n  - { id: ‹T, columns: ${TYPE}, rows: [[‹vip, ‹revew], ‹[voip]] }\n`],
    ['no id', `${HEAD}tables:\n  - { ‹columns: ${TYPE}, rows: [[‹vip, ‹revew], ‹[voip]] }\n`],
    ['a column that is wrong', table('[‹phone.typ, phone.score, then]', ['[vip, ‹hi, ‹revew]', '‹[voip]'])],
    ['a key that is misspelt', table('[phone.type, ‹reson, then]', ['[‹vip, A, ‹revew]', '‹[voip]'])],
    ['a column twice', table('[phone.type, ‹phone.type, then]', ['[‹vip, vip, ‹revew]'])],
    ['neither then nor points', table('‹[phone.type, reason]', ['[‹vip, A]', '[voip, ‹a]'])],
    ['a mode that is wrong', table(TYPE, ['[‹vip, review]'], '    mode: ‹on\n')],
  ])('those in its cells beside %s', (_what, text) => {
    const { places, marks } = problemsOf(text);
    expect(places).toEqual(marks);
  });

  it('but a column of a fact whose declaration is wrong is no further mistake', () => {
    const { codes, places, marks } = problemsOf(
      `${HEAD}facts:\n  context.a: { type: ‹txt }\ntables:\n` +
        '  - { id: t, columns: [context.a, then], rows: [[1, ‹revew]] }\n',
    );
    expect({ codes, places }).toEqual({ codes: ['wrong-value', 'wrong-value'], places: marks });
  });
});
