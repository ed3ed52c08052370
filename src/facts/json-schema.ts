/** What the editor's schemas of policies and mappings share: the literals of each fact type, and a fact's hover texts. */

import { type FactDefinition, type FactTable, type FactType, LEVELS } from './catalog.ts';
import { catalogRows } from './catalog-rows.ts';
import { NEVER } from './fact.ts';

/** A JSON Schema, as data. Beside the standard's keywords it may have those that YAML editors read. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The dialect of every schema: the newest whose tuples, `$ref` with a description beside it and conditions the YAML
 * language server not only checks but completes.
 */
export const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** A text with more than white space in it. */
export const TEXT: JsonSchema = {
  type: 'string',
  pattern: '\\S',
  patternErrorMessage: 'An empty text; at least one character is expected.',
};

const DAY_PATTERN = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';

/** A calendar day, but for how many days its month has. */
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

/** The schema of a literal of a fact. */
export function literalSchema({ type, values = [] }: FactDefinition): JsonSchema {
  return LITERALS[type](values);
}

/** Facts with the same literals have the same kind: their type; for an enum its values, whatever their order. */
export function kindOf({ type, values = [] }: FactDefinition): string {
  return type === 'enum' ? JSON.stringify([...values].sort()) : type;
}

/** Facts of one kind, of which the same is asked. */
export interface Kind {
  /** The name of its definition: the type; for an enum, the path of the first such fact. */
  readonly name: string;
  readonly fact: FactDefinition;
}

/** The kinds of the facts of a table, by `kindOf`. */
export function kindsOf(facts: FactTable): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const [path, fact] of facts) {
    const kind = kindOf(fact);
    if (!kinds.has(kind)) kinds.set(kind, { name: fact.type === 'enum' ? path : fact.type, fact });
  }
  return kinds;
}

/** A fact's title and texts for hovers and lists of completions: meaning, type, values, unit, signal. */
export function factTexts(path: string, definition: FactDefinition): JsonSchema {
  const [row] = catalogRows(new Map([[path, definition]]));
  const { type = '', values = '', unit = '', signal = '', description = '' } = row ?? {};
  const details: readonly (readonly [name: string, text: string])[] = [
    ['Type', values === '' ? type : `${type} (${values})`],
    ['Unit', unit],
    [definition.origin === 'service' ? 'Signal' : 'Origin', signal],
  ];
  const told = details.filter(([, text]) => text !== '');
  return {
    title: path,
    description: [description, ...told.map(([name, text]) => `${name}: ${text}.`)].join(' ').trim(),
    markdownDescription: [description, told.map(([name, text]) => `- ${name}: ${text}`).join('\n')].join('\n\n').trim(),
  };
}

/** A reference to a definition of the same schema, with texts of its own beside it. Messages of editors show the name. */
export function refer(definition: string, texts: JsonSchema = {}): JsonSchema {
  return { $ref: `#/definitions/${definition}`, ...texts };
}

/** What holds where a condition holds, and what elsewhere. A mistake is then told of what was meant. */
export function where(condition: JsonSchema, then: JsonSchema, others?: JsonSchema): JsonSchema {
  return { if: condition, then, ...(others ? { else: others } : {}) };
}

/** Any map. Where another schema checks what is in it, this one tells editors that a map can stand there at all. */
export const MAP_DEFINITION = { map: { type: 'object' } } as const;

/** The definition of any map, referred to. */
export const MAP: JsonSchema = refer('map');

/** What holds of values of one JSON type, and what of the others. */
export function whereType(type: string, then: JsonSchema, others?: JsonSchema): JsonSchema {
  return where({ type }, then, others);
}

/** A schema as the text of its file. */
export function schemaText(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
