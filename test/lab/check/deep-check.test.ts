/** Checks with proof: each warning occurs, and a similar policy that is in order has none. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDeepCheck } from '../../../src/lab/check/deep-check.ts';
import { checkFilesDeeply } from '../../../src/policy/check/check-files.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

/** What is wrong, the warning, a policy, and one that is nearly the same and right. */
type Row = [what: string, warning: string, text: string, near: string];

const rules = (...each: readonly string[]) => `${HEAD}rules:\n${each.map((rule) => `  - { ${rule} }\n`).join('')}`;

const either = (...tests: readonly string[]) => `{ any: [${tests.map((test) => `{ ${test} }`)}] }`;
const LOW = 'id: low, when: { phone.score: { below: 60 } }, then: review';
const HIGH = 'id: high, when: { phone.score: { between: [60, 80] } }, then: review';
const TOP = 'id: top, when: { phone.score: { atLeast: 80 } }, then: reject';
const VOIP = 'id: voip, when: { phone.type: voip }, then: review';
const BAND = 'id: band, when: { phone.score: { between: [50, 70] } }, then: review';
const MID = 'id: mid, when: { phone.score: { between: [50, 70] }, phone.type: voip }, then: review';
const [ONE, TWO] = [0, 20].map((from) =>
  either(`phone.score: { between: [${from}, ${from + 10}] }`, `phone.score: { between: [${from + 40}, ${from + 50}] }`),
);
const MANY = [1, 2, 3, 4, 5, 6, 7, 8].map((i) =>
  either(`email.address.score: { above: ${i} }`, `phone.porting.portCount: { above: ${i} }`),
);
const scored = (...conditions: readonly string[]) =>
  rules(...conditions.map((when, i) => `id: r${i}, when: ${when}, points: 10`)).replace(
    'rules:',
    'score: { review: 10, reject: 20 }\nrules:',
  );

const ROWS: readonly Row[] = [
  ['a rule that two others cover', '7 never-matters', rules(LOW, HIGH, MID), rules(LOW, HIGH, MID.replace('70', '90'))],
  [
    'it has a notice of its own',
    '7 never-matters',
    rules(LOW, HIGH, MID),
    rules(LOW, HIGH, `${MID}, notice: "Call us."`),
  ],
  [
    'a shadow rule that two others cover',
    '7 never-matters',
    rules(LOW, HIGH, `${MID}, mode: shadow`),
    rules(LOW, HIGH, `${MID.replace('then: review', 'then: reject')}, mode: shadow`),
  ],
  [
    'what covers it ends',
    '7 never-matters',
    rules(LOW, `${HIGH}, from: 2026-01-01`, MID),
    rules(LOW, `${HIGH}, until: 2026-12-31`, MID),
  ],
  [
    'a rule that never fires, with too many parts for the ordinary check',
    '5 never-matters',
    rules(`id: a, when: { all: [${[...MANY, ONE, TWO]}] }, then: reject`),
    rules(`id: a, when: { all: [${[...MANY, ONE]}] }, then: reject`),
  ],
  [
    'everybody is reviewed',
    '3 never-reached',
    rules(LOW, 'id: high, when: { phone.score: { atLeast: 60 } }, then: review'),
    rules(LOW, 'id: high, when: { phone.score: { above: 65 } }, then: review'),
  ],
  [
    'points that always come together',
    '4 never-reached',
    scored('{ phone.riskLevel: { atLeast: high } }', '{ phone.riskLevel: { in: [high, veryHigh] } }'),
    scored('{ phone.riskLevel: { atLeast: high } }', '{ phone.riskLevel: high }'),
  ],
  [
    'a gap between two ranges',
    '6 outcome-gap',
    rules(BAND, TOP),
    rules(BAND, 'id: top, when: { phone.score: { above: 70 } }, then: reject'),
  ],
  [
    'a gap that the middle of the order is not',
    '6 outcome-gap',
    rules(BAND, TOP),
    rules(BAND.replace('between: [50, 70]', 'atMost: 70'), TOP),
  ],
  [
    'a gap beside the same other conditions',
    '6 outcome-gap',
    rules(`${BAND.replace(' }, then', ', phone.type: voip }, then')}`, TOP.replace('then: reject', 'then: review')),
    rules(
      `${BAND.replace(' }, then', ', phone.type: voip }, then')}`,
      TOP.replace(' }, then', ', phone.type: mobile }, then'),
    ),
  ],
  [
    'a gap that a rule asks for',
    '6 outcome-gap',
    rules(BAND.replace('review', 'reject'), TOP),
    rules(
      BAND.replace('review', 'reject'),
      TOP,
      'id: mid, when: { phone.score: { above: 70, below: 80 } }, then: review',
    ),
  ],
  [
    'a gap that an ordinary check reports',
    '6 border-gap',
    rules(BAND, TOP.replace('atLeast: 80', 'above: 70'), VOIP).replace('between: [50, 70]', 'atLeast: 50, below: 70'),
    rules(BAND, TOP.replace('atLeast: 80', 'above: 70')),
  ],
  [
    'a guarantee that is broken',
    '4 guarantee-broken',
    rules(LOW).replace('rules:', 'guarantees: [{ id: g, never: accept, when: { phone.type: voip } }]\nrules:'),
    rules(LOW).replace(
      'rules:',
      'guarantees: [{ id: g, never: accept, when: { phone.score: { below: 60 } } }]\nrules:',
    ),
  ],
  [
    'two regular expressions',
    '1 undecided',
    rules('id: a, when: { all: [{ ip.isp: { matches: "^a" } }, { ip.isp: { matches: "^b" } }] }, then: reject'),
    rules('id: a, when: { ip.isp: { matches: "^a" } }, then: reject'),
  ],
  [
    'a comment allows nothing that was found',
    '5 unused-allow',
    rules(LOW).replace('rules:\n', 'rules:\n  # verdict: allow never-matters (as agreed)\n'),
    rules(LOW, HIGH, MID).replace('  - { id: mid', '  # verdict: allow never-matters (as agreed)\n  - { id: mid'),
  ],
];

async function check(text: string) {
  const file = join(temporaryFolder({ 'policy.yaml': text }), 'policy.yaml');
  const { diagnostics } = await checkFilesDeeply([file], { at: '2026-11-20' }, createDeepCheck(60_000));
  return diagnostics;
}

describe('a check with proof', () => {
  it.each(ROWS)('warns: %s', async (_, warning, text, near) => {
    expect((await check(text)).map(({ position, code }) => `${position?.line} ${code}`)).toEqual([warning]);
    expect(await check(near)).toEqual([]);
  });

  it('finds nothing in the shipped policies', async () => {
    const { diagnostics } = await checkFilesDeeply(['rules'], { at: '2026-11-20' }, createDeepCheck(60_000));
    expect(diagnostics).toEqual([]);
  });
});
