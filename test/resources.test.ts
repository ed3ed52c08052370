/** What a service opens -> closed at the end of `await using`. */

import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createAuditLog, createVerifyClient, initAuditLog, type OpenAuditLog, watchPolicy } from '../src/index.ts';
import { SANDBOX_USERS, startSandbox } from '../src/sandbox/index.ts';
import { HEAD, temporaryFolder } from './support/policy/policy.ts';

const [account = { username: '', password: '' }] = SANDBOX_USERS;

it('a client, an audit log, a watcher and a sandbox are closed at the end of their block', async () => {
  const folder = temporaryFolder({ 'policy.yaml': HEAD });
  const place = { dir: join(folder, 'audit'), keys: join(folder, 'keys') };
  await initAuditLog(place);
  let log: OpenAuditLog | undefined;
  let url = '';
  let verify: () => Promise<unknown> = async () => undefined;
  let stopped: unknown;
  {
    await using sandbox = await startSandbox();
    await using client = createVerifyClient({ baseUrl: sandbox.url, environment: 'sandbox', ...account });
    await using opened = await createAuditLog(place);
    await using watcher = watchPolicy(join(folder, 'policy.yaml'), {
      onError: () => {},
    });
    stopped = vi.spyOn(watcher, 'close');
    verify = () => client.verify({ phoneNo: '+12025550101', clientReference: 'using' });
    await verify();
    [log, url] = [opened, sandbox.url];
  }
  await expect(verify()).rejects.toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
  await expect(log.check({} as never)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  await expect(fetch(url)).rejects.toThrow();
  expect(stopped).toHaveBeenCalledOnce();
});
