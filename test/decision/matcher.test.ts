/** The matcher on the conformance cases and on random ones: the verdict of the reference, byte for byte. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/decision/matcher/matcher.ts';
import { canonicalJson } from '../../src/digest.ts';
import { aCase } from '../support/arbitrary.ts';
import { loadPlainPolicy, loadPolicyAsIs, readPlainFacts } from '../support/case.ts';
import { caseFiles, factsOfCase, readCaseFile } from '../support/case-file.ts';
import { temporaryFolder } from '../support/policy.ts';
import { referenceVerdict } from '../support/reference.ts';

describe('the matcher', () => {
  test.each(caseFiles().flatMap((path) => readCaseFile(path).cases))('$name', (each) => {
    const policy = loadPolicyAsIs(each.policy, temporaryFolder());
    const facts = readPlainFacts(factsOfCase(each), policy, each.day);
    const matcher = compile(policy);
    expect(canonicalJson(matcher.verdict(facts, each.day))).toBe(canonicalJson(each.expected));
    const { outcome, score } = each.expected;
    expect(matcher.outcome(facts, each.day)).toEqual({ outcome, score });
  });

  test('agrees with the reference on random policies and facts', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(aCase({ applicants: 20 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        const matcher = compile(policy);
        for (const applicant of applicants) {
          const facts = readPlainFacts(applicant, policy, day);
          const expected = referenceVerdict(plain, applicant, day);
          expect(canonicalJson(matcher.verdict(facts, day))).toBe(canonicalJson(expected));
          expect(matcher.outcome(facts, day)).toEqual({ outcome: expected.outcome, score: expected.score });
        }
      }),
      { numRuns: 500 },
    );
  });
});
