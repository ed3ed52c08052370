/** The packed package, installed in an empty folder, works as it does for a new user. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules/.bin');
const folder = mkdtempSync(join(tmpdir(), 'verdict-package-'));
const run = (command: string, args: readonly string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const EMBEDDED = `
import { createDecider, createVerifyClient, type Decision, loadPolicy } from 'verdict-engine';
import { PERSONAS, SANDBOX_USERS, startSandbox } from 'verdict-engine/sandbox';

const service = await startSandbox();
const [user] = SANDBOX_USERS;
if (!user) throw new Error('the sandbox has no user');
const verify = createVerifyClient({ baseUrl: service.url, environment: 'sandbox', ...user });
const policy = loadPolicy('node_modules/verdict-engine/rules/onboarding.yaml');
const decider = createDecider({ policy, verify });
const outcomes: Decision['outcome'][] = [];
for (const { phoneNo, email, ip } of PERSONAS.slice(0, 3)) {
  outcomes.push((await decider.decide({ phoneNo, email, ip })).outcome);
}
await verify.close();
await service.close();
process.stdout.write(outcomes.join());
`;

describe('the packed package', () => {
  let files: readonly string[] = [];
  let tarball = '';

  beforeAll(() => {
    const [packed] = JSON.parse(run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT));
    files = packed.files.map(({ path }: { readonly path: string }) => path);
    tarball = join(folder, packed.filename);
    writeFileSync(join(folder, 'package.json'), '{ "name": "embedder", "private": true, "type": "module" }');
    run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball]);
  }, 120_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains only the files that users need', () => {
    const tops = new Set(files.map((path) => path.split('/')[0]));
    expect([...tops].sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'package.json', 'rules']);
    expect(files.filter((path) => path.startsWith('dist/') && !/\.(js|d\.ts)$/.test(path))).toEqual([]);
  });

  it('has a manifest that fits its files', () => {
    expect(run(join(BIN, 'publint'), ['run', '--strict', tarball])).toContain('All good!');
  });

  it('resolves its types wherever it resolves its modules', () => {
    // CommonJS cannot import an ES module, and node10 does not read `exports`.
    expect(run(join(BIN, 'attw'), [tarball, '--profile', 'esm-only'])).toContain('node16 (from ESM): 🟢');
  });

  it('can be embedded in a TypeScript program that decides', () => {
    writeFileSync(join(folder, 'main.ts'), EMBEDDED);
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--types', 'node'];
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    run(join(BIN, 'tsc'), [...strict, ...types, '--module', 'nodenext', '--target', 'es2024', 'main.ts']);
    expect(run(process.execPath, ['main.ts'])).toBe('accept,review,reject');
  });

  it('works without OpenTelemetry, and leaves the choice of its version to the application', () => {
    // The other tests here ran without it.
    expect(existsSync(join(folder, 'node_modules/@opentelemetry'))).toBe(false);
  });

  it('runs as a command', () => {
    const verdict = join(folder, 'node_modules/.bin/verdict');
    const args = ['decide', '--sandbox', '--phone', '+12025550101', '--json'];
    expect(JSON.parse(run(verdict, args))).toMatchObject({ outcome: 'review', engine: expect.any(String) });
    expect(run(verdict, ['facts'])).toContain('phone.riskLevel');
  });
});
