/** The OpenAPI document: committed as it is served, with examples that work, and true of headers. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { ROLES } from '../../src/service/auth/roles.ts';
import { ROUTES } from '../../src/service/routes.ts';
import { DOCUMENT_FILE, DOCUMENT_TEXT, readDocument } from '../support/service/document.ts';
import { startTestService } from '../support/service/running.ts';

interface Described {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly examples?: readonly unknown[];
}

const document = readDocument();
const schemas = document.components.schemas as Readonly<Record<string, Described>>;

test('the committed document is the served one; pages run nothing, load nothing and stand in no frame', async () => {
  const { ask } = await startTestService();
  const { body, headers: own } = await ask('GET', '/openapi.json', undefined, { key: '' });
  expect(DOCUMENT_TEXT, 'run npm run generate').toBe(readFileSync(DOCUMENT_FILE, 'utf8'));
  expect(body).toEqual(document);
  for (const path of ['/reference', '/problems/reference-in-doubt']) {
    const { text, headers } = await ask('GET', path, undefined, { key: '' });
    const policy = headers.get('content-security-policy') ?? '';
    const [, inPage = 'none'] = /Content-Security-Policy" content="([^"]*)"/.exec(text.replaceAll('&#39;', "'")) ?? [];
    expect(policy).toBe(`${inPage}; frame-ancestors 'none'`);
    expect(policy).toContain("default-src 'none'; style-src 'sha256-");
  }
  expect(own.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
});

test('each field of a body, and each body, says what it means', () => {
  const silent = Object.entries(schemas).flatMap(([name, schema]) => silentFields(schema, name));
  expect(Object.keys(schemas).length).toBeGreaterThan(15);
  expect(silent).toEqual([]);
});

function silentFields(schema: Described, at: string): readonly string[] {
  const { $ref, description, properties = {}, items } = schema;
  const inside = Object.entries(properties).flatMap(([name, each]) => silentFields(each, `${at}.${name}`));
  const isItem = at.endsWith('[]');
  const own = $ref === undefined && description === undefined && !isItem ? [at] : [];
  return [...own, ...inside, ...(items ? silentFields(items, `${at}[]`) : [])];
}

test('each body is named, so that a generated client has a type for it', () => {
  for (const { path, body, answer } of ROUTES) {
    for (const schema of [body ?? [], answer ?? []].flat())
      expect(schemas, path).toHaveProperty(`${schema.meta()?.['id']}`);
  }
});

test('each example has the form of its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'document');
  const examples = Object.entries(schemas).flatMap(([name, { examples: some = [] }]) =>
    some.map((each) => [name, each]),
  );
  expect(examples.map(([name]) => name)).toContain('Decision');
  for (const [name, example] of examples) {
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    expect(validate(example) ? [] : validate.errors, String(name)).toEqual([]);
  }
});

test('the example of each request is answered, and that of a decision is what the sandbox leads to', async () => {
  const more = 'queues: [{ name: outage, outage: true, within: 1 day }, { name: rest, within: 1 day }]';
  const { ask, key } = await startTestService({ audit: true, more });
  const all = { key: await key([...ROLES]) };
  const cases = () => ask('GET', '/v1/cases', undefined, all);
  await expect.poll(async () => (await cases()).status).toBe(200);
  for (const { method, path, body } of ROUTES) {
    const id = body?.meta()?.['id'];
    const [example] = schemas[String(id)]?.examples ?? [];
    // What names a decision or a case is held to `cases.slow.test.ts`.
    if (id === undefined || path.includes('{id}') || path === '/v1/cases') continue;
    // The case of the decision is there once the log was looked at.
    if (path === '/v1/cases/take') {
      await expect.poll(async () => (await cases()).body['cases']).toHaveLength(1);
    }
    const { status, body: answer } = await ask(method, path, example, all);
    expect(status, path).toBe(200);
    if (path !== '/v1/decisions') continue;
    const [told] = schemas['Decision']?.examples ?? [];
    const { id: _id, decidedAt: _at, engine: _engine, mapping: _mapping, ...rest } = answer;
    expect(told).toMatchObject(rest);
    expect(Object.keys(told as object).sort()).toEqual(Object.keys(answer).sort());
  }
});

test('an answer has the headers that the document says', async () => {
  const { ask, decide } = await startTestService();
  const headersOf = (path: string, method: string, status: number) =>
    Object.keys(document.paths[path]?.[method]?.responses[status]?.headers ?? {});
  await decide('A-1');
  const repeated = await decide('A-1');
  expect(headersOf('/v1/decisions', 'post', 200).filter((name) => repeated.headers.has(name))).toEqual([
    'Verdict-Repeated',
  ]);
  const unknown = await ask('GET', '/v1/policies', undefined, { key: 'vk_none' });
  expect(headersOf('/v1/policies', 'get', 401).filter((name) => unknown.headers.has(name))).toEqual([
    'WWW-Authenticate',
  ]);
  const wrong = await Promise.all(
    Array.from({ length: 20 }, () => ask('GET', '/v1/policies', undefined, { key: 'vk_none' })),
  );
  const refused = wrong.find(({ status }) => status === 429);
  expect(headersOf('/v1/policies', 'get', 429).filter((name) => refused?.headers.has(name))).toEqual(['Retry-After']);
});
