/** TABLE 1 -> the JSON Schema that completes and checks a mapping (`rules/signals.yaml`) in editors. */

import { CATALOG_TABLE, type FactDefinition, type FactTable, type FactType } from '../../../src/facts/catalog.ts';
import {
  DIALECT,
  declarationsSchema,
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
import { FORMS, type Form, formProblem, TAKE_TYPES, type Take } from '../../../src/facts/mapping/signal.ts';
import { MATCH_RESULT } from '../../../src/facts/mapping/status.ts';
import { canBePartial, DAY_FORMATS, PARTIALS, RIVAL_FORMATS } from '../../../src/facts/mapping/value/day-format.ts';

/** The meaning of each `take`. */
const TAKE_WORDS: Readonly<Record<Take, string>> = {
  first: 'the first',
  latest: 'the latest',
  previous: 'the second latest',
  earliest: 'the earliest',
  count: 'the number of values',
  max: 'the maximum',
  min: 'the minimum',
};

const PLACE = 'JSONPath (RFC 9535). The leading $ may be left out: risk.phone.score.';

/** Values of an answer that mean success. */
const ANSWERED: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: { type: ['string', 'number', 'boolean', 'null', 'array', 'object'], maxItems: 0, maxProperties: 0 },
};

const PLACEHOLDERS: JsonSchema = { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } };

/** The form of the fact paths that a mapping may declare. */
const OWN_PATH_SCHEMA: JsonSchema = {
  type: 'string',
  pattern: MATCH_RESULT.source,
  patternErrorMessage: 'A path like identity.nameScore is expected.',
};

/** Such a path, or the beginning of several with `.*`. */
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
        description: 'The path of each signal in an answer. A fact whose signal is left out is missing (unmapped).',
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
      placeholders: { description: 'Values that mean "no value", in addition to null.', ...PLACEHOLDERS },
      answer: ANSWER,
      sources: {
        description: 'The sources of the service. If one did not answer, its signals are missing (sourceFailed).',
        type: 'object',
        minProperties: 1,
        additionalProperties: sourceSchema([...signals.keys()]),
      },
      facts: {
        description: 'Match results of further services, in addition to the catalog. Policies can test them.',
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

/** A group of facts whose signals have the same schema. */
function signalKinds(facts: FactTable): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const [path, fact] of facts) {
    const kind = signalKindOf(fact);
    const isNamed = fact.type === 'enum' || [...kinds.values()].some(({ name }) => name === fact.type);
    if (!kinds.has(kind)) kinds.set(kind, { name: isNamed ? path : fact.type, fact });
  }
  return kinds;
}

/** The possible forms of a number depend on its range. */
function signalKindOf(fact: FactDefinition): string {
  return fact.type === 'number' ? `number ${fact.range?.join(' ')}` : kindOf(fact);
}

/** A path, a list of paths, or a map that defines how to read the signal. */
function kindDefinitions(name: string, signal: JsonSchema): Record<string, JsonSchema> {
  return {
    [name]: {
      anyOf: [TEXT, MAP, { type: 'array' }],
      ...whereType('object', refer(`${name}-signal`), whereType('array', { minItems: 1, items: TEXT })),
    },
    [`${name}-signal`]: signal,
  };
}

/** Without an argument, the schema for a fact of any type that the mapping declares. */
function signalSchema(fact?: FactDefinition): JsonSchema {
  const isOf = (type: FactType) => fact === undefined || fact.type === type;
  const takes = (Object.entries(TAKE_TYPES) as [Take, readonly FactType[]][]).filter(([, types]) => types.some(isOf));
  const forms = isOf('number') ? FORMS.filter((form) => formProblem(form, fact ?? {}) === undefined) : [];
  return {
    type: 'object',
    required: ['at'],
    additionalProperties: false,
    properties: {
      at: refer('places', {
        description: `A path or a list of paths, of which the first with a value counts. ${PLACE}`,
      }),
      take: {
        description: 'Which value counts if a path finds several. Without it, values that differ are invalid.',
        type: 'string',
        enum: takes.map(([take]) => take),
        enumDescriptions: takes.map(([take]) => TAKE_WORDS[take]),
      },
      split: {
        description: 'The separator, if one text lists several values. White space matches any amount of white space.',
        type: 'string',
        minLength: 1,
        examples: [';', ','],
      },
      part: {
        description: 'Which of the listed values counts, from 1.',
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      values: {
        description:
          "The meaning of the service's own words and steps. The names that the fact itself uses need no entry.",
        type: 'object',
        minProperties: 1,
        additionalProperties: fact ? literalSchema(fact) : { type: ['string', 'number', 'boolean'] },
      },
      placeholders: { description: 'Further values that mean "no value" for this signal.', ...PLACEHOLDERS },
      ...(forms.length > 0 ? { form: formSchema(forms) } : {}),
      ...(fact?.type === 'number' && fact.range ? { range: RANGE, invert: INVERT } : {}),
      ...(isOf('date') ? { formats: FORMATS_SCHEMA, partial: PARTIAL, never: NEVER_MAPPING } : {}),
    },
    dependencies: {
      part: { required: ['split'], properties: { take: { not: { const: 'count' } } } },
      split: { anyOf: [{ required: ['part'] }, { required: ['take'] }], errorMessage: 'split needs `part` or `take`.' },
      ...(forms.length > 0 && fact?.range ? { range: { properties: { form: false } } } : {}),
      // Without `range`, `invert` needs a fact with a range of its own.
      ...(fact?.range && fact.range[0] !== 0 ? { invert: ['range'] } : {}),
      ...(isOf('date') ? { partial: { properties: { formats: CAN_BE_PARTIAL } } } : {}),
    },
    // `count` reads no value.
    ...where({ required: ['take'], properties: { take: { const: 'count' } } }, { properties: { values: false } }),
  };
}

function formSchema(forms: readonly Form[]): JsonSchema {
  return {
    description: 'The form of the number, if it is a text with more than digits.',
    type: 'string',
    enum: forms,
    enumDescriptions: forms.map((form) => FORM_WORDS[form]),
  };
}

const FORM_WORDS: Readonly<Record<Form, string>> = {
  fraction: '62/100, a share of the whole range',
  percent: '70%, a share of the whole range; the number itself for a fact without a range',
  hemisphere: '36.8485 S',
};

const RANGE: JsonSchema = {
  description: "The minimum and maximum on the wire, which become those of the fact's range.",
  type: 'array',
  minItems: 2,
  maxItems: 2,
  items: { type: 'number' },
};

const INVERT: JsonSchema = {
  description:
    "true: the maximum on the wire becomes the minimum of the fact's range, for scores where a high value means trust.",
  type: 'boolean',
};

const FORMATS_SCHEMA: JsonSchema = {
  description: 'The forms of the date. Default: yyyy-MM-dd, also with a time (isoDateTime).',
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
  description: 'The day to use for a month (2019-03) or a year (2019). Without it, they are invalid.',
  type: 'string',
  enum: PARTIALS,
};

const CAN_BE_PARTIAL: JsonSchema = {
  allOf: [{ contains: { enum: DAY_FORMATS.filter(canBePartial) } }, { not: { contains: { const: 'daysAgo' } } }],
  errorMessage: 'partial needs a format with a month or year, and does not go with daysAgo.',
};

const NEVER_MAPPING: JsonSchema = {
  description: 'The path and the values that mean that the event never happened.',
  type: 'object',
  required: ['at', 'is'],
  additionalProperties: false,
  properties: {
    at: refer('places', { description: `The path of the value. ${PLACE}` }),
    is: { description: 'The values that mean "never".', type: 'array', minItems: 1 },
  },
};

/** The status of an answer or a source. */
const STATUS: Readonly<Record<string, JsonSchema>> = {
  at: { description: `The path of the status. ${PLACE}`, ...TEXT },
  answered: {
    description: 'The statuses that mean success; null, [] and {} too if they are written out.',
    ...ANSWERED,
  },
  error: {
    description: `Instead of a status: the path of an error. Anything there but null or empty means failure. ${PLACE}`,
    ...TEXT,
  },
};

const STATUS_DEPENDENCIES = {
  at: ['answered'],
  answered: ['at'],
  error: { not: { anyOf: [{ required: ['at'] }, { required: ['answered'] }] } },
};

const ANSWER: JsonSchema = {
  description:
    'The checks of an answer: its status and its reference. If one fails, every fact is missing (sourceFailed).',
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    ...STATUS,
    reference: { description: `The path of the caller's reference in the answer. ${PLACE}`, ...TEXT },
    sections: { description: `The path of the sections of an answer, by the names of services. ${PLACE}`, ...TEXT },
  },
  dependencies: STATUS_DEPENDENCIES,
};

function sourceSchema(paths: readonly string[]): JsonSchema {
  const groups = paths.flatMap((path) => [...path.matchAll(/\./g)].map(({ index }) => `${path.slice(0, index)}.*`));
  return {
    title: 'Source',
    type: 'object',
    required: ['signals'],
    anyOf: [{ required: ['at'] }, { required: ['error'] }],
    dependencies: STATUS_DEPENDENCIES,
    additionalProperties: false,
    properties: {
      ...STATUS,
      signals: {
        description: 'The signals from this source: paths, or the common beginning of several paths followed by .*',
        type: 'array',
        minItems: 1,
        items: { anyOf: [{ type: 'string', enum: [...new Set(groups), ...paths] }, OWN_PATTERN_SCHEMA] },
      },
    },
  };
}
