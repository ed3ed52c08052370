/** Tables with `unique: true`: no two rows may match at once. */

import { describe, expect, it } from 'vitest';
import { HEAD } from '../../support/policy/policy.ts';
import { problemsOf } from '../../support/policy/problems.ts';

const FACTS = `facts:
  context.text: { type: string }
  context.other: { type: string }
  context.date: { type: date }
  context.number: { type: number }
  context.income: { type: number, personal: true }
lists:
  names: [acme, beta]
  ending: [{ value: acme, until: 2026-12-31 }]
`;

/** Rows of these columns, as YAML; `‹` marks the row that is reported. */
const tableOf = (columns: string, rows: readonly string[]) =>
  `${HEAD}${FACTS}tables:\n  - id: t\n    unique: true\n    columns: [${columns}, points]\n    rows:\n` +
  rows.map((row) => `      - ${row.startsWith('‹') ? '‹' : ''}[${row.replace('‹', '')}, 1]\n`).join('');

const overlaps = (columns: string, rows: readonly string[]) => {
  const { diagnostics, places, marks } = problemsOf(tableOf(columns, rows));
  const found = diagnostics.filter(({ code }) => code === 'rows-overlap');
  const isAt = diagnostics.flatMap(({ code }, i) => (code === 'rows-overlap' ? (places[i] ?? []) : []));
  return { messages: found.map(({ message }) => message), places: isAt, marks };
};

describe('rows of a unique table are kept apart by a column', () => {
  it.each<[columns: string, rows: readonly string[]]>([
    ['phone.type', ['voip', 'mobile', '[pager, tollFree]', '{ known: false }']],
    ['phone.type', ['voip', '{ isNot: voip }']],
    ['phone.type', ['{ notIn: [voip, mobile] }', '[voip, mobile]']],
    ['context.number', ['{ below: 10 }', '{ between: [10, 20] }', '{ above: 20 }']],
    ['phone.riskLevel', ['{ atMost: low }', 'medium', '{ above: medium }']],
    ['context.date', ['never', '{ withinLast: 30 days }', '{ olderThan: 30 days }', '{ known: false }']],
    ['context.date', ['{ yearsSince: { below: 18 } }', '{ yearsSince: { atLeast: 18 } }']],
    ['context.text', ['{ inList: names }', '{ notInList: names }']],
    ['context.text', ['{ inList: ending }', '{ notInList: ending }']],
    ['context.text', ['{ inList: names }', 'gamma']],
    ['context.text', ['" ACME"', 'beta', '{ notIn: [acme, beta] }']],
    ['context.text', ['{ startsWith: a }', '{ startsWith: b }', '{ is: c }', '{ is: d, startsWith: d }']],
    ['context.text', ['{ endsWith: .ru }', '{ endsWith: .com }', '{ inDomainList: names }']],
    ['context.text', ['{ fact: context.other }', '{ isNot: { fact: context.other } }']],
    ['phone.type, context.number', ['voip, { below: 5 }', 'voip, { atLeast: 5 }', 'mobile, any']],
    // Another column for each two rows.
    ['phone.type, context.number', ['voip, any', 'mobile, 1', 'mobile, 2', '{ known: false }, any']],
    // A row that never matches overlaps none.
    ['phone.type, context.number', ['voip, { above: 5, below: 4 }', 'voip, any']],
  ])('%s: %j', (columns, rows) => {
    expect(overlaps(columns, rows).messages).toEqual([]);
  });

  it.each<[columns: string, rows: readonly string[], values: string]>([
    ['phone.type', ['voip', '‹[mobile, voip]'], 'phone.type voip'],
    ['context.number', ['{ atMost: 10 }', '‹{ atLeast: 10 }'], 'context.number 10'],
    ['context.text', ['acme', '‹" ACME "'], 'context.text acme'],
    ['context.text', ['{ inList: names }', '‹acme'], 'context.text acme'],
    ['context.text', ['any', '‹{ known: false }'], 'context.text missing'],
    ['context.date', ['{ isNot: 2026-11-20 }', '‹never'], 'context.date never'],
    ['context.date', ['{ withinLast: 30 days }', '‹{ withinLast: 7 days }'], 'context.date 0 days old to 7 days old'],
    ['context.text', ['{ contains: b }', '‹abc'], 'context.text abc'],
    ['phone.type, context.number', ['voip, any', '‹any, 5'], 'phone.type voip, context.number 5'],
    ['phone.type', ['any', '‹any'], 'both test nothing'],
    ['applicant.phoneNo', ['"+447400123456"', '‹"447400123456"'], 'applicant.phoneNo of both (not shown)'],
    ['context.income', ['{ above: 4711 }', '‹{ above: 4712 }'], 'context.income of both (not shown)'],
    ['context.text', ['{ startsWith: a }', '‹{ contains: b }'], 'context.text starts with a and contains b'],
  ])('or an error says that they may match at once: %s, %j', (columns, rows, values) => {
    const { messages, places, marks } = overlaps(columns, rows);
    expect(messages).toEqual([expect.stringMatching(/^the rows 1 and 2 of the table "t" may match at once: /)]);
    expect(messages[0]?.endsWith(`: ${values}`)).toBe(true);
    expect(places).toEqual(marks);
  });

  it('and each row that overlaps an earlier one is reported once', () => {
    const { messages } = overlaps('phone.type', ['voip', 'mobile', '[voip, mobile]', 'voip', 'pager']);
    expect(messages.map((message) => /rows (\d+) and (\d+)/.exec(message)?.slice(1))).toEqual([
      ['1', '3'],
      ['1', '4'],
    ]);
  });

  it('in a CSV file too, at the line of the file', () => {
    const text = `${HEAD}tables:\n  - { id: t, unique: true, rows: { file: t.csv } }\n`;
    const csv = 'phone.type,phone.score,then\n"[voip,\n mobile]",any,review\n‹any,{ above: 5 },reject\n';
    const { codes, places, marks, diagnostics } = problemsOf(text, { 't.csv': csv });
    expect({ codes, places }).toEqual({ codes: ['rows-overlap'], places: marks });
    expect(diagnostics[0]?.message).toMatch(/rows 1 and 2 .*: phone\.type (voip|mobile), phone\.score [\d.]+$/);
  });

  it('unless the table does not ask for it', () => {
    const text = tableOf('phone.type', ['voip', 'voip']).replace('unique: true', 'unique: false');
    expect(problemsOf(text).codes).not.toContain('rows-overlap');
  });
});
