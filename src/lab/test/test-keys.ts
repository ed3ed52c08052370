/** The keys of a file of tests and of a test: one row a key. */

import { isDay } from '../../facts/day.ts';
import { CAUSES } from '../../facts/fact.ts';
import { DAY, type JsonSchema, refer, TEXT } from '../../facts/json-schema.ts';
import { reportAt } from '../../platform/files/source.ts';
import { listOfNamedMeantBy } from '../../platform/syntax/shapes.ts';
import type { MapEntry, ScalarNode, Yaml } from '../../platform/yaml.ts';
import { readBoolean, readItems, readMap, readText } from '../../platform/yaml-fields.ts';
import { NAME } from '../../policy/read/form.ts';
import { DESCRIPTION, type KeyTable, key, required, textKey } from '../../policy/read/key.ts';
import { dayMeant } from '../../policy/read/mistakes/values.ts';
import { PARAMETER_VALUE } from '../../policy/read/values/parameters.ts';
import { textsMeant } from './mistakes.ts';

const TODAY = 'today';

const asIs = (node: Yaml) => node;
const itemsOf = (node: Yaml, what: string) => readItems(node, what, listOfNamedMeantBy(node, 'name'));
const entriesOf = (node: Yaml, what: string): ReadonlyMap<string, MapEntry> | undefined => readMap(node, what)?.entries;

const AT: JsonSchema = { anyOf: [DAY, { const: TODAY }] };
const oneOrMore = (one: JsonSchema): JsonSchema => ({
  anyOf: [one, { type: 'array', minItems: 1, uniqueItems: true, items: one }],
});
const PARAMETERS: JsonSchema = { type: 'object', minProperties: 1, additionalProperties: PARAMETER_VALUE };

/** The keys of a file of tests. The context is the day that `today` is. */
export const TEST_FILE_KEYS = {
  policy: required(
    key(
      'The policy that is tested, or a list: each test is run with each. Paths are relative to this file.',
      oneOrMore(TEXT),
      readTexts,
    ),
  ),
  mapping: key('The mapping of answers, and of further facts. By default the one of the package.', TEXT, asIs),
  at: required(
    key('The day of the decisions: yyyy-MM-dd, or today, which makes tests depend on the clock.', AT, readAt),
  ),
  with: key('Values for parameters of the policy, in all tests.', PARAMETERS, entriesOf),
  facts: key(
    'Sets of facts by name, for `from`: in place, or { file: … } with YAML or JSON.',
    { type: 'object', minProperties: 1, propertyNames: NAME.schema, additionalProperties: refer('factSet') },
    entriesOf,
  ),
  description: DESCRIPTION,
  tests: required(key('The tests.', { type: 'array', minItems: 1, items: refer('test') }, itemsOf)),
} satisfies KeyTable<string>;

/** The keys of a set of facts; it can also be a map of facts, or name a file of either. */
export const FACT_SET_KEYS = {
  facts: key('Facts with their values.', refer('facts'), asIs),
  missing: key('Facts without a value, with the cause.', refer('missing'), asIs),
} satisfies KeyTable<unknown>;

/** The keys of a set of facts in a file. */
export const FACT_FILE_KEYS = {
  file: required(key('A YAML or JSON file with facts, or a line of facts for `evaluate`.', TEXT, asIs)),
} satisfies KeyTable<unknown>;

/** The keys of a test. The context is the day that `today` is. */
export const TEST_KEYS = {
  name: required(textKey('What the policy does, as a sentence. Each test has its own.')),
  description: DESCRIPTION,
  policy: key('Of several policies of the file, the one or those that the test is for.', oneOrMore(TEXT), readTexts),
  at: key('The day of the decision, in place of that of the file.', AT, readAt),
  with: key('Values for parameters of the policy, over those of the file.', PARAMETERS, entriesOf),
  from: key(
    'A set of facts to start from, or a list of them: facts of later ones count.',
    oneOrMore(NAME.schema),
    readTexts,
  ),
  answer: key('A JSON file with an answer of the service, read by the mapping.', TEXT, asIs),
  missing: key('Causes of missing facts, by fact or by pattern such as email.*.', refer('missing'), asIs),
  facts: key(
    'Facts with their values, over those of `from`, `answer` and patterns of `missing`.',
    refer('facts'),
    asIs,
  ),
  expect: key('What is expected of the decision.', refer('expectation'), asIs),
  table: key('Cases in rows, which share the rest of the test.', refer('table'), asIs),
  skip: key('Why the test is not run for now.', TEXT, readWhy),
  only: key('true: leave out all tests without it, while you work on this one.', { type: 'boolean' }, readBoolean),
} satisfies KeyTable<string>;

/** The schema of `missing`. */
export const CAUSE: JsonSchema = { type: 'string', enum: CAUSES };

function readWhy(node: Yaml, what: string): string | undefined {
  const answer = { hint: 'say why in a few words; to run the test, remove the key' };
  return readText(node, what, { allowed: () => false, answer });
}

function readAt(node: Yaml, what: string, today: string): string | undefined {
  const text = readText(node, what, { allowed: isDay });
  if (text === undefined || isDay(text)) return text;
  if (text === TODAY) return today;
  const message = `found "${text}"; ${what} must be a calendar day written yyyy-MM-dd, or today`;
  return reportAt(node, 'malformed', message, dayMeant(text));
}

/** One text, or a list of texts, each once. */
function readTexts(node: Yaml, what: string): readonly ScalarNode[] | undefined {
  const several = textsMeant(node);
  if (several)
    return reportAt(node, 'wrong-type', `found a text with commas; ${what} must be one text or a list`, several);
  const items = node.kind === 'list' ? readItems(node, what) : [node];
  const taken = new Set<string>();
  return items?.flatMap((item) => {
    const text = readText(item, what);
    if (text === undefined) return [];
    if (taken.has(text)) reportAt(item, 'duplicate-name', `"${text}" is listed twice`);
    taken.add(text);
    return item as ScalarNode;
  });
}
