/** The matcher on the conformance cases and on random ones: the verdict of the reference, byte for byte. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BatchResult, compile } from '../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../src/decision/verdict.ts';
import { canonicalJson } from '../../src/digest.ts';
import { OUTCOMES } from '../../src/policy/language.ts';
import { aCase } from '../support/arbitrary.ts';
import { loadPlainPolicy, loadPolicyAsIs, readPlainFacts } from '../support/case.ts';
import { caseFiles, factsOfCase, readCaseFile } from '../support/case-file.ts';
import { columnsOf } from '../support/columns.ts';
import { temporaryFolder } from '../support/policy.ts';
import { referenceVerdict } from '../support/reference.ts';

/** What a batch comes to, row by row. */
function rowsOf({ outcomes, least, most }: BatchResult) {
  return [...outcomes].map((outcome, i) => ({ outcome: OUTCOMES[outcome], least: least[i], most: most[i] }));
}

describe('the matcher', () => {
  test.each(caseFiles().flatMap((path) => readCaseFile(path).cases))('$name', (each) => {
    const policy = loadPolicyAsIs(each.policy, temporaryFolder());
    const facts = readPlainFacts(factsOfCase(each), policy, each.day);
    const matcher = compile(policy);
    expect(canonicalJson(matcher.verdict(facts, each.day))).toBe(canonicalJson(each.expected));
    const { outcome, score } = each.expected;
    expect(matcher.outcome(facts, each.day)).toEqual({ outcome, score });
    for (const asSteps of [true, false]) {
      const batch = matcher.batch(columnsOf([facts], policy.facts, asSteps), each.day);
      expect(rowsOf(batch)).toEqual([{ outcome, least: score.least, most: score.most }]);
    }
  });

  test('agrees with the reference on random policies and facts', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(aCase({ applicants: 20 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        const matcher = compile(policy);
        const all = applicants.map((applicant) => readPlainFacts(applicant, policy, day));
        const verdicts = applicants.map((applicant) => referenceVerdict(plain, applicant, day));
        const rows = verdicts.map(({ outcome, score: { least, most } }) => ({ outcome, least, most }));
        for (const asSteps of [true, false]) {
          expect(rowsOf(matcher.batch(columnsOf(all, policy.facts, asSteps), day))).toEqual(rows);
        }
        for (const [i, facts] of all.entries()) {
          const expected = verdicts[i] as Verdict;
          expect(canonicalJson(matcher.verdict(facts, day))).toBe(canonicalJson(expected));
          expect(matcher.outcome(facts, day)).toEqual({ outcome: expected.outcome, score: expected.score });
        }
      }),
      { numRuns: 500 },
    );
  });
});
