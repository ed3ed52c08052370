/** The pattern of the paths that can be declared -> the JSON Schema of `facts:`, in a policy or a mapping. */

import { FORMATS } from '../formats/format.ts';
import { CATALOG_TABLE, FACT_TYPES } from './catalog.ts';
import { type JsonSchema, TEXT, where } from './json-schema.ts';

/** @param path the schema of the paths; it has a `pattern` */
export function declarationsSchema(path: JsonSchema): JsonSchema {
  const form = new RegExp(String(path['pattern']));
  return {
    type: 'object',
    minProperties: 1,
    propertyNames: { ...path, not: { enum: [...CATALOG_TABLE.keys()].filter((known) => form.test(known)) } },
    additionalProperties: DECLARATION,
  };
}

const DECLARATION: JsonSchema = {
  title: 'Fact',
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: {
    type: { description: 'The type, which decides the operators.', type: 'string', enum: FACT_TYPES },
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
      description: 'What a text identifies: each spelling is read as one form, and any other text is invalid.',
      type: 'string',
      enum: FORMATS,
    },
    personal: {
      description: 'true: no message, page or trace shows its values, as those of the applicant.',
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

function typed(type: JsonSchema): JsonSchema {
  return { required: ['type'], properties: { type } };
}
