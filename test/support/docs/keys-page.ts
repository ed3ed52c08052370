/** The schemas that the key tables of the reader give -> the tables of docs/policy-reference.md, with examples. */

import type { COMPUTATION_NAMES } from '../../../src/facts/compute.ts';
import type { JsonSchema } from '../../../src/facts/json-schema.ts';
import { policySchema, ruleSetSchema } from '../../../src/policy/editor/schema.ts';
import { markdownTable } from './facts-page.ts';
import { withTableBelow } from './tables.ts';

/** The keys of one kind of map, and where its table is. */
interface Block {
  readonly heading: string;
  /** The schema of the map. */
  readonly schema: JsonSchema;
  /** An example of the value of each key, in YAML. */
  readonly examples: Readonly<Record<string, string>>;
  /** Meanings of keys that the schema does not describe. */
  readonly meanings?: Readonly<Record<string, string>>;
}

const POLICY = policySchema();
const DEFINITIONS = POLICY['definitions'] as Readonly<Record<string, JsonSchema>>;

/** The schema at a path of keys. */
function within(schema: JsonSchema | undefined, ...path: readonly string[]): JsonSchema {
  const found = path.reduce((at: unknown, key) => (at as JsonSchema | undefined)?.[key], schema);
  if (found === undefined) throw new Error(`the schema has no ${path.join('.')}`);
  return found as JsonSchema;
}

/** The branch for a map of a schema that allows other values too. */
function mapIn(schema: JsonSchema): JsonSchema {
  const branches = [schema, within(schema, 'then'), (schema['else'] ?? {}) as JsonSchema];
  const found = branches.find((branch) => 'properties' in branch);
  if (!found) throw new Error('the schema has no branch for a map');
  return found;
}

const FILE_EXAMPLES = {
  velocity: '{ sameIp1h: { count: applications, by: ip, within: 1 hour } }',
  rules: '[{ id: voip, when: { phone.type: voip }, then: review }]',
  tables: '[{ id: line, columns: [phone.type, then], rows: [[voip, review]] }]',
  conditions: '{ justPorted: { phone.porting.portedDate: { withinLast: 7 days } } }',
  lists: '{ blockedDomains: [spam.example] }',
  parameters: '{ riskyScore: 80 }',
  ruleSets: '[rule-sets/email.yaml]',
};

const CIRCUMSTANCE_EXAMPLES = {
  whenUnknown: 'ignore',
  mode: 'shadow',
  from: '2026-09-01',
  until: '2026-11-30',
  tags: '[porting]',
  owner: 'fraud-team',
  description: 'Agreed with the risk committee',
};

const FACT = within(POLICY, 'properties', 'facts', 'additionalProperties');

/** The blocks, in the order of the page. */
export const BLOCKS: readonly Block[] = [
  {
    heading: 'The policy',
    schema: POLICY,
    examples: {
      policy: 'signup',
      version: '"2026.11"',
      description: 'Risk at sign-up',
      default: 'accept',
      defaultNotice: 'Welcome.',
      whenUnknown: 'review',
      timeZone: 'America/New_York',
      facts: '{ context.channel: { type: enum, values: [web, app] } }',
      score: '{ review: 40, reject: 80 }',
      stages: '[[phoneNo], [phoneNo, email, ip]]',
      guarantees: '[{ id: no-voip, never: accept, when: { phone.type: voip } }]',
      ...FILE_EXAMPLES,
    },
  },
  { heading: 'A rule set', schema: ruleSetSchema(), examples: FILE_EXAMPLES },
  {
    heading: 'A rule',
    schema: within(DEFINITIONS['rule']),
    examples: {
      id: 'phone-risky',
      when: '{ phone.riskLevel: { atLeast: high } }',
      then: 'review',
      reason: 'PHONE_RISKY',
      message: '"The score is {phone.score}."',
      notice: 'Please give us another number.',
      points: '25',
      final: 'true',
      ...CIRCUMSTANCE_EXAMPLES,
    },
  },
  {
    heading: 'A table',
    schema: within(DEFINITIONS['table']),
    examples: {
      id: 'limits',
      columns: '[phone.type, phone.score, then, reason]',
      rows: '[[voip, { above: 50 }, reject, RISKY_VOIP], [voip, any, review, VOIP]]',
      final: 'true',
      unique: 'true',
      ...CIRCUMSTANCE_EXAMPLES,
    },
  },
  {
    heading: 'A list',
    schema: mapIn(within(DEFINITIONS['list'])),
    examples: {
      file: 'lists/blocked-domains.txt',
      entries: '[spam.example, { value: junk.example, note: reported }]',
      suffix: 'true',
      description: 'Kept by the fraud team',
    },
  },
  {
    heading: 'An entry of a list',
    schema: mapIn(within(DEFINITIONS['listEntries'], 'items')),
    examples: {
      value: '"+44 7400 123456"',
      until: '2026-12-31',
      note: 'load test',
      owner: 'fraud-team',
      suffix: 'true',
    },
  },
  {
    heading: 'A fact of your own',
    schema: FACT,
    examples: {
      type: 'number',
      values: '[web, app, branch]',
      unit: 'EUR',
      description: 'Where the applicant signs up',
      format: 'phone',
      personal: 'true',
      min: '0',
      max: '1000',
      past: 'true',
      compute: '{ ratio: [context.creditLimit, context.income] }',
    },
  },
  {
    heading: 'A computed fact',
    schema: within(FACT, 'properties', 'compute'),
    examples: {
      sum: '[context.loans, context.creditLimit]',
      product: '[context.monthlyIncome, 12]',
      minimum: '[phone.score, email.address.score]',
      maximum: '[phone.score, email.address.score]',
      difference: '[context.income, context.loans]',
      ratio: '[context.creditLimit, $income]',
      daysBetween: '[email.address.firstSeen, phone.porting.portedDate]',
    },
    meanings: {
      sum: 'Two or more numbers added up.',
      product: 'Two or more numbers multiplied.',
      minimum: 'The least of two or more numbers.',
      maximum: 'The greatest of two or more numbers.',
      difference: 'The first number minus the second.',
      ratio: 'The first number divided by the second.',
      daysBetween: 'The days from the first date to the second.',
    } satisfies Record<(typeof COMPUTATION_NAMES)[number], string>,
  },
  {
    heading: 'A velocity',
    schema: within(DEFINITIONS['velocity']),
    examples: {
      count: 'distinct email',
      by: 'ip/24',
      where: '{ outcome: reject }',
      within: '7 days',
      since: '2026-03-01',
      description: 'Agreed with the risk committee',
    },
  },
  {
    heading: 'A parameter',
    schema: mapIn(within(POLICY, 'properties', 'parameters', 'additionalProperties')),
    examples: { value: '80', description: 'Agreed with the risk committee' },
  },
  {
    heading: 'A guarantee',
    schema: within(DEFINITIONS['guarantee']),
    examples: {
      id: 'no-dark-web',
      description: 'Agreed with the risk committee',
      never: 'accept',
      always: 'reject',
      atLeast: 'review',
      when: '{ email.darkWeb.hitCount: { above: 10 } }',
    },
  },
  {
    heading: 'The score',
    schema: within(POLICY, 'properties', 'score'),
    examples: { review: '40', reject: '80', notice: 'Please send us a document.' },
  },
];

/** The keys of a block with their schemas. */
export function keysOf({ schema }: Block): Readonly<Record<string, JsonSchema>> {
  return within(schema, 'properties') as Readonly<Record<string, JsonSchema>>;
}

/** What a map of a block's keys has to fit. */
export function schemaOfKeys(block: Block): JsonSchema {
  return { type: 'object', properties: { ...keysOf(block) }, additionalProperties: false, definitions: DEFINITIONS };
}

/** docs/policy-reference.md with a current table below the heading of each block. */
export function writeKeys(page: string): string {
  return BLOCKS.reduce((text, block) => withTableBelow(text, block.heading, tableOf(block)), page);
}

function tableOf(block: Block): string {
  const required = (block.schema['required'] ?? []) as readonly string[];
  const rows = Object.entries(keysOf(block)).map(([key, { description }]) => [
    required.includes(key) ? `**\`${key}\`**` : `\`${key}\``,
    `\`${block.examples[key]}\``,
    block.meanings?.[key] ?? String(description),
  ]);
  return markdownTable(['key', 'example', 'meaning'], rows);
}
