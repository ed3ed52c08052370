/** The YAML of a policy's `facts:` and `lists:` -> facts of a caller's own, and named lists of folded texts. */

import { CATALOG_TABLE, FACT_TYPES, type FactDefinition } from '../facts/catalog.ts';
import { readBoolean, readFields, readItems, readList, readMap, readOneOf, readText } from '../facts/fields.ts';
import { fold, trimWhiteSpace } from '../facts/fold.ts';
import { type MapEntry, reportAt, type ScalarNode, type Source, type Yaml } from '../yaml.ts';
import type { Doubts } from './doubt.ts';
import type { PolicyFile, PolicyFolder } from './folder.ts';
import type { NamedList } from './operators.ts';

/** The form of the names of policies, conditions and lists. */
export const NAME = /^[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*$/;

/** `NAME` for people. */
export const NAME_FORM = 'letters and digits that begin with a letter, joined by - or _';

const OWN_PATH = /^(context|identity)(\.[a-z][A-Za-z0-9]*)+$/;

/** Reads `facts:`: the facts declared beside the catalog, by path. */
export function readOwnFacts(node: Yaml, doubts: Doubts): Map<string, FactDefinition> {
  const facts = new Map<string, FactDefinition>();
  const map = readMap(node, '`facts`');
  if (!map) doubts.addKinds('fact');
  for (const [path, { key, value }] of map?.entries ?? []) {
    if (CATALOG_TABLE.has(path)) {
      reportAt(key, 'duplicate-name', `${path} is a fact of the catalog already`);
    } else if (!OWN_PATH.test(path)) {
      reportAt(key, 'malformed', `"${path}" is not a path of a fact of your own`, {
        hint: 'write it like context.creditLimit or identity.nameScore',
      });
      doubts.addName('fact', path);
    } else {
      const definition = readOwnFact(path, value);
      if (definition) facts.set(path, definition);
      else doubts.addName('fact', path);
    }
  }
  return facts;
}

function readOwnFact(path: string, node: Yaml): FactDefinition | undefined {
  const fields = readFields(node, `the fact ${path}`, {
    required: ['type'],
    optional: ['values', 'unit', 'description', 'past'],
  });
  const typeNode = fields?.get('type');
  const type = typeNode && readOneOf(typeNode.value, 'the type of a fact', FACT_TYPES);
  if (!fields || !typeNode || !type) return undefined;
  const text = (key: string) => {
    const entry = fields.get(key);
    return entry && readText(entry.value, `\`${key}\``);
  };
  const valuesEntry = fields.get('values');
  if (valuesEntry && type !== 'enum')
    reportAt(valuesEntry.key, 'unknown-key', `\`values\` is for enums; ${path} is not one`);
  if (!fields.isMeant('values') && type === 'enum') {
    reportAt(typeNode.key, 'missing-key', `the enum ${path} needs the key "values"`);
  }
  const values = valuesEntry && type === 'enum' ? readEnumValues(valuesEntry.value) : undefined;
  if (type === 'enum' && !values) return undefined;
  const pastEntry = fields.get('past');
  if (pastEntry && type !== 'date') reportAt(pastEntry.key, 'unknown-key', `\`past\` is for dates; ${path} is not one`);
  const past = pastEntry && readBoolean(pastEntry.value, '`past`');
  const unit = text('unit');
  const isIdentity = path.startsWith('identity.');
  return {
    type,
    description: text('description') ?? '',
    origin: isIdentity ? 'service' : 'caller',
    ...(isIdentity ? { composite: true } : {}),
    ...(values ? { values } : {}),
    ...(unit === undefined ? {} : { unit }),
    ...(past ? { past } : {}),
  };
}

/** Undefined where one of them cannot be read: nothing can be said to be outside of them then. */
function readEnumValues(node: Yaml): readonly string[] | undefined {
  const values: string[] = [];
  const items = readItems(node, '`values`');
  let isSound = items !== undefined;
  for (const item of items ?? []) {
    const value = readText(item, 'a value of an enum');
    if (value !== undefined && values.includes(value)) reportAt(item, 'duplicate-name', `"${value}" is listed twice`);
    else if (value !== undefined) values.push(value);
    else isSound = false;
  }
  return isSound ? values : undefined;
}

/** A list, and its entries as data for the digest. */
export interface DeclaredList {
  readonly list: NamedList;
  readonly data: unknown;
}

/** Reads one list of `lists:`: entries in place, or `{ file }` or `{ entries }` with a description. */
export function readNamedList(
  name: string,
  { key, value }: MapEntry,
  from: PolicyFile,
  folder: PolicyFolder,
): DeclaredList {
  if (value.kind === 'list') return gather(name, readEntries(value, key));
  const fields = readFields(value, `the list "${name}"`, { optional: ['file', 'entries', 'description'] });
  const file = fields?.get('file');
  const entries = fields?.get('entries');
  const description = fields?.get('description');
  const describes = description && readText(description.value, '`description`');
  const about = describes === undefined ? {} : { description: describes };
  if (fields && fields.isMeant('file') === fields.isMeant('entries')) {
    reportAt(key, 'missing-key', `the list "${name}" needs either "file" or "entries"`);
  }
  if (entries) return gather(name, readEntries(entries.value, key), about);
  const located = file && folder.locate(file.value, from);
  const source = located && folder.open(located, file.value);
  // Without a source its problem is reported already; an empty list would only add noise.
  return source
    ? gather(name, readListFile(source, key), about)
    : { list: { name, entries: new Set(), longest: 0 }, data: [] };
}

function gather(name: string, texts: readonly string[], about?: object): DeclaredList {
  const entries = new Set(texts.map(fold));
  const longest = Math.max(0, ...[...entries].map((entry) => entry.length));
  return { list: { name, entries, longest }, data: about ? { ...about, entries: texts } : texts };
}

function reportEmpty(name: ScalarNode): void {
  const message = `the list "${name.value}" has no entries, so that nothing is ever in it`;
  reportAt(name, 'empty-list', message, { severity: 'warning' });
}

function readEntries(node: Yaml, name: ScalarNode): readonly string[] {
  const items = readList(node, 'the entries of a list');
  if (items?.length === 0) reportEmpty(name);
  return (items ?? []).flatMap((item) => {
    if (item.kind === 'map') {
      reportAt(item, 'not-supported', 'entries with `until` or `note` are not read by this version yet');
      return [];
    }
    return readText(item, 'an entry') ?? [];
  });
}

/** One entry a line; `#` starts a comment; blank lines count for nothing. */
function readListFile(source: Source, name: ScalarNode): readonly string[] {
  const entries = source.text
    .split('\n')
    .map((line) => trimWhiteSpace(line.replace(/#.*$/s, '')))
    .filter((entry) => entry !== '');
  if (entries.length === 0) reportEmpty(name);
  return entries;
}
