/** serve.yaml is read as a whole, with its paths and defaults, or refused with each mistake and its line. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  findClientSecret,
  findLogPlace,
  findStatePlace,
  findVelocityPlace,
  missingStores,
} from '../../src/service/config/places.ts';
import { readServeConfig, type ServeConfig, timeoutOf } from '../../src/service/config.ts';
import { ROOT } from '../support/docs/docs.ts';
import { policyOf, temporaryFolder } from '../support/policy/policy.ts';
import { ruleWhen } from '../support/policy/problems.ts';

function configOf(text: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'serve.yaml'), text);
  return { folder, config: () => readServeConfig(join(folder, 'serve.yaml')) };
}

const LEAST = 'policies: { onboarding: onboarding.yaml }\nkeysFile: keys.json\n';

/** A webhook in the fourth line. */
const WEBHOOK = (fields: string) => `audit: { dir: a }\nwebhooks: [{ urlVariable: U, ${fields} }]`;
const CASES = 'name: cases, secretVariable: S';
const TWICE = `\n  - { urlVariable: U, ${CASES}, kinds: [decision.made] }`.repeat(2);

const QUEUE = '{ name: a, within: 1 day }';

test('paths are relative to the file, and what it leaves out has a default', () => {
  const { folder, config } = configOf(LEAST);
  expect(config()).toEqual({
    file: join(folder, 'serve.yaml'),
    listen: { host: '127.0.0.1', port: 8080 },
    admin: { host: '127.0.0.1', port: 9090 },
    policies: new Map([['onboarding', join(folder, 'rules/onboarding.yaml')]]),
    mapping: join(folder, 'rules/signals.yaml'),
    state: { dir: join(folder, 'state') },
    keysFile: join(folder, 'keys.json'),
    queues: [{ name: 'default', withinMs: 86_400_000 }],
    limits: { inFlight: 256, rememberMs: 86_400_000, deadlineMs: 6000, drainMs: 5000 },
  });
});

test('private networks, and those of a cloud, may be those of proxies', () => {
  const own = ['127.0.0.1', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '35.191.0.0/16'];
  const all = [...own, '::1', 'fc00::/7', 'fe80::/10', '2600:1901::/32', '::ffff:10.0.0.0/104'];
  const { config } = configOf(`${LEAST}listen: { trustProxy: [${all.map((each) => `'${each}'`).join(', ')}] }`);
  expect(config().listen.trustProxy).toEqual(all);
});

test('every key is read', () => {
  const { folder, config } = configOf(`${LEAST}
listen: { host: 0.0.0.0, port: 0, trustProxy: [10.0.0.0/8] }
tls: { certFile: tls.crt, keyFile: tls.key, clientCaFile: /etc/ca.pem }
admin: { host: '::1', port: 1 }
profile: shop
services: [Identity Verification Service]
countryCode: US
rules: { folder: /rules, mapping: other.yaml }
audit: { dir: log, keys: keys, mode: best-effort }
state: { dir: /state }
queues: [{ name: one, codes: [A], rules: [b], policies: [c], within: 4 hours }, { name: rest, within: 1 day }]
limits: { inFlight: 2, rememberFor: 1 hour, deadline: 500 milliseconds, drain: 0 seconds }
`);
  expect(config()).toEqual({
    file: join(folder, 'serve.yaml'),
    listen: { host: '0.0.0.0', port: 0, trustProxy: ['10.0.0.0/8'] },
    tls: { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key'), clientCaFile: '/etc/ca.pem' },
    admin: { host: '::1', port: 1 },
    profile: 'shop',
    services: ['Identity Verification Service'],
    countryCode: 'US',
    policies: new Map([['onboarding', '/rules/onboarding.yaml']]),
    mapping: '/rules/other.yaml',
    audit: { dir: join(folder, 'log'), keys: join(folder, 'keys'), mode: 'best-effort' },
    state: { dir: '/state' },
    keysFile: join(folder, 'keys.json'),
    queues: [
      { name: 'one', codes: ['A'], rules: ['b'], policies: ['c'], withinMs: 14_400_000 },
      { name: 'rest', withinMs: 86_400_000 },
    ],
    limits: { inFlight: 2, rememberMs: 3_600_000, deadlineMs: 500, drainMs: 0 },
  });
});

const MAP = 'risk-analysts: [read, edit], risk-leads: [approve]';

function peopleOf(other: Readonly<Record<string, string>> = {}, map = MAP): string {
  const url = { origin: 'https://verdict.bank.example', issuer: 'https://login.bank.example/realms/a' };
  const client = { clientId: 'verdict', clientSecretVariable: 'OIDC_SECRET' };
  const all = { ...url, ...client, roles: `{ claim: groups, map: { ${map} } }`, ...other };
  const keys = Object.entries(all).map(([key, value]) => `${key}: ${value}`);
  return `${LEAST}people: { ${keys.join(', ')} }\naudit: { dir: log }`;
}

test('people are read with the roles of their groups', () => {
  const { people } = configOf(
    peopleOf({ origin: 'https://verdict.bank.example/', scopes: '[profile, groups]' }),
  ).config();
  expect(people).toEqual({
    origin: 'https://verdict.bank.example',
    issuer: 'https://login.bank.example/realms/a',
    clientId: 'verdict',
    clientSecretVariable: 'OIDC_SECRET',
    scopes: ['profile', 'groups'],
    roles: {
      claim: 'groups',
      map: new Map([
        ['risk-analysts', ['read', 'edit']],
        ['risk-leads', ['approve']],
      ]),
    },
  });
  const named = peopleOfIssuer(people);
  expect(named && findClientSecret(named, { OIDC_SECRET: 'canary' })).toBe('canary');
  expect(() => named && findClientSecret(named, {})).toThrow('OIDC_SECRET is not set: serve.yaml names it for');
});

const peopleOfIssuer = (people: ServeConfig['people']) => (people && 'issuer' in people ? people : undefined);

test('people are invited where there is no issuer', () => {
  const invited = (more: string) =>
    configOf(`${LEAST}audit: { dir: log }\npeople: { origin: 'http://localhost', ${more} }\n`);
  expect(invited('invite: true').config().people).toEqual({ origin: 'http://localhost', invite: true });
  expect(() => invited('invite: false').config()).toThrow('`invite` is true, or not there');
  expect(() => invited("invite: true, issuer: 'http://localhost'").config()).toThrow(
    '"issuer" is not a key of `people`',
  );
});

test('the example of the page on signing in is read', () => {
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/sign-in.md'), 'utf8')) ?? [];
  const { people } = configOf(`${LEAST}audit: { dir: log }\n${example}`).config();
  expect(peopleOfIssuer(people)?.roles.map.get('internal-audit')).toEqual(['read', 'audit']);
});

test('the whole configuration of the page on the workbench is read', () => {
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/workbench.md'), 'utf8')) ?? [];
  const { people, queues } = configOf(example).config();
  expect([peopleOfIssuer(people)?.roles.map.size, queues.length]).toEqual([4, 2]);
});

test.each(['http://127.0.0.1:8080', 'http://[::1]:1', 'http://localhost'])('%s may be without TLS', (url) => {
  expect(configOf(peopleOf({ origin: `'${url}'`, issuer: `'${url}'` })).config().people).toMatchObject({
    origin: url,
    issuer: url,
  });
});

test.each([
  [
    'an issuer without TLS',
    peopleOf({ issuer: 'http://login.bank.example' }),
    /:3:\d+: .*`issuer` is not a URL of https/,
  ],
  ['an origin without TLS', peopleOf({ origin: 'http://10.0.0.1' }), /:3:19: .*`origin` is not a URL of https/],
  [
    'a host that begins as this machine',
    peopleOf({ issuer: 'http://127.0.0.1.bank.example' }),
    /`issuer` is not a URL/,
  ],
  [
    'an origin with a path',
    peopleOf({ origin: 'https://a.example/b' }),
    /`origin` has a path.*\n.*write https:\/\/a\.example/,
  ],
  ['an issuer with a query', peopleOf({ issuer: 'https://a.example/?b' }), /`issuer` is not a URL/],
  [
    'an issuer with a password, without it',
    peopleOf({ issuer: 'https://a:canary@b.example' }),
    /^(?!.*canary).*`issuer`/s,
  ],
  [
    'a secret in place of its variable',
    peopleOf({ clientSecretVariable: 'can-ary' }),
    /^(?!.*can-ary).*not the name of/s,
  ],
  [
    'an issuer for everybody',
    peopleOf({ issuer: 'https://login.microsoftonline.com/common/v2.0' }),
    /`issuer` signs in people of every.*\n.*id of your tenant/,
  ],
  ['people who decide', peopleOf({}, 'a: [decide]'), /:3:\d+: .*one of read, review.*\n.*a key of a program/],
  ['people who are nodes', peopleOf({}, 'a: [node]'), /:3:\d+: .*one of read, review.*\n.*a key of a program/],
  ['a misspelt role', peopleOf({}, 'a: [aprove]'), /did you mean "approve"/],
  ['a group without roles', peopleOf({}, 'a: []'), /the roles of a group needs at least one/],
  ['no groups', peopleOf({}, ''), /`map` needs at least one/],
  [
    'people without a log',
    peopleOf().replace(/\naudit.*/, ''),
    /:3:9: .*`people` needs a log.*\n.*add `audit: \{ dir: audit/,
  ],
])('%s is refused', (_what, text, message) => {
  expect(configOf(text).config).toThrow(message);
});

function thrown(act: () => unknown): string {
  try {
    return `no error: ${act()}`;
  } catch (error) {
    return String(error);
  }
}

/** Below the least configuration, from the third line on; where each mistake is, and its code. */
const REFUSED: readonly (readonly [what: string, more: string, ...at: readonly string[]])[] = [
  ['a key of earlier versions', 'references: memory', '3:1 unknown-key'],
  ['a misspelt key inside', 'tls: { certfile: a, keyFile: b }', '3:8 unknown-key'],
  ['a time without a unit', 'limits: { deadline: 6 }', '3:21 wrong-type'],
  ['a unit that there is not', 'limits: { deadline: 6 secs }', '3:21 malformed'],
  ['a call that may take as long as its decision', 'limits: { timeout: 6 seconds }', '3:20 wrong-value'],
  ['no time to decide', 'limits: { deadline: 1 millisecond }', '3:21 wrong-value'],
  ['a port that there is not', 'listen: { port: 65536 }', '3:17 wrong-value'],
  ['a mode that there is not', 'audit: { dir: a, mode: lax }', '3:24 wrong-value'],
  ...[
    '0.0.0.0/0',
    '1.2.3.4/0',
    '0.0.0.0/1, 128.0.0.0/1',
    '0.0.0.0/1, 128.0.0.0/2, 192.0.0.0/2',
    Array.from({ length: 17 }, (_, i) => `${i + 1}.0.0.0/8`).join(', '),
    "'::/0'",
    "'2000::/3'",
    "'::/1', '8000::/1'",
    "'::/64'",
    "'::ffff:0.0.0.0/96'",
    "'::ffff:0:0/97', '::ffff:8000:0/97'",
  ].map((networks): [string, string, string] => [
    `proxies everywhere (${networks.slice(0, 40)})`,
    `listen: { host: 127.0.0.1, trustProxy: [${networks}] }`,
    '3:40 wrong-value',
  ]),
  ['no queue for the rest', 'queues: [{ name: a, codes: [A], within: 1 day }]', '3:9 wrong-value', '3:10 wrong-value'],
  ['a kind of event that there is not', WEBHOOK(`${CASES}, kinds: [decision.mad]`), '4:70 wrong-value'],
  ['a webhook without kinds', WEBHOOK(`${CASES}, reference: true`), '4:14 missing-key'],
  ['a webhook to all addresses', WEBHOOK(`${CASES}, kinds: [decision.made], allow: ['::/0']`), '4:93 wrong-value'],
  ['a reference that is not yes or no', WEBHOOK(`${CASES}, kinds: [decision.made], reference: 7`), '4:97 wrong-type'],
  ['a webhook without a log', `webhooks: [{ urlVariable: U, ${CASES}, kinds: [decision.made] }]`, '3:11 wrong-value'],
  ['two webhooks of one name', `audit: { dir: a }\nwebhooks:${TWICE}`, '5:3 duplicate-name'],
  [
    'a webhook whose name is none of a metric',
    WEBHOOK('name: a b, secretVariable: S, kinds: [decision.made]'),
    '4:11 malformed',
  ],
  ['keys by both of their names', 'audit: { dir: a, keys: b, keysDir: c }', '3:36 duplicate-name'],
  ['queues without a log', 'queues: [{ name: a, within: 1 day }]', '3:9 wrong-value'],
  [
    'a queue that takes all before another',
    `queues: [${QUEUE}, ${QUEUE}]`,
    '3:9 wrong-value',
    '3:10 wrong-value',
    '3:38 duplicate-name',
  ],
  ['one port twice', 'admin: { port: 8080 }', '3:16 duplicate-name'],
  ['a store of velocity that is nowhere', 'velocity: { keyFile: a }', '3:11 wrong-value'],
  ['connections of a file', 'velocity: { sqlite: a, connections: 3 }', '3:11 wrong-value'],
  ['no connections', 'velocity: { postgresVariable: A, connections: 0 }', '3:47 wrong-value'],
  ['half a database', 'state: { postgresVariable: URL }', '3:10 missing-key'],
  ['several mistakes', 'state: here\nadmin: { prt: 1 }', '3:8 wrong-type', '4:10 unknown-key'],
];

test.each(REFUSED)('%s is refused where it is', (_what, more, ...at) => {
  const { config } = configOf(`${LEAST}${more}`);
  const found = thrown(config).matchAll(/serve\.yaml:(\d+:\d+): error\[([\w-]+)\]/g);
  expect([...found].map(([, place, code]) => `${place} ${code}`)).toEqual(at);
});

test.each<readonly [what: string, text: string, message: RegExp]>([
  ['a file without the required keys', 'listen: { port: 1 }', /:1:1: .*needs the keys "policies" and "keysFile"/],
  ['a name for a URL', 'policies: { On boarding: a.yaml }\nkeysFile: k', /:1:13: .*small letters/],
  ['a misspelt key', `${LEAST}limit: { inFlight: 1 }`, /:3:1: .*"limit" is not a key.*\n.*did you mean "limits"\?/],
  ['clear text on the network', `${LEAST}listen: { host: 0.0.0.0 }`, /:3:17: .*no `tls`.*\n.*listen: { trustProxy/],
  [
    'a secret in place of its variable',
    `${LEAST}${WEBHOOK('name: cases, secretVariable: whsec_canary=, kinds: [decision.made]')}`,
    /^(?!.*canary).*:4:\d+: .*`secretVariable` is not the name of a variable/s,
  ],
  [
    'a key that a queue does not have, before its order',
    `${LEAST}audit: { dir: a }\nqueues: [{ name: a, tags: [A], within: 1 day }, { name: b, within: 1 day }]`,
    /^(?!.*last queue).*:4:\d+: .*"tags" is not a key of a queue/s,
  ],
  [
    'more reasons than there are keys',
    `${LEAST}audit: { dir: a }\nqueues: [{ name: a, reasons: { decline: [a, b, c, d, e, f, g, h, i, j] }, within: 1 day }]`,
    /`decline` has up to 9 texts/,
  ],
  [
    'a code to ask for that no log takes',
    `${LEAST}audit: { dir: a }\nqueues: [{ name: a, asks: [ID_CARD, '4 photos'], within: 1 day }]`,
    /:4:\d+: .*not a code\n.*a code like recheck/,
  ],
  ...Object.entries({
    '1h': /write "1 hour"/,
    '0.5 days': /write "12 hours"/,
    '2 weeks': /write "14 days"/,
    '30 seconds': /from 1 minute to 20 days, such as 4 hours/,
    '90': /a number and a unit, such as 4 hours/,
  }).map(
    ([within, message]) =>
      [
        `${within} for a queue`,
        `${LEAST}audit: { dir: a }\nqueues: [{ name: a, within: ${within} }]`,
        message,
      ] as const,
  ),
  [
    'a misspelt disposition of reasons',
    `${LEAST}audit: { dir: a }\nqueues: [{ name: a, reasons: { declined: [A] }, within: 1 day }]`,
    /did you mean "decline"/,
  ],
  [
    'a URL in place of its variable, without the URL',
    `${LEAST}state: { postgresVariable: 'postgres://secret', keyVariable: ${'ab'.repeat(32)} }`,
    /^(?!.*(?:secret|abab)).*:3:\d+: .*is not the name of a variable/s,
  ],
  ['text that is no YAML, without the text', `${LEAST}password: "secret`, /^(?!.*secret).*yaml-syntax/s],
])('%s is refused in words', (_what, text, message) => {
  expect(configOf(text).config).toThrow(message);
});

test('one port may be of two hosts, and 0 is any', () => {
  const { config } = configOf(`${LEAST}listen: { host: 127.0.0.1, port: 0 }\nadmin: { host: 127.0.0.1, port: 0 }`);
  expect(config().admin.port).toBe(0);
  expect(configOf(`${LEAST}admin: { host: 127.0.0.2, port: 8080 }`).config().admin.host).toBe('127.0.0.2');
});

test.each([
  ['counts', 'where: { outcome: reject }, ', '', /policy "test" reads velocity.sameIp, and there is no `velocity`/],
  ['counts what people say', 'where: { disposition: fraud }, ', 'velocity: { sqlite: v }', /people say.*no `audit`/],
  ['counts', '', 'velocity: { sqlite: v }', undefined],
])('a policy that %s needs a place for it', (_, where, more, expected) => {
  const { config } = configOf(`${LEAST}${more}`);
  const velocity = `velocity:\n  sameIp: { count: applications, by: ip, ${where}within: 1 day }\n`;
  const policies = [velocity, ''].map((each) =>
    policyOf(ruleWhen(each === '' ? '{ phone.type: voip }' : '{ velocity.sameIp: { atLeast: 3 } }', each)),
  );
  const problems = missingStores(config(), policies);
  expect(problems).toEqual(expected ? [expect.stringMatching(expected)] : []);
});

test('the index of a log may be on another disk', () => {
  const { config } = configOf(`${LEAST}audit: { dir: log, index: /var/cache/verdict }`);
  expect(findLogPlace(config(), {})).toEqual({
    dir: expect.stringMatching(/\/log$/),
    index: '/var/cache/verdict',
  });
});

test('the folder of keys still has the name that it had once', () => {
  const { config } = configOf(`${LEAST}audit: { dir: log, keysDir: keys }`);
  expect(config().audit?.keys).toMatch(/\/keys$/);
});

test('a call ends before its decision, whatever says how long it may take', () => {
  const timeoutIn = (limits: string, ofProfile?: number) =>
    timeoutOf(configOf(`${LEAST}limits: { ${limits} }`).config(), ofProfile);
  expect(timeoutIn('inFlight: 2')).toBe(5000);
  expect(timeoutIn('deadline: 12 seconds')).toBe(11_000);
  expect(timeoutIn('deadline: 500 milliseconds')).toBe(250);
  expect(timeoutIn('inFlight: 2', 2000)).toBe(2000);
  expect(timeoutIn('timeout: 3 seconds', 2000)).toBe(3000);
  expect(timeoutIn('timeout: 3 seconds', 10_000)).toBe(3000);
  expect(() => timeoutIn('inFlight: 2', 6000)).toThrow(/`timeoutMs` of the profile is 6000.*limits: { timeout: 5,?000/);
});

test('the state may be in PostgreSQL, by the names of its variables', () => {
  const names = { postgresVariable: 'STATE_URL', keyVariable: 'STATE_KEY' };
  const { config } = configOf(`${LEAST}state: { postgresVariable: STATE_URL, keyVariable: STATE_KEY }`);
  expect(config().state).toEqual(names);
  const env = { STATE_URL: 'postgres://canary', STATE_KEY: 'canary' };
  expect(findStatePlace(names, env)).toEqual({ postgres: 'postgres://canary', key: 'canary' });
  for (const name of ['STATE_URL', 'STATE_KEY']) {
    const find = () => findStatePlace(names, { ...env, [name]: '' });
    expect(find).toThrow(new RegExp(`^${name} is not set: (?!.*canary)`));
  }
});

test('applications are counted in a file or a server, with the key of the log or of a file', () => {
  const placeOf = (text: string) => {
    const { config } = configOf(LEAST + text);
    const { file } = config();
    const place = findVelocityPlace(config(), { URL: 'redis://canary' });
    return JSON.parse(JSON.stringify(place ?? null).replaceAll(file.replace(/[^/]*$/, ''), ''));
  };
  expect(placeOf('')).toBe(null);
  expect(placeOf('velocity: { sqlite: a }')).toEqual({ sqlite: 'a' });
  expect(placeOf('velocity: { sqlite: a }\naudit: { dir: log }')).toEqual({ sqlite: 'a', keys: { dir: 'log' } });
  expect(placeOf('velocity: { redisVariable: URL, keyFile: b }\naudit: { dir: log }')).toEqual({
    ...{ redis: 'redis://canary', keyFile: 'b' },
  });
  expect(placeOf('velocity: { postgresVariable: URL, connections: 3 }')).toMatchObject({ connections: 3 });
  expect(() => placeOf('velocity: { postgresVariable: OTHER }')).toThrow(/^OTHER is not set: (?!.*canary)/);
});

test('a file that is not there is said', () => {
  expect(() => readServeConfig('/nowhere/serve.yaml')).toThrow(/no such file: there is no folder \/nowhere/);
});
