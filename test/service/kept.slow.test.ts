/** What the state keeps of answers: of people nothing, whatever a policy asks and wherever its facts come from. */

import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../src/audit/query/decision-record.ts';
import { isMissing, shownValue } from '../../src/facts/fact.ts';
import type { OperatorName } from '../../src/policy/operators.ts';
import { readKept, rewriteAnswers } from '../../src/service/handlers/kept.ts';
import { openState, type State } from '../../src/stores/state/state.ts';
import { ROOT } from '../support/docs/docs.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { APPLICANT, startTestService, type TestService, untilIndexed } from '../support/service/running.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../support/stores/state/postgres.ts';

const DAY_MS = 86_400_000;

/** A condition that is true of the applicant, for each operator. */
const CONDITIONS = {
  is: '{ context.employer: canary-employer-of-d }',
  isNot: '{ context.employer: { isNot: canary-literal } }',
  in: '{ applicant.email: { in: [canary.other@mail.example, d.marsh@copper-kettle.example] } }',
  notIn: '{ applicant.phoneNo: { notIn: ["+12025550199"] } }',
  known: '{ applicant.ip: { known: true } }',
  above: '{ context.salary: { above: 918273001 } }',
  atLeast: '{ context.salary: { atLeast: 918273002 } }',
  below: '{ context.salary: { below: 918274003 } }',
  atMost: '{ context.salary: { atMost: 918274004 } }',
  between: '{ context.salary: { between: [918273005, 918274006] } }',
  startsWith: '{ context.employer: { startsWith: canary-emp } }',
  endsWith: '{ context.employer: { endsWith: yer-of-d } }',
  contains: '{ context.branch: { contains: ary-branch } }',
  matches: '{ context.branch: { matches: "canary-br[a-z]+" } }',
  inList: '{ applicant.email: { inList: people } }',
  notInList: '{ applicant.phoneNo: { notInList: numbers } }',
  inDomainList: '{ applicant.emailDomain: { inDomainList: domains } }',
  withinLast: '{ context.since: { withinLast: 31234 days } }',
  olderThan: '{ context.since: { olderThan: 1234 days } }',
  before: '{ context.since: { before: 2001-02-03 } }',
  after: '{ context.since: { after: 1961-02-03 } }',
  never: '{ context.since: { never: false } }',
  yearsSince: '{ context.since: { yearsSince: { above: 3 } } }',
} satisfies Record<OperatorName, string>;

const OTHERS = {
  parameter: '{ context.employer: { isNot: $employer } }',
  'other-fact': '{ context.employer: { isNot: { fact: context.branch } } }',
  vendor: '{ phone.operator.current: { isNot: canary-vendor } }',
  negated: '{ not: { applicant.ip: 198.51.100.77 } }',
  unknown: '{ context.absent: { above: 1 } }',
};

/** A rule's id of the name of an operator. */
function idOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const POLICY = `policy: onboarding
version: "1"
default: accept
facts:
  context.employer: { type: string, personal: true }
  context.branch: { type: string }
  context.salary: { type: number }
  context.absent: { type: number }
  context.since: { type: date }
parameters: { employer: canary-parameter }
lists:
  people: [canary.listed@mail.example, d.marsh@copper-kettle.example]
  numbers: ["+12025550188"]
  domains: [copper-kettle.example, canary-domain.example]
score: { review: 1, notice: Please call us. }
rules:
${Object.entries({ ...CONDITIONS, ...OTHERS })
  .map(([name, when]) => [idOf(name), when])
  .map(
    ([id, when]) => `  - { id: ${id}, when: ${when}, then: review, points: 1, message: "{context.branch}", notice: N }`,
  )
  .join('\n')}
  - { id: watched, mode: shadow, when: { context.branch: { known: true } }, then: reject }
`;

const ASKED = {
  context: { employer: 'canary-employer-of-d', branch: 'canary-branch', salary: 918273645, since: '1987-11-23' },
  variables: { note: 'canary-variable' },
};
const REFERENCE = 'canary-reference';

const CANARIES = [
  ...Object.values(ASKED.context).map(String),
  ...Object.values(APPLICANT).flatMap((text) => [text, text.replace('+', '')]),
  ...['canary', '2025550199', '2025550188', 'copper-kettle', '198.51.100.77', 'Marsh'],
  ...[
    '918273001',
    '918273002',
    '918274003',
    '918274004',
    '918273005',
    '918274006',
    '1961-02-03',
    '2001-02-03',
    '31234',
  ],
];

/** What a service has written beside its log, as one text. */
function writtenIn(folder: string): string {
  const isOfLog = /^(?:log(?:\.keys)?|keys\.json|serve\.yaml)(?:\/|$)/;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !isOfLog.test(path.slice(folder.length + 1)));
  expect(files.length).toBeGreaterThan(0);
  return files.map((path) => readFileSync(path, 'latin1')).join('\n');
}

function canariesIn(text: string, more: readonly string[] = []): readonly string[] {
  return [...CANARIES, ...more].filter((canary) => text.toLowerCase().includes(canary.toLowerCase()));
}

async function start(options: Parameters<typeof startTestService>[0] = {}): Promise<TestService> {
  const rules = temporaryFolder({ 'onboarding.yaml': POLICY });
  cpSync(join(ROOT, 'rules/signals.yaml'), join(rules, 'signals.yaml'));
  return startTestService({ audit: true, rules, more: 'velocity: { sqlite: velocity.sqlite }', ...options });
}

/** A decision whose rules all fired, and the texts that the service said of the applicant. */
async function decide({ ask, service }: TestService) {
  const request = { policy: 'onboarding', reference: REFERENCE, applicant: APPLICANT, ...ASKED };
  const { body } = await ask('POST', '/v1/decisions', request);
  const fired = (body['reasons'] as { rule?: string; because: string }[]).filter(({ because }) => because === 'fired');
  const ids = Object.keys({ ...CONDITIONS, ...OTHERS })
    .filter((id) => id !== 'unknown')
    .map(idOf);
  expect(fired.map(({ rule }) => rule).toSorted()).toEqual(ids.toSorted());
  expect(body['notices']).toEqual([
    { code: 'IS', text: 'N' },
    { code: 'SCORE', text: 'Please call us.' },
  ]);
  const record = await readRecord(service.records?.place as { dir: string }, body['id'] as string);
  if (!record || 'closed' in record.body) throw new Error('no record');
  const { facts, policy } = record.body;
  const said = [...facts].flatMap(([path, fact]) => {
    const text = policy.facts.get(path)?.type === 'string' && !isMissing(fact) ? String(shownValue(fact)) : '';
    return text.length > 5 ? [text] : [];
  });
  expect(said.length).toBeGreaterThan(3);
  return { body, said };
}

test('in SQLite, nothing of people is kept, while the service runs and after it', async () => {
  const service = await start();
  const { said } = await decide(service);
  expect(canariesIn(writtenIn(service.folder), said)).toEqual([]);
  await service.drain();
  expect(canariesIn(writtenIn(service.folder), said)).toEqual([]);
});

/** An answer as the version before kept it. */
const EARLIER_REASON = {
  ...{ because: 'fired', rule: 'r', code: 'R', outcome: 'review', decisive: true, message: 'canary-message' },
  ...{ notice: 'N', evidence: [{ fact: 'applicant.email', operator: 'is', expected: 'canary@x', value: 'canary@x' }] },
};

test('answers of an earlier format are rewritten at the start, and given again as they were', async () => {
  const dir = temporaryFolder({});
  const first = await start({ state: `{ dir: ${dir} }` });
  const { body } = await decide(first);
  await first.drain();
  const database = new DatabaseSync(join(dir, 'state.sqlite'));
  // The service writes too.
  database.exec('pragma busy_timeout = 60000');
  // As a version without `secure_delete` leaves its pages.
  database.exec(`create table gone (text text); delete from follower where name = 'answers'`);
  database.prepare('insert into gone values (?)').run('canary-page '.repeat(4000));
  database.exec('drop table gone');
  const earlier = () => {
    const [{ answer } = {}] = database.prepare('select answer from reference').all() as { answer?: string }[];
    const { decision } = JSON.parse(String(answer));
    const text = JSON.stringify({ decision, noticed: [EARLIER_REASON] });
    database.prepare('update reference set answer = ?').run(text);
  };
  earlier();
  expect(canariesIn(writtenIn(dir))).toContain('canary');

  const second = await start({ state: `{ dir: ${dir} }`, audit: join(first.folder, 'log') });
  await expect.poll(() => canariesIn(writtenIn(dir))).toEqual([]);
  const repeated = async ({ ask, sandbox }: TestService) => {
    const request = { policy: 'onboarding', reference: REFERENCE, applicant: APPLICANT, ...ASKED };
    const answer = await ask('POST', '/v1/decisions', request);
    expect(answer.headers.get('verdict-repeated')).toBe('true');
    expect(sandbox.counts.verifies).toBe(0);
    return answer;
  };
  // Its keys and its secret are those of the first.
  expect((await repeated(second)).body).toMatchObject({ id: body['id'], reasons: body['reasons'] });
  // A process of the version before still runs.
  earlier();
  const { text } = await repeated(second);
  expect(canariesIn(text.replace(REFERENCE, ''))).toEqual([]);
  database.close();
  await second.drain();
  const third = await start({ state: `{ dir: ${dir} }`, audit: join(first.folder, 'log') });
  await expect.poll(() => canariesIn(writtenIn(dir))).toEqual([]);
  await repeated(third);
});

describe('the rewriting', () => {
  const answerOf = (i: number) => JSON.stringify({ decision: DECISION(i), noticed: [EARLIER_REASON] });
  const fill = async (state: State, n: number) => {
    const requests = Array.from({ length: n }, (_, i) => ({ key: `k${i}`, question: 'q', decision: `d${i}` }));
    await Promise.all(requests.map((each) => state.references.claim({ ...each, resend: false })));
    await Promise.all(requests.map(({ key, decision }, i) => state.references.finish(key, decision, answerOf(i))));
  };
  const answers = async (state: State, n: number) => {
    const ask = async (i: number) => {
      const claim = await state.references.claim({ key: `k${i}`, question: 'q', decision: 'again', resend: false });
      return claim.state === 'done' ? claim.answer : claim.state;
    };
    return Promise.all(Array.from({ length: n }, (_, i) => ask(i)));
  };
  const open = () => openState({ dir: temporaryFolder({}), rememberMs: DAY_MS });

  test('loses no answer where it ends in the middle, and goes on at the next start', async () => {
    const state = await open();
    await fill(state, 600);
    let left = 300;
    const run: State['run'] = async (name, parameters) => {
      if (name === 'rewriteAnswer' && left-- <= 0) throw new Error('ended');
      return state.run(name, parameters);
    };
    await rewriteAnswers({ ...state, run })();
    const middle = await answers(state, 600);
    expect(middle.map((answer) => readKept(answer).decision.id)).toEqual(middle.map((_, i) => `d${i}`));
    expect(middle.some((answer) => answer.includes('canary'))).toBe(true);
    await settled(state);
    const after = await answers(state, 600);
    expect(after.map((answer) => readKept(answer).decision.id)).toEqual(after.map((_, i) => `d${i}`));
    expect(after.filter((answer) => answer.includes('canary'))).toEqual([]);
    await state.close();
  });

  test('does not touch an answer that was made again meanwhile', async () => {
    const state = await open();
    await fill(state, 1);
    const run: State['run'] = async (name, parameters) => {
      if (name === 'rewriteAnswer') {
        const again = { key: 'k0', question: 'q', decision: 'newer', resend: false, instead: 'd0' };
        await state.references.claim(again);
        await state.references.finish('k0', 'newer', 'newer answer');
      }
      return state.run(name, parameters);
    };
    await settled({ ...state, run });
    expect(await answers(state, 1)).toEqual(['newer answer']);
    await state.close();
  });

  async function settled(state: State) {
    const end = rewriteAnswers(state);
    await expect.poll(async () => (await state.run('position', ['answers'])).length).toBe(1);
    await end();
  }
});

const DECISION = (i: number) => ({
  ...{ id: `d${i}`, decidedAt: '2026-01-01T00:00:00.000Z', day: '2026-01-01', outcome: 'review', undetermined: [] },
  ...{ reasons: [], score: { least: 0, most: 0 }, shadow: [], mapping: 'm', engine: '0' },
  policy: { name: 'p', version: '1', language: 1 },
  signals: { requested: [], calls: [], spared: [], missing: [], warnings: [] },
});

describe.skipIf(!HAS_POSTGRES)('in PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.shared();

  test('no table has anything of people, and earlier answers are rewritten', async () => {
    const url = await server.newSchema();
    const env = { STATE_URL: url, STATE_KEY: KEY };
    const options = { state: '{ postgresVariable: STATE_URL, keyVariable: STATE_KEY }', env };
    const written = async () => {
      const tables = (await server.sql(
        url,
        'select table_name as name from information_schema.tables where table_schema = current_schema()',
      )) as { name: string }[];
      expect(tables.length).toBeGreaterThan(4);
      const rows = await Promise.all(tables.map(({ name }) => server.sql(url, `select * from ${name}`)));
      return JSON.stringify(rows);
    };
    const service = await start(options);
    await untilIndexed(service);
    const { said } = await decide(service);
    await expect.poll(written).toContain('"done"');
    expect(canariesIn(await written(), said)).toEqual([]);
    expect(canariesIn(writtenIn(service.folder), said)).toEqual([]);
    await service.drain();
    const reason = JSON.stringify([EARLIER_REASON]);
    await server.sql(
      url,
      `update reference set answer = jsonb_build_object('decision',
      cast(answer as jsonb) -> 'decision', 'noticed', '${reason}'::jsonb)`,
    );
    expect(canariesIn(await written())).toContain('canary');
    await start({ ...options, audit: join(service.folder, 'log') });
    await expect.poll(async () => canariesIn(await written())).toEqual([]);
  });
});
