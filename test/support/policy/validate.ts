/** A JSON Schema and a YAML text -> the problems that the schema finds. */

import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import type { JsonSchema } from '../../../src/facts/json-schema.ts';

/** Keywords that YAML editors read beside those of the standard; any other unknown one is a mistake. */
const EDITOR_KEYWORDS = [
  'markdownDescription',
  'enumDescriptions',
  'patternErrorMessage',
  'errorMessage',
  'doNotSuggest',
];

const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** The problems of a YAML text, each with its place in the data; none if it fits the schema. */
export function schemaProblems(schema: JsonSchema, yaml: string): readonly string[] {
  let validate = compiled.get(schema);
  if (!validate) {
    const ajv = new Ajv({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allowMatchingProperties: true,
      allErrors: true,
    });
    ajv.addVocabulary(EDITOR_KEYWORDS);
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  validate(parse(yaml));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
