/** Clocks, getters, proxies and functions of the caller that fail: a VerdictError, before anything is sent. */

import { describe, expect, it } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import type { DecideOptions, DeciderOptions } from '../../src/decision/decider-options.ts';
import { VerdictError } from '../../src/errors.ts';
import { readFacts } from '../../src/facts/read.ts';
import { policyFromData } from '../../src/policy/read/parse.ts';
import { createVerifyClient } from '../../src/signals/client.ts';
import { clientOf, sandboxFor } from '../support/signals/service.ts';

const NUMBER = '+12025550101';
const fail = (): never => {
  throw new Error(`a canary, ${NUMBER}`);
};
const failing = (name: string): object => Object.defineProperty({}, name, { enumerable: true, get: fail });
/** Every way to look into it fails. */
const opaque = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail });
const opaqueList = new Proxy([], { get: fail });
const texting = { toString: fail, valueOf: fail, toJSON: fail, [Symbol.toPrimitive]: fail };

const BROKEN_CLOCKS: readonly (readonly [string, unknown])[] = [
  ['gives NaN', () => Number.NaN],
  ['gives Infinity', () => Number.POSITIVE_INFINITY],
  ['gives a time before 1970', () => -1],
  ['gives a time after the year 9999', () => 253_402_300_800_000],
  ['gives nothing', () => undefined],
  ['gives a text', () => '1795082400000'],
  ['gives an object', () => texting],
  ['throws', fail],
];

const policy = policyFromData({
  policy: 'test',
  version: '1',
  default: 'accept',
  facts: { 'context.name': { type: 'string' } },
  score: { review: 1 },
  rules: [{ id: 'risky', when: { any: [{ 'phone.score': { above: 50 } }, { 'context.name': 'x' }] }, points: 1 }],
});

/** The error of some work: a VerdictError that repeats nothing that the caller threw. */
async function errorOf(work: () => unknown): Promise<VerdictError> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof VerdictError)) throw error;
    expect(`${error.message} ${error.cause}`).not.toMatch(/canary|12025550101/);
    return error;
  }
  throw new Error('there was no error');
}

/** Decides by a decider with these options, and counts the calls. */
async function refusal(options: Partial<DeciderOptions>, own: unknown = {}) {
  let calls = 0;
  const verify = {
    verify: async () => {
      calls += 1;
      return { body: {} };
    },
  };
  const decider = createDecider({ policy, verify, ...options });
  const error = await errorOf(() => decider.decide({ phoneNo: NUMBER }, own as DecideOptions));
  expect(calls).toBe(0);
  return error;
}

describe('decide', () => {
  it.each(BROKEN_CLOCKS)('with a clock that %s is refused before anything is sent', async (_, now) => {
    const error = await refusal({ now: now as () => number });
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', carriedOut: 'no' });
    expect(error.message).toContain('the clock `now`');
  });

  it.each<[string, () => Promise<VerdictError>]>([
    ['the policy', () => refusal({ policy: fail })],
    ['the policy, and gives none', () => refusal({ policy: (() => undefined) as never })],
    ['the mapping', () => refusal({ mapping: fail })],
    ['the mapping, and gives none', () => refusal({ mapping: (() => ({})) as never })],
  ])('is refused if a function fails that gives %s', async (_, act) => {
    expect(await act()).toMatchObject({ code: 'CONFIGURATION_INVALID', carriedOut: 'no' });
  });

  it.each<[string, () => unknown]>([
    ['the options', () => opaque],
    ['no options', () => null],
    ['the context', () => ({ context: opaque })],
    ['a context fact', () => ({ context: failing('name') })],
    ['the variables', () => ({ variables: opaque })],
    ['a variable', () => ({ variables: { surname: texting } })],
    ['the reference', () => ({ clientReference: texting })],
    ['the signal', () => failing('signal')],
    ['a signal that is none', () => ({ signal: {} })],
  ])('is refused if the caller cannot give %s', async (_, own) => {
    expect(await refusal({}, own())).toMatchObject({ code: 'REQUEST_INVALID', carriedOut: 'no' });
  });

  it('is refused if the caller cannot give the applicant', async () => {
    const decider = createDecider({ policy, verify: { verify: fail } });
    for (const applicant of [opaque, failing('phoneNo'), failing('email')])
      expect(await errorOf(() => decider.decide(applicant))).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('leaves out what is no text, without making one of it', async () => {
    const decider = createDecider({ policy, verify: { verify: fail } });
    const { signals } = await decider.decide({ phoneNo: texting, email: opaque, ip: texting } as never);
    const text = 'phoneNo has to be a text; it was left out, and its facts are missing';
    expect(signals.warnings).toContainEqual({ code: 'VARIABLE_INVALID', variable: 'phoneNo', text });
  });

  it('reviews if an answer cannot be read', async () => {
    for (const body of [opaque, failing('phone'), texting, opaqueList]) {
      const decider = createDecider({ policy, verify: { verify: async () => ({ body }) } });
      const { outcome } = await decider.decide({ phoneNo: NUMBER }, { context: { name: texting as never } });
      expect(outcome).toBe('review');
    }
  });
});

it.each<[string, () => unknown]>([
  ['all of them', () => opaque],
  ['the clock', () => ({ policy, verify: { verify: fail }, now: 5 })],
  ['the mapping', () => ({ policy, verify: { verify: fail }, mapping: 'signals.yaml' })],
  ['the services', () => ({ policy, verify: { verify: fail }, services: opaqueList })],
  ['the variables', () => ({ policy, verify: { verify: fail }, variables: opaque })],
])('createDecider refuses options of which it cannot read %s', async (_, options) => {
  expect(await errorOf(() => createDecider(options() as DeciderOptions))).toMatchObject({
    code: 'CONFIGURATION_INVALID',
  });
});

describe('a client', () => {
  const options = { baseUrl: 'https://verify.example', environment: 'sandbox', username: 'a', password: 'b' } as const;
  const request = { phoneNo: NUMBER, clientReference: 'r' };

  it.each<[string, () => object]>([
    ['any of them', () => opaque],
    ['the password', () => ({ ...options, ...{ password: texting } })],
    ['the token path', () => ({ ...options, tokenPath: opaqueList })],
  ])('refuses options of which it cannot read %s', async (_, broken) => {
    expect(await errorOf(() => createVerifyClient(broken() as never))).toMatchObject({ code: 'CONFIGURATION_INVALID' });
  });

  it('refuses a request that it cannot read, and sends nothing', async () => {
    const sandbox = await sandboxFor();
    const client = clientOf(sandbox);
    const requests = [
      opaque,
      failing('phoneNo'),
      { ...request, services: opaqueList },
      { ...request, variables: opaque },
    ];
    for (const broken of requests)
      expect(await errorOf(() => client.verify(broken as never))).toMatchObject({ code: 'REQUEST_INVALID' });
    for (const own of [opaque, failing('signal')])
      expect(await errorOf(() => client.verify(request, own))).toMatchObject({ code: 'REQUEST_INVALID' });
    expect(sandbox.counts).toMatchObject({ signIns: 0, verifies: 0 });
  });

  it.each(BROKEN_CLOCKS)('with a clock that %s sends nothing', async (_, now) => {
    const sandbox = await sandboxFor();
    const client = clientOf(sandbox, { now: now as () => number });
    const error = await errorOf(() => client.verify(request));
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', carriedOut: 'no' });
    expect(sandbox.counts).toMatchObject({ signIns: 0, verifies: 0 });
  });

  it('ends a call whose clock breaks on the way', async () => {
    let readings = 0;
    const now = () => (readings++ === 0 ? Date.now() : fail());
    const { body } = await clientOf(await sandboxFor(), { now }).verify(request);
    expect(body).toBeTypeOf('object');
  });
});

describe('facts in hand', () => {
  const read = (fact: object) => readFacts(new Map([['ip.isp', fact as never]]), policy.facts, '2026-11-20');

  it('that throw when they are read are refused', async () => {
    for (const fact of [opaque, failing('value'), failing('missing')])
      expect(await errorOf(() => read(fact))).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('that cannot be shown are invalid', () => {
    for (const value of [texting, opaque, Object.assign(() => 1, texting)])
      expect(read({ value }).get('ip.isp')).toEqual({ missing: 'invalid' });
  });
});
