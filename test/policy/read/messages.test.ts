/** Messages: what their placeholders show, and which are refused. */

import { describe, expect, it } from 'vitest';
import { decide, type Given } from '../../support/policy/decide.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
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

/** The message, given in single quotes, as the verdict has it. */
async function messageOf(message: string, given: Given = {}): Promise<string | undefined> {
  const { reasons } = await decide(policyOf(rule(`'${message}'`)), given);
  return reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.message] : []))[0];
}

describe('a message', () => {
  const SHOWN: [message: string, given: Given, text: string][] = [
    ['no places', {}, 'no places'],
    ['{context.text}!', { 'context.text': ' ACME Telecom' }, ' ACME Telecom!'],
    ['{context.text} and {context.text}', { 'context.text': 'a' }, 'a and a'],
    ['{context.text}', {}, 'unknown'],
    ['{context.text}', { 'context.text': 7 }, 'unknown'],
    ['{email.address.riskLevel}', { 'email.address.riskLevel': 'veryHigh' }, 'veryHigh'],
    ['{context.number}', { 'context.number': 0.1 }, '0.1'],
    ['{context.number}', { 'context.number': 1e21 }, '1e+21'],
    ['{context.number}', { 'context.number': 1234567.5 }, '1234567.5'],
    ['{context.number}', { 'context.number': -0 }, '0'],
    ['{context.flag}', { 'context.flag': false }, 'false'],
    ['{context.day}', { 'context.day': '2026-11-13' }, '2026-11-13'],
    ['{context.day}', { 'context.day': 'never' }, 'never'],
    ['{daysSince context.day} days', { 'context.day': '2026-11-13' }, '7 days'],
    ['{daysSince context.day}', { 'context.day': '2026-11-20' }, '0'],
    ['{daysSince context.day}', { 'context.day': '2024-02-29' }, '995'],
    ['{daysSince context.day}', { 'context.day': 'never' }, 'never'],
    ['{daysSince context.day}', {}, 'unknown'],
    ['{{context.text}}', { 'context.text': 'a' }, '{context.text}'],
    ['{{{context.text}}}', { 'context.text': 'a' }, '{a}'],
    ['a }} b {{ c', {}, 'a } b { c'],
    // What a fact says is not read as a place again.
    ['{context.text}', { 'context.text': '{context.number}', 'context.number': 1 }, '{context.number}'],
  ];
  it.each(SHOWN)('%s of %j reads %s', async (message, given, text) => {
    expect(await messageOf(message, given)).toBe(text);
  });

  it('may show facts that no test of the rule reads', async () => {
    expect(await messageOf('{ip.isp}', { 'ip.isp': 'Example Net' })).toBe('Example Net');
  });

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
