/** A policy that was read: it stays as it is, and reading it does not see a polluted Object.prototype. */

import { expect, it } from 'vitest';
import type { NamedList } from '../../src/policy/arguments.ts';
import type { Policy } from '../../src/policy/language.ts';
import { loadPolicyText } from '../../src/policy/read/parse.ts';
import { sampled } from '../support/sampled.ts';

const TEXT = `policy: p
version: "1"
default: accept
lists: { spam: [spam.example], nets: { entries: [203.0.113.0/24] } }
parameters: { limit: 50 }
facts: { context.age: { type: integer } }
conditions: { high: { phone.score: { above: $limit } } }
score: { review: 10 }
rules:
  - { id: high, when: high, then: reject }
  - { id: spam, when: { applicant.emailDomain: { inDomainList: spam } }, points: 5 }
  - { id: nets, when: { applicant.ip: { inList: nets } }, then: review }
  - { id: text, when: { ip.isp: { matches: "^evil" } }, then: review }
tables:
  - { id: types, columns: [phone.type, then], rows: [[voip, review]] }
guarantees: [{ id: g, never: accept, when: high }]
`;

const entriesOf = (map: unknown) => map as Map<string, unknown>;

type Changeable<Value> = { -readonly [Key in keyof Value]: Changeable<Value[Key]> };

const CHANGES: Readonly<Record<string, (policy: Changeable<Policy>) => unknown>> = {
  'the rules': ({ rules }) => rules.splice(0),
  'the outcome of a rule': ({ rules: [rule] }) => Object.assign(rule as object, { then: 'accept' }),
  'a condition': ({ rules: [rule] }) => Object.assign(rule?.when as object, { kind: 'not' }),
  'the facts': ({ facts }) => entriesOf(facts).clear(),
  'a fact': ({ facts }) => Object.assign(entriesOf(facts).get('context.age') as object, { type: 'string' }),
  'the entries of a list': ({ lists }) =>
    entriesOf((entriesOf(lists).get('spam') as NamedList).entries).delete('spam.example'),
  'the default': (policy) => Object.assign(policy, { default: 'reject' }),
  'the score': ({ score }) => Object.assign(score, { review: 1_000 }),
};

it.each(Object.entries(CHANGES))('nobody can change %s', (_, change) => {
  const policy = loadPolicyText(TEXT);
  expect(() => change(policy as unknown as Changeable<Policy>)).toThrow(TypeError);
});

const KEYS = [
  'value missing text final then points shadow mode whenUnknown other kind of fact operator argument expected key path',
  'reason message notice description tags owner entries file until from type format computed compute values min max',
  'score stages rules lists conditions tables ruleSets parameters guarantees never always atLeast review reject when id',
  'default facts columns rows note personal unit any all not count version policy invert range parameter options shown',
].flatMap((line) => line.split(' '));
const VALUES = ['2999-01-01', true, null, 'x', 0, '0001-01-01', 'accept', { value: 'low' }, []];

it('a policy is read the same while Object.prototype is polluted, or not at all', () => {
  const own = Object.prototype as unknown as Record<string, unknown>;
  const readOf = () => {
    try {
      return loadPolicyText(TEXT);
    } catch {
      return undefined;
    }
  };
  const sound = readOf();
  const other: string[] = [];
  let same = 0;
  for (const [n, key] of KEYS.entries()) {
    // Two values a key, and each value with another key.
    for (const [i, value] of VALUES.entries()) {
      if ((i + n) % VALUES.length >= sampled(2, VALUES.length)) continue;
      const descriptor = Object.assign(Object.create(null), { value, configurable: true, enumerable: i % 2 === 0 });
      Object.defineProperty(own, key, descriptor);
      const polluted = readOf();
      delete own[key];
      if (polluted && JSON.stringify(polluted) !== JSON.stringify(sound)) other.push(`${key} ${JSON.stringify(value)}`);
      else if (polluted) same += 1;
    }
  }
  expect(other).toEqual([]);
  expect(same).toBeGreaterThan(KEYS.length);
});
