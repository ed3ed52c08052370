/** A table of keys, one row a key -> what reads a map of these keys, and the JSON Schema that checks it in editors. */

import type { FactTable } from '../../facts/catalog.ts';
import { DAY, type JsonSchema, TEXT } from '../../facts/json-schema.ts';
import { VELOCITY } from '../../facts/velocity.ts';
import type { DiagnosticDetails } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { type KeySet, readOneOf, readText } from '../../platform/yaml-fields.ts';
import type { Synonyms } from '../../text.ts';
import { type Form, readDay, readForm } from './form.ts';

/** The names that a policy declares in all of its files; a `Policy` has them. */
export interface OwnNames {
  /** Its own facts, with those of the catalog or without. */
  readonly facts: FactTable;
  readonly lists: ReadonlyMap<string, unknown>;
  readonly conditions: ReadonlyMap<string, unknown>;
  readonly parameters: ReadonlyMap<string, unknown>;
}

/** The names that a schema completes. */
export interface SchemaNames {
  /** The catalog and the facts of `own`. */
  readonly facts: FactTable;
  /** The names of one policy; undefined for a schema of every policy, where any name of the right form will do. */
  readonly own: OwnNames | undefined;
}

/** One key of a map of the language. */
export interface Key<Value, Context> {
  readonly isRequired?: true;
  /** What it means, for the people who edit the file. */
  readonly description: string;
  readonly schema: JsonSchema | ((names: SchemaNames) => JsonSchema);
  /** Reads its value; undefined, with diagnostics, where it is wrong. `what` names it in messages. */
  readonly read: (node: Yaml, what: string, context: Context) => Value | undefined;
  /** The kinds of names that are declared under it; where its value cannot be read, they are unresolved. */
  readonly declares: readonly Declared[];
}

/** The keys of one kind of map, in the order in which its schema lists them. Adding a key is adding a row. */
export type KeyTable<Context> = Readonly<Record<string, Key<unknown, Context>>>;

/** The values of a map by key; undefined for a key that is absent or wrong. */
export type ValuesOf<Table extends KeyTable<never>> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']> | undefined;
};

/** The keys of a table as `readFields` takes them. */
export function keySetOf(
  table: KeyTable<never>,
  { synonyms, outer = {}, hintIfOther }: Pick<KeySet, 'synonyms' | 'outer' | 'hintIfOther'> = {},
): KeySet {
  const required = requiredIn(table);
  return {
    required,
    optional: Object.keys(table).filter((name) => !required.includes(name)),
    synonyms,
    outer,
    hintIfOther,
  };
}

/** Reads the values of the keys that a table has; other keys of the map are passed over. */
export function readValues<Table extends KeyTable<Context>, Context>(
  fields: ReadonlyMap<string, { readonly value: Yaml }>,
  table: Table,
  context: Context,
): ValuesOf<Table> {
  // Without a prototype: a key that is not written has no value, whatever Object.prototype has.
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, { value }] of fields) {
    const key = Object.hasOwn(table, name) ? table[name] : undefined;
    if (key) values[name] = key.read(value, `\`${name}\``, context);
  }
  return values as ValuesOf<Table>;
}

/** The JSON Schema of a map of these keys. */
export function mapSchema(table: KeyTable<never>, names: SchemaNames): JsonSchema {
  const required = requiredIn(table);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : { minProperties: 1 }),
    additionalProperties: false,
    properties: propertiesOf(table, names),
  };
}

/** The JSON Schema of each key. */
export function propertiesOf(table: KeyTable<never>, names: SchemaNames): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { description, schema }]) => [
      name,
      { description, ...(typeof schema === 'function' ? schema(names) : schema) },
    ]),
  );
}

function requiredIn(table: KeyTable<never>): readonly string[] {
  return Object.keys(table).filter((name) => table[name]?.isRequired);
}

/** A key. */
export function key<Value, Context = unknown>(
  description: string,
  schema: Key<Value, Context>['schema'],
  read: Key<Value, Context>['read'],
  declares: readonly Declared[] = [],
): Key<Value, Context> {
  return { description, schema, read, declares };
}

/** The same key, which its map must have. */
export function required<K extends Key<unknown, never>>(optional: K): K & { readonly isRequired: true } {
  return { ...optional, isRequired: true };
}

/** A key whose value is a text. */
export function textKey(description: string): Key<string, unknown> {
  return key(description, TEXT, (node, what) => readText(node, what));
}

/** A key whose value is a text of a form. */
export function formKey(description: string, form: Form): Key<string, unknown> {
  return key(description, form.schema, (node, what) => readForm(node, what, form));
}

/** A key whose value is one of a few texts; `synonyms`: what people write for them. */
export function oneOfKey<Value extends string>(
  description: string,
  values: readonly Value[],
  synonyms?: Synonyms,
  meant?: (node: Yaml) => Pick<DiagnosticDetails, 'hint'> | undefined,
): Key<Value, unknown> {
  return key(description, { type: 'string', enum: values }, (node, what) => {
    const [first = '', ...more] = node.kind === 'scalar' ? node.written.split(' ') : [];
    const isAmong = more.length > 0 && values.some((value) => value === first);
    const sentence = isAmong ? { hint: `write \`${first}\` alone: the conditions of rules say when` } : undefined;
    const answer = first.startsWith('$') ? { hint: 'no parameter can stand here: write one of these words' } : sentence;
    return readOneOf(node, what, values, { synonyms, answer: answer ?? meant?.(node) });
  });
}

/** A key whose value is a calendar day. */
export function dayKey(description: string): Key<string, unknown> {
  return key(description, DAY, readDay);
}

/** `description` of a policy, a rule, a table or a list. */
export const DESCRIPTION = textKey('For people: what it is for.');

/** The kinds of names that a policy declares. */
export type Declared = 'fact' | 'velocity' | 'condition' | 'list' | 'parameter';

/** The path of a fact that a policy can declare; all others are in the catalog. */
const OWN_FACT = /^(context|identity)\./;

/** Declarations that were reported already: that their names are unknown is not reported again. */
export class UnresolvedNames {
  readonly #names = new Set<string>();
  readonly #kinds = new Set<Declared>();
  /** The names that were taken to be declared. */
  readonly assumed = new Set<string>();

  /** Notes that one declaration could not be read. */
  addName(kind: Declared, name: string): void {
    this.#names.add(`${kind} ${name}`);
  }

  /** Notes that some declarations of these kinds could not be read; their names are not known. */
  addKinds(...kinds: readonly Declared[]): void {
    for (const kind of kinds) this.#kinds.add(kind);
  }

  /** Whether a name that is not declared may be one of these. */
  mayInclude(kind: Declared, name: string): boolean {
    if (kind === 'fact' && name.startsWith(VELOCITY)) return this.mayInclude('velocity', name);
    const isOneOfKind = this.#kinds.has(kind) && (kind !== 'fact' || OWN_FACT.test(name));
    if (!isOneOfKind && !this.#names.has(`${kind} ${name}`)) return false;
    this.assumed.add(name);
    return true;
  }
}
