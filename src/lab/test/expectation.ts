/** The YAML of `expect` -> what is expected of a decision. */

import type { JsonSchema } from '../../facts/json-schema.ts';
import { reportAt } from '../../platform/files/source.ts';
import { describeNode, type Yaml } from '../../platform/yaml.ts';
import { readInteger, readItems, readList, readText } from '../../platform/yaml-fields.ts';
import { type Notice, OUTCOMES, type Policy } from '../../policy/language.ts';
import { CODE, ID } from '../../policy/read/form.ts';
import { type KeyTable, key, oneOfKey } from '../../policy/read/key.ts';
import { noticeKey } from '../../policy/read/message.ts';
import { OUTCOME_SYNONYMS } from '../../policy/read/mistakes/values.ts';
import { count, type Synonyms } from '../../text.ts';
import { emptyListMeant, noticeMeant, rewritten, scoreMeant } from './mistakes.ts';
import type { Expectation, TestCase } from './test-case.ts';

/** The names of a policy that expectations may use. */
export type ExpectedNames = ReturnType<typeof namesOf>;

export function namesOf({ rules }: Policy) {
  return { codes: new Set(rules.map(({ reason }) => reason)), ids: new Set(rules.map(({ id }) => id)) };
}

const listOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'array',
  uniqueItems: true,
  items,
  ...more,
});

/** A row of a table has its number behind a slash. */
const RULE_IDS = listOf({ type: 'string', pattern: `${ID.pattern.source.slice(0, -1)}(/[1-9][0-9]*)?$` });
const CODES = listOf(CODE.schema);

const NOTICE = noticeKey('What the applicant may be told: any, none, a text, or a text for each language.');

const ONE = { hint: 'a test expects one outcome: write it, or a guarantee of the policy, such as `never: reject`' };
const EXPECTED_SYNONYMS: Synonyms = { ...OUTCOME_SYNONYMS, notaccept: ONE, notreview: ONE, notreject: ONE };

/** The keys of `expect`, and the columns of a table that are not facts. */
export const EXPECTATION_KEYS = {
  outcome: oneOfKey('The outcome.', OUTCOMES, EXPECTED_SYNONYMS),
  reasons: key('The reason codes of all rules that fire, in any order; [] for none.', CODES, readCodes),
  not: key('Reason codes of which no rule may fire.', { ...CODES, minItems: 1 }, readNot),
  score: key(
    'The points; [least, most] where rules with points are undetermined.',
    { anyOf: [{ type: 'integer' }, { type: 'array', minItems: 2, maxItems: 2, items: { type: 'integer' } }] },
    readScore,
  ),
  notice: { ...NOTICE, read: readNotice },
  rules: key('The ids of all rules that fire, in any order; a row of a table is limits/1.', RULE_IDS, readIds),
  undetermined: key('The ids of all rules that are undetermined, in any order.', RULE_IDS, readIds),
} satisfies KeyTable<ExpectedNames> & Record<keyof Expectation, unknown>;

function readCodes(node: Yaml, what: string, { codes, ids }: ExpectedNames): readonly string[] | undefined {
  const elsewhere = (name: string) => (ids.has(name) ? 'it is the id of a rule: write it under `rules`' : undefined);
  return readNames(node, what, 'reason', { known: codes, elsewhere });
}

function readNot(node: Yaml, what: string, names: ExpectedNames): readonly string[] | undefined {
  return readItems(node, what) && readCodes(node, what, names);
}

function readIds(node: Yaml, what: string, { codes, ids }: ExpectedNames): readonly string[] | undefined {
  const elsewhere = (name: string) => (codes.has(name) ? 'it is a reason: write it under `reasons`' : undefined);
  return readNames(node, what, 'id', { known: ids, elsewhere });
}

/** Where names go that reports show as reasons, and that no rule has. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 'an outcome goes into `outcome`'])),
  SCORE: 'only rules are listed: the points go into `score`',
  SCORE_UNDETERMINED: 'only rules are listed: the least and the most points go into `score: [least, most]`',
  DEFAULT: 'only rules are listed: where none fires, write `[]`',
};

/** A list of names that rules of the policy have. */
function readNames(
  node: Yaml,
  what: string,
  kind: 'reason' | 'id',
  { known, elsewhere }: { readonly known: ReadonlySet<string>; elsewhere(name: string): string | undefined },
): readonly string[] | undefined {
  const names = new Set<string>();
  const items = readList(node, what, emptyListMeant(node));
  for (const item of items ?? []) {
    const name = readText(item, `an entry of ${what}`);
    if (name === undefined) continue;
    if (!known.has(name)) {
      const message = `found "${name}"; no rule of the policy has this ${kind}`;
      const hint = elsewhere(name);
      const unknown = hint === undefined ? { word: name, known } : undefined;
      reportAt(item, 'wrong-value', message, { unknown, hint: hint ?? NAMES_ELSEWHERE[name] });
    } else if (names.has(name)) {
      reportAt(item, 'duplicate-name', `"${name}" is listed twice`);
    }
    names.add(name);
  }
  return items && [...names];
}

function readNotice(node: Yaml, what: string): Notice | undefined {
  const meant = noticeMeant(node);
  if (!meant) return NOTICE.read(node, what, undefined);
  const message = `found ${describeNode(node)}; ${what} must be any, none, a text, or a text for each language`;
  return reportAt(node, 'wrong-type', message, meant);
}

function readScore(node: Yaml, what: string): Expectation['score'] | undefined {
  const meant = scoreMeant(node);
  if (meant || node.kind === 'map') {
    return reportAt(
      node,
      'wrong-type',
      `found ${describeNode(node)}; ${what} must be a number, or [least, most]`,
      meant,
    );
  }
  if (node.kind !== 'list') return readInteger(node, what);
  const [least, most] = node.items.map((item) => readInteger(item, what));
  if (node.items.length !== 2) {
    return reportAt(node, 'wrong-value', `found ${count(node.items.length, 'value')}; ${what} must be [least, most]`);
  }
  if (least === undefined || most === undefined) return undefined;
  if (least <= most) return [least, most];
  const message = `found ${least} before ${most}; ${what} must be [least, most]`;
  return reportAt(node, 'wrong-value', message, rewritten(node, `[${most}, ${least}]`));
}

/** An expectation without the keys that are absent. */
export function expectationOf(values: { readonly [Key in keyof Expectation]: unknown }): Expectation {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Where each expectation stands. */
export type ExpectationNodes = ReadonlyMap<keyof Expectation, Yaml>;

const nodesByCase = new WeakMap<TestCase, ExpectationNodes>();

/** Notes where the expectations of a case stand. */
export function noteNodes(testCase: TestCase, nodes: ExpectationNodes): TestCase {
  nodesByCase.set(testCase, nodes);
  return testCase;
}

/** Where the expectations of a case stand; none for a case that no file has. */
export function expectationNodes(testCase: TestCase): ExpectationNodes {
  return nodesByCase.get(testCase) ?? new Map();
}

/** Fields as nodes by key of `expect`. */
export function nodesOf(fields: ReadonlyMap<string, { readonly value: Yaml }> | undefined): ExpectationNodes {
  return new Map([...(fields ?? [])].map(([name, { value }]) => [name as keyof Expectation, value]));
}
