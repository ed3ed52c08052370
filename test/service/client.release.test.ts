/** A client that is generated from the OpenAPI document compiles and decides. */

import { execFile } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/docs/docs.ts';
import { DOCUMENT_FILE } from '../support/service/document.ts';
import { startTestService } from '../support/service/running.ts';

const run = promisify(execFile);

const CLIENT = `
import type { operations } from './types.ts';

type Answers = operations['decide']['responses'];
type Decision = Answers[200]['content']['application/json'];
type Problem = Answers[409]['content']['application/problem+json'];
type Request = operations['decide']['requestBody']['content']['application/json'];

async function decide(request: Request): Promise<Decision | Problem> {
  const { VERDICT_URL: url = '', VERDICT_KEY: key = '' } = process.env;
  const headers = { authorization: \`Bearer \${key}\`, 'content-type': 'application/json' };
  const answer = await fetch(\`\${url}/v1/decisions\`, { method: 'POST', headers, body: JSON.stringify(request) });
  return await answer.json();
}

const decision = await decide({ policy: 'onboarding', reference: 'A-1', applicant: { phoneNo: '+12025550102' } });
if ('outcome' in decision) {
  const outcome: 'accept' | 'review' | 'reject' = decision.outcome;
  console.log(outcome, decision.reasons.filter((reason) => reason.decisive).length > 0);
} else console.log(decision.code);
// @ts-expect-error A decision needs a reference.
export const unnamed: Request = { policy: 'onboarding', applicant: {} };
// @ts-expect-error A misspelt field.
export const misspelt: Request = { policy: 'onboarding', reference: 'A', applicant: { phone: '1' } };
`;

test('a client with generated types compiles and decides', async () => {
  const { url, key } = await startTestService();
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  const types = await run(process.execPath, [join(ROOT, 'test/support/service/client-types.ts'), DOCUMENT_FILE]);
  writeFileSync(join(folder, 'types.ts'), types.stdout);
  writeFileSync(join(folder, 'client.ts'), CLIENT);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
  await run(join(ROOT, 'node_modules/.bin/tsc'), [...strict, '--skipLibCheck', 'client.ts'], { cwd: folder });
  const env = { ...process.env, VERDICT_URL: url, VERDICT_KEY: await key(['decide']) };
  const { stdout } = await run(process.execPath, ['client.ts'], { cwd: folder, env });
  expect(stdout).toBe('review true\n');
});
