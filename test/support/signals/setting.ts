/** Proxies and clients that are closed when the test ends. */

import { onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import type { VerifyClient } from '../../../src/signals/client.ts';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';
import { type Chaos, type ChaosOptions, startChaos } from './chaos-proxy.ts';
import { openClient } from './clients.ts';

/** A proxy in front of its own sandbox. */
export async function chaosFor(
  options: Omit<ChaosOptions, 'target'> = {},
  sandboxOptions: Parameters<typeof startSandbox>[0] = {},
): Promise<{ readonly chaos: Chaos; readonly sandbox: Sandbox }> {
  const sandbox = await startSandbox(sandboxOptions);
  const chaos = await startChaos({ target: sandbox.url, ...options });
  onTestFinished(async () => {
    await chaos.close();
    await sandbox.close();
  });
  return { chaos, sandbox };
}

/** A client of the proxy. */
export function clientOf({ url }: { readonly url: string }, options: Partial<VerifyClientOptions> = {}): VerifyClient {
  const client = openClient(url, options);
  onTestFinished(() => client.close());
  return client;
}
