/** What one application is: the same applicant, the identity in facts, and when an application began. */

import { describe, expect, it } from 'vitest';
import { beganAt, identityIn, isSameApplicant, referenceKey } from '../../src/decision/application.ts';
import { createDecisionId } from '../../src/decision/request.ts';

describe('an applicant', () => {
  it.each([
    [{ phoneNo: '1', email: 'a' }, { phoneNo: '1', email: 'a' }, true],
    [{ phoneNo: '1' }, { email: 'a' }, true],
    [{}, { phoneNo: '1', email: 'a', ip: 'i' }, true],
    [{ phoneNo: '1', email: 'a' }, { phoneNo: '1', email: 'b' }, false],
    [{ phoneNo: '1', ip: 'i' }, { ip: 'j' }, false],
  ])('%j is the same as %j: %s', (one, other, isSame) => {
    expect([isSameApplicant(one, other), isSameApplicant(other, one)]).toEqual([isSame, isSame]);
  });

  it('is known by what can be read, and by an IPv6 address that the service does not take', () => {
    const facts = new Map([
      ['applicant.phoneNo', { value: '12025550101' }],
      ['applicant.email', { missing: 'invalid' as const, raw: 'no address' }],
      ['applicant.ip', { missing: 'invalid' as const, raw: '2A00:1450:0::1' }],
    ]);
    expect(identityIn(facts)).toEqual({ phoneNo: '12025550101', ip: '2a00:1450::1' });
  });
});

it('the references of two callers, and of a caller without a name, are not one', () => {
  const keys = [referenceKey('shop', 'A-1'), referenceKey('app', 'A-1'), referenceKey(undefined, 'A-1')];
  expect(new Set(keys).size).toBe(3);
});

it('an application began with its first decision, whose id has the time', () => {
  const at = Date.UTC(2026, 10, 20, 12) + 7;
  expect(beganAt(createDecisionId(at))).toBe(at);
});
