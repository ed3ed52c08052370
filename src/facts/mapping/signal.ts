/** One entry of a mapping's `signals` (YAML) -> how that signal is read; mistakes are reported. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { reportAt } from '../../platform/files/source.ts';
import { type MapEntry, toData, type Yaml } from '../../platform/yaml.ts';
import {
  Fields,
  isNull,
  readBoolean,
  readFields,
  readInteger,
  readItems,
  readMap,
  readNumber,
  readOneOf,
} from '../../platform/yaml-fields.ts';
import { type FactDefinition, type FactType, LEVELS } from '../catalog.ts';
import { LAST_DAY } from '../day.ts';
import { type FactValue, isMissing } from '../fact.ts';
import { readFact } from '../fact-reader.ts';
import { type Path, readPaths } from './path.ts';
import {
  canBePartial,
  DAY_FORMATS,
  type DayFormat,
  PARTIALS,
  type PartialDay,
  RIVAL_FORMATS,
  USUAL_DAY_FORMATS,
} from './value/day-format.ts';
import { readPlaceholders, spellingKey } from './value/spelling-key.ts';

/** Which value to take where a path finds several, and the types of facts that each choice is for. */
export const TAKE_TYPES = {
  first: ['number', 'integer', 'level', 'boolean', 'enum', 'string', 'date'],
  latest: ['date'],
  previous: ['date'],
  earliest: ['date'],
  count: ['integer'],
  max: ['number', 'integer', 'level'],
  min: ['number', 'integer', 'level'],
} as const satisfies Record<string, readonly FactType[]>;

export type Take = keyof typeof TAKE_TYPES;

/** Where an answer says that something never happened. */
export interface NeverMapping {
  readonly paths: readonly Path[];
  /** The JSON values that say so; any of them is enough. */
  readonly is: readonly unknown[];
}

/** How one text is split. */
export interface SplitMapping {
  /** The text between the values; a separator of white space matches any amount of white space. */
  readonly separator: string;
  /** Which value counts, from 1; undefined for all values. */
  readonly part: number | undefined;
}

/** How one signal is read. Every key is always present, so that no lookup reaches a prototype. */
export interface SignalMapping {
  /** The first path that finds something counts. */
  readonly paths: readonly Path[];
  readonly take: Take | undefined;
  /** How to split one text that lists several values. */
  readonly split: SplitMapping | undefined;
  /** Values by `spellingKey`: the type's own names and those that the mapping adds. */
  readonly values: ReadonlyMap<string, FactValue>;
  /** How a number is written, if its text holds more than digits. */
  readonly form: Form | undefined;
  /** The least and the greatest value in the answer; they are rescaled to the range of the fact. */
  readonly range: Scale | undefined;
  /** Whether the greatest value in the answer becomes the least value of the fact. */
  readonly invert: boolean;
  readonly never: NeverMapping | undefined;
  /** Names, by `spellingKey`, that mean "no value". */
  readonly placeholders: ReadonlySet<string>;
  readonly formats: readonly DayFormat[];
  /** Which day a month or year without a day means. */
  readonly partial: PartialDay | undefined;
}

/** The least and the greatest value of a scale. */
export type Scale = readonly [least: number, most: number];

/** How a number can be written as a text, other than in digits alone. */
export const FORMS = ['fraction', 'percent', 'hemisphere'] as const;
export type Form = (typeof FORMS)[number];

/** Why a fact cannot be written in a form; undefined if it can. */
export function formProblem(form: Form, { range }: Pick<FactDefinition, 'range'>): string | undefined {
  if (form === 'hemisphere') return hemispheresOf(range) ? undefined : 'is for latitudes and longitudes';
  if (form === 'percent' && !range) return undefined;
  return range?.[0] === 0 ? undefined : 'is for facts whose range begins with 0';
}

/** The letters of the hemispheres on a scale of degrees, the positive one first. */
export function hemispheresOf(range: Scale | undefined): readonly [string, string] | undefined {
  return HEMISPHERES.find(({ range: [least, most] }) => range?.[0] === least && range[1] === most)?.letters;
}

const HEMISPHERES = [
  { range: [-90, 90], letters: ['N', 'S'] },
  { range: [-180, 180], letters: ['E', 'W'] },
] as const;

const TAKES = Object.keys(TAKE_TYPES) as Take[];

const SIGNAL_KEYS = {
  required: ['at'],
  optional: 'take split part values form range invert never placeholders formats partial'.split(' '),
};

/** Reads the mapping of one signal. Undefined, with diagnostics, if its path cannot be read. */
export function readSignal(
  path: string,
  definition: FactDefinition,
  node: Yaml,
  placeholders: ReadonlySet<string>,
): SignalMapping | undefined {
  const fields = node.kind === 'map' ? readFields(node, path, SIGNAL_KEYS) : new Fields();
  if (!fields) return undefined;
  const read = <Value>(key: string, reader: (node: Yaml, what: string) => Value): Value | undefined => {
    const entry = fields.get(key);
    return entry && reader(entry.value, `\`${key}\` of ${path}`);
  };
  // A path alone is short for a map with only `at`.
  const at = node.kind === 'map' ? fields.get('at')?.value : node;
  const paths = at && readPaths(at, `the path of ${path}`);
  const take = read('take', (value, what) => readTake(path, definition, value, what));
  const formats = read('formats', readFormats) ?? USUAL_DAY_FORMATS;
  checkSignalKeys({ path, definition, fields, take, formats });
  const form = read('form', (value, what) => readFormName(path, definition, value, what));
  const range = definition.range && read('range', readRange);
  const invert = read('invert', readBoolean) ?? false;
  const ownPlaceholders = read('placeholders', (value) => readPlaceholders(value, `the placeholders of ${path}`));
  const all = ownPlaceholders ? new Set([...placeholders, ...ownPlaceholders]) : placeholders;
  const values = readValues(fields.get('values')?.value, { path, definition, range, placeholders: all });
  const never = read('never', readNever);
  const partial = read('partial', (value, what) => readOneOf(value, what, PARTIALS));
  const separator = read('split', readSeparator);
  const part = read('part', readPart);
  // `part` without `split` has been reported.
  const split = separator === undefined ? undefined : { separator, part };
  return paths && { paths, take, split, values, form, range, invert, never, placeholders: all, formats, partial };
}

function readTake(path: string, { type }: FactDefinition, node: Yaml, what: string): Take | undefined {
  const take = readOneOf(node, what, TAKES);
  if (take === undefined) return undefined;
  const types: readonly FactType[] = TAKE_TYPES[take];
  if (types.includes(type)) return take;
  const fitting = TAKES.filter((other) => (TAKE_TYPES[other] as readonly FactType[]).includes(type));
  const message = `"${take}" is for facts of type ${types.join(', ')}; ${path} is of type ${type}`;
  return reportAt(node, 'wrong-value', message, { hint: `use ${fitting.join(' or ')}` });
}

function readFormName(path: string, definition: FactDefinition, node: Yaml, what: string): Form | undefined {
  const form = definition.type === 'number' ? readOneOf(node, what, FORMS) : undefined;
  const problem = form && formProblem(form, definition);
  if (problem !== undefined) reportAt(node, 'wrong-value', `"${form}" ${problem}; ${path} is not one`);
  return problem === undefined ? form : undefined;
}

/** Two numbers: the least and the greatest value in the answer. */
function readRange(node: Yaml, what: string): Scale | undefined {
  const items = readItems(node, what);
  if (items && items.length !== 2) {
    return reportAt(node, 'wrong-value', `${what} has two numbers, the least and the greatest`);
  }
  const [least, most] = items?.map((item) => readNumber(item, what)) ?? [];
  if (least === undefined || most === undefined) return undefined;
  if (least < most) return [least, most];
  return reportAt(node, 'wrong-value', `${what} begins with ${least}, which is not less than ${most}`);
}

/** Each format once, and no two that read the same text as different days. */
function readFormats(node: Yaml, what: string): readonly DayFormat[] | undefined {
  const formats: DayFormat[] = [];
  for (const item of readItems(node, what) ?? []) {
    const format = readOneOf(item, `an entry of ${what}`, DAY_FORMATS);
    if (format === undefined) continue;
    const rival = formats.find((other) => areRivals(format, other));
    if (formats.includes(format)) reportAt(item, 'duplicate-name', `"${format}" is listed twice`);
    else if (rival !== undefined) {
      const message = `"${format}" contradicts "${rival}": 03/04/2019 would be two days`;
      reportAt(item, 'wrong-value', message, { hint: 'ask the service which of the two it writes' });
    } else formats.push(format);
  }
  return formats.length > 0 ? formats : undefined;
}

function areRivals(a: DayFormat, b: DayFormat): boolean {
  return RIVAL_FORMATS.some(
    ([one, other]) => (one.includes(a) && other.includes(b)) || (one.includes(b) && other.includes(a)),
  );
}

/** White space is a separator too, so only the empty text is refused. */
function readSeparator(node: Yaml, what: string): string | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '') return node.value;
  const isEmpty = node.kind === 'scalar' && node.value === '';
  const hint = 'write it in quotes: ";"';
  return reportAt(node, isEmpty ? 'empty' : 'wrong-type', `${what} is the text between the values`, { hint });
}

function readPart(node: Yaml, what: string): number | undefined {
  const part = readInteger(node, what);
  if (part === undefined || part >= 1) return part;
  return reportAt(node, 'wrong-value', `${what} is ${part}; parts are counted from 1`);
}

function readNever(node: Yaml, what: string): NeverMapping | undefined {
  const fields = readFields(node, what, { required: ['at', 'is'], optional: [] });
  const at = fields?.get('at')?.value;
  const is = fields?.get('is')?.value;
  const paths = at && readPaths(at, `the path of ${what}`);
  const values = is && readItems(is, `\`is\` in ${what}`);
  return paths && values && { paths, is: values.map(toData) };
}

/** What the values of a signal are checked against. */
interface ValueContext {
  readonly path: string;
  readonly definition: FactDefinition;
  /** The scale in the answer, if it is not the fact's own; the values are on it too. */
  readonly range: Scale | undefined;
  readonly placeholders: ReadonlySet<string>;
}

/** The values by `spellingKey`. */
function readValues(node: Yaml | undefined, context: ValueContext): ReadonlyMap<string, FactValue> {
  const { path, definition, placeholders } = context;
  const values = new Map<string, FactValue>(namesOf(definition).map((name) => [spellingKey(String(name)), name]));
  const entries = (node && readMap(node, `\`values\` of ${path}`)?.entries) ?? new Map<string, MapEntry>();
  const seen = new Set<string>();
  for (const [name, { key, value }] of entries) {
    const target = readTarget(value, context);
    const id = spellingKey(name);
    if (seen.has(id)) reportAt(key, 'duplicate-key', `"${name}" is read like another name here`);
    if (placeholders.has(id)) {
      const message = `"${name}" has no effect: it is a placeholder, and placeholders are read first`;
      reportAt(key, 'wrong-value', message, { severity: 'warning' });
    }
    seen.add(id);
    if (target !== undefined) values.set(id, target);
  }
  return values;
}

function namesOf({ type, values = [] }: FactDefinition): readonly (string | boolean)[] {
  if (type === 'level') return LEVELS;
  if (type === 'boolean') return [true, false];
  return values;
}

/** A value of the fact's type. With a `range` it is a number of that range, because rescaling happens later. */
function readTarget(node: Yaml, { path, definition, range }: ValueContext): FactValue | undefined {
  const value = toData(node);
  const fact = readFact(range ? { ...definition, range } : definition, { value }, LAST_DAY);
  if (!isMissing(fact)) return value as FactValue;
  const names = namesOf(definition);
  const expected = names.length > 0 ? `is one of ${names.join(', ')}` : `is a ${definition.type} within its range`;
  const unknown = typeof value === 'string' ? { word: value, known: names.map(String) } : undefined;
  const message = `not a value of ${path}, which ${expected}`;
  return reportAt(node, isNull(node) ? 'null-value' : 'wrong-value', message, { unknown });
}

/** The types of facts that a key is for; other keys are for all types. */
const KEY_TYPES: ReadonlyMap<string, readonly FactType[]> = new Map<string, readonly FactType[]>([
  ...['form', 'range', 'invert'].map((key) => [key, ['number']] as const),
  ...['formats', 'partial', 'never'].map((key) => [key, ['date']] as const),
]);

/** The keys of one signal, and their values as far as they are read. */
interface SignalKeys {
  readonly path: string;
  readonly definition: FactDefinition;
  readonly fields: Fields;
  readonly take: string | undefined;
  readonly formats: readonly DayFormat[];
}

/** A conflict of a key with the other keys. */
interface Clash {
  readonly key: string;
  readonly code: DiagnosticCode;
  readonly message: string;
  holds(keys: SignalKeys): boolean;
}

const clash = (key: string, code: DiagnosticCode, message: string, holds: Clash['holds']): Clash => {
  return { key, code, message: `"${key}" ${message}`, holds };
};

const CLASHES: readonly Clash[] = [
  ...['values', 'part'].map((key) =>
    clash(key, 'wrong-value', 'has no effect with `take: count`, which reads no value', ({ take }) => take === 'count'),
  ),
  clash('part', 'missing-key', 'needs the key "split": the text between the values', ({ fields }) => {
    return !fields.isMeant('split');
  }),
  clash('split', 'missing-key', 'needs the key "part" or "take": which value counts', ({ fields }) => {
    return !fields.isMeant('part') && !fields.isMeant('take');
  }),
  clash('range', 'wrong-value', 'contradicts "form", which has its own scale', ({ fields }) => fields.isMeant('form')),
  clash('invert', 'wrong-value', 'is for facts whose range begins with 0', ({ definition: { range }, fields }) => {
    return range?.[0] !== 0 && !fields.isMeant('range');
  }),
  clash('partial', 'wrong-value', 'has no effect: no format can be written without its day', ({ formats }) => {
    return !formats.some(canBePartial);
  }),
  clash(
    'partial',
    'wrong-value',
    'contradicts the format "daysAgo": 2012 would be both a year and a number of days',
    ({ formats }) => formats.includes('daysAgo') && formats.some(canBePartial),
  ),
];

/** Reports at most one problem for each key. */
function checkSignalKeys(keys: SignalKeys): void {
  const { path, definition, fields } = keys;
  for (const [name, { key }] of fields) {
    const types = KEY_TYPES.get(name);
    const clash = CLASHES.find((one) => one.key === name && one.holds(keys));
    if (types && !types.includes(definition.type)) {
      const message = `"${name}" is for facts of type ${types.join(', ')}; ${path} is of type ${definition.type}`;
      reportAt(key, 'wrong-value', message);
    } else if (name === 'range' && !definition.range) {
      reportAt(key, 'wrong-value', `${path} has no range to rescale values to`);
    } else if (clash) {
      reportAt(key, clash.code, clash.message);
    }
  }
}
