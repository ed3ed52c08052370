/** Every public function, given rubbish: a VerdictError or a harmless value; no other error, and no accept. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import * as core from '../src/core.ts';
import * as api from '../src/index.ts';

const fail = (): never => {
  throw new Error('a canary');
};
const hostile = (target: object) =>
  new Proxy(target, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail, getPrototypeOf: fail });

const RUBBISH: readonly unknown[] = [
  undefined,
  null,
  0,
  Number.NaN,
  '',
  '\0',
  '11/20/2026',
  '2026-11-31',
  true,
  Symbol('s'),
  10n,
  new Date(),
  new Date(Number.NaN),
  [],
  [null],
  {},
  { mapping: 'rules/signals.yaml', audti: {}, dir: 5 },
  { patterns: hostile({}), geodata: { numberingPlan: 5 } },
  new Map([['phone.score', null]]),
  new URL('https://verify.example'),
  Promise.resolve({}),
  () => undefined,
  hostile({}),
  hostile([]),
];

const policy = api.policyFromData(
  JSON.parse(`{
    "policy": "test", "version": "1", "default": "accept",
    "rules": [{ "id": "old", "when": { "phone.porting.portedDate": { "withinLast": "30 days" } }, "then": "reject" }]
  }`),
);
const DAY = '2026-11-20';
const mapping = api.loadMapping();
const facts = api.readFacts(new Map([['phone.porting.portedDate', { value: '2026-11-13' }]]), policy.facts, DAY);
const source = (path: string) => facts.get(path) ?? { missing: 'notGiven' as const };
const verify = { verify: async () => ({ body: {} }) };
const matcher = api.compile(policy);
const decider = api.createDecider({ policy, verify });
const dir = join(tmpdir(), 'there-is-no-such-log');
const client = api.createVerifyClient({
  environment: 'sandbox',
  baseUrl: 'http://127.0.0.1:1',
  username: 'u',
  password: 'p',
});
const root = mkdtempSync(join(tmpdir(), 'verdict-'));
const place = { dir: join(root, 'log'), keys: join(root, 'keys') };
await api.initAuditLog(place);
const log = await api.createAuditLog(place);
afterAll(async () => {
  await Promise.all([client.close(), log.close()]);
  rmSync(root, { recursive: true });
});

/** Arguments that can be used, for functions that take several: each is replaced by rubbish in turn. */
const USABLE: Readonly<Record<string, readonly unknown[]>> = {
  readFacts: [new Map(), policy.facts, DAY],
  normalise: [{ body: {} }, mapping, { variables: [], composite: false }, policy.facts, DAY],
  runLive: [policy, source, DAY],
  explain: [policy, facts, DAY, {}],
  encodeFacts: [facts, policy.facts],
  toSql: [policy, { dialect: 'duckdb', table: 't', at: DAY }],
  createDecider: [{ policy, verify }],
  loadPolicy: ['rules/phone-only.yaml', {}],
  readPolicy: ['rules/phone-only.yaml', {}],
  readMapping: ['rules/signals.yaml', {}],
  policyFromData: [api.policyData(policy), {}],
  mappingFromData: [api.mappingData(mapping), {}],
  watchPolicy: ['rules/phone-only.yaml', { onError: () => {}, persistent: false }],
  checkFiles: [['rules/phone-only.yaml'], {}],
  verifyLog: [{ dir }],
  replayLog: [{ dir }],
  createAuditLog: [{ dir }],
  'matcher.outcome': [facts, DAY],
  'matcher.verdict': [facts, DAY],
  'matcher.batch': [{ rows: 1, columns: new Map() }, DAY],
  'decider.decide': [{ phoneNo: '+12025550101' }, { context: {} }],
  'client.verify': [{ variables: { phoneNo: '+12025550101' } }, {}],
  'client.close': [{ drainMs: 0 }],
};

/** Arguments that can be used with a function; the core has those of the whole API. */
function usableFor(name: string): readonly unknown[] {
  return USABLE[name] ?? USABLE[name.replace('core.', '')] ?? [];
}

function methodsOf(name: string, object: object): (readonly [string, unknown])[] {
  return Object.entries<unknown>({ ...object }).map(([method, value]) => [`${name}.${method}`, value] as const);
}

type Call = (...given: readonly unknown[]) => unknown;

/** Every function of the API but the classes of errors, and the methods of what they make; new exports too. */
const FUNCTIONS: readonly (readonly [string, Call])[] = [
  ...Object.entries<unknown>(api),
  ...methodsOf('core', core),
  ...methodsOf('matcher', matcher),
  ...methodsOf('decider', decider),
  ...methodsOf('client', client),
  ...methodsOf('log', log),
].flatMap(([name, value]) =>
  typeof value === 'function' && !(value.prototype instanceof Error) ? [[name, value as Call] as const] : [],
);

/** What is wrong with a call: undefined for a VerdictError, and for a result without an accept. */
async function problemOf(call: Call, given: readonly unknown[], mayAccept: boolean): Promise<string | undefined> {
  try {
    const result = await call(...given);
    if (typeof (result as { close?: unknown } | null)?.close === 'function') await (result as { close: Call }).close();
    const found = result as { outcome?: unknown; verdict?: { outcome?: unknown } } | null | undefined;
    return !mayAccept && [found?.outcome, found?.verdict?.outcome].includes('accept') ? 'accept' : undefined;
  } catch (error) {
    if (!(error instanceof api.VerdictError)) return `${(error as Error)?.stack ?? error}`;
    return error.message.includes('canary') ? `a message repeats an error: ${error.message}` : undefined;
  }
}

it.each(FUNCTIONS)('%s refuses rubbish with a VerdictError', async (name, call) => {
  const problems: string[] = [];
  for (const [at, rubbish] of RUBBISH.entries()) {
    const problem = await problemOf(call, Array(5).fill(rubbish), false);
    if (problem !== undefined) problems.push(`only rubbish ${at}: ${problem}`);
    for (const [i] of usableFor(name).entries()) {
      const given = usableFor(name).with(i, rubbish);
      const one = await problemOf(call, given, rubbish === undefined);
      if (one !== undefined) problems.push(`argument ${i} rubbish ${at}: ${one}`);
    }
  }
  expect(problems).toEqual([]);
});

it.each(['11/20/2026', '20 Nov 2026', '', 'today', '2026-11-31', '2026-11-20T10:00Z', new Date(), undefined])(
  'the day %s is refused by every runner',
  async (day) => {
    const given = day as string;
    // Not asked before: a matcher remembers the last day that it checked.
    const matcher = api.compile(policy);
    const refused = expect.objectContaining({ code: 'REQUEST_INVALID', message: expect.stringContaining('the day') });
    expect(() => api.readFacts(new Map(), policy.facts, given)).toThrow(refused);
    expect(() => matcher.outcome(facts, given)).toThrow(refused);
    expect(() => matcher.verdict(facts, given)).toThrow(refused);
    expect(() => matcher.batch({ rows: 1, columns: new Map() }, given)).toThrow(refused);
    await expect(api.runLive(policy, source, given)).rejects.toEqual(refused);
    await expect(api.explain(policy, facts, given)).rejects.toEqual(refused);
  },
);
