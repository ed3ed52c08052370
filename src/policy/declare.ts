/** The YAML of a policy's `facts:` -> facts of a caller's own. */

import { CATALOG_TABLE, FACT_TYPES, type FactDefinition } from '../facts/catalog.ts';
import { readBoolean, readFields, readItems, readMap, readOneOf, readText } from '../facts/fields.ts';
import { reportAt, type Yaml } from '../yaml.ts';
import type { Doubts } from './doubt.ts';

/** The form of the names of policies, conditions and lists. */
export const NAME = /^[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*$/;

/** `NAME` for people. */
export const NAME_FORM = 'letters and digits that begin with a letter, joined by - or _';

/** The form of the paths of facts that a policy declares. */
export const OWN_PATH = /^(context|identity)(\.[a-z][A-Za-z0-9]*)+$/;

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
