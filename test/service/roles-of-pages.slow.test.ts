/** Every page and every route of records as every role: what a role may not see is in no byte of a response. */

import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { addKey } from '../../src/service/auth/keys.ts';
import { ROLES, type Role } from '../../src/service/auth/roles.ts';
import { ROUTES } from '../../src/service/routes.ts';
import { PAGES } from '../../src/service/workbench/pages.ts';
import { IS_SOAK } from '../support/sampled.ts';
import {
  editMarkedRules,
  type Kind,
  kindsIn,
  MARKED_NAME,
  markedRequest,
  markedRules,
  markedWords,
} from '../support/service/workbench/marked.ts';
import {
  PEOPLE,
  startWorkbench,
  type TestWorkbench,
  type Visited,
  type Visitor,
  type Who,
} from '../support/service/workbench/visitor.ts';

const DECISIONS = 7;

const WHY = 'The applicant is on the phone.';

/** A request: of each `{name}` of a path, what stands there; of a GET its query, of a POST its form or body. */
interface Given {
  readonly id?: string;
  readonly name?: string;
  readonly subject?: string;
  readonly number?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes requests of a route that are about a decision. */
type Make = (decision: string, n: number) => readonly Given[];

const aboutIt =
  (...fields: readonly Given['fields'][]): Make =>
  (id) =>
    fields.map((each = {}) => ({ id, fields: each }));

/** The words of a search for the applicant of a decision. */
const identities = (n: number) =>
  Object.entries(markedRequest(n).applicant).map(([by, text]) => ({ by, text: String(text) }));

/** What the pages are asked, by route. A page that is not here fails the test. */
const PAGE_REQUESTS: Readonly<Record<string, Make>> = {
  'GET /': () => [{}],
  'GET /queue': () => [
    {},
    { fields: { after: 'x' } },
    { fields: { sort: 'score', situation: 'free' } },
    { fields: { 'context.branch': 'x' } },
  ],
  'POST /queue/take': () => [{}, { fields: { queue: 'default' } }, { fields: { queue: 'none' } }],
  'GET /cases/{id}': aboutIt({}),
  'POST /cases/{id}/resolve': aboutIt(
    { token: '1', disposition: 'approve', reason: 'Identity document seen' },
    { token: '7', disposition: 'decline', why: WHY },
    { token: '1' },
  ),
  'POST /queue/ask-again': () => [{ fields: { queue: 'default', why: WHY } }],
  'POST /cases/{id}/take': aboutIt({}),
  'POST /cases/{id}/together': aboutIt({ disposition: 'decline', why: WHY }),
  'POST /cases/{id}/hold': aboutIt({ token: '1', until: '2020-01-01', why: WHY }),
  'POST /cases/{id}/ask': aboutIt({ token: '1', code: 'none' }),
  'POST /cases/{id}/escalate': aboutIt({ token: '1', queue: 'none', why: WHY }),
  'POST /cases/{id}/release': aboutIt({ token: '1' }, { token: '1', skip: 'true' }),
  'POST /cases/{id}/renew': aboutIt({ token: '1' }, { token: '2' }),
  'POST /cases/{id}/reassign': aboutIt({ to: PEOPLE.raj.name, why: WHY }),
  'POST /cases/{id}/reveal': aboutIt({ why: WHY }, {}),
  'GET /decisions': (_id, n) => [
    {},
    { fields: { outcome: 'review' } },
    { fields: { rule: 'blocked', from: '2020-01-01' } },
    { fields: { outcome: 'x' } },
    { fields: { policy: `marked@${n}`, undetermined: '*' } },
  ],
  'POST /decisions/find': (id, n) => [
    { fields: { by: 'id', text: id } },
    { fields: { by: 'reference', text: markedRequest(n).reference } },
    ...identities(n).map((fields) => ({ fields })),
  ],
  'GET /decisions/{id}': aboutIt({}, { done: 'noted' }),
  'POST /decisions/{id}/replay': aboutIt({}),
  'POST /decisions/{id}/reveal': aboutIt({ why: WHY }, {}),
  'POST /decisions/{id}/note': aboutIt({ disposition: 'genuine', why: WHY }, { disposition: 'approve', why: WHY }),
  'POST /decisions/{id}/open': aboutIt({ kind: 'recheck', why: WHY }),
  'GET /decisions/{id}/test': aboutIt({}),
  'GET /decisions/{id}/pack': aboutIt({}),
  'GET /policies': () => [{}],
  'GET /policies/{name}': () => [
    { name: 'marked' },
    { name: 'marked', fields: { fact: 'applicant.email' } },
    { name: 'marked', fields: { then: 'reject', owner: 'x' } },
    { name: 'none' },
  ],
  'GET /policies/{name}/rules/{id}': () => [
    { name: 'marked', id: 'blocked' },
    { name: 'marked', id: 'none' },
    { name: 'none', id: 'blocked' },
  ],
  'GET /policies/{name}/compare': () => [
    { name: 'marked', fields: { old: '1', now: '2' } },
    { name: 'marked', fields: { old: '2', now: '1' } },
    { name: 'marked', fields: { old: '1', now: '3' } },
    { name: 'none', fields: { old: '1', now: '2' } },
  ],
  'GET /reference/{subject}': () => ['facts', 'operators', 'checks', 'none'].map((subject) => ({ subject })),
  'GET /today': () => [{}],
  // Those of a service with releases are in release-pages.
  'GET /releases': () => [{}],
  'GET /releases/{number}': () => [{ number: '1' }],
  'POST /releases/{number}/evidence': () => [{ number: '1' }],
  'POST /releases/{number}/watch': () => [{ number: '1' }],
  'POST /releases/{number}/say': () => [{ number: '1', fields: { verdict: 'approve', read: 'yes' } }],
  'POST /releases/{number}/activate': () => [{ number: '1' }],
  'POST /releases/{number}/restore': () => [{ number: '1' }],
  'POST /releases/{number}/change': () => [{ number: '1' }],
  'GET /changes/{id}': () => [{ id: '0a1b2c3d' }],
  'GET /changes/{id}/words': () => [{ id: '0a1b2c3d' }],
  'POST /changes/{id}/edit': () => [{ id: '0a1b2c3d', fields: { file: 'marked.yaml', version: '1', do: 'check' } }],
  'POST /changes/{id}/discard': () => [{ id: '0a1b2c3d', fields: { version: '1' } }],
  'POST /decisions/{id}/list': (id) => [{ id, fields: { entry: 'applicant.email blocked', why: WHY } }],
};

/** The same of the API. */
const API_REQUESTS: Readonly<Record<string, Make>> = {
  'GET /v1/decisions': () => [{}, { fields: { outcome: 'review', count: 'true' } }],
  'POST /v1/decisions/search': (_id, n) => [
    { fields: { reference: markedRequest(n).reference } },
    ...identities(n).map(({ text }) => ({ fields: { subject: text } })),
  ],
  'GET /v1/decisions/{id}': (id) => [{ id }, { id, headers: { accept: 'text/html' } }],
  'GET /v1/decisions/{id}/explanation': aboutIt({}, { to: 'reject' }, { to: 'review' }),
  'POST /v1/decisions/{id}/replay': aboutIt(undefined),
  'POST /v1/decisions/{id}/notes': aboutIt({ disposition: 'genuine', why: WHY }, { disposition: 'approve', why: WHY }),
  'POST /v1/decisions/{id}/reveal': aboutIt({ why: WHY }, {}),
  'POST /v1/labels': (id, n) => [
    { fields: { labels: [{ id, label: 'fraud', at: '2026-12-01' }] } },
    { fields: { labels: [{ reference: markedRequest(n).reference, label: 'genuine', at: '2026-12-01' }] } },
  ],
  'GET /v1/events': () => [{}],
  'GET /v1/cases': () => [{}, { fields: { state: 'open' } }],
  'POST /v1/cases': (decision) => [{ fields: { decision, kind: 'challenge', why: WHY } }],
  'POST /v1/cases/take': () => [{}],
  'POST /v1/cases/ask-again': () => [{ fields: { queue: 'default', why: WHY } }],
  'POST /v1/cases/{id}/take': aboutIt(undefined),
  'POST /v1/cases/{id}/hold': aboutIt({ token: 1, until: '2020-01-01', why: WHY }),
  'POST /v1/cases/{id}/ask': aboutIt({ token: 1, code: 'none' }),
  'POST /v1/cases/{id}/answer': aboutIt({ text: WHY }),
  'POST /v1/cases/{id}/escalate': aboutIt({ token: 1, queue: 'none', why: WHY }),
  'POST /v1/cases/{id}/renew': aboutIt({ token: 1 }),
  'POST /v1/cases/{id}/release': aboutIt({ token: 1 }),
  'POST /v1/cases/{id}/reassign': aboutIt({ to: PEOPLE.raj.name, why: WHY }),
  'POST /v1/cases/{id}/resolve': aboutIt({ token: 1, disposition: 'approve', why: WHY }),
  'GET /v1/policies': () => [{}],
  'GET /v1/policies/{name}': () => [{ name: 'marked' }],
  'POST /v1/evaluations': () => [{ fields: { policy: 'marked', applicants: [FACTS] } }],
  'POST /v1/explanations': () => [{ fields: { policy: 'marked', ...FACTS } }],
};

/** Facts in hand, in which nothing is marked: what is marked in an answer is the policy's. */
const FACTS = { facts: { 'applicant.email': 'a@plover.example', 'context.nationalId': 'none', 'context.limit': 3 } };

/** Routes that show nothing on record: what is in their answers, their caller has just sent. */
const OF_CALLER = [
  'POST /v1/decisions',
  'POST /v1/decisions/batch',
  'POST /v1/checks/applicant',
  'GET /openapi.json',
  'GET /reference',
  'GET /problems/{code}',
];

/** What a role sees anywhere; the names and words of reviewers also who holds the case. */
const SEES: Readonly<Record<Role, readonly Kind[]>> = {
  decide: [],
  read: ['value'],
  review: ['value'],
  edit: ['list', 'text'],
  approve: [],
  tighten: [],
  audit: ['value', 'list', 'text', 'words'],
};

/** What a person sees in all pages together, beside revealed facts. */
const SEEN_ON_PAGES: Readonly<Record<Who, readonly Kind[]>> = {
  reader: ['value'],
  rita: ['value', 'words'],
  raj: ['value', 'words'],
  editor: ['list', 'text'],
  tess: ['value'],
  approver: [],
  otto: ['list', 'text', 'value', 'words'],
  lead: ['list', 'text', 'value', 'words'],
};

/**
 * The same of keys of one role. Of a policy, the API has only what rules compare with, for those who edit them, and
 * entries of lists among what would lead to another outcome.
 */
const SEEN_IN_API: Readonly<Record<Role, readonly Kind[]>> = {
  ...SEES,
  edit: ['list'],
  review: ['value', 'words'],
  audit: ['list', 'value', 'words'],
};

let workbench: TestWorkbench;
let decisions: readonly string[];
const visitors = new Map<Who, Visitor>();
const keys = new Map<Role, string>();

const ends: (() => Promise<void>)[] = [];
let ready: Promise<void> | undefined;

afterAll(async () => {
  for (const end of ends) await end();
});

/** Starts the service in the first test that needs it. */
function started(): Promise<void> {
  ready ??= start();
  return ready;
}

async function start(): Promise<void> {
  const rules = markedRules();
  workbench = await startWorkbench({
    rules,
    policies: '{ marked: marked.yaml }',
    more: 'queues: [{ name: default, within: 1 day, show: [context.branch] }]',
    atEnd: (end) => void ends.unshift(end),
  });
  const { ask, folder } = workbench;
  const add = (name: string, roles: readonly Role[]) => addKey(join(folder, 'keys.json'), { name, roles });
  for (const role of ROLES) keys.set(role, await add(`only-${role}`, [role]));
  const writer = await add(MARKED_NAME, ['review', 'audit', 'approve']);
  const made = [];
  for (let n = 0; n < DECISIONS; n++)
    made.push(String((await ask('POST', '/v1/decisions', markedRequest(n))).body['id']));
  decisions = made;
  const casesOf = async () => (await ask('GET', '/v1/cases?limit=200', undefined, { key: writer })).text;
  await expect.poll(casesOf).toContain(made.at(-1));
  for (const [n, id] of made.entries()) {
    const why = markedWords(n);
    const send = (path: string, body: object) => ask('POST', path, body, { key: writer });
    await send(`/v1/decisions/${id}/notes`, { disposition: 'genuine', why });
    await send(`/v1/decisions/${id}/reveal`, { why });
    if (n % 3 === 0) await send('/v1/cases', { decision: id, kind: 'challenge', why });
  }
  ownDigests();
  editMarkedRules(rules);
  await expect.poll(() => workbench.service.policies.get('marked')?.watched.policy.version).toBe('2');
  expect((await ask('POST', '/v1/decisions', markedRequest(DECISIONS))).body).toMatchObject({
    policy: { version: '2' },
  });
  for (const who of Object.keys(PEOPLE) as Who[]) visitors.set(who, await workbench.enter(who));
  const given = { to: PEOPLE.raj.name, why: WHY };
  await ask('POST', `/v1/cases/${made[6]}/reassign`, given, { key: writer });
  for (const who of ['rita', 'raj', 'lead'] as const) await visitors.get(who)?.post('/queue/take');
  await ask('POST', '/v1/cases/take', {}, { key: keys.get('review') });
}

/** With a policy's own digest and the rest of it, anyone could try whom it names. */
const digests = new Set<string>();

function ownDigests(): readonly string[] {
  const policy = workbench.service.policies.get('marked')?.watched.policy;
  return [...digests.add(policy?.digest ?? '')].map((digest) => digest.replace('sha256:', ''));
}

/** The decisions of which somebody holds a case. */
async function heldBy(name: string): Promise<readonly string[]> {
  return ((await workbench.service.records?.cases.held(name)) ?? []).map(({ decision }) => decision);
}

/** The decision that a request is about, which may be named by its case. */
async function decisionOf(id = ''): Promise<string> {
  return (await workbench.service.records?.cases.get(id))?.decision ?? id;
}

function pathOf(path: string, { id = '', name = '', subject = '' }: Given): string {
  return path.replace('{id}', id).replace('{name}', name).replace('{subject}', subject);
}

/** All that was sent, without what the sender wrote. */
function bytesOf({ headers, text }: Visited, given: Given): string {
  const all = `${[...headers].map((each) => each.join(': ')).join('\n')}\n${text}`;
  const sent = Object.values(given.fields ?? {}).filter((each) => typeof each === 'string' && each.length > 3);
  return sent.reduce<string>((left, each) => left.replaceAll(String(each), ''), all);
}

interface Pair {
  readonly caller: { readonly name: string; readonly roles: readonly Role[] };
  readonly route: string;
  readonly given: Given;
  readonly send: () => Promise<Visited>;
}

/** Sends a request, and holds its response to section 4 of the design; returns what was seen. */
async function look({ caller: { name, roles }, route, given, send }: Pair): Promise<readonly Kind[]> {
  const isReviewer = roles.includes('review');
  const held = async () => (isReviewer ? heldBy(name) : []);
  const before = await held();
  const decision = isReviewer ? await decisionOf(given.id) : '';
  const answer = await send();
  const holds = isReviewer && ([...before, ...(await held())].includes(decision) || route.endsWith('/take'));
  const mayReveal = route.endsWith('/reveal') && (holds || roles.includes('audit'));
  const may = new Set<Kind>(roles.flatMap((role) => SEES[role]));
  if (holds) may.add('words');
  // A person of whom a list has an entry is the applicant too.
  if (mayReveal) for (const each of ['personal', 'list'] as const) may.add(each);
  const bytes = bytesOf(answer, given);
  const kinds = kindsIn(bytes);
  expect(ownDigests().filter((digest) => bytes.includes(digest))).toEqual([]);
  const forbidden = kinds.filter((kind) => !may.has(kind));
  expect(forbidden, `${route} as ${roles}: ${answer.status} ${JSON.stringify(given)}`).toEqual([]);
  expect(answer.status, `${route} as ${roles}`).toBeLessThan(500);
  if (mayReveal && answer.status === 200) expect(kinds).toContain('personal');
  return kinds.filter((kind) => kind !== 'personal' && !route.endsWith('/reveal'));
}

function pageOf(who: Who, route: string, given: Given): Pair {
  const [method = '', path = ''] = route.split(' ');
  const visitor = visitors.get(who) as Visitor;
  const fields = (given.fields ?? {}) as Record<string, string>;
  const query = new URLSearchParams(fields).toString();
  const to = pathOf(path, given);
  const send = async () => {
    if (method === 'GET') return visitor.get(query === '' ? to : `${to}?${query}`);
    return visitor.post(to, fields);
  };
  return { caller: PEOPLE[who], route, given, send };
}

function answerOf(role: Role, route: string, given: Given): Pair {
  const [method = '', path = ''] = route.split(' ');
  const { fields = {}, headers = {} } = given;
  const query = new URLSearchParams(fields as Record<string, string>).toString();
  const to = pathOf(path, given);
  const hasBody = ROUTES.some((each) => each.method === method && each.path === path && each.body);
  const send = () =>
    method === 'GET'
      ? workbench.ask(method, query === '' ? to : `${to}?${query}`, undefined, { key: keys.get(role), headers })
      : workbench.ask(method, to, hasBody ? fields : undefined, { key: keys.get(role) });
  return { caller: { name: `only-${role}`, roles: [role] }, route, given, send };
}

const routes = (table: readonly { readonly method: string; readonly path: string }[]) =>
  table.map(({ method, path }) => `${method} ${path}`);

test('the tables of pages and of the API have no route that is not asked here', () => {
  expect(Object.keys(PAGE_REQUESTS).toSorted()).toEqual(routes(PAGES).toSorted());
  expect([...Object.keys(API_REQUESTS), ...OF_CALLER].toSorted()).toEqual(routes(ROUTES).toSorted());
});

test('who has a case, those know whose queue it is', async () => {
  await started();
  const { ask } = workbench;
  const casesFor = async (role: Role) => (await ask('GET', '/v1/cases', undefined, { key: keys.get(role) })).text;
  expect(await casesFor('read')).not.toMatch(/"holder"|"until"|"token"/);
  for (const role of ['review', 'approve', 'audit'] as const)
    expect(await casesFor(role)).toContain('"holder":"only-review"');
});

test('who approves sees of a case that it waits, and gives it to somebody', async () => {
  await started();
  const { text = '', status } = { ...(await visitors.get('approver')?.get(`/cases/${decisions[0]}`)) };
  expect(status).toBe(200);
  expect(text).toContain(`/cases/${decisions[0]}/reassign`);
  expect(text).not.toMatch(/Applicant|applicant\.|href="\/decisions/);
});

/** The decisions that all are asked about: held by one or another, and one with facts that cannot be read. */
const SOME = [0, 6];

/** The requests of a table, each route about one of the decisions, for the next caller about the other. */
function requestsOf(
  table: Readonly<Record<string, Make>>,
  caller: number,
): readonly (readonly [route: string, given: Given])[] {
  return Object.entries(table).flatMap(([route, make], i) => {
    const n = SOME[(i + caller) % SOME.length] ?? 0;
    return make(decisions[n] ?? '', n).map((given) => [route, given] as const);
  });
}

describe('what a role may see is there, and nothing else', () => {
  const all = Object.keys(PEOPLE) as Who[];
  // Of the two who review, who hold one case each, the first looks every day.
  test.each(all.filter((who) => IS_SOAK || who !== 'raj'))('on pages as %s', async (who) => {
    await started();
    const seen = new Set<Kind>();
    for (const [route, given] of requestsOf(PAGE_REQUESTS, all.indexOf(who))) {
      for (const kind of await look(pageOf(who, route, given))) seen.add(kind);
    }
    expect([...seen].toSorted()).toEqual(SEEN_ON_PAGES[who]);
  });

  test.each(ROLES)('in answers to a key of the role %s', async (role) => {
    await started();
    const seen = new Set<Kind>();
    for (const [route, given] of requestsOf(API_REQUESTS, ROLES.indexOf(role))) {
      for (const kind of await look(answerOf(role, route, given))) seen.add(kind);
    }
    expect([...seen].toSorted()).toEqual(SEEN_IN_API[role]);
  });
});

test('neither a line nor a metric has the own digest of a policy', async () => {
  await started();
  const metrics = await (await fetch(`${workbench.adminUrl}/metrics`)).text();
  const lines = JSON.stringify(workbench.lines);
  expect(lines).toContain('policy.changed');
  const { policies } = (await workbench.ask('GET', '/v1/policies')).body;
  const [{ digest = '' } = {}] = policies as { digest: string }[];
  expect(lines).toContain(digest);
  expect(ownDigests()).toHaveLength(2);
  expect(ownDigests().filter((each) => `${lines}${metrics}`.includes(each))).toEqual([]);
});
