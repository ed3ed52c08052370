/** Replays: decisions are the same when decided again, forged ones are found, and another policy is compared. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decisionTexts } from '../../../src/audit/entry/body.ts';
import { searchableFields } from '../../../src/audit/entry/searchable.ts';
import { type OpenAuditLog, writerOf } from '../../../src/audit/log.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import type { DecideOptions, DeciderOptions } from '../../../src/decision/decider-options.ts';
import type { AuditEntry, AuditLog } from '../../../src/decision/decision.ts';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import { FIRST_DAY } from '../../../src/facts/day.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import { markRead, newFacts } from '../../../src/facts/fact-reader.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { PERSONAS } from '../../../src/sandbox/personas.ts';
import { type LogFolder, localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { mappingOf } from '../../support/facts/mapping-file.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { memoryStore } from '../../support/stores/velocity/memory-store.ts';

const ONBOARDING = resolve(import.meta.dirname, '../../../rules/onboarding.yaml');
const NOW = Date.UTC(2026, 10, 20, 12);

const RULES = `rules:
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: email, when: { email.address.riskLevel: { atLeast: high } }, then: review }
`;

type Given = Partial<DeciderOptions> & { readonly people?: readonly object[]; readonly with?: DecideOptions };

/** Decides on applicants, and closes the log. */
async function decideOn(folder: LogFolder, { people = [personOf(0)], with: options, ...given }: Given = {}) {
  const audit = await folder.open();
  const policy = policyOf(`${HEAD}${RULES}`);
  const decider = createDecider({ policy, verify: localVerifier, audit, now: () => NOW, ...given });
  const decisions = [];
  for (const person of people) decisions.push(await decider.decide(person, options));
  await audit.close();
  return decisions;
}

const everybody = Array.from({ length: 11 }, (_, n) => personOf(n));

const same = (count: number) => ({ compared: count, same: count, erased: 0, problemCount: 0, problems: [] });

describe('a replay', () => {
  it.each(['live', 'matcher'] as const)(
    'gives the same decisions as the %s runner for every persona',
    async (runner) => {
      const folder = await logFolder();
      await decideOn(folder, { people: everybody, policy: loadPolicy(ONBOARDING), runner });
      expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({
        ...same(11),
        policies: [{ name: 'onboarding', version: '2026.11' }],
      });
    },
  );

  it('gives the same decisions after spared calls, a failed source, or no request', async () => {
    const folder = await logFolder();
    const stages = 'stages:\n  - [phoneNo]\n  - [phoneNo, email, ip]\n';
    const policy = policyOf(`${HEAD}${stages}${RULES}`);
    const staged = await decideOn(folder, { people: everybody, policy });
    expect(staged.some(({ signals }) => signals.spared.length > 0)).toBe(true);
    expect(staged.some(({ signals }) => signals.calls.length === 2)).toBe(true);
    const failing = { verify: () => Promise.reject(new Error('anything')) };
    await decideOn(folder, { verify: failing });
    await decideOn(folder, { people: [{}, { email: personOf(1).email }, { phoneNo: 'nothing' }] });
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject(same(15));
  });

  it.each(['live', 'matcher'] as const)(
    'decides on the day on record, in the zone of the policy: %s',
    async (runner) => {
      const folder = await logFolder();
      const declared = (zone: string) =>
        policyOf(`policy: zone
version: "1"
default: accept
timeZone: ${zone}
facts: { context.born: { type: date } }
rules:
  - { id: adult, when: { context.born: { yearsSince: { atLeast: 18 } } }, then: review }
  - { id: over, until: 2026-11-19, when: { context.born: { known: true } }, then: reject }
`);
      // In Los Angeles it is 19 November for another eight hours.
      const now = () => Date.UTC(2026, 10, 20, 7, 59);
      const given = { policy: declared('America/Los_Angeles'), runner, now, with: { context: { born: '2008-11-20' } } };
      const [decision] = await decideOn(folder, given);
      expect(decision).toMatchObject({ outcome: 'reject', day: '2026-11-19', decidedAt: '2026-11-20T07:59:00.000Z' });
      const { other, ...replay } = await replayLog({
        dir: folder.dir,
        keys: folder.keys,
        policy: declared('Asia/Tokyo'),
      });
      expect(replay).toMatchObject(same(1));
      expect(other?.changes).toMatchObject([{ from: 'reject', to: 'review', count: 1 }]);
      const shown = await readRecord(folder.place, decision?.id ?? '');
      expect(shown?.body).toMatchObject({ day: '2026-11-19', matchesClearFields: true });
      const { rows } = await searchLog(folder.place, {}, { where: 'context.born: { yearsSince: { is: 17 } }' });
      expect(rows).toHaveLength(1);
      expect(await verifyLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ findings: [] });
    },
  );

  it('reads facts that the policy computed then, and computes them for another policy', async () => {
    const folder = await logFolder();
    const declared = (name: string, limit: number) =>
      policyOf(`policy: ${name}
version: "1"
default: accept
facts:
  context.one: { type: number }
  context.sum: { type: number, compute: { sum: [context.one, 0.2] } }
rules:
  - { id: above, when: { context.sum: { above: ${limit} } }, then: reject, message: "{context.sum}" }
`);
    const policy = declared('then', 1000.3);
    const audit = await folder.open();
    // As language 1 computed it.
    const sum = { value: 1000.3000000000001 };
    const asThen = ({ decision, facts, ...others }: AuditEntry): AuditEntry => {
      const recorded = new Map<string, Fact>([...facts, ['context.sum', sum]]);
      const read = markRead(newFacts(recorded), undefined, FIRST_DAY);
      const verdict = compile(policy).verdict(read, '2026-11-20');
      const by = { ...decision.policy, language: 1 };
      return { ...others, decision: { ...decision, ...verdict, policy: by }, facts: recorded };
    };
    const earlier: AuditLog = {
      mode: 'required',
      check: (inputs) => audit.check(inputs),
      record: (entry) => audit.record(asThen(entry)),
    };
    const decider = createDecider({ policy, verify: localVerifier, audit: earlier, now: () => NOW });
    const { outcome, policy: by } = await decider.decide(personOf(0), { context: { one: 1000.1 } });
    await audit.close();
    expect([outcome, by.language]).toEqual(['accept', 2]);
    const place = { dir: folder.dir, keys: folder.keys };
    const { rows } = await searchLog(folder.place, {}, { where: 'context.sum: { above: 1000.3 }' });
    expect(rows).toMatchObject([{ outcome: 'reject' }]);
    const { other, ...replay } = await replayLog({ ...place, policy: declared('now', 1000.3) });
    expect(replay).toMatchObject(same(1));
    expect(other?.changes).toMatchObject([{ from: 'reject', to: 'accept', count: 1 }]);
  });

  it('uses the recorded policy and mapping, whatever their files say now', async () => {
    const root = temporaryFolder({
      'policy.yaml': `${HEAD}facts:
  context.limit: { type: number }
  context.since: { type: date }
  context.channel: { type: string }
rules:
  - { id: name, when: { identity.nameScore: { below: 80 } }, then: review, message: "at {context.channel}" }
  - { id: limit, when: { context.limit: { above: 10 } }, then: reject, message: "{context.limit}" }
  - { id: new, when: { context.since: { withinLast: 30 days } }, then: review }
  - { id: branch, when: { context.channel: { matches: "^br.*" } }, then: review, message: "{context.channel}" }
`,
    });
    const mapping = mappingOf(
      'signals: { identity.nameScore: name }\nfacts: { identity.nameScore: { type: number } }\n',
    );
    const file = join(root, 'policy.yaml');
    const folder = await logFolder();
    const [decision] = await decideOn(folder, {
      policy: loadPolicy(file, { mapping }),
      mapping,
      services: ['Name Check'],
      verify: {
        verify: async ({ clientReference }) => ({ body: { searchStatus: 'Successful', clientReference, name: 79 } }),
      },
      with: { context: { limit: 11, since: '2026-11-01', channel: async () => 'Branch' } },
    });
    expect(decision?.reasons.map(({ code }) => code).sort()).toEqual(['BRANCH', 'LIMIT', 'NAME', 'NEW']);
    writeFileSync(file, `${HEAD}rules: []\n`);
    expect(await replayLog({ dir: folder.dir, keys: folder.keys })).toMatchObject(same(1));
  });

  it('finds a verdict forged by someone with the code and the keys', async () => {
    const folder = await logFolder();
    const policy = policyOf(`${HEAD}${RULES}`);
    const audit = await folder.open();
    const forging: AuditLog = {
      ...audit,
      record: (entry: AuditEntry) => {
        const reasons = entry.decision.reasons.map((reason) => ({ ...reason, code: 'DEFAULT' }));
        return audit.record({ ...entry, decision: { ...entry.decision, outcome: 'accept', reasons } });
      },
    };
    const verify = localVerifier;
    const [good, forged] = [audit, forging].map((log) => createDecider({ policy, verify, audit: log, now: () => NOW }));
    const rejected = personOf(PERSONAS.findIndex(({ name }) => name === 'account-takeover'));
    const { outcome } = (await good?.decide(rejected)) ?? {};
    const { id } = (await forged?.decide(rejected)) ?? {};
    await audit.close();
    expect(outcome).not.toBe('accept');
    // Hashes, links, footers, bodies and clear fields are all valid.
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
    const replay = await replayLog({ dir: folder.dir, keys: folder.keys });
    expect(replay).toMatchObject({ compared: 2, same: 1, problemCount: 1 });
    expect(replay.problems).toEqual([
      expect.objectContaining({ id, segment: 1, line: 3, why: 'differs', parts: ['outcome', 'reasons'] }),
    ]);
  });

  it.each<[string, (entry: AuditEntry) => AuditEntry, readonly string[]]>([
    ['the score', (entry) => withVerdict(entry, { score: { least: 1, most: 1, band: null } }), ['score']],
    [
      'a shadow rule',
      (entry) => withVerdict(entry, { shadow: [{ rule: 'x', result: 'fires', outcome: null }] }),
      ['shadow'],
    ],
    ['the undetermined rules', (entry) => withVerdict(entry, { undetermined: [] }), ['undetermined']],
    [
      'a fact',
      (entry) => ({ ...entry, facts: new Map([...entry.facts, ['phone.riskLevel', { value: 'high' }]]) }),
      ['outcome', 'reasons'],
    ],
    [
      'the type of a value',
      (entry) => withVerdict(entry, { score: { least: '0', most: 0, band: null } as never }),
      ['score'],
    ],
  ])('finds a change of %s', async (_, forge, parts) => {
    const folder = await logFolder();
    const audit = await folder.open();
    const forging: AuditLog = { ...audit, record: (entry) => audit.record(forge(entry)) };
    const policy = policyOf(`${HEAD}${RULES}`);
    const decider = createDecider({ policy, verify: localVerifier, audit: forging, now: () => NOW });
    await decider.decide({ phoneNo: personOf(0).phoneNo });
    await audit.close();
    expect((await replayLog({ dir: folder.dir, keys: folder.keys })).problems).toMatchObject([
      { why: 'differs', parts },
    ]);
  });

  it('counts erased decisions, and reports those without a key, a policy or a body', async () => {
    const folder = await logFolder();
    const [[erased], [lost], [kept]] = [
      await decideOn(folder, { people: [personOf(1)] }),
      await decideOn(folder, { people: [personOf(2)] }),
      await decideOn(folder, { policy: loadPolicy(ONBOARDING) }),
    ];
    const audit = await folder.open();
    await eraseSubject({ log: audit, subject: personOf(1).email });
    const strange = await sealStrange(audit);
    await audit.close();
    const key = folder.decisions().find(({ id }) => id === lost?.id)?.key ?? '';
    rmSync(join(folder.keys, 'data', `${key.split(':')[0]}.keys`));
    rmSync(join(folder.dir, 'policies', `${kept?.policy.digest.slice(7)}.json`));
    const replay = await replayLog({ dir: folder.dir, keys: folder.keys });
    expect(replay).toMatchObject({ compared: 0, same: 0, erased: 1, problemCount: 2 + strange.length });
    const why = new Map(replay.problems.map((problem) => [problem.id, problem.why]));
    expect([erased, lost, kept].map((decision) => why.get(decision?.id ?? ''))).toEqual([
      undefined,
      'key-missing',
      'policy-missing',
    ]);
    expect(strange.map((id) => why.get(id))).toEqual(strange.map(() => 'no-body'));
  });

  it('does not accept a changed policy file as the policy that decided', async () => {
    const folder = await logFolder();
    await decideOn(folder);
    const [name = ''] = readdirSync(join(folder.dir, 'policies'));
    const file = join(folder.dir, 'policies', name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('reject', 'review'));
    expect((await replayLog({ dir: folder.dir, keys: folder.keys })).problems).toMatchObject([
      { why: 'policy-missing', parts: [] },
    ]);
  });

  it.each<[string, (text: string) => string]>([
    ['a changed byte', (text) => text.replace('"outcome":"accept"', '"outcome":"reject"')],
    ['half an entry before the end', (text) => text.replace('"kind":"decision"', '\n')],
  ])('rejects at %s', async (_, harm) => {
    const folder = await logFolder();
    await decideOn(folder, { people: [personOf(0), personOf(0)] });
    const [chain = ''] = readdirSync(join(folder.dir, 'chains'));
    const file = join(folder.dir, 'chains', chain, '00000001.ndjson');
    writeFileSync(file, harm(readFileSync(file, 'utf8')));
    await expect(replayLog({ dir: folder.dir, keys: folder.keys })).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringMatching(/^line 2 of segment 1 of chain [0-9a-f-]+ is not as it was written: /),
    });
  });

  it('replays only the wanted decisions, and reports progress', async () => {
    const folder = await logFolder();
    const decisions = await decideOn(folder, { people: everybody });
    const wanted = decisions.filter(({ outcome }) => outcome === 'reject').length;
    expect(wanted).toBeGreaterThan(0);
    const isWanted = ({ outcome }: { outcome: string }) => outcome === 'reject';
    const progress: number[] = [];
    const replay = await replayLog({
      dir: folder.dir,
      keys: folder.keys,
      isWanted,
      onProgress: (read) => progress.push(read),
    });
    expect(replay).toMatchObject(same(wanted));
    expect(progress.at(-1)).toBe(wanted);
  });
});

describe('another policy', () => {
  it('is compared by change of outcome, with counts and examples', async () => {
    const folder = await logFolder();
    const decisions = await decideOn(folder, { people: [...everybody, ...everybody] });
    const policy = policyOf(`${HEAD}rules:
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: review }
  - { id: never, when: { phone.type: { is: pager } }, then: reject }
`);
    const { other, ...replay } = await replayLog({ dir: folder.dir, keys: folder.keys, policy });
    expect(replay).toMatchObject(same(22));
    const expected = new Map<string, string[]>();
    for (const { id, outcome, reasons } of decisions) {
      const byPhone = reasons.some((reason) => 'rule' in reason && reason.rule === 'phone');
      const name = `${outcome} ${byPhone ? 'review' : 'accept'}`;
      expected.set(name, [...(expected.get(name) ?? []), id]);
    }
    expect(expected.size).toBeGreaterThan(2);
    const found = new Map(
      other?.changes.map(({ from, to, count, examples }) => [`${from} ${to}`, { count, examples }]),
    );
    expect(found).toEqual(
      new Map([...expected].map(([name, ids]) => [name, { count: ids.length, examples: ids.slice(0, 5) }])),
    );
    expect([other?.open, other?.openFacts]).toEqual([0, {}]);
  });

  it('is compared by what decides: the reasons of changed decisions, the most frequent first', async () => {
    const folder = await logFolder();
    await decideOn(folder, { people: [personOf(0), personOf(0), personOf(4)] });
    const policy = policyOf(`${HEAD}rules:
  - { id: mobile, when: { phone.type: mobile }, then: review }
  - { id: never, when: { phone.porting.portedDate: { never: true } }, then: review }
  - { id: idle, when: { phone.type: pager }, then: reject }
`);
    const { other } = await replayLog({ dir: folder.dir, keys: folder.keys, policy });
    expect(other?.changes).toMatchObject([
      {
        ...{ from: 'accept', to: 'review', count: 3 },
        decidedBy: {
          old: [{ code: 'DEFAULT', count: 3 }],
          new: [
            { code: 'MOBILE', count: 3 },
            { code: 'NEVER', count: 1 },
          ],
        },
      },
    ]);
    const unchanged = await replayLog({ dir: folder.dir, keys: folder.keys, policy: policyOf(`${HEAD}${RULES}`) });
    expect(unchanged.other?.changes.map(({ decidedBy }) => decidedBy)).toEqual([{ old: [], new: [] }]);
  });

  it('leaves out decisions that depend on facts that are not on record', async () => {
    const folder = await logFolder();
    await decideOn(folder, { people: [personOf(0), personOf(1)] });
    const policy = policyOf(`${HEAD}facts: { context.limit: { type: number } }
rules:
  - { id: limit, when: { context.limit: { above: 10 } }, then: reject }
`);
    const { other } = await replayLog({ dir: folder.dir, keys: folder.keys, policy });
    expect(other).toEqual({ changes: [], aborted: 0, open: 2, openFacts: { 'context.limit': 2 } });
  });

  it('marks the codes of rules that could not be determined', async () => {
    const folder = await logFolder();
    await decideOn(folder, {
      people: [personOf(0)],
      policy: policyOf(`${HEAD}rules:
  - { id: known, when: { applicant.phoneNo: { known: false } }, then: reject }
  - { id: asks, when: { identity.verified: true }, then: review, reason: ASKS }
`),
    });
    const { other } = await replayLog({ dir: folder.dir, keys: folder.keys, policy: policyOf(`${HEAD}rules: []\n`) });
    expect(other?.changes).toMatchObject([{ from: 'review', to: 'accept', decidedBy: { old: [{ code: 'ASKS?' }] } }]);
  });

  it('reads a fact again from its text if it declares the fact differently', async () => {
    const folder = await logFolder();
    const declaring = (type: string, rule: string) =>
      policyOf(`${HEAD}facts: { context.code: { type: ${type} } }
rules:
  - { id: code, when: { context.code: ${rule} }, then: reject }
`);
    await decideOn(folder, { policy: declaring('string', '"kestrel"'), with: { context: { code: 'Kestrel' } } });
    const changeBy = async (type: string, rule: string) => {
      const { other } = await replayLog({ dir: folder.dir, keys: folder.keys, policy: declaring(type, rule) });
      return other?.changes.map(({ from, to }) => `${from} to ${to}`);
    };
    expect(await changeBy('string', '"kestrel"')).toEqual(['reject to reject']);
    expect(await changeBy('enum, values: [Kestrel, Plover]', 'Kestrel')).toEqual(['reject to reject']);
    expect(await changeBy('enum, values: [Kestrel, Plover]', 'Plover')).toEqual(['reject to accept']);
    expect(await changeBy('number', '{ above: 1 }')).toEqual(['reject to review']);
  });

  it('does not decide erased decisions', async () => {
    const folder = await logFolder();
    await decideOn(folder);
    const audit = await folder.open();
    await eraseSubject({ log: audit, subject: personOf(0).email });
    await audit.close();
    expect(await replayLog({ dir: folder.dir, keys: folder.keys, policy: policyOf(`${HEAD}${RULES}`) })).toMatchObject({
      ...same(0),
      erased: 1,
      other: { changes: [], open: 0, openFacts: {} },
    });
  });
});

/** Counts the applications by the email, in one way or another, and reads the count. */
const counting = (velocity: string, rules = 'velocity.seen: { atLeast: 2 }') => `${HEAD}facts:
  context.limit: { type: number }
  context.twice: { type: number, compute: { product: [velocity.seen, 2] } }
velocity:
  seen: { ${velocity} }
rules:
  - { id: seen, when: { ${rules} }, then: review }
`;
const ONE_HOUR = 'count: applications, by: email, within: 1 hour';

describe('a count of earlier applications', () => {
  const decideThrice = async (folder: LogFolder, policy = policyOf(counting(ONE_HOUR))) =>
    decideOn(folder, { people: [personOf(0), personOf(0), personOf(0)], policy, velocity: memoryStore() });
  const otherBy = async ({ dir, keys }: LogFolder, text: string) =>
    (await replayLog({ dir, keys, policy: policyOf(text) })).other;
  const changesOf = (other: Awaited<ReturnType<typeof otherBy>>) =>
    other?.changes.map(({ from, to, count }) => `${from} to ${to} ${count}`);

  it('is that of a record by the same definition alone, whatever its name and description', async () => {
    const folder = await logFolder();
    await decideThrice(folder);
    const asBefore = ['accept to accept 2', 'review to review 1'];
    for (const text of [
      counting(`${ONE_HOUR}, description: repeats`),
      counting('count: applications, by: email, within: 60 minutes'),
      counting(ONE_HOUR).replaceAll('seen:', 'repeats:').replaceAll('velocity.seen', 'velocity.repeats'),
    ]) {
      const other = await otherBy(folder, text);
      expect([changesOf(other), other?.open]).toEqual([asBefore, 0]);
    }
    for (const edited of [
      'count: applications, by: email, within: 2 hours',
      'count: applications, by: phoneNo, within: 1 hour',
      'count: distinct ip, by: email, within: 1 hour',
      'count: applications, by: email, where: { outcome: review }, within: 1 hour',
    ]) {
      expect(await otherBy(folder, counting(edited))).toMatchObject({
        ...{ changes: [], open: 3, openFacts: { 'velocity.seen': 3 } },
      });
    }
  });

  it('is unknown by another definition only to those whose outcome depends on it', async () => {
    const folder = await logFolder();
    await decideThrice(folder);
    const edited = 'count: applications, by: email, within: 2 hours';
    const certain = `${counting(edited)}  - { id: all, when: { applicant.email: { known: true } }, then: reject }\n`;
    expect(changesOf(await otherBy(folder, certain))).toEqual(['accept to reject 2', 'review to reject 1']);
    expect(await otherBy(folder, counting(edited, 'context.twice: { atLeast: 2 }'))).toMatchObject({
      ...{ changes: [], open: 3, openFacts: { 'velocity.seen': 3, 'context.twice': 3 } },
    });
    expect(changesOf(await otherBy(folder, counting(ONE_HOUR, 'context.twice: { atLeast: 2 }')))).toEqual([
      'accept to accept 1',
      'accept to review 1',
      'review to review 1',
    ]);
  });

  it('is unknown where the log does not keep the policy that counted', async () => {
    const folder = await logFolder();
    const [decision] = await decideThrice(folder);
    rmSync(join(folder.dir, 'policies', `${decision?.policy.digest.slice(7)}.json`));
    expect(await otherBy(folder, counting(ONE_HOUR))).toMatchObject({ open: 3, openFacts: { 'velocity.seen': 3 } });
    const withoutCounts = 'rules: [{ id: all, when: { applicant.email: { known: true } }, then: reject }]\n';
    expect(await otherBy(folder, `${HEAD}${withoutCounts}`)).toMatchObject({ open: 0, openFacts: {} });
  });
});

function withVerdict(entry: AuditEntry, change: Partial<AuditEntry['decision']>): AuditEntry {
  return { ...entry, decision: { ...entry.decision, ...change } };
}

/** Records decisions with bodies that no decision has, encrypted and hashed correctly; returns their ids. */
async function sealStrange(audit: OpenAuditLog): Promise<string[]> {
  const { decision, facts } = await anEntry();
  const good = decisionTexts({ decision, facts });
  const changed = (at: number, text: string) => good.map((one, i) => (i === at ? text : one));
  const bodies = [
    ['not JSON'],
    good.slice(1),
    [...good, '{}'],
    changed(0, 'not JSON'),
    changed(0, '[7]'),
    changed(1, 'null'),
    changed(1, '[]'),
    changed(1, good[1]?.replace(/^\[[^,]+/, '[null') ?? ''),
    changed(1, good[1]?.replace(/^\[[^,]+/, '[[]') ?? ''),
    changed(2, '[]'),
  ];
  const ids: string[] = [];
  for (const [n, texts] of bodies.entries()) {
    const id = decision.id.replace(/.$/, String(n));
    ids.push(id);
    const clear = { ...searchableFields({ ...decision, id }), writtenAt: decision.decidedAt };
    await writerOf(audit)({
      clear: { kind: 'decision', ...clear, subjects: {}, reference: `1:${'5'.repeat(64)}` },
      texts,
    });
  }
  return ids;
}

async function anEntry(): Promise<AuditEntry> {
  const entries: AuditEntry[] = [];
  const audit: AuditLog = {
    mode: 'required',
    check: async () => {},
    record: async (entry) => void entries.push(entry),
  };
  const policy = policyOf(`${HEAD}${RULES}`);
  await createDecider({ policy, verify: localVerifier, audit, now: () => NOW }).decide(personOf(0));
  const [entry] = entries;
  if (!entry) throw new Error('nothing was recorded');
  return entry;
}
