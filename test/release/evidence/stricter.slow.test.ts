/** What a proof says of random changes, against applicants of random days, decided one by one. */

import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { createRandom } from '../../../src/platform/random.ts';
import { type Policy, strictness } from '../../../src/policy/language.ts';
import { isStricter } from '../../../src/release/evidence/judge-proof.ts';
import { policiesIn } from '../../../src/release/policies.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { DAY, edited, proofOf } from '../../support/release/rule-folders.ts';
import { sampled } from '../../support/sampled.ts';

const random = createRandom();
const pick = <Item>(...items: [Item, ...Item[]]): Item => items[Math.floor(random() * items.length)] ?? items[0];

/** A limit, the ends of entries and of a rule, points, and outcomes, of which another version may have others. */
interface Choices {
  readonly limit: number;
  readonly market: string;
  readonly corner: string;
  readonly until: string;
  readonly points: number;
  readonly then: string;
}

function choose(): Choices {
  return {
    limit: pick(60, 70, 80),
    market: pick(
      '',
      'Night Market',
      '{ value: Night Market, until: 2027-03-31 }',
      '{ value: Night Market, until: 2027-06-30 }',
    ),
    corner: pick('Corner Shop', '{ value: Corner Shop, until: 2027-01-31 }'),
    until: pick('', ', until: 2027-02-28', ', from: 2027-02-01'),
    points: pick(10, 20, 30),
    then: pick('review', 'reject'),
  };
}

function rulesBy({ limit, market, corner, until, points, then }: Choices) {
  return edited({
    'default: accept': 'default: accept\nscore: { review: 20, reject: 50 }',
    'atLeast: 80 } }, then: review': `atLeast: ${limit} } }, points: ${points}`,
    '[Corner Shop, { value: Night Market, until: 2027-03-31 }]': `[${[corner, market].filter(Boolean).join(', ')}]`,
    'inList: shops } }, then: review': `inList: shops } }, then: ${then}${until}`,
    'phone.type: voip }, then: review': 'phone.type: voip }, points: 30',
    '  - { id: no-voip, never: accept, when: { phone.type: voip } }\n':
      '  - { id: seen, never: reject, when: { phone.type: landline } }\n',
  });
}

function applicant(day: string, { facts: table }: Policy) {
  const values = {
    'context.debt': pick(undefined, 50, 59, 60, 65, 70, 79, 80, 90),
    'context.shop': pick(undefined, 'corner shop', 'night market', 'other'),
    'phone.type': pick(undefined, 'voip', 'mobile'),
    'applicant.email': pick(undefined, 'ann.example@mail.example', 'who@mail.example'),
  };
  const given = Object.entries(values).flatMap(([path, value]) =>
    value === undefined ? [] : [[path, { value }] as const],
  );
  return readFacts(new Map(given), table, day);
}

it('no applicant gets a milder outcome by a change that is proved to be stricter', async () => {
  const seen = { true: 0, false: 0, undecided: 0 };
  for (let turn = 0; turn < sampled(9, 400); turn++) {
    const before = choose();
    const after = { ...before, ...Object.fromEntries(Object.entries(choose()).filter(() => random() < 0.3)) };
    const files = [rulesBy(before), rulesBy(after)] as const;
    const stricter = isStricter(await proofOf(files[1], files[0]));
    seen[`${stricter}`] += 1;
    const [old, now] = files.map((each) => {
      return policiesIn(temporaryFolder(each), 'signals.yaml').get('signup')?.policy as Policy;
    }) as [Policy, Policy];
    let milder = 0;
    for (let i = 0; i < 3000; i++) {
      const day = pick(DAY, '2027-01-31', '2027-02-01', '2027-03-01', '2027-04-01', '2027-07-01', '2030-01-01');
      const facts = applicant(day, now);
      const [was, is] = [old, now].map((policy) => matcherOf(policy).outcome(facts, day).outcome);
      if (strictness(is) < strictness(was)) milder += 1;
    }
    // Of so many, each kind of applicant is there.
    expect({ before, after, isMilder: milder > 0 }).toEqual({ before, after, isMilder: stricter === false });
  }
  expect(seen.true).toBeGreaterThan(2);
  expect(seen.false).toBeGreaterThan(2);
  expect(seen.undecided).toBe(0);
});
