// @ts-check
/** POST /applications with { phoneNo, email, ip, reference } -> { id, outcome, reasons }. GET /health for probes. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createDecider, createVerifyClient, firedReasons, redact, VerdictError, watchPolicy } from 'verdict-engine';

/** @type {any} */
const { VERDICT_BASE_URL, VERDICT_ENVIRONMENT, VERDICT_USERNAME, VERDICT_PASSWORD, PORT = '3000' } = process.env;
const { VERDICT_PROXY, VERDICT_CA_FILE } = process.env;

// An edit takes effect while the service runs. A broken edit is reported, and the last good policy stays in force.
const watched = watchPolicy('rules/onboarding.yaml', {
  mapping: 'rules/signals.yaml',
  onError: ({ message }) => console.error(message),
});
const verify = createVerifyClient({
  baseUrl: VERDICT_BASE_URL,
  environment: VERDICT_ENVIRONMENT,
  username: VERDICT_USERNAME,
  password: VERDICT_PASSWORD,
  ...(VERDICT_PROXY && { proxy: VERDICT_PROXY }),
  ...(VERDICT_CA_FILE && { ca: readFileSync(VERDICT_CA_FILE) }),
});
const decider = createDecider({ policy: () => watched.policy, verify });

/** @type {Partial<Record<import('verdict-engine').ErrorCode, number>>} */
const STATUS = { REQUEST_INVALID: 400, REFERENCE_IN_USE: 409 };

/** @param {import('node:http').IncomingMessage} request */
async function decide(request) {
  if (request.method === 'GET' && request.url === '/health') return { status: 200, ok: true };
  if (request.method !== 'POST' || request.url !== '/applications') return { status: 404, error: 'not found' };
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) if (text.length < 10_000) text += chunk;
  const { reference: clientReference, phoneNo, email, ip } = JSON.parse(text);
  const decision = await decider.decide({ phoneNo, email, ip }, clientReference ? { clientReference } : {});
  console.log(JSON.stringify(redact(decision))); // without personal data
  return {
    status: 200,
    id: decision.id,
    outcome: decision.outcome,
    reasons: firedReasons(decision).map((r) => r.code),
  };
}

const server = createServer(async (request, response) => {
  const { status, ...body } = await decide(request).catch((error) => {
    // The messages of verdict-engine contain no personal data; those of other errors may.
    if (!(error instanceof VerdictError)) return { status: 400, error: 'the request is not JSON as expected' };
    console.error(error.message);
    return { status: STATUS[error.code] ?? 500, error: error.code };
  });
  // A caller that keeps its connection open would delay the end of the process.
  if (!server.listening) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
for (const { text } of await decider.ready()) console.warn(text);
server.listen(Number(PORT), '127.0.0.1', () => console.log('POST', `http://127.0.0.1:${PORT}/applications`));

process.once('SIGTERM', async () => {
  server.close();
  await verify.close({ drainMs: 8_000 });
  watched.close();
});
