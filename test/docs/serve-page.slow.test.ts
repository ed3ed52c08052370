/** The page on the HTTP service: its client in Python decides, its table has every key, and its routes exist. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROUTES } from '../../src/service/routes.ts';
import { ROOT } from '../support/docs/docs.ts';
import { startTestService } from '../support/service/running.ts';

const page = readFileSync(join(ROOT, 'docs/serve.md'), 'utf8');

const run = promisify(execFile);
const python = await run('python3', ['--version']).then(
  () => 'python3',
  () => undefined,
);
if (python === undefined) process.stderr.write('python3 is not installed: the client in Python is not run\n');

test.skipIf(python === undefined)('the client in Python prints what the page shows', async () => {
  const { url, key } = await startTestService();
  const [, program = '', output] = /```python\n(.*?)```\n\n```text\n(.*?)```/s.exec(page) ?? [];
  const env = { ...process.env, VERDICT_URL: url, VERDICT_KEY: await key(['decide']) };
  const { stdout } = await run(String(python), ['-c', program], { env });
  expect(stdout).toBe(output);
});

test('the table of requests has every route, with its roles', () => {
  for (const { method, path, roles = ['none'] } of ROUTES) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${method} `) && line.includes(`${path}\``));
    expect(row, `${method} ${path}`).toBeDefined();
    expect(row?.split('|')[2]?.trim()).toBe(roles.join(' or '));
  }
});
