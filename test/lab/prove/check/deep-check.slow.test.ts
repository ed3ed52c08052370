/** Checks with proof: each warning occurs, and a similar policy that is in order has none. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDeepCheck } from '../../../../src/lab/prove/check/deep-check.ts';
import { checkFilesDeeply } from '../../../../src/policy/check/check-files.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

/** What is wrong, the warning, a policy, and one that is nearly the same and right. */
type Row = [what: string, warning: string, text: string, near: string];

const rules = (...each: readonly string[]) => `${HEAD}rules:\n${each.map((rule) => `  - { ${rule} }\n`).join('')}`;

const either = (...tests: readonly string[]) => `{ any: [${tests.map((test) => `{ ${test} }`)}] }`;
const PORTED = 'phone.porting.portedDate';
const LOW = 'id: low, when: { phone.score: { below: 60 } }, then: review';
const HIGH = 'id: high, when: { phone.score: { between: [60, 80] } }, then: review';
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

const listed = (entry: string) =>
  rules(
    LOW,
    'id: far, when: { phone.score: { atLeast: 60 }, ip.country: { inList: far } }, then: review',
    'id: mid, when: { phone.score: { between: [50, 70] }, ip.country: fr }, then: review',
  ).replace('rules:', `lists:\n  far: [${entry}]\nrules:`);

const COVERED = '7 never-matters: the rule "mid" never matters: whenever it fires, "low" or "high" asks for as much';
const NOBODY_ACCEPTED =
  '3 never-reached: no applicant is accepted, though the default asks for it: other rules decide about every applicant';
const EXCLUDED = 'the rules that would add up to it exclude each other';

/** A guarantee about a type of phone, and a rule that rejects every `voip`. */
const GUARDED = rules('id: strict, when: { phone.type: voip }, then: reject').replace(
  'rules:',
  'guarantees: [{ id: g, never: reject, when: { phone.type: GUARDED } }]\nrules:',
);

const ROWS: readonly Row[] = [
  ['a rule that two others cover', COVERED, rules(LOW, HIGH, MID), rules(LOW, HIGH, MID.replace('70', '90'))],
  ['it has a notice of its own', COVERED, rules(LOW, HIGH, MID), rules(LOW, HIGH, `${MID}, notice: "Call us."`)],
  [
    'a shadow rule that two others cover',
    COVERED.replace('the rule', 'the shadow rule').replace('never matters', 'would change nothing if it were live'),
    rules(LOW, HIGH, `${MID}, mode: shadow`),
    rules(LOW, HIGH, `${MID.replace('then: review', 'then: reject')}, mode: shadow`),
  ],
  [
    'what covers it ends',
    COVERED,
    rules(LOW, `${HIGH}, from: 2026-01-01`, MID),
    rules(LOW, `${HIGH}, until: 2026-12-31`, MID),
  ],
  [
    'a rule that never fires, with too many parts for the ordinary check',
    '5 never-matters: the rule "a" never fires: no applicant passes its tests',
    rules(`id: a, when: { all: [${[...MANY, ONE, TWO]}] }, then: reject`),
    rules(`id: a, when: { all: [${[...MANY, ONE]}] }, then: reject`),
  ],
  [
    'dates that are older than asked for',
    '5 never-matters: the rule "a" never fires: no applicant passes its tests',
    rules(`id: a, when: { ${PORTED}: { before: 2026-11-01, withinLast: 10 days } }, then: reject`),
    rules(`id: a, when: { ${PORTED}: { after: 2026-11-30, olderThan: 10 days } }, then: reject`),
  ],
  [
    'years that a date has had',
    '5 never-matters: the rule "a" never fires: no applicant passes its tests',
    rules(`id: a, when: { ${PORTED}: { before: 2024-02-29, yearsSince: { below: 2 } } }, then: reject`),
    rules(`id: a, when: { ${PORTED}: { is: 2024-02-29, yearsSince: { is: 3 } } }, then: reject`),
  ],
  [
    'everybody is reviewed',
    NOBODY_ACCEPTED,
    rules(LOW, 'id: high, when: { phone.score: { atLeast: 60 } }, then: review'),
    rules(LOW, 'id: voip, when: { phone.type: voip }, then: reject, from: 2027-01-01'),
  ],
  [
    'everybody is reviewed, and will be',
    NOBODY_ACCEPTED,
    rules(LOW, 'id: high, when: { phone.score: { atLeast: 60 } }, then: review'),
    rules(LOW, 'id: high, when: { phone.score: { atLeast: 60 } }, then: review, until: 2026-12-31'),
  ],
  [
    'points that always come together',
    `4 never-reached: no score lies between review from 10 and reject from 20: ${EXCLUDED}`,
    scored('{ phone.riskLevel: { atLeast: high } }', '{ phone.riskLevel: { in: [high, veryHigh] } }'),
    scored('{ phone.riskLevel: { atLeast: high } }', '{ phone.riskLevel: high }'),
  ],
  [
    'points that never come together',
    `4 never-reached: no score reaches reject from 20: ${EXCLUDED}`,
    scored(
      `${either('phone.type: voip', 'phone.score: { below: 9 }')}`,
      '{ phone.type: mobile, phone.score: { above: 9 } }',
    ),
    scored(
      `${either('phone.type: voip', 'phone.score: { below: 9 }')}`,
      '{ phone.type: mobile, phone.score: { above: 8 } }',
    ),
  ],
  [
    'points that a rule gives later',
    `4 never-reached: no score reaches reject from 20: ${EXCLUDED}`,
    scored(
      either('phone.type: voip', 'phone.score: { below: 9 }'),
      '{ phone.type: mobile, phone.score: { above: 9 } }',
    ),
    scored(
      either('phone.type: voip', 'phone.score: { below: 9 }'),
      '{ phone.type: mobile, phone.score: { above: 9 } }',
      '{ phone.type: voip, phone.valid: true }',
    ).replace(/points: 10 }\n$/, 'points: 10, from: 2027-01-01 }\n'),
  ],
  [
    'a rule that two others cover, one of them by a list',
    '9 never-matters: the rule "mid" never matters: whenever it fires, "low" or "far" asks for as much',
    listed('fr'),
    listed('{ value: fr, until: 2026-12-31 }'),
  ],
  [
    'a guarantee that is broken',
    '4 guarantee-broken: the guarantee "g" is broken: no applicant for whom the condition is true gets accept; found accept',
    rules(LOW).replace('rules:', 'guarantees: [{ id: g, never: accept, when: { phone.type: voip } }]\nrules:'),
    rules(LOW).replace(
      'rules:',
      'guarantees: [{ id: g, never: accept, when: { phone.score: { below: 60 } } }]\nrules:',
    ),
  ],
  [
    'the rule that breaks a guarantee',
    '4 guarantee-broken: the guarantee "g" is broken: no applicant for whom the condition is true gets reject; ' +
      'found reject, decided by the rule "strict"',
    GUARDED.replace('GUARDED', 'voip'),
    GUARDED.replace('GUARDED', 'pager'),
  ],
  [
    'two regular expressions',
    '1 undecided: not decided: whether the rule "a" matters; whether any applicant is rejected',
    rules('id: a, when: { all: [{ ip.isp: { matches: "^a+x" } }, { ip.isp: { matches: "^b+x" } }] }, then: reject'),
    rules('id: a, when: { ip.isp: { matches: "^a" } }, then: reject'),
  ],
  [
    'a comment allows nothing that was found',
    '5 unused-allow: the line below has no warning "never-matters": this comment silences nothing',
    rules(LOW).replace('rules:\n', 'rules:\n  # verdict: allow never-matters (as agreed)\n'),
    rules(LOW, HIGH, MID).replace('  - { id: mid', '  # verdict: allow never-matters (as agreed)\n  - { id: mid'),
  ],
];

const checked = new Map<string, ReturnType<typeof checkText>>();

/** Some rows are about the same policy. */
function check(text: string) {
  const found = checked.get(text) ?? checkText(text);
  checked.set(text, found);
  return found;
}

async function checkText(text: string) {
  const file = join(temporaryFolder({ 'policy.yaml': text }), 'policy.yaml');
  const { diagnostics } = await checkFilesDeeply([file], { at: '2026-11-20' }, createDeepCheck());
  return diagnostics;
}

describe('a check with proof', () => {
  it.each(ROWS)('warns: %s', async (_, warning, text, near) => {
    expect((await check(text)).map(({ position, code, message }) => `${position?.line} ${code}: ${message}`)).toEqual([
      warning,
    ]);
    expect(await check(near)).toEqual([]);
  });

  it('finds nothing in the shipped policies', async () => {
    const { diagnostics } = await checkFilesDeeply(['rules'], { at: '2026-11-20' }, createDeepCheck());
    expect(diagnostics).toEqual([]);
  });
});
