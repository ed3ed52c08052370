/** The pattern of the paths that can be declared -> the JSON Schema of `facts:`, in a policy or a mapping. */

import { FORMATS } from '../formats/format.ts';
import { CATALOG_TABLE, FACT_TYPES } from './catalog.ts';
import { COMPUTATION_NAMES, COMPUTATIONS } from './compute.ts';
import { type JsonSchema, TEXT, where } from './json-schema.ts';

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
    past: { description: 'true: the date cannot be after the day of the decision.', type: 'boolean' },
  },
  allOf: [
    where(typed({ const: 'enum' }), { required: ['values'] }),
    where(typed({ not: { const: 'enum' } }), { properties: { values: false } }),
    where(typed({ not: { const: 'date' } }), { properties: { past: false } }),
    where(typed({ not: { const: 'string' } }), { properties: { format: false } }),
  ],
};

/** A parameter begins with a dollar sign, which no path does. */
const OPERAND: JsonSchema = {
  anyOf: [TEXT, { type: 'number' }],
  description: 'The path of a fact, a number, or $name.',
};

const COMPUTATION: JsonSchema = {
  title: 'compute',
  description: 'How the fact is computed from others. Nobody has to give it.',
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
  ],
};

function typed(type: JsonSchema): JsonSchema {
  return { required: ['type'], properties: { type } };
}
