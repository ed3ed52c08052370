/** Messages: which placeholders are refused. test/cases has what they show. */

import { describe, expect, it } from 'vitest';
import { HEAD } from '../../support/policy/policy.ts';
import { problemsOf } from '../../support/policy/problems.ts';

const rule = (message: string) => `${HEAD}facts:
  context.text: { type: string }
  context.number: { type: number }
  context.flag: { type: boolean }
  context.day: { type: date }
rules:
  - id: one
    when: { phone.valid: { known: false } }
    then: review
    message: ${message}
`;

describe('a message', () => {
  const REFUSED: [what: string, message: string, code: string, hint?: RegExp][] = [
    ['of an unknown fact', "'a ‹{context.txt}'", 'unknown-fact', /^did you mean "context.text"\?$/],
    ['of an unknown fact far from any', "'a ‹{weather}'", 'unknown-fact', /\{fact\}, \{daysSince fact\} or/],
    ['of an unknown parameter', "'a ‹{$limit}'", 'unknown-parameter', /^declare it under/],
    ['of a parameter without a name', "'a ‹{$}'", 'bad-message'],
    ['of the phone number', "'a ‹{applicant.phoneNo}'", 'bad-message'],
    ['of the email', '‹{applicant.email}', 'wrong-type'],
    ['of the IP address', '"a ‹{applicant.ip}"', 'bad-message'],
    ['of what is derived from the email', "'‹{applicant.emailDomain}'", 'bad-message'],
    ['of nothing', "'‹{}'", 'bad-message'],
    ['with spaces', "'‹{ context.text }'", 'bad-message'],
    ['of another function', "'‹{daysUntil context.day}'", 'bad-message'],
    ['of the days since a text', "'‹{daysSince context.text}'", 'bad-message'],
    ['of the days since an unknown fact', "'‹{daysSince context.dy}'", 'unknown-fact', /"context.day"/],
    ['that does not end', "'a ‹{context.text'", 'bad-message', /write "\{\{"/],
    ['that does not begin', "'a context.text‹}'", 'bad-message', /write "\}\}"/],
    ['after an escaped one', "'{{context.txt}} ‹{context.txt}'", 'unknown-fact'],
    ['in a block', '>-\n      first line\n      ‹{context.txt}', 'unknown-fact'],
  ];
  it.each(REFUSED)('refuses a placeholder %s', (_what, message, code, hint) => {
    const { codes, places, marks, hints } = problemsOf(rule(message));
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    if (hint) expect(hints[0]).toMatch(hint);
  });

  it('reports every wrong placeholder at its position, also one that occurs twice', () => {
    const { places, marks } = problemsOf(rule("'‹{a} {context.text} ‹{a} ‹{applicant.ip}'"));
    expect(places).toEqual(marks);
  });

  it('is a text that is not empty', () => {
    expect(problemsOf(rule('‹""')).codes).toEqual(['empty']);
    expect(problemsOf(rule('‹7')).codes).toEqual(['wrong-type']);
  });
});
