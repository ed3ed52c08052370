/** Facts of an applicant -> an answer of the service with these facts, in any shape that has a mapping. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOG_TABLE, type FactDefinition, LEVELS } from '../../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber } from '../../../src/facts/day.ts';
import { type FactValue, type GivenFact, isMissing } from '../../../src/facts/fact.ts';
import { loadMapping, type Mapping } from '../../../src/facts/mapping/mapping.ts';
import { type Asked, normalise } from '../../../src/facts/mapping/normalise.ts';
import type { SignalMapping } from '../../../src/facts/mapping/signal.ts';
import { answerTo } from '../../../src/sandbox/answer.ts';
import { PERSONAS } from '../../../src/sandbox/personas.ts';
import { change, pick, type Random } from './mutate.ts';

/** The day of every decision. */
export const TODAY = '2025-11-20';

const REFERENCE = 'ONB-7731-KESTREL';
const WIRE = join(import.meta.dirname, '../../fixtures/wire');

export const ASKED: Asked = { variables: ['phoneNo', 'email', 'ip'], composite: false, clientReference: REFERENCE };

/** Facts that share a path. */
const HISTORY = /portCount|previousPort/;

const OLD_MOVES = ['2015-06-02', '2019-03-14'] as const;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A clean applicant. */
const CLEAN = PERSONAS.find(({ name }) => name === 'clean');
if (!CLEAN) throw new Error('nobody is clean');

/** What each answer was requested with. */
const APPLICANT: ReadonlyMap<string, GivenFact> = new Map(
  (['phoneNo', 'email', 'ip'] as const).map((name) => [`applicant.${name}`, { value: CLEAN[name] }]),
);

const SHIPPED = loadMapping();

/** The answer about the clean applicant, in shape 1. */
const CLEAN_ANSWER = answerTo(
  {
    countryCode: 'Global',
    clientReference: REFERENCE,
    services: ['Core Intelligence Service'],
    identity: { phoneNo: CLEAN.phoneNo, email: CLEAN.email, ip: CLEAN.ip },
    variables: new Map(),
  },
  dayNumber(TODAY),
);

/** A shape of answers: its mapping, and its answer about the clean applicant. */
export interface Shape {
  readonly name: string;
  readonly mapping: Mapping;
  readonly clean: unknown;
  /** The facts that an answer does not have: the applicant's, and clean ones for facts that the shape lacks. */
  readonly beside: ReadonlyMap<string, GivenFact>;
}

export const SHAPES: readonly Shape[] = ['shape-1', 'shape-3', 'shape-4', 'shape-7'].map((name) => {
  const mapping = name === 'shape-1' ? SHIPPED : loadMapping(join(WIRE, `${name}.yaml`));
  const sample = JSON.parse(readFileSync(join(WIRE, `${name}.json`), 'utf8'));
  const clean =
    name === 'shape-1' ? CLEAN_ANSWER : withHistory(restate(sample, mapping, cleanValues()), mapping, OLD_MOVES);
  const unmapped = [...cleanValues()].filter(([path]) => !mapping.signals.has(path));
  const beside = new Map([...APPLICANT, ...unmapped.map(([path, value]) => [path, { value }] as const)]);
  return { name, mapping, clean, beside };
});

function cleanValues(): ReadonlyMap<string, FactValue> {
  const given = normalise({ body: CLEAN_ANSWER }, SHIPPED, ASKED, CATALOG_TABLE, TODAY);
  return new Map(
    [...given].flatMap(([path, fact]): [string, FactValue][] =>
      isMissing(fact) ? [] : [[path, fact.value as FactValue]],
    ),
  );
}

/**
 * An answer that says of some facts what these values say. The history of porting, which several facts share, stays
 * as it is.
 */
function restate(answer: unknown, mapping: Mapping, values: ReadonlyMap<string, FactValue>): unknown {
  let restated = answer;
  for (const [path, value] of values) {
    const definition = CATALOG_TABLE.get(path);
    const signal = mapping.signals.get(path);
    const steps = signal?.paths[0]?.locate(answer).matches[0]?.steps;
    if (!definition || !signal || !steps || HISTORY.test(path)) continue;
    restated = change(restated, steps, write(value, definition, signal));
  }
  return restated;
}

/** Another history of two ports, in the form of the given one. */
function withHistory(answer: unknown, mapping: Mapping, days: readonly [string, string]): unknown {
  const signal = mapping.signals.get('phone.porting.previousPort');
  const found = mapping.signals.get('phone.porting.portCount')?.paths[0]?.locate(answer).matches ?? [];
  const [first] = found;
  if (!signal || !first) throw new Error('a history was expected');
  const written = days.map((day) => writeDay(day, signal));
  if (found.length > 1) return found.reduce((changed, { steps }, i) => change(changed, steps, written[i]), answer);
  const entries = mapping === SHIPPED ? written.map((date) => ({ date })) : written;
  return change(answer, first.steps, typeof first.value === 'string' ? written.join('; ') : entries);
}

/** The value as written in an answer that this mapping reads. */
function write(
  value: FactValue,
  { type, range: [from = 0, to = 0] = [0, 0] }: FactDefinition,
  signal: SignalMapping,
): unknown {
  if (typeof value === 'number') {
    if (signal.form === 'fraction') return `${value}/100`;
    if (signal.form === 'hemisphere') return `${Math.abs(value)} ${hemisphere(value, to)}`;
    const [least, most] = signal.range ?? [from, to];
    return signal.range ? ((value - from) / (to - from)) * (most - least) + least : value;
  }
  if (type === 'date' && typeof value === 'string') return value === 'never' ? null : writeDay(value, signal);
  const name = [...signal.values].findLast(([, meant]) => meant === value)?.[0];
  return name ?? value;
}

function hemisphere(value: number, most: number): string {
  if (most === 90) return value < 0 ? 'S' : 'N';
  return value < 0 ? 'W' : 'E';
}

function writeDay(day: string, { formats: [format] }: SignalMapping): string {
  const [year = '', month = '', date = ''] = day.split('-');
  if (format === 'dd/MM/yyyy') return `${date}/${month}/${year}`;
  return format === 'd MMM yyyy' ? `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}` : day;
}

/** Facts of the service that an answer of every shape can hold. */
const STATED = [...CATALOG_TABLE].filter(
  ([path, { origin, composite }]) => origin === 'service' && !composite && !HISTORY.test(path),
);

/** An answer about an applicant who is clean except for a few facts with any values. */
export function anAnswer({ clean, mapping }: Shape, random: Random): unknown {
  const values = new Map<string, FactValue>();
  for (let i = Math.floor(random() * 4); i > 0; i--) {
    const [path, definition] = pick(STATED, random);
    values.set(path, aValue(definition, random));
  }
  const restated = restate(clean, mapping, values);
  return random() < 0.4 ? withHistory(restated, mapping, [aDay(random), aDay(random)]) : restated;
}

/** A day, more likely a recent one. */
function aDay(random: Random): string {
  return dayOfNumber(dayNumber(TODAY) - Math.floor(random() ** 5 * 4000));
}

/** A value of a fact's type. */
function aValue({ type, range, values = [] }: FactDefinition, random: Random): FactValue {
  switch (type) {
    case 'number':
    case 'integer': {
      const [least, most] = range ?? [0, 100];
      return Math.round(least + random() * (Math.min(most, 180) - least));
    }
    case 'level':
      return pick(LEVELS, random);
    case 'enum':
      return pick(values, random);
    case 'boolean':
      return random() < 0.5;
    case 'string':
      return pick(['Harbour Mobile', 'Northlink Cellular', 'Tasman Fibre Limited'], random);
    case 'date':
      return aDay(random);
  }
}
