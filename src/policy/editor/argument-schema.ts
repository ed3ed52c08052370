/** The operator table -> the JSON Schema of each operator's argument, and its texts in an editor. */

import type { FactDefinition } from '../../facts/catalog.ts';
import { DAY, type JsonSchema, literalSchema, refer, TEXT } from '../../facts/json-schema.ts';
import { type ArgumentKind, type OperatorName, operatorRow, YEARS, YEARS_OPERATORS } from '../operators.ts';
import { DURATION } from '../read/form.ts';
import { orParameter } from '../read/values/parameter-schema.ts';

/** The arguments that are no literals of a fact. */
export const ARGUMENT_DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
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
export function argumentSchema(operator: OperatorName, fact: FactDefinition, literal: JsonSchema): JsonSchema {
  return ARGUMENTS[operatorRow(operator).argument].schema(fact, literal);
}

/** The title and description of an operator. */
export function operatorTexts(name: OperatorName): JsonSchema {
  const { sentence, argument, againstFact } = operatorRow(name);
  const other = againstFact ? ', or { fact: another fact }' : '';
  return { title: name, description: `The fact ${sentence} (${ARGUMENTS[argument].words}${other})` };
}
