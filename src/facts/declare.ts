/** The YAML of `facts:`, in a policy or a mapping -> facts in addition to the catalog. */

import { reportAt } from '../platform/files/source.ts';
import { FORMATS } from '../platform/formats/format.ts';
import type { Yaml } from '../platform/yaml.ts';
import {
  type Fields,
  readBoolean,
  readFields,
  readInteger,
  readItems,
  readMap,
  readNumber,
  readOneOf,
  readText,
} from '../platform/yaml-fields.ts';
import { findMeant, type Synonyms } from '../text.ts';
import { CATALOG_TABLE, FACT_TYPES, type FactDefinition, type FactTable, type FactType } from './catalog.ts';

/** A file with more facts, or an enum with more values, was not written by a person. */
const MAX_FACTS = 1000;
const MAX_VALUES = 1000;

const RANGE = { hint: 'write `min:` and `max:`, both allowed' };

const MISSING = { hint: 'a fact that is not given is missing, which a rule can test: `{ known: false }`' };

/** Words that people write instead of the keys of a declaration. */
const KEY_SYNONYMS: Synonyms = {
  minimum: 'min',
  maximum: 'max',
  least: 'min',
  most: 'max',
  range: RANGE,
  kind: 'type',
  enum: 'values',
  options: 'values',
  allowed: 'values',
  comment: 'description',
  pii: 'personal',
  private: 'personal',
  required: MISSING,
  optional: MISSING,
  default: MISSING,
};

const REMOVE = { hint: 'remove it' };

const DATE = { means: 'date', hint: 'did you mean "date"? It is a day without a time' };

/** Words that people write instead of the types of facts. */
const TYPE_SYNONYMS: Synonyms = {
  text: 'string',
  str: 'string',
  varchar: 'string',
  bool: 'boolean',
  flag: 'boolean',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  numeric: 'number',
  money: 'number',
  amount: 'number',
  currency: 'number',
  day: 'date',
  datetime: DATE,
  timestamp: DATE,
  time: DATE,
  category: 'enum',
};

const NO_FORMAT = { hint: 'leave it out: a text without a format may be any' };

/** Words that people write in place of formats. */
const FORMAT_SYNONYMS: Synonyms = {
  ...Object.fromEntries(['iban', 'bic', 'uuid', 'url', 'name', 'postcode', 'zip'].map((word) => [word, NO_FORMAT])),
  mail: 'email',
  phonenumber: 'phone',
};

/** Which facts can be declared in a file. */
export interface DeclarationRules {
  /** The pattern of the paths. */
  readonly path: RegExp;
  /** How to write a path that does not match. */
  readonly hint: string;
  /** Whether facts under `context.` may be computed. */
  readonly canCompute?: boolean;
  /** Called for each declaration that could not be read; without a path if the paths are not known either. */
  onUnread(path?: string): void;
}

/** Declared facts by path, with the node that diagnostics point at. */
export type DeclaredFacts = ReadonlyMap<string, DeclaredFact>;

export interface DeclaredFact {
  readonly key: Yaml;
  readonly definition: FactDefinition;
  /** The computation, which is read later: its operands may be declared further down. */
  readonly compute: Yaml | undefined;
}

/** Reads `facts:`. Facts under `identity.` come from another service, all others from the caller. */
export function readDeclaredFacts(node: Yaml, rules: DeclarationRules): DeclaredFacts {
  const { path: pattern, hint, onUnread, canCompute = false } = rules;
  const facts = new Map<string, DeclaredFact>();
  const map = readMap(node, '`facts`');
  if (!map) onUnread();
  if (map && map.entries.size > MAX_FACTS) {
    reportAt(node, 'too-large', `found ${map.entries.size} facts; a file declares at most ${MAX_FACTS}`);
    onUnread();
    return facts;
  }
  for (const [path, { key, value }] of map?.entries ?? []) {
    if (CATALOG_TABLE.has(path)) {
      reportAt(key, 'duplicate-name', `${path} is already in the catalog`, { hint: 'remove it here' });
    } else if (!pattern.test(path)) {
      const answer = { hint: hintForPath(path, value, pattern) ?? hint };
      reportAt(key, 'malformed', `"${path}" cannot be declared here`, answer);
      onUnread(path);
    } else {
      const definition = readDeclaredFact(path, value, canCompute && path.startsWith('context.'));
      const compute = value.kind === 'map' ? value.entries.get('compute')?.value : undefined;
      if (definition) facts.set(path, { key, definition, compute });
      else onUnread(path);
    }
  }
  return facts;
}

/** What to say of a path that cannot be declared: it is in steps, or of another form. */
function hintForPath(path: string, value: Yaml, pattern: RegExp): string | undefined {
  const [inner] = value.kind === 'map' ? value.entries.keys() : [];
  if (pattern.test(`${path}.${inner}`)) return `write the path in one: \`${path}.${inner}: …\``;
  const meant = pathMeant(path);
  return pattern.test(meant) ? `write ${meant}, there and in the rules` : undefined;
}

/** A path of other letters or without its subject, as one of `context.`. */
function pathMeant(path: string): string {
  const inside = /^(context|identity)\./.test(path) ? path : `context.${path}`;
  return inside.replace(/[-_ ]+([A-Za-z0-9])/g, (_, next: string) => next.toUpperCase());
}

/** Declared facts as a table. */
export function tableOf(facts: DeclaredFacts): FactTable {
  return new Map([...facts].map(([path, { definition }]) => [path, definition]));
}

/** The facts of a table that are not in the catalog. */
export function declaredIn(table: FactTable): FactTable {
  return new Map([...table].filter(([path]) => !CATALOG_TABLE.has(path)));
}

/** Whether two declarations allow and show the same values. Texts for people and the order of values may differ. */
export function isSameFact(one: FactDefinition, other: FactDefinition): boolean {
  return comparableText(one) === comparableText(other);
}

function comparableText(definition: FactDefinition): string {
  const { type, origin, values = [], range, past, format, personal, compute } = definition;
  return JSON.stringify([type, origin, [...values].sort(), range, past === true, format, personal === true, compute]);
}

const DECLARATION_KEYS = ['values', 'unit', 'description', 'min', 'max', 'past', 'format', 'personal'] as const;

/** `context.amount: number`, `context.channel: [web, app]`. */
function declarationMeant(node: Yaml): { readonly hint: string } | undefined {
  if (node.kind === 'list') return { hint: 'write `{ type: enum, values: [ … ] }`' };
  const type = node.kind === 'scalar' && findMeant(node.written, FACT_TYPES, { synonyms: TYPE_SYNONYMS })?.word;
  return type ? { hint: `write \`{ type: ${type} }\`` } : undefined;
}

function readDeclaredFact(path: string, node: Yaml, canCompute: boolean): FactDefinition | undefined {
  const optional = [...DECLARATION_KEYS, ...(canCompute ? ['compute'] : [])];
  const keys = { required: ['type'], optional, synonyms: KEY_SYNONYMS };
  const fields = readFields(node, `the fact ${path}`, keys, declarationMeant(node));
  const typeNode = fields?.get('type');
  const type = typeNode && readOneOf(typeNode.value, 'the type of a fact', FACT_TYPES, { synonyms: TYPE_SYNONYMS });
  if (!fields || !typeNode || !type) return undefined;
  const valuesEntry = fields.get('values');
  if (valuesEntry && type !== 'enum')
    reportAt(valuesEntry.key, 'unknown-key', `\`values\` is for enums; ${path} is not one`);
  if (!fields.isMeant('values') && type === 'enum') {
    reportAt(typeNode.key, 'missing-key', `the enum ${path} needs the key "values"`);
  }
  const values = valuesEntry && type === 'enum' ? readEnumValues(valuesEntry.value) : undefined;
  if (type === 'enum' && !values) return undefined;
  const pastEntry = fields.get('past');
  if (pastEntry && type !== 'date')
    reportAt(pastEntry.key, 'unknown-key', `\`past\` is for dates; ${path} is not one`, REMOVE);
  const past = pastEntry && readBoolean(pastEntry.value, '`past`');
  const formatEntry = fields.get('format');
  if (formatEntry && type !== 'string')
    reportAt(formatEntry.key, 'unknown-key', `\`format\` is for texts; ${path} is not one`);
  const format = formatEntry && readOneOf(formatEntry.value, '`format`', FORMATS, { synonyms: FORMAT_SYNONYMS });
  const personalEntry = fields.get('personal');
  const personal = personalEntry && readBoolean(personalEntry.value, '`personal`');
  const computeEntry = fields.get('compute');
  if (computeEntry && type !== 'number' && type !== 'integer')
    reportAt(computeEntry.key, 'unknown-key', `\`compute\` is for numbers and integers; ${path} is neither`);
  const range = readRange(path, type, fields);
  const unit = readTextOf(fields, 'unit');
  const isIdentity = path.startsWith('identity.');
  return {
    type,
    description: readTextOf(fields, 'description') ?? '',
    origin: isIdentity ? 'service' : 'caller',
    ...(isIdentity ? { composite: true } : {}),
    ...(values ? { values } : {}),
    ...(unit === undefined ? {} : { unit }),
    ...(range ? { range } : {}),
    ...(past ? { past } : {}),
    ...(format === undefined ? {} : { format }),
    ...(personal ? { personal } : {}),
  };
}

/** The least and the greatest value of a number. An end that is not declared is that of all numbers. */
function readRange(path: string, type: FactType, fields: Fields): FactDefinition['range'] {
  const [min, max] = [fields.get('min'), fields.get('max')];
  const first = min ?? max;
  if (!first) return undefined;
  if (type !== 'number' && type !== 'integer')
    return reportAt(first.key, 'unknown-key', `\`min\` and \`max\` are for numbers and integers; ${path} is neither`);
  if (fields.has('compute')) {
    const hint = 'declare the ranges of the facts that it is computed from';
    return reportAt(first.key, 'unknown-key', `${path} is computed, and takes no \`min\` or \`max\``, { hint });
  }
  const readEnd = type === 'integer' ? readInteger : readNumber;
  const widest = type === 'integer' ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  const [least, most] = [min ? readEnd(min.value, '`min`') : -widest, max ? readEnd(max.value, '`max`') : widest];
  if (least === undefined || most === undefined) return undefined;
  if (least <= most) return [least, most];
  const message = `found \`min: ${least}\` above \`max: ${most}\`, so ${path} could have no value`;
  return reportAt(first.key, 'wrong-value', message, { hint: `did you mean \`min: ${most}, max: ${least}\`?` });
}

function readTextOf(fields: Fields, key: string): string | undefined {
  const entry = fields.get(key);
  return entry && readText(entry.value, `\`${key}\``);
}

/** Undefined if a value cannot be read: it would be unclear then which other texts are unknown values. */
function readEnumValues(node: Yaml): readonly string[] | undefined {
  const values = new Set<string>();
  const items = readItems(node, '`values`');
  let isSound = items !== undefined;
  if (items && items.length > MAX_VALUES) {
    const message = `found ${items.length} values; an enum has at most ${MAX_VALUES}`;
    return reportAt(node, 'too-large', message, { hint: 'declare a string, and test it with a list' });
  }
  for (const item of items ?? []) {
    const value = readText(item, 'a value of an enum');
    if (value !== undefined && values.has(value))
      reportAt(item, 'duplicate-name', `"${value}" is listed twice`, REMOVE);
    else if (value !== undefined) values.add(value);
    else isSound = false;
  }
  return isSound ? [...values] : undefined;
}
