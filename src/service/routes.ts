/** The table of routes: validation, the OpenAPI document, its page, the labels of metrics and the tests follow it. */

import { lazy } from '../platform/lazy.ts';
import { PAGE_POLICY } from '../report/html/document.ts';
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
import { openApiOf, problemPage, referencePage } from './openapi.ts';
import { ProblemError } from './problem.ts';
import type { Route } from './route.ts';
import * as schemas from './schemas.ts';

/** The answers to a claim of a reference. */
const OF_REFERENCES = ['REFERENCE_RUNNING', 'REFERENCE_IN_DOUBT', 'REFERENCE_REUSED', 'STATE_UNAVAILABLE'] as const;

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
    answer: schemas.DECISION,
    hasNotices: true,
    answerHeaders: { 'Verdict-Repeated': '`true` if the decision had been made before, and nothing was asked.' },
    problems: [...OF_REFERENCES, 'AUDIT_FAILED', 'CONFIGURATION_INVALID'],
    handle: async ({ body, ...asking }, service) => {
      const { decision, repeated } = await decideOne(body as DecisionRequest, asking, service);
      return { body: decision, ...(repeated ? { headers: { 'verdict-repeated': 'true' } } : {}) };
    },
  },
  {
    method: 'POST',
    path: '/v1/decisions/batch',
    operation: 'decideBatch',
    summary: 'Decide on up to 100 applicants. Each has its own status: a decision, or a problem.',
    roles: ['decide'],
    body: schemas.BATCH_REQUEST,
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
    query: schemas.EVALUATION_QUERY,
    takesLines: true,
    answer: schemas.EVALUATIONS,
    problems: [],
    handle: async ({ body, lines, query, caller }, service) => {
      if (!lines) return { body: await evaluate(body as EvaluationRequest, caller, service) };
      const { policy } = query;
      if (policy === undefined) throw new ProblemError('REQUEST_INVALID', 'lines need the policy in `?policy=`');
      return { body: evaluateLines(policy, lines, caller, service), type: 'application/x-ndjson' };
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
    path: '/v1/policies',
    operation: 'listPolicies',
    summary: 'The policies in force.',
    roles: ['read'],
    answer: schemas.POLICIES,
    problems: [],
    handle: (_request, service) => ({ body: listPolicies(service) }),
  },
  {
    method: 'GET',
    path: '/v1/policies/{name}',
    operation: 'getPolicy',
    summary: 'A policy in force: its rules as data, and how many entries its lists have.',
    roles: ['read'],
    answer: schemas.POLICY,
    problems: ['NOT_FOUND'],
    handle: ({ params }, service) => ({ body: showPolicy(params['name'] ?? '', service) }),
  },
  {
    method: 'GET',
    path: '/openapi.json',
    operation: 'getDocument',
    summary: 'This document.',
    problems: [],
    type: 'application/json',
    handle: () => ({ body: DOCUMENT() }),
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
    handle: ({ params }) => ({ body: problemPage(params['code'] ?? ''), ...PAGE }),
  },
];

/** Made once: they are long, and anybody may ask for them. */
export const DOCUMENT = lazy((): object => openApiOf(ROUTES));
const REFERENCE = lazy(() => referencePage(ROUTES));
