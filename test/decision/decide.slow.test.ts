import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import type { DeciderOptions } from '../../src/decision/decider-options.ts';
import type { Decision } from '../../src/decision/decision.ts';
import { VerdictError } from '../../src/errors.ts';
import { loadMapping, type Mapping } from '../../src/facts/mapping/mapping.ts';
import { loadPolicy, loadPolicyText } from '../../src/policy/read/parse.ts';
import { PERSONAS } from '../../src/sandbox/index.ts';
import { createVerifyClient, type VerifyClient } from '../../src/signals/client.ts';
import { mappingOf } from '../support/facts/mapping-file.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';
import { clientOf, sandboxFor, serviceThat } from '../support/signals/service.ts';

const RULES = resolve(import.meta.dirname, '../../rules');
const CLEAN = PERSONAS.find((persona) => persona.name === 'clean');
if (!CLEAN) throw new Error('there is no clean persona');
const applicant = { phoneNo: `+${CLEAN.phoneNo}`, email: CLEAN.email, ip: CLEAN.ip };
const NOW = Date.UTC(2026, 10, 20, 12);
const now = () => NOW;

const RISK_POLICY = `${HEAD}rules:
  - { id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;

/** A decider on the sandbox. */
async function deciderOnSandbox(options: Partial<DeciderOptions> = {}) {
  const sandbox = await sandboxFor({ now });
  const policy = policyOf(RISK_POLICY);
  return {
    sandbox,
    decider: createDecider({ policy, verify: clientOf(sandbox, { timeoutMs: 29_000 }), now, ...options }),
  };
}

const never = { verify: () => Promise.reject(new Error('no call was expected')) };

describe('a decision on the sandbox', () => {
  it.each(PERSONAS)('on $name is $outcome', async ({ phoneNo, email, ip, services, variables, outcome }) => {
    const policy = loadPolicy(join(RULES, 'onboarding.yaml'));
    const { decider } = await deciderOnSandbox({ policy, ...(services ? { services } : {}) });
    const decision = await decider.decide({ phoneNo, email, ip }, variables ? { variables } : {});
    expect(decision.outcome).toBe(outcome);
    expect(decision.reasons.some((reason) => reason.decisive)).toBe(true);
  });

  it.each(PERSONAS)('on $name is the same by the matcher', async ({ phoneNo, email, ip, services, variables }) => {
    const policy = loadPolicy(join(RULES, 'onboarding.yaml'));
    const { decider, sandbox } = await deciderOnSandbox({ policy, ...(services ? { services } : {}) });
    const verify = clientOf(sandbox);
    const other = createDecider({ policy, verify, now, runner: 'matcher', ...(services ? { services } : {}) });
    const options = { clientReference: 'ONB-7731', ...(variables ? { variables } : {}) };
    const decision = await decider.decide({ phoneNo, email, ip }, options);
    expect(await other.decide({ phoneNo, email, ip }, options)).toEqual({ ...decision, id: expect.any(String) });
  });

  it('names its identifiers, day, digests and engine, and what was asked of the service', async () => {
    const { decider, sandbox } = await deciderOnSandbox();
    const decision = await decider.decide(applicant, { clientReference: 'ONB-7731' });
    expect(decision).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      clientReference: 'ONB-7731',
      decidedAt: '2026-11-20T12:00:00.000Z',
      outcome: 'accept',
      reasons: [{ because: 'default', code: 'DEFAULT', outcome: 'accept', decisive: true }],
      undetermined: [],
      score: { least: 0, most: 0, band: null },
      shadow: [],
      policy: { name: 'test', version: '1', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), language: 2 },
      mapping: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      engine: '0.1.0',
      signals: {
        requested: ['phoneNo', 'email', 'ip'],
        calls: [{ stage: 1, asked: ['phoneNo', 'email', 'ip'], result: 'answered', attempts: 1 }],
        spared: [],
        missing: {},
        warnings: [],
      },
    });
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
    expect(sandbox.counts.verifies).toBe(1);
  });

  it('uses its id as the reference if the caller gives none', async () => {
    const { decider } = await deciderOnSandbox();
    const { id, clientReference } = await decider.decide(applicant);
    expect(clientReference).toBe(id);
  });

  it.each([
    ['one that nobody asked for is there in its place', ['Global KYC'], ['Other']],
    ['another one was asked too', ['Global KYC', 'Documents'], ['Global KYC']],
    ['both are there', ['Global KYC', 'Documents'], ['Global KYC', 'Documents']],
  ])('believes a match only of all services that were asked: %s', async (_, services, answered) => {
    const policy = loadPolicy(join(RULES, 'onboarding-kyc.yaml'));
    const client = clientOf(await sandboxFor({ now }), { timeoutMs: 29_000 });
    const section = { sourceStatus: 'Successful', identityVerified: true };
    const verify: DeciderOptions['verify'] = {
      async verify({ services: __, ...asked }, options) {
        const answer = (await client.verify(asked, options)) as { body: { serviceResponses: object } };
        const sections = Object.fromEntries(answered.map((name) => [name, section]));
        const serviceResponses = { ...answer.body.serviceResponses, ...sections };
        return { ...answer, body: { ...answer.body, serviceResponses } };
      },
    };
    const { decide } = createDecider({ policy, verify, now, services });
    const { outcome, signals } = await decide(applicant);
    const isAccepted = answered.length === services.length && answered[0] === services[0];
    expect([outcome, signals.missing['identity.verified']]).toEqual(
      isAccepted ? ['accept', undefined] : ['review', 'sourceFailed'],
    );
  });

  it('asks further services, whether or not an earlier decision by the policy did', async () => {
    const policy = policyOf(`${HEAD}rules:\n  - { id: a, when: { identity.verified: false }, then: review }\n`);
    const causesWith = async (services: readonly string[]) => {
      const { decider } = await deciderOnSandbox({ policy, services });
      return (await decider.decide(applicant, { variables: { firstName: 'Ada' } })).signals.missing;
    };
    expect(await causesWith([])).toEqual({ 'identity.verified': 'notRequested' });
    expect(await causesWith(['Global KYC'])).toEqual({});
    expect(await causesWith([])).toEqual({ 'identity.verified': 'notRequested' });
  });

  const many = sampled(100, 1000);

  it(`on each of ${many} applicants at once is the one it gets alone, after one sign-in and one call each`, async () => {
    const policy = loadPolicy(join(RULES, 'onboarding.yaml'));
    const { decider, sandbox } = await deciderOnSandbox({ policy, services: ['Global KYC'] });
    const strip = ({ id, clientReference, signals, ...rest }: Decision) => rest;
    const askAbout = ({ phoneNo, email, ip, variables }: (typeof PERSONAS)[number]) =>
      decider.decide({ phoneNo, email, ip }, { variables: variables ?? { firstName: 'Ada' } });
    const alone = new Map<string, unknown>();
    for (const persona of PERSONAS) alone.set(persona.name, strip(await askAbout(persona)));
    const { sandbox: fresh, decider: crowded } = await deciderOnSandbox({ policy, services: ['Global KYC'] });
    const people = Array.from({ length: many }, (_, i) => PERSONAS[i % PERSONAS.length] as (typeof PERSONAS)[number]);
    const decisions = await Promise.all(
      people.map(({ phoneNo, email, ip, variables }) =>
        crowded.decide({ phoneNo, email, ip }, { variables: variables ?? { firstName: 'Ada' } }),
      ),
    );
    for (const [i, decision] of decisions.entries()) expect(strip(decision)).toEqual(alone.get(people[i]?.name ?? ''));
    expect(fresh.counts).toMatchObject({ signIns: 1, verifies: many, refused: 0 });
    expect(sandbox.counts.verifies).toBe(PERSONAS.length);
  });
});

it.each([
  ['nothing', undefined, 'must be an object'],
  ['no policy', { verify: never }, 'policy is missing'],
  ['a path for a policy', { policy: 'rules/onboarding.yaml', verify: never }, 'policy has to be'],
  ['no client', { policy: () => loadPolicy(join(RULES, 'onboarding.yaml')) }, 'verify is missing'],
  [
    'a misspelt log',
    { policy: () => loadPolicy(join(RULES, 'onboarding.yaml')), verify: never, audti: {} },
    'did you mean "audit"',
  ],
])('a decider cannot be made of %s', (_, options, said) => {
  const error = errorOf(() => createDecider(options as DeciderOptions));
  expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(said) });
});

it('asks the production service only with a mapping, since the shipped one describes the sandbox', async () => {
  const account = { baseUrl: 'https://verify.example', username: 'u', password: 'p' };
  const clients = (['production', 'sandbox'] as const).map((environment) =>
    createVerifyClient({ ...account, environment }),
  );
  const [production, sandbox] = clients as [VerifyClient, VerifyClient];
  const policy = policyOf(RISK_POLICY);
  const error = errorOf(() => createDecider({ policy, verify: production }));
  expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining('needs a mapping') });
  expect(createDecider({ policy, verify: sandbox })).toBeDefined();
  expect(createDecider({ policy, verify: production, mapping: loadMapping() })).toBeDefined();
  const withMapping = loadPolicyText(RISK_POLICY, { mapping: loadMapping() });
  expect(createDecider({ policy: withMapping, verify: production })).toBeDefined();
  const given = createDecider({ policy: () => policy, verify: production });
  await expect(given.ready()).rejects.toMatchObject({ message: expect.stringContaining('needs a mapping') });
  for (const client of clients) await client.close();
});

it('uses the mapping that the policy was read with, unless it is given another one', async () => {
  const [own, other] = ['riskLevel', 'level'].map((name) =>
    mappingOf(`signals: { phone.riskLevel: { at: $.phone.${name} } }\n`),
  ) as [Mapping, Mapping];
  const policy = loadPolicyText(RISK_POLICY, { mapping: own });
  const verify = { verify: async () => ({ body: {} }) };
  const digestOf = async (options: Partial<DeciderOptions>) =>
    (await createDecider({ policy, verify, ...options }).decide(applicant)).mapping;
  expect(await digestOf({})).toBe(own.digest);
  expect(await digestOf({ policy: () => policy })).toBe(own.digest);
  expect(await digestOf({ mapping: other })).toBe(other.digest);
  expect(await digestOf({ policy: policyOf(RISK_POLICY) })).toBe(loadMapping().digest);
});

it.each<[string, unknown, string, object?]>([
  ['a value that is not an applicant', undefined, 'must be an object'],
  [
    'a misspelt variable',
    { phone: '+12025550101' },
    'unknown key "phone" (did you mean "phoneNo"?); expected phoneNo, email, ip',
  ],
  ['a misspelt option', applicant, 'unknown key "clientRef" (did you mean', { clientRef: 'r' }],
  ['an option of the wrong type', applicant, 'context has to be an object', { context: 'web' }],
])('refuses %s before anything is sent', async (_, who, said, options) => {
  const decider = createDecider({ policy: policyOf(RISK_POLICY), verify: never });
  const refused = { code: 'REQUEST_INVALID', carriedOut: 'no', message: expect.stringContaining(said) };
  await expect(decider.decide(who as never, options)).rejects.toMatchObject(refused);
});

it('uses no answer that reports no success or belongs to another request, and warns', async () => {
  for (const body of [{}, [1, 2], null, { searchStatus: 'Successful', clientReference: 'another' }]) {
    const decider = createDecider({ policy: policyOf(RISK_POLICY), verify: { verify: async () => ({ body }) } });
    const { outcome, signals } = await decider.decide(applicant, { clientReference: 'r' });
    expect(outcome).toBe('review');
    expect(signals.calls).toMatchObject([{ result: 'unknown', error: 'ANSWER_UNREADABLE' }]);
    expect(signals.warnings).toMatchObject([
      { code: 'ANSWER_NOT_BELIEVED', text: expect.stringContaining('reports no success') },
    ]);
  }
});

it('refuses a policy and a mapping that declare a fact differently', () => {
  const facts = 'facts: { identity.grade: { type: level } }\n';
  const policy = policyOf(`${HEAD}${facts}rules: [{ id: low, when: { identity.grade: low }, then: review }]\n`);
  const own = 'facts: { identity.grade: { type: integer } }\nsignals: { identity.grade: grade }\n';
  const error = errorOf(() => createDecider({ policy, mapping: mappingOf(own), verify: never }));
  expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining('identity.grade') });
  const same = own.replace('integer', 'level');
  expect(createDecider({ policy, mapping: mappingOf(same), verify: never })).toBeDefined();
});

it('uses the policy in force at its start from beginning to end', async () => {
  const strict = policyOf(
    `${HEAD}rules:\n  - { id: all, when: { phone.valid: true, phone.type: mobile }, then: reject }\n`,
  );
  let inForce = policyOf(RISK_POLICY);
  const { decider } = await deciderOnSandbox({ policy: () => inForce });
  const before = decider.decide(applicant);
  inForce = strict;
  const after = decider.decide(applicant);
  expect((await before).outcome).toBe('accept');
  expect((await before).policy.digest).not.toBe(strict.digest);
  expect(await after).toMatchObject({ outcome: 'reject', policy: { digest: strict.digest } });
});

describe('an identity variable that is absent or cannot be sent', () => {
  it('is left out with a warning that does not repeat its value, and its facts are missing', async () => {
    const policy = policyOf(`${HEAD}rules:
  - { id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: email-risk, when: { email.address.riskLevel: { atLeast: high } }, then: reject }
  - { id: isp, when: { ip.isp: x }, then: reject }
  - { id: domain, when: { applicant.emailDomain: bad.example }, then: reject }
`);
    const { decider } = await deciderOnSandbox({ policy });
    const decision = await decider.decide({
      phoneNo: applicant.phoneNo,
      email: 'mallory.at.example',
      ip: '2001:db8::7',
    });
    expect(decision.outcome).toBe('review');
    expect(decision.signals).toEqual({
      requested: ['phoneNo'],
      calls: [{ stage: 1, asked: ['phoneNo'], result: 'answered', attempts: 1 }],
      spared: [],
      missing: {
        'applicant.emailDomain': 'notRequested',
        'email.address.riskLevel': 'notRequested',
        'ip.isp': 'notRequested',
      },
      warnings: [
        { code: 'VARIABLE_INVALID', variable: 'email', text: expect.stringContaining('email') },
        { code: 'VARIABLE_INVALID', variable: 'ip', text: expect.stringContaining('ip') },
      ],
    });
    expect(JSON.stringify(decision)).not.toMatch(/mallory|2001/);
  });

  it('no call is made without a phone number, and every fact of the service is not requested', async () => {
    const policy = policyOf(RISK_POLICY);
    const decider = createDecider({ policy, verify: never, now });
    const decision = await decider.decide({ email: applicant.email, ip: applicant.ip });
    expect(decision.outcome).toBe('review');
    expect(decision.signals).toMatchObject({
      requested: [],
      calls: [],
      spared: [],
      missing: { 'phone.riskLevel': 'notRequested' },
    });
  });

  it('leaves the facts of the other identity variables known', async () => {
    const policy = policyOf(`${HEAD}rules:
  - { id: domain, when: { applicant.emailDomain: bad.example }, then: reject }
`);
    const decision = await createDecider({ policy, verify: never, now }).decide({ email: 'a@bad.example' });
    expect(decision.outcome).toBe('reject');
  });

  it('a call is spared if the policy reads no fact of the service', async () => {
    const policy = policyOf(`${HEAD}rules:
  - { id: country, when: { phone.country: { notIn: [us] } }, then: reject }
`);
    const { signals } = await createDecider({ policy, verify: never, now }).decide(applicant);
    expect(signals).toMatchObject({
      calls: [],
      requested: [],
      spared: [{ stage: 1, asked: ['phoneNo', 'email', 'ip'] }],
    });
  });

  it('a reference, service or variable that cannot be sent is refused before any call', async () => {
    const policy = policyOf(RISK_POLICY);
    const decider = createDecider({ policy, verify: never, now });
    await expect(decider.decide(applicant, { clientReference: '' })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await expect(decider.decide(applicant, { variables: { email: 'x' } })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    expect(() => createDecider({ policy, verify: never, services: [''] })).toThrowError(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    );
  });
});

describe('a service that fails', () => {
  it('gives missing facts and a review, not an error; the record says that the call may have been billed', async () => {
    const service = await serviceThat((_, response) => response.writeHead(500).end());
    const decider = createDecider({ policy: policyOf(RISK_POLICY), verify: clientOf(service), now });
    const decision = await decider.decide(applicant);
    expect(decision.outcome).toBe('review');
    expect(decision.undetermined).toEqual([
      { rule: 'phone-risk', asks: 'review', missing: [{ fact: 'phone.riskLevel', cause: 'sourceFailed' }] },
    ]);
    expect(decision.signals.calls).toEqual([
      { stage: 1, asked: ['phoneNo', 'email', 'ip'], result: 'unknown', error: 'SERVICE_ERROR', attempts: 1 },
    ]);
    expect(decision.signals.warnings).toHaveLength(1);
  });

  it('to answer in time is no longer awaited after the deadline', async () => {
    const service = await serviceThat(() => {});
    const verify = clientOf(service, { timeoutMs: 200 });
    const { outcome, signals } = await createDecider({ policy: policyOf(RISK_POLICY), verify, now }).decide(applicant);
    expect(outcome).toBe('review');
    expect(signals.calls).toMatchObject([{ result: 'unknown', error: 'TIMED_OUT' }]);
  });

  it('without carrying anything out is recorded as failed', async () => {
    const sandbox = await sandboxFor();
    const verify = clientOf(sandbox, { password: 'wrong' });
    const { signals } = await createDecider({ policy: policyOf(RISK_POLICY), verify, now }).decide(applicant);
    expect(signals.calls).toMatchObject([{ result: 'failed', error: 'SIGN_IN_REFUSED', attempts: 0 }]);
  });

  it('with an error of its own is not quoted', async () => {
    const verify = { verify: () => Promise.reject(new Error(`failed for ${applicant.email}`)) };
    const decision = await createDecider({ policy: policyOf(RISK_POLICY), verify, now }).decide(applicant);
    expect(decision.signals.calls).toMatchObject([{ result: 'unknown' }]);
    expect(JSON.stringify(decision.signals)).not.toContain(applicant.email);
  });

  it('an answer to another reference is not believed', async () => {
    const { decider } = await deciderOnSandbox({
      verify: {
        verify: async (request) => {
          const sandbox = await sandboxFor({ now });
          return clientOf(sandbox).verify({ ...request, clientReference: 'somebody-else' });
        },
      },
    });
    const decision = await decider.decide(applicant);
    expect(decision.outcome).toBe('review');
    expect(decision.signals.missing).toEqual({ 'phone.riskLevel': 'sourceFailed' });
  });
});

describe("a caller's own facts", () => {
  const policy = () =>
    policyOf(`${HEAD}facts:
  context.channel: { type: enum, values: [web, branch] }
  context.limit: { type: number }
rules:
  - { id: channel, when: { context.channel: web }, then: review }
  - { id: limit, when: { context.limit: { above: 100 } }, then: reject }
  - { id: limit-again, when: { context.limit: { above: 200 } }, then: reject }
`);
  const decider = () => createDecider({ policy: policy(), verify: never, now });

  it('are values, or functions that are called once', async () => {
    let calls = 0;
    const limit = async () => {
      calls++;
      return 150;
    };
    const decision = await decider().decide(applicant, { context: { channel: 'branch', limit } });
    expect(decision.outcome).toBe('reject');
    expect(calls).toBe(1);
  });

  it('are missing if they are not given, if their function fails, and if they have another type', async () => {
    const fails = () => {
      throw new Error('no database');
    };
    const decision = await decider().decide(applicant, { context: { channel: 'phone', limit: fails } });
    expect(decision.signals.missing).toEqual({ 'context.channel': 'invalid', 'context.limit': 'sourceFailed' });
    expect(decision.outcome).toBe('review');
    const none = await decider().decide(applicant);
    expect(none.signals.missing).toEqual({ 'context.channel': 'notGiven', 'context.limit': 'notGiven' });
  });

  it('that the policy does not declare are refused, with a suggestion', async () => {
    await expect(decider().decide(applicant, { context: { chanel: 'web' } })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringContaining('did you mean "context.channel"'),
    });
  });

  it('that never arrive do not block a caller who aborts', async () => {
    const ending = new AbortController();
    const decision = decider().decide(applicant, {
      context: { limit: () => new Promise(() => ending.abort()) },
      signal: ending.signal,
    });
    await expect(decision).rejects.toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
  });
});

it('a caller who aborts during a call learns that it may have been carried out', async () => {
  const ending = new AbortController();
  const service = await serviceThat(() => ending.abort());
  const decider = createDecider({ policy: policyOf(RISK_POLICY), verify: clientOf(service), now });
  const decision = decider.decide(applicant, { signal: ending.signal });
  await expect(decision).rejects.toBeInstanceOf(VerdictError);
  await expect(decision).rejects.toMatchObject({ code: 'ABORTED', carriedOut: 'unknown' });
});

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
