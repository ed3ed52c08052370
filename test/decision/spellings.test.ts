/** Other spellings of a person who is not accepted -> never accept. */

import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDecider, type Decider } from '../../src/decision/decide.ts';
import type { Verifier } from '../../src/decision/fetch/service-call.ts';
import { loadPolicy, policyFromData } from '../../src/policy/read/parse.ts';
import { PERSONAS, startSandbox } from '../../src/sandbox/index.ts';
import { createVerifyClient } from '../../src/signals/client.ts';
import { sampled } from '../support/sampled.ts';
import { USER } from '../support/signals/clients.ts';

const RULES = join(import.meta.dirname, '../../rules');
const now = () => Date.UTC(2026, 10, 20, 12);
const CLEAN = PERSONAS.find(({ name }) => name === 'clean') ?? PERSONAS[0];
const { phoneNo = '', email = '', ip = '' } = CLEAN ?? {};

const BLOCKS = policyFromData({
  policy: 'blocks',
  version: '1',
  default: 'accept',
  lists: { people: ['ann@spam.example'], domains: ['spam.example'] },
  tables: [
    {
      id: 'blocked',
      columns: ['applicant.phoneNo', 'applicant.email', 'applicant.emailDomain', 'applicant.ip', 'then'],
      rows: [
        ['447400123456', 'any', 'any', 'any', 'reject'],
        ['any', { inList: 'people' }, 'any', 'any', 'reject'],
        ['any', 'any', { inDomainList: 'domains' }, 'any', 'reject'],
        ['any', 'any', 'any', { in: ['203.0.113.9'] }, 'reject'],
      ],
    },
  ],
});

let shipped: Decider;
let blocks: Decider;

beforeAll(async () => {
  // The service says of everybody what it says of the clean person.
  const sandbox = await startSandbox({ now });
  const client = createVerifyClient({ baseUrl: sandbox.url, environment: 'sandbox', ...USER });
  const { body } = await client.verify({ phoneNo, email, ip, clientReference: 'ONB-1' });
  client.close();
  await sandbox.close();
  const verify: Verifier = {
    verify: async ({ clientReference }) => ({ body: { ...(body as object), clientReference } }),
  };
  shipped = createDecider({ policy: loadPolicy(join(RULES, 'onboarding.yaml')), verify, now });
  blocks = createDecider({ policy: BLOCKS, verify, now, runner: 'matcher' });
});

async function outcomeOf(decider: Decider, person: { phoneNo?: string; email?: string; ip?: string }) {
  const { outcome, signals } = await decider.decide({ phoneNo, email, ip, ...person });
  expect(signals.warnings.join()).not.toMatch(/spam|0-m|7400|203\.0/);
  return outcome;
}

describe('a disposable domain', () => {
  it.each([
    ['plain', 'a@0-mail.com'],
    ['in capitals', 'a@0-MAIL.com'],
    ['as a subdomain', 'a@x.0-mail.com'],
    ['with a final dot', 'a@0-mail.com.'],
    ['with two final dots', 'a@0-mail.com..'],
    ['in full-width letters', 'a@0-m\uff41il.com'],
    ['with a full-width dot', 'a@0-mail\uff0ecom'],
    ['with an ideographic full stop', 'a@0-mail\u3002com'],
    ['with a soft hyphen', 'a@0-ma\u00adil.com'],
    ['with a zero width space', 'a@0-ma\u200bil.com'],
    ['with a zero width joiner', 'a@0-ma\u200dil.com'],
    ['with a word joiner', 'a@0-ma\u2060il.com'],
    ['with a bidirectional override', 'a@\u202e0-mail.com'],
    ['with a circled letter', 'a@0-ma\u24d8l.com'],
    ['in angle brackets', '<a@0-mail.com>'],
    ['with a comma', 'a@0-mail.com,'],
    ['with a semicolon', 'a@0-mail.com;'],
    ['with a comment', 'a@0-mail.com(hi)'],
    ['as a URL', 'mailto:a@0-mail.com'],
    ['with a quoted local part', '"a"@0-mail.com'],
  ])('%s is not accepted', async (_, spelling) => {
    expect(await outcomeOf(shipped, { email: spelling })).toBe('review');
  });

  it('that looks like another domain is another domain', async () => {
    expect(await outcomeOf(shipped, { email: 'a@0-m\u0430il.com' })).toBe('accept');
  });
});

/** Other characters for a character, by what software may take for it. */
const LOOKALIKES: readonly ((c: string) => string)[] = [
  (c) => c,
  (c) => c.toUpperCase(),
  (c) => (/[!-~]/.test(c) ? String.fromCharCode(c.charCodeAt(0) + 0xfee0) : c),
  (c) => (/[a-z]/.test(c) ? String.fromCharCode(c.charCodeAt(0) - 0x61 + 0x24d0) : c),
  (c) => (/[a-z]/.test(c) ? String.fromCodePoint(c.charCodeAt(0) - 0x61 + 0x1d41a) : c),
  (c) => (/\d/.test(c) ? String.fromCodePoint(c.charCodeAt(0) - 0x30 + 0x1d7ce) : c),
  (c) => (c === '.' ? '\u3002' : c),
  (c) => (c === '.' ? '\uff61' : c),
  ...['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\u202e', '\u034f', '\ufe0f', '\ufeff', '\u115f'].map(
    (ignorable) => (c: string) => `${c}${ignorable}`,
  ),
];

/** What may stand around an address. */
const AROUND: readonly (readonly [string, string])[] = [
  ...['', ' ', '.', ',', ';', '(x)', '\u00a0', '\u202c', '..', ':25', '/', '%20'].map((end) => ['', end] as const),
  ...['\ufeff', '\u200e', 'mailto:', 'tel:', '(x)', '+', '00'].map((start) => [start, ''] as const),
  ['<', '>'],
  ['"', '"'],
  ['Ann <', '>'],
];

function spellingsOf(text: string): fc.Arbitrary<string> {
  const characters = [...text].map((c) => fc.oneof({ weight: 8, arbitrary: fc.constant(c) }, anyOf(c)));
  return fc
    .tuple(fc.tuple(...characters), fc.constantFrom(...AROUND))
    .map(([found, [before, after]]) => `${before}${found.join('')}${after}`);
}

function anyOf(c: string): fc.Arbitrary<string> {
  return fc.constantFrom(...LOOKALIKES).map((change) => change(c));
}

describe('a blocked person', () => {
  it('is blocked as written', async () => {
    for (const person of [{ phoneNo: '447400123456' }, { email: 'ann@spam.example' }, { ip: '203.0.113.9' }]) {
      expect(await outcomeOf(blocks, person)).toBe('reject');
    }
    expect(await outcomeOf(blocks, {})).toBe('accept');
  });

  it.each([
    ['phoneNo', '447400123456'],
    ['phoneNo', '+44 (0)7400 123456'],
    ['email', 'ann@spam.example'],
    ['email', 'bob@mail.spam.example'],
    ['ip', '203.0.113.9'],
  ])('is not accepted with another spelling of the %s %s', async (variable, text) => {
    await fc.assert(
      fc.asyncProperty(spellingsOf(text), async (spelling) => {
        expect(await outcomeOf(blocks, { [variable]: spelling })).not.toBe('accept');
      }),
      { numRuns: sampled(34, 20_000) },
    );
  });
});
