/** Missing facts -> the sources that would bring them. */

import { describe, expect, test } from 'vitest';
import { type DeclaredSource, missingSources } from '../../../src/decision/explain/sources.ts';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import type { Cause, Fact } from '../../../src/facts/fact.ts';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';

const PHONE = ['phone.type', 'phone.score'];
const EMAIL = ['email.domain.type', 'email.address.riskLevel'];
const DARK_WEB = ['email.darkWeb.hitCount', 'email.darkWeb.lastHit'];
const IP = ['ip.location.latitude', 'ip.location.longitude', 'ip.country', 'ip.matchesPhoneCountry'];
const OWN = ['applicant.phoneNo', 'phone.country'];

/** Facts that are known, apart from those of each cause. */
function factsWith(missing: Partial<Record<Cause, readonly string[]>>): ReadonlyMap<string, Fact> {
  const all = [...PHONE, ...EMAIL, ...DARK_WEB, ...IP, ...OWN, 'identity.verified'];
  const facts = new Map<string, Fact>(all.map((path) => [path, { value: true }]));
  for (const [cause, paths] of Object.entries(missing)) {
    for (const path of paths) facts.set(path, { missing: cause as Cause });
  }
  return facts;
}

function sourcesOf(missing: Parameters<typeof factsWith>[0], declared?: readonly DeclaredSource[]) {
  const facts = factsWith(missing);
  const found = missingSources(facts.keys(), facts, CATALOG_TABLE, declared);
  return found.map(({ source, cause, facts: paths, isPart }) => [
    isPart ? `part of ${source}` : source,
    cause,
    ...paths,
  ]);
}

describe('the sources of missing facts', () => {
  test('are named by the beginning of their facts', () => {
    expect(sourcesOf({ sourceFailed: EMAIL })).toEqual([['part of email', 'sourceFailed', ...EMAIL]]);
    expect(sourcesOf({ sourceFailed: [...PHONE, ...EMAIL, ...DARK_WEB] })).toEqual([
      ['phone', 'sourceFailed', ...PHONE],
      ['email', 'sourceFailed', ...EMAIL, ...DARK_WEB],
    ]);
    expect(sourcesOf({ sourceFailed: [], notRequested: ['identity.verified'] })).toEqual([
      ['identity', 'notRequested', 'identity.verified'],
    ]);
  });

  test('are one where nothing of the service answered', () => {
    const all = [...PHONE, ...EMAIL, ...DARK_WEB, ...IP];
    const [one, ...others] = sourcesOf({ sourceFailed: all, notRequested: ['identity.verified'] });
    expect(one).toEqual(['service', 'sourceFailed', ...all]);
    expect(others).toEqual([['identity', 'notRequested', 'identity.verified']]);
  });

  test('are those of the mapping that brought nothing, the largest first', () => {
    const { sources } = loadMapping();
    expect(sourcesOf({ sourceFailed: DARK_WEB }, sources)).toEqual([['darkWeb', 'sourceFailed', ...DARK_WEB]]);
    expect(sourcesOf({ sourceFailed: [...EMAIL, ...DARK_WEB] }, sources)).toEqual([
      ['email', 'sourceFailed', ...EMAIL],
      ['darkWeb', 'sourceFailed', ...DARK_WEB],
    ]);
    // A fact that was not returned shows that its source answered.
    const part = sourcesOf({ sourceFailed: EMAIL.slice(1), notReturned: EMAIL.slice(0, 1) }, sources);
    expect(part).toEqual([['part of email', 'sourceFailed', ...EMAIL.slice(1)]]);
    const whole = {
      name: 'bureau',
      facts: new Set(sources.flatMap(({ name, facts }) => (/email|dark/i.test(name) ? [...facts] : []))),
    };
    expect(sourcesOf({ sourceFailed: [...EMAIL, ...DARK_WEB] }, [...sources, whole])).toEqual([
      ['bureau', 'sourceFailed', ...EMAIL, ...DARK_WEB],
    ]);
  });

  test('bring what is derived from their facts, unless it needs two of them', () => {
    expect(sourcesOf({ sourceFailed: IP })).toEqual([['ip', 'sourceFailed', ...IP]]);
    const derived = ['ip.country', 'ip.matchesPhoneCountry'];
    expect(sourcesOf({ sourceFailed: [...IP], notRequested: OWN })).toEqual([
      ['ip', 'sourceFailed', ...IP.slice(0, 3)],
      ['phone', 'notRequested', ...OWN],
    ]);
    // Nothing can be derived from a number of no country.
    expect(sourcesOf({ sourceFailed: IP, invalid: ['phone.country'] })).toEqual([
      ['ip', 'sourceFailed', ...IP.slice(0, 3)],
    ]);
    // A caller may give derived facts without what they are derived from.
    const facts = new Map<string, Fact>(derived.map((path) => [path, { missing: 'sourceFailed' }]));
    expect(missingSources(derived, facts, CATALOG_TABLE)).toEqual([
      { source: 'ip', cause: 'sourceFailed', facts: ['ip.country'] },
    ]);
  });

  test("are none for the caller's own facts, and for what was not returned, mapped or read", () => {
    const table = new Map([
      ...CATALOG_TABLE,
      ['context.age', { type: 'integer', origin: 'caller', description: '' }] as const,
      ['context.tier', { type: 'integer', origin: 'caller', description: '' }] as const,
    ]);
    const facts = new Map<string, Fact>([
      ['context.age', { missing: 'sourceFailed' }],
      ['context.tier', { missing: 'notRequested' }],
      ['phone.type', { missing: 'notReturned' }],
      ['phone.score', { missing: 'unmapped' }],
      ['phone.status', { missing: 'invalid' }],
      ['phone.riskLevel', { missing: 'notGiven' }],
    ]);
    expect(missingSources(facts.keys(), facts, table)).toEqual([]);
  });
});
