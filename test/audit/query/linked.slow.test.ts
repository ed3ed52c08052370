/** What decisions share, and which of them a velocity counted: of a log whose decisions a store really counted. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { addIndexKey } from '../../../src/audit/keys/key-folder.ts';
import { MOST_READ } from '../../../src/audit/query/counted.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { linkedOf } from '../../../src/audit/query/linked.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { countNote } from '../../../src/audit/query/seen.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { createDecider, decideNamed } from '../../../src/decision/decide.ts';
import { createDecisionId } from '../../../src/decision/request.ts';
import { isMissing } from '../../../src/facts/fact.ts';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import { DISPOSITIONS, type Disposition, type Policy } from '../../../src/policy/language.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';
import { createVelocityStore } from '../../../src/stores/velocity/velocity.ts';
import { logFolder } from '../../support/audit/decisions.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const COMMON = `facts:
  context.device: { type: string }
  context.amount: { type: number }
  context.want: { type: enum, values: [accept, review, reject] }
velocity:
  sameIp: { count: applications, by: ip, within: 1 day }
  emails: { count: distinct email, by: ip/24, within: 7 days }
  sameMailbox: { count: applications, by: mailbox, within: 7 days }
`;
const RULES = `rules:
  - { id: no, when: { context.want: reject }, then: reject }
  - { id: maybe, when: { context.want: review }, then: review }
`;
const policyOf = (name: string, more = '') =>
  loadPolicyText(`${HEAD.replace(/policy: \w+/, `policy: ${name}`)}${COMMON}${more}${RULES}`);
const SIGNUP = policyOf(
  'signup',
  `  approved: { count: distinct email, by: context.device, where: { disposition: approve }, within: 30 days }
  rejected: { count: applications, by: context.device, where: { outcome: reject }, within: 30 days }
  fraud: { count: applications, by: email, where: { disposition: fraud }, within: 30 days }
  pair: { count: applications, by: [ip, context.device], within: 2 days }
  limit: { count: sum context.amount, by: email, within: 7 days }
  first: { count: first, by: phoneNo, within: 30 days }
  mine: { count: last, by: emailDomain, where: { context.device: d1 }, within: 7 days }
  late: { count: applications, by: ip, within: 30 days, since: 2026-06-10 }
`,
);
const LOGIN = policyOf('login');

const HOUR = 3_600_000;
const BEGIN = Date.UTC(2026, 5, 1);
const MAPPING = loadMapping();

interface Application {
  readonly policy?: Policy;
  readonly reference?: string | undefined;
  readonly phoneNo?: string | undefined;
  readonly email?: string | undefined;
  readonly ip?: string | undefined;
  readonly device?: string | undefined;
  readonly amount?: number | undefined;
  readonly want?: string;
}

/** A log whose decisions a store counts, and what is read from it. */
async function countedLog() {
  const [folder, more] = [await logFolder(), temporaryFolder()];
  let log = await folder.open();
  const velocity = await createVelocityStore({ sqlite: join(more, 'velocity.sqlite'), timeoutMs: 20_000 });
  const index = await openLogIndex(folder.place);
  const verify = { verify: () => Promise.reject(new Error('the service was asked')) };
  let clock = BEGIN;
  const pass = (ms: number) => {
    clock += ms;
    vi.setSystemTime(clock);
  };
  vi.useFakeTimers({ toFake: ['Date'], now: clock });
  onTestFinished(async () => {
    vi.useRealTimers();
    await Promise.all([log.close(), velocity.close(), index.close()]);
    rmSync(more, { recursive: true });
  });
  return {
    folder,
    index,
    pass,
    log: () => log,
    /** From now on with another index key. */
    async rotate() {
      await log.close();
      await addIndexKey(folderAt(folder.keys));
      log = await folder.open();
    },
    async decide({ policy = SIGNUP, reference, device, amount, want = 'accept', ...person }: Application) {
      pass(1);
      const decider = createDecider({ policy, mapping: MAPPING, verify, velocity, audit: log, rememberMs: 0 });
      const id = createDecisionId(clock);
      const context = { want, ...(device ? { device } : {}), ...(amount === undefined ? {} : { amount }) };
      const options = { clientReference: reference ?? id, context };
      await decideNamed(decider, { id, decidedAtMs: clock, caller: 'shop' }, person, options);
      return id;
    },
    async note(decision: string, disposition: Disposition) {
      pass(1);
      await addNote({ log, decision, disposition, by: 'somebody', why: `at ${clock}`, now: () => clock });
      await countNote({ place: folder.place, index, decision, velocity });
      pass(1);
    },
    async linked(id: string) {
      const record = await readRecord(folder.place, id, { index, checkSegment: false });
      if (!record) throw new Error(id);
      return { record, ...(await linkedOf(record, { place: folder.place, index })) };
    },
  };
}

const maybe = (...values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 6 });
const DECIDE = fc.record({
  ...{ do: fc.constant('decide' as const), policy: fc.constantFrom('signup', 'login') },
  reference: fc.constantFrom(undefined, undefined, 'R-1', 'R-2'),
  phoneNo: fc.constantFrom('12025550102', '12025550103'),
  email: fc.constantFrom('a.b@gmail.com', 'ab+x@gmail.com', 'c@two.example'),
  ip: maybe('203.0.113.7', '203.0.113.8', '2a00:1450::1', 'no address'),
  device: maybe('d1', 'd2'),
  amount: fc.option(fc.constantFrom(0.1, 0.2, 1000.1), { nil: undefined }),
  want: fc.constantFrom('accept', 'review', 'reject'),
});
const NOTE = fc.record({
  ...{ do: fc.constant('note' as const), disposition: fc.constantFrom(...DISPOSITIONS), of: fc.nat() },
});
const PASS = fc.record({
  ...{ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 60_000, HOUR, 11 * HOUR, 13 * HOUR, 5 * 24 * HOUR) },
});
const STREAM = fc.array(
  fc.oneof({ weight: 6, arbitrary: DECIDE }, { weight: 2, arbitrary: NOTE }, { weight: 3, arbitrary: PASS }),
  { minLength: 10, maxLength: 40 },
);

it('finds what each velocity counted: as many as the store had counted then, of whatever measure', async () => {
  await fc.assert(
    fc.asyncProperty(STREAM, async (steps) => {
      const counted = await countedLog();
      const ids: string[] = [];
      for (const step of steps) {
        if (step.do === 'pass') counted.pass(step.ms);
        else if (step.do === 'decide') {
          const { do: _, policy, ...application } = step;
          ids.push(await counted.decide({ ...application, policy: policy === 'login' ? LOGIN : SIGNUP }));
        } else if (ids.length > 0) await counted.note(ids[step.of % ids.length] ?? '', step.disposition);
      }
      for (const id of ids) {
        const { counts, decisions } = await counted.linked(id);
        for (const { path, fact, number, decisions: first, closed } of counts) {
          const onRecord = isMissing(fact) ? null : fact.value;
          expect([id, path, number, closed]).toEqual([id, path, onRecord, 0]);
          const marked = decisions.filter(({ countedBy }) => countedBy.includes(path)).map((each) => each.id);
          expect(marked.toSorted()).toEqual(first.toSorted());
          if (path === 'velocity.sameIp') expect(first).toHaveLength(Number(onRecord));
        }
      }
    }),
    { numRuns: sampled(2, 200), endOnFailure: true },
  );
});

const ANN = { phoneNo: '12025550102', email: 'ann@gmail.com', ip: '203.0.113.7', device: 'd1' };

it('says what others share, before and later, and what people said of them', async () => {
  const { decide, note, linked, pass } = await countedLog();
  const phone = await decide({ phoneNo: ANN.phoneNo, email: 'other@two.example' });
  const mailbox = await decide({ phoneNo: '12025550103', email: 'a.n.n+x@gmail.com', want: 'reject' });
  await note(mailbox, 'fraud');
  await decide({ phoneNo: '12025550104', email: 'nobody@three.example', ip: '198.51.100.1', device: 'd9' });
  const own = await decide({ ...ANN, reference: 'A-1' });
  pass(HOUR);
  const device = await decide({ phoneNo: '12025550105', email: 'late@four.example', device: 'd1' });
  const again = await decide({ ...ANN, reference: 'A-1' });
  const { shared, decisions } = await linked(own);
  const found = decisions.map(({ id, shares, isLater, isSameReference, outcome, label }) => {
    return { id, shares, isLater, isSameReference, outcome, ...(label ? { label } : {}) };
  });
  const all = ['phoneNo', 'email', 'ip', 'context.device', 'emailDomain', 'ip/24', 'mailbox'];
  expect(found).toEqual([
    { id: again, shares: all, isLater: true, isSameReference: true, outcome: 'accept' },
    { id: device, shares: ['context.device'], isLater: true, isSameReference: false, outcome: 'accept' },
    {
      ...{ id: mailbox, shares: ['emailDomain', 'mailbox'], isLater: false, isSameReference: false },
      ...{ outcome: 'reject', label: 'fraud' },
    },
    { id: phone, shares: ['phoneNo'], isLater: false, isSameReference: false, outcome: 'accept' },
  ]);
  expect(Object.fromEntries(shared.map(({ name, before, later }) => [name, [before, later]]))).toEqual({
    ...{ phoneNo: [1, 1], email: [0, 1], ip: [0, 1], mailbox: [1, 1], emailDomain: [1, 1], 'ip/24': [0, 1] },
    'context.device': [0, 2],
  });
});

it('finds by each index key, and without the body by what is in clear; whom it cannot read it says', async () => {
  const { decide, linked, rotate, folder, log, index } = await countedLog();
  const before = await decide(ANN);
  const gone = await decide({ ...ANN, phoneNo: '12025550109', email: 'gone@two.example' });
  await rotate();
  const own = await decide(ANN);
  await eraseSubject({ log: log(), subject: '+12025550109' });
  const { decisions, counts } = await linked(own);
  expect(decisions.map(({ id, shares, isErased }) => [id, shares, isErased])).toEqual([
    [gone, ['ip', 'context.device', 'ip/24'], true],
    [before, ['phoneNo', 'email', 'ip', 'context.device', 'emailDomain', 'ip/24', 'mailbox'], false],
  ]);
  const sameIp = counts.find(({ path }) => path === 'velocity.sameIp');
  expect(sameIp).toMatchObject({ fact: { value: 2 }, number: 1, decisions: [before], closed: 1 });
  await eraseSubject({ log: log(), subject: ANN.email });
  const record = await readRecord(folder.place, own, { index });
  expect(record?.body).toEqual({ closed: 'erased' });
  const closed = await linked(own);
  expect(closed.decisions).toEqual([]);
  expect(closed.counts).toEqual([]);
});

it('does not read more than a bound, and says that it is not read', async () => {
  const { decide, linked } = await countedLog();
  for (let i = 0; i <= MOST_READ; i++) await decide({ policy: LOGIN, ip: ANN.ip, email: `a${i}@two.example` });
  const { counts, shared } = await linked(await decide({ ...ANN, policy: LOGIN }));
  const sameIp = counts.find(({ path }) => path === 'velocity.sameIp');
  expect(sameIp).toMatchObject({ fact: { value: MOST_READ + 1 }, number: undefined, decisions: [] });
  expect(shared.find(({ name }) => name === 'ip')).toMatchObject({ before: MOST_READ + 1 });
});
