/** The tables of facts and operators, and what a policy declares -> the JSON Schemas that complete and check its files in editors. */

import { CATALOG_TABLE, type FactTable } from '../../facts/catalog.ts';
import { declarationsSchema } from '../../facts/declare-schema.ts';
import { DAY, DIALECT, type JsonSchema, MAP, refer, TEXT, whereType } from '../../facts/json-schema.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { conditionDefinitions, NAME_SCHEMA, OWN_PATH_SCHEMA, type OwnNames } from './condition-schema.ts';
import { CELL, DESCRIPTION, OUTCOME, ruleSchema, tableSchema, whenUnknown } from './rule-schema.ts';

export type { OwnNames } from './condition-schema.ts';

/**
 * The schema of a policy. With the names that a policy declares it completes these too, and no others will do; without
 * them, any name of the right form does.
 */
export function policySchema(own?: OwnNames): JsonSchema {
  return {
    $schema: DIALECT,
    title: 'Policy',
    type: 'object',
    required: ['policy', 'version', 'default'],
    additionalProperties: false,
    properties: {
      policy: { ...NAME_SCHEMA, description: 'The name of the policy.' },
      version: { description: 'Its version, as decisions record it; in quotes.', ...TEXT },
      description: DESCRIPTION,
      default: { description: 'The outcome when no rule says otherwise.', ...OUTCOME },
      whenUnknown: whenUnknown('What a rule that cannot be decided asks for; review if nothing is said.'),
      facts: OWN_FACTS,
      score: SCORE,
      stages: STAGES,
      ...RULE_SET_KEYS,
    },
    definitions: definitions(own),
  };
}

/** The schema of a rule-set file; `own` are the names of the whole policy. */
export function ruleSetSchema(own?: OwnNames): JsonSchema {
  return {
    $schema: DIALECT,
    title: 'Rule set',
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    properties: RULE_SET_KEYS,
    definitions: definitions(own),
  };
}

function definitions(own: OwnNames | undefined): Record<string, JsonSchema> {
  const facts: FactTable = new Map([...CATALOG_TABLE, ...(own?.facts ?? [])]);
  return {
    rule: ruleSchema(facts, own),
    table: tableSchema(facts, own),
    cell: CELL,
    list: LIST,
    listEntries: {
      type: 'array',
      items: { anyOf: [TEXT, MAP], ...whereType('object', ENTRY) },
    },
    ...conditionDefinitions(facts, own),
  };
}

/** What every file of a policy can have. */
const RULE_SET_KEYS: Readonly<Record<string, JsonSchema>> = {
  conditions: {
    description: 'Conditions by name, to be used again; names are unique over all files of the policy.',
    type: 'object',
    minProperties: 1,
    propertyNames: NAME_SCHEMA,
    additionalProperties: refer('condition'),
  },
  lists: {
    description: 'Lists of texts by name, for inList, notInList and inDomainList.',
    type: 'object',
    minProperties: 1,
    propertyNames: NAME_SCHEMA,
    additionalProperties: refer('list'),
  },
  ruleSets: {
    description: 'Other files with rules, in this order, after the rules of this file; relative to this file.',
    type: 'array',
    items: TEXT,
  },
  rules: { description: 'The rules of this file.', type: 'array', items: refer('rule') },
  tables: { description: 'Tables of rules, each row a rule.', type: 'array', items: refer('table') },
};

const OWN_FACTS = declarationsSchema(
  'Facts of your own: context.… is given by the caller, identity.… by a further service.',
  OWN_PATH_SCHEMA,
);

const SCORE: JsonSchema = {
  description: 'The points from which on review and reject are asked for; those of all rules that fired are added up.',
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    review: { description: 'Review is asked for from so many points on.', type: 'integer' },
    reject: { description: 'Reject is asked for from so many points on; more than for review.', type: 'integer' },
  },
};

const STAGES: JsonSchema = {
  description:
    'Which identity variables to ask the service for, cheapest first; a call that changes nothing is spared.',
  type: 'array',
  minItems: 1,
  items: {
    description: 'The identity variables of one call; phoneNo is one of them.',
    type: 'array',
    uniqueItems: true,
    items: { type: 'string', enum: IDENTITY_VARIABLES },
    contains: { const: 'phoneNo' },
  },
};

const ENTRY: JsonSchema = {
  type: 'object',
  required: ['value'],
  additionalProperties: false,
  properties: {
    value: { description: 'The text.', ...TEXT },
    until: { description: 'The last day on which the entry counts.', ...DAY },
    note: { description: 'For people: why it is there.', ...TEXT },
  },
};

/** Entries in place, or a file of them. */
const LIST: JsonSchema = {
  title: 'List',
  anyOf: [{ type: 'array' }, MAP],
  ...whereType('array', refer('listEntries'), {
    type: 'object',
    additionalProperties: false,
    properties: {
      file: { description: 'A text file with one entry a line, relative to this file; # starts a comment.', ...TEXT },
      entries: refer('listEntries', { description: 'The entries: texts, or { value, until, note }.' }),
      description: DESCRIPTION,
    },
    anyOf: ['file', 'entries'].map((key) => ({ required: [key], errorMessage: 'A list needs `file` or `entries`.' })),
    dependencies: { file: { properties: { entries: false } } },
  }),
};
