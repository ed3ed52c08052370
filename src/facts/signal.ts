/** One entry of a mapping's `signals` (YAML) -> where that signal stands and how it is read; mistakes are reported. */

import { didYouMean } from '../diagnostics.ts';
import { type MapEntry, reportAt, toData, type Yaml } from '../yaml.ts';
import { type FactDefinition, type FactType, LEVELS } from './catalog.ts';
import { type FactValue, isMissing } from './fact.ts';
import { isNull, readFields, readItems, readMap, readNumber, readOneOf } from './fields.ts';
import { nameKey, readPlaceholders } from './name.ts';
import { type Place, readPlaces } from './place.ts';
import { readFact } from './read.ts';

/** What to take where a place gives several values, with the types of facts that it serves. */
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
const TAKES = Object.keys(TAKE_TYPES) as Take[];

/** How a day can be written; both are read where a mapping says nothing. */
export const DAY_FORMATS = ['yyyy-MM-dd', 'isoDateTime'] as const;
export type DayFormat = (typeof DAY_FORMATS)[number];
const LATER_DAY_FORMATS = ['dd/MM/yyyy', 'yyyyMMdd', 'd MMM yyyy', 'epochMillis', 'epochSeconds', 'daysAgo'];

/** Keys that serve some types of facts only. */
const KEY_TYPES: Readonly<Record<string, readonly FactType[]>> = {
  range: ['number'],
  formats: ['date'],
  never: ['date'],
};

/** Keys that say how a value is read, which counting does not do. */
const READING_KEYS = ['values', 'range', 'formats'];

const SIGNAL_KEYS = {
  required: ['at'],
  optional: ['take', 'values', 'range', 'never', 'placeholders', 'formats'],
  notSupported: ['split', 'part', 'invert', 'form', 'partial'],
};

/** Where an answer says that something is known not to have happened. */
export interface NeverMapping {
  readonly places: readonly Place[];
  /** JSON values, any of which says so. */
  readonly is: readonly unknown[];
}

/** How one signal is read. Every key is there, so that nothing is ever looked up on a prototype. */
export interface SignalMapping {
  /** The first that is there counts. */
  readonly places: readonly Place[];
  readonly take: Take | undefined;
  /** Values by `nameKey`: the type's own names, and what the mapping adds. */
  readonly values: ReadonlyMap<string, FactValue>;
  /** The least and the greatest value on the wire, which become those of the fact. */
  readonly range: readonly [least: number, most: number] | undefined;
  readonly never: NeverMapping | undefined;
  /** Names, by `nameKey`, that stand for no value. */
  readonly placeholders: ReadonlySet<string>;
  readonly formats: readonly DayFormat[];
}

/** Reads the mapping of one signal. Undefined, with diagnostics, where nothing can be made of it. */
export function readSignal(
  path: string,
  definition: FactDefinition,
  node: Yaml,
  placeholders: ReadonlySet<string>,
): SignalMapping | undefined {
  const fields = node.kind === 'map' ? readFields(node, path, SIGNAL_KEYS) : new Map<string, MapEntry>();
  if (!fields) return undefined;
  const value = (key: string) => fields.get(key)?.value;
  // A place alone is short for a map with `at` alone.
  const at = node.kind === 'map' ? value('at') : node;
  const places = at && readPlaces(at, `the place of ${path}`);
  const take = readTake(path, definition, value('take'));
  reportMisplaced(path, definition, take, fields);
  const range = readRange(path, definition, value('range'));
  const own = value('placeholders');
  const all = own ? new Set([...placeholders, ...readPlaceholders(own, `the placeholders of ${path}`)]) : placeholders;
  const values = readValues(path, definition, value('values'), range, all);
  const never = readNever(path, value('never'));
  const formats = readFormats(path, value('formats'));
  return places && { places, take, values, range, never, placeholders: all, formats };
}

function readTake(path: string, { type }: FactDefinition, node: Yaml | undefined): Take | undefined {
  const take = node && readOneOf(node, `\`take\` of ${path}`, TAKES);
  if (!node || take === undefined) return undefined;
  const types: readonly FactType[] = TAKE_TYPES[take];
  if (types.includes(type)) return take;
  const fitting = TAKES.filter((other) => (TAKE_TYPES[other] as readonly FactType[]).includes(type));
  reportAt(node, 'wrong-value', `"${take}" is for facts of type ${types.join(', ')}; ${path} is of type ${type}`, {
    hint: `use ${fitting.join(' or ')}`,
  });
  return undefined;
}

/** Keys that the type lacks, or that have nothing to do where entries are counted. */
function reportMisplaced(
  path: string,
  { type, range }: FactDefinition,
  take: Take | undefined,
  fields: ReadonlyMap<string, MapEntry>,
): void {
  for (const [name, { key }] of fields) {
    const types = KEY_TYPES[name];
    if (types && !types.includes(type)) {
      reportAt(key, 'wrong-value', `"${name}" is for facts of type ${types.join(', ')}; ${path} is of type ${type}`);
    } else if (name === 'range' && !range) {
      reportAt(key, 'wrong-value', `${path} has no range of its own that values could be rescaled to`);
    } else if (take === 'count' && READING_KEYS.includes(name)) {
      reportAt(key, 'wrong-value', `"${name}" does nothing beside \`take: count\`, which reads no value`);
    }
  }
}

function readRange(path: string, definition: FactDefinition, node: Yaml | undefined): [number, number] | undefined {
  if (!node || !definition.range) return undefined;
  const what = `\`range\` of ${path}`;
  const items = readItems(node, what);
  if (items && items.length !== 2) {
    reportAt(node, 'wrong-value', `${what} has two numbers, the least and the greatest`);
    return undefined;
  }
  const [least, most] = items?.map((item) => readNumber(item, what)) ?? [];
  if (least === undefined || most === undefined) return undefined;
  if (least < most) return [least, most];
  reportAt(node, 'wrong-value', `${what} begins with ${least}, which is not less than ${most}`);
  return undefined;
}

/** The type's own names, and beside them what the mapping says. */
function readValues(
  path: string,
  definition: FactDefinition,
  node: Yaml | undefined,
  range: readonly [number, number] | undefined,
  placeholders: ReadonlySet<string>,
): ReadonlyMap<string, FactValue> {
  const values = new Map<string, FactValue>(ownNames(definition).map((name) => [nameKey(String(name)), name]));
  const entries = (node && readMap(node, `\`values\` of ${path}`)?.entries) ?? new Map<string, MapEntry>();
  const seen = new Set<string>();
  for (const [name, { key, value }] of entries) {
    const target = readTarget(path, definition, value, range);
    const id = nameKey(name);
    if (seen.has(id)) reportAt(key, 'duplicate-key', `"${name}" is read like another name here`);
    if (placeholders.has(id)) {
      const message = `"${name}" has no effect: it is a placeholder, which is read first`;
      reportAt(key, 'wrong-value', message, { severity: 'warning' });
    }
    seen.add(id);
    if (target !== undefined) values.set(id, target);
  }
  return values;
}

function ownNames({ type, values = [] }: FactDefinition): readonly (string | boolean)[] {
  if (type === 'level') return LEVELS;
  if (type === 'boolean') return [true, false];
  return type === 'enum' ? values : [];
}

/** No date lies ahead of it. */
const LAST_DAY = '9999-12-31';

/** A value of the fact's type; beside a `range`, a number of that range, since rescaling comes after it. */
function readTarget(
  path: string,
  definition: FactDefinition,
  node: Yaml,
  range: readonly [number, number] | undefined,
): FactValue | undefined {
  const value = toData(node);
  const fact = readFact(range ? { ...definition, range } : definition, { value }, LAST_DAY);
  if (!isMissing(fact)) return value as FactValue;
  const names = ownNames(definition);
  const expected = names.length > 0 ? `is one of ${names.join(', ')}` : `is a ${definition.type} within its range`;
  const hint = typeof value === 'string' ? didYouMean(value, names.map(String)) : {};
  reportAt(node, isNull(node) ? 'null-value' : 'wrong-value', `not a value of ${path}, which ${expected}`, hint);
  return undefined;
}

function readNever(path: string, node: Yaml | undefined): NeverMapping | undefined {
  const what = `\`never\` of ${path}`;
  const fields = node && readFields(node, what, { required: ['at', 'is'], optional: [] });
  const at = fields?.get('at')?.value;
  const is = fields?.get('is')?.value;
  const places = at && readPlaces(at, `the place of ${what}`);
  const values = is && readItems(is, `\`is\` in ${what}`);
  return places && values && { places, is: values.map(toData) };
}

function readFormats(path: string, node: Yaml | undefined): readonly DayFormat[] {
  if (!node) return DAY_FORMATS;
  const what = `a format of ${path}`;
  const formats: DayFormat[] = [];
  for (const item of readItems(node, what) ?? []) {
    const text = item.kind === 'scalar' ? item.value : undefined;
    if (LATER_DAY_FORMATS.some((later) => later === text)) {
      reportAt(item, 'not-supported', `the format "${text}" is not read by this version yet; take it out`);
    } else {
      formats.push(...[readOneOf(item, what, DAY_FORMATS) ?? []].flat());
    }
  }
  return formats;
}
