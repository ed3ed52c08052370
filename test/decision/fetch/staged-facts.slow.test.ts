import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createDecider } from '../../../src/decision/decide.ts';
import type { Verifier } from '../../../src/decision/fetch/service-call.ts';
import { isOutcomeDecided } from '../../../src/decision/meaning/outcome-range.ts';
import { computedIn, givenFacts } from '../../../src/facts/compute.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import { asRead } from '../../../src/facts/fact-reader.ts';
import { isActive } from '../../../src/policy/language.ts';
import { PERSONAS } from '../../../src/sandbox/index.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { decideLive, loadPlainPolicy, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';
import { clientOf, sandboxFor } from '../../support/signals/service.ts';

const now = () => Date.UTC(2026, 10, 20, 12);
const STAGES = 'stages:\n  - [phoneNo]\n  - [phoneNo, email, ip]\n';
const clean = applicantNamed('clean');
const takeover = applicantNamed('account-takeover');

function applicantNamed(persona: string) {
  const found = PERSONAS.find(({ name }) => name === persona);
  if (!found) throw new Error(`there is no persona ${persona}`);
  const { phoneNo, email, ip } = found;
  return { phoneNo, email, ip };
}

async function staged(rules: string, stages = STAGES) {
  const sandbox = await sandboxFor({ now });
  const policy = policyOf(`${HEAD}${stages}${rules}`);
  return { sandbox, decider: createDecider({ policy, verify: clientOf(sandbox), now }) };
}

const BOTH = `rules:
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: email, when: { email.address.riskLevel: { atLeast: high } }, then: review }
`;

describe('stages', () => {
  it('are asked call by call, each for its identity variables', async () => {
    const { sandbox, decider } = await staged(BOTH);
    const { outcome, signals } = await decider.decide(clean);
    expect(outcome).toBe('accept');
    expect(signals).toMatchObject({
      requested: ['phoneNo', 'email', 'ip'],
      calls: [
        { stage: 1, asked: ['phoneNo'], result: 'answered', attempts: 1 },
        { stage: 2, asked: ['phoneNo', 'email', 'ip'], result: 'answered', attempts: 1 },
      ],
      spared: [],
    });
    expect(sandbox.counts.verifies).toBe(2);
  });

  it('are spared, and named, if their facts can no longer count', async () => {
    const { sandbox, decider } = await staged(BOTH);
    const { outcome, signals, undetermined } = await decider.decide(takeover);
    expect(outcome).toBe('reject');
    expect(signals).toMatchObject({
      requested: ['phoneNo'],
      calls: [{ stage: 1, asked: ['phoneNo'], result: 'answered', attempts: 1 }],
      spared: [{ stage: 2, asked: ['phoneNo', 'email', 'ip'] }],
      missing: { 'email.address.riskLevel': 'notRequested' },
    });
    expect(undetermined.map(({ rule }) => rule)).toEqual(['email']);
    expect(sandbox.counts.verifies).toBe(1);
  });

  it('are all spared if the facts at hand decide', async () => {
    const { sandbox, decider } = await staged(`rules:
  - { id: blocked, when: { applicant.emailDomain: fig-tree-legal.example }, then: reject, final: true }
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: review }
`);
    const { outcome, signals } = await decider.decide(takeover);
    expect(outcome).toBe('reject');
    expect(signals).toMatchObject({ calls: [], spared: [{ stage: 1 }, { stage: 2 }] });
    expect(sandbox.counts.verifies).toBe(0);
  });

  it('are not spared if a later final accept may need them', async () => {
    const { decider } = await staged(`rules:
  - { id: known, when: { email.domain.type: corporate, email.address.status: valid }, then: accept, final: true }
  - { id: phone, when: { phone.valid: true }, then: reject }
`);
    const { outcome, signals } = await decider.decide(clean);
    expect(outcome).toBe('accept');
    expect(signals.calls).toHaveLength(2);
  });

  it('that ask for nothing new of this applicant make no call', async () => {
    const { decider } = await staged(BOTH);
    const { signals } = await decider.decide({ phoneNo: clean.phoneNo });
    expect(signals.calls).toEqual([{ stage: 1, asked: ['phoneNo'], result: 'answered', attempts: 1 }]);
    expect(signals.spared).toEqual([]);
  });

  it('never replace a fact: it comes from the first call that asked for it', async () => {
    const sandbox = await sandboxFor({ now });
    const client = clientOf(sandbox);
    const answers: string[] = [];
    const policy = policyOf(`${HEAD}${STAGES}rules:
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: review, message: "{phone.operator.current}" }
  - { id: email, when: { email.darkWeb.hitCount: { above: 1000 } }, then: reject }
`);
    const decider = createDecider({
      policy,
      now,
      verify: {
        verify: async (request, options) => {
          // In the second call the service answers for another phone.
          const phoneNo = answers.length === 0 ? takeover.phoneNo : clean.phoneNo;
          answers.push(phoneNo);
          return client.verify({ ...request, phoneNo }, options);
        },
      },
    });
    const { reasons } = await decider.decide(takeover);
    expect(answers).toHaveLength(2);
    expect(reasons[0]).toMatchObject({ rule: 'phone', message: 'Fernhill Cellular' });
  });

  it('do not fill in the facts of a failed call', async () => {
    const sandbox = await sandboxFor({ now });
    const client = clientOf(sandbox);
    let calls = 0;
    const policy = policyOf(`${HEAD}${STAGES}rules:
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: review }
  - { id: email, when: { email.address.riskLevel: { atLeast: high } }, then: reject }
`);
    const verify: typeof client.verify = (request, options) =>
      calls++ === 0 ? Promise.reject(new Error('down')) : client.verify(request, options);
    const { outcome, signals } = await createDecider({ policy, verify: { verify }, now }).decide(clean);
    expect(outcome).toBe('review');
    expect(signals.calls.map(({ result }) => result)).toEqual(['unknown', 'answered']);
    expect(signals.missing).toEqual({ 'phone.riskLevel': 'sourceFailed' });
  });

  it('ask further services in the last call alone', async () => {
    const sandbox = await sandboxFor({ now });
    const client = clientOf(sandbox);
    const asked: (readonly string[] | undefined)[] = [];
    const policy = policyOf(`${HEAD}${STAGES}rules:
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: review }
  - { id: identity, when: { identity.verified: false }, then: review }
`);
    const verify: typeof client.verify = (request, options) => {
      asked.push(request.services);
      return client.verify(request, options);
    };
    const decider = createDecider({ policy, verify: { verify }, now, services: ['Global KYC'] });
    const { outcome } = await decider.decide(clean, { variables: { firstName: 'Ada' } });
    expect(outcome).toBe('accept');
    expect(asked).toEqual([undefined, ['Global KYC']]);
  });
});

it('an answer is checked for success and for the reference once', async () => {
  const client = clientOf(await sandboxFor({ now }));
  const read: unknown[] = [];
  const get = (body: object, key: string | symbol) => {
    read.push(key);
    return Reflect.get(body, key);
  };
  const verify: typeof client.verify = async (request, options) => {
    const answer = await client.verify(request, options);
    return { ...answer, body: new Proxy(answer.body as object, { get }) };
  };
  await createDecider({ policy: policyOf(`${HEAD}${BOTH}`), verify: { verify }, now }).decide(clean);
  const checked = ['searchStatus', 'clientReference'];
  expect(read.filter((key) => checked.includes(String(key)))).toEqual(checked);
});

it.each(PERSONAS)('with and without stages, $name has the same outcome', async ({ phoneNo, email, ip }) => {
  const rules = (stages: string) => `${HEAD}${stages}score: { review: 20, reject: 60 }
rules:
  - { id: voip, when: { phone.type: voip }, then: reject, final: true }
  - { id: port, when: { phone.porting.portedDate: { withinLast: 30 days } }, points: 30 }
  - { id: unknown, when: { phone.valid: false }, then: reject }
  - { id: hits, when: { email.darkWeb.hitCount: { above: 5 } }, points: 40 }
  - { id: email, when: { email.address.riskLevel: { atLeast: high } }, then: review }
  - { id: abroad, when: { ip.matchesPhoneCountry: false }, points: 10 }
`;
  const sandbox = await sandboxFor({ now });
  const verify = clientOf(sandbox);
  const outcomes = [];
  for (const stages of ['', STAGES, 'stages: [[phoneNo], [phoneNo, ip], [phoneNo, email]]\n']) {
    const decider = createDecider({ policy: policyOf(rules(stages)), verify, now });
    outcomes.push((await decider.decide({ phoneNo, email, ip })).outcome);
  }
  expect(new Set(outcomes).size).toBe(1);
});

describe('an outcome is not decided', () => {
  const isDecidedBy = (rules: string, toCome: readonly string[], facts: Readonly<Record<string, Fact>>) => {
    const policy = policyOf(HEAD + rules);
    const known = {
      facts: new Map(Object.entries(facts)),
      isPending: (path: string) => toCome.includes(path),
      day: '2026-11-20',
    };
    return isOutcomeDecided(policy, policy.rules, known);
  };
  const email = { 'email.darkWeb.hitCount': { value: 9 } };

  it('by a final accept, if a stricter final rule may fire or be undetermined', () => {
    const rules = (when: string) => `rules:
  - { id: first, when: { ${when}: { above: 50 } }, then: review, final: true }
  - { id: second, when: { email.darkWeb.hitCount: { above: 5 } }, then: accept, final: true }
  - { id: third, when: { email.darkWeb.hitCount: { above: 5 } }, then: reject }
`;
    expect(isDecidedBy(rules('phone.score'), ['phone.score'], email)).toBe(false);
    expect(isDecidedBy(rules('phone.score'), [], { ...email, 'phone.score': { value: 9 } })).toBe(true);
  });

  it('by points that can be undetermined but not certain', () => {
    const rules = `score: { review: 10 }
rules:
  - { id: one, when: { phone.score: { above: 50 }, ip.isp: { is: { fact: phone.operator.current } } }, points: 10 }
`;
    expect(isDecidedBy(rules, ['phone.score'], { 'ip.isp': { missing: 'notReturned' } })).toBe(false);
    expect(isDecidedBy(rules, [], { 'ip.isp': { missing: 'notReturned' }, 'phone.score': { value: 9 } })).toBe(true);
  });
});

test('what_is_spared_could_not_have_counted', async () => {
  const folder = temporaryFolder();
  let decided = 0;
  let open = 0;
  await fc.assert(
    fc.asyncProperty(
      aCase({ applicants: 6 }),
      fc.infiniteStream(fc.boolean()),
      async ({ policy: plain, applicants, day }, coins) => {
        const policy = loadPlainPolicy(plain, folder);
        const rules = policy.rules.filter((rule) => isActive(rule, day));
        const [known, ...others] = applicants.map((facts) =>
          asRead(readPlainFacts(facts, policy, day), policy.facts, day),
        );
        if (!known) return;
        const computed = computedIn(policy.facts);
        const toCome = new Set([...policy.facts.keys()].filter((path) => coins.next().value && !computed.has(path)));
        // A computed fact is pending while an operand is.
        const isPending = (path: string) => givenFacts([path], policy.facts).intersection(toCome).size > 0;
        if (!isOutcomeDecided(policy, rules, { facts: known, isPending, day })) {
          open++;
          return;
        }
        decided++;
        const outcomes = new Set<string>();
        for (const other of others) {
          const facts = new Map(known);
          for (const path of toCome) facts.set(path, other.get(path) ?? { missing: 'notGiven' });
          outcomes.add((await decideLive(policy, facts, day)).outcome);
        }
        const none = new Map([...known].filter(([path]) => !toCome.has(path)));
        outcomes.add((await decideLive(policy, none, day)).outcome);
        expect([...outcomes]).toHaveLength(1);
      },
    ),
    { numRuns: sampled(20, 400) },
  );
  // The property shows something only if some outcomes are decided early and others are not.
  expect(decided).toBeGreaterThan(5);
  expect(open).toBeGreaterThan(5);
});

test('both_runners_call_the_same_functions_and_stages', async () => {
  const folder = temporaryFolder();
  const client = clientOf(await sandboxFor({ now }));
  const answers = new Map<string, object>();
  for (const { phoneNo, email, ip } of PERSONAS) {
    const { body } = await client.verify({ phoneNo, email, ip, clientReference: 'any' });
    answers.set(phoneNo, body as object);
  }
  const seen = { functions: 0, spared: 0, asked: 0 };
  await fc.assert(
    fc.asyncProperty(
      aCase({ applicants: 1 }),
      fc.constantFrom(...PERSONAS),
      fc.constantFrom(
        undefined,
        [['phoneNo'], ['phoneNo', 'email', 'ip']],
        [
          ['phoneNo', 'ip'],
          ['phoneNo', 'email'],
        ],
      ),
      async ({ policy: plain, applicants: [given = {}], day }, { phoneNo, email, ip }, stages) => {
        const policy = loadPlainPolicy({ ...plain, ...(stages ? { stages } : {}) }, folder);
        const own = [...policy.facts].filter(([path, { origin }]) => origin === 'caller' && path in given);
        const ask = async (runner: 'live' | 'matcher') => {
          const called: string[] = [];
          const context = own.map(([path, { type }]) => {
            const fact = given[path];
            const value = fact !== undefined && 'value' in fact && type !== 'level' ? fact.value : null;
            const call = () => {
              called.push(path);
              return value;
            };
            return [path.slice('context.'.length), call];
          });
          const verify: Verifier['verify'] = async ({ clientReference, ...asked }) => {
            called.push(Object.keys(asked).join());
            return { body: { ...answers.get(asked.phoneNo), clientReference }, attempts: 1, requestId: 'any' };
          };
          const clock = () => Date.parse(`${day}T12:00:00Z`);
          const decider = createDecider({ policy, verify: { verify }, now: clock, runner });
          const decision = await decider.decide({ phoneNo, email, ip }, { context: Object.fromEntries(context) });
          return { ...decision, id: '', clientReference: '', called: called.sort() };
        };
        const decision = await ask('matcher');
        expect(decision).toEqual(await ask('live'));
        if (decision.called.some((each) => each.startsWith('context.'))) seen.functions++;
        if (decision.signals.spared.length > 0) seen.spared++;
        if (decision.signals.calls.length > 0) seen.asked++;
      },
    ),
    { numRuns: sampled(20, 1_000) },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(3);
});
