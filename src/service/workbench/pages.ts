/** The table of pages: what people open in a browser, and what their forms do. */

import * as z from 'zod';
import { ID } from '../../audit/entry/schema.ts';
import { readReferences } from '../../audit/query/read-references.ts';
import { dayOfInstant } from '../../facts/day.ts';
import { recordedTest } from '../../lab/cases/recorded-test.ts';
import { commentedLines } from '../../lab/cases/test-yaml.ts';
import { writePage } from '../../report/html/document.ts';
import { p } from '../../report/html/markup.ts';
import { codeValue } from '../../report/html/parts/phrases.ts';
import { toJson } from '../../text.ts';
import { type Caller, hasRole, OF_QUEUE, READERS, type Role } from '../auth/roles.ts';
import { maySearchPeople } from '../auth/see.ts';
import { displayOf, type Person } from '../auth/sessions.ts';
import { peopleOf, refusalOf } from '../handlers/cases.ts';
import { findVisible, inClear, indexedOf, openBody, recordTaken, searchDecisions } from '../handlers/records.ts';
import { ProblemError, problemOf } from '../problem.ts';
import { API } from '../routes.ts';
import { OPEN_REQUEST, type RESOLVE_REQUEST } from '../schemas.ts';
import type { Service } from '../service.ts';
import { caseData, seeRecord } from './data/case-data.ts';
import { caseHistory } from './data/case-history.ts';
import { decideTogether, TOGETHER_FORM } from './data/decide-together.ts';
import { homeData } from './data/home-data.ts';
import { checkKnown, knownNames } from './data/known.ts';
import { policyCards } from './data/policy-cards.ts';
import { comparisonData, policyData } from './data/policy-data.ts';
import { QUEUE_QUERY, queueData } from './data/queue-data.ts';
import { ruleData } from './data/rule-data.ts';
import { todayData } from './data/today-data.ts';
import { form, line, type PageAnswer, type PageRequest, type PageRoute, page, perform } from './page.ts';
import { casePage, type Draft } from './pages/case-page.ts';
import { comparisonPage } from './pages/comparison-page.ts';
import { decisionsPage, FILTERS, type Replay, recordedPage } from './pages/decisions-page.ts';
import { homePage } from './pages/home-page.ts';
import { policiesPage, policyPage, RULE_FILTERS } from './pages/policy-pages.ts';
import { queuePage } from './pages/queue-page.ts';
import { isSubject, languagePage } from './pages/reference-page.ts';
import { rulePage } from './pages/rule-page.ts';
import { todayPage } from './pages/today-page.ts';
import type { Section } from './parts/frame.ts';
import { stepsTable } from './parts/steps.ts';
import { OF_RELEASES, RELEASE_PAGES } from './release-routes.ts';
import { QUEUE } from './words/queue.ts';

const OF_PACKS = ['read', 'audit'] as const satisfies readonly Role[];
const OF_POLICIES = ['read', 'edit', 'approve', 'audit'] as const satisfies readonly Role[];

const SECTIONS: readonly (Section & { readonly roles?: readonly Role[] })[] = [
  { path: '/', name: 'Home', key: 'h' },
  { path: '/queue', name: 'Queue', key: 'q', roles: OF_QUEUE },
  { path: '/decisions', name: 'Decisions', key: 'd', roles: READERS },
  { path: '/policies', name: 'Policies', key: 'p', roles: OF_POLICIES },
  { path: '/releases', name: 'Releases', key: 'c', roles: OF_RELEASES },
  { path: '/reference/facts', name: 'Reference', key: 'r' },
];

/** The sections that a person's roles open, of those that the service has. */
export function sectionsOf(person: Caller, { released }: Pick<Service, 'released'>): readonly Section[] {
  return SECTIONS.filter(({ path, roles }) => hasRole(person, roles) && (released || path !== '/releases'));
}

/** The same with what waits there: cases that are overdue. */
export async function sectionsWithBadges(person: Caller, service: Service): Promise<readonly Section[]> {
  const { records } = service;
  const overdue = records && hasRole(person, OF_QUEUE) ? await records.cases.overdue() : 0;
  const badge = overdue === 0 ? {} : { badge: QUEUE.overdue(overdue) };
  return sectionsOf(person, service).map((each) => (each.path === '/queue' ? { ...each, ...badge } : each));
}

/** The path of the section that a page is in, by the first step of its own. */
export function sectionOf(path: string): string {
  const first = `/${path.split('/')[1]}`;
  return ELSEWHERE[first] ?? first;
}

const ELSEWHERE: Readonly<Record<string, string>> = {
  '/cases': '/queue',
  '/changes': '/releases',
  '/today': '/',
  '/reference': '/reference/facts',
};

/** A page of a table that goes on has so many rows; of one code so many rules are searched for. */
const [ROWS, MOST_RULES] = [50, 5];

const FILTERED = z.strictObject(Object.fromEntries([...FILTERS, 'after'].map((name) => [name, line]))).partial();
const OF_FIND = z.strictObject({ by: z.enum(['reference', 'id', 'phoneNo', 'email', 'ip']), text: line });

export const PAGES: readonly PageRoute[] = [
  page('GET', '/', {
    handle: async ({ person }, service) => {
      const sections = sectionsOf(person, service).map(({ path }) => path);
      return { page: homePage(await homeData(service), sections) };
    },
  }),
  page('GET', '/today', {
    roles: READERS,
    handle: async (_request, service) => ({ page: todayPage(await todayData(service)) }),
  }),
  page('GET', '/queue', { roles: OF_QUEUE, query: QUEUE_QUERY, handle: showQueue }),
  form('/queue/take', API.takeCase, (taken) =>
    taken ? { to: `/cases/${taken.id}` } : { to: '/queue', done: 'empty' },
  ),
  form('/queue/ask-again', API.askAgain, () => ({ to: '/queue', done: 'askedAgain' })),
  page('GET', '/cases/{id}', { roles: OF_QUEUE, handle: showCase }),
  page('POST', '/cases/{id}/resolve', { roles: API.resolveCase.roles, form: API.resolveCase.body, handle: resolve }),
  page('POST', '/cases/{id}/together', { roles: API.resolveCase.roles, form: TOGETHER_FORM, handle: decideTogether }),
  form('/cases/{id}/release', API.releaseCase, (_released, { form: { skip } }) => {
    return { to: '/queue', done: skip ? 'skipped' : 'released' };
  }),
  form('/cases/{id}/take', API.takeOne, ({ id }) => ({ to: `/cases/${id}` })),
  form('/cases/{id}/hold', API.holdCase, () => ({ to: '/queue', done: 'held' })),
  form('/cases/{id}/ask', API.askCase, () => ({ to: '/queue', done: 'asked' })),
  form('/cases/{id}/escalate', API.escalateCase, () => ({ to: '/queue', done: 'escalated' })),
  form('/cases/{id}/renew', API.renewCase, ({ until = '' }) => ({ data: { leftMs: Date.parse(until) - Date.now() } })),
  form('/cases/{id}/reassign', API.reassignCase, ({ id }) => ({ to: `/cases/${id}`, done: 'reassigned' })),
  page('POST', '/cases/{id}/reveal', {
    roles: API.revealDecision.roles,
    form: API.revealDecision.body,
    handle: async (request, service) => {
      const { decision } = await findCase(request.id, service);
      await perform(API.revealDecision, { ...request, id: decision }, service);
      return showCase(request, service, { isRevealed: true });
    },
  }),
  page('GET', '/decisions', { roles: READERS, query: FILTERED, handle: listDecisions }),
  page('POST', '/decisions/find', { roles: API.searchDecisions.roles, form: OF_FIND, handle: findDecisions }),
  page('GET', '/decisions/{id}', { roles: READERS, handle: showDecision }),
  form('/decisions/{id}/replay', API.replayDecision, (replay, request, service) =>
    showDecision(request, service, { replay }),
  ),
  form('/decisions/{id}/reveal', API.revealDecision, (_revealed, request, service) =>
    showDecision(request, service, { isRevealed: true }),
  ),
  form('/decisions/{id}/note', API.noteDecision, (_noted, { id }) => ({ to: `/decisions/${id}`, done: 'noted' })),
  page('POST', '/decisions/{id}/open', {
    roles: API.openCase.roles,
    form: OPEN_REQUEST.omit({ decision: true }),
    handle: async (request, service) => {
      const body = { ...request.form, decision: request.id };
      const { id } = await perform(API.openCase, { ...request, form: body }, service);
      return { to: `/cases/${id}`, done: 'opened' };
    },
  }),
  page('GET', '/decisions/{id}/test', { roles: ['audit'], handle: makeTest }),
  page('GET', '/decisions/{id}/pack', { roles: OF_PACKS, handle: makePack }),
  page('GET', '/policies', {
    roles: OF_POLICIES,
    handle: async (_request, service) => ({ page: policiesPage(await policyCards(service)) }),
  }),
  page('GET', '/policies/{name}', {
    roles: OF_POLICIES,
    query: RULE_FILTERS,
    handle: async ({ id, query, person }, service) => ({
      page: policyPage(await policyData(id, query, person, service)),
    }),
  }),
  page('GET', '/policies/{name}/rules/{id}', {
    roles: OF_POLICIES,
    handle: async ({ id, inner, person }, service) => ({ page: rulePage(await ruleData(id, inner, person, service)) }),
  }),
  page('GET', '/policies/{name}/compare', {
    roles: OF_POLICIES,
    query: z.strictObject({ old: line, now: line }),
    handle: async ({ id, query, person }, service) => ({
      page: comparisonPage(await comparisonData(id, query, person, service)),
    }),
  }),
  ...RELEASE_PAGES,
  page('GET', '/reference/{subject}', {
    handle: ({ id }) => {
      if (!isSubject(id)) throw new ProblemError('NOT_FOUND');
      return { page: languagePage(id) };
    },
  }),
];

async function showQueue(
  { person, reader, query }: PageRequest<typeof QUEUE_QUERY>,
  service: Service,
): Promise<PageAnswer> {
  return { page: queuePage(await queueData(query, person, service), reader) };
}

async function findCase(id: string, service: Service) {
  const found = await indexedOf(service).cases.get(id);
  if (!found) throw new ProblemError('NOT_FOUND');
  return found;
}

async function showCase(
  { id, person, reader }: PageRequest,
  service: Service,
  more: { readonly isRevealed?: boolean; readonly draft?: Draft } = {},
) {
  const found = await findCase(id, service);
  const takes = hasRole(person, API.takeCase.roles);
  const refusal = takes ? await refusalOf(found, person, service) : undefined;
  const may = { take: takes && refusal === undefined, refusal, recheck: hasRole(person, API.openCase.roles) };
  const people = hasRole(person, API.reassignCase.roles) ? await peopleOf(service) : [];
  const reviewers = people.map((name) => [name, displayOf(name)] as const);
  const data = await caseData(found, person, service, more);
  return { page: casePage({ ...data, may, reviewers }, reader) };
}

/** Who lost the case, or has to give another reason, keeps what they wrote. */
async function resolve(request: PageRequest<z.ZodType, typeof RESOLVE_REQUEST>, service: Service): Promise<PageAnswer> {
  try {
    await perform(API.resolveCase, request, service);
  } catch (error) {
    const { code, status, detail } = problemOf(error).problem;
    if (!['LEASE_LOST', 'ALREADY_RESOLVED', 'REQUEST_INVALID'].includes(code)) throw error;
    const { token: _, ...draft } = request.form;
    const problem = code === 'REQUEST_INVALID' ? { problem: `Nothing was recorded: ${detail}.` } : {};
    return { ...(await showCase(request, service, { draft: { ...draft, ...problem } })), status };
  }
  const next = await perform(API.takeCase, { ...request, form: {} }, service);
  return { to: next ? `/cases/${next.id}` : '/queue', done: request.form.disposition, about: request.id };
}

async function listDecisions(
  { person, reader, query }: PageRequest<typeof FILTERED>,
  service: Service,
): Promise<PageAnswer> {
  const { after: _, ...filters } = query;
  const search = { ...query, limit: ROWS, count: true };
  const known = await knownNames(service);
  const shown = { filters, known, mayFindPeople: maySearchPeople(person) };
  try {
    const { decisions, total, next } = await searchDecisions(search, person, service);
    if (decisions.length === 0) await checkKnown(filters, known, service);
    const more = next === undefined ? undefined : `/decisions?${new URLSearchParams({ ...filters, after: next })}`;
    const open = decisions.length === 0 ? await openRules(filters, person, service) : [];
    const found = { rows: decisions, references: await referencesIn(decisions, service), total, more, open };
    return { page: decisionsPage({ ...shown, ...found }, reader) };
  } catch (error) {
    const { status, code, detail } = problemOf(error).problem;
    if (code !== 'REQUEST_INVALID') throw error;
    // The form keeps what was typed.
    const problem = detail ?? 'The filters are not valid.';
    const none = { rows: [], references: new Map(), total: undefined, more: undefined };
    return { page: decisionsPage({ ...shown, ...none, problem }, reader), status };
  }
}

/** Where no decision has a code: its rules, and in how many decisions by the other filters each is undetermined. */
async function openRules({ code, ...filters }: z.infer<typeof FILTERED>, person: Person, service: Service) {
  const rules = [...service.policies.values()].flatMap(({ watched }) => watched.policy.rules);
  const ids = new Set(rules.flatMap(({ id, reason }) => (reason === code ? [id] : [])));
  const counted = [...ids].slice(0, filters['undetermined'] === undefined ? MOST_RULES : 0).map(async (rule) => {
    const { total = 0 } = await searchDecisions({ ...filters, undetermined: rule, count: true }, person, service);
    return { rule, n: total };
  });
  return (await Promise.all(counted)).filter(({ n }) => n > 0);
}

function referencesIn(rows: readonly { readonly id: string }[], service: Service) {
  const { place, index } = indexedOf(service);
  return readReferences(
    place,
    rows.map(({ id }) => id),
    index,
  );
}

/** One decision is opened at once. */
async function findDecisions(
  { person, reader, form }: PageRequest<z.ZodType, typeof OF_FIND>,
  service: Service,
): Promise<PageAnswer> {
  const { by, text: sought } = form;
  const id = sought.trim().toLowerCase();
  if (by === 'id' || ID.is(id)) return { to: `/decisions/${encodeURIComponent(id)}` };
  const search = by === 'reference' ? { reference: sought.trim() } : { subject: sought };
  const { decisions } = await searchDecisions({ ...search, limit: ROWS }, person, service);
  const [found, ...more] = decisions;
  if (found && more.length === 0) return { to: `/decisions/${found.id}` };
  const words = by === 'reference' ? 'this reference' : 'this person';
  const references = await referencesIn(decisions, service);
  // Without suggestions: what this costs would tell whether there is such a person.
  const data = { filters: {}, known: {}, rows: decisions, references, total: undefined, more: undefined, found: words };
  return { page: decisionsPage({ ...data, mayFindPeople: maySearchPeople(person) }, reader) };
}

async function showDecision(
  { id, person, reader }: PageRequest,
  service: Service,
  { isRevealed = false, ...replayed }: { readonly isRevealed?: boolean; readonly replay?: Replay } = {},
): Promise<PageAnswer> {
  const { shown, page, personal, entries } = await seeRecord(id, person, service, { isRevealed });
  const { cases } = indexedOf(service);
  const [one, all] = await Promise.all([cases.get(id), hasRole(person, OF_QUEUE) ? cases.of(id) : []]);
  const may = {
    replay: hasRole(person, API.replayDecision.roles),
    note: hasRole(person, API.noteDecision.roles),
    pack: hasRole(person, OF_PACKS),
  };
  const open = one && one.state !== 'resolved' && hasRole(person, OF_QUEUE) ? id : undefined;
  const state = { isReadable: !shown.unreadable, case: open, lastCase: all.at(-1)?.id };
  const data = { id, decision: page, personal, entries, may, ...state, ...replayed };
  return { page: recordedPage(data, reader) };
}

async function makeTest({ id, person }: PageRequest, service: Service): Promise<PageAnswer> {
  const { record } = await findVisible(id, person, service);
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
async function makePack({ id, person }: PageRequest, service: Service): Promise<PageAnswer> {
  const { shown, page } = await seeRecord(id, person, service, { checkSegment: true });
  await recordTaken(shown.record, 'pack', person, service);
  const line = {
    id: 'line',
    title: 'The record in clear',
    content: [
      p('What the log does not encrypt of it, and its place: '),
      p(codeValue(toJson({ ...inClear(shown.record.record), ...shown.record.position }))),
    ],
  };
  const steps = caseHistory(shown.record);
  const history = { id: 'history', title: 'Its case', content: stepsTable('case-history', steps) };
  const made = p(`Made on ${dayOfInstant(Date.now())} for ${person.display}.`);
  const text = writePage({ ...page, head: [page.head, made], parts: [...page.parts, history, line] });
  return { file: `decision-${id}.html`, type: 'text/html; charset=utf-8', text };
}
