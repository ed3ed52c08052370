import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PERSONAS } from '../../../src/sandbox/index.ts';
import { type RunSetting, runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';
import { environmentOf, sandboxFor, serviceThat } from '../../support/signals/service.ts';

const risky = PERSONAS.find(({ name }) => name === 'ported-risky-email');
if (!risky) throw new Error('the sandbox has no such persona');
const WHO = ['--phone', `+${risky.phoneNo}`, '--email', risky.email, '--ip', risky.ip];
const AT = ['--at', '2026-11-20'];

const decide = (args: readonly string[], setting?: RunSetting) => runCli(['decide', ...args], setting);

/** Expects no stack and no data of the applicant or the account. */
function expectClean(stderr: string): void {
  expect(stderr).not.toMatch(/\n\s+at |node:internal|AxiosError/);
  for (const secret of [risky?.phoneNo, risky?.email, risky?.ip, 'sandbox-password', '127.0.0.1']) {
    expect(stderr).not.toContain(secret);
  }
}

describe('verdict decide --sandbox', () => {
  it('prints the outcome, each reason with its values, and the undetermined rules', async () => {
    const { exitCode, stdout, stderr } = await decide([...WHO, '--sandbox', ...AT, '--reference', 'ONB-7731']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^REVIEW {2}ONB-7731, 2026-11-20T00:00:00\.000Z, policy onboarding /);
    expect(stdout).toContain(
      'PORTED_AND_RISKY_EMAIL: Number ported 7 days ago; email risk is high.\n    rule port-and-email, review, ',
    );
    expect(stdout).toContain('phone.porting.portedDate lies within the last 30 days: 2026-11-13');
    expect(stdout).toContain('email.address.riskLevel is at least high: high');
  });

  it('prints the decision itself with --json, and with --format json', async () => {
    for (const flags of [['--json'], ['--format', 'json']]) {
      const { stdout } = await decide([...WHO, '--sandbox', ...AT, ...flags]);
      expect(JSON.parse(stdout)).toMatchObject({ outcome: 'review', decidedAt: '2026-11-20T00:00:00.000Z' });
    }
  });

  it('prints with --with-facts what evaluate and explain read, with the same result', async () => {
    const folder = temporaryFolder({
      'policy.yaml': `${HEAD}facts:
  context.channel: { type: enum, values: [web, branch] }
  context.income: { type: number, personal: true }
  context.double: { type: number, compute: { product: [context.income, 2] } }
lists: { known: [${risky.email}] }
rules:
  - { id: known, when: { applicant.email: { inList: known } }, then: review }
  - { id: rich, when: { context.double: { above: 50 } }, then: review }
  - { id: web, when: { context.channel: web, applicant.emailDomain: { endsWith: example } }, then: review }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, then: review }
  - { id: abroad, when: { phone.country: { isNot: US } }, then: reject }
`,
    });
    const policy = ['--policy', join(folder, 'policy.yaml')];
    const given = ['--context', 'channel=web', '--context', 'income=40', '--reference', 'ONB-7731', '--sandbox', ...AT];
    const decided = async (...which: string[]) => {
      const { exitCode, stdout, stderr } = await decide([
        ...WHO,
        ...policy,
        ...given,
        '--json',
        '--with-facts',
        ...which,
      ]);
      expect({ exitCode, stderr, lines: stdout.split('\n').length }).toEqual({ exitCode: 0, stderr: '', lines: 2 });
      const line = ['--facts', '-'];
      const evaluated = await runCli(['evaluate', ...policy, ...line], { stdin: stdout });
      const explained = await runCli(['explain', join(folder, 'policy.yaml'), ...line, '--json'], { stdin: stdout });
      return { stdout, decision: JSON.parse(stdout).decision, evaluated, explained: JSON.parse(explained.stdout) };
    };
    const all = await decided('including-personal-data');
    expect(all.decision).toMatchObject(JSON.parse(all.evaluated.stdout));
    expect(all.decision).toMatchObject({ outcome: 'review', clientReference: 'ONB-7731' });
    expect(all.decision.reasons.map((reason: { rule?: string }) => reason.rule)).toEqual([
      ...['known', 'rich', 'web', 'ported'],
    ]);
    expect(all.explained.outcome).toBe('review');
    const without = await decided();
    for (const personal of [risky.phoneNo, risky.email, risky.ip, 'ONB-7731', '"context.income"']) {
      expect(without.stdout).not.toContain(personal);
    }
    const { undetermined, reasons } = JSON.parse(without.evaluated.stdout);
    expect(undetermined.map((rule: { rule: string }) => rule.rule)).toEqual(['known', 'rich']);
    expect(reasons).toContainEqual(expect.objectContaining({ rule: 'web', because: 'fired' }));
    for (const wrong of [
      ['--with-facts'],
      ['--with-facts', '--json', '--explain'],
      ['--with-facts', 'all', '--json'],
    ]) {
      expect((await decide([...WHO, '--sandbox', ...wrong])).exitCode).toBe(2);
    }
  });

  it('exits with 1 under --exit-code if the decision is not accept', async () => {
    const clean = PERSONAS[0];
    expect((await decide([...WHO, '--sandbox', '--exit-code'])).exitCode).toBe(1);
    const who = ['--phone', clean?.phoneNo ?? '', '--email', clean?.email ?? '', '--ip', clean?.ip ?? ''];
    expect((await decide([...who, '--sandbox', '--exit-code'])).exitCode).toBe(0);
  });

  it("reads the policy's own facts by type", async () => {
    const folder = temporaryFolder({
      'own.yaml': `${HEAD}facts:
  context.limit: { type: number }
  context.known: { type: boolean }
rules:
  - { id: limit, when: { context.limit: { above: 10 }, context.known: false }, then: reject }
`,
    });
    const policy = ['--policy', join(folder, 'own.yaml')];
    const context = ['--context', 'limit=10.5', '--context', 'known=false'];
    const { stdout } = await decide([...WHO, '--sandbox', ...policy, ...context]);
    expect(stdout).toMatch(/^REJECT/);
    const wrong = await decide([...WHO, '--sandbox', ...policy, '--context', 'limit=much']);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: 'verdict: --context limit: expected a number\n' });
    const unknown = await decide([...WHO, '--sandbox', ...policy, '--context', 'limits=1']);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('did you mean "limit"');
    const prefixed = await decide([...WHO, '--sandbox', ...policy, '--context', 'context.limit=1']);
    expect(prefixed.exitCode).toBe(2);
    expect(prefixed.stderr).toContain('leave out the prefix: limit=…');
  });

  it.each([
    ['type: date', '01/02/2000', 'expected a day as yyyy-MM-dd, or never'],
    ['type: integer', '2.5', 'expected a whole number'],
    ['type: level', 'severe', 'expected one of veryLow, low, medium, high, veryHigh'],
    ['type: string, format: country', 'Atlantis', 'the value is not a country code of two letters, such as GB'],
  ])('refuses a value that a fact of { %s } cannot have: %s', async (declaration, value, problem) => {
    const text = `${HEAD}facts:\n  context.own: { ${declaration} }\n`;
    const policy = ['--policy', join(temporaryFolder({ 'own.yaml': text }), 'own.yaml')];
    const refused = await decide([...WHO, '--sandbox', ...policy, '--context', `own=${value}`]);
    expect(refused).toMatchObject({ exitCode: 2, stderr: `verdict: --context own: ${problem}\n` });
  });

  it('requests further services and sends their variables', async () => {
    const person = PERSONAS.find(({ name }) => name === 'composite-mismatch');
    const who = ['--phone', person?.phoneNo ?? '', '--email', person?.email ?? '', '--ip', person?.ip ?? ''];
    const variables = Object.entries(person?.variables ?? {}).flatMap(([name, value]) => [
      '--variable',
      `${name}=${value}`,
    ]);
    const { stdout } = await decide([...who, '--service', 'Global KYC', ...variables, '--sandbox', '--json']);
    expect(JSON.parse(stdout).reasons).toContainEqual(expect.objectContaining({ because: 'fired', decisive: true }));
    expect(stdout).toContain('identity.verified');
  });

  it('prints no control characters from outside', async () => {
    const { stdout } = await decide([...WHO, '--sandbox', '--reference', 'a\u202eb']);
    expect(stdout).toContain('a\\u{202e}b');
  });
});

describe('verdict decide against a service', () => {
  it('reads its settings from the environment or from a file', async () => {
    const sandbox = await sandboxFor();
    const env = environmentOf(sandbox);
    expect((await decide(WHO, { env })).stdout).toMatch(/^REVIEW/);
    const text = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
    const file = join(temporaryFolder({ 'service.env': text.join('') }), 'service.env');
    expect((await decide([...WHO, '--env', file])).stdout).toMatch(/^REVIEW/);
    expect(sandbox.counts.verifies).toBe(2);
  });

  it('says how to begin if no service is set', async () => {
    const { exitCode, stderr } = await decide(WHO);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--sandbox');
    expect(stderr).toContain('VERDICT_BASE_URL');
  });

  it.each([
    [{ VERDICT_BASE_URL: 'http://127.0.0.1:9' }, 'VERDICT_ENVIRONMENT, VERDICT_USERNAME, VERDICT_PASSWORD are not set'],
    [{ ...environmentOf({ url: 'x' }), VERDICT_ENVIRONMENT: 'test' }, 'is neither sandbox nor production'],
    [environmentOf({ url: 'ftp://127.0.0.1' }), 'baseUrl'],
    [environmentOf({ url: 'http://10.66.77.88' }), 'or a profile of verdict.config.yaml with allowClearText: true'],
  ])('names the wrong setting (%#)', async (env, said) => {
    const { exitCode, stderr } = await decide(WHO, { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(said);
    expectClean(stderr);
  });

  it('asks the production service only with --mapping', async () => {
    const sandbox = await sandboxFor({ environment: 'production' });
    const env = { ...environmentOf(sandbox), VERDICT_ENVIRONMENT: 'production' };
    const { exitCode, stderr } = await decide(WHO, { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('add --mapping');
    expect(sandbox.counts).toMatchObject({ signIns: 0, verifies: 0 });
    const mapped = await decide([...WHO, '--mapping', 'rules/signals.yaml'], { env });
    expect(mapped.exitCode).toBe(0);
    expect(sandbox.counts.verifies).toBe(1);
  });

  const html = (contentType: string) =>
    serviceThat((_, response) => {
      response.writeHead(200, { 'Content-Type': contentType });
      response.end('<!doctype html><title>Welcome</title>');
    });

  it.each<[string, () => Promise<Record<string, string>>, string]>([
    ['that is unreachable', async () => environmentOf({ url: 'http://127.0.0.1:1' }), 'UNREACHABLE'],
    [
      'that refuses the password',
      async () => ({ ...environmentOf(await sandboxFor()), VERDICT_PASSWORD: 'wrong-password' }),
      'SIGN_IN_REFUSED',
    ],
    ['that answers HTML', async () => environmentOf(await html('text/html')), 'ANSWER_UNREADABLE'],
  ])('%s leads to review, one message and exit code 3', async (_, environment, code) => {
    const { exitCode, stdout, stderr } = await decide([...WHO, '--json'], { env: await environment() });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'review', signals: { calls: [{ error: code }] } });
    expect(stderr).toMatch(/^verdict: the verification service gave no answer: .+\n$/);
    expectClean(stderr);
    expect(stderr).not.toContain('wrong-password');
  });
});

describe('a wrong command line', () => {
  it.each<[string, readonly string[], string]>([
    ['no applicant', ['--sandbox'], 'no applicant: give --phone'],
    ['an impossible day', [...WHO, '--sandbox', '--at', '2026-02-30'], 'yyyy-MM-dd'],
    ['a time without a zone', [...WHO, '--sandbox', '--at', '2026-11-20T12:00:00'], 'like 2026-11-20T12:00:00Z'],
    [
      'a name with two values',
      [...WHO, '--sandbox', '--context', 'channel=a', '--context', 'channel=b'],
      'Expected each name once',
    ],
    [
      'a variable with two values',
      [...WHO, '--sandbox', '--variable', '__proto__=a', '--variable', '__proto__=b'],
      'Expected each name once',
    ],
  ])('with %s exits with 2', async (_, args, said) => {
    const { exitCode, stdout, stderr } = await decide(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(said);
  });

  it.each<[string, readonly string[], string]>([
    ['policy', ['--policy', 'nowhere.yaml'], 'nowhere.yaml: error[file-unreadable]: no such file'],
    ['mapping', ['--mapping', 'nowhere.yaml'], 'nowhere.yaml: error[file-unreadable]: no such file'],
    ['environment file', ['--env', 'nowhere.env'], 'nowhere.env cannot be read'],
  ])('with a missing %s exits with 3', async (_, args, said) => {
    const { exitCode, stderr } = await decide([...WHO, ...args]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(said);
  });

  it('with an email without @ prints a warning and decides without the email', async () => {
    const { exitCode, stdout } = await decide(['--phone', `+${risky.phoneNo}`, '--email', 'mallory', '--sandbox']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('email has no @; it was left out');
    expect(stdout).not.toContain('mallory');
  });
});

it('Ctrl-C ends a call that takes too long', async () => {
  const ending = new AbortController();
  const service = await serviceThat(() => ending.abort());
  const ran = await decide(WHO, { env: environmentOf(service), signal: ending.signal });
  expect(ran).toMatchObject({ exitCode: 130, stdout: '' });
  expect(ran.stderr).toMatch(/^verdict: the decision was ended/);
});
