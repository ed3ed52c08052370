/** List files: one entry a line or CSV, entries with a last day, and what is wrong with its place in the file. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { policyData } from '../../../src/policy/source-map.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { problemsOf } from '../../support/policy/problems.ts';

const policyWith = (file: string) =>
  `${HEAD}facts:\n  context.text: { type: string }\nlists:\n  names: { file: ${file} }\n` +
  'rules:\n  - { id: one, when: { context.text: { inList: names } }, then: review }\n';

const LINES = policyWith('names.txt');
const CSV = policyWith('names.csv');

/** The entries of a list file as data. */
function entriesOf(file: string, text: string): unknown {
  const data = policyData(policyOf(policyWith(file), { [file]: text }));
  return (data as { lists: { names: { entries: unknown } } }).lists.names.entries;
}

describe('a line of a list file', () => {
  it.each<[line: string, entry: unknown]>([
    ['acme', 'acme'],
    ['acme until 2026-12-31', { value: 'acme', until: '2026-12-31' }],
    ['  acme \t until\u00a02026-12-31  # until the audit', { value: 'acme', until: '2026-12-31' }],
    ['two words until 2026-12-31\r', { value: 'two words', until: '2026-12-31' }],
    // The word is part of an entry where no white space stands around it, or where nothing else does.
    ['until', 'until'],
    ['untilled fields', 'untilled fields'],
    ['not-until 2026-12-31', 'not-until 2026-12-31'],
    ['acme # until 2026-12-31', 'acme'],
  ])('%j is the entry %j', (line, entry) => {
    expect(entriesOf('names.txt', `${line}\nlast\n`)).toEqual([entry, 'last']);
  });

  it.each([
    ['a day that does not exist', 'acme ‹until 2026-02-30'],
    ['another form of day', 'acme ‹until 31/12/2026'],
    ['no day', 'acme ‹until'],
    ['no day before a comment', 'acme ‹until # 2026-12-31'],
    ['more after the day', 'acme ‹until 2026-12-31 or later'],
    ['two days', 'acme ‹until 2026-12-30 until 2026-12-31'],
    ['a capital letter', 'acme ‹Until 2026-12-31'],
    ['no entry', '‹until 2026-12-31'],
  ])('with %s after `until` is an error', (_what, line) => {
    const { codes, places, marks, diagnostics } = problemsOf(LINES, { 'names.txt': `first\n${line}\n` });
    expect({ codes, places }).toEqual({ codes: ['malformed'], places: marks });
    expect(diagnostics[0]?.message).not.toMatch(/acme|first/);
  });
});

describe('a list file in CSV', () => {
  it('has entries with their last day, note and owner; other columns are ignored', () => {
    const text =
      'id,note,value,until,owner,comment,expires,removed_by,Status note,source,country\r\n' +
      '7,"found by Jo, ""again""",Acme,2026-12-31,risk,a,b,c,d,e,f\r\n8,, beta ,,,,,,,,\r\n';
    expect(entriesOf('names.csv', text)).toEqual([
      { value: 'Acme', until: '2026-12-31', note: 'found by Jo, "again"', owner: 'risk' },
      'beta',
    ]);
  });

  it('has no comments, needs no columns beside the value, and is CSV in any case of its name', () => {
    expect(entriesOf('NAMES.CSV', '\uFEFFvalue\n#1\n\nacme until 2026-12-31\n"a\nb"\n')).toEqual([
      '#1',
      'acme until 2026-12-31',
      'a\nb',
    ]);
  });

  it.each<[what: string, code: string, text: string, hint?: RegExp]>([
    ['without text', 'empty', '‹'],
    ['without the column', 'missing-key', '‹name,until\nacme,\n', /write `value` above the entries/],
    ['with the column in capitals', 'unknown-key', '‹Value,until\nacme,\n', /write `value`/],
    ['with a last day in two words', 'unknown-key', 'value,‹valid until,note\nacme,2025-01-31,\n', /write `until`/],
    ['with a last day in capitals', 'unknown-key', 'value,note,‹Until\nacme,,2025-01-31\n', /write `until`/],
    ['with a last day by a synonym', 'unknown-key', 'value,‹expires\nacme,2025-01-31\n', /write `until`/],
    ['with a last day in German', 'unknown-key', 'value,‹Gültig bis\nacme,31.1.2025\n', /write `until`/],
    ['with a last day misspelt', 'unknown-key', 'value,‹untill\nacme,2025-01-31\n', /write `until`/],
    ['with a note misspelt', 'unknown-key', 'value,‹notes\nacme,why\n', /write `note`/],
    ['with the columns active and expires', 'unknown-key', 'value,until,‹active,expires\nacme,,no,\n', /leave out/],
    ['with a column twice', 'duplicate-name', 'value,until,‹until\nacme,,\n'],
    ['with an empty value', 'empty', 'value,note\nacme,\n‹,why\n'],
    ['with a value of white space', 'empty', 'value,note\n"‹  ",why\n'.replace('"‹', '‹"')],
    ['with a day in another form', 'malformed', 'value,until\nacme,‹31.12.2026\n'],
    ['with a day of a German spreadsheet', 'malformed', 'value,until\nacme,‹30.06.2027\n', /write 2027-06-30/],
    ['with empty rows at its end', 'empty', 'value,until\nacme,\n‹,\n,\n', /delete the empty rows/],
    ['with too many cells', 'row-length', 'value,note\n‹acme,a,b\n', /in quotes/],
    ['with too few cells', 'row-length', 'value,note\n‹acme\n'],
    ['with a quote that is not closed', 'csv-syntax', 'value,note\n‹"acme,why\nbeta,\n'],
  ])('%s is an error at its place', (_what, code, text, hint) => {
    const { codes, places, marks, hints } = problemsOf(CSV, { 'names.csv': text });
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    if (hint) expect(hints[0]).toMatch(hint);
  });

  it.each([
    ...['active', 'is_active', 'isActive', 'ENABLED', 'status', 'entry status', 'State', 'deleted', 'deletedAt'],
    ...['removed', 'Removed on', 'from', 'start', 'start-date', 'valid_from', 'validFrom', 'valid', 'effective date'],
    ...['disabled', 'since', 'expires_at', 'end_time', 'blocked until', 'aktiv', 'Gültig ab', 'gelöscht', 'statut'],
  ])('refuses the column %s, which looks as if it said whether an entry counts', (name) => {
    const { codes, places, marks, hints } = problemsOf(CSV, { 'names.csv': `value,‹${name}\nacme,no\n` });
    expect({ codes, places }).toEqual({ codes: ['unknown-key'], places: marks });
    expect(hints[0]).toMatch(/leave out those/);
  });

  it.each([
    ['4.474E+11', /^Excel has shortened/],
    ["'+447400123456", /apostrophe/],
    ['"+44 7400 123456, +44 7400 123457"', /each as an entry/],
  ])('says what a spreadsheet did to %s', (entry, hint) => {
    const policy = CSV.replace('context.text:', 'context.phone:').replaceAll('context.text', 'applicant.phoneNo');
    const { codes, places, marks, hints } = problemsOf(policy, { 'names.csv': `value\n‹${entry}\n` });
    expect({ codes, places }).toEqual({ codes: ['wrong-format'], places: marks });
    expect(hints[0]).toMatch(hint);
  });

  it('reports entries that their facts never have, with the line', () => {
    const policy = CSV.replace('context.text:', 'context.phone:').replaceAll('context.text', 'applicant.phoneNo');
    const text = 'note,value\nmeant,"+44 7400 123456"\nhome,‹07400123456\n';
    const { codes, places, marks } = problemsOf(policy, { 'names.csv': text });
    expect({ codes, places }).toEqual({ codes: ['wrong-format'], places: marks });
  });

  it('with a header alone is an empty list', () => {
    const { codes, loads } = problemsOf(CSV, { 'names.csv': 'value,note\n' });
    expect({ code: codes[0], loads }).toEqual({ code: 'warning empty-list', loads: true });
  });
});

describe('a line with more than its entry', () => {
  const COUNTRIES = LINES.replaceAll('context.text', 'phone.country').replace(
    'facts:\n  phone.country: { type: string }\n',
    '',
  );

  it.each([
    ['// a comment', /#/],
    ['- KP', /without a hyphen/],
    ['2. KP', /without a hyphen or a number/],
    ['KP, IR', /each as an entry of its own/],
    ['countries:', /no keys/],
    ['$others', /cannot contain another/],
    ['KP till 2027-01-31', /`until` before the last day/],
    ['KP (until 2027-01-31)', /`until` before the last day/],
    ['KP, 2027-01-31', /`until` before the last day/],
  ])('is told as %s', (line, hint) => {
    const { codes, hints } = problemsOf(COUNTRIES, { 'names.txt': `SY\n${line}\n` });
    expect(codes).toEqual(['wrong-format']);
    expect(hints[0]).toMatch(hint);
  });

  it('says the last day that is meant', () => {
    expect(problemsOf(COUNTRIES, { 'names.txt': 'SY until 31.01.2027\n' }).hints).toEqual(['write 2027-01-31']);
  });

  it('is a spreadsheet, by its name', () => {
    const { codes, hints } = problemsOf(policyWith('‹names.xlsx'), { 'names.xlsx': 'PK' });
    expect(codes).toEqual(['file-unreadable']);
    expect(hints[0]).toMatch(/save it as "CSV UTF-8/);
  });
});

describe('an entry in the policy', () => {
  it('is known with its last day', () => {
    const { lists } = policyOf(`${HEAD}lists:\n  names: [ACME, { value: Beta, until: 2026-12-31, note: why }]\n`);
    expect([...(lists.get('names')?.entries ?? [])]).toEqual([
      ['acme', undefined],
      ['beta', '2026-12-31'],
    ]);
  });
});

describe('an error in a list file', () => {
  it.each([
    ['names.txt', '447400123456 until tomorrow\n'],
    ['names.csv', 'value,until\n447400123456,tomorrow\n'],
    ['names.csv', 'value,until\n447400123456,,\n'],
    ['names.csv', 'value,until\n"447400123456,\n'],
  ])('quotes no line in the message of the error, which is logged: %s', (file, text) => {
    const folder = temporaryFolder({ 'policy.yaml': policyWith(file), [file]: text });
    let message = '';
    try {
      loadPolicy(join(folder, 'policy.yaml'));
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(/names\.(txt:1|csv:2):\d+: error/);
    expect(message).not.toContain('447400123456');
  });
});
