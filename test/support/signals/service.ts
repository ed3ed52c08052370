/** Real servers for tests, each on its own port, closed when the test ends. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { SANDBOX_USERS, type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.ts';
import { createVerifyClient, type VerifyClient } from '../../../src/signals/client.ts';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';

/** A sandbox. */
export async function sandboxFor(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A client of a sandbox or of any other service. `atEnd`: where its end is said. */
export function clientOf(
  { url }: { readonly url: string },
  options: Partial<VerifyClientOptions> = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): VerifyClient {
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const client = createVerifyClient({ baseUrl: url, environment: 'sandbox', username, password, ...options });
  atEnd(() => client.close());
  return client;
}

/** The environment variables that make the command line use a service. */
export function environmentOf({ url }: { readonly url: string }): Record<string, string> {
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  return {
    VERDICT_BASE_URL: url,
    VERDICT_ENVIRONMENT: 'sandbox',
    VERDICT_USERNAME: username,
    VERDICT_PASSWORD: password,
  };
}

/** A server that accepts every sign-in and answers verify calls with a handler. */
export async function serviceThat(answer: RequestListener): Promise<{ readonly url: string }> {
  const server = createServer((request, response) => {
    if (!request.url?.endsWith('/auth/sign_in')) return answer(request, response);
    response.setHeader('Content-Type', 'application/json');
    return response.end('{"token":"t"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
