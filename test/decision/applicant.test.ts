/** What can be told of an applicant before a call. */

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import { checkApplicant } from '../../src/decision/request.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';

const GOOD = { phoneNo: '+1 202 555 0101', email: 'nora@juniper-lane.example', ip: '203.0.113.11' };

describe('checkApplicant', () => {
  it('has nothing to say of an applicant who can be sent', () => {
    expect(checkApplicant(GOOD)).toEqual([]);
  });

  it('gives the warnings that the decision will have, and repeats no value', async () => {
    const decider = createDecider({
      policy: loadPolicy('rules/onboarding.yaml'),
      verify: { verify: async () => ({ body: {} }) },
    });
    for (const wrong of [{ ...GOOD, email: 'mallory' }, { phoneNo: 'mallory', ip: '2001:db8::1' }, {}]) {
      const warnings = checkApplicant(wrong);
      const { signals } = await decider.decide(wrong);
      expect(signals.warnings.slice(0, warnings.length)).toEqual(warnings);
      expect(inspect(warnings)).not.toMatch(/mallory|2001/);
    }
  });

  it('tells what was not given from what cannot be sent', () => {
    expect(checkApplicant({ phoneNo: '12', email: null }).map(({ code, variable }) => [code, variable])).toEqual([
      ['VARIABLE_INVALID', 'phoneNo'],
      ['VARIABLE_NOT_GIVEN', 'email'],
      ['VARIABLE_NOT_GIVEN', 'ip'],
      ['NO_PHONE_NUMBER', undefined],
    ]);
  });

  it('refuses what is no applicant with an error of its own', () => {
    for (const wrong of [null, 'x', 5] as never[]) {
      expect(() => checkApplicant(wrong)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
    }
  });
});
