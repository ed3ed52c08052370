import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { readFormat } from '../../../src/platform/formats/format.ts';
import { mailboxOf } from '../../../src/platform/formats/mailbox.ts';
import { policyOf } from '../../support/policy/policy.ts';
import { ruleWhen } from '../../support/policy/problems.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

const MAILBOXES: readonly (readonly [mailbox: string, ...addresses: readonly string[]])[] = [
  ['pat@gmail.com', 'p.a.t@gmail.com', 'pat+1@gmail.com', 'p.at+a+b@googlemail.com'],
  ['p.at@outlook.com', 'p.at+1@outlook.com'],
  ['pat@hotmail.co.uk', 'pat+x.y@hotmail.co.uk'],
  ['pat@live.com.mx', 'pat+@live.com.mx'],
  ['pat@icloud.com', 'pat@me.com', 'pat+1@mac.com'],
  ['pat_1@yahoo.com', 'pat_1-shop@yahoo.com', 'pat_1+shop@yahoo.com'],
  ['pat@ymail.com', 'pat-a-b@ymail.com'],
  ['pat@proton.me', 'p.a-t@proton.me', 'p_at+1@protonmail.com', 'pat@pm.me', 'pat@protonmail.ch'],
  ['pat@fastmail.com', 'pat+1@fastmail.com', 'anything@pat.fastmail.com'],
];

describe.each(MAILBOXES)('the mailbox %s', (mailbox, ...addresses) => {
  test.each([mailbox, ...addresses])('is behind %s', (address) => expect(mailboxOf(address)).toBe(mailbox));
});

test.each([
  ...['pat+1@mail.example', 'p.a.t@mail.example', '+1@gmail.com', 'pat@sub.gmail.com'],
  ...['pat+1@mygmail.com', 'p.at@outlook.example', 'pat+1@gmail.com.example', '-a@yahoo.com'],
])('an address that is its own mailbox stays as it is: %s', (address) => expect(mailboxOf(address)).toBe(address));

test('a mailbox is its own mailbox, and an address', () => {
  const domain = fc.constantFrom(...MAILBOXES.flat().map((address) => address.slice(address.indexOf('@') + 1)));
  const local = fc.array(fc.constantFrom('a', 'b', '.', '+', '-', '_', '1'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(local, domain, (letters, at) => {
      const read = readFormat('email', `${letters.join('')}@${at}`);
      if ('problem' in read) return;
      const mailbox = mailboxOf(read.value);
      expect(mailboxOf(mailbox)).toBe(mailbox);
      expect(readFormat('email', mailbox)).toEqual({ value: mailbox });
    }),
    { numRuns: sampled(100, 50_000) },
  );
});

describe('applicant.mailbox', () => {
  const factsOf = (email: string) => readFacts(new Map([['applicant.email', { value: email }]]), CATALOG_TABLE, DAY);

  test('is derived from the email, and missing with its cause', () => {
    expect(factsOf(' P.A.T+1@GoogleMail.com. ').get('applicant.mailbox')).toMatchObject({ value: 'pat@gmail.com' });
    expect(factsOf('pat').get('applicant.mailbox')).toEqual({ missing: 'invalid' });
  });

  test.each([
    ['{ applicant.mailbox: { inList: l } }', 'reject'],
    ['{ applicant.email: { inList: l } }', 'accept'],
    ['{ any: [{ applicant.email: { inList: l } }, { applicant.mailbox: { inList: l } }] }', 'reject'],
    ['{ applicant.mailbox: P.at@googlemail.com }', 'reject'],
    ['{ applicant.mailbox: { in: [other@mail.example, pat+2@gmail.com] } }', 'reject'],
    ['{ applicant.mailbox: pat@mail.example }', 'accept'],
  ])('%s: literals and entries are read as mailboxes', (when, outcome) => {
    const policy = policyOf(
      ruleWhen(when, 'lists: { l: [p.a.t+x@googlemail.com] }\n').replace('then: review', 'then: reject'),
    );
    expect(compile(policy).outcome(factsOf('pat+1@gmail.com'), DAY).outcome).toBe(outcome);
  });
});
