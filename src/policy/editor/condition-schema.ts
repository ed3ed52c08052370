/** The facts, the operators and a policy's own names -> the definitions of conditions in the JSON Schema. */

import type { FactDefinition } from '../../facts/catalog.ts';
import {
  DAY,
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
  whereType,
} from '../../facts/json-schema.ts';
import { isFormat } from '../../platform/formats/format.ts';
import { type ArgumentKind, YEARS, YEARS_OPERATORS } from '../arguments.ts';
import { OPERATOR_NAMES, type OperatorName, operatorRow, operatorsOf } from '../operators.ts';
import { DURATION, NAME, NAMED_PATH } from '../read/form.ts';
import type { SchemaNames } from '../read/key.ts';
import { orParameter, parameterDefinition } from '../read/values/parameters.ts';

/** The values of a fact whose type is not known. */
const ANY_VALUE: JsonSchema = { type: ['string', 'number', 'boolean', 'array', 'object'] };

/** The definitions of conditions; the root is `condition`. Without `own`, any name of the right form is valid. */
export function conditionDefinitions({ facts, own }: SchemaNames): Record<string, JsonSchema> {
  const kinds = kindsOf(facts);
  return {
    ...MAP_DEFINITION,
    condition: {
      anyOf: [refer('conditionName'), MAP],
      ...whereType('object', refer('conditionMap')),
    },
    conditionName: nameSchema(own?.conditions, 'condition'),
    listName: nameSchema(own?.lists, 'list'),
    parameter: parameterDefinition(own),
    ...ARGUMENT_DEFINITIONS,
    conditions: { type: 'array', minItems: 1, items: refer('condition') },
    conditionMap: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: {
        ...COMBINATORS,
        ...Object.fromEntries(
          [...facts].map(([path, fact]) => [path, refer(kinds.get(kindOf(fact))?.name ?? '', factTexts(path, fact))]),
        ),
      },
      // Facts that are not known here can have any type.
      ...(own ? {} : { patternProperties: { [NAMED_PATH.pattern.source]: refer('anyFact') } }),
    },
    ...Object.fromEntries([...kinds.values()].flatMap((kind) => Object.entries(kindDefinitions(kind)))),
    ...otherDefinitions({ facts, own }, kinds),
    anyFact: { ...ANY_VALUE, ...whereType('object', refer('anyTests'), whereType('array', { minItems: 1 })) },
    anyTests: testsSchema(OPERATOR_NAMES, () => ANY_VALUE, { type: 'string' }),
  };
}

const COMBINATORS: Readonly<Record<string, JsonSchema>> = {
  all: refer('conditions', { title: 'all', description: 'Holds when every one of these conditions holds.' }),
  any: refer('conditions', { title: 'any', description: 'Holds when at least one of these conditions holds.' }),
  not: refer('condition', { title: 'not', description: 'Holds when this condition does not hold.' }),
  atLeastOf: {
    title: 'atLeastOf',
    description: 'Holds when at least `count` of the conditions of `of` hold.',
    type: 'object',
    required: ['count', 'of'],
    additionalProperties: false,
    properties: {
      count: {
        title: 'count',
        description: 'How many, from 1 to all of them.',
        ...orParameter({ type: 'integer', minimum: 1 }),
      },
      of: refer('conditions', { title: 'of', description: 'The conditions that are counted.' }),
    },
  },
};

/** One of the declared names; any name if they are not known. */
function nameSchema(declared: ReadonlyMap<string, unknown> | undefined, what: string): JsonSchema {
  if (!declared) return NAME.schema;
  if (declared.size > 0) return { type: 'string', enum: [...declared.keys()] };
  return { type: 'string', pattern: '(?!)', patternErrorMessage: `The policy declares no ${what}.` };
}

/** What a fact of a kind can be compared with: a value, a list of values, or tests. */
function kindDefinitions({ name, fact }: Kind): Record<string, JsonSchema> {
  const literal = refer(`${name}-literal`);
  const schemaOf = (operator: OperatorName): JsonSchema => {
    const schema = argumentSchema(operator, fact, literal);
    if (!operatorRow(operator).againstFact) return schema;
    return { anyOf: [schema, MAP], ...whereType('object', refer(`other-${comparable(name)}`)) };
  };
  return {
    // Editors complete the alternatives; the value that is there is checked by its own type.
    [name]: {
      anyOf: [literal, MAP, { type: 'array' }],
      ...whereType('object', refer(`${name}-tests`), whereType('array', argumentSchema('in', fact, literal))),
    },
    [`${name}-literal`]: orParameter(literalSchema(fact)),
    [`${name}-tests`]: testsSchema(operatorsOf(fact), schemaOf, refer(`path-${comparable(name)}`)),
  };
}

/** A map of operators with their arguments, or of `fact` alone with the path of another fact. */
function testsSchema(
  operators: readonly OperatorName[],
  schemaOf: (operator: OperatorName) => JsonSchema,
  path: JsonSchema,
): JsonSchema {
  return {
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(operators.map((name) => [name, { ...operatorTexts(name), ...schemaOf(name) }])),
      fact: { ...path, title: 'fact', description: 'The fact equals this other fact.' },
    },
    dependencies: { fact: { maxProperties: 1 } },
  };
}

/** The kind that a fact is compared as: integers with numbers, and texts whatever their formats. */
function comparable(kindName: string): string {
  if (isFormat(kindName)) return 'string';
  return kindName === 'integer' ? 'number' : kindName;
}

/** For each kind, `{ fact: path }` with the facts that it can be compared with, and the paths alone. */
function otherDefinitions({ facts, own }: SchemaNames, kinds: ReadonlyMap<string, Kind>): Record<string, JsonSchema> {
  const paths = new Map<string, string[]>();
  for (const [path, fact] of facts) {
    const name = comparable(kinds.get(kindOf(fact))?.name ?? '');
    paths.set(name, [...(paths.get(name) ?? []), path]);
  }
  return Object.fromEntries(
    [...paths].flatMap(([name, others]): [string, JsonSchema][] => {
      const knownFact = { type: 'string', enum: others };
      const fact = refer(`path-${name}`, { title: 'fact', description: 'The other fact, of the same type.' });
      return [
        [`path-${name}`, own ? knownFact : { anyOf: [knownFact, NAMED_PATH.schema] }],
        [`other-${name}`, { type: 'object', required: ['fact'], additionalProperties: false, properties: { fact } }],
      ];
    }),
  );
}

/** The arguments that are not literals of a fact. */
const ARGUMENT_DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  limit: orParameter({ type: 'number' }),
  duration: orParameter({ ...DURATION.schema, examples: ['1 day', '30 days', '2 weeks'] }),
  day: orParameter(DAY),
  truth: orParameter({ type: 'boolean' }),
  text: orParameter(TEXT),
};

/** The schema of each kind of argument, and its description. A literal may be a parameter already. */
const ARGUMENTS: {
  readonly [Kind in ArgumentKind]: {
    readonly words: string;
    schema(fact: FactDefinition, literal: JsonSchema): JsonSchema;
  };
} = {
  value: { words: 'a value of the fact', schema: (_, literal) => literal },
  limit: {
    words: "a value in the fact's order",
    schema: ({ type }, literal) => (type === 'level' ? literal : refer('limit')),
  },
  values: {
    words: 'a list of values, at least one',
    schema: (_, literal) => ({ type: 'array', minItems: 1, items: literal }),
  },
  range: {
    words: 'the least and the greatest value: [least, most]',
    schema: (fact, literal) => ({
      type: 'array',
      minItems: 2,
      maxItems: 2,
      items: ARGUMENTS.limit.schema(fact, literal),
    }),
  },
  duration: { words: 'a count of days or weeks, like 30 days', schema: () => refer('duration') },
  years: {
    words: 'tests of a number of years, like { below: 18 }',
    schema: () => ({
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: Object.fromEntries(YEARS_OPERATORS.map((name) => [name, yearsSchema(name)])),
    }),
  },
  day: { words: 'a day written yyyy-MM-dd', schema: () => refer('day') },
  truth: { words: 'true or false', schema: () => refer('truth') },
  text: { words: 'a text', schema: () => refer('text') },
  pattern: { words: 'a regular expression in RE2 syntax, which may match anywhere', schema: () => TEXT },
  list: { words: 'the name of a list', schema: () => refer('listName') },
};

function yearsSchema(name: (typeof YEARS_OPERATORS)[number]): JsonSchema {
  const description = `The number of years ${operatorRow(name).sentence}`;
  return { title: name, description, ...argumentSchema(name, YEARS, orParameter(literalSchema(YEARS))) };
}

/** The schema of an operator's argument, unless it is another fact. `literal` is the schema of a value of the fact. */
function argumentSchema(operator: OperatorName, fact: FactDefinition, literal: JsonSchema): JsonSchema {
  return ARGUMENTS[operatorRow(operator).argument].schema(fact, literal);
}

/** The title and description of an operator. */
function operatorTexts(name: OperatorName): JsonSchema {
  const { sentence, argument, againstFact } = operatorRow(name);
  const other = againstFact ? ', or { fact: another fact }' : '';
  return { title: name, description: `The fact ${sentence} (${ARGUMENTS[argument].words}${other})` };
}
