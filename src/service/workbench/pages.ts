/** The table of pages: what people open in a browser, and what their forms do. */

import * as z from 'zod';
import { dayOfInstant } from '../../facts/day.ts';
import { recordedTest } from '../../lab/cases/recorded-test.ts';
import { commentedLines } from '../../lab/cases/test-yaml.ts';
import { writePage } from '../../report/html/document.ts';
import { p } from '../../report/html/markup.ts';
import { codeValue } from '../../report/html/parts/phrases.ts';
import { toJson } from '../../text.ts';
import type { Caller, Role } from '../auth/roles.ts';
import { maySearchPeople } from '../auth/see.ts';
import { displayOf } from '../auth/sessions.ts';
import {
  openCase,
  pageOfCases,
  reassignCase,
  releaseCase,
  renewCase,
  resolveCase,
  takeCase,
} from '../handlers/cases.ts';
import {
  compareReplay,
  findVisible,
  indexedOf,
  noteDecision,
  openBody,
  recordTaken,
  revealDecision,
  searchDecisions,
} from '../handlers/records.ts';
import { ProblemError, problemOf } from '../problem.ts';
import type { Service } from '../service.ts';
import type { PageAnswer, PageRequest, PageRoute } from './page.ts';
import { caseData, comparisonData, homeData, inForce, policyData, queueStates, seeRecord } from './page-data.ts';
import { casePage, type Draft, REASONS, reasonWords } from './pages/case-page.ts';
import { comparisonPage } from './pages/comparison-page.ts';
import { decisionsPage, FILTERS, type Filters, recordedPage } from './pages/decisions-page.ts';
import { homePage } from './pages/home-page.ts';
import { policiesPage, policyPage } from './pages/policy-pages.ts';
import { queuePage } from './pages/queue-page.ts';
import { isSubject, languagePage } from './pages/reference-page.ts';
import type { Section } from './parts/frame.ts';

const READERS = ['read', 'review', 'audit'] as const satisfies readonly Role[];
const OF_QUEUE = ['review', 'approve', 'audit'] as const satisfies readonly Role[];
const OF_POLICIES = ['read', 'edit', 'approve', 'audit'] as const satisfies readonly Role[];

const SECTIONS: readonly (Section & { readonly roles?: readonly Role[] })[] = [
  { path: '/', name: 'Home', key: 'h' },
  { path: '/queue', name: 'Queue', key: 'q', roles: OF_QUEUE },
  { path: '/decisions', name: 'Decisions', key: 'd', roles: READERS },
  { path: '/policies', name: 'Policies', key: 'p', roles: OF_POLICIES },
  { path: '/reference/facts', name: 'Reference', key: 'r' },
];

/** The sections that a person's roles open. */
export function sectionsOf({ roles }: Caller): readonly Section[] {
  return SECTIONS.filter(
    (section) => section.roles === undefined || section.roles.some((role) => roles.includes(role)),
  );
}

/** The path of the section that a page is in, by the first step of its own. */
export function sectionOf(path: string): string {
  const first = `/${path.split('/')[1]}`;
  return ELSEWHERE[first] ?? first;
}

const ELSEWHERE: Readonly<Record<string, string>> = { '/cases': '/queue', '/reference': '/reference/facts' };

const text = z.string().max(2000);
const line = z.string().max(200);
const token = z.coerce.number<string>().int().nonnegative();
const why = z.strictObject({ why: text });

/** A page of a table that goes on has this many rows. */
const ROWS = 50;

export const PAGES: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/',
    handle: async ({ person }, service) => {
      const sections = sectionsOf(person).map(({ path }) => path);
      return { page: homePage(await homeData(service), sections) };
    },
  },
  {
    method: 'GET',
    path: '/queue',
    roles: OF_QUEUE,
    query: z.strictObject({ after: line }).partial(),
    handle: showQueue,
  },
  {
    method: 'POST',
    path: '/queue/take',
    roles: ['review'],
    form: z.strictObject({ queue: line }).partial(),
    handle: async ({ form, person }, service) => {
      const taken = await takeCase(form, person, service);
      return taken ? { to: `/cases/${taken.id}` } : { to: '/queue', done: 'empty' };
    },
  },
  {
    method: 'GET',
    path: '/cases/{id}',
    roles: OF_QUEUE,
    handle: (request, service) => showCase(request, service),
  },
  {
    method: 'POST',
    path: '/cases/{id}/resolve',
    roles: ['review'],
    form: z.strictObject({
      token,
      disposition: z.enum(['approve', 'decline']),
      reason: z.enum([...Object.keys(REASONS), 'write']),
      text: text.optional(),
    }),
    handle: resolve,
  },
  {
    method: 'POST',
    path: '/cases/{id}/release',
    roles: ['review'],
    form: z.strictObject({ token, skip: z.literal('true').optional() }),
    handle: async ({ form, params, person }, service) => {
      const skip = form['skip'] !== undefined;
      await releaseCase(params['id'] ?? '', { token: Number(form['token']), skip }, person, service);
      return { to: '/queue', done: skip ? 'skipped' : 'released' };
    },
  },
  {
    method: 'POST',
    path: '/cases/{id}/renew',
    roles: ['review'],
    form: z.strictObject({ token }),
    handle: async ({ form, params, person }, service) => {
      const { until = '' } = await renewCase(params['id'] ?? '', { token: Number(form['token']) }, person, service);
      return { data: { leftMs: Date.parse(until) - Date.now() } };
    },
  },
  {
    method: 'POST',
    path: '/cases/{id}/reassign',
    roles: ['approve'],
    form: z.strictObject({ to: line, why: text }),
    handle: async ({ form, params, person }, service) => {
      await reassignCase(params['id'] ?? '', { to: form['to'] ?? '', why: form['why'] ?? '' }, person, service);
      return { to: `/cases/${params['id']}`, done: 'reassigned' };
    },
  },
  {
    method: 'POST',
    path: '/cases/{id}/reveal',
    roles: ['review', 'audit'],
    form: why,
    handle: async (request, service) => {
      const { decision } = await findCase(request.params['id'] ?? '', service);
      await revealDecision(decision, request.form['why'] ?? '', request.person, service);
      return showCase(request, service, { isRevealed: true });
    },
  },
  {
    method: 'GET',
    path: '/decisions',
    roles: READERS,
    query: z.strictObject(Object.fromEntries([...FILTERS, 'after'].map((name) => [name, line]))).partial(),
    handle: listDecisions,
  },
  {
    method: 'POST',
    path: '/decisions/find',
    roles: READERS,
    form: z.strictObject({ by: z.enum(['reference', 'id', 'phoneNo', 'email', 'ip']), text: line }),
    handle: findDecisions,
  },
  {
    method: 'GET',
    path: '/decisions/{id}',
    roles: READERS,
    handle: (request, service) => showDecision(request, service),
  },
  {
    method: 'POST',
    path: '/decisions/{id}/replay',
    roles: ['audit'],
    form: z.strictObject({}),
    handle: (request, service) => showDecision(request, service, { isReplayed: true }),
  },
  {
    method: 'POST',
    path: '/decisions/{id}/reveal',
    roles: ['review', 'audit'],
    form: why,
    handle: async (request, service) => {
      await revealDecision(request.params['id'] ?? '', request.form['why'] ?? '', request.person, service);
      return showDecision(request, service, { isRevealed: true });
    },
  },
  {
    method: 'POST',
    path: '/decisions/{id}/note',
    roles: ['review'],
    form: z.strictObject({ disposition: z.enum(['approve', 'decline', 'fraud', 'genuine']), why: text }),
    handle: async ({ form, params, person }, service) => {
      await noteDecision(params['id'] ?? '', form as unknown as Parameters<typeof noteDecision>[1], person, service);
      return { to: `/decisions/${params['id']}`, done: 'noted' };
    },
  },
  {
    method: 'POST',
    path: '/decisions/{id}/open',
    roles: ['review'],
    form: z.strictObject({ kind: z.enum(['challenge', 'recheck']), why: text }),
    handle: async ({ form, params, person }, service) => {
      const given = { ...form, decision: params['id'] } as Parameters<typeof openCase>[0];
      const { id } = await openCase(given, person, service);
      return { to: `/cases/${id}`, done: 'opened' };
    },
  },
  { method: 'GET', path: '/decisions/{id}/test', roles: ['audit'], handle: makeTest },
  { method: 'GET', path: '/decisions/{id}/pack', roles: ['read', 'audit'], handle: makePack },
  {
    method: 'GET',
    path: '/policies',
    roles: OF_POLICIES,
    handle: (_request, service) => ({ page: policiesPage(inForce(service)) }),
  },
  {
    method: 'GET',
    path: '/policies/{name}',
    roles: OF_POLICIES,
    query: z.strictObject({ fact: line, then: line, owner: line, tag: line, fired: z.enum(['yes', 'no']) }).partial(),
    handle: async ({ params, query, person }, service) => ({
      page: policyPage(await policyData(params['name'] ?? '', query, person, service)),
    }),
  },
  {
    method: 'GET',
    path: '/policies/{name}/compare',
    roles: OF_POLICIES,
    query: z.strictObject({ old: line, now: line }),
    handle: async ({ params, query, person }, service) => {
      const versions = query as { readonly old: string; readonly now: string };
      return { page: comparisonPage(await comparisonData(params['name'] ?? '', versions, person, service)) };
    },
  },
  {
    method: 'GET',
    path: '/reference/{subject}',
    handle: ({ params: { subject = '' } }) => {
      if (!isSubject(subject)) throw new ProblemError('NOT_FOUND');
      return { page: languagePage(subject) };
    },
  },
];

async function showQueue({ person, reader, query }: PageRequest, service: Service): Promise<PageAnswer> {
  const { cases } = indexedOf(service);
  const now = Date.now();
  const waiting = { states: ['open', 'resolving'], limit: ROWS, after: query['after'] } as const;
  const { page, next } = await pageOfCases(waiting, service);
  const more = next && `/queue?after=${next}`;
  const data = { now, cases: page, more, nameOf: displayOf, mayTake: person.roles.includes('review') };
  return {
    page: queuePage({ ...data, queues: await queueStates(service), mine: await cases.held(person.name) }, reader),
  };
}

async function findCase(id: string, service: Service) {
  const found = await indexedOf(service).cases.get(id);
  if (!found) throw new ProblemError('NOT_FOUND');
  return found;
}

async function showCase(
  { params, person, reader }: Pick<PageRequest, 'params' | 'person' | 'reader'>,
  service: Service,
  more: { readonly isRevealed?: boolean; readonly draft?: Draft } = {},
): Promise<Extract<PageAnswer, { readonly page: unknown }>> {
  const data = await caseData(await findCase(params['id'] ?? '', service), person, service, more);
  return { page: casePage(data, reader) };
}

/** Who lost the case keeps what they wrote. */
async function resolve(request: PageRequest, service: Service): Promise<PageAnswer> {
  const { form, params, person } = request;
  const { reason = '', text: words = '', disposition } = form;
  const whole = [reasonWords(reason), words].filter((each) => each !== '').join(': ');
  const draft = { disposition, reason, text: words };
  if (whole === '') {
    const problem = 'Write why in your own words, or choose another reason: nothing was recorded.';
    return { ...(await showCase(request, service, { draft: { ...draft, problem } })), status: 400 };
  }
  try {
    const resolution = { token: Number(form['token']), disposition: disposition as 'approve' | 'decline', why: whole };
    await resolveCase(params['id'] ?? '', resolution, person, service);
  } catch (error) {
    const isLost = error instanceof ProblemError && ['LEASE_LOST', 'ALREADY_RESOLVED'].includes(error.problem.code);
    if (!isLost) throw error;
    return { ...(await showCase(request, service, { draft })), status: error.problem.status };
  }
  const next = await takeCase({}, person, service);
  return { to: next ? `/cases/${next.id}` : '/queue', done: 'resolved' };
}

async function listDecisions({ person, reader, query }: PageRequest, service: Service): Promise<PageAnswer> {
  const { after: _, ...filters } = query;
  const search = { ...query, limit: ROWS, count: true } as Parameters<typeof searchDecisions>[0];
  const mayFindPeople = maySearchPeople(person);
  const shown = { filters: filters as Filters, mayFindPeople };
  try {
    const { decisions, total, next } = await searchDecisions(search, person, service);
    const more = next === undefined ? undefined : `/decisions?${new URLSearchParams({ ...filters, after: next })}`;
    return { page: decisionsPage({ ...shown, rows: decisions, total, more }, reader) };
  } catch (error) {
    const { status, code, detail } = problemOf(error).problem;
    if (code !== 'REQUEST_INVALID') throw error;
    // The form keeps what was typed.
    const problem = detail ?? 'The filters are not valid.';
    return { page: decisionsPage({ ...shown, rows: [], total: undefined, more: undefined, problem }, reader), status };
  }
}

/** One decision is opened at once. */
async function findDecisions({ person, reader, form }: PageRequest, service: Service): Promise<PageAnswer> {
  const { by = 'reference', text: sought = '' } = form;
  if (by === 'id') return { to: `/decisions/${encodeURIComponent(sought.trim().toLowerCase())}` };
  const search = by === 'reference' ? { reference: sought.trim() } : { subject: sought };
  const { decisions } = await searchDecisions({ ...search, limit: ROWS }, person, service);
  const [found, ...more] = decisions;
  if (found && more.length === 0) return { to: `/decisions/${found.id}` };
  const words = by === 'reference' ? 'this reference' : 'this person';
  const data = { filters: {}, rows: decisions, total: undefined, more: undefined, found: words };
  return { page: decisionsPage({ ...data, mayFindPeople: maySearchPeople(person) }, reader) };
}

async function showDecision(
  { params, person, reader }: PageRequest,
  service: Service,
  more: { readonly isRevealed?: boolean; readonly isReplayed?: boolean } = {},
): Promise<PageAnswer> {
  const id = params['id'] ?? '';
  const { shown, page, personal } = await seeRecord(id, person, service, more);
  const again = more.isReplayed ? shown.explanation : undefined;
  if (more.isReplayed && !again) throw new ProblemError('GONE');
  const one = await indexedOf(service).cases.get(id);
  const has = (...roles: readonly Role[]) => roles.some((role) => person.roles.includes(role));
  const may = { replay: has('audit'), note: has('review'), pack: has('read', 'audit') };
  const data = {
    ...{ id, decision: page, personal, may, isReadable: !shown.unreadable },
    case: one && one.state !== 'resolved' && has(...OF_QUEUE) ? id : undefined,
    ...(again ? { replay: compareReplay(openBody(shown.record).decision, again) } : {}),
  };
  return { page: recordedPage(data, reader) };
}

async function makeTest({ params, person }: PageRequest, service: Service): Promise<PageAnswer> {
  const { record } = await findVisible(params['id'] ?? '', person, service);
  const body = openBody(record);
  const test = recordedTest(body);
  if ('problem' in test) throw new ProblemError('REQUEST_INVALID', `no test was made: ${test.problem}`);
  await recordTaken(record, 'test', person, service);
  return {
    file: `test-${body.day}.test.yaml`,
    type: 'text/plain; charset=utf-8',
    text: `${commentedLines([{ test }]).join('\n')}\n`,
  };
}

/** The page of the record, with its line and the check of its segment, in one file that loads nothing. */
async function makePack({ params, person }: PageRequest, service: Service): Promise<PageAnswer> {
  const id = params['id'] ?? '';
  const { shown, page } = await seeRecord(id, person, service, { checkSegment: true });
  await recordTaken(shown.record, 'pack', person, service);
  const { sealed: _, plain: __, key: ___, reference: ____, subjects: _____, ...clear } = shown.record.record;
  const line = {
    id: 'line',
    title: 'The record in clear',
    content: [
      p('What the log does not encrypt of it, and its place: '),
      p(codeValue(toJson({ ...clear, ...shown.record.position }))),
    ],
  };
  const made = p(`Made on ${dayOfInstant(Date.now())} for ${person.display}.`);
  const text = writePage({ ...page, head: [page.head, made], parts: [...page.parts, line] });
  return { file: `decision-${id}.html`, type: 'text/html; charset=utf-8', text };
}
