/** The words for what facts would have to be: every value that they allow leads to the outcome. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NeededFact } from '../../../src/decision/explain/explanation.ts';
import { LEVELS } from '../../../src/facts/catalog.ts';
import type { FactValue } from '../../../src/facts/fact.ts';
import { OUTCOMES } from '../../../src/policy/language.ts';
import { explainNow } from '../../support/decision/explained.ts';
import { ALL_FACTS, aSmallCase, DAY } from '../../support/decision/small-world.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { loadPolicyAsIs, readPlainFacts } from '../../support/runners/case.ts';
import type { PlainFacts } from '../../support/runners/plain.ts';
import { referenceVerdict } from '../../support/runners/reference.ts';
import { sampled } from '../../support/sampled.ts';

/** Whether words such as `at least 1 and below 2 or 5` allow a value. */
function allows(words: string, value: FactValue): boolean {
  const rank = (text: string) => (/^-?[\d.]+$/.test(text) ? Number(text) : LEVELS.indexOf(text as never));
  const number = rank(String(value));
  const holds = (part: string): boolean => {
    const [, comparison, limit] = /^(at most|at least|below|above) (\S+)$/.exec(part) ?? [];
    if (comparison === 'at most') return number <= rank(limit ?? '');
    if (comparison === 'at least') return number >= rank(limit ?? '');
    if (comparison === 'below') return number < rank(limit ?? '');
    if (comparison === 'above') return number > rank(limit ?? '');
    const [, least, most] = /^(\S+) to (\S+)$/.exec(part) ?? [];
    if (least !== undefined && most !== undefined) return rank(least) <= number && number <= rank(most);
    return part === String(value);
  };
  const isOpposite = words.startsWith('anything but ');
  const some = words.replace('anything but ', '').split(' or ');
  return some.some((part) => part.split(' and ').every(holds)) !== isOpposite;
}

const READ = /^context\.(count|number|level|other|kind\d?|flag\d?)$/;

describe('the words for what facts would have to be', () => {
  test('allow only values that lead to the outcome', () => {
    const folder = temporaryFolder();
    let tried = 0;
    fc.assert(
      fc.property(aSmallCase, (small) => {
        const policy = loadPolicyAsIs(small.policy, folder);
        for (const plain of small.applicants) {
          const facts = readPlainFacts(plain, policy, DAY);
          for (const to of OUTCOMES) {
            for (const set of explainNow(policy, facts, DAY, { to }).changes.sets) {
              // `allows` does not read comparisons of two facts.
              if (!set.every(({ fact, needs }) => READ.test(fact) && !needs.includes('context.'))) continue;
              for (const changed of allAllowed(plain, set)) {
                expect(referenceVerdict(small.policy, changed, DAY).outcome, JSON.stringify(set)).toBe(to);
                tried += 1;
              }
            }
          }
        }
      }),
      { numRuns: sampled(14, 300) },
    );
    expect(tried).toBeGreaterThan(sampled(24, 1000));
  });
});

function allAllowed(plain: PlainFacts, [first, ...rest]: readonly NeededFact[]): readonly PlainFacts[] {
  if (!first) return [plain];
  const values = ALL_FACTS[first.fact]?.values ?? [];
  return values
    .filter((value) => allows(first.needs, value))
    .flatMap((value) => allAllowed({ ...plain, [first.fact]: { value } }, rest));
}
