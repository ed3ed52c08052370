/** The declaration of a parameter, and a value set for it -> the node of the value in force. */

import { type JsonSchema, TEXT } from '../../../facts/json-schema.ts';
import { reportAt } from '../../../platform/files/source.ts';
import { describeNode, type ScalarNode, type Yaml } from '../../../platform/yaml.ts';
import { isNull, readFields, readNumber, readText } from '../../../platform/yaml-fields.ts';
import type { ParameterValue } from '../../language.ts';
import { NAME } from '../form.ts';
import { DESCRIPTION, type KeyTable, key, keySetOf, readValues, required } from '../key.ts';

/** A value set for a parameter; `{ text }` is read as the kind of value that the policy declares, as by `--set`. */
export type ParameterSetting = ParameterValue | { readonly text: string };

/** Values set for parameters, by name. */
export type ParameterSettings = Readonly<Record<string, ParameterSetting>>;

/** Long enough for an email address. Many places can name one text, and each of them has its own copy. */
const MAX_TEXT = 300;

/** A value of a parameter, in its declaration. */
export const PARAMETER_VALUE: JsonSchema = { anyOf: [TEXT, { type: 'number' }, { type: 'boolean' }] };

const VALUE_WORDS = 'a text, a number, or true or false';

/** The keys of a parameter that is written as a map. */
export const PARAMETER_KEYS = {
  value: required(key(`The value: ${VALUE_WORDS}.`, PARAMETER_VALUE, readValue)),
  description: DESCRIPTION,
} satisfies KeyTable<unknown>;

/** The node of the value of a declaration. */
export function readDeclaration(name: string, keyNode: ScalarNode, node: Yaml): ScalarNode | undefined {
  if (!NAME.pattern.test(name)) {
    return reportAt(keyNode, 'malformed', `found "${name}"; the name of a parameter must be ${NAME.words}`);
  }
  const what = `the parameter "${name}"`;
  if (isNull(node)) return reportAt(keyNode, 'null-value', `${what} has no value`);
  if (node.kind !== 'map') return readValue(node, what);
  const fields = readFields(node, what, keySetOf(PARAMETER_KEYS));
  return fields && readValues(fields, PARAMETER_KEYS, undefined).value;
}

/** The node of a value in its declaration. */
function readValue(node: Yaml, what: string): ScalarNode | undefined {
  if (node.kind !== 'scalar') {
    return reportAt(node, 'wrong-type', `found ${describeNode(node)}; ${what} must be ${VALUE_WORDS}`);
  }
  if (typeof node.value === 'number') return { ...node, value: readNumber(node, what) ?? 0 };
  if (typeof node.value === 'boolean') return node;
  const text = readText(node, what);
  if (text === undefined || text.length <= MAX_TEXT) return text === undefined ? undefined : node;
  return reportAt(node, 'too-large', `found ${text.length} characters; ${what} has at most ${MAX_TEXT}`);
}

/** The node of a declaration with another value of the same kind. Messages do not quote what may be personal. */
export function setTo(node: ScalarNode, setting: ParameterSetting, name: string): ScalarNode | undefined {
  const kind = typeof node.value as keyof typeof KINDS;
  const { words, parse } = KINDS[kind];
  const value = typeof setting === 'object' ? parse(setting.text) : setting;
  const what = `the value set for "${name}"`;
  if (typeof value !== kind) {
    const found = typeof setting === 'object' || typeof setting === 'string' ? 'a text' : `a ${typeof setting}`;
    return reportAt(node, 'wrong-type', `found ${found}; ${what} must be ${words}, like the value that it replaces`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return reportAt(node, 'wrong-type', `found no finite number; ${what} must be one`);
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    return reportAt(node, 'wrong-value', `found half a character (a lone surrogate) in ${what}`);
  }
  const inPlace = { ...node, value: value ?? null, written: String(value) };
  return readValue(inPlace, what);
}

/** The kinds of values, and how each is read from a text. */
const KINDS = {
  number: { words: 'a number', parse: (text: string) => (NUMERAL.test(text) ? Number(text) : undefined) },
  boolean: {
    words: 'true or false',
    parse: (text: string) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  },
  string: { words: 'a text', parse: (text: string) => text },
} as const;

/** As in JSON. */
const NUMERAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
