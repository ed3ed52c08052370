/** Where a parameter is declared, and where it may stand -> the JSON Schema of these places. */

import { type JsonSchema, refer, where, whereType } from '../../../facts/json-schema.ts';
import { NAME } from '../form.ts';
import { mapSchema, type SchemaNames } from '../key.ts';
import { PARAMETER_KEYS, PARAMETER_VALUE } from './parameter-value.ts';

/** The names of parameters in messages: those of one policy, or any of the right form. */
export function parameterPattern(own: SchemaNames['own']): string {
  if (!own) return NAME.pattern.source.slice(1, -1);
  return own.parameters.size > 0 ? [...own.parameters.keys()].join('|') : '(?!)';
}

/** The definition of `$name`. */
export function parameterDefinition(own: SchemaNames['own']): JsonSchema {
  const words = { title: '$name', description: 'The value of a parameter.' };
  const names = [...(own?.parameters.keys() ?? [])].map((name) => `$${name}`);
  if (names.length > 0) return { ...words, type: 'string', enum: names };
  const patternErrorMessage = own ? 'The policy declares no parameter.' : 'A parameter is written $name.';
  return { ...words, type: 'string', pattern: own ? '(?!)' : `^\\$(${parameterPattern(own)})$`, patternErrorMessage };
}

/** The schema of a place in which a parameter may stand too; a text that begins with a dollar sign has two. */
export function orParameter(schema: JsonSchema): JsonSchema {
  // Editors do not complete from branches.
  const examples = schema['type'] === 'boolean' ? [true, false] : (schema['enum'] ?? schema['examples']);
  const branches = where({ type: 'string', pattern: '^\\$(?!\\$)' }, PARAMETER, schema);
  return { ...branches, ...(examples === undefined ? {} : { examples }) };
}

const PARAMETER = refer('parameter');

/** The schema of `parameters`. */
export function parametersSchema(names: SchemaNames): JsonSchema {
  const declaration = {
    anyOf: [PARAMETER_VALUE, { type: 'object' }],
    ...whereType('object', mapSchema(PARAMETER_KEYS, names), PARAMETER_VALUE),
  };
  return { type: 'object', minProperties: 1, propertyNames: NAME.schema, additionalProperties: declaration };
}
