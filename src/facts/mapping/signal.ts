/** One entry of a mapping's `signals` (YAML) -> where that signal stands and how it is read; mistakes are reported. */

import { reportAt, toData, type Yaml } from '../../platform/yaml.ts';
import { Fields, readBoolean, readFields, readInteger, readItems, readOneOf } from '../../platform/yaml-fields.ts';
import type { FactDefinition, FactType } from '../catalog.ts';
import type { FactValue } from '../fact.ts';
import { checkSignalKeys } from './check-signal-keys.ts';
import { type Path, readPaths } from './path.ts';
import { readFormats } from './read-formats.ts';
import { readRange } from './read-range.ts';
import { readValues } from './read-values.ts';
import { type DayFormat, PARTIALS, type PartialDay, USUAL_DAY_FORMATS } from './value/day-format.ts';
import { FORMS, type Form, formProblem, type Scale } from './value/scale.ts';
import { readPlaceholders } from './value/spelling-key.ts';
import type { SplitMapping } from './value/split.ts';

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

const SIGNAL_KEYS = {
  required: ['at'],
  optional: [
    'take',
    'split',
    'part',
    'values',
    'form',
    'range',
    'invert',
    'never',
    'placeholders',
    'formats',
    'partial',
  ],
};

/** Where an answer says that something is known not to have happened. */
export interface NeverMapping {
  readonly paths: readonly Path[];
  /** JSON values, any of which says so. */
  readonly is: readonly unknown[];
}

/** How one signal is read. Every key is there, so that nothing is ever looked up on a prototype. */
export interface SignalMapping {
  /** The first that is there counts. */
  readonly paths: readonly Path[];
  readonly take: Take | undefined;
  /** How one text that lists several values is taken apart. */
  readonly split: SplitMapping | undefined;
  /** Values by `nameKey`: the type's own names, and what the mapping adds. */
  readonly values: ReadonlyMap<string, FactValue>;
  /** How a number is written, where it is a text of more than digits. */
  readonly form: Form | undefined;
  /** The least and the greatest value on the wire, which become those of the fact. */
  readonly range: Scale | undefined;
  /** Whether the greatest value on the wire becomes the least one of the fact. */
  readonly invert: boolean;
  readonly never: NeverMapping | undefined;
  /** Names, by `nameKey`, that stand for no value. */
  readonly placeholders: ReadonlySet<string>;
  readonly formats: readonly DayFormat[];
  /** What a month or year without a day stands for. */
  readonly partial: PartialDay | undefined;
}

/** Reads the mapping of one signal. Undefined, with diagnostics, where nothing can be made of it. */
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
  // A place alone is short for a map with `at` alone.
  const at = node.kind === 'map' ? fields.get('at')?.value : node;
  const places = at && readPaths(at, `the place of ${path}`);
  const take = read('take', (value, what) => readTake(path, definition, value, what));
  const formats = read('formats', readFormats) ?? USUAL_DAY_FORMATS;
  checkSignalKeys({ path, definition, fields, take, formats });
  const form = read('form', (value, what) => readFormName(path, definition, value, what));
  const range = definition.range && read('range', readRange);
  const invert = read('invert', readBoolean) ?? false;
  const own = read('placeholders', (value) => readPlaceholders(value, `the placeholders of ${path}`));
  const all = own ? new Set([...placeholders, ...own]) : placeholders;
  const values = readValues(fields.get('values')?.value, { path, definition, range, placeholders: all });
  const never = read('never', readNever);
  const partial = read('partial', (value, what) => readOneOf(value, what, PARTIALS));
  const split = readSplit(read('split', readSeparator), read('part', readPart));
  return (
    places && { paths: places, take, split, values, form, range, invert, never, placeholders: all, formats, partial }
  );
}

function readTake(path: string, { type }: FactDefinition, node: Yaml, what: string): Take | undefined {
  const take = readOneOf(node, what, TAKES);
  if (take === undefined) return undefined;
  const types: readonly FactType[] = TAKE_TYPES[take];
  if (types.includes(type)) return take;
  const fitting = TAKES.filter((other) => (TAKE_TYPES[other] as readonly FactType[]).includes(type));
  reportAt(node, 'wrong-value', `"${take}" is for facts of type ${types.join(', ')}; ${path} is of type ${type}`, {
    hint: `use ${fitting.join(' or ')}`,
  });
  return undefined;
}

function readFormName(path: string, definition: FactDefinition, node: Yaml, what: string): Form | undefined {
  const form = definition.type === 'number' ? readOneOf(node, what, FORMS) : undefined;
  const problem = form && formProblem(form, definition);
  if (problem !== undefined) reportAt(node, 'wrong-value', `"${form}" ${problem}; ${path} is not one`);
  return problem === undefined ? form : undefined;
}

/** White space separates too, so that a text of nothing else is one. */
function readSeparator(node: Yaml, what: string): string | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '') return node.value;
  const isEmpty = node.kind === 'scalar' && node.value === '';
  reportAt(node, isEmpty ? 'empty' : 'wrong-type', `${what} is the text that stands between the values`, {
    hint: 'write it in quotes: ";"',
  });
  return undefined;
}

function readPart(node: Yaml, what: string): number | undefined {
  const part = readInteger(node, what);
  if (part === undefined || part >= 1) return part;
  reportAt(node, 'wrong-value', `${what} is ${part}; parts are counted from 1`);
  return undefined;
}

/** A part of nothing that is split has been reported. */
function readSplit(separator: string | undefined, part: number | undefined): SplitMapping | undefined {
  return separator === undefined ? undefined : { separator, part };
}

function readNever(node: Yaml, what: string): NeverMapping | undefined {
  const fields = readFields(node, what, { required: ['at', 'is'], optional: [] });
  const at = fields?.get('at')?.value;
  const is = fields?.get('is')?.value;
  const places = at && readPaths(at, `the place of ${what}`);
  const values = is && readItems(is, `\`is\` in ${what}`);
  return places && values && { paths: places, is: values.map(toData) };
}
