/** The YAML of `velocity:` -> the facts of what is counted of earlier applications. */

import type { FactDefinition, FactTable, Velocity } from '../../facts/catalog.ts';
import { LAST_DAY } from '../../facts/day.ts';
import { type FactValue, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import type { JsonSchema } from '../../facts/json-schema.ts';
import { velocityFact } from '../../facts/velocity.ts';
import { type DiagnosticDetails, reportAt } from '../../platform/files/source.ts';
import { timeMeant, timeWords, UNIT_MS } from '../../platform/files/times.ts';
import type { MapEntry, Yaml } from '../../platform/yaml.ts';
import { readFields, readText } from '../../platform/yaml-fields.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { DISPOSITIONS, OUTCOMES } from '../language.ts';
import { OWN_PATH } from './form.ts';
import {
  DESCRIPTION,
  dayKey,
  type KeyTable,
  key,
  keySetOf,
  mapSchema,
  oneOfKey,
  readValues,
  required,
  type SchemaNames,
  type UnresolvedNames,
} from './key.ts';
import { unknownFact } from './mistakes/facts.ts';
import { COUNT_SYNONYMS, VELOCITY_SYNONYMS, VELOCITY_VALUE_SYNONYMS, WHERE_SYNONYMS } from './mistakes/keys.ts';
import { OUTCOME_SYNONYMS } from './mistakes/values.ts';
import { orParameter, type Parameters } from './values/parameters.ts';

/** What velocities are read with. */
interface VelocityContext {
  readonly parameters: Parameters;
}

/** A longer window would keep what no team looks at. */
const MAX_WITHIN_MS = 1000 * UNIT_MS.day;

/** What an application has besides a network and the facts of the caller. */
const COMMON = [...IDENTITY_VARIABLES, 'mailbox', 'emailDomain'] as const;

const COUNTS = ['applications', 'first', 'last', ...COMMON.map((name) => `distinct ${name}` as const)] as const;

/** The least and the most bits of a network: fewer would be a part of the internet, and IPv6 has no more. */
const [LEAST_BITS, MOST_BITS] = [8, 128];

const BY_WORDS = `one of ${COMMON.join(', ')}, a network like ip/24, or a fact of the caller like context.device`;

const OWN_COUNTS = '"distinct context.device" or "sum context.amount"';

const COUNT_WORDS = `one of ${COUNTS.join(', ')}, or of a fact of the caller, like ${OWN_COUNTS}`;

const OWN = '(context(\\.[a-z][A-Za-z0-9]*)+)';

const WHERE_KEYS = {
  outcome: oneOfKey('The outcome of the earlier application.', OUTCOMES, OUTCOME_SYNONYMS),
  disposition: oneOfKey('What people said of the earlier application later.', DISPOSITIONS),
} satisfies KeyTable<VelocityContext>;

const WITHIN: JsonSchema = {
  type: 'string',
  pattern: '^[1-9]\\d{0,6} (minutes?|hours?|days?)$',
  patternErrorMessage: 'A count of minutes, hours or days is expected, like "1 hour".',
  examples: ['1 hour', '1 day', '7 days'],
};

const BY: readonly JsonSchema[] = [
  { type: 'string', enum: [...COMMON, 'ip/24', 'ip/64'] },
  { type: 'string', pattern: `^(ip/\\d{1,3}|${OWN})$` },
];

/** The keys of a velocity. */
export const VELOCITY_KEYS = {
  count: required(
    key(
      'What is counted: applications, different values or the sum of a fact, or minutes since the first or the last.',
      {
        anyOf: [
          { type: 'string', enum: COUNTS },
          { type: 'string', pattern: `^(distinct|sum) ${OWN}$` },
        ],
      },
      readCount,
    ),
  ),
  by: required(
    key(
      'What they have in common with the application at hand, one or two: a variable, a network, a fact of the caller.',
      { anyOf: [...BY, { type: 'array', items: { anyOf: BY }, minItems: 2, maxItems: 2 }] },
      readBy,
    ),
  ),
  where: key(
    'Only those that had an outcome, of which people said something, or with a fact of the caller.',
    (names: SchemaNames) => {
      const own = { [`^${OWN}$`]: { type: ['string', 'number', 'boolean'] } } as const;
      return { ...mapSchema(WHERE_KEYS, names), patternProperties: own, maxProperties: 1 };
    },
    readWhere,
  ),
  within: required(
    key('How long ago they may be: minutes, hours or days by the clock.', orParameter(WITHIN), readWithin),
  ),
  since: dayKey('A day: what was before is taken for nothing, so that the count is complete.'),
  description: DESCRIPTION,
} satisfies KeyTable<VelocityContext>;

/** A velocity, and the node of each name that it reads: of a fact that may be declared in another file. */
export interface ReadVelocity {
  readonly fact: FactDefinition;
  readonly nodes: readonly (readonly [use: 'by' | 'distinct' | 'sum' | 'where', name: string, node: Yaml])[];
}

/** Reads one velocity; undefined, with diagnostics, if it is wrong. */
export function readVelocity(name: string, { value }: MapEntry, context: VelocityContext): ReadVelocity | undefined {
  const what = `the velocity "${name}"`;
  const fields = readFields(value, what, keySetOf(VELOCITY_KEYS, { synonyms: VELOCITY_SYNONYMS }));
  if (!fields) return undefined;
  const { count: counted, by, where, within, since, description } = readValues(fields, VELOCITY_KEYS, context);
  if (counted?.of !== undefined && by?.includes(counted.of) && counted.count === 'distinct') {
    const hint = `count applications, or what else comes with one ${counted.of}`;
    const message = `${what} counts distinct ${counted.of} by ${counted.of}, which is never more than 1`;
    return reportAt(value, 'wrong-value', message, { hint });
  }
  const nodeOf = (key: string) => fields.get(key)?.value;
  const [countNode, byNode, whereNode] = [nodeOf('count'), nodeOf('by'), nodeOf('where')];
  if (!byNode || !countNode || !counted || !by || within === undefined) return undefined;
  if ((whereNode && !where) || (fields.get('since') && since === undefined)) return undefined;
  const filter = { ...(where ? { where } : {}), withinMs: within, ...(since === undefined ? {} : { since }) };
  const velocity: Velocity = { ...counted, by, ...filter };
  const byNodes = byNode.kind === 'list' ? byNode.items : [byNode];
  return {
    fact: velocityFact(velocity, description),
    nodes: [
      ...by.flatMap((each, i) => (byNodes[i] ? [['by', each, byNodes[i]] as const] : [])),
      ...(counted.of === undefined
        ? []
        : [[counted.count === 'sum' ? 'sum' : 'distinct', counted.of, countNode] as const]),
      ...(where && whereNode ? [['where', where.key, whereNode] as const] : []),
    ],
  };
}

/** Reports velocities that read a fact that is not there, that the caller does not give, or that has no such value. */
export function checkCountedBy(
  velocities: Iterable<ReadVelocity>,
  { facts, unresolved }: { readonly facts: FactTable; readonly unresolved: UnresolvedNames },
): void {
  for (const { fact, nodes } of velocities) {
    for (const [use, path, node] of nodes) {
      if (!path.startsWith('context.')) continue;
      const definition = facts.get(path);
      if (!definition) {
        if (unresolved.mayInclude('fact', path)) continue;
        reportAt(node, 'unknown-fact', `there is no fact "${path}"`, unknownFact(path, facts));
      } else if (definition.origin !== 'caller') {
        const hint = 'name one of the facts that it is computed from';
        reportAt(node, 'fact-types', `${path} is computed; a velocity reads a fact that is given`, { hint });
      } else if (use === 'sum') checkSummed(path, definition, node);
      else if (use === 'where') checkFilter(fact.velocity?.where?.value, { path, definition, node });
    }
  }
}

function checkSummed(path: string, { type, personal }: FactDefinition, node: Yaml): void {
  if (type !== 'number' && type !== 'integer') {
    const hint = `count \`distinct ${path}\`, or sum a number`;
    reportAt(node, 'fact-types', `${path} is of type ${type}; a sum needs numbers`, { hint });
  } else if (personal) {
    const hint = 'the store keeps the numbers of a sum as they are: count `distinct` values, which are hashed';
    reportAt(node, 'fact-types', `${path} is personal; a sum takes facts that are not`, { hint });
  }
}

/** The value has to be written as the fact has it. */
function checkFilter(
  value: FactValue | undefined,
  { path, definition, node }: { readonly path: string; readonly definition: FactDefinition; readonly node: Yaml },
): void {
  const read = readFact(definition, { value }, LAST_DAY);
  if (!isMissing(read) && read.value === value) return;
  const values = definition.values ? `one of ${definition.values.join(', ')}` : `a value of type ${definition.type}`;
  const hint = isMissing(read) ? `write ${values}` : `write ${path}: ${JSON.stringify(read.value)}`;
  reportAt(node, 'wrong-value', `no application has this ${path}`, { hint });
}

function readCount(node: Yaml, what: string): Pick<Velocity, 'count' | 'of'> | undefined {
  const text = readText(node, what);
  if (text === undefined) return undefined;
  const known = COUNTS.find((each) => each === text);
  if (known === 'applications' || known === 'first' || known === 'last') return { count: known };
  const [, measure, of = ''] = /^(distinct|sum) (.+)$/.exec(text) ?? [];
  const isOwn = of.startsWith('context.') && OWN_PATH.pattern.test(of);
  if (known !== undefined || (measure === 'distinct' && isOwn)) return { count: 'distinct', of };
  if (measure === 'sum' && isOwn) return { count: 'sum', of };
  return reportAt(node, 'wrong-value', `found "${text}"; ${what} must be ${COUNT_WORDS}`, countMeant(node, text));
}

function countMeant({ source, start, end }: Yaml, text: string): DiagnosticDetails {
  if (/^(sum|total) /.test(text)) return { hint: 'sum a number of the caller, like "sum context.amount"' };
  const [, own] = /^(?:unique |different |count )*(context\.[\w.]+)$/i.exec(text) ?? [];
  if (own !== undefined) return { hint: `write "distinct ${own}"`, fix: { value: `distinct ${own}` } };
  const [, of] = /^distinct (.+)$/.exec(text) ?? [];
  if (of?.startsWith('ip/')) return { hint: 'networks are for `by` alone: count `distinct ip`' };
  // Between quotes it stands elsewhere.
  if (of === undefined || source.text.slice(start, end) !== text) {
    return { unknown: { word: text, known: COUNTS, synonyms: COUNT_SYNONYMS } };
  }
  const at = { start: end - of.length, end };
  return { unknown: { word: of.replace(/s$/, ''), known: COMMON, synonyms: VELOCITY_VALUE_SYNONYMS, at } };
}

function readBy(node: Yaml, what: string): readonly string[] | undefined {
  if (node.kind !== 'list') {
    const one = readOneBy(node, what);
    return one === undefined ? undefined : [one];
  }
  const names = node.items.flatMap((item) => readOneBy(item, what) ?? []);
  if (names.length < node.items.length) return undefined;
  if (names.length === 2 && names[0] !== names[1]) return names.toSorted();
  return reportAt(node, 'wrong-value', `${what} must be one, or a list of two that differ: ${BY_WORDS}`);
}

const isOwnOrNetwork = (text: string) => /^(context\.[\w.]+|ip\/\d{1,3})$/.test(text);

function readOneBy(node: Yaml, what: string): string | undefined {
  const text = readText(node, what);
  if (text === undefined || COMMON.some((name) => name === text)) return text;
  const [, bits] = /^ip\/(\d{1,3})$/.exec(text) ?? [];
  if (bits !== undefined) {
    if (Number(bits) >= LEAST_BITS && Number(bits) <= MOST_BITS) return `ip/${Number(bits)}`;
    const message = `found "${text}"; a network must have ${LEAST_BITS} to ${MOST_BITS} bits`;
    return reportAt(node, 'wrong-value', message);
  }
  if (text.startsWith('context.') && OWN_PATH.pattern.test(text)) return text;
  const pair = text.split(/[,;+&]|\band\b/).map((each) => each.trim());
  const written = `[${pair.join(', ')}]`;
  const isPair =
    pair.length === 2 && pair.every((each) => COMMON.some((name) => name === each) || isOwnOrNetwork(each));
  const answer = isPair
    ? { hint: `write \`${written}\``, fix: [{ start: node.start, end: node.end, text: written }] }
    : { unknown: { word: text, known: COMMON, synonyms: VELOCITY_VALUE_SYNONYMS } };
  return reportAt(node, 'wrong-value', `found "${text}"; ${what} must be ${BY_WORDS}`, answer);
}

function readWhere(node: Yaml, what: string, context: VelocityContext): Velocity['where'] {
  const [only, ...others] = node.kind === 'map' ? node.entries : [];
  if (others.length > 0) {
    const hint = 'write a velocity for each';
    return reportAt(node, 'wrong-value', `found ${others.length + 1} conditions; a velocity asks for one`, { hint });
  }
  if (only?.[0].startsWith('context.')) {
    const [path, { value }] = only;
    if (value.kind === 'scalar' && value.value !== null && isFactValue(value.value))
      return { key: path, value: value.value };
    return reportAt(value, 'wrong-type', `${what} must have one value of ${path}`);
  }
  const fields = readFields(node, what, keySetOf(WHERE_KEYS, { synonyms: WHERE_SYNONYMS }), whereMeant(node));
  if (!fields) return undefined;
  const { outcome, disposition } = readValues(fields, WHERE_KEYS, context);
  if (outcome !== undefined) return { key: 'outcome', value: outcome };
  return disposition === undefined ? undefined : { key: 'disposition', value: disposition };
}

/** `where: reject`: a value without its key. */
function whereMeant(node: Yaml): DiagnosticDetails | undefined {
  const text = node.kind === 'scalar' ? node.written : '';
  const key = OUTCOMES.some((each) => each === text) ? 'outcome' : 'disposition';
  if (key === 'disposition' && !DISPOSITIONS.some((each) => each === text)) return undefined;
  const written = `{ ${key}: ${text} }`;
  return { hint: `write \`${written}\``, fix: [{ start: node.start, end: node.end, text: written }] };
}

function isFactValue(value: unknown): value is FactValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

const UNIT = { hint: 'write it with its unit, like "1 hour"' };

/** The milliseconds of a window. */
function readWithin(written: Yaml, what: string, { parameters }: VelocityContext): number | undefined {
  const node = parameters.resolve(written);
  const text = node && readText(node, what, { allowed: () => false, answer: UNIT });
  if (!node || text === undefined) return undefined;
  const [, amount, unit] = /^([1-9]\d{0,6}) (minute|hour|day)s?$/.exec(text) ?? [];
  const ms = Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (ms <= MAX_WITHIN_MS) return ms;
  const most = `at most ${timeWords(MAX_WITHIN_MS)}`;
  if (ms > MAX_WITHIN_MS) return reportAt(node, 'wrong-value', `found "${text}"; ${what} must be ${most}`);
  const message = `found "${text}"; ${what} must be a count of minutes, hours or days, like "1 hour"`;
  return reportAt(node, 'malformed', message, windowMeant(text));
}

/** A window in another form. */
function windowMeant(text: string) {
  const ms = timeMeant(text) ?? 0;
  if (ms > 0 && ms % UNIT_MS.minute === 0) {
    const meant = timeWords(ms);
    return { hint: `write "${meant}"`, fix: { value: meant } };
  }
  if (/month|quarter|year/i.test(text)) return { hint: 'months and years have no fixed length: write days' };
  return /sec|^0/i.test(text) ? { hint: 'the shortest window is 1 minute' } : {};
}
