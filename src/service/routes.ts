/** The table of routes: validation, the OpenAPI document, its page, the labels of metrics and the tests follow it. */

import type * as z from 'zod';
import { lazy } from '../platform/lazy.ts';
import { PAGE_POLICY, writePage } from '../report/html/document.ts';
import { toJson } from '../text.ts';
import { OF_QUEUE, READERS } from './auth/roles.ts';
import { maySeeDecisions } from './auth/see.ts';
import { askAgain } from './handlers/ask-again.ts';
import * as cases from './handlers/cases.ts';
import { decideBatch, decideOne, warningsOf } from './handlers/decide.ts';
import { evaluate, evaluateLines, explainFacts, listPolicies, showPolicy } from './handlers/evaluate.ts';
import * as records from './handlers/records.ts';
import { openApiOf, problemPage, referencePage } from './openapi.ts';
import { PROBLEM_CODES, ProblemError, typeOf } from './problem.ts';
import { Answer, type NamedRoute, type Route, route } from './route.ts';
import * as schemas from './schemas.ts';
import { seeRecord } from './workbench/data/case-data.ts';

/** The answers to a claim of a reference. */
const OF_REFERENCES = ['REFERENCE_RUNNING', 'REFERENCE_IN_DOUBT', 'REFERENCE_REUSED', 'STATE_UNAVAILABLE'] as const;

/** Of the log and its index; `serve.yaml` may name no log. */
const OF_RECORDS = ['NOT_FOUND', 'INDEX_BEHIND', 'AUDIT_FAILED'] as const;
const OF_A_RECORD = ['NOT_FOUND', 'AUDIT_FAILED'] as const;
const OF_CASES = [...OF_RECORDS, 'STATE_UNAVAILABLE'] as const;

const HTML = 'text/html; charset=utf-8';

const PAGE = { type: HTML, headers: { 'content-security-policy': `${PAGE_POLICY}; frame-ancestors 'none'` } };

/** What is done with one case. */
function ofCase<Body extends z.ZodType, Done>(
  verb: string,
  row: Pick<Route<Body, z.ZodType, Done>, 'summary' | 'roles' | 'body' | 'answer' | 'do'>,
) {
  const problems = [...OF_CASES, 'LEASE_LOST', 'ALREADY_RESOLVED', 'AUDIT_FAILED'] as const;
  return route('POST', `/v1/cases/{id}/${verb}`, { roles: ['review'], problems, ...row });
}

/** By the name of its function in a generated client. The forms of the workbench do the same, for a person. */
export const API = {
  decide: route('POST', '/v1/decisions', {
    summary: 'Decide on one applicant. The same question under the same reference gets the same decision.',
    roles: ['decide'],
    body: schemas.DECISION_REQUEST,
    takesKey: true,
    answer: schemas.DECISION,
    hasNotices: true,
    answerHeaders: { 'Verdict-Repeated': '`true` if the decision had been made before, and nothing was asked.' },
    problems: [...OF_REFERENCES, 'AUDIT_FAILED', 'CONFIGURATION_INVALID'],
    do: async ({ body, ...asking }, service) => {
      const { decision, repeated } = await decideOne(body, asking, service);
      return new Answer(decision, {
        decision: decision.id,
        ...(repeated ? { headers: { 'verdict-repeated': 'true' } } : {}),
      });
    },
  }),
  decideBatch: route('POST', '/v1/decisions/batch', {
    summary: 'Decide on up to 100 applicants. Each has its own status: a decision, or a problem.',
    roles: ['decide'],
    body: schemas.BATCH_REQUEST,
    kib: 512,
    answer: schemas.BATCH,
    hasNotices: true,
    do: decideBatch,
  }),
  checkApplicant: route('POST', '/v1/checks/applicant', {
    summary: 'What of an applicant could not be sent. Asks nobody.',
    roles: ['decide'],
    body: schemas.CHECK_REQUEST,
    answer: schemas.CHECK,
    do: warningsOf,
  }),
  evaluate: route('POST', '/v1/evaluations', {
    summary:
      'Decide on facts in hand: up to 1,000 applicants, or any number as lines with `?policy=`. Nothing is recorded.',
    roles: ['decide', 'edit'],
    body: schemas.EVALUATION_REQUEST,
    kib: 1024,
    query: schemas.EVALUATION_QUERY,
    takesLines: true,
    answer: schemas.EVALUATIONS,
    do: async (asked, service) => {
      const { stream, query, caller } = asked;
      if (!stream) return evaluate(asked, service);
      if (query.policy !== undefined) {
        return new Answer(evaluateLines(query.policy, stream, caller, service), { type: 'application/x-ndjson' });
      }
      throw new ProblemError('REQUEST_INVALID', 'lines need the policy in `?policy=`');
    },
  }),
  explain: route('POST', '/v1/explanations', {
    summary: 'Why facts in hand lead to their outcome, why not to another, and what would change it.',
    roles: ['edit'],
    body: schemas.EXPLANATION_REQUEST,
    answer: schemas.EXPLANATION,
    do: explainFacts,
  }),
  listDecisions: route('GET', '/v1/decisions', {
    summary: 'Decisions on record, the newest first.',
    roles: READERS,
    query: schemas.SEARCH_QUERY,
    answer: schemas.FOUND,
    problems: OF_RECORDS,
    do: ({ query, caller }, service) => records.searchDecisions(query, caller, service),
  }),
  searchDecisions: route('POST', '/v1/decisions/search', {
    summary:
      'The same by reference or subject too: neither is ever in a URL. A search by subject needs the role audit.',
    roles: READERS,
    body: schemas.SEARCH_REQUEST,
    answer: schemas.FOUND,
    problems: [...OF_RECORDS, 'AUDIT_FAILED'],
    do: ({ body, caller }, service) => records.searchDecisions(body, caller, service),
  }),
  getDecision: route('GET', '/v1/decisions/{id}', {
    summary: 'A decision on record, without personal data; its own, without facts, for a key that decides.',
    roles: ['decide', ...READERS],
    answer: schemas.RECORD,
    page: '/decisions/{id}',
    problems: [...OF_A_RECORD, 'STATE_UNAVAILABLE'],
    do: async ({ id, caller, asPage }, service) => {
      if (!maySeeDecisions(caller)) return records.showOwn(id, caller, service);
      if (asPage) return new Answer(writePage((await seeRecord(id, caller, service)).page), PAGE);
      return records.showRecord((await records.findVisible(id, caller, service)).record);
    },
  }),
  explainDecision: route('GET', '/v1/decisions/{id}/explanation', {
    summary: 'Why a decision on record has its outcome, why not another, and what would change it.',
    roles: READERS,
    query: schemas.EXPLANATION_QUERY,
    answer: schemas.EXPLANATION,
    problems: [...OF_A_RECORD, 'GONE'],
    do: records.explainRecord,
  }),
  replayDecision: route('POST', '/v1/decisions/{id}/replay', {
    summary: 'Decides again on the facts on record.',
    roles: ['audit'],
    answer: schemas.REPLAY,
    problems: [...OF_A_RECORD, 'GONE'],
    do: records.replayRecord,
  }),
  noteDecision: route('POST', '/v1/decisions/{id}/notes', {
    summary: 'Records what a person decided after it. A case that is held is resolved by its holder alone.',
    roles: ['review'],
    body: schemas.NOTE_REQUEST,
    answer: schemas.NOTED,
    problems: [...OF_A_RECORD, 'LEASE_LOST'],
    do: records.noteDecision,
  }),
  revealDecision: route('POST', '/v1/decisions/{id}/reveal', {
    summary: 'The personal facts of a decision, for who holds its case, or audits. It is recorded before it answers.',
    roles: ['review', 'audit'],
    body: schemas.REVEAL_REQUEST,
    answer: schemas.REVEALED,
    problems: [...OF_A_RECORD, 'LEASE_LOST', 'GONE'],
    do: records.revealDecision,
  }),
  addLabels: route('POST', '/v1/labels', {
    summary: 'Records what came to light later, such as chargebacks.',
    roles: ['review'],
    body: schemas.LABELS_REQUEST,
    kib: 512,
    answer: schemas.LABELLED,
    problems: OF_RECORDS,
    do: records.addLabels,
  }),
  listEvents: route('GET', '/v1/events', {
    summary:
      'What happened after a cursor: decisions, notes, and what people did. Waits for news up to `wait` seconds.',
    roles: ['read', 'audit'],
    query: schemas.EVENTS_QUERY,
    waits: true,
    answer: schemas.EVENTS,
    problems: OF_RECORDS,
    do: cases.listEvents,
  }),
  listCases: route('GET', '/v1/cases', {
    summary: 'Cases of the review queue, the first due first.',
    roles: ['read', ...OF_QUEUE],
    query: schemas.CASES_QUERY,
    answer: schemas.CASES,
    problems: OF_CASES,
    do: cases.listCases,
  }),
  openCase: route('POST', '/v1/cases', {
    summary: 'Opens a case on a decision: the applicant contests it, or it is to be looked at again.',
    roles: ['decide', 'review'],
    body: schemas.OPEN_REQUEST,
    answer: schemas.CASE,
    problems: [...OF_CASES, 'AUDIT_FAILED'],
    do: cases.openCase,
  }),
  takeCase: route('POST', '/v1/cases/take', {
    summary: 'The next case: nobody else has it until its lease ends. 204 if there is none.',
    roles: ['review'],
    body: schemas.TAKE_REQUEST,
    answer: schemas.TAKEN,
    mayBeEmpty: true,
    problems: OF_CASES,
    do: cases.takeCase,
  }),
  takeOne: ofCase('take', {
    summary: 'One case: free, kept for the caller, or held by them.',
    answer: schemas.TAKEN,
    do: cases.takeOne,
  }),
  askAgain: route('POST', '/v1/cases/ask-again', {
    summary: 'Asks the verification service again for all cases that only an outage made. Calls may be billed.',
    roles: ['approve'],
    body: schemas.ASK_AGAIN_REQUEST,
    answer: schemas.ASKED_AGAIN,
    problems: OF_CASES,
    do: askAgain,
  }),
  renewCase: ofCase('renew', {
    summary: 'Holds a case for longer.',
    body: schemas.RENEW_REQUEST,
    answer: schemas.HELD_CASE,
    do: cases.renewCase,
  }),
  releaseCase: ofCase('release', {
    summary: 'Gives a case back to its queue.',
    body: schemas.RELEASE_REQUEST,
    answer: schemas.CASE,
    do: cases.releaseCase,
  }),
  reassignCase: ofCase('reassign', {
    summary: 'Keeps a case for somebody until it is due, and for four hours at least.',
    roles: ['approve'],
    body: schemas.REASSIGN_REQUEST,
    answer: schemas.CASE,
    do: cases.reassignCase,
  }),
  holdCase: ofCase('hold', {
    summary: 'Puts a case on hold: it comes back to its holder at that time.',
    body: schemas.HOLD_REQUEST,
    answer: schemas.CASE,
    do: cases.holdCase,
  }),
  askCase: ofCase('ask', {
    summary: 'Asks the caller of the decision for something, by the event `case.asked`; the case waits for the answer.',
    body: schemas.ASK_REQUEST,
    answer: schemas.CASE,
    do: cases.askCase,
  }),
  answerCase: ofCase('answer', {
    summary: 'Answers what `case.asked` asked for, of an own decision. Its id will do in place of that of the case.',
    roles: ['decide'],
    body: schemas.ANSWER_REQUEST,
    answer: schemas.CASE,
    do: cases.answerCase,
  }),
  escalateCase: ofCase('escalate', {
    summary: 'Gives a case to another queue; its holder does not get it again.',
    body: schemas.ESCALATE_REQUEST,
    answer: schemas.CASE,
    do: cases.escalateCase,
  }),
  resolveCase: ofCase('resolve', {
    summary: 'Records what the holder of a case decided.',
    body: schemas.RESOLVE_REQUEST,
    answer: schemas.RESOLVED,
    do: cases.resolveCase,
  }),
  listPolicies: route('GET', '/v1/policies', {
    summary: 'The policies in force.',
    roles: ['read'],
    answer: schemas.POLICIES,
    do: listPolicies,
  }),
  getPolicy: route('GET', '/v1/policies/{name}', {
    summary: 'A policy in force: its rules as data, and how many entries its lists have.',
    roles: ['read'],
    answer: schemas.POLICY,
    problems: ['NOT_FOUND'],
    do: showPolicy,
  }),
  getDocument: route('GET', '/openapi.json', {
    summary: 'This document.',
    type: 'application/json',
    do: () => new Answer(DOCUMENT(), { type: 'application/json' }),
  }),
  getReference: route('GET', '/reference', {
    summary: 'This document, for people.',
    type: HTML,
    do: () => new Answer(REFERENCE(), PAGE),
  }),
  getProblem: route('GET', '/problems/{code}', {
    summary: 'What a problem means, for people.',
    problems: ['NOT_FOUND'],
    type: HTML,
    do: ({ id }) => {
      const body = PROBLEMS().get(`/problems/${id}`);
      if (!body) throw new ProblemError('NOT_FOUND');
      return new Answer(body, PAGE);
    },
  }),
};

export const ROUTES: readonly NamedRoute[] = Object.entries<Route>(API).map(([operation, row]) => ({
  operation,
  ...row,
}));

/** Bytes that are made once: they are long, and anybody may ask for them. */
const DOCUMENT = lazy(() => Buffer.from(toJson(openApiOf(ROUTES))));
const REFERENCE = lazy(() => Buffer.from(referencePage(ROUTES)));
const PROBLEMS = lazy(() => new Map(PROBLEM_CODES.map((code) => [typeOf(code), Buffer.from(problemPage(code))])));
