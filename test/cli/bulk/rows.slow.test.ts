import { describe, expect, it } from 'vitest';
import type { BadRow, Row } from '../../../src/cli/input/applicant-row.ts';
import { readRows } from '../../../src/cli/input/applicant-rows.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}facts:
  context.limit: { type: number }
  context.known: { type: boolean }
  context.channel: { type: enum, values: [web, app] }
  context.note: { type: string }
rules:
  - id: limit
    when: { context.limit: { above: 10 }, context.known: true, context.channel: web, context.note: x }
    then: review
`;

async function read(format: 'csv' | 'ndjson', text: string | Buffer, ignore: readonly string[] = []) {
  async function* chunks() {
    // Small chunks, which cut the text everywhere.
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  return Array.fromAsync(readRows(chunks(), { format, facts: policyOf(POLICY).facts, ignore }));
}

const problems = (rows: readonly (Row | BadRow)[]) =>
  rows.map((row) => ('problem' in row ? `${row.line}: ${row.problem}` : `${row.line}`));

describe('a CSV file', () => {
  it('gives one applicant per row, with each value in its field and in the type of its fact', async () => {
    const rows = await read(
      'csv',
      'Phone,EMAIL,ip,reference,context.limit,context.known,context.channel,variable.firstName\n' +
        '+44 7700 900461, a@b.example ,203.0.113.7,R-1,10.5,true,web,Ada\n',
    );
    expect(rows).toEqual([
      {
        line: 2,
        end: 152,
        applicant: { phoneNo: '+44 7700 900461', email: 'a@b.example', ip: '203.0.113.7' },
        clientReference: 'R-1',
        context: { limit: 10.5, known: true, channel: 'web' },
        variables: { firstName: 'Ada' },
      },
    ]);
  });

  it('has decimal commas where semicolons separate, and no number that may be another', async () => {
    const limits = async (separator: string, ...cells: readonly string[]) => {
      const lines = cells.map((cell) => `+447700900461${separator}"${cell}"\n`).join('');
      const rows = await read('csv', `phoneNo${separator}context.limit\n${lines}`);
      return rows.map((row) => ('problem' in row ? row.problem.split(':')[0] : row.context['limit']));
    };
    expect(await limits(';', '1,5', '1.5', '1.234,5', '12345', '0,125')).toEqual([1.5, 1.5, 1234.5, 12_345, 0.125]);
    expect(await limits(';', '1,000', '1.000')).toEqual(['context.limit', 'context.limit']);
    expect(await limits(',', '1.000', '1,5')).toEqual([1, 'context.limit']);
  });

  it('treats blank values as not given', async () => {
    const [row] = await read('csv', 'phoneNo,email,ip,reference,context.limit\n+447700900461, ,,,\n');
    expect(row).toEqual({ line: 2, end: 60, applicant: { phoneNo: '+447700900461' }, context: {}, variables: {} });
  });

  it.each<[string, string, string]>([
    ['an unknown column', 'phoneNo,emial\n', 'there is no field "emial"; did you mean "email"?'],
    ['an undeclared fact', 'phone,context.limits\n', 'the policy declares no fact "context.limits"'],
    ['two columns for one field', 'phoneNo,phone\n', 'two columns give phoneNo'],
    ['no column for phone number, email or IP', 'reference,context.limit\n', 'no column is named phoneNo, email or ip'],
    ['no header', '+447700900461,a@b.example\n', 'expected the names of the columns in the first line'],
    ['quotes that do not match', 'phoneNo,"email\n', 'its quotation marks do not match'],
    ['another encoding', '\uFFFEp', 'expected the names of the columns'],
  ])('is refused with %s in its header', async (_, text, said) => {
    await expect(read('csv', text)).rejects.toThrow(said);
    await expect(read('csv', text)).rejects.not.toThrow(/447700900461|@/);
  });

  it('skips the columns that it is told to ignore', async () => {
    const rows = await read('csv', 'phoneNo,Customer Name\n+447700900461,Ada\n', ['Customer Name']);
    expect(problems(rows)).toEqual(['2']);
  });

  it('gives the good rows, and the first line of each bad row', async () => {
    const rows = await read(
      'csv',
      [
        'phoneNo,context.limit,context.note', // 1
        '+447700900461,much,', // 2
        '+447700900461,1', // 3
        '+447700900461,1,a,b', // 4
        '+447700900461,1,a,', // 5: one empty value too many
        ',1,', // 6
        '07700 900461,1,', // 7
        '4.477E+11,1,', // 8
        '+447700900461,1,a"b', // 9
        '"+447700900461"x,1,', // 10
        '+447700900461,1,"open', // 11
        '+447700900461,1,fine', // 12
        '+447700900461,1,"closed"', // 13
        '"+447700900461', // 14
        '",1,', // 15
        '+447700900461,1,"open to the end', // 16
        '+447700900461,1,last', // 17
      ].join('\n'),
    );
    expect(problems(rows)).toEqual([
      '2: context.limit: expected a number',
      '3: 2 values; the header has 3 columns',
      '4: 4 values; the header has 3 columns',
      '5',
      '6: no phone number, email or IP address',
      '7: phoneNo starts with 0: the international form, with the country code, was expected',
      '8: phoneNo is in scientific notation, so that its digits are lost',
      '9: its quotation marks do not match',
      '10: its quotation marks do not match',
      '11: its quotation marks do not match',
      '12',
      '13',
      '14: phoneNo contains a quotation mark or a line break: is a quotation mark not closed?',
      '16: a quotation mark is not closed',
      '17',
    ]);
  });
});

describe('an NDJSON file', () => {
  const row = (data: unknown) => `${JSON.stringify(data)}\n`;

  it('gives one applicant per line', async () => {
    const given = { phoneNo: '+447700900461', email: null, ip: ' ', clientReference: 'R-1' };
    const [read1] = await read(
      'ndjson',
      `\n${row({ ...given, context: { limit: 3, known: false, channel: 'app' }, variables: { firstName: 'Ada' } })}`,
    );
    expect(read1).toMatchObject({
      line: 2,
      applicant: { phoneNo: '+447700900461' },
      clientReference: 'R-1',
      context: { limit: 3, known: false, channel: 'app' },
      variables: { firstName: 'Ada' },
    });
  });

  it.each<[string, string, string]>([
    ['invalid JSON', '{"phoneNo":', 'the text is not JSON'],
    ['a duplicate name', '{"phone":"+447700900461","phone":"+447700900462"}', 'a duplicate name in an object'],
    [
      'a duplicate name in another spelling',
      '{"phone":"+447700900461","context":{"limit":9,"limi\\u0074":1}}',
      'a duplicate name in an object',
    ],
    ['a list', '[]', 'not a JSON object'],
    ['a number for a phone number', '{"phoneNo":447700900461}', 'phoneNo is a number: a text was expected'],
    ['a number for an email', '{"phoneNo":"+447700900461","email":1}', 'email is a number'],
    ['an unknown key', '{"phoneNo":"+447700900461","Email address":"x"}', 'there is no field "Email address"'],
    ['a key of the prototype', '{"phoneNo":"+447700900461","__proto__":{}}', 'there is no field "__proto__"'],
    ['an undeclared fact', '{"phone":"+447700900461","context":{"limits":1}}', 'did you mean "context.limit"?'],
    [
      'a fact in quotes',
      '{"phone":"+447700900461","context":{"limit":"1"}}',
      'context.limit: expected a number, without',
    ],
    ['a value outside the enum of its fact', '{"phone":"+447700900461","context":{"channel":"tv"}}', 'one of web, app'],
    ['a context that is not an object', '{"phone":"+447700900461","context":[1]}', '"context" is not an object'],
    ['a variable that is not a text', '{"phone":"+447700900461","variables":{"a":1}}', 'variable.a is not a text'],
    ['a reference that is a number', '{"phone":"+447700900461","reference":7}', 'clientReference is not a text'],
    ['two names of one key', '{"phone":"+447700900461","phoneNo":"+447700900461"}', 'phoneNo is given twice'],
    ['no applicant', '{"reference":"R"}', 'no phone number'],
  ])('has a bad row for %s, and does not repeat its text', async (_, text, said) => {
    const [found] = await read('ndjson', `${text}\n`);
    expect(found).toMatchObject({ line: 1, problem: expect.stringContaining(said) });
    expect(JSON.stringify(found)).not.toContain('447700900461');
  });
});
