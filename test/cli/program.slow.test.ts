import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PERSONAS } from '../../src/sandbox/index.ts';
import { ENGINE_VERSION } from '../../src/version.ts';
import { runCli } from '../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const USE = 'rules: [{ id: a, when: { applicant.email: { inList: l } }, then: review }]\n';
const POLICY = resolve(import.meta.dirname, '../../rules/phone-only.yaml');

describe('verdict', () => {
  it('shows real commands without arguments and with --help', async () => {
    for (const args of [[], ['--help']]) {
      const { exitCode, stdout, stderr } = await runCli(args);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('verdict decide --sandbox --phone');
      expect(stdout).toContain('Exit codes:');
    }
  });

  it('prints the version of the package', async () => {
    const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(ENGINE_VERSION).toBe(manifest.version);
    expect(await runCli(['--version'])).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  it.each([
    [['export', '--to', 'sql'], "'--to': SQL is what is exported"],
    [['facts', 'fold', '--from', 'a.csv', '--to', 'b.csv'], "'--to': the copy is given with --out"],
    [['explain', 'a.yaml', '--facts', '-', '--to', 'accept'], "'--to': the outcome is given with --target"],
    [['audit', 'show', 'log', '--to', 'accept'], "'--to': the outcome is given with --target"],
  ])('refuses an option of an earlier version, and says what takes its place: %j', async (args, said) => {
    expect(await runCli(args)).toEqual({ exitCode: 2, stdout: '', stderr: `error: no option ${said}\n` });
  });

  it('shows the line of a policy that does not load, but for one that is known to name people', async () => {
    const folder = temporaryFolder({
      'a.yaml': `${HEAD}whenUnknown: revue # here\nlists: { l: { file: l.txt } }\n${USE}`,
      'l.txt': 'jo.canary@@x\n',
    });
    const { stderr } = await runCli(['rules', '--policy', join(folder, 'a.yaml')]);
    expect(stderr).toContain('  4 | whenUnknown: revue # here\n');
    expect(stderr).toMatch(/l\.txt:1:1: error\[wrong-format\]/);
    expect(stderr).not.toContain('canary');
  });
});

describe('standard input that is a folder', () => {
  it.each([
    ['evaluate', '--policy', POLICY, '--facts', '-'],
    ['audit', 'erase', '.', '--subject', '-'],
  ])('is an error, and not empty input: verdict %s', (...args) => {
    const folder = openSync(import.meta.dirname, 'r');
    try {
      const ran = spawnSync(process.execPath, [MAIN, ...args], { stdio: [folder, 'pipe', 'pipe'], encoding: 'utf8' });
      const said = 'verdict: standard input is a folder, expected a file\n';
      expect(ran).toMatchObject({ status: 3, stdout: '', stderr: said });
    } finally {
      closeSync(folder);
    }
  });
});

describe('verdict facts', () => {
  it('prints every fact, as text and as JSON', async () => {
    const text = await runCli(['facts']);
    expect(text.stdout).toMatch(/phone\.porting\.portedDate +date +The day/);
    expect(text.stdout).toContain('veryLow < low < medium < high < veryHigh');
    const json = await runCli(['facts', '--json']);
    expect(JSON.parse(json.stdout)).toContainEqual(
      expect.objectContaining({ path: 'email.darkWeb.hitCount', type: 'integer' }),
    );
  });
});

describe('verdict sandbox', () => {
  it('prints its address and the personas, answers, and ends on a signal', async () => {
    const ending = new AbortController();
    let answered: Promise<number> | undefined;
    const ran = await runCli(['sandbox', '--port', '0', '--json'], {
      signal: ending.signal,
      onOutput: (stdout) => {
        const { url, users } = JSON.parse(stdout);
        const headers = { 'Content-Type': 'application/json' };
        const body = JSON.stringify(users[0]);
        answered ??= fetch(`${url}/api/v2/auth/sign_in`, { method: 'POST', headers, body })
          .then((response) => response.status)
          .finally(() => ending.abort());
      },
    });
    expect(ran.exitCode).toBe(130);
    expect(await answered).toBe(200);
    expect(JSON.parse(ran.stdout).personas).toEqual(PERSONAS);
  });

  it('prints commands that can be pasted', async () => {
    const ending = new AbortController();
    const { stdout } = await runCli(['sandbox', '--port', '0'], {
      signal: ending.signal,
      onOutput: () => ending.abort(),
    });
    expect(stdout).toMatch(/export VERDICT_BASE_URL=http:\/\/127\.0\.0\.1:\d+ VERDICT_ENVIRONMENT=sandbox/);
    for (const { phoneNo, email } of PERSONAS)
      expect(stdout).toContain(`verdict decide --phone +${phoneNo} --email ${email}`);
  });

  it('fails as `--fault` says', async () => {
    const ending = new AbortController();
    let decided: ReturnType<typeof runCli> | undefined;
    await runCli(['sandbox', '--port', '0', '--fault', 'status-503', '--json'], {
      signal: ending.signal,
      onOutput: (stdout) => {
        const { url, users } = JSON.parse(stdout);
        const [{ username, password }] = users;
        const account = { VERDICT_USERNAME: username, VERDICT_PASSWORD: password };
        const env = { VERDICT_BASE_URL: url, VERDICT_ENVIRONMENT: 'sandbox', ...account };
        decided ??= runCli(['decide', '--phone', '+12025550101', '--json'], { env }).finally(() => ending.abort());
      },
    });
    const { stdout } = (await decided) ?? { stdout: '{}' };
    const call = { result: 'unknown', error: 'SERVICE_ERROR' };
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'review',
      signals: { calls: [expect.objectContaining(call)] },
    });
  });

  it('refuses an invalid port and an unknown fault', async () => {
    expect((await runCli(['sandbox', '--port', '99999'])).exitCode).toBe(2);
    expect((await runCli(['sandbox', '--fault', 'resets'])).exitCode).toBe(2);
  });

  it('says so if the port is taken', async () => {
    const ending = new AbortController();
    let second: ReturnType<typeof runCli> | undefined;
    await runCli(['sandbox', '--port', '0', '--json'], {
      signal: ending.signal,
      onOutput: (stdout) => {
        second ??= runCli(['sandbox', '--port', new URL(JSON.parse(stdout).url).port]).finally(() => ending.abort());
      },
    });
    expect(await second).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('the port is taken') });
  });
});

describe('the process', () => {
  const main = resolve(import.meta.dirname, '../../src/cli/main.ts');

  it.skipIf(!existsSync('/dev/full'))('says so if its output cannot be written', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [main, 'facts'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect({ status, stderr: String(stderr) }).toEqual({
      status: 3,
      stderr: 'verdict: the output cannot be written (ENOSPC)\n',
    });
  });

  it('handles --env itself instead of Node', () => {
    const { status, stderr } = spawnSync(process.execPath, [main, 'decide', '--phone', '1', '--env', 'nowhere']);
    expect({ status, stderr: String(stderr) }).toEqual({ status: 3, stderr: 'verdict: nowhere cannot be read\n' });
  });
});
