/** List entries with a last day count up to and on that day. */

import { describe, expect, it } from 'vitest';
import { DAY, truthOf } from '../../support/policy/decide.ts';
import { policyOf } from '../../support/policy/policy.ts';
import { ruleWhen } from '../../support/policy/problems.ts';

const FACTS = 'facts:\n  context.text: { type: string }\n';

/** Whether a text is in a list of these entries, as an operator asks. */
const isIn = (entries: string, text: string, operator = 'inList', day = DAY) =>
  truthOf(
    policyOf(ruleWhen(`{ context.text: { ${operator}: names } }`, `${FACTS}lists:\n  names: ${entries}\n`)),
    { 'context.text': text },
    day,
  );

describe('an entry', () => {
  const COUNTS: [entries: string, day: string, counts: boolean][] = [
    ['[{ value: acme, until: 2026-11-20 }]', '2026-11-19', true],
    ['[{ value: acme, until: 2026-11-20 }]', '2026-11-20', true],
    ['[{ value: acme, until: 2026-11-20 }]', '2026-11-21', false],
    ['[{ value: acme }]', '2026-11-21', true],
    ['[{ value: acme, note: load test }]', '2026-11-21', true],
    ['[beta, { value: acme, until: 2026-11-20, note: load test }]', '2026-11-20', true],
    ['{ description: Names, entries: [{ value: acme, until: 2026-11-20 }] }', '2026-11-20', true],
    ['{ description: Names, entries: [{ value: acme, until: 2026-11-20 }] }', '2026-11-21', false],
    // An entry that is listed twice counts until the later day, folded, in any order.
    ['[{ value: acme, until: 2026-11-20 }, { value: " ACME", until: 2026-11-30 }]', '2026-11-30', true],
    ['[{ value: acme, until: 2026-11-30 }, { value: " ACME", until: 2026-11-20 }]', '2026-11-30', true],
    ['[{ value: acme, until: 2026-11-30 }, { value: " ACME", until: 2026-11-20 }]', '2026-12-01', false],
    ['[{ value: acme, until: 2026-11-20 }, acme]', '2026-11-21', true],
    ['[acme, { value: acme, until: 2026-11-20 }]', '2026-11-21', true],
    ['[{ value: acme }, { value: acme, until: 2026-11-20 }, { value: acme, until: 2026-11-01 }]', '2027-01-01', true],
  ];
  it.each(COUNTS)('of %s counts on %s: %j', async (entries, day, counts) => {
    expect(await isIn(entries, 'Acme', 'inList', day)).toBe(counts);
    expect(await isIn(entries, 'Acme', 'notInList', day)).toBe(!counts);
  });

  it('that is over leaves the others of its list', async () => {
    const entries = '[{ value: acme, until: 2026-11-19 }, beta]';
    expect([await isIn(entries, 'acme'), await isIn(entries, 'beta')]).toEqual([false, true]);
  });

  it.each([
    ['a.spam.example', '[{ value: spam.example, until: 2026-11-20 }]', true],
    ['a.spam.example', '[{ value: spam.example, until: 2026-11-19 }]', false],
    ['a.spam.example', '[{ value: spam.example, until: 2026-11-19 }, example]', true],
    ['a.spam.example', '[{ value: a.spam.example, until: 2026-11-19 }, { value: example, until: 2026-11-18 }]', false],
  ])('that is a domain ends for the domains below it too: %s in %s', async (domain, entries, counts) => {
    expect(await isIn(entries, domain, 'inDomainList')).toBe(counts);
  });

  it('is known to the policy with its last day', () => {
    const { lists } = policyOf(
      `${ruleWhen('{ phone.valid: false }')}lists:\n  names: [ACME, { value: Beta, until: 2026-12-31, note: why }]\n`,
    );
    expect([...(lists.get('names')?.entries ?? [])]).toEqual([
      ['acme', undefined],
      ['beta', '2026-12-31'],
    ]);
  });
});
