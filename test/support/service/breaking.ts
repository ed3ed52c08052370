/** Two OpenAPI documents -> what of the later one breaks callers of the earlier one, and what they should hear of. */

/** A schema, as far as the documents use JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content: Content }>>;
}

/** An OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Comparison {
  /** Changes that can break a caller who keeps to the earlier document. */
  readonly breaking: readonly string[];
  /** Changes that are allowed, of which the release should tell. */
  readonly listed: readonly string[];
}

/** Compares a document with that of the release before it. */
export function compareDocuments(former: Document, later: Document): Comparison {
  const breaking = new Set<string>();
  const listed = new Set<string>();
  const use = { former, later, breaks: (change: string) => breaking.add(change), lists: (c: string) => listed.add(c) };
  for (const [path, methods] of Object.entries(former.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const now = later.paths[path]?.[method];
      if (now) compareOperations(operation, now, at, use);
      else breaking.add(`${at} is removed`);
    }
  }
  return { breaking: [...breaking], listed: [...listed] };
}

interface Use {
  readonly former: Document;
  readonly later: Document;
  breaks(change: string): void;
  lists(change: string): void;
}

function compareOperations(former: Operation, later: Operation, at: string, use: Use): void {
  if (former.operationId !== later.operationId) use.breaks(`${at} is renamed to ${later.operationId}`);
  if (former.security?.length === 0 && later.security?.length !== 0) use.breaks(`${at} needs a key`);
  for (const role of former['x-roles'] ?? []) {
    if (later.security?.length !== 0 && !later['x-roles']?.includes(role)) use.breaks(`${at} refuses the role ${role}`);
  }
  compareParameters(former, later, at, use);
  const [before, now] = [former.requestBody, later.requestBody];
  if (now?.required && !before?.required) use.breaks(`${at} needs a body`);
  if (before) compareContents(before.content, now?.content ?? {}, `${at} request`, 'request', use);
  for (const [status, response] of Object.entries(former.responses)) {
    const same = later.responses[status];
    const place = `${at} ${status}`;
    if (!same) {
      use.breaks(`${place} is removed`);
      continue;
    }
    for (const name of Object.keys(response.headers ?? {})) {
      if (!(name in (same.headers ?? {}))) use.breaks(`${place} header ${name} is removed`);
    }
    compareContents(response.content ?? {}, same.content ?? {}, place, 'answer', use);
  }
  for (const status of Object.keys(later.responses)) {
    if (!(status in former.responses)) use.lists(`${at} ${status} is new`);
  }
}

function compareParameters(former: Operation, later: Operation, at: string, use: Use): void {
  const nameOf = (parameter: Parameter) => `${parameter.in} ${parameter.name}`;
  const now = new Map((later.parameters ?? []).map((each) => [nameOf(each), each]));
  const before = new Map((former.parameters ?? []).map((each) => [nameOf(each), each]));
  for (const [name, parameter] of before) {
    const same = now.get(name);
    if (same) compareSchemas(parameter.schema, same.schema, { at: `${at} ${name}`, side: 'request', use });
    else use.breaks(`${at} ${name} is removed`);
  }
  for (const [name, { required }] of now) {
    if (required && !before.get(name)?.required) use.breaks(`${at} ${name} is required`);
  }
}

type Side = 'request' | 'answer';

function compareContents(former: Content, later: Content, at: string, side: Side, use: Use): void {
  for (const [type, { schema }] of Object.entries(former)) {
    const same = later[type];
    if (same) compareSchemas(schema, same.schema, { at, side, use });
    else use.breaks(`${at} as ${type} is removed`);
  }
}

interface Place {
  readonly at: string;
  readonly side: Side;
  readonly use: Use;
}

/** Holds what was sent, by the caller or by the service, to what the other one reads. */
function compareSchemas(former: Schema, later: Schema, place: Place): void {
  const { at, side, use } = place;
  const [before, now] = [alternativesOf(former, use.former), alternativesOf(later, use.later)];
  // A request of the former document meets the later service; an answer of the later one meets a former caller.
  const [sent, read] = side === 'request' ? [before, now] : [now, before];
  for (const alternative of sent) {
    const match = read.find((each) => isOfType(alternative, each));
    if (!match) use.breaks(`${at} ${side === 'request' ? 'refuses' : 'may be'} ${alternative.type ?? 'anything'}`);
    else if (side === 'request') compareAlternatives(alternative, match, place);
    else compareAlternatives(match, alternative, place);
  }
}

function isOfType({ type: sent }: Schema, { type: read }: Schema): boolean {
  return read === undefined || sent === read || (sent === 'integer' && read === 'number');
}

function compareAlternatives(former: Schema, later: Schema, place: Place): void {
  const { at, side, use } = place;
  const [sent, read] = side === 'request' ? [former, later] : [later, former];
  const [sentValues, readValues] = [valuesOf(sent), valuesOf(read)];
  const unread = (sentValues ?? []).filter((value) => readValues && !readValues.includes(value));
  for (const value of unread) {
    if (side === 'request') use.breaks(`${at} refuses ${value}`);
    else use.lists(`${at} may be ${value}`);
  }
  if (readValues && !sentValues) use.breaks(`${at} ${side === 'request' ? 'refuses most values' : 'may be anything'}`);
  for (const key of ['format', 'pattern'] as const) {
    if (read[key] !== undefined && sent[key] !== read[key]) use.breaks(`${at} ${key} changes`);
  }
  if (side === 'request') compareLimits(former, later, place);
  if (former.items && later.items) compareSchemas(former.items, later.items, { ...place, at: `${at}[]` });
  compareFields(former, later, place);
}

function compareLimits(former: Schema, later: Schema, { at, use }: Place): void {
  for (const key of ['minLength', 'minimum', 'minItems'] as const) {
    if ((later[key] ?? -Infinity) > (former[key] ?? (key === 'minimum' ? -Infinity : 0)))
      use.breaks(`${at} ${key} rises`);
  }
  for (const key of ['maxLength', 'maximum', 'maxItems'] as const) {
    if ((later[key] ?? Infinity) < (former[key] ?? Infinity)) use.breaks(`${at} ${key} falls`);
  }
}

function compareFields(former: Schema, later: Schema, place: Place): void {
  const { at, side, use } = place;
  const [sent, read] = side === 'request' ? [former, later] : [later, former];
  for (const [name, field] of Object.entries(former.properties ?? {})) {
    const same = later.properties?.[name];
    if (same) compareSchemas(field, same, { ...place, at: `${at} ${name}` });
    else if (side === 'answer' || later.additionalProperties === false) use.breaks(`${at} ${name} is removed`);
  }
  for (const name of read.required ?? []) {
    if (sent.required?.includes(name)) continue;
    use.breaks(`${at} ${name} ${side === 'request' ? 'is required' : 'may be absent'}`);
  }
  const [more, less] = [former.additionalProperties, later.additionalProperties];
  if (isSchema(more) && isSchema(less)) compareSchemas(more, less, { ...place, at: `${at} {}` });
  else if (side === 'request' && allowsMore(former) && !allowsMore(later)) use.breaks(`${at} refuses other fields`);
}

function isSchema(value: Schema['additionalProperties']): value is Schema {
  return typeof value === 'object';
}

function allowsMore({ additionalProperties = true }: Schema): boolean {
  return additionalProperties !== false;
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** The schemas of which a value has one, without references. */
function alternativesOf(schema: Schema, document: Document): readonly Schema[] {
  const { $ref, allOf, anyOf, ...rest } = schema;
  if ($ref !== undefined) {
    const target = document.components.schemas[$ref.replace('#/components/schemas/', '')];
    if (!target) throw new Error(`${$ref} is not in the document`);
    return alternativesOf(target, document);
  }
  if (anyOf) return anyOf.flatMap((each) => alternativesOf(each, document));
  const { type } = rest;
  if (typeof type === 'object') return type.map((each) => ({ ...rest, type: each }));
  if (!allOf) return [rest];
  const parts = allOf.flatMap((each) => alternativesOf(each, document));
  return [parts.reduce(merge, rest)];
}

/** A value that has both: of a field that both have, the narrower, which the document writes last. */
function merge(one: Schema, other: Schema): Schema {
  const names = Object.keys({ ...one.properties, ...other.properties });
  const fieldOf = (name: string) => ({ ...one.properties?.[name], ...other.properties?.[name] });
  return {
    ...one,
    ...other,
    ...(names.length > 0 ? { properties: Object.fromEntries(names.map((name) => [name, fieldOf(name)])) } : {}),
    required: [...(one.required ?? []), ...(other.required ?? [])],
  };
}
