/** TABLE 1 -> the JSON Schema that completes and checks a mapping (`rules/signals.yaml`) in editors. */

import { CATALOG_TABLE, type FactDefinition, type FactTable, type FactType } from '../../../src/facts/catalog.ts';
import { declarationsSchema } from '../../../src/facts/declare-schema.ts';
import {
  DIALECT,
  factTexts,
  type JsonSchema,
  type Kind,
  kindOf,
  literalSchema,
  MAP,
  MAP_DEFINITION,
  refer,
  TEXT,
  where,
  whereType,
} from '../../../src/facts/json-schema.ts';
import { MATCH_RESULT } from '../../../src/facts/mapping/mappable-facts.ts';
import { TAKE_TYPES, type Take } from '../../../src/facts/mapping/signal.ts';
import { canBePartial, DAY_FORMATS, PARTIALS, RIVAL_FORMATS } from '../../../src/facts/mapping/value/day-format.ts';
import { FORMS, type Form, formProblem } from '../../../src/facts/mapping/value/scale.ts';

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

/** The form of the paths of facts that a mapping declares. */
const OWN_PATH_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: MATCH_RESULT.source,
  patternErrorMessage: 'A path like identity.nameScore is expected.',
};

/** One of them, or the beginning of several. */
const OWN_PATTERN_SCHEMA: JsonSchema = { type: 'string', pattern: MATCH_RESULT.source.replace('$', '(\\.\\*)?$') };

/** The schema of a mapping. */
export function mappingSchema(): JsonSchema {
  const signals: FactTable = new Map([...CATALOG_TABLE].filter(([, { origin }]) => origin === 'service'));
  const kinds = signalKinds(signals);
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
        additionalProperties: false,
        properties: Object.fromEntries(
          [...signals].map(([path, fact]) => [
            path,
            refer(kinds.get(signalKindOf(fact))?.name ?? '', factTexts(path, fact)),
          ]),
        ),
        patternProperties: {
          [MATCH_RESULT.source]: refer('own', { description: 'A match result, as declared here.' }),
        },
      },
      placeholders: { description: 'Texts that stand for no value, beside null and nothing at all.', ...PLACEHOLDERS },
      answer: ANSWER,
      sources: {
        description: 'The sources of the service; where one did not answer, its signals are missing (sourceFailed).',
        type: 'object',
        minProperties: 1,
        additionalProperties: sourceSchema([...signals.keys()]),
      },
      facts: {
        description: 'Match results of further services, beside the catalog. A policy can ask about them.',
        ...declarationsSchema(OWN_PATH_SCHEMA),
      },
    },
    definitions: {
      ...MAP_DEFINITION,
      places: { anyOf: [TEXT, { type: 'array' }], ...whereType('array', { minItems: 1, items: TEXT }) },
      ...Object.assign({}, ...[...kinds.values()].map(({ name, fact }) => kindDefinitions(name, signalSchema(fact)))),
      ...kindDefinitions('own', signalSchema()),
    },
  };
}

/** Facts of one kind, of whose signals the same is said. */
function signalKinds(facts: FactTable): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const [path, fact] of facts) {
    const kind = signalKindOf(fact);
    const isNamed = fact.type === 'enum' || [...kinds.values()].some(({ name }) => name === fact.type);
    if (!kinds.has(kind)) kinds.set(kind, { name: isNamed ? path : fact.type, fact });
  }
  return kinds;
}

/** How a number can be written depends on its range. */
function signalKindOf(fact: FactDefinition): string {
  return fact.type === 'number' ? `number ${fact.range?.join(' ')}` : kindOf(fact);
}

/** A place or several, or a map that says how the signal is read. */
function kindDefinitions(name: string, signal: JsonSchema): Record<string, JsonSchema> {
  return {
    [name]: {
      anyOf: [TEXT, MAP, { type: 'array' }],
      ...whereType('object', refer(`${name}-signal`), whereType('array', { minItems: 1, items: TEXT })),
    },
    [`${name}-signal`]: signal,
  };
}

/** Without a fact, that of one that the mapping declares, with whatever type. */
function signalSchema(fact?: FactDefinition): JsonSchema {
  const isOf = (type: FactType) => fact === undefined || fact.type === type;
  const takes = (Object.entries(TAKE_TYPES) as [Take, readonly FactType[]][]).filter(([, types]) => types.some(isOf));
  const forms = isOf('number') ? FORMS.filter((form) => formProblem(form, fact ?? {}) === undefined) : [];
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
      split: {
        description: 'What stands between the values, where one text lists several. White space: any amount of it.',
        type: 'string',
        minLength: 1,
        examples: [';', ','],
      },
      part: {
        description: 'Which of the values that the text lists counts, from 1.',
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      values: {
        description: "What the service's own words and steps mean; the fact's own names are known already.",
        type: 'object',
        minProperties: 1,
        additionalProperties: fact ? literalSchema(fact) : { type: ['string', 'number', 'boolean'] },
      },
      placeholders: { description: 'Further texts that stand for no value here.', ...PLACEHOLDERS },
      ...(forms.length > 0 ? { form: formSchema(forms) } : {}),
      ...(fact?.type === 'number' && fact.range ? { range: RANGE, invert: INVERT } : {}),
      ...(isOf('date') ? { formats: FORMATS_SCHEMA, partial: PARTIAL, never: NEVER_MAPPING } : {}),
    },
    dependencies: {
      part: { required: ['split'], properties: { take: { not: { const: 'count' } } } },
      split: { anyOf: [{ required: ['part'] }, { required: ['take'] }], errorMessage: 'split needs `part` or `take`.' },
      ...(forms.length > 0 && fact?.range ? { range: { properties: { form: false } } } : {}),
      // Elsewhere the fact's own range can be counted from its other end.
      ...(fact?.range && fact.range[0] !== 0 ? { invert: ['range'] } : {}),
      ...(isOf('date') ? { partial: { properties: { formats: CAN_BE_PARTIAL } } } : {}),
    },
    // Counting reads no value.
    ...where({ required: ['take'], properties: { take: { const: 'count' } } }, { properties: { values: false } }),
  };
}

function formSchema(forms: readonly Form[]): JsonSchema {
  return {
    description: 'How the number is written, where it is a text of more than digits.',
    type: 'string',
    enum: forms,
    enumDescriptions: forms.map((form) => FORM_WORDS[form]),
  };
}

const FORM_WORDS: Readonly<Record<Form, string>> = {
  fraction: '62/100, a share of the whole range',
  percent: '70%, a share of the whole range; for a fact without one, the number itself',
  hemisphere: '36.8485 S',
};

const RANGE: JsonSchema = {
  description: "The least and the greatest value on the wire; they become those of the fact's own range.",
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: { type: 'number' },
};

const INVERT: JsonSchema = {
  description:
    "true: the greatest value on the wire becomes the least of the fact's range, as where a high score means trust.",
  type: 'boolean',
};

const FORMATS_SCHEMA: JsonSchema = {
  description: 'How the day can be written; by default yyyy-MM-dd, or that with a time (isoDateTime).',
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', enum: DAY_FORMATS },
  allOf: RIVAL_FORMATS.map(([one, other]) => ({
    not: { allOf: [{ contains: { enum: one } }, { contains: { enum: other } }] },
    errorMessage: `${one[0]} and ${other[0]} contradict each other.`,
  })),
};

const PARTIAL: JsonSchema = {
  description: 'Which day a month (2019-03) or a year (2019) stands for; without it, they are invalid.',
  type: 'string',
  enum: PARTIALS,
};

const CAN_BE_PARTIAL: JsonSchema = {
  allOf: [{ contains: { enum: DAY_FORMATS.filter(canBePartial) } }, { not: { contains: { const: 'daysAgo' } } }],
  errorMessage: 'partial needs a format with a month or year, and none of them daysAgo.',
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
        items: { anyOf: [{ type: 'string', enum: [...new Set(groups), ...paths] }, OWN_PATTERN_SCHEMA] },
      },
    },
  };
}
