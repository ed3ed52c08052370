/** A verification service that hangs opens the circuit of `verdict serve`, and no caller in a hurry does. */

import { expect, test } from 'vitest';
import { type Decided, ServeProcess, serveFolder } from '../support/service/process.ts';
import { sandboxFor } from '../support/signals/service.ts';

/** More than the failures in a row that open the circuit. */
const MANY = 12;

function errorsOf({ body }: Decided): readonly (string | undefined)[] {
  const { signals } = body as { readonly signals?: { readonly calls: readonly { readonly error?: string }[] } };
  return (signals?.calls ?? []).map(({ error }) => error);
}

async function askMany(service: ServeProcess, more: object): Promise<readonly (string | undefined)[]> {
  const answers = await Promise.all(Array.from({ length: MANY }, (_, i) => service.decide(`hang-${i}`, more)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  return answers.flatMap(errorsOf);
}

test('calls that hang open the circuit: the next decision is made at once', async () => {
  const sandbox = await sandboxFor({ fault: 'hang' });
  const folder = await serveFolder({ more: 'limits: { deadline: 2 seconds, drain: 0 seconds }' });
  const service = new ServeProcess(folder, sandbox);
  expect(new Set(await askMany(service, {}))).toEqual(new Set(['TIMED_OUT']));
  expect(errorsOf(await service.decide('next'))).toEqual(['CIRCUIT_OPEN']);
});

test('callers who wait for less than the service gives do not open it', async () => {
  const sandbox = await sandboxFor({ fault: 'hang' });
  const folder = await serveFolder({ more: 'limits: { deadline: 20 seconds, drain: 0 seconds }' });
  const service = new ServeProcess(folder, sandbox);
  await askMany(service, { deadlineMs: 200 });
  expect(errorsOf(await service.decide('next', { deadlineMs: 200 }))).toEqual(['TIMED_OUT']);
});
