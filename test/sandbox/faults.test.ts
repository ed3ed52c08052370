/** Faults of the sandbox, as a client meets them: what the call says, and whether it is billed. */

import { expect, onTestFinished, test } from 'vitest';
import type { SandboxFault, SandboxRequest } from '../../src/sandbox/index.ts';
import { createVerifyClient } from '../../src/signals/client.ts';
import type { VerifyClientOptions } from '../../src/signals/options.ts';
import { FIRST_USER, start } from '../support/sandbox/ask.ts';

const REQUEST = { phoneNo: '+12025550101', clientReference: 'ONB-1' };

/** A call: `answered`, or its error and whether it may have been carried out. */
async function ask(url: string, options: Partial<VerifyClientOptions> = {}): Promise<string> {
  const settings = { maxAttempts: 1, ...FIRST_USER, ...options };
  const client = createVerifyClient({ baseUrl: url, environment: 'sandbox', ...settings });
  onTestFinished(() => client.close());
  return client.verify(REQUEST).then(
    () => 'answered',
    ({ code, carriedOut }) => `${code} ${carriedOut}`,
  );
}

test.each<[SandboxFault, string, billed: number]>([
  ['reset', 'CONNECTION_LOST unknown', 0],
  ['hang', 'TIMED_OUT unknown', 0],
  ['cut', 'CONNECTION_LOST unknown', 1],
  ['drip', 'TIMED_OUT unknown', 1],
  ['html', 'ANSWER_UNREADABLE unknown', 1],
  ['busy', 'RATE_LIMITED no', 0],
  ['status-400', 'REJECTED no', 0],
  ['status-503', 'SERVICE_ERROR unknown', 0],
  ['status-599', 'SERVICE_ERROR unknown', 0],
])('the fault %s ends a verify call with %s, and carries out %i calls', async (fault, ended, billed) => {
  const sandbox = await start({ fault });
  expect(await ask(sandbox.url, { timeoutMs: 300 })).toBe(ended);
  expect(sandbox.counts).toEqual({ signIns: 1, verifies: billed, refused: 1 - billed });
});

test('an answer that drips arrives in the end, unchanged', async () => {
  const sandbox = await start({ fault: ({ endpoint }) => (endpoint === 'sign-in' ? 'drip' : undefined) });
  expect(await ask(sandbox.url)).toBe('answered');
});

test('faults are switched while the sandbox runs', async () => {
  const sandbox = await start();
  const ended = [await ask(sandbox.url)];
  for (const fault of ['status-500', undefined] as const) {
    sandbox.setFault(fault);
    ended.push(await ask(sandbox.url));
  }
  expect(ended).toEqual(['answered', 'SERVICE_ERROR unknown', 'answered']);
});

test('a function chooses a fault by the request, for sign-ins too', async () => {
  const requests: SandboxRequest[] = [];
  const sandbox = await start({
    fault(request) {
      requests.push(request);
      return request.endpoint === 'sign-in' ? 'status-503' : undefined;
    },
  });
  expect(await ask(sandbox.url)).toBe('SERVICE_ERROR no');
  expect(requests).toEqual([{ endpoint: 'sign-in', body: FIRST_USER }]);
  sandbox.setFault(({ body }) => ((body as typeof REQUEST).clientReference === 'ONB-1' ? 'busy' : undefined));
  expect(await ask(sandbox.url)).toBe('RATE_LIMITED no');
});

test('what is refused anyway is refused as without a fault', async () => {
  const sandbox = await start({ fault: () => 'cut' });
  expect(await ask(sandbox.url, { password: 'wrong' })).toBe('SIGN_IN_REFUSED no');
});

test.each(['resets', 'status-200', 'status-5000', '__proto__'])('%s is not the name of a fault', async (name) => {
  const fault = name as SandboxFault;
  await expect(start({ fault })).rejects.toThrow('unknown fault: choose one of reset, hang, cut');
  const sandbox = await start();
  expect(() => sandbox.setFault(fault)).toThrow(TypeError);
  expect(await ask(sandbox.url)).toBe('answered');
});
