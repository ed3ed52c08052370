/** A configuration -> a running service before a sandbox, with keys, whose every answer is held to the route table. */

import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, expect, onTestFinished } from 'vitest';
import { initAuditLog } from '../../../src/audit/init.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { addKey, watchKeys } from '../../../src/service/auth/keys.ts';
import type { Role } from '../../../src/service/auth/roles.ts';
import type { Person } from '../../../src/service/auth/sessions.ts';
import { readServeConfig } from '../../../src/service/config.ts';
import { openApiOf } from '../../../src/service/openapi.ts';
import { ROUTES } from '../../../src/service/routes.ts';
import { startServers } from '../../../src/service/server.ts';
import { openService, type Service } from '../../../src/service/service.ts';
import { toJson } from '../../../src/text.ts';
import { clientOf } from '../signals/service.ts';
import { quickRules } from './rules.ts';

/** An applicant of the sandbox, who is reviewed. */
export const APPLICANT = { phoneNo: '+12025550102', email: 'd.marsh@copper-kettle.example', ip: '203.0.113.12' };

/** An answer of the service. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface TestService {
  readonly url: string;
  readonly adminUrl: string;
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly service: Service;
  /** What the service reported, line by line. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** A new key; waits until the service follows the file. */
  key(roles: readonly Role[], name?: string): Promise<string>;
  /** Sends a request, with the first key unless another one or none is given, and checks its answer. */
  ask(method: string, path: string, body?: unknown, options?: AskOptions): Promise<Answered>;
  /** POST /v1/decisions of `APPLICANT`. */
  decide(reference: string, more?: object, options?: AskOptions): Promise<Answered>;
  drain(): Promise<void>;
}

export interface AskOptions {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a service that ends with the test. `more` is further YAML of serve.yaml. */
export async function startTestService({
  more = '',
  port = 0,
  listen = `{ port: ${port} }`,
  limits = '',
  drain = '0 seconds',
  audit = false,
  mode = 'required',
  policies = '{ onboarding: onboarding.yaml }',
  rules = quickRules(),
  state = '{ dir: state }',
  env = {},
  invited = new Map(),
  atEnd = onTestFinished,
}: {
  readonly more?: string;
  readonly port?: number;
  /** YAML of `listen`. */
  readonly listen?: string;
  /** Further limits, such as `deadline: 1 second`. */
  readonly limits?: string;
  /** The limit of that name. */
  readonly drain?: string;
  /** Whether there is a log, or its folder, or the YAML of `audit`. */
  readonly audit?: boolean | string;
  readonly mode?: 'required' | 'best-effort';
  readonly policies?: string;
  /** A folder, or the YAML of `rules`. */
  readonly rules?: string;
  /** YAML of `state`, and the variables that it names. */
  readonly state?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** People who may come in once, by the secret of their link. */
  readonly invited?: ReadonlyMap<string, Person>;
  /** Where its end is said. Default: when the test has finished. */
  readonly atEnd?: (end: () => Promise<void>) => void;
} = {}): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  const file = join(folder, 'serve.yaml');
  const isYaml = typeof audit === 'string' && audit.startsWith('{');
  const dir = typeof audit === 'string' ? audit : join(folder, 'log');
  const lines = [
    `listen: ${listen}`,
    'admin: { port: 0 }',
    `policies: ${policies}`,
    `rules: ${rules.startsWith('{') ? rules : `{ folder: ${toJson(rules)} }`}`,
    `state: ${state}`,
    'keysFile: keys.json',
    audit === false ? '' : `audit: ${isYaml ? audit : `{ dir: ${toJson(dir)}, mode: ${mode} }`}`,
    `limits: { drain: ${drain}${limits === '' ? '' : `, ${limits}`} }`,
    more,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  if (audit !== false && !isYaml && !existsSync(dir)) await initAuditLog({ dir });
  const config = readServeConfig(file);
  const first = await addKey(config.keysFile, { name: 'app', roles: ['decide', 'read', 'edit'] });
  const sandbox = await startSandbox();
  atEnd(() => sandbox.close());
  const reported: Readonly<Record<string, unknown>>[] = [];
  let followed = Promise.withResolvers<void>();
  const keys = watchKeys(config.keysFile, {
    onChange: () => followed.resolve(),
    onError: (problem) => reported.push({ event: 'keys.broken', problem }),
  });
  const report = (line: Readonly<Record<string, unknown>>) => void reported.push(line);
  const service = await openService(config, clientOf(sandbox, {}, atEnd), report, env, invited);
  const running = await startServers(service, keys, report);
  let draining: Promise<void> | undefined;
  const end = () => {
    draining ??= running.drain();
    return draining;
  };
  atEnd(end);
  const ask: TestService['ask'] = async (method, path, body, { key = first, headers = {} } = {}) => {
    const answer = await fetch(`${running.url}${path}`, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isSent(body) ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type') ?? '';
    const parsed = text !== '' && type.includes('json') && !type.includes('ndjson') ? JSON.parse(text) : {};
    checkAnswer(method, path, answer.status, type, parsed);
    return { status: answer.status, headers: answer.headers, text, body: parsed };
  };
  return {
    ...{ url: running.url, adminUrl: running.adminUrl, folder, sandbox, service, lines: reported, ask, drain: end },
    key: async (roles, name = 'app') => {
      followed = Promise.withResolvers();
      const key = await addKey(config.keysFile, { name, roles });
      await followed.promise;
      return key;
    },
    decide: (reference, more, options) =>
      ask('POST', '/v1/decisions', { policy: 'onboarding', reference, applicant: APPLICANT, ...more }, options),
  };
}

/** One service for the tests of a file that do not change it; the first of them starts it. */
export function sharedTestService(
  options: () => Parameters<typeof startTestService>[0] = () => ({}),
): () => Promise<TestService> {
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  let running: Promise<TestService> | undefined;
  return () => {
    running ??= startTestService({ ...options(), atEnd: (end) => ends.push(end) });
    return running;
  };
}

/** Resolves once the index of the log is made, which pages and cases need. */
export async function untilIndexed({ service }: Pick<TestService, 'service'>): Promise<void> {
  while (service.records && !service.records.follower.isReady) await setTimeout(5);
}

/** Whether a body is sent as it is. */
function isSent(body: unknown): body is string | Buffer<ArrayBuffer> {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { schema: object }>> }>>;
}

const DOCUMENT = openApiOf(ROUTES) as { readonly paths: Record<string, Record<string, Operation>> };
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(DOCUMENT, 'document');
const validators = new Map<string, ValidateFunction>();

/** Holds an answer to what the document says of its path and status; a path that has no route is left out. */
function checkAnswer(method: string, path: string, status: number, type: string, body: unknown): void {
  const pathname = path.replace(/\?.*/s, '');
  const found = Object.keys(DOCUMENT.paths).find((each) =>
    new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  const operation = found === undefined ? undefined : DOCUMENT.paths[found]?.[method.toLowerCase()];
  if (found === undefined || !operation) return;
  if (status === 204 && operation.responses[204]) return;
  const content = operation.responses[status]?.content;
  expect(content, `${method} ${found} answered ${status}, which the document does not have`).toBeDefined();
  const plain = type.replace(/;.*/, '');
  expect(Object.keys(content ?? {})).toContain(plain);
  if (plain.endsWith('ndjson') || !plain.endsWith('json')) return;
  const steps = ['paths', found, method.toLowerCase(), 'responses', String(status), 'content', plain, 'schema'];
  const pointer = `document#/${steps
    .map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/')}`;
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: pointer });
  validators.set(pointer, validate);
  expect(validate(body) ? [] : validate.errors).toEqual([]);
}
