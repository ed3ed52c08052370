/** The table of routes -> the OpenAPI document, and pages for people. */

import * as z from 'zod';
import { writePage } from '../report/html/document.ts';
import { htmlOf } from '../report/html/html.ts';
import { a, h1, type Markup, p } from '../report/html/markup.ts';
import { type Block, code, paragraph, type Words } from '../report/outline.ts';
import { toJson } from '../text.ts';
import { ENGINE_VERSION } from '../version.ts';
import { PROBLEM, type ProblemCode, ROWS } from './problem.ts';
import { kibOf, type NamedRoute, problemsOf, type Route } from './route.ts';

/** Schemas that have an id are components; the others stand where they are used. */
const COMPONENTS = '#/components/schemas/';

const ABOUT = [
  'Every status other than 200 comes with a problem, whose `code` programs go by.',
  'Another path gets 404 NOT_FOUND, and another method 405 METHOD_NOT_ALLOWED with the header Allow.',
  'Expect more fields in answers than are listed here: later versions add some.',
].join(' ');

/** What the page shows of a schema. */
interface Schema extends Pick<z.core.JSONSchema.JSONSchema, 'format' | 'const' | 'enum' | 'description' | Limit> {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
type Schemas = Readonly<Record<string, Schema>>;
type Row = readonly Words[];
type Limit = 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'minItems' | 'maxItems';

/** The OpenAPI 3.1 document of the routes. */
export function openApiOf(routes: readonly NamedRoute[]) {
  const schemas = new Map<string, Schema>();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'verdict',
      version: ENGINE_VERSION,
      summary: 'Decisions on applicants: accept, review or reject, with reasons.',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'v1', description: 'Decisions, and the policies that make them.' },
      { name: 'about', description: 'What describes the API. It needs no key.' },
    ],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A key of `verdict key add`.' } },
      schemas: Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
    },
  };
}

const TEXT = { type: 'string' };

const LINES = { 'application/x-ndjson': { schema: { ...TEXT, description: 'A line of JSON for each applicant.' } } };

const TO_PAGE = 'With `Accept: text/html` and no key: redirects to the page of the workbench, if there is one.';

/** The header that a handler reads as `language`. */
const ACCEPT_LANGUAGE = { name: 'Accept-Language', in: 'header', description: 'Of notices.', schema: TEXT };

/** The headers of draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4. */
const OF_RATE = {
  'RateLimit-Policy': 'How many requests (`q`) in how many seconds (`w`) a key with a rate may send.',
  RateLimit: 'How many of them are left (`r`), and in how many seconds there is one more (`t`).',
};

/** The header that the body of a request may have as `reference`. */
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Another name of `reference`, bare or in quotes: the body may then leave it out.',
  schema: TEXT,
};

function operationOf(route: NamedRoute, schemas: Map<string, Schema>): object {
  const { path, operation, summary, roles, body, query, takesLines, answer, answerHeaders, page, type } = route;
  const fields = Object.entries<z.ZodType>(query instanceof z.ZodObject ? query.shape : {});
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: TEXT })),
    ...fields.map(([name, each]) => ({ name, in: 'query', schema: schemaOf(each, schemas) })),
    ...(route.hasNotices ? [ACCEPT_LANGUAGE] : []),
    ...(route.takesKey ? [IDEMPOTENCY_KEY] : []),
  ];
  const json = (schema: z.ZodType) => ({
    'application/json': { schema: schemaOf(schema, schemas) },
    ...(takesLines ? LINES : {}),
  });
  const text = type?.replace(/;.*/, '') ?? 'text/plain';
  return {
    operationId: operation,
    summary,
    tags: [path.startsWith('/v1/') ? 'v1' : 'about'],
    ...(roles ? { description: needed(roles), 'x-roles': roles } : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { description: sizeOf(route), required: true, content: json(body) } } : {}),
    responses: {
      200: {
        description: 'OK',
        ...(answerHeaders || roles ? { headers: headersOf({ ...answerHeaders, ...(roles ? OF_RATE : {}) }) } : {}),
        content: answer
          ? { ...json(answer), ...(page === undefined ? {} : { 'text/html': { schema: TEXT } }) }
          : { [text]: { schema: { type: text.endsWith('json') ? 'object' : 'string' } } },
      },
      ...(page === undefined ? {} : { 303: { description: TO_PAGE } }),
      ...(route.mayBeEmpty ? { 204: { description: 'There is none.' } } : {}),
      ...problemResponses(route, schemas),
    },
  };
}

function sizeOf(route: Route): string {
  const lines = route.takesLines ? ' Of lines any number, each of at most 64 KiB.' : '';
  return `At most ${kibOf(route)} KiB.${lines}`;
}

function needed(roles: Route['roles']): string {
  return roles ? `Needs a key with the role ${roles.join(' or ')}.` : 'Needs no key.';
}

function headersOf(headers: Readonly<Record<string, string>>): object {
  const entries = Object.entries(headers).map(([name, description]) => [name, { description, schema: TEXT }]);
  return Object.fromEntries(entries);
}

function problemResponses(route: Route, schemas: Map<string, Schema>): object {
  const codes = Map.groupBy(problemsOf(route), (each) => ROWS[each].status);
  const problem = schemaOf(PROBLEM, schemas);
  const responses = [...codes].map(([status, each]) => {
    const schema = { allOf: [problem, { type: 'object', properties: { code: { enum: each } } }] };
    const headers = {
      ...(each.some((one) => ROWS[one].retryable) ? { 'Retry-After': 'Seconds until another try.' } : {}),
      ...(status === 429 ? OF_RATE : {}),
      ...(status === 401 ? { 'WWW-Authenticate': 'Always Bearer.' } : {}),
    };
    return [
      status,
      {
        description: each.map((one) => ROWS[one].title).join('. '),
        ...(Object.keys(headers).length > 0 ? { headers: headersOf(headers) } : {}),
        content: { 'application/problem+json': { schema } },
      },
    ];
  });
  return Object.fromEntries(responses);
}

/** A schema, with those of its parts that have an id moved to the components. */
function schemaOf(schema: z.ZodType, components: Map<string, Schema>): Schema {
  // As input: a caller has to expect more fields of an answer than are written here.
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const pointed = (value: unknown) => JSON.parse(toJson(value).replaceAll('#/$defs/', COMPONENTS));
  for (const [id, each] of Object.entries($defs)) {
    const { id: _id, ...rest } = each;
    components.set(id, pointed(rest));
  }
  const { id, ...rest } = root;
  if (typeof id !== 'string') return pointed(rest);
  components.set(id, pointed(rest));
  return { $ref: COMPONENTS + id };
}

/** The routes for people, then what their bodies consist of. */
export function referencePage(routes: readonly NamedRoute[]): string {
  const { schemas } = openApiOf(routes).components;
  const parts = routes.map((route) => ({
    id: route.operation,
    title: `${route.method} ${route.path}`,
    content: [
      htmlOf([paragraph(said(route.summary)), paragraph(needed(route.roles))]),
      ...bodyLink('Body', route.body),
      ...(route.body ? [p(sizeOf(route))] : []),
      ...bodyLink('Answer', route.answer),
      htmlOf(problemsTable(route)),
    ],
  }));
  const bodies = Object.entries(schemas).map(([name, schema]) => ({
    id: name,
    title: name,
    content: htmlOf([paragraph(said(schema.description)), ...fieldsTable(name, schema, schemas)]),
  }));
  const about = htmlOf([ABOUT, 'The same for programs: `/openapi.json`'].map((each) => paragraph(said(each))));
  const head = [h1('The API of verdict'), about];
  return writePage({ title: 'The API of verdict', head, parts: [...parts, ...bodies] });
}

/** A text in which backticks mark code. */
function said(text = ''): Words {
  return text.split('`').map((part, i) => (i % 2 === 1 ? code(part) : part));
}

function bodyLink(what: string, schema: z.ZodType | undefined): readonly Markup[] {
  const { id } = schema?.meta() ?? {};
  return id === undefined ? [] : [p(`${what}: `, a({ href: `#${id}` }, id))];
}

function problemsTable(route: NamedRoute): readonly Block[] {
  const codes = problemsOf(route).toSorted((one, other) => ROWS[one].status - ROWS[other].status);
  const rows = codes.map((each): readonly Words[] => [code(each), String(ROWS[each].status), ROWS[each].title]);
  const page = { id: `${route.operation}-problems`, caption: 'Problems' };
  return [{ is: 'table', columns: ['code', 'status', 'meaning'], rows, page }];
}

/** The fields of a body, with those of the objects in it. */
function fieldsTable(name: string, schema: Schema, schemas: Schemas): readonly Block[] {
  const rows = fieldRows(schema, schemas, '');
  if (rows.length === 0) return [paragraph(typeWords(schema))];
  const page = { id: `${name}-fields`, caption: `The fields of ${name}` };
  return [{ is: 'table', columns: ['field', 'type', 'present', 'meaning'], rows, page }];
}

function fieldRows({ properties = {}, required = [] }: Schema, schemas: Schemas, prefix: string): readonly Row[] {
  return Object.entries(properties).flatMap(([name, each]) => {
    const present = required.includes(name) ? 'always' : 'may be absent';
    const meaning = each.description ?? schemas[nameOf(each)]?.description;
    const inside = each.items ? fieldRows(each.items, schemas, `${prefix}${name}[].`) : [];
    const row = [code(prefix + name), typeWords(each), present, said(meaning)];
    return [row, ...inside, ...fieldRows(each, schemas, `${prefix}${name}.`)];
  });
}

function nameOf({ $ref = '' }: Schema): string {
  return $ref.slice(COMPONENTS.length);
}

function typeWords(schema: Schema): string {
  const { $ref, type = 'any', format, items, anyOf } = schema;
  if ($ref !== undefined) return nameOf(schema);
  if (anyOf) return anyOf.map(typeWords).join(' or ');
  if (schema.enum) return schema.enum.join(', ');
  if (schema.const !== undefined) return String(schema.const);
  const { minLength: shortest, maxLength: longest, minimum, maximum, minItems: fewest, maxItems: most } = schema;
  const [from, to] = [shortest ?? minimum ?? fewest ?? 0, longest ?? maximum ?? most ?? Number.MAX_SAFE_INTEGER];
  const unit = longest === undefined ? '' : ' characters';
  const limits = to === Number.MAX_SAFE_INTEGER ? '' : `, ${from} to ${to}${unit}`;
  return (items ? `list of ${typeWords(items)}` : (format ?? [type].flat().join(' or '))) + limits;
}

/** The page about a problem. */
export function problemPage(code: ProblemCode): string {
  const { status, title, retryable, advice } = ROWS[code];
  const again = retryable ? 'The same request may succeed later.' : 'The same request gets the same answer.';
  const words = htmlOf([paragraph(`Status ${status}. ${title}. ${again}`), paragraph(said(advice))]);
  return writePage({ title: code, head: [h1(code), words], parts: [] });
}
