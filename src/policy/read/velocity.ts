/** The YAML of `velocity:` -> the facts of what is counted of earlier applications. */

import type { FactDefinition, FactTable, Velocity } from '../../facts/catalog.ts';
import type { JsonSchema } from '../../facts/json-schema.ts';
import { velocityFact, WINDOW_UNITS, windowWords } from '../../facts/velocity.ts';
import { reportAt } from '../../platform/files/source.ts';
import type { MapEntry, Yaml } from '../../platform/yaml.ts';
import { readFields, readOneOf, readText } from '../../platform/yaml-fields.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { count as countWords } from '../../text.ts';
import { DISPOSITIONS, OUTCOMES } from '../language.ts';
import { OWN_PATH } from './form.ts';
import {
  DESCRIPTION,
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
import { COUNT_SYNONYMS, VELOCITY_SYNONYMS, VELOCITY_VALUE_SYNONYMS } from './mistakes/keys.ts';
import { OUTCOME_SYNONYMS } from './mistakes/values.ts';
import { orParameter, type Parameters } from './values/parameters.ts';

/** What velocities are read with. */
interface VelocityContext {
  readonly parameters: Parameters;
}

/** A longer window would keep what no team looks at. */
const MAX_WITHIN_MS = 1000 * WINDOW_UNITS.day;

const COUNTS = ['applications', ...IDENTITY_VARIABLES.map((variable) => `distinct ${variable}`)] as const;

/** What applications have in common, besides a network and the facts of the caller. */
const COMMON = [...IDENTITY_VARIABLES, 'emailDomain'] as const;

/** The least and the most bits of a network: fewer would be a part of the internet, and IPv6 has no more. */
const [LEAST_BITS, MOST_BITS] = [8, 128];

const BY_WORDS = `one of ${COMMON.join(', ')}, a network like ip/24, or a fact of the caller like context.device`;

const WHERE_KEYS = {
  outcome: oneOfKey('The outcome of the earlier application.', OUTCOMES, OUTCOME_SYNONYMS),
  disposition: oneOfKey('What was noted of the earlier application later.', DISPOSITIONS),
} satisfies KeyTable<VelocityContext>;

const WITHIN: JsonSchema = {
  type: 'string',
  pattern: '^[1-9]\\d{0,6} (minutes?|hours?|days?)$',
  patternErrorMessage: 'A count of minutes, hours or days is expected, like "1 hour".',
  examples: ['1 hour', '1 day', '7 days'],
};

/** The keys of a velocity. */
export const VELOCITY_KEYS = {
  count: required(
    key(
      'What is counted: applications, or the different values of a variable.',
      { type: 'string', enum: COUNTS },
      readCount,
    ),
  ),
  by: required(
    key(
      'What they have in common with the application at hand: a variable, a network like ip/24, a fact of the caller.',
      {
        anyOf: [
          { type: 'string', enum: [...COMMON, 'ip/24', 'ip/64'] },
          { type: 'string', pattern: '^(ip/\\d{1,3}|context(\\.[a-z][A-Za-z0-9]*)+)$' },
        ],
      },
      readBy,
    ),
  ),
  where: key(
    'Only those that had an outcome, or of which a disposition was noted.',
    (names: SchemaNames) => ({ ...mapSchema(WHERE_KEYS, names), maxProperties: 1 }),
    readWhere,
  ),
  within: required(
    key('How long ago they may be: minutes, hours or days by the clock.', orParameter(WITHIN), readWithin),
  ),
  description: DESCRIPTION,
} satisfies KeyTable<VelocityContext>;

/** A velocity, and the node of what it is counted by: a fact that may be declared in another file. */
export interface ReadVelocity {
  readonly fact: FactDefinition;
  readonly byNode: Yaml;
}

/** Reads one velocity; undefined, with diagnostics, if it is wrong. */
export function readVelocity(name: string, { value }: MapEntry, context: VelocityContext): ReadVelocity | undefined {
  const what = `the velocity "${name}"`;
  const fields = readFields(value, what, keySetOf(VELOCITY_KEYS, { synonyms: VELOCITY_SYNONYMS }));
  if (!fields) return undefined;
  const { count, by, where, within, description } = readValues(fields, VELOCITY_KEYS, context);
  if (count === by && by !== undefined) {
    const hint = `count applications, or what else comes with one ${by}`;
    reportAt(value, 'wrong-value', `${what} counts distinct ${by} by ${by}, which is never more than 1`, { hint });
    return undefined;
  }
  const [byNode, whereEntry] = [fields.get('by')?.value, fields.get('where')];
  if (whereEntry && count !== undefined && count !== 'applications') {
    const hint = 'write `count: applications`, or leave `where` out';
    return reportAt(whereEntry.key, 'wrong-value', `\`where\` is for applications; ${what} counts ${count}`, { hint });
  }
  if (!byNode || count === undefined || by === undefined || within === undefined) return undefined;
  if (whereEntry && !where) return undefined;
  const velocity: Velocity = { count, by, ...(where ? { where } : {}), withinMs: within };
  return { fact: velocityFact(velocity, description), byNode };
}

/** Reports velocities that are counted by a fact that is not there, or that the caller does not give. */
export function checkCountedBy(
  velocities: Iterable<ReadVelocity>,
  { facts, unresolved }: { readonly facts: FactTable; readonly unresolved: UnresolvedNames },
): void {
  for (const { fact, byNode } of velocities) {
    const path = fact.velocity?.by ?? '';
    if (!path.startsWith('context.')) continue;
    const definition = facts.get(path);
    if (!definition) {
      if (unresolved.mayInclude('fact', path)) continue;
      reportAt(byNode, 'unknown-fact', `there is no fact "${path}"`, unknownFact(path, facts));
    } else if (definition.origin !== 'caller') {
      const hint = 'name one of the facts that it is computed from';
      reportAt(byNode, 'fact-types', `${path} is computed; a velocity is counted by a fact that is given`, { hint });
    }
  }
}

function readCount(node: Yaml, what: string): Velocity['count'] | undefined {
  const text = readOneOf(node, what, COUNTS, { synonyms: COUNT_SYNONYMS });
  return text === 'applications' ? text : IDENTITY_VARIABLES.find((variable) => text === `distinct ${variable}`);
}

function readBy(node: Yaml, what: string): string | undefined {
  const text = readText(node, what);
  if (text === undefined || COMMON.some((name) => name === text)) return text;
  const [, bits] = /^ip\/(\d{1,3})$/.exec(text) ?? [];
  if (bits !== undefined) {
    if (Number(bits) >= LEAST_BITS && Number(bits) <= MOST_BITS) return `ip/${Number(bits)}`;
    const message = `found "${text}"; a network must have ${LEAST_BITS} to ${MOST_BITS} bits`;
    return reportAt(node, 'wrong-value', message);
  }
  if (text.startsWith('context.') && OWN_PATH.pattern.test(text)) return text;
  const unknown = { word: text, known: COMMON, synonyms: VELOCITY_VALUE_SYNONYMS };
  return reportAt(node, 'wrong-value', `found "${text}"; ${what} must be ${BY_WORDS}`, { unknown });
}

function readWhere(node: Yaml, what: string, context: VelocityContext): Velocity['where'] {
  const fields = readFields(node, what, keySetOf(WHERE_KEYS));
  if (!fields) return undefined;
  const { outcome, disposition } = readValues(fields, WHERE_KEYS, context);
  if (fields.size > 1) {
    const hint = 'write a velocity for each';
    return reportAt(node, 'wrong-value', 'found an outcome and a disposition; a velocity asks for one', { hint });
  }
  if (outcome !== undefined) return { key: 'outcome', value: outcome };
  return disposition === undefined ? undefined : { key: 'disposition', value: disposition };
}

const UNIT = { hint: 'write it with its unit, like "1 hour"' };

/** The milliseconds of a window. */
function readWithin(written: Yaml, what: string, { parameters }: VelocityContext): number | undefined {
  const node = parameters.resolve(written);
  const text = node && readText(node, what, { allowed: () => false, answer: UNIT });
  if (!node || text === undefined) return undefined;
  const [, amount, unit] = /^([1-9]\d{0,6}) (minute|hour|day)s?$/.exec(text) ?? [];
  const ms = Number(amount) * WINDOW_UNITS[unit as keyof typeof WINDOW_UNITS];
  if (ms <= MAX_WITHIN_MS) return ms;
  const most = `at most ${windowWords(MAX_WITHIN_MS)}`;
  if (ms > MAX_WITHIN_MS) return reportAt(node, 'wrong-value', `found "${text}"; ${what} must be ${most}`);
  const message = `found "${text}"; ${what} must be a count of minutes, hours or days, like "1 hour"`;
  return reportAt(node, 'malformed', message, windowMeant(text));
}

const SHORT = /^(\d{1,6})\s*(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)?$/i;

/** A window in another form. */
function windowMeant(text: string) {
  const [, amount = '', unit = ''] = SHORT.exec(text.trim()) ?? [];
  const n = Number(amount) * (/^w/i.test(unit) ? 7 : 1);
  const name = Object.keys(WINDOW_UNITS).find((each) => each[0] === unit[0]?.toLowerCase()) ?? 'day';
  if (n > 0 && unit !== '') {
    const meant = countWords(n, name);
    return { hint: `write "${meant}"`, fix: { value: meant } };
  }
  if (/month|quarter|year/i.test(text)) return { hint: 'months and years have no fixed length: write days' };
  return /sec/i.test(text) ? { hint: 'the shortest window is 1 minute' } : {};
}
