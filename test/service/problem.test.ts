/** Each error of the library has its problem, and each problem its page and advice. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ErrorCode, VerdictError } from '../../src/errors.ts';
import { POOL_BUSY } from '../../src/platform/homes/connections.ts';
import { problemPage } from '../../src/service/openapi.ts';
import { PROBLEM_CODES, problemOf, ROWS } from '../../src/service/problem.ts';
import { StateUnavailable } from '../../src/stores/state/references.ts';
import { ROOT } from '../support/docs/docs.ts';

const CANARY = 'd.marsh@copper-kettle.example';

/** The statuses of errors that can reach a caller. The others are of calls, which leave facts missing. */
const STATUSES: Readonly<Record<string, number>> = {
  REQUEST_INVALID: 400,
  REFERENCE_IN_USE: 409,
  CONFIGURATION_INVALID: 500,
  POLICY_INVALID: 422,
  MAPPING_INVALID: 422,
  TESTS_INVALID: 422,
  SOLVER_FAILED: 500,
  AUDIT_FAILED: 503,
};

const UNION =
  /export type ErrorCode =([\s\S]*?');\n/.exec(readFileSync(join(ROOT, 'src/errors.ts'), 'utf8'))?.[1] ?? '';
const CODES = [...UNION.matchAll(/\| '(\w+)'/g)].map(([, code]) => code as ErrorCode);

test('the codes of errors are those that have a status, and those of calls', () => {
  const calls = CODES.slice(CODES.indexOf('SIGN_IN_REFUSED'), CODES.indexOf('QUEUE_FULL') + 1);
  expect(calls).toHaveLength(15);
  // Pages say what refuses a release as REQUEST_INVALID, in its words.
  expect([...Object.keys(STATUSES), ...calls, 'RELEASE_REFUSED'].sort()).toEqual([...CODES].sort());
});

test.each(CODES)('%s has its problem, without a word of a foreign message', (code) => {
  const { problem } = problemOf(new VerdictError(code, CANARY, { carriedOut: 'unknown' }));
  const status = STATUSES[code];
  expect([problem.code, problem.status]).toEqual(status === undefined ? ['INTERNAL', 500] : [code, status]);
  expect(problem.carriedOut).toBe('unknown');
  // The messages of REQUEST_INVALID are for the caller, and repeat nothing of the request.
  if (code !== 'REQUEST_INVALID') expect(JSON.stringify(problem)).not.toContain(CANARY);
});

test('an error that is none of the library has no word in its problem', () => {
  for (const error of [new Error(CANARY), CANARY, { code: 'REQUEST_INVALID', message: CANARY }, undefined]) {
    expect(JSON.stringify(problemOf(error).problem)).not.toContain(CANARY);
    expect(problemOf(error).problem).toMatchObject({ code: 'INTERNAL', status: 500, retryable: false });
  }
});

test('each problem has advice, and a page that gives it', () => {
  for (const code of PROBLEM_CODES) {
    const page = problemPage(code);
    expect(page).toContain(`<h1>${code}</h1>`);
    const words = page.replaceAll('&quot;', '"').replace(/<[^>]*>/g, '');
    expect(ROWS[code].advice).toMatch(/^[A-Z].*\.$/);
    expect(words).toContain(ROWS[code].advice.replaceAll('`', ''));
  }
});

test('a state whose connections are in use is overloaded, and one that is away is not available', () => {
  const codeOf = (cause: string) => {
    const { problem, retryAfterSeconds } = problemOf(new StateUnavailable(cause));
    return [problem.code, problem.carriedOut, retryAfterSeconds];
  };
  expect(codeOf(POOL_BUSY)).toEqual(['OVERLOADED', 'no', 1]);
  expect(codeOf('TIMED_OUT')).toEqual(['STATE_UNAVAILABLE', 'no', 1]);
});
