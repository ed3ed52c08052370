import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CouldNotRunError, UsageError } from '../../../src/cli/io.ts';
import { clientOptionsOf, findProfile, readConfig } from '../../../src/cli/options/config.ts';
import { connect } from '../../../src/cli/options/service.ts';
import { SANDBOX_USERS, type Sandbox } from '../../../src/sandbox/index.ts';
import { CLIENT_DEFAULTS } from '../../../src/signals/options.ts';
import { silentIo } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { environmentOf, sandboxFor } from '../../support/signals/service.ts';

const PROFILE = `baseUrl: https://verify.example
    environment: sandbox
    usernameVariable: ACME_USERNAME
    passwordVariable: ACME_PASSWORD`;

/** Creates a file of profiles and returns its path. */
const fileOf = (text: string) => join(temporaryFolder({ 'verdict.config.yaml': text }), 'verdict.config.yaml');

const profiles = (lines: string) => fileOf(`profiles:\n  acme:\n    ${lines}\n`);

function problemsOf(file: string): string {
  try {
    readConfig(file);
  } catch (error) {
    if (error instanceof CouldNotRunError) return error.message;
    throw error;
  }
  throw new Error('the file has no problem');
}

function usageErrorOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('nothing is wrong');
}

describe('a file of profiles', () => {
  it('gives the options of a client, with secrets from the variables that a profile names', () => {
    const file = profiles(`${PROFILE}
    tokenPath: [data.token, token]
    timeoutMs: 8000
    maxPerSecond: 0.5
    maxCallsPerDay: 500
    resendAmbiguous: true`);
    const env = { ACME_USERNAME: 'acme', ACME_PASSWORD: 'hunter2' };
    expect(clientOptionsOf(findProfile(readConfig(file), 'acme'), env)).toEqual({
      baseUrl: 'https://verify.example',
      environment: 'sandbox',
      tokenPath: ['data.token', 'token'],
      timeoutMs: 8000,
      maxPerSecond: 0.5,
      maxCallsPerDay: 500,
      resendAmbiguous: true,
      username: 'acme',
      password: 'hunter2',
    });
  });

  it('accepts every option of the client that is a number or a switch', () => {
    const tuning = Object.entries(CLIENT_DEFAULTS).filter(([, value]) => ['number', 'boolean'].includes(typeof value));
    expect(tuning.length).toBeGreaterThan(10);
    const file = profiles([PROFILE, ...tuning.map(([name, value]) => `${name}: ${value}`)].join('\n    '));
    expect(findProfile(readConfig(file), 'acme').options).toMatchObject(Object.fromEntries(tuning));
  });

  it.each<[string, string, RegExp]>([
    ['an unknown key', `${PROFILE}\n    timeout: 8000`, /yaml:7:5: error\[unknown-key\]: this is not a key of a/],
    ['a misspelt key', `${PROFILE}\n    timeoutM: 8000`, /hint: did you mean "timeoutMs"\?/],
    ['a number out of range', `${PROFILE}\n    timeoutMs: 0`, /yaml:7:16: error\[wrong-value\]: timeoutMs has to be/],
    ['a text for a switch', `${PROFILE}\n    resendAmbiguous: "yes"`, /resendAmbiguous has to be true or false/],
    ['no base address', PROFILE.replace(/^base.*\n +/, ''), /a profile needs the key "baseUrl"/],
    ['an invalid base address', PROFILE.replace('https', 'ftp'), /yaml:3:14: error\[wrong-value\]: baseUrl has to/],
    ['an unknown environment', PROFILE.replace('sandbox', 'test'), /environment has to be sandbox or production/],
    ['a key without a value', PROFILE.replace('sandbox', ''), /error\[null-value\]: "environment" has no value/],
    ['a duplicate key', `${PROFILE}\n    environment: production`, /error\[duplicate-key\]/],
  ])('is refused with %s, at its position', (_, lines, said) => {
    expect(problemsOf(profiles(lines))).toMatch(said);
  });

  it('names an http address on another machine only with `allowClearText: true`, on whichever line', () => {
    const clear = PROFILE.replace('https', 'http');
    const refused = /^.*yaml:3:14: error\[wrong-value\]: baseUrl is http to another machine.*allowClearText: true$/m;
    for (const more of ['', '\n    allowClearText: false']) expect(problemsOf(profiles(clear + more))).toMatch(refused);
    for (const lines of [`${clear}\n    allowClearText: true`, `allowClearText: true\n    ${clear}`])
      expect(findProfile(readConfig(profiles(lines)), 'acme').options.allowClearText).toBe(true);
  });

  const SECRETS = [
    'hunter2-S3cret',
    '4711471147',
    '"4711 4711"',
    'true',
    '|hunter2',
    '*hunter2',
    'hunter2: x',
    '.inf',
    '[x',
  ];

  it.each(SECRETS)('never repeats a text in place of a variable name (%s)', (secret) => {
    const keys = ['password: ', 'passwordVariable: ', 'usernameVariable: '];
    for (const key of keys) {
      const text = problemsOf(profiles(`${PROFILE.replace(new RegExp(`${key}.*`), '')}\n    ${key}${secret}`));
      expect(text).toMatch(/yaml:\d+:\d+: error/);
      for (const part of secret.match(/[\w.]{3,}/g) ?? []) {
        expect(text.replaceAll('true or false', '').replace(/^.*needs the key.*$/gm, '')).not.toContain(part);
      }
    }
  });

  it('never repeats a text in place of a profile', () => {
    const text = problemsOf(fileOf('profiles:\n  username: acme\n  password: 47114711\n'));
    expect(text).toMatch(/yaml:2:13: error\[wrong-type\]: found a text; a profile must be a map/);
    expect(text).toMatch(/yaml:3:13: error\[wrong-type\]: found a number; a profile must be a map/);
  });

  it('says what to write instead of a secret', () => {
    const text = problemsOf(profiles(PROFILE.replace('ACME_PASSWORD', 'hunter2')));
    expect(text).toContain(
      'yaml:6:23: error[malformed]: "passwordVariable" is not the name of an environment variable',
    );
    expect(text).toContain('such as VERDICT_PASSWORD; the secret itself stays in the environment');
  });

  it('gives the position of a variable that is not set, but not its name: it may be a secret in capitals', () => {
    const profile = findProfile(readConfig(profiles(PROFILE)), 'acme');
    for (const env of [{ ACME_USERNAME: 'acme' }, { ACME_USERNAME: 'acme', ACME_PASSWORD: '' }]) {
      const text = usageErrorOf(() => clientOptionsOf(profile, env));
      expect(text).toMatch(/yaml:6:23: error\[wrong-value\]: the environment variable named here is not set$/);
      expect(text).not.toContain('ACME_PASSWORD');
    }
    expect(clientOptionsOf(profile, { ACME_USERNAME: 'acme', ACME_PASSWORD: 'x' }).password).toBe('x');
  });

  it('has a default, which must be one of its profiles', () => {
    const named = (name: string) => fileOf(`default: ${name}\nprofiles:\n  acme:\n    ${PROFILE}\n`);
    expect(findProfile(readConfig(named('acme'))).options.baseUrl).toBe('https://verify.example');
    expect(problemsOf(named('acmé'))).toMatch(
      /yaml:1:10: error\[wrong-value\]: `default` is not a profile of this file$/,
    );
    expect(usageErrorOf(() => findProfile(readConfig(profiles(PROFILE))))).toMatch(/no default.*--profile .*acme/);
  });

  it('suggests a near name for an unknown profile', () => {
    const config = readConfig(profiles(PROFILE));
    expect(usageErrorOf(() => findProfile(config, 'acne'))).toContain('did you mean "acme"');
    expect(usageErrorOf(() => findProfile(config, 'other'))).toContain('its profiles are acme');
  });

  it.each([
    ['', 'empty'],
    ['a list\n', 'map'],
    ['profiles: {}\n', 'empty map'],
    ['profiles: [x\n', 'yaml-syntax'],
  ])('is refused if it has another shape (%#)', (text, said) => expect(problemsOf(fileOf(text))).toContain(said));
});

/** A file with a profile for each sandbox, named one, two …, all with the same variables. */
function fileFor(...sandboxes: readonly Sandbox[]): string {
  const names = ['one', 'two'];
  const entries = sandboxes.map(
    ({ url }, i) => `  ${names[i]}:
    baseUrl: ${url}
    environment: sandbox
    usernameVariable: ACME_USERNAME
    passwordVariable: ACME_PASSWORD
`,
  );
  return fileOf(`default: one\nprofiles:\n${entries.join('')}`);
}

const { username = '', password = '' } = SANDBOX_USERS[0] ?? {};
const ACME = { ACME_USERNAME: username, ACME_PASSWORD: password };

/** Makes a call, which the connected service counts. */
async function ask(options: Parameters<typeof connect>[0], env: Readonly<Record<string, string>>): Promise<void> {
  const { client, close } = await connect(options, silentIo(env));
  try {
    await client.verify({ phoneNo: '+447700900461', clientReference: 'ONB-1' });
  } finally {
    await close();
  }
}

describe('the service of a command', () => {
  it('comes from the given profile, whatever the environment says', async () => {
    const [one, two, other] = [await sandboxFor(), await sandboxFor(), await sandboxFor()];
    const config = fileFor(one, two);
    await ask({ profile: 'two', config }, { ...environmentOf(other), ...ACME });
    await ask({ config }, { ...environmentOf(other), ...ACME });
    expect([one, two, other].map(({ counts }) => counts.verifies)).toEqual([1, 1, 0]);
  });

  it('comes from the environment, otherwise from the default profile in the working directory', async () => {
    const [one, other] = [await sandboxFor(), await sandboxFor()];
    const folder = join(fileFor(one), '..');
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(folder);
    await ask({}, environmentOf(other));
    expect([one, other].map(({ counts }) => counts.verifies)).toEqual([0, 1]);
    await ask({}, ACME);
    expect([one, other].map(({ counts }) => counts.verifies)).toEqual([1, 1]);
    // An incomplete environment is a mistake and must not lead to another account.
    await expect(ask({}, { ...ACME, VERDICT_USERNAME: 'a', VERDICT_PASSWORD: 'b' })).rejects.toThrow(
      'VERDICT_BASE_URL, VERDICT_ENVIRONMENT are not set',
    );
  });
});

describe('the options of a service', () => {
  it('of the client take precedence over the profile', async () => {
    const config = fileFor(await sandboxFor());
    const connecting = connect({ config }, silentIo(ACME), { timeoutMs: -1 });
    await expect(connecting).rejects.toThrow('timeoutMs has to be');
  });
});
