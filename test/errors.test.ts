import { expect, test } from 'vitest';
import { createDecider } from '../src/decision/decide.ts';
import type { Verifier } from '../src/decision/fetch/service-call.ts';
import { DiagnosticsError } from '../src/diagnostics.ts';
import { CodedCause, VerdictError } from '../src/errors.ts';
import { loadPolicy } from '../src/policy/read/parse.ts';
import { applicantOf, ONBOARDING } from './support/signals/clients.ts';

/** Another copy of the module, as of a package that is installed twice. */
const COPY = new URL('../src/errors.ts?copy', import.meta.url).href;
const other: typeof import('../src/errors.ts') = await import(COPY);

test('VerdictError.is recognises the errors of every copy of the package, and no other value', () => {
  const foreign = new other.VerdictError('UNREACHABLE', 'text');
  expect(foreign instanceof VerdictError).toBe(false);
  for (const error of [foreign, new VerdictError('ABORTED', 'text'), new DiagnosticsError('POLICY_INVALID', [])]) {
    expect([VerdictError.is(error), other.VerdictError.is(error)]).toEqual([true, true]);
  }
  const alike = Object.assign(new Error('text'), { name: 'VerdictError', code: 'ABORTED', carriedOut: 'no' });
  for (const value of [alike, new Error('text'), new CodedCause('ENOTFOUND'), 'text', undefined, null, {}]) {
    expect(VerdictError.is(value)).toBe(false);
  }
});

test.each([
  ['no', 'failed'],
  ['unknown', 'unknown'],
] as const)('a verifier says %s by the error of its own copy of the package', async (carriedOut, result) => {
  const cause = new other.CodedCause('ECONNREFUSED');
  const details = { carriedOut, cause, attempts: 2, requestId: 'req-77' };
  const verify: Verifier = {
    verify: () => Promise.reject(new other.VerdictError('UNREACHABLE', 'the vendor is down', details)),
  };
  const decider = createDecider({ policy: loadPolicy(ONBOARDING), verify });
  const { outcome, signals } = await decider.decide(applicantOf('clean'));
  expect(outcome).toBe('review');
  expect(signals.calls).toMatchObject([
    { result, error: 'UNREACHABLE', cause: 'ECONNREFUSED', attempts: 2, requestId: 'req-77' },
  ]);
  expect(signals.warnings).toMatchObject([{ code: 'NO_ANSWER', text: expect.stringContaining('the vendor is down') }]);
});
