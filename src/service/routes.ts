/** The table of routes: validation, the OpenAPI document, its page, the labels of metrics and the tests follow it. */

import { lazy } from '../platform/lazy.ts';
import type { Outcome } from '../policy/language.ts';
import { PAGE_POLICY, writePage } from '../report/html/document.ts';
import { toJson } from '../text.ts';
import { maySeeDecisions } from './auth/see.ts';
import {
  listCases,
  openCase,
  readEvents,
  reassignCase,
  releaseCase,
  renewCase,
  resolveCase,
  takeCase,
} from './handlers/cases.ts';
import { type DecisionRequest, decideBatch, decideOne, warningsOf } from './handlers/decide.ts';
import {
  type EvaluationRequest,
  type ExplanationRequest,
  evaluate,
  evaluateLines,
  explainFacts,
  listPolicies,
  showPolicy,
} from './handlers/evaluate.ts';
import {
  addLabels,
  type DecisionSearch,
  explainRecord,
  findRecord,
  findVisible,
  type LabelsRequest,
  type NoteRequest,
  noteDecision,
  replayRecord,
  revealDecision,
  searchDecisions,
  showOwn,
  showRecord,
} from './handlers/records.ts';
import { openApiOf, problemPage, referencePage } from './openapi.ts';
import { PROBLEM_CODES, ProblemError, typeOf } from './problem.ts';
import type { Route } from './route.ts';
import * as schemas from './schemas.ts';
import { seeRecord } from './workbench/page-data.ts';

/** The answers to a claim of a reference. */
const OF_REFERENCES = ['REFERENCE_RUNNING', 'REFERENCE_IN_DOUBT', 'REFERENCE_REUSED', 'STATE_UNAVAILABLE'] as const;

/** Of the log and its index; `serve.yaml` may name no log. */
const OF_RECORDS = ['NOT_FOUND', 'INDEX_BEHIND', 'AUDIT_FAILED'] as const;
const OF_A_RECORD = ['NOT_FOUND', 'AUDIT_FAILED'] as const;
const OF_CASES = [...OF_RECORDS, 'STATE_UNAVAILABLE'] as const;

const HTML = 'text/html; charset=utf-8';

const PAGE = { type: HTML, headers: { 'content-security-policy': `${PAGE_POLICY}; frame-ancestors 'none'` } };

export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/decisions',
    operation: 'decide',
    summary: 'Decide on one applicant. The same question under the same reference gets the same decision.',
    roles: ['decide'],
    body: schemas.DECISION_REQUEST,
    takesKey: true,
    answer: schemas.DECISION,
    hasNotices: true,
    answerHeaders: { 'Verdict-Repeated': '`true` if the decision had been made before, and nothing was asked.' },
    problems: [...OF_REFERENCES, 'AUDIT_FAILED', 'CONFIGURATION_INVALID'],
    handle: async ({ body, ...asking }, service) => {
      const { decision, repeated } = await decideOne(body as DecisionRequest, asking, service);
      return {
        body: decision,
        decision: decision.id,
        ...(repeated ? { headers: { 'verdict-repeated': 'true' } } : {}),
      };
    },
  },
  {
    method: 'POST',
    path: '/v1/decisions/batch',
    operation: 'decideBatch',
    summary: 'Decide on up to 100 applicants. Each has its own status: a decision, or a problem.',
    roles: ['decide'],
    body: schemas.BATCH_REQUEST,
    kib: 512,
    answer: schemas.BATCH,
    hasNotices: true,
    problems: [],
    handle: async ({ body, ...asking }, service) => {
      const { requests } = body as { readonly requests: readonly DecisionRequest[] };
      return { body: { results: await decideBatch(requests, asking, service) } };
    },
  },
  {
    method: 'POST',
    path: '/v1/checks/applicant',
    operation: 'checkApplicant',
    summary: 'What of an applicant could not be sent. Asks nobody.',
    roles: ['decide'],
    body: schemas.CHECK_REQUEST,
    answer: schemas.CHECK,
    problems: [],
    handle: ({ body }) => ({ body: warningsOf((body as Pick<DecisionRequest, 'applicant'>).applicant) }),
  },
  {
    method: 'POST',
    path: '/v1/evaluations',
    operation: 'evaluate',
    summary:
      'Decide on facts in hand: up to 1,000 applicants, or any number as lines with `?policy=`. Nothing is recorded.',
    roles: ['decide', 'edit'],
    body: schemas.EVALUATION_REQUEST,
    kib: 1024,
    query: schemas.EVALUATION_QUERY,
    takesLines: true,
    answer: schemas.EVALUATIONS,
    problems: [],
    handle: async ({ body, lines, query, ...asking }, service) => {
      if (!lines) return { body: await evaluate(body as EvaluationRequest, asking.caller, service) };
      const { policy } = query;
      if (policy === undefined) throw new ProblemError('REQUEST_INVALID', 'lines need the policy in `?policy=`');
      return { body: evaluateLines(policy, { lines, ...asking }, service), type: 'application/x-ndjson' };
    },
  },
  {
    method: 'POST',
    path: '/v1/explanations',
    operation: 'explain',
    summary: 'Why facts in hand lead to their outcome, why not to another, and what would change it.',
    roles: ['edit'],
    body: schemas.EXPLANATION_REQUEST,
    answer: schemas.EXPLANATION,
    problems: [],
    handle: async ({ body }, service) => ({ body: await explainFacts(body as ExplanationRequest, service) }),
  },
  {
    method: 'GET',
    path: '/v1/decisions',
    operation: 'listDecisions',
    summary: 'Decisions on record, the newest first.',
    roles: ['read', 'review', 'audit'],
    query: schemas.SEARCH_QUERY,
    answer: schemas.FOUND,
    problems: OF_RECORDS,
    handle: async ({ query, caller }, service) => {
      const { limit, count, ...search } = query;
      const numbers = { ...(limit === undefined ? {} : { limit: Number(limit) }), count: count === 'true' };
      return { body: await searchDecisions({ ...search, ...numbers } as DecisionSearch, caller, service) };
    },
  },
  {
    method: 'POST',
    path: '/v1/decisions/search',
    operation: 'searchDecisions',
    summary:
      'The same by reference or subject too: neither is ever in a URL. A search by subject needs the role audit.',
    roles: ['read', 'review', 'audit'],
    body: schemas.SEARCH_REQUEST,
    answer: schemas.FOUND,
    problems: [...OF_RECORDS, 'AUDIT_FAILED'],
    handle: async ({ body, caller }, service) => ({
      body: await searchDecisions(body as DecisionSearch, caller, service),
    }),
  },
  {
    method: 'GET',
    path: '/v1/decisions/{id}',
    operation: 'getDecision',
    summary: 'A decision on record, without personal data; its own, without facts, for a key that decides.',
    roles: ['decide', 'read', 'review', 'audit'],
    answer: schemas.RECORD,
    page: '/decisions/{id}',
    problems: [...OF_A_RECORD, 'STATE_UNAVAILABLE'],
    handle: async ({ params: { id = '' }, caller, asPage }, service) => {
      if (!maySeeDecisions(caller)) return { body: await showOwn(id, caller, service) };
      if (asPage) return { body: writePage((await seeRecord(id, caller, service)).page), ...PAGE };
      return { body: showRecord((await findVisible(id, caller, service)).record) };
    },
  },
  {
    method: 'GET',
    path: '/v1/decisions/{id}/explanation',
    operation: 'explainDecision',
    summary: 'Why a decision on record has its outcome, why not another, and what would change it.',
    roles: ['read', 'review', 'audit'],
    query: schemas.EXPLANATION_QUERY,
    answer: schemas.EXPLANATION,
    problems: [...OF_A_RECORD, 'GONE'],
    handle: async ({ params, query, caller }, service) => {
      const record = await findRecord(params['id'] ?? '', service);
      return { body: await explainRecord(record, (query['to'] ?? 'accept') as Outcome, caller) };
    },
  },
  {
    method: 'POST',
    path: '/v1/decisions/{id}/replay',
    operation: 'replayDecision',
    summary: 'Decides again on the facts on record.',
    roles: ['audit'],
    answer: schemas.REPLAY,
    problems: [...OF_A_RECORD, 'GONE'],
    handle: async ({ params }, service) => ({
      body: await replayRecord(await findRecord(params['id'] ?? '', service)),
    }),
  },
  {
    method: 'POST',
    path: '/v1/decisions/{id}/notes',
    operation: 'noteDecision',
    summary: 'Records what a person decided after it. A case that is held is resolved by its holder alone.',
    roles: ['review'],
    body: schemas.NOTE_REQUEST,
    answer: schemas.NOTED,
    problems: [...OF_A_RECORD, 'LEASE_LOST'],
    handle: async ({ params, body, caller }, service) => ({
      body: await noteDecision(params['id'] ?? '', body as NoteRequest, caller, service),
    }),
  },
  {
    method: 'POST',
    path: '/v1/decisions/{id}/reveal',
    operation: 'revealDecision',
    summary: 'The personal facts of a decision, for who holds its case, or audits. It is recorded before it answers.',
    roles: ['review', 'audit'],
    body: schemas.REVEAL_REQUEST,
    answer: schemas.REVEALED,
    problems: [...OF_A_RECORD, 'LEASE_LOST', 'GONE'],
    handle: async ({ params, body, caller }, service) => ({
      body: await revealDecision(params['id'] ?? '', (body as { readonly why: string }).why, caller, service),
    }),
  },
  {
    method: 'POST',
    path: '/v1/labels',
    operation: 'addLabels',
    summary: 'Records what came to light later, such as chargebacks.',
    roles: ['review'],
    body: schemas.LABELS_REQUEST,
    kib: 512,
    answer: schemas.LABELLED,
    problems: OF_RECORDS,
    handle: async ({ body, caller }, service) => ({
      body: await addLabels(body as LabelsRequest, caller, service),
    }),
  },
  {
    method: 'GET',
    path: '/v1/events',
    operation: 'listEvents',
    summary:
      'What happened after a cursor: decisions, notes, and what people did. Waits for news up to `wait` seconds.',
    roles: ['read', 'audit'],
    query: schemas.EVENTS_QUERY,
    waits: true,
    answer: schemas.EVENTS,
    problems: OF_RECORDS,
    handle: async ({ query: { after, wait } }, service) => {
      const seconds = wait === undefined ? {} : { wait: Number(wait) };
      return { body: await readEvents({ ...(after === undefined ? {} : { after }), ...seconds }, service) };
    },
  },
  {
    method: 'GET',
    path: '/v1/cases',
    operation: 'listCases',
    summary: 'Cases of the review queue, the first due first.',
    roles: ['read', 'review', 'approve', 'audit'],
    query: schemas.CASES_QUERY,
    answer: schemas.CASES,
    problems: OF_CASES,
    handle: async ({ query: { limit, ...query }, caller }, service) => {
      const number = limit === undefined ? {} : { limit: Number(limit) };
      return { body: await listCases({ ...(query as object), ...number }, caller, service) };
    },
  },
  {
    method: 'POST',
    path: '/v1/cases',
    operation: 'openCase',
    summary: 'Opens a case on a decision: the applicant contests it, or it is to be looked at again.',
    roles: ['decide', 'review'],
    body: schemas.OPEN_REQUEST,
    answer: schemas.CASE,
    problems: [...OF_CASES, 'AUDIT_FAILED'],
    handle: async ({ body, caller }, service) => ({
      body: await openCase(body as Parameters<typeof openCase>[0], caller, service),
    }),
  },
  {
    method: 'POST',
    path: '/v1/cases/take',
    operation: 'takeCase',
    summary: 'The next case: nobody else has it until its lease ends. 204 if there is none.',
    roles: ['review'],
    body: schemas.TAKE_REQUEST,
    answer: schemas.TAKEN,
    mayBeEmpty: true,
    problems: OF_CASES,
    handle: async ({ body, caller }, service) => ({
      body: await takeCase(body as Parameters<typeof takeCase>[0], caller, service),
    }),
  },
  ...(
    [
      ['renew', 'Holds a case for longer.', schemas.RENEW_REQUEST, schemas.HELD_CASE, renewCase],
      ['release', 'Gives a case back to its queue.', schemas.RELEASE_REQUEST, schemas.CASE, releaseCase],
      ['reassign', 'Gives a case to somebody.', schemas.REASSIGN_REQUEST, schemas.CASE, reassignCase],
      ['resolve', 'Records what the holder of a case decided.', schemas.RESOLVE_REQUEST, schemas.RESOLVED, resolveCase],
    ] as const
  ).map(
    ([verb, summary, body, answer, act]): Route => ({
      method: 'POST',
      path: `/v1/cases/{id}/${verb}`,
      operation: `${verb}Case`,
      summary,
      roles: [verb === 'reassign' ? 'approve' : 'review'],
      body,
      answer,
      problems: [...OF_CASES, 'LEASE_LOST', 'ALREADY_RESOLVED', 'AUDIT_FAILED'],
      handle: async ({ params, body: given, caller }, service) => ({
        body: await act(params['id'] ?? '', given as never, caller, service),
      }),
    }),
  ),
  {
    method: 'GET',
    path: '/v1/policies',
    operation: 'listPolicies',
    summary: 'The policies in force.',
    roles: ['read'],
    answer: schemas.POLICIES,
    problems: [],
    handle: async (_request, service) => ({ body: await listPolicies(service) }),
  },
  {
    method: 'GET',
    path: '/v1/policies/{name}',
    operation: 'getPolicy',
    summary: 'A policy in force: its rules as data, and how many entries its lists have.',
    roles: ['read'],
    answer: schemas.POLICY,
    problems: ['NOT_FOUND'],
    handle: async ({ params }, service) => ({ body: await showPolicy(params['name'] ?? '', service) }),
  },
  {
    method: 'GET',
    path: '/openapi.json',
    operation: 'getDocument',
    summary: 'This document.',
    problems: [],
    type: 'application/json',
    handle: () => ({ body: DOCUMENT(), type: 'application/json' }),
  },
  {
    method: 'GET',
    path: '/reference',
    operation: 'getReference',
    summary: 'This document, for people.',
    problems: [],
    type: HTML,
    handle: () => ({ body: REFERENCE(), ...PAGE }),
  },
  {
    method: 'GET',
    path: '/problems/{code}',
    operation: 'getProblem',
    summary: 'What a problem means, for people.',
    problems: ['NOT_FOUND'],
    type: HTML,
    handle: ({ params }) => {
      const body = PROBLEMS().get(`/problems/${params['code']}`);
      if (!body) throw new ProblemError('NOT_FOUND');
      return { body, ...PAGE };
    },
  },
];

/** Bytes that are made once: they are long, and anybody may ask for them. */
const DOCUMENT = lazy(() => Buffer.from(toJson(openApiOf(ROUTES))));
const REFERENCE = lazy(() => Buffer.from(referencePage(ROUTES)));
const PROBLEMS = lazy(() => new Map(PROBLEM_CODES.map((code) => [typeOf(code), Buffer.from(problemPage(code))])));
