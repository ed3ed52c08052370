/** The keys and names of a policy -> the JSON Schemas that complete and check its files in editors. */

import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { DIALECT, type JsonSchema, MAP, refer, TEXT, where, whereType } from '../../facts/json-schema.ts';
import { ANY_CELL, CLAIMS, NONE_CELL, OUTCOMES } from '../language.ts';
import { mapSchema, type OwnNames, propertiesOf, type SchemaNames } from '../read/key.ts';
import { ENTRY_KEYS, LIST_KEYS } from '../read/list.ts';
import { NOTICE_MAP } from '../read/message.ts';
import { POLICY_KEYS, RULE_SET_KEYS } from '../read/policy-keys.ts';
import { GUARANTEE_KEYS, RULE_KEYS } from '../read/rule.ts';
import { TABLE_KEYS } from '../read/tables/table.ts';
import { VELOCITY_KEYS } from '../read/velocity.ts';
import { conditionDefinitions } from './condition-schema.ts';

export type { OwnNames } from '../read/key.ts';

/**
 * The schema of a policy. With the names that a policy declares it completes and accepts only these; without them it
 * accepts any name of the right form.
 */
export function policySchema(own?: OwnNames): JsonSchema {
  const names = namesOf(own);
  return { $schema: DIALECT, title: 'Policy', ...mapSchema(POLICY_KEYS, names), definitions: definitions(names) };
}

/** The schema of a rule-set file; `own` are the names of the whole policy. */
export function ruleSetSchema(own?: OwnNames): JsonSchema {
  const names = namesOf(own);
  return { $schema: DIALECT, title: 'Rule set', ...mapSchema(RULE_SET_KEYS, names), definitions: definitions(names) };
}

function namesOf(own: OwnNames | undefined): SchemaNames {
  return { facts: new Map([...CATALOG_TABLE, ...(own?.facts ?? [])]), own };
}

function definitions(names: SchemaNames): Record<string, JsonSchema> {
  return {
    rule: {
      title: 'Rule',
      description: 'Fires when its condition holds, and then asks for an outcome, adds points, or both.',
      ...mapSchema(RULE_KEYS, names),
      allOf: EFFECTIVE,
    },
    table: {
      title: 'Table',
      description: 'Rules in rows. Every row whose cells all hold fires.',
      ...mapSchema(TABLE_KEYS, names),
      allOf: WITH_COLUMNS,
    },
    guarantee: {
      title: 'Guarantee',
      description: 'A claim about the outcome of every applicant for whom the condition is true.',
      ...mapSchema(GUARANTEE_KEYS, names),
      oneOf: CLAIMS.map((claim) => ({
        required: [claim],
        errorMessage: 'A guarantee needs one of `never`, `always` and `atLeast`.',
      })),
    },
    velocity: { title: 'Velocity', ...mapSchema(VELOCITY_KEYS, names) },
    cell: CELL,
    list: listSchema(names),
    listEntries: {
      type: 'array',
      items: { anyOf: [TEXT, MAP], ...whereType('object', mapSchema(ENTRY_KEYS, names)) },
    },
    ...conditionDefinitions(names),
  };
}

/** A rule has an effect, a final rule has an outcome, and no strict rule lowers the score. */
const EFFECTIVE: readonly JsonSchema[] = [
  {
    anyOf: ['then', 'points'].map((key) => ({
      required: [key],
      errorMessage: 'A rule needs `then`, `points` or both.',
    })),
  },
  where(having('final', { const: true }), {
    required: ['then'],
    errorMessage: 'A final rule decides, so it needs `then`.',
  }),
  where(having('then', { enum: OUTCOMES.filter((outcome) => outcome !== 'accept') }), {
    properties: { points: { minimum: 0, doNotSuggest: true } },
  }),
];

/** A table has columns of its own, or a file that has them. */
const WITH_COLUMNS: readonly JsonSchema[] = [
  where(having('rows', { type: 'object' }), { properties: { columns: false } }),
  where(having('rows', { type: 'array' }), {
    required: ['columns'],
    errorMessage: 'Rows in place need `columns`.',
  }),
];

function having(key: string, schema: JsonSchema): JsonSchema {
  return { required: [key], properties: { [key]: schema } };
}

/** A cell of a table, whatever its column. */
const CELL: JsonSchema = {
  anyOf: [refer('anyFact', { examples: [ANY_CELL, ...OUTCOMES, NONE_CELL] }), NOTICE_MAP],
  description: 'A value, a list of values, tests, or any for no test; in a column of a key, the value of the key.',
};

/** Entries in place, or a map that names a file or has the entries. */
function listSchema(names: SchemaNames): JsonSchema {
  return {
    title: 'List',
    anyOf: [{ type: 'array' }, MAP],
    ...whereType('array', refer('listEntries'), {
      type: 'object',
      additionalProperties: false,
      properties: propertiesOf(LIST_KEYS, names),
      anyOf: ['file', 'entries'].map((key) => ({ required: [key], errorMessage: 'A list needs `file` or `entries`.' })),
      dependencies: { file: { properties: { entries: false } } },
    }),
  };
}
