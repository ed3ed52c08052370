/** The environment -> the service, listening until SIGTERM. */

import { createAuditLog, createDecider, createVerifyClient, watchPolicy } from 'verdict-engine';
import { buildService } from './service.ts';

const { VERDICT_BASE_URL = '', VERDICT_USERNAME = '', VERDICT_PASSWORD = '', VERDICT_ENVIRONMENT } = process.env;
const { VERDICT_AUDIT = 'audit', VERDICT_AUDIT_KEYS = 'audit-keys', HOST = '127.0.0.1', PORT = '3000' } = process.env;

const watched = watchPolicy('rules/onboarding.yaml', {
  mapping: 'rules/signals.yaml',
  onError: ({ message }) => app.log.error(message),
});
const verify = createVerifyClient({
  baseUrl: VERDICT_BASE_URL,
  environment: VERDICT_ENVIRONMENT === 'production' ? 'production' : 'sandbox',
  username: VERDICT_USERNAME,
  password: VERDICT_PASSWORD,
  timeoutMs: 5_000,
});
// After a full disk it goes on by itself. Until then, decisions are withheld, and `/ready` says so.
const audit = await createAuditLog({ dir: VERDICT_AUDIT, keys: VERDICT_AUDIT_KEYS, reopen: true });
// One for the life of the process: it remembers references.
const decider = createDecider({ policy: () => watched.policy, verify, audit });
const app = buildService({ decider, check: () => audit.check() });

process.once('SIGTERM', async () => {
  // No further requests; those in flight are decided, recorded and answered.
  await app.close();
  await verify.close({ drainMs: 8_000 });
  watched.close();
  // The last one, because everything before may still record.
  await audit.close();
});

for (const { text } of await decider.ready()) console.warn(text);
await app.listen({ host: HOST, port: Number(PORT) });
