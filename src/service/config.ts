/** serve.yaml -> the configuration of the service, or every problem of the file with its line. */

import { dirname, resolve } from 'node:path';
import { CODE } from '../audit/entry/schema.ts';
import { VerdictError } from '../errors.ts';
import { reportAt } from '../platform/files/source.ts';
import { UNIT_MS } from '../platform/files/times.ts';
import type { Yaml } from '../platform/yaml.ts';
import { readBoolean, readItems, readMap, readOneOf, readText } from '../platform/yaml-fields.ts';
import { count, joinWords } from '../text.ts';
import { ROLES, type Role } from './auth/roles.ts';
import { readConfigFile } from './config/read-file.ts';
import {
  duration,
  fieldsOf,
  httpUrl,
  integer,
  LOOPBACK,
  networks,
  nodeAt,
  type Of,
  oneOf,
  path,
  port,
  type Read,
  text,
  texts,
  variable,
} from './config/values.ts';
import { NEWS } from './webhooks/news.ts';

/** URLs, labels of metrics and log lines contain it. */
const POLICY_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

const policies: Read<ReadonlyMap<string, string>> = (node, what) => {
  const map = readMap(node, what);
  if (!map) return undefined;
  const files = new Map<string, string>();
  for (const [name, { key, value }] of map.entries) {
    const file = readText(value, `the file of a policy`);
    if (!POLICY_NAME.test(name))
      reportAt(key, 'malformed', 'the name of a policy has small letters, digits, dots and dashes');
    else if (file !== undefined) files.set(name, file);
  }
  return files;
};

const folderState = fieldsOf({ dir: path }, {});
/** Of PostgreSQL: how many there are at most. */
const connections = integer(1, 1000);
/** The variables with the URL of PostgreSQL, and with the secret of the hashes. */
const postgresState = fieldsOf({ postgresVariable: variable, keyVariable: variable }, { connections });

const state: Read<Of<typeof folderState> | Of<typeof postgresState>> = (node, what) => {
  const isPostgres = ['postgresVariable', 'keyVariable'].some((key) => nodeAt(node, key));
  return isPostgres ? postgresState(node, what) : folderState(node, what);
};

const auditMode = oneOf('required', 'best-effort');
// `keysDir` was its name once.
const folderAudit = fieldsOf({ dir: path }, { keys: path, keysDir: path, index: path, mode: auditMode });
/** Keys in a database, by default that of the log; the master key as 64 hexadecimal digits. */
const databaseKeys = fieldsOf({}, { postgresVariable: variable, masterKeyVariable: variable, masterKeyFile: path });
const keysOfDatabase: Read<string | Of<typeof databaseKeys>> = (node, what) => {
  if (node.kind !== 'map') return path(node, what);
  const keys = databaseKeys(node, what);
  if (!keys || (keys.masterKeyVariable === undefined) !== (keys.masterKeyFile === undefined)) return keys;
  return reportAt(node, 'wrong-value', `${what} needs one of masterKeyVariable and masterKeyFile`);
};
const postgresAudit = fieldsOf({ postgresVariable: variable, keys: keysOfDatabase }, { mode: auditMode });

const audit: Read<Of<typeof folderAudit> | Of<typeof postgresAudit>> = (node, what) =>
  nodeAt(node, 'postgresVariable') ? postgresAudit(node, what) : folderAudit(node, what);

/** A file, or the variable with the URL of a server; `keyFile`: of the hashes. Default: the key of the log. */
const velocityFields = fieldsOf(
  {},
  { sqlite: path, postgresVariable: variable, redisVariable: variable, keyFile: path, connections },
);

const STORES = ['sqlite', 'postgresVariable', 'redisVariable'] as const;

const velocity: typeof velocityFields = (node, what) => {
  const fields = velocityFields(node, what);
  if (!fields) return fields;
  if (STORES.filter((key) => nodeAt(node, key)).length !== 1) {
    return reportAt(node, 'wrong-value', `${what} needs one of ${STORES.join(', ')}`);
  }
  if (nodeAt(node, 'postgresVariable') || !nodeAt(node, 'connections')) return fields;
  return reportAt(node, 'wrong-value', '`connections` are those of `postgresVariable`');
};

/** A page gives each a key: 1 to 9. */
const MOST_REASONS = 9;

const reasonTexts: Read<readonly string[]> = (node, what) => {
  const read = texts(node, what);
  if (read && read.length <= MOST_REASONS && read.every((each) => each.length <= 200)) return read;
  return read && reportAt(node, 'wrong-value', `${what} has up to ${MOST_REASONS} texts of up to 200 characters`);
};

/** The log has them in clear. */
const asks: Read<readonly string[]> = (node, what) =>
  readItems(node, what)?.flatMap((item) => {
    const code = readText(item, `an entry of ${what}`);
    if (code === undefined || CODE.is(code)) return code ?? [];
    return reportAt(item, 'malformed', 'this is not a code', { hint: `expected ${CODE.expected}` }) ?? [];
  });

/** What a queue takes: decisions with one of these. */
const TAKES = ['codes', 'undetermined', 'rules', 'policies', 'outage'] as const;

const queue = fieldsOf(
  { name: text, within: duration(UNIT_MS.minute) },
  {
    // `codes` that decided, `rules` that fired; `undetermined`: codes of rules that are open.
    ...{ codes: texts, undetermined: texts, rules: texts, policies: texts },
    // Reviews that only an outage made.
    outage: (node, what) => readBoolean(node, what),
    // The paths of facts that its list shows, none of them personal.
    show: texts,
    // What a caller may be asked for.
    asks,
    // Why a person decides.
    reasons: fieldsOf({}, { approve: reasonTexts, decline: reasonTexts }),
  },
);

/** The last one takes what no other does, so it asks for nothing. */
const queues: Read<readonly Queue[]> = (node, what) => {
  const items = readItems(node, what) ?? [];
  const { diagnostics } = node.source;
  const before = diagnostics.length;
  const read = items.flatMap((item) => queue(item, 'a queue') ?? []);
  // What a queue asks for is known once its keys are right.
  const areRight = diagnostics.length === before;
  const names = new Set<string>();
  for (const [i, { name, ...given }] of read.entries()) {
    const item = items[i] ?? node;
    if (names.has(name)) reportAt(item, 'duplicate-name', `two queues are named "${name}"`);
    names.add(name);
    const asksForNothing = !TAKES.some((key) => given[key]);
    if (areRight && asksForNothing !== (i === read.length - 1)) {
      const keys = joinWords(TAKES.map((key) => `\`${key}\``));
      const hint = `write it last, without ${keys}; all others have one of these`;
      reportAt(item, 'wrong-value', 'the last queue takes what no other takes', { hint });
    }
  }
  return read.map(({ within, ...others }) => ({ ...others, withinMs: within }));
};

/** `allow`: addresses that are not of the internet, or have no TLS; `reference`: whether events have it. */
const webhook = fieldsOf(
  {
    ...{ name: text, urlVariable: variable, secretVariable: variable },
    kinds: (node, what) => readItems(node, what)?.flatMap((item) => readOneOf(item, 'a kind', NEWS) ?? []),
  },
  { reference: (node, what) => readBoolean(node, what), allow: networks },
);

/** The state knows a webhook by its name, and so do metrics. */
const webhooks: Read<readonly Webhook[]> = (node, what) => {
  const read = readItems(node, what)?.flatMap((item) => webhook(item, 'a webhook') ?? []) ?? [];
  const names = read.map(({ name }) => name);
  if (new Set(names).size < names.length) reportAt(node, 'duplicate-name', 'two webhooks have one name');
  if (names.every((name) => POLICY_NAME.test(name))) return read;
  return reportAt(node, 'malformed', 'the name of a webhook has small letters, digits, dots and dashes');
};

/** Where browsers reach the service: its redirect URI and the names of its cookies depend on it. */
const origin: Read<string> = (node, what) => {
  const written = httpUrl(node, what, 'https://verdict.bank.example');
  if (written === undefined) return undefined;
  const { origin, pathname } = new URL(written);
  return pathname === '/' ? origin : reportAt(node, 'malformed', `${what} has a path`, { hint: `write ${origin}` });
};

/** A decision is asked for by a program, which repeats it under its reference; `node` is for machines too. */
const OF_PROGRAMS = ['decide', 'node'];
const OF_PEOPLE = ROLES.filter((role) => !OF_PROGRAMS.includes(role));

/** Whose tenants make their own groups and roles: an issuer for all of them would let in whom nobody here knows. */
const FOR_ALL_TENANTS = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)\b/i;

const issuer: Read<string> = (node, what) => {
  const url = httpUrl(node, what, 'https://login.bank.example/realms/staff');
  if (url === undefined || !FOR_ALL_TENANTS.test(url)) return url;
  const hint = 'write the id of your tenant, as in https://login.microsoftonline.com/<id>/v2.0';
  return reportAt(node, 'wrong-value', `${what} signs in people of every organisation`, { hint });
};

const onlyTrue =
  (hint: string): Read<true> =>
  (node, what) =>
    readBoolean(node, what) === false ? reportAt(node, 'wrong-value', `${what} is true, or not there`, { hint }) : true;

const roleOfPeople: Read<Role> = (node, what) => {
  const isOfPrograms = node.kind === 'scalar' && OF_PROGRAMS.includes(node.written);
  const hint = 'people do not have it: give it to a key of a program, with `verdict key add`';
  return readOneOf(node, what, OF_PEOPLE, isOfPrograms ? { answer: { hint } } : {});
};

const rolesByGroup: Read<ReadonlyMap<string, readonly Role[]>> = (node, what) => {
  const entries = readMap(node, what)?.entries ?? new Map<string, never>();
  const read = [...entries].map(([group, { value }]) => {
    const roles = readItems(value, 'the roles of a group')?.flatMap((item) => roleOfPeople(item, 'a role') ?? []);
    return [group, roles ?? []] as const;
  });
  return new Map(read);
};

/** Of a pilot without an issuer: `verdict people invite` lets in whom somebody knows. */
const invitedPeople = fieldsOf({ origin, invite: onlyTrue('name the `issuer` instead') }, {});

const peopleOfIssuer = fieldsOf(
  {
    ...{ origin, issuer, clientId: text, clientSecretVariable: variable },
    // The claim with a person's groups, and the roles of each group.
    roles: fieldsOf({ claim: text, map: rolesByGroup }, {}),
  },
  // What the issuer is asked for besides `openid`. Default: `profile`.
  { scopes: texts },
);

const people: Read<Of<typeof invitedPeople> | Of<typeof peopleOfIssuer>> = (node, what) =>
  nodeAt(node, 'invite') ? invitedPeople(node, what) : peopleOfIssuer(node, what);

/** `mapping`: the file of the mapping of answers to facts. */
const folderRules = fieldsOf({}, { folder: path, mapping: text });
/** Of the releases of the log alone. `seen`: the file with the highest number that this machine has loaded. */
const releasedRules = fieldsOf({ releases: onlyTrue('write `folder` instead'), trust: path }, { seen: path });
const rules: Read<Of<typeof folderRules> | Of<typeof releasedRules>> = (node, what) =>
  nodeAt(node, 'releases') ? releasedRules(node, what) : folderRules(node, what);

const readRoot = fieldsOf(
  // The file of each policy, by its name in the API.
  { policies, keysFile: path },
  {
    /** `trustProxy`: the addresses of proxies whose `X-Forwarded-For` is believed. */
    listen: fieldsOf({}, { host: text, port, trustProxy: networks }),
    tls: fieldsOf({ certFile: path, keyFile: path }, { clientCaFile: path }),
    /** Where health and metrics are. */
    admin: fieldsOf({}, { host: text, port }),
    /** The profile of verdict.config.yaml; without it the `VERDICT_…` variables name the verification service. */
    profile: text,
    // As the options of a decider.
    ...{ services: texts, countryCode: text },
    rules,
    audit,
    state,
    /** Where applications are counted. None: nowhere. */
    velocity,
    queues,
    /** None: keys alone are let in. */
    people,
    webhooks,
    /** By which URL callers reach the service, without a slash at the end. */
    publicUrl: origin,
    limits: fieldsOf(
      {},
      {
        inFlight: integer(1, 100_000),
        rememberFor: duration(UNIT_MS.minute),
        deadline: duration(100),
        /** Of a call to the verification service; see `timeoutOf`. */
        timeout: duration(1),
        drain: duration(0),
      },
    ),
  },
);

/** A queue of cases: those of decisions with one of what it names; the last one has all others. */
export type Queue = Omit<Of<typeof queue>, 'within'> & {
  /** Its cases are due after this time. */
  readonly withinMs: number;
};

/** Where events are sent to. */
export type Webhook = Of<typeof webhook>;

/** How people sign in at an OpenID Connect issuer. */
export type People = Of<typeof peopleOfIssuer>;

/** The configuration of the service. Paths are absolute, times are in milliseconds. */
export type ServeConfig = ReturnType<typeof withDefaults>;

/** Reads serve.yaml. Throws CONFIGURATION_INVALID with every problem of the file and its line. */
export function readServeConfig(file: string): ServeConfig {
  const howToBegin = '`verdict init` makes one; `verdict serve --try` needs none';
  const read = readConfigFile(file, { name: 'serve.yaml', howToBegin }, (root) => {
    const found = readRoot(root, 'serve.yaml');
    if (!found) return undefined;
    checkListen(root, found);
    checkRecords(root, found);
    checkTimeout(root, found);
    return found;
  });
  return withDefaults(resolve(file), read);
}

/** Whether callers reach the service through proxies alone, which have the TLS that it has not. */
export function isBehindProxies({ listen, tls }: Pick<ServeConfig, 'listen' | 'tls'>): boolean {
  return !(tls || LOOPBACK.includes(listen.host));
}

type Root = NonNullable<ReturnType<typeof readRoot>>;

/** Where a service listens by default. */
const LOCAL = '127.0.0.1';
const PORTS = { listen: 8080, admin: 9090 };

/** Keys and applicants cross the network in clear text only if somebody said that a proxy in front has TLS. */
function checkListen(root: Yaml, { listen, tls, admin }: Root): void {
  const ports = [listen?.port ?? PORTS.listen, admin?.port ?? PORTS.admin];
  if (ports[0] === ports[1] && ports[0] !== 0 && (listen?.host ?? LOCAL) === (admin?.host ?? LOCAL)) {
    const node = nodeAt(root, 'admin', 'port') ?? nodeAt(root, 'listen', 'port') ?? root;
    reportAt(node, 'duplicate-name', '`admin` and `listen` have the same port', { hint: 'give one of them another' });
  }
  const host = listen?.host;
  if (host === undefined || LOOPBACK.includes(host) || tls || listen?.trustProxy) return;
  const node = nodeAt(root, 'listen', 'host') ?? root;
  const hint = 'add `tls`, or `listen: { trustProxy: [10.0.0.0/8] }` if a proxy with these addresses has TLS';
  reportAt(node, 'wrong-value', '`host` is reached from other machines, and there is no `tls`', { hint });
}

/** What people do goes on record; cases and events are made from the log. */
function checkRecords(root: Yaml, read: Root): void {
  const { audit, state: kept } = read;
  if (audit && 'postgresVariable' in audit) {
    const isShared = kept && 'postgresVariable' in kept && kept.postgresVariable === audit.postgresVariable;
    const hint = `write \`state: { postgresVariable: ${audit.postgresVariable}, keyVariable: … }\``;
    const problem = 'a log in a database opens its cases in the same transaction, and `state` is elsewhere';
    if (!isShared) reportAt(nodeAt(root, 'audit') ?? root, 'wrong-value', problem, { hint });
  } else if (audit?.keys && audit.keysDir) {
    const hint = 'take `keysDir` out: it was the name of `keys` once';
    reportAt(nodeAt(root, 'audit', 'keysDir') ?? root, 'duplicate-name', 'the folder of keys is there twice', { hint });
  }
  const hasReleases = read.rules && 'releases' in read.rules;
  for (const key of ['people', 'queues', 'webhooks', ...(hasReleases ? (['rules'] as const) : [])] as const) {
    if (!read[key] || read.audit) continue;
    const hint = 'add `audit: { dir: audit }`, and make that log with `verdict audit init audit`';
    reportAt(nodeAt(root, key) ?? root, 'wrong-value', `\`${key}\` needs a log, and there is no \`audit\``, { hint });
  }
}

/** A call that its decision ends says less of the verification service than one that ends by itself. */
function checkTimeout(root: Yaml, { limits }: Root): void {
  const { timeout, deadline = DEADLINE_MS } = limits ?? {};
  if (timeout === undefined || timeout < deadline) return;
  const hint = `a decision has ${count(deadline, 'millisecond')}: write less, or a longer \`deadline\``;
  reportAt(nodeAt(root, 'limits', 'timeout') ?? root, 'wrong-value', 'a call has as long as its decision', { hint });
}

/** The deadline of a decision by default, and by how much a call to the verification service ends earlier. */
const [DEADLINE_MS, EARLIER_MS] = [6 * UNIT_MS.second, UNIT_MS.second];

/**
 * How long a call to the verification service may take, in milliseconds: less than its decision. Throws
 * CONFIGURATION_INVALID for a profile that allows more.
 *
 * @param ofProfile `timeoutMs` of the profile, which counts where serve.yaml says nothing
 */
export function timeoutOf({ limits: { deadlineMs, timeoutMs } }: ServeConfig, ofProfile: number | undefined): number {
  const most = Math.max(deadlineMs - EARLIER_MS, Math.floor(deadlineMs / 2));
  const found = timeoutMs ?? ofProfile ?? most;
  if (found < deadlineMs) return found;
  const how = `write \`limits: { timeout: ${count(most, 'millisecond')} }\` into serve.yaml, or a longer \`deadline\``;
  const what = `\`timeoutMs\` of the profile is ${found}, and a decision has ${count(deadlineMs, 'millisecond')}`;
  throw new VerdictError('CONFIGURATION_INVALID', `${what}: ${how}`);
}

function withDefaults(file: string, root: Root) {
  const { rules, audit, limits, ...given } = root;
  const folder = dirname(file);
  const isReleased = rules && 'releases' in rules;
  const inFolder = isReleased ? undefined : rules;
  const rulesFolder = inFolder?.folder ?? resolve(folder, 'rules');
  return {
    state: { dir: resolve(folder, 'state') },
    queues: [{ name: 'default', withinMs: UNIT_MS.day }],
    ...given,
    file,
    listen: { host: LOCAL, port: PORTS.listen, ...given.listen },
    admin: { host: LOCAL, port: PORTS.admin, ...given.admin },
    policies: new Map(
      [...given.policies].map(([name, each]) => [name, isReleased ? each : resolve(rulesFolder, each)]),
    ),
    mapping: resolve(rulesFolder, inFolder?.mapping ?? 'signals.yaml'),
    /** Undefined where the files of a folder are in force. */
    releases: isReleased ? { trust: rules.trust, seen: rules.seen ?? resolve(folder, 'release-seen.json') } : undefined,
    ...(audit ? { audit: { mode: 'required' as const, ...withKeys(audit) } } : {}),
    limits: {
      inFlight: limits?.inFlight ?? 256,
      rememberMs: limits?.rememberFor ?? UNIT_MS.day,
      deadlineMs: limits?.deadline ?? DEADLINE_MS,
      ...(limits?.timeout === undefined ? {} : { timeoutMs: limits.timeout }),
      drainMs: limits?.drain ?? 5 * UNIT_MS.second,
    },
  };
}

/** With the keys under the name that they have today. */
function withKeys(audit: NonNullable<Root['audit']>) {
  if ('postgresVariable' in audit) return audit;
  const { keysDir, keys = keysDir, ...others } = audit;
  return { ...others, ...(keys ? { keys } : {}) };
}
