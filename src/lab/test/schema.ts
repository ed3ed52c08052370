/** The keys of files of tests, and the facts -> the JSON Schema that completes and checks these files in editors. */

import { CATALOG_TABLE, type FactDefinition } from '../../facts/catalog.ts';
import {
  DIALECT,
  factTexts,
  type JsonSchema,
  kindOf,
  kindsOf,
  literalSchema,
  MAP,
  MAP_DEFINITION,
  refer,
  where,
  whereType,
} from '../../facts/json-schema.ts';
import { NAMED_PATH } from '../../policy/read/form.ts';
import { mapSchema, type SchemaNames } from '../../policy/read/key.ts';
import { EXPECTATION_KEYS } from './expectation.ts';
import { RELATIVE_DAY } from './mistakes.ts';
import { CASE_TABLE_FORMS, CASE_TABLE_KEYS } from './table.ts';
import { CAUSE, FACT_FILE_KEYS, FACT_SET_KEYS, TEST_FILE_KEYS, TEST_KEYS } from './test-keys.ts';

/** The facts of a policy are not known: any path of the right form will do. */
const NAMES: SchemaNames = { facts: CATALOG_TABLE, own: undefined };

const MISSING: JsonSchema = {
  type: 'object',
  required: ['missing'],
  additionalProperties: false,
  properties: { missing: { description: 'Why the fact has no value.', ...CAUSE } },
};

/** The schema of a file of tests. */
export function testsSchema(): JsonSchema {
  return { $schema: DIALECT, title: 'Tests', ...mapSchema(TEST_FILE_KEYS, NAMES), definitions: definitions() };
}

function definitions(): Readonly<Record<string, JsonSchema>> {
  const kinds = kindsOf(CATALOG_TABLE);
  const paths = [...CATALOG_TABLE];
  const facts = Object.fromEntries(
    paths.map(([path, fact]) => [path, refer(kinds.get(kindOf(fact))?.name ?? '', factTexts(path, fact))]),
  );
  return {
    ...MAP_DEFINITION,
    test: {
      title: 'Test',
      ...mapSchema(TEST_KEYS, NAMES),
      anyOf: ['expect', 'table'].map((key) => ({
        required: [key],
        errorMessage: 'A test needs `expect`, `table` or both.',
      })),
    },
    expectation: { title: 'Expectation', ...mapSchema(EXPECTATION_KEYS, NAMES) },
    table: { title: 'Table', ...mapSchema(CASE_TABLE_KEYS, NAMES), ...CASE_TABLE_FORMS },
    facts: {
      type: 'object',
      additionalProperties: false,
      properties: facts,
      patternProperties: { [NAMED_PATH.pattern.source]: refer('anyFact') },
    },
    factSet: {
      type: 'object',
      ...where(
        { required: ['file'] },
        mapSchema(FACT_FILE_KEYS, NAMES),
        where(
          { anyOf: Object.keys(FACT_SET_KEYS).map((key) => ({ required: [key] })) },
          mapSchema(FACT_SET_KEYS, NAMES),
          refer('facts'),
        ),
      ),
    },
    missing: {
      type: 'object',
      minProperties: 1,
      additionalProperties: CAUSE,
      properties: Object.fromEntries(paths.map(([path, fact]) => [path, { ...factTexts(path, fact), ...CAUSE }])),
    },
    anyFact: { type: ['string', 'number', 'boolean', 'object'], ...whereType('object', MISSING) },
    ...Object.fromEntries([...kinds.values()].map(({ name, fact }) => [name, valueSchema(fact)])),
  };
}

/** A value, or the cause why there is none. */
function valueSchema(fact: FactDefinition): JsonSchema {
  const literal = literalSchema(fact);
  const value = fact.type === 'date' ? { anyOf: [literal, RELATIVE_DAY] } : literal;
  return { anyOf: [value, MAP], ...whereType('object', MISSING, value) };
}
