/**
 * `node test/bench/http-servers.ts echo | floor | vendor | service [--vendor URL] [--audit DIR] [--config FILE]`: a
 * server on a free port, whose address it prints. All but `service` are on `node:http` alone.
 *
 * `echo` reads each body and answers with the bytes of a decision. `floor` parses it, decides and answers with the
 * redacted decision: what any service has to do at least. `vendor` is the verification service, with answers that are
 * in hand, so that it takes little of the machine. `service` is that of `verdict serve`, but with answers in hand.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createAuditLog } from '../../src/audit/log.ts';
import { createDecider } from '../../src/decision/decide.ts';
import { redact } from '../../src/decision/redact.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { PERSONAS } from '../../src/sandbox/personas.ts';
import { SANDBOX_USERS } from '../../src/sandbox/server.ts';
import { watchKeys } from '../../src/service/auth/keys.ts';
import { readServeConfig } from '../../src/service/config.ts';
import { startServers } from '../../src/service/server.ts';
import { openService } from '../../src/service/service.ts';
import { createVerifyClient, type VerifyClient } from '../../src/signals/client.ts';
import { IDENTITY_VARIABLES } from '../../src/signals/variables.ts';
import { localVerifier, personOf } from '../support/audit/decisions.ts';

/** A body, or a path and a body -> the body of the answer. */
type Answer = (body: string, path: string | undefined) => Promise<string> | string;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { vendor: { type: 'string' }, audit: { type: 'string' }, config: { type: 'string', default: '' } },
});

/** The answers by phone number, each with a reference of its own in place of the caller's. */
async function answersInHand(): Promise<ReadonlyMap<string, object>> {
  const answers = new Map<string, object>();
  for (let n = 0; n < PERSONAS.length; n++) {
    const person = personOf(n);
    const { body } = await localVerifier.verify({ ...person, clientReference: 'bench' });
    answers.set(person.phoneNo.slice(1), body as object);
  }
  return answers;
}

/** The client of a service that answers at once. */
async function createClientInHand(): Promise<VerifyClient> {
  const answers = await answersInHand();
  const close = async () => {};
  return {
    environment: 'sandbox',
    timeoutMs: 5_000,
    verify: async ({ phoneNo, clientReference }) => ({
      body: { ...answers.get(phoneNo), clientReference },
      attempts: 1,
      requested: IDENTITY_VARIABLES,
    }),
    state: () => ({ circuit: 'closed', inFlight: 0, queued: 0, token: undefined, callsLeft: undefined }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function createClient(): Promise<VerifyClient> {
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  if (options.vendor === undefined) return createClientInHand();
  return createVerifyClient({ baseUrl: options.vendor, environment: 'sandbox', username, password });
}

async function createFloor(): Promise<Answer> {
  const policy = loadPolicy('rules/onboarding.yaml');
  const audit = options.audit === undefined ? undefined : await createAuditLog({ dir: options.audit });
  const decider = createDecider({ policy, verify: await createClient(), ...(audit ? { audit } : {}) });
  await decider.ready();
  return async (body) => {
    const { applicant, reference: clientReference } = JSON.parse(body);
    return JSON.stringify(redact(await decider.decide(applicant, { clientReference })));
  };
}

async function createEcho(): Promise<Answer> {
  const floor = await createFloor();
  const bytes = await floor(JSON.stringify({ applicant: personOf(0), reference: 'bench' }), undefined);
  return () => bytes;
}

async function createVendor(): Promise<Answer> {
  const answers = await answersInHand();
  return (body, path) => {
    if (path?.endsWith('sign_in')) return JSON.stringify({ sessionToken: 'bench' });
    const { clientReference, identityVariables } = JSON.parse(body);
    return JSON.stringify({ ...answers.get(identityVariables.phoneNo), clientReference });
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request
    .on('data', (chunk) => chunks.push(chunk))
    .on('end', resolve)
    .on('error', reject);
  await promise;
  return Buffer.concat(chunks).toString();
}

/** Starts a server that answers everything in one way, and returns its address. */
async function listen(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    const text = await answer(await readBody(request), request.url);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    response.writeHead(200, headers).end(text);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listenAsService(): Promise<string> {
  const config = readServeConfig(options.config);
  const ignore = () => {};
  const keys = watchKeys(config.keysFile, { onChange: ignore, onError: ignore });
  const service = await openService(config, await createClient(), ignore);
  return (await startServers(service, keys, ignore)).url;
}

const SERVERS: Readonly<Record<string, () => Promise<string>>> = {
  echo: async () => listen(await createEcho()),
  floor: async () => listen(await createFloor()),
  vendor: async () => listen(await createVendor()),
  service: listenAsService,
};

const url = await SERVERS[positionals[0] ?? '']?.();
if (url === undefined) throw new Error(`name one of ${Object.keys(SERVERS).join(', ')}`);
process.stdout.write(`listening on ${url}\n`);
