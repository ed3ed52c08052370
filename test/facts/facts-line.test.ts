import { describe, expect, test } from 'vitest';
import { CATALOG_TABLE } from '../../src/facts/catalog.ts';
import { readFactsLine } from '../../src/facts/facts-line.ts';

const DAY = '2025-11-20';
const AT_PROBLEM = '"at" has to be a calendar day, yyyy-MM-dd, or an instant like 2026-11-20T12:00:00Z';

function read(line: unknown) {
  const result = readFactsLine(typeof line === 'string' ? line : JSON.stringify(line), CATALOG_TABLE, DAY);
  if ('problem' in result) throw new Error(result.problem);
  return result;
}

function problem(line: unknown): string {
  const result = readFactsLine(typeof line === 'string' ? line : JSON.stringify(line), CATALOG_TABLE, DAY);
  if (!('problem' in result)) throw new Error('the line was read');
  return result.problem;
}

describe('a good line', () => {
  test('gives every fact of the table, including derived facts', () => {
    const { facts, at } = read({ facts: { 'phone.score': 62, 'applicant.phoneNo': '447400123456' } });
    expect(at).toBe(DAY);
    expect([...facts.keys()]).toEqual([...CATALOG_TABLE.keys()]);
    expect(facts.get('phone.score')).toEqual({ value: 62 });
    expect(facts.get('phone.country')).toEqual({ value: 'gb', text: 'GB' });
    expect(facts.get('ip.isp')).toEqual({ missing: 'notGiven' });
  });

  test('may have its own day, against which dates are checked, and a reference', () => {
    const line = { facts: { 'phone.porting.portedDate': '2024-01-02' }, at: '2024-01-01', clientReference: 'ONB-1' };
    const { facts, at, clientReference } = read(line);
    expect(at).toBe('2024-01-01');
    expect(clientReference).toBe('ONB-1');
    expect(facts.get('phone.porting.portedDate')).toEqual({ value: '2024-01-01' });
  });

  test('without a reference gives no key for it', () => {
    expect(Object.keys(read({ facts: {} }))).not.toContain('clientReference');
  });

  test('may have a value that is not of its type', () => {
    const { facts } = read({ facts: { 'phone.score': '10', 'phone.riskLevel': 'HIGH', 'email.address.score': 101 } });
    expect(facts.get('phone.score')).toEqual({ missing: 'invalid', raw: '10' });
    expect(facts.get('phone.riskLevel')).toEqual({ missing: 'invalid', raw: 'HIGH' });
    expect(facts.get('email.address.score')).toEqual({ missing: 'invalid', raw: '101' });
  });

  test('may name causes, even for facts that are null or blank', () => {
    const { facts } = read({
      facts: { 'phone.score': null, 'ip.isp': ' ' },
      missing: { 'phone.score': 'sourceFailed', 'ip.isp': 'notReturned', 'phone.country': 'invalid' },
    });
    expect(facts.get('phone.score')).toEqual({ missing: 'sourceFailed' });
    expect(facts.get('ip.isp')).toEqual({ missing: 'notReturned' });
    expect(facts.get('phone.country')).toEqual({ missing: 'invalid' });
  });

  test('may have a time of its own, whose UTC day is the day of the decision', () => {
    const { facts, at, timeMs } = read({
      facts: { 'phone.porting.portedDate': '2024-01-03' },
      at: '2024-01-01T00:30+02:00',
    });
    expect([at, timeMs]).toEqual(['2023-12-31', Date.UTC(2023, 11, 31, 22, 30)]);
    expect(facts.get('phone.porting.portedDate')).toMatchObject({ missing: 'invalid' });
    expect(read({ facts: {} }).timeMs).toBeUndefined();
  });

  test('may have the decision that was made, of which is kept what it says of itself', () => {
    expect(read({ facts: {}, decision: { facts: 7 } })).toEqual(read({ facts: {} }));
    const decision = { outcome: 'reject', disposition: 'approve', letIn: 0.02, policy: 7 };
    expect(read({ facts: {}, decision }).decided).toEqual({ outcome: 'reject', disposition: 'approve' });
    expect(problem({ facts: {}, decision: 'accept' })).toBe('"decision" has to be an object');
  });

  test('has counts where it does not give them itself', () => {
    const line = JSON.stringify({ facts: { 'phone.score': 10 }, missing: { 'email.address.score': 'sourceFailed' } });
    const counts = ['phone.score', 'email.address.score', 'email.domain.score'].map(
      (path) => [path, { value: 3 }] as const,
    );
    const read = readFactsLine(line, CATALOG_TABLE, DAY, counts);
    const facts = 'facts' in read ? read.facts : new Map();
    expect(counts.map(([path]) => facts.get(path))).toEqual([{ value: 10 }, { missing: 'sourceFailed' }, { value: 3 }]);
  });

  test('null keeps a derived fact from being derived', () => {
    const { facts } = read({ facts: { 'applicant.phoneNo': '447400123456', 'phone.country': null } });
    expect(facts.get('phone.country')).toEqual({ missing: 'notGiven' });
    expect(facts.get('phone.valid')).toEqual({ value: true });
  });
});

describe('a bad line', () => {
  test.each([
    ['{"facts":', 'the text is not JSON; a line is one JSON object'],
    ['', 'the text is empty; JSON was expected; a line is one JSON object'],
    [
      '{"facts":{"phone.score":90,"phone.score":1}}',
      'the text has a duplicate name in an object; a line is one JSON object',
    ],
    [
      '{"facts":{"phone.score":90},"f\\u0061cts":{}}',
      'the text has a duplicate name in an object; a line is one JSON object',
    ],
    ['[]', 'not an object; a line is one JSON object'],
    ['null', 'not an object; a line is one JSON object'],
    ['{}', '"facts" has to be an object of values by path'],
    [{ facts: [] }, '"facts" has to be an object of values by path'],
    [{ facts: {}, missing: 7 }, '"missing" has to be an object of causes by path'],
    [{ facts: {}, fact: {} }, 'unknown key "fact"; did you mean "facts"?'],
    [{ facts: {}, at: '2025-02-30' }, AT_PROBLEM],
    [{ facts: {}, at: '20 Nov 2025' }, AT_PROBLEM],
    [{ facts: {}, at: null }, AT_PROBLEM],
    [{ facts: {}, at: '2025-02-28T12:00:00' }, AT_PROBLEM],
    [{ facts: {}, at: '2025-02-28 12:00:00Z' }, AT_PROBLEM],
    [{ facts: {}, clientReference: 7 }, '"clientReference" has to be a text'],
    ['{"facts":{},"clientReference":"\\ud800"}', '"clientReference" has to be a text'],
    [
      { facts: { 'phone.risklevel': 'high' } },
      'no fact "phone.risklevel" is declared; did you mean "phone.riskLevel"?',
    ],
    [
      { facts: {}, missing: { 'phone.scor': 'invalid' } },
      'no fact "phone.scor" is declared; did you mean "phone.score"?',
    ],
    [
      { facts: { 'phone.score': 1 }, missing: { 'phone.score': 'invalid' } },
      '"phone.score" has both a value and a cause why it is missing',
    ],
    ['{"facts":{"__proto__":{"phone.score":1}}}', 'no fact "__proto__" is declared'],
    ['{"facts":{"constructor":1}}', 'no fact "constructor" is declared'],
    ['{"facts":{},"missing":{"toString":"invalid"}}', 'no fact "toString" is declared'],
    ['{"facts":{},"__proto__":{"at":"2020-01-01"}}', 'unknown key "__proto__"'],
  ])('%j', (line, expected) => {
    expect(problem(line)).toBe(expected);
  });

  test('an unknown cause is not repeated; only the cause it resembles is shown', () => {
    const text = problem({ facts: {}, missing: { 'phone.score': 'sourceFaild' } });
    expect(text).toContain('the cause of "phone.score" is not one of notRequested, sourceFailed');
    expect(text).toContain('did you mean "sourceFailed"?');
    expect(problem({ facts: {}, missing: { 'phone.score': '+447400123456' } })).not.toContain('447400123456');
  });

  test('no problem repeats a value', () => {
    const canary = 'canary@kestrel.example';
    for (const line of [
      { facts: { 'phone.skore': canary } },
      { facts: { 'applicant.email': canary }, missing: { 'applicant.email': 'invalid' } },
      { facts: {}, at: canary },
      { facts: canary },
      `{"facts":{"applicant.email":"${canary}"`,
    ]) {
      expect(problem(line)).not.toContain('canary');
    }
  });

  test('a key of a megabyte, or one that would move the cursor, is not repeated', () => {
    expect(problem({ facts: { ['x'.repeat(1_000_000)]: 1 } }).length).toBeLessThan(200);
    expect(problem({ facts: { 'a\u001b[2J': 1 } })).not.toContain('\u001b');
  });
});
