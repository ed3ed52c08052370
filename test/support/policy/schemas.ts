/** The JSON Schema files that the shipped policies, rule sets, mapping and tests name -> their generated texts. */

import { schemaText } from '../../../src/facts/json-schema.ts';
import { testsSchema } from '../../../src/lab/test/schema.ts';
import { policySchema, ruleSetSchema } from '../../../src/policy/editor/schema.ts';
import { mappingSchema } from '../docs/mapping-schema.ts';

/** Texts by file. */
export const SCHEMA_FILES: ReadonlyMap<string, string> = new Map([
  ['rules/policy.schema.json', schemaText(policySchema())],
  ['rules/rule-set.schema.json', schemaText(ruleSetSchema())],
  ['rules/signals.schema.json', schemaText(mappingSchema())],
  ['rules/test.schema.json', schemaText(testsSchema())],
]);
