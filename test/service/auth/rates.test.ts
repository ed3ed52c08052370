/** Requests at chosen times -> those that are within the rate, and how long the others wait. */

import { describe, expect, it } from 'vitest';
import { createRates } from '../../../src/service/auth/rates.ts';

/** Limits by a clock that stands still until it is moved on. */
function newRates() {
  let now = 1000;
  const wait = (ms: number) => {
    now += ms;
  };
  return { ...createRates(() => now), wait };
}

function times<Result>(count: number, of: (i: number) => Result): Result[] {
  return Array.from({ length: count }, (_, i) => of(i));
}

describe('the rate of a key', () => {
  it('is unlimited unless the key has one', () => {
    const rates = newRates();
    expect(new Set(times(1000, () => rates.allowKey({ name: 'web' })))).toEqual(new Set([undefined]));
  });

  it('lets the requests of a second in at once, and says when the next is let in', () => {
    const rates = newRates();
    const ask = () => rates.allowKey({ name: 'web', rate: 4 });
    expect(times(5, ask)).toEqual([undefined, undefined, undefined, undefined, 0.25]);
    rates.wait(249);
    expect(ask()).toBeCloseTo(0.001);
    rates.wait(1);
    expect(times(2, ask)).toEqual([undefined, 0.25]);
  });

  it('gathers no more than the requests of a second', () => {
    const rates = newRates();
    const ask = () => rates.allowKey({ name: 'web', rate: 2 });
    ask();
    rates.wait(3_600_000);
    expect(times(3, ask)).toEqual([undefined, undefined, 0.5]);
  });

  it('may be less than one a second', () => {
    const rates = newRates();
    const ask = () => rates.allowKey({ name: 'web', rate: 0.1 });
    expect(times(2, ask)).toEqual([undefined, 10]);
    rates.wait(10_000);
    expect(times(2, ask)).toEqual([undefined, 10]);
  });

  it('is shared by the keys of one name, and no others', () => {
    const { allowKey } = newRates();
    expect(allowKey({ name: 'web', rate: 1 })).toBeUndefined();
    expect(allowKey({ name: 'web', rate: 1 })).toBe(1);
    expect(allowKey({ name: 'app', rate: 1 })).toBeUndefined();
  });
});

describe('the rate of an address without a valid key', () => {
  /** How many of the addresses have to wait. */
  const refused = (addresses: readonly string[]) => {
    const { allowAddress } = newRates();
    return addresses.filter((address) => allowAddress(address) !== undefined).length;
  };

  it('is ten tries a second', () => {
    expect(refused(times(1000, () => '203.0.113.7'))).toBe(990);
    expect(refused(times(200, (i) => `203.0.113.${i}`))).toBe(0);
  });

  it('does not touch the rate of a key', () => {
    const { allowAddress, allowKey } = newRates();
    times(100, () => allowAddress('web'));
    expect(allowKey({ name: 'web', rate: 1 })).toBeUndefined();
  });

  it('is the same for each spelling of an IPv4 address', () => {
    expect(refused(times(20, (i) => `${['', '::ffff:', '::FFFF:'][i % 3]}203.0.113.7`))).toBe(10);
  });

  it('is that of the network of an IPv6 address, since a caller has all addresses of it', () => {
    expect(refused(times(20, (i) => `2001:db8:1:2::${i + 1}`))).toBe(10);
    expect(refused(times(20, (i) => `2001:db8:1:2:3:4:5:${i + 1}`))).toBe(10);
    expect(refused(times(20, (i) => `2001:db8::${i + 1}:1`))).toBe(10);
    expect(refused(times(20, (i) => `::${i + 1}`))).toBe(10);
    expect(refused(times(20, (i) => `2001:db8::${i + 1}:0:0:0:1`))).toBe(0);
    expect(refused(times(20, (i) => `2001:db8:1:${i + 1}::1`))).toBe(0);
  });

  it('is remembered of 10,000 addresses, those that tried last', () => {
    const { allowAddress } = newRates();
    const others = (count: number, network: number) =>
      times(count, (i) => allowAddress(`10.${network}.${i >> 8}.${i & 255}`));
    times(10, () => allowAddress('198.51.100.1'));
    others(9_999, 0);
    expect(allowAddress('198.51.100.1')).toBe(0.1);
    others(9_999, 1);
    expect(allowAddress('198.51.100.1')).toBe(0.1);
    others(10_000, 2);
    expect(allowAddress('198.51.100.1')).toBeUndefined();
  });

  it('keeps little of the text that a proxy sends in its place', () => {
    expect(refused(times(20, (i) => 'x'.repeat(1000) + i))).toBe(10);
  });
});

describe('the fields of an answer', () => {
  const policyOf = ({ fieldsOf }: ReturnType<typeof createRates>, rate: number) =>
    fieldsOf({ name: 'web', rate })['ratelimit-policy'];

  it('name the rate in whole requests and seconds, and no more than there are', () => {
    const rates = newRates();
    expect(rates.fieldsOf({ name: 'web' })).toEqual({});
    expect([50, 2.5, 1, 0.4, 0.001].map((rate) => policyOf(rates, rate))).toEqual([
      '"default";q=50;w=1',
      '"default";q=2;w=1',
      '"default";q=1;w=1',
      '"default";q=1;w=3',
      '"default";q=1;w=1000',
    ]);
  });

  it('say how many requests are left, and when there is one more, which is when a refused one may come', () => {
    const { wait, ...rates } = newRates();
    const key = { name: 'web', rate: 0.25 };
    const left = () => rates.fieldsOf(key)['ratelimit'];
    expect(rates.allowKey(key)).toBeUndefined();
    expect(left()).toBe('"default";r=0;t=4');
    wait(3000);
    expect(left()).toBe('"default";r=0;t=1');
    expect(Math.ceil(rates.allowKey(key) ?? 0)).toBe(1);
    wait(1000);
    expect(left()).toBe('"default";r=1;t=4');
  });
});
