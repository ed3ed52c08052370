/** TABLE 1 -> the JSON Schema that completes and checks a mapping (`rules/signals.yaml`) in editors. */

import { CATALOG_TABLE, type FactDefinition, type FactTable, type FactType } from './catalog.ts';
import {
  DIALECT,
  factTexts,
  type JsonSchema,
  type Kind,
  kindOf,
  kindsOf,
  literalSchema,
  MAP,
  MAP_DEFINITION,
  refer,
  TEXT,
  where,
  whereType,
} from './json-schema.ts';
import { DAY_FORMATS, TAKE_TYPES, type Take } from './signal.ts';

/** What each `take` takes, for people. */
const TAKE_WORDS: Readonly<Record<Take, string>> = {
  first: 'the first',
  latest: 'the latest',
  previous: 'the latest but one',
  earliest: 'the earliest',
  count: 'how many there are',
  max: 'the greatest',
  min: 'the least',
};

const PLACE = 'JSONPath (RFC 9535); a path without $ in front, such as risk.phone.score, is short for one with $.';

/** Texts, numbers and booleans of an answer. */
const NAMES: JsonSchema = { type: 'array', minItems: 1, items: { type: ['string', 'number', 'boolean'] } };

const PLACEHOLDERS: JsonSchema = { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } };

/** The schema of a mapping. */
export function mappingSchema(): JsonSchema {
  const signals: FactTable = new Map([...CATALOG_TABLE].filter(([, { origin }]) => origin === 'service'));
  const kinds = kindsOf(signals);
  return {
    $schema: DIALECT,
    title: 'Mapping',
    type: 'object',
    required: ['signals'],
    additionalProperties: false,
    properties: {
      signals: {
        description: 'Where each signal stands in an answer. One that is left out makes its fact missing (unmapped).',
        type: 'object',
        minProperties: 1,
        additionalProperties: false,
        properties: Object.fromEntries(
          [...signals].map(([path, fact]) => [path, refer(kinds.get(kindOf(fact))?.name ?? '', factTexts(path, fact))]),
        ),
      },
      placeholders: { description: 'Texts that stand for no value, beside null and nothing at all.', ...PLACEHOLDERS },
      answer: ANSWER,
      sources: {
        description: 'The sources of the service; where one did not answer, its signals are missing (sourceFailed).',
        type: 'object',
        minProperties: 1,
        additionalProperties: sourceSchema([...signals.keys()]),
      },
    },
    definitions: {
      ...MAP_DEFINITION,
      places: { anyOf: [TEXT, { type: 'array' }], ...whereType('array', { minItems: 1, items: TEXT }) },
      ...Object.fromEntries([...kinds.values()].flatMap((kind) => Object.entries(kindDefinitions(kind)))),
    },
  };
}

/** A place or several, or a map that says how the signal is read. */
function kindDefinitions({ name, fact }: Kind): Record<string, JsonSchema> {
  return {
    [name]: {
      anyOf: [TEXT, MAP, { type: 'array' }],
      ...whereType('object', refer(`${name}-signal`), whereType('array', { minItems: 1, items: TEXT })),
    },
    [`${name}-signal`]: signalSchema(fact),
  };
}

function signalSchema(fact: FactDefinition): JsonSchema {
  const takes = (Object.entries(TAKE_TYPES) as [Take, readonly FactType[]][]).filter(([, types]) =>
    types.includes(fact.type),
  );
  const target = literalSchema(fact);
  return {
    type: 'object',
    required: ['at'],
    additionalProperties: false,
    properties: {
      at: refer('places', { description: `The place, or several of which the first that is there counts: ${PLACE}` }),
      take: {
        description: 'Which value counts where a place gives several; without it, two that differ are invalid.',
        type: 'string',
        enum: takes.map(([take]) => take),
        enumDescriptions: takes.map(([take]) => TAKE_WORDS[take]),
      },
      values: {
        description: "What the service's own words and steps mean; the fact's own names are known already.",
        type: 'object',
        minProperties: 1,
        additionalProperties: target,
      },
      placeholders: { description: 'Further texts that stand for no value here.', ...PLACEHOLDERS },
      ...(fact.type === 'number' && fact.range ? { range: RANGE } : {}),
      ...(fact.type === 'date' ? { formats: FORMATS_SCHEMA, never: NEVER_MAPPING } : {}),
    },
    // Counting reads no value.
    ...where({ required: ['take'], properties: { take: { const: 'count' } } }, { properties: { values: false } }),
  };
}

const RANGE: JsonSchema = {
  description: "The least and the greatest value on the wire; they become those of the fact's own range.",
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: { type: 'number' },
};

const FORMATS_SCHEMA: JsonSchema = {
  description: 'How the day can be written.',
  type: 'array',
  minItems: 1,
  items: { type: 'string', enum: DAY_FORMATS },
};

const NEVER_MAPPING: JsonSchema = {
  description: 'Where the answer tells that it is known not to have happened.',
  type: 'object',
  required: ['at', 'is'],
  additionalProperties: false,
  properties: {
    at: refer('places', { description: `The place that tells: ${PLACE}` }),
    is: { description: 'The values there that tell so.', type: 'array', minItems: 1 },
  },
};

/** The status of an answer or a source. */
const STATUS: Readonly<Record<string, JsonSchema>> = {
  at: { description: `The place of the status: ${PLACE}`, ...TEXT },
  answered: { description: 'The statuses that mean success.', ...NAMES },
};

const ANSWER: JsonSchema = {
  description: 'How an answer shows that it is one, and whose: else every fact is missing (sourceFailed).',
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: { ...STATUS, reference: { description: `Where it repeats the caller's reference: ${PLACE}`, ...TEXT } },
  dependencies: { at: ['answered'], answered: ['at'] },
};

function sourceSchema(paths: readonly string[]): JsonSchema {
  const groups = paths.flatMap((path) => [...path.matchAll(/\./g)].map(({ index }) => `${path.slice(0, index)}.*`));
  return {
    title: 'Source',
    type: 'object',
    required: ['at', 'answered', 'signals'],
    additionalProperties: false,
    properties: {
      ...STATUS,
      signals: {
        description: 'The signals that it is the source of: paths, or the beginning of several with .* behind.',
        type: 'array',
        minItems: 1,
        items: { type: 'string', enum: [...new Set(groups), ...paths] },
      },
    },
  };
}
