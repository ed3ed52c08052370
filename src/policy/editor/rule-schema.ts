/** The keys of rules and tables, as JSON Schema for editors. */

import type { FactTable } from '../../facts/catalog.ts';
import { DAY, type JsonSchema, refer, TEXT, where } from '../../facts/json-schema.ts';
import { OUTCOMES, WHEN_UNKNOWN } from '../language.ts';
import { CODE, ID, ID_FORM } from '../read/rule.ts';
import { ANY_CELL, EFFECT_COLUMNS } from '../read/table.ts';
import { OWN_PATH_SCHEMA, type OwnNames } from './condition-schema.ts';

const ID_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: ID.source,
  patternErrorMessage: `An id in ${ID_FORM} is expected.`,
};

const CODE_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: CODE.source,
  patternErrorMessage: 'A code in UPPER_SNAKE is expected, like PORTED_AND_RISKY_EMAIL.',
};

/** The schema of `default` and `then`. */
export const OUTCOME: JsonSchema = { type: 'string', enum: OUTCOMES };

/** What an undetermined rule asks for: of a policy, a rule or a table. */
export function whenUnknown(description: string): JsonSchema {
  return { description, type: 'string', enum: WHEN_UNKNOWN };
}

/** What a policy, and whoever includes its files, tells people. */
export const DESCRIPTION: JsonSchema = { description: 'For people: what it is for.', ...TEXT };

/** The keys that a table has for all of its rows, and a rule for itself. */
const COMMON: Readonly<Record<string, JsonSchema>> = {
  whenUnknown: whenUnknown("What is asked for where the condition cannot be decided; overrides the policy's."),
  mode: {
    description: 'shadow: evaluated and recorded, without effect on outcome or score.',
    type: 'string',
    enum: ['shadow'],
  },
  from: { description: 'The first day on which it is active.', ...DAY },
  until: { description: 'The last day on which it is active.', ...DAY },
  tags: { description: 'For people: words to find it by.', type: 'array', items: TEXT },
  owner: { description: 'For people: who answers for it.', ...TEXT },
  description: DESCRIPTION,
};

/** The keys of a rule that can be columns of a table. */
function effects(
  facts: FactTable,
  own: OwnNames | undefined,
): Readonly<Record<(typeof EFFECT_COLUMNS)[number], JsonSchema>> {
  const then = { description: 'What the rule asks for when it fires.', ...OUTCOME };
  return {
    then,
    reason: { description: 'The code of the reason, for machines; by default made from the id.', ...CODE_SCHEMA },
    message: messageSchema(facts, own),
    notice: { description: 'What the applicant may be told; no places.', ...TEXT },
    points: { description: 'Added to the score when the rule fires.', type: 'integer' },
  };
}

/** A text with the places that `readMessage` knows: facts, but none of the applicant's own data. */
function messageSchema(facts: FactTable, own: OwnNames | undefined): JsonSchema {
  const shown = [...facts].filter(([path]) => !path.startsWith('applicant.'));
  const dates = shown.filter(([, { type }]) => type === 'date');
  const either = (paths: typeof shown) => {
    const known = paths.map(([path]) => path.replaceAll('.', '\\.'));
    return [...known, ...(own ? [] : [String(OWN_PATH_SCHEMA['pattern']).slice(1, -1)])].join('|');
  };
  const place = `\\{(${either(shown)}|daysSince +(${either(dates)}))\\}`;
  return {
    description: 'For the analyst, with places: {fact}, or {daysSince fact} for a date. {{ and }} are braces.',
    type: 'string',
    pattern: `^(?=[\\s\\S]*\\S)([^{}]|\\{\\{|\\}\\}|${place})*$`,
    patternErrorMessage:
      "Places are written {fact}, or {daysSince fact} for a date; braces {{ and }}. The applicant's own data are not shown.",
  };
}

/** A rule. */
export function ruleSchema(facts: FactTable, own: OwnNames | undefined): JsonSchema {
  return {
    title: 'Rule',
    description: 'Fires when its condition holds, and then asks for an outcome, adds points, or both.',
    type: 'object',
    required: ['id', 'when'],
    additionalProperties: false,
    properties: {
      id: { description: 'Its name in kebab-case, unique in the policy.', ...ID_SCHEMA },
      description: DESCRIPTION,
      when: refer('condition', { description: 'The condition: a name, or a map of facts and what is asked of them.' }),
      ...effects(facts, own),
      final: {
        description: 'true: the first such rule that fires decides alone (an allow list, a hard block).',
        type: 'boolean',
      },
      ...COMMON,
    },
    allOf: EFFECTIVE,
  };
}

/** That a rule has an effect, a final one an outcome, and that no strict one lowers the score. */
const EFFECTIVE: readonly JsonSchema[] = [
  {
    anyOf: ['then', 'points'].map((key) => ({
      required: [key],
      errorMessage: 'A rule needs `then`, `points` or both.',
    })),
  },
  where(having('final', { const: true }), {
    required: ['then'],
    errorMessage: 'A final rule decides, so that it needs `then`.',
  }),
  where(having('then', { enum: OUTCOMES.filter((outcome) => outcome !== 'accept') }), {
    properties: { points: { type: 'integer', minimum: 0, doNotSuggest: true } },
  }),
];

function having(key: string, schema: JsonSchema): JsonSchema {
  return { required: [key], properties: { [key]: schema } };
}

/** A table, each row of which is a rule. */
export function tableSchema(facts: FactTable, own: OwnNames | undefined): JsonSchema {
  const column = { type: 'string', enum: [...facts.keys(), ...EFFECT_COLUMNS] };
  return {
    title: 'Table',
    description: 'Rules in rows. Every row whose cells all hold fires.',
    type: 'object',
    required: ['id', 'columns', 'rows'],
    additionalProperties: false,
    properties: {
      id: { description: 'Its name in kebab-case; its rows have the ids <table>/1, <table>/2 …', ...ID_SCHEMA },
      columns: {
        description: 'The facts that the cells are about, and the keys of a rule that they give.',
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: own ? column : { anyOf: [column, OWN_PATH_SCHEMA] },
        anyOf: ['then', 'points'].map((key) => ({ contains: { const: key } })),
      },
      rows: {
        description: 'For each row as many cells as there are columns.',
        type: 'array',
        minItems: 1,
        items: { description: 'One cell for each column.', type: 'array', minItems: 1, items: refer('cell') },
      },
      ...COMMON,
    },
  };
}

/** A cell of a table, whatever its column. */
export const CELL: JsonSchema = {
  anyOf: [refer('anyFact', { examples: [ANY_CELL, ...OUTCOMES] })],
  description: 'A value, a list of values, tests, or any for no test; in a column of a key, what the rule has there.',
};
