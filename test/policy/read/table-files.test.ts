/** Tables whose rows are in a CSV file: what its cells say, and what is wrong with its place in the file. */

import { describe, expect, it } from 'vitest';
import { policyFromData } from '../../../src/policy/read/parse.ts';
import { policyData } from '../../../src/policy/source-map.ts';
import { decide, type Given } from '../../support/policy/decide.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { problemsOf } from '../../support/policy/problems.ts';

const FACTS = `facts:
  context.text: { type: string }
  context.number: { type: number }
  context.is: { type: boolean }
  context.date: { type: date }
`;

const tableOf = (more = '', file = 'tiers.csv') =>
  `${HEAD}${FACTS}tables:\n  - id: t\n${more}    rows: { file: ${file} }\n`;

const policyWith = (csv: string, more?: string) => policyOf(tableOf(more), { 'tiers.csv': csv });
const problemsWith = (csv: string, more?: string) => problemsOf(tableOf(more), { 'tiers.csv': csv });

/** The ids of the rows that fire. */
async function firing(csv: string, given: Given) {
  const { reasons } = await decide(policyWith(csv), given);
  return reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : []));
}

describe('a table of a CSV file', () => {
  it('may separate by semicolons, and has decimal commas then', () => {
    const csv = 'phone.type;context.number;then;points\nvoip;1,5;review;10\n"mobile";"{ above: 2 }";none;1.5e1\n';
    const { rules } = policyWith(csv);
    const same = policyWith('phone.type,context.number,then,points\nvoip,1.5,review,10\nmobile,{ above: 2 },none,15\n');
    expect(rules).toEqual(same.rules);
    expect(problemsWith('context.number,then\n"1,5",review\n').codes).toEqual(['wrong-type']);
  });

  it('has its columns in the first line, and a rule for each further record', () => {
    const csv =
      'then,phone.type,context.number,reason,message,notice,points\r\n' +
      'reject,voip,"{ above: 5 }",VOIP,"Type {phone.type}, risky","We ""cannot"" check",50\r\n\r\n' +
      ' , mobile ,any,,,,-3\r\n' +
      'none,any,7,,,,1\r\n';
    const yaml = `${HEAD}${FACTS}tables:\n  - id: t\n    columns: [phone.type, context.number, points]\n    rows:\n`;
    const { rules } = policyWith(csv, '    owner: risk\n    until: 2026-12-31\n');
    expect(rules).toMatchObject([
      { id: 't/1', reason: 'VOIP', points: 50, notice: 'We "cannot" check', owner: 'risk' },
      { id: 't/2', reason: 'T_2', points: -3, notice: undefined, until: '2026-12-31' },
      { id: 't/3', reason: 'T_3', points: 1 },
    ]);
    expect(rules.map(({ then }) => then)).toEqual(['reject', undefined, undefined]);
    expect(rules[0]?.message).toEqual(['Type ', { fact: 'phone.type', place: 'value' }, ', risky']);
    // A row of the file is the rule that the same row is in YAML.
    const same = policyOf(`${yaml}      - [voip, { above: 5 }, 1]\n      - [mobile, any, 1]\n      - [any, 7, 1]\n`);
    expect(rules.map(({ when }) => when)).toEqual(same.rules.map(({ when }) => when));
  });

  it.each<[column: string, cell: string, fires: readonly unknown[], not: readonly unknown[]]>([
    ['context.text', 'acme', ['ACME'], ['beta']],
    ['context.text', ' any ', ['acme', undefined], []],
    ['context.text', '10', ['10'], ['1']],
    ['context.text', 'true', ['true'], ['1']],
    ['context.text', '"""any"""', ['acme', undefined], []],
    ['context.text', '"{ is: any }"', ['any'], ['acme']],
    ['context.text', '"[acme, ""b, c""]"', ['acme', 'b, c'], ['b']],
    ['context.text', "'10'", ['10'], []],
    ['context.text', '"smith, jo"', ['Smith, Jo'], ['smith']],
    ['context.number', '10', [10], [1]],
    ['context.number', '-1.5e1', [-15], [15]],
    ['context.number', '"{ between: [1, 2] }"', [1, 2], [3]],
    ['context.is', 'TRUE', [true], [false]],
    ['context.is', 'false', [false], [true]],
    ['context.date', '2026-11-20', ['2026-11-20'], ['2026-11-21']],
    ['context.date', 'never', ['never'], ['2026-11-21']],
    ['context.date', '{ known: false }', [undefined], ['never']],
  ])('reads the cell of %s %s as its type', async (column, cell, fires, not) => {
    const csv = `${column},then\n${cell},review\n`;
    const given = (value: unknown) => (value === undefined ? {} : { [column]: value }) as Given;
    for (const value of fires) expect([value, await firing(csv, given(value))]).toEqual([value, ['t/1']]);
    for (const value of not) expect([value, await firing(csv, given(value))]).toEqual([value, []]);
  });

  it('takes parameters in its cells, and a text that begins with two `$` as one with one', async () => {
    const parameters = 'parameters: { limit: 50, many: 7, name: acme }\n';
    const csv =
      'context.number,context.text,then,points\n$limit,any,,$many\n"{ above: $limit }",$name,review,1\nany,$$name,review,2\n';
    const policy = policyOf(tableOf().replace('facts:', `${parameters}facts:`), { 'tiers.csv': csv });
    expect(policy.rules.map(({ points }) => points)).toEqual([7, 1, 2]);
    const firing = async (given: Given) =>
      (await decide(policy, given)).reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : []));
    expect(await firing({ 'context.number': 50, 'context.text': 'x' })).toEqual(['t/1']);
    expect(await firing({ 'context.number': 51, 'context.text': 'ACME' })).toEqual(['t/2']);
    expect(await firing({ 'context.text': '$Name' })).toEqual(['t/3']);
  });

  it('can be final', () => {
    expect(policyWith('phone.type,then\nvoip,reject\n', '    final: true\n').rules).toMatchObject([{ final: true }]);
  });

  it('has a digest that covers each cell, but no white space, quotes or line ends', () => {
    const digestOf = (csv: string) => policyWith(csv).digest;
    const csv = 'phone.type,then,message\nvoip,reject,Why\nmobile,accept,\n';
    const digest = digestOf(csv);
    expect(digestOf('\uFEFFphone.type, then,"message"\r\n"voip",reject ,Why\r\n\r\nmobile,accept,')).toBe(digest);
    for (const [from, to] of [
      ['voip', 'pager'],
      ['accept', 'review'],
      ['Why', 'why'],
      ['accept,', 'accept,a'],
    ] as const) {
      expect(digestOf(csv.replace(from, to))).not.toBe(digest);
    }
  });

  it('is in the data of its policy, which give the policy again', () => {
    const policy = policyWith('phone.type,context.number,then,points\nvoip,"[1, 2]",reject,5\nany,any,,1\n');
    const data = policyData(policy);
    expect(data).toMatchObject({
      tables: [
        {
          id: 't',
          rows: {
            columns: ['phone.type', 'context.number', 'then', 'points'],
            rows: [
              ['voip', [1, 2], 'reject', 5],
              ['any', 'any', null, 1],
            ],
          },
        },
      ],
    });
    const again = policyFromData(data);
    expect(again.digest).toBe(policy.digest);
    expect(again.rules).toEqual(policy.rules);
  });
});

describe('a mistake in the CSV file of a table is reported at its place', () => {
  it.each<[what: string, code: string, csv: string, hint?: RegExp]>([
    ['no text', 'empty', '‹'],
    ['a header alone', 'empty', 'phone.type,then‹\n'],
    ['a column that is misspelt', 'unknown-fact', 'phone.type,‹phone.scor,then\nvoip,any,review\n', /phone\.score/],
    ['a column without a name', 'empty', 'phone.type,‹,then\nvoip,,review\n'],
    [
      'columns without names or cells at the end',
      'empty',
      'phone.type,then,‹,\nvoip,review,,\n,,,\n'.replace(',,,\n', ''),
      /delete the empty columns/,
    ],
    ['rows of commas at the end', 'empty', 'phone.type,then\nvoip,review\n‹,\n,\n', /delete the empty rows/],
    ['several countries without brackets', 'wrong-type', 'phone.country,then\n‹DE;FR,review\n', /\[DE, FR\]/],
    ['a column twice', 'duplicate-name', 'phone.type,then,‹then\nvoip,review,review\n'],
    ['no column of effects', 'no-effect', '‹phone.type,reason\nvoip,A\n'],
    ['a number of thousands or decimals', 'wrong-type', 'context.number;then\n‹1,000;review\n', /write 1000, or 1/],
    ['the same with a point', 'wrong-type', 'context.number;then\n‹1.000;review\n', /write 1, or 1000/],
    ['a quote in the middle', 'csv-syntax', 'phone.type,then\n‹vo"ip,review\nmobile,review\n'],
    [
      'too few cells',
      'row-length',
      'phone.type,then\n‹voip\nmobile,review\n',
      /ends with "voip" for "phone.type"; "then" has no cell/,
    ],
    [
      'a cell that is left out',
      'row-length',
      'phone.type,phone.score,then\n‹voip,review\n',
      /"review" .* "phone.score"/,
    ],
    ['too many cells', 'row-length', 'phone.type,then\n‹voip,review,\n', /comma in quotes: "Smith, Jo"/],
    ['the same with semicolons', 'row-length', 'phone.type;then\n‹voip;review;\n', /semicolon in quotes: "Smith; Jo"/],
    ['a row with another separator', 'row-length', 'phone.type,then\n‹voip;review\n', /by commas: do so here/],
    ['the same in a file of semicolons', 'row-length', 'phone.type;then\n‹voip,review\n', /by semicolons: do so here/],
    ['bars between the columns', 'csv-syntax', '‹phone.type|then\nvoip|review\n'],
    ['the separator for Excel', 'csv-syntax', '‹sep=;\nphone.type;then\nvoip;review\n'],
    ['a decimal comma after an operator', 'wrong-type', 'context.number;then\n‹>= 1,5;review\n', /atLeast: 1\.5 }/],
    ['an empty cell of a fact', 'null-value', 'context.text,phone.type,then\nvoip,‹,review\n', /`any`/],
    ['a value outside the enum', 'wrong-value', 'phone.type,then\n"voip",review\n‹voib,review\n', /voip/],
    ['a text for a number', 'wrong-type', 'context.number,then\n"‹1,5",review\n'.replace('"‹', '‹"')],
    ['a text in quotes for a number', 'wrong-type', 'context.number,then\n"‹""10""",review\n', /remove the quotes/],
    ['a day in another form', 'malformed', 'context.date,then\n‹31/12/2026,review\n'],
    ['an outcome that is misspelt', 'wrong-value', 'phone.type,then\nvoip,‹revew\n', /review/],
    ['points that are no number', 'wrong-type', 'phone.type,points\nvoip,‹many\n'],
    ['points that are no integer', 'wrong-type', 'phone.type,points\nvoip,‹1.5\n'],
    ['neither outcome nor points', 'no-effect', 'phone.type,then,points\n‹voip,,\n'],
    ['`none` without points', 'no-effect', 'phone.type,then,points\nvoip,‹none,\n'],
    [
      'a fact in a message that is not there',
      'unknown-fact',
      'phone.type,then,message\nvoip,review,"a, ‹{phone.typ}"\n',
    ],
    ['an operator that is misspelt', 'unknown-operator', 'context.number,then\n"{ ‹abve: 1 }",review\n', /above/],
    ['an operator after quotes', 'unknown-operator', 'context.text,then\n"{ is: ""a"", ‹startWith: ""b"" }",review\n'],
    ['an argument on the second line', 'wrong-type', 'context.number,then\n"{ above: 1,\n  below: ‹""x"" }",review\n'],
    ['YAML that does not parse', 'yaml-syntax', 'context.number,then\n"{ above: 1‹",review\n'],
    ['an alias', 'yaml-feature', 'context.number,then\n[‹*a],review\n'],
  ])('%s', (_what, code, csv, hint) => {
    const { codes, places, marks, hints, loads, diagnostics } = problemsWith(csv);
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    expect(loads).toBe(false);
    if (hint) expect(hints[0]).toMatch(hint);
    const { line = '' } = diagnostics[0] ?? {};
    expect(csv.replaceAll('‹', '').split('\n')).toContain(line);
  });

  it('more rows than a policy may have, before their cells are read', () => {
    const { codes, diagnostics } = problemsWith(`context.number,points\n${'{ abve: 1 },5\n'.repeat(10_001)}`);
    expect(codes).toEqual(['too-large']);
    expect(diagnostics[0]?.message).toContain('10000 rules and rows');
  });

  it('all of them at once', () => {
    const csv = 'phone.type,‹phon.score,then\n‹vip,any,‹revew\n‹voip\n';
    const { codes, places, marks } = problemsWith(csv);
    expect({ codes, places }).toEqual({
      codes: ['unknown-fact', 'wrong-value', 'wrong-value', 'row-length'],
      places: marks,
    });
  });

  it.each<[what: string, code: string, table: string]>([
    ['a file that is not there', 'file-unreadable', '    rows: { file: ‹absent.csv }\n'],
    ['a file outside the folder', 'file-outside', '    rows: { file: ‹../tiers.csv }\n'],
    ['columns beside the file', 'wrong-value', '    ‹columns: [phone.type, then]\n    rows: { file: tiers.csv }\n'],
    ['no file', 'empty', '    rows: ‹{}\n'],
    ['an unknown key', 'unknown-key', '    rows: { file: tiers.csv, ‹sheet: 1 }\n'],
    ['no columns beside rows in place', 'missing-key', '    rows: [[voip, review]]\n'],
    [
      'columns and rows that only data have',
      'unknown-key',
      '    rows: { ‹columns: [phone.type, then], file: tiers.csv }\n',
    ],
  ])('%s', (_what, code, rows) => {
    const text = `${HEAD}tables:\n  - ${code === 'missing-key' ? '‹' : ''}id: t\n${rows}`;
    const { codes, places, marks } = problemsOf(text, { 'tiers.csv': 'phone.type,then\nvoip,review\n' });
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
  });

  it('warnings too', () => {
    const csv =
      'phone.score,then,reason\n"{ above: 5 }",review,A\n‹"{ above: 5 }",reject,B\n"{ atLeast: ‹101 }",review,C\n';
    const { codes, places, marks } = problemsOf(tableOf().replace(FACTS, ''), { 'tiers.csv': csv });
    expect({ codes: codes.toSorted(), places }).toEqual({
      codes: ['warning never-true', 'warning same-condition'],
      places: marks,
    });
  });
});
