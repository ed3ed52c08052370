/** Two thousand invented applicants: most are clean, every rarer case occurs, and no signals contradict each other. */

import { describe, expect, test } from 'vitest';
import { lookUpAddress, lookUpDomain } from '../../src/sandbox/email.ts';
import { lookUpFindings } from '../../src/sandbox/findings.ts';
import type { Findings } from '../../src/sandbox/records.ts';

const DOMAINS = ['gmail.com', 'outlook.com'];
const PEOPLE = Array.from({ length: 2000 }, (_, i) =>
  lookUpFindings({
    phoneNo: String(447_400_000_000 + i * 7919),
    email: `applicant${i}@${DOMAINS[i % 3] ?? `firm-${i}.example`}`,
    ip: `10.${i % 7}.${i % 251}.${i % 256}`,
  }),
);

/** The records of a source, without the lookups that timed out. */
function told<K extends keyof Findings>(source: K) {
  return PEOPLE.map((person) => person[source]).filter((found) => typeof found === 'object' && found !== null);
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.filter(holds).length / items.length;
}

describe('of two thousand applicants', () => {
  const phones = told('phone');
  const emails = told('email');
  const darkWeb = told('darkWeb');
  const places = told('ip');
  const lastPort = (phone: (typeof phones)[number]) => phone.ports.at(-1)?.ageDays ?? Number.POSITIVE_INFINITY;

  test.each<[string, number, number, number]>([
    ['have an active mobile', share(phones, (p) => p.type === 'mobile' && p.status === 'active'), 0.89, 0.95],
    ['have a VoIP number', share(phones, (p) => p.type === 'voip'), 0.015, 0.05],
    ['moved within 90 days', share(phones, (p) => lastPort(p) <= 90), 0.02, 0.06],
    ['never moved', share(phones, (p) => p.ports.length === 0), 0.29, 0.38],
    ['have a number of low risk', share(phones, (p) => p.score < 40), 0.82, 0.97],
    ['have an email of low risk', share(emails, (e) => e.address.score < 40), 0.84, 0.95],
    ['have an email of high risk', share(emails, (e) => e.address.score >= 70), 0.015, 0.08],
    ['have a disposable domain', share(emails, (e) => e.domain.type === 'disposable'), 0.0005, 0.03],
    ['have no dark-web hits', share(darkWeb, (d) => d.hits === 0), 0.85, 0.93],
    ['have a few old hits', share(darkWeb, (d) => d.hits >= 1 && d.hits <= 3), 0.07, 0.13],
    ['have many hits', share(darkWeb, (d) => d.hits > 3), 0.003, 0.025],
  ])('as many %s as in life (%f)', (_, found, least, most) => {
    expect(found).toBeGreaterThan(least);
    expect(found).toBeLessThan(most);
  });

  test.each(['phone', 'email', 'darkWeb', 'ip'] as const)(
    'about one lookup in a hundred fails at the %s source',
    (source) => {
      const failures = share(PEOPLE, (person) => person[source] === 'timeout');
      expect(failures).toBeGreaterThan(0.003);
      expect(failures).toBeLessThan(0.02);
    },
  );

  test('most are in the country of their number, the others anywhere', () => {
    expect(share(places, ({ latitude }) => latitude > 51 && latitude < 54)).toBeGreaterThan(0.92);
    expect(new Set(places.map(({ isp }) => isp)).size).toBeGreaterThan(15);
    expect(new Set(places.map(({ latitude }) => latitude)).size).toBeGreaterThan(500);
  });

  test('a few dark-web hits are old, and without hits there is no last hit', () => {
    for (const { hits, lastHitAgeDays } of darkWeb) {
      if (hits === 0) expect(lastHitAgeDays).toBeNull();
      else expect(Number(lastHitAgeDays)).toBeGreaterThan(hits <= 3 ? 365 : 0);
    }
  });

  test('moves come in order, each to another operator, and no address is older than its domain', () => {
    for (const { originalOperator, ports } of phones) {
      const operators = [originalOperator, ...ports.map(({ to }) => to)];
      expect(operators.every((name, index) => name !== operators[index + 1])).toBe(true);
      expect(ports.every(({ ageDays }, index) => ageDays > (ports[index + 1]?.ageDays ?? 0))).toBe(true);
    }
    for (const { domain, address } of emails) expect(address.ageDays).toBeLessThanOrEqual(domain.ageDays);
  });

  test('scores and scales stay within their limits', () => {
    for (const { score } of phones) expect(score >= 0 && score <= 100 && Number.isInteger(score)).toBe(true);
    for (const { domain, address } of emails) {
      expect(Math.max(domain.score, address.score)).toBeLessThanOrEqual(100);
      expect([0, 1, 2, 3]).toContain(address.tumblingRisk);
      expect(address.activity >= 0 && address.activity <= 10).toBe(true);
    }
    for (const { forumRating } of darkWeb) expect([0, 1, 2, 3, 4, 5]).toContain(forumRating);
  });
});

test.each([
  ['gmail.com', 'free'],
  ['outlook.com', 'free'],
  ['guerrillamail.com', 'disposable'],
  ['physics.example.edu', 'education'],
  ['example.ac.uk', 'education'],
  ['tax.example.gov.au', 'government'],
])('%s is a domain of the type %s', (domain, type) => {
  expect(lookUpDomain(domain).type).toBe(type);
});

test('a free provider is old and of low risk, and an address there can be young', () => {
  const domain = lookUpDomain('gmail.com');
  expect(domain.ageDays).toBeGreaterThan(5000);
  expect(domain.score).toBeLessThan(20);
  expect(lookUpAddress('somebody@gmail.com', domain).ageDays).toBeLessThanOrEqual(5000);
});

test('a tag after a plus raises the tumbling risk', () => {
  expect(lookUpAddress('somebody+17@gmail.com', lookUpDomain('gmail.com')).tumblingRisk).toBe(2);
});
