/** Facts -> rows of tables for people, and the parts that the JSON Schemas of policies and mappings share. */

import { FORMATS, type Format } from '../platform/formats/format.ts';
import { toJson } from '../text.ts';
import {
  CATALOG_TABLE,
  FACT_TYPES,
  type FactDefinition,
  type FactTable,
  type FactType,
  LEVELS,
  rangeWords,
} from './catalog.ts';
import { COMPUTATION_NAMES, COMPUTATIONS, computationWords } from './compute.ts';
import { NEVER } from './fact.ts';
import { velocityWords } from './velocity.ts';

/** A JSON Schema, as data. It may have keywords of YAML editors in addition to the standard's. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The dialect of every schema: the newest in which the YAML language server completes, and does not only check, tuples,
 * conditions and a `$ref` with a description beside it.
 */
export const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** A text that is not blank. */
export const TEXT: JsonSchema = {
  type: 'string',
  pattern: '\\S',
  patternErrorMessage: 'An empty text; at least one character is expected.',
};

const DAY_PATTERN = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';

/** A calendar day; the length of the month is not checked. */
export const DAY: JsonSchema = {
  type: 'string',
  pattern: `^${DAY_PATTERN}$`,
  patternErrorMessage: 'A calendar day written yyyy-MM-dd is expected.',
};

const DATE: JsonSchema = {
  type: 'string',
  pattern: `^(${NEVER}|${DAY_PATTERN})$`,
  patternErrorMessage: `A calendar day written yyyy-MM-dd is expected, or ${NEVER}.`,
  examples: [NEVER],
};

/** The schema of a literal, by the fact's type. */
const LITERALS: { readonly [Type in FactType]: (values: readonly string[]) => JsonSchema } = {
  number: () => ({ type: 'number' }),
  integer: () => ({ type: 'integer' }),
  level: () => ({ type: 'string', enum: LEVELS }),
  boolean: () => ({ type: 'boolean' }),
  enum: (values) => ({ type: 'string', enum: values }),
  string: () => TEXT,
  date: () => DATE,
};

/** The schema of a literal of each format: editors find gross mistakes; the reader of policies finds all of them. */
const FORMATTED: { readonly [Name in Format]: JsonSchema } = {
  phone: matching('^[+\\d\\s().\\-/]+$', 'A phone number with its country code is expected, like +44 7400 123456.'),
  email: matching('^\\s*[^@\\s]+@[^@\\s]+\\s*$', 'An email address is expected, like jo@mail.example.'),
  domain: matching('^[^@/:*]+$', 'A domain is expected, like mail.example.'),
  ip: matching('^[\\d\\s.:fF/]+$', 'An IPv4 address is expected, like 203.0.113.7, or a block in a list of values.'),
  country: matching('^\\s*[A-Za-z]{2}\\s*$', 'An ISO 3166-1 alpha-2 code is expected, like GB.'),
};

function matching(pattern: string, patternErrorMessage: string): JsonSchema {
  return { type: 'string', pattern, patternErrorMessage };
}

/** The schema of a literal of a fact. */
export function literalSchema({ type, values = [], format }: FactDefinition): JsonSchema {
  return format === undefined ? LITERALS[type](values) : FORMATTED[format];
}

/** The kind of a fact. Facts of one kind have the same literals: one type and format, for enums the same values. */
export function kindOf({ type, values = [], format }: FactDefinition): string {
  return type === 'enum' ? JSON.stringify([...values].sort()) : (format ?? type);
}

/** Facts that share their literals and operators. */
export interface Kind {
  /** The name of the kind's schema definition: the format or type; for an enum, the path of the first such fact. */
  readonly name: string;
  readonly fact: FactDefinition;
}

/** The kinds of the facts of a table, by `kindOf`. */
export function kindsOf(facts: FactTable): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const [path, fact] of facts) {
    const kind = kindOf(fact);
    if (!kinds.has(kind)) kinds.set(kind, { name: fact.type === 'enum' ? path : kind, fact });
  }
  return kinds;
}

/** A fact's title and description for hovers and completions: meaning, type, values, unit, signal. */
export function factTexts(path: string, definition: FactDefinition): JsonSchema {
  const [row] = catalogRows(new Map([[path, definition]]));
  const { type = '', values = '', unit = '', signal = '', description = '' } = row ?? {};
  const details: readonly (readonly [name: string, text: string])[] = [
    ['Type', values === '' ? type : `${type} (${values})`],
    ['Unit', unit],
    [definition.origin === 'service' ? 'Signal' : 'Origin', signal],
  ];
  const shown = details.filter(([, text]) => text !== '');
  return {
    title: path,
    description: [description, ...shown.map(([name, text]) => `${name}: ${text}.`)].join(' ').trim(),
    markdownDescription: [description, shown.map(([name, text]) => `- ${name}: ${text}`).join('\n')]
      .join('\n\n')
      .trim(),
  };
}

/** A reference to a definition of the same schema, with texts beside it. Editors show the name in messages. */
export function refer(definition: string, texts: JsonSchema = {}): JsonSchema {
  return { $ref: `#/definitions/${definition}`, ...texts };
}

/** `if`, `then`, `else`: editors then report a mistake against the branch that was meant. */
export function where(condition: JsonSchema, then: JsonSchema, others?: JsonSchema): JsonSchema {
  return { if: condition, then, ...(others ? { else: others } : {}) };
}

/** Any map. Where a condition checks its contents, this tells editors that a map is possible at all. */
export const MAP_DEFINITION = { map: { type: 'object' } } as const;

/** A reference to `MAP_DEFINITION`. */
export const MAP: JsonSchema = refer('map');

/** One schema for values of a JSON type, another for all other values. */
export function whereType(type: string, then: JsonSchema, others?: JsonSchema): JsonSchema {
  return where({ type }, then, others);
}

/** A schema as the text of its file. Editors read it, and with an indent of two it is a fifth longer. */
export function schemaText(schema: JsonSchema): string {
  return `${toJson(schema, 1)}\n`;
}

/** A fact as text; a column that does not apply is empty. */
export type CatalogRow = ReturnType<typeof catalogRows>[number];

/** One row for each fact of the table, in the table's order. */
export function catalogRows(table: FactTable = CATALOG_TABLE) {
  return [...table].map(([path, definition]) => ({
    path,
    /** Its name on pages; empty for a declared fact. */
    label: definition.label ?? '',
    type: definition.type,
    /** The values that the fact can have, in words or as names. */
    values: valuesOf(definition),
    unit: definition.unit ?? '',
    description: definition.description,
    /** The signal's name in the service's documentation, or what the fact is derived from. */
    signal: originOf(definition),
  }));
}

function valuesOf({ type, values = [], format, range, past }: FactDefinition): string {
  if (type === 'enum') return values.join(', ');
  if (type === 'boolean') return 'true, false';
  if (type === 'level') return `${LEVELS.at(0)} to ${LEVELS.at(-1)}`;
  if (type === 'date') return past ? 'a day in the past, or never' : 'a day, or never';
  if (format) return `format: ${format}`;
  if (!range) return '';
  return rangeWords(range);
}

function originOf({ origin, signal = '', inputs = [], compute, velocity }: FactDefinition): string {
  if (compute) return `computed: ${computationWords(compute)}`;
  if (velocity) return `counted: ${velocityWords(velocity)}`;
  if (origin === 'derived') return `derived from ${inputs.join(', ')}`;
  if (origin === 'applicant') return 'as sent to the service';
  return origin === 'caller' ? 'given by the caller' : signal;
}

/** @param path the schema of the paths; it has a `pattern` */
export function declarationsSchema(path: JsonSchema, { canCompute = false } = {}): JsonSchema {
  const form = new RegExp(String(path['pattern']));
  return {
    type: 'object',
    minProperties: 1,
    propertyNames: { ...path, not: { enum: [...CATALOG_TABLE.keys()].filter((known) => form.test(known)) } },
    additionalProperties: canCompute ? COMPUTED_DECLARATION : DECLARATION,
  };
}

const DECLARATION: JsonSchema = {
  title: 'Fact',
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: {
    type: { description: 'The type, which decides which operators there are.', type: 'string', enum: FACT_TYPES },
    values: {
      description: 'The values of an enum; case matters.',
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: TEXT,
    },
    unit: { description: 'For people: the unit of a number.', ...TEXT },
    description: { description: 'For people: what the fact means.', ...TEXT },
    format: {
      description: 'What a string identifies. All spellings are compared as one; any other text is invalid.',
      type: 'string',
      enum: FORMATS,
    },
    personal: {
      description: 'true: no message, page or trace shows its values.',
      type: 'boolean',
    },
    min: { description: 'The least value. A lower one is invalid.', type: 'number' },
    max: { description: 'The greatest value. A higher one is invalid.', type: 'number' },
    past: { description: 'true: the date cannot be after the day of the decision.', type: 'boolean' },
  },
  allOf: [
    where(typed({ const: 'enum' }), { required: ['values'] }),
    where(typed({ not: { const: 'enum' } }), { properties: { values: false } }),
    where(typed({ not: { const: 'date' } }), { properties: { past: false } }),
    where(typed({ not: { const: 'string' } }), { properties: { format: false } }),
    where(typed({ not: { enum: ['number', 'integer'] } }), { properties: { min: false, max: false } }),
  ],
};

/** A parameter begins with a dollar sign, which no path does. */
const OPERAND: JsonSchema = {
  anyOf: [TEXT, { type: 'number' }],
  description: 'The path of a fact, a number, or $name.',
};

const COMPUTATION: JsonSchema = {
  title: 'compute',
  description: 'How the fact is computed from others; callers do not give it.',
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  properties: Object.fromEntries(
    COMPUTATION_NAMES.map((name) => {
      const { operands, types } = COMPUTATIONS[name];
      const [minItems, maxItems] = operands;
      return [name, { type: 'array', minItems, maxItems, items: types.includes('date') ? TEXT : OPERAND }];
    }),
  ),
};

const COMPUTED_DECLARATION: JsonSchema = {
  ...DECLARATION,
  properties: { ...(DECLARATION['properties'] as JsonSchema), compute: COMPUTATION },
  allOf: [
    ...(DECLARATION['allOf'] as readonly JsonSchema[]),
    where(typed({ not: { enum: ['number', 'integer'] } }), { properties: { compute: false } }),
    where({ required: ['compute'] }, { properties: { min: false, max: false } }),
  ],
};

function typed(type: JsonSchema): JsonSchema {
  return { required: ['type'], properties: { type } };
}
