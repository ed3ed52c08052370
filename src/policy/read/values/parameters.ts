/** The parameters that a policy declares, and values set for them -> the values that `$name` has; their schema. */

import type { Diagnostic } from '../../../diagnostics.ts';
import { type JsonSchema, refer, TEXT, where, whereType } from '../../../facts/json-schema.ts';
import { reportAt, type Span } from '../../../platform/files/source.ts';
import {
  describeNode,
  type MapEntry,
  type MapNode,
  type ScalarNode,
  toData,
  type Yaml,
} from '../../../platform/yaml.ts';
import { isNull, readFields, readNumber, readText } from '../../../platform/yaml-fields.ts';
import { didYouMean } from '../../../text.ts';
import type { Parameter, ParameterValue } from '../../language.ts';
import { NAME } from '../form.ts';
import {
  DESCRIPTION,
  type KeyTable,
  key,
  keySetOf,
  mapSchema,
  readValues,
  required,
  type SchemaNames,
  type UnresolvedNames,
} from '../key.ts';

/** A parameter as declared. */
interface Declared {
  readonly name: string;
  /** The key under which the value in force is declared. */
  readonly key: ScalarNode;
  /** The value in force, and where it is declared; a value that was set has no place. */
  readonly node: ScalarNode;
  readonly span: Span | undefined;
  isUsed: boolean;
  /** The facts that its value is compared with. */
  readonly facts: Set<string>;
  /** The places in messages. */
  readonly shownAt: Span[];
}

/** Whether a text, in a place where a parameter may stand, is the name of one. */
export function isParameterName(text: string): boolean {
  return /^\$(?!\$)/.test(text);
}

/** Declares parameters, and gives the values of their names. */
export class Parameters {
  readonly #settings: ReadonlyMap<string, ParameterSetting>;
  readonly #unresolved: UnresolvedNames;
  readonly #declared = new Map<string, Declared>();
  /** The names that rule sets declare. */
  readonly #defaults = new Set<string>();

  constructor(settings: ParameterSettings, unresolved: UnresolvedNames) {
    this.#settings = new Map(Object.entries(settings));
    this.#unresolved = unresolved;
  }

  /**
   * Declares the parameters of a file; gives them as data, with the values in force.
   * INVARIANT: the policy's own file is declared before its rule sets, whose values are defaults.
   */
  declare({ entries }: MapNode, isRuleSet: boolean): unknown {
    return Object.fromEntries([...entries].map(([name, entry]) => [name, this.#declareOne(name, entry, isRuleSet)]));
  }

  /** The names of all files, with what they are. */
  get all(): ReadonlyMap<string, Parameter> {
    return new Map(
      [...this.#declared].map(([name, { node, facts, isUsed }]) => [
        name,
        { value: node.value as ParameterValue, isUsed, facts },
      ]),
    );
  }

  /** The names that have a setting. */
  get settings(): Iterable<string> {
    return this.#settings.keys();
  }

  /** Whether a file declares a parameter of this name. */
  has(name: string): boolean {
    return this.#declared.has(name);
  }

  /** The keys under which the values in force are declared, by name. */
  get keys(): ReadonlyMap<string, Yaml> {
    return new Map([...this.#declared].map(([name, { key }]) => [name, key]));
  }

  /**
   * The node of a place where `$name` may stand, with the value in its place; in a list, each element. A text that
   * begins with two dollar signs begins with one. `path` is the fact that the value is compared with. Undefined, with
   * a diagnostic, for a name that is not declared.
   */
  resolve<Node extends Yaml>(node: Node, path?: string): Node | undefined;
  resolve(node: Yaml, path?: string): Yaml | undefined {
    if (node.kind === 'scalar') return this.#resolveScalar(node, path);
    if (node.kind === 'map') {
      const entries = [...node.entries].map(([name, { key: keyNode, value }]) => {
        const resolved = this.resolve(value, path);
        return resolved && ([name, { key: keyNode, value: resolved }] as const);
      });
      return entries.every((entry) => entry !== undefined) ? { ...node, entries: new Map(entries) } : undefined;
    }
    const items = node.items.map((item) => this.resolve(item, path));
    // The usual case: nothing names a parameter.
    if (items.every((item, i) => item === node.items[i])) return node;
    return items.every((item) => item !== undefined) ? { ...node, items } : undefined;
  }

  /** The text of `{$name}` in a message; undefined, with a diagnostic, for a name that is not declared. */
  show(name: string, span: Span): string | undefined {
    if (!NAME.pattern.test(name)) {
      return reportAt(span, 'bad-message', `found "{$${name}}"; the place of a parameter must be written {$name}`);
    }
    const declared = this.#find(name, span, 'declare it under `parameters`');
    if (!declared) return undefined;
    declared.shownAt.push(span);
    return String(declared.node.value);
  }

  /** Reports a parameter where none may stand; gives whether it did. `what` names the place in the message. */
  refuse(node: Yaml, what: string): boolean {
    const name = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : '';
    if (!name.startsWith('$') || !this.#declared.has(name.slice(1))) return false;
    reportAt(node, 'wrong-type', `found the parameter ${name}; ${what} cannot be a parameter`);
    return true;
  }

  /** Reports values that are shown in a message and are compared with personal texts. */
  checkShown(isPersonal: (path: string) => boolean): void {
    for (const { name, facts, shownAt } of this.#declared.values()) {
      const path = [...facts].find(isPersonal);
      if (path === undefined) continue;
      const message = `$${name} is compared with ${path}: personal data, which a message must not show`;
      for (const span of shownAt) reportAt(span, 'bad-message', message);
    }
  }

  /** An error for each name that has a setting and is not declared; `file` is that of the policy. */
  unknownSettings(file: string): ReadonlyMap<string, Diagnostic> {
    const names = [...this.#settings.keys()].filter(
      (name) => !this.#declared.has(name) && !this.#unresolved.mayInclude('parameter', name),
    );
    return new Map(
      names.map((name) => {
        // A name of another form may be a misplaced value.
        const what = NAME.pattern.test(name) ? `the parameter "${name}"` : 'a parameter';
        const message = `a value is set for ${what}, which is not declared`;
        const hint = didYouMean(name, this.#declared.keys());
        return [name, { code: 'unknown-parameter', severity: 'error', message, file, ...hint }];
      }),
    );
  }

  /** What to say of a declared name with braces, a unit or a calculation around it. */
  #nameMeant(text: string): string | undefined {
    const [, name = '', rest = ''] = /^\{?([A-Za-z][A-Za-z0-9_-]*)\s*(.*)$/s.exec(text) ?? [];
    if (!this.#declared.has(name)) return undefined;
    if (rest === '}') return `write $${name}; only a message has braces around it`;
    if (/^(days?|weeks?|years?)$/.test(rest)) return `write $${name}: its value has the unit`;
    return /^[-+*/]/.test(rest) ? 'a policy does not calculate: declare a parameter with the result' : undefined;
  }

  #resolveScalar(node: ScalarNode, path: string | undefined): ScalarNode | undefined {
    const { value, source, start, end } = node;
    if (typeof value !== 'string' || !value.startsWith('$')) return node;
    if (!isParameterName(value)) return { ...node, value: value.slice(1) };
    const name = value.slice(1);
    if (!NAME.pattern.test(name)) {
      const hint = this.#nameMeant(name) ?? `for the text itself, write "$${value}"`;
      return reportAt(node, 'malformed', `found "${value}"; a parameter must be written $name`, { hint });
    }
    const declared = this.#find(
      name,
      node,
      `declare it under \`parameters\`, or write "$${value}" for the text itself`,
    );
    if (!declared) return undefined;
    if (path !== undefined) declared.facts.add(path);
    const origin = { name: value, value: declared.node.value, span: declared.span };
    return { ...declared.node, source, start, end, origin };
  }

  #find(name: string, node: Span, hint: string): Declared | undefined {
    const declared = this.#declared.get(name);
    if (declared) {
      declared.isUsed = true;
      return declared;
    }
    if (this.#unresolved.mayInclude('parameter', name)) return undefined;
    const unknown = { word: name, known: this.#declared.keys() };
    return reportAt(node, 'unknown-parameter', `there is no parameter "${name}"`, { unknown, hint });
  }

  /** Undefined, with a diagnostic, for a declaration that is wrong. */
  #declareOne(name: string, { key: keyNode, value: node }: MapEntry, isRuleSet: boolean): unknown {
    const declared = readDeclaration(name, keyNode, node);
    if (!declared) {
      this.#unresolved.addName('parameter', name);
      return undefined;
    }
    if (isRuleSet && this.#defaults.has(name)) {
      const hint = 'declare it once; the file of the policy may override it';
      reportAt(keyNode, 'duplicate-name', `two rule sets declare the parameter "${name}"`, { hint });
    }
    if (isRuleSet) this.#defaults.add(name);
    if (this.#declared.has(name)) return toData(node);
    const setting = this.#settings.get(name);
    const inForce = setting === undefined ? declared : setTo(declared, setting, name);
    if (!inForce) {
      this.#unresolved.addName('parameter', name);
      return undefined;
    }
    this.#declared.set(name, {
      ...{ name, key: keyNode, node: inForce, span: setting === undefined ? inForce : undefined },
      ...{ isUsed: false, facts: new Set<string>(), shownAt: [] },
    });
    return node.kind === 'map' ? { ...(toData(node) as object), value: inForce.value } : inForce.value;
  }
}

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
const PARAMETER_KEYS = {
  value: required(key(`The value: ${VALUE_WORDS}.`, PARAMETER_VALUE, readValue)),
  description: DESCRIPTION,
} satisfies KeyTable<unknown>;

/** The node of the value of a declaration. */
function readDeclaration(name: string, keyNode: ScalarNode, node: Yaml): ScalarNode | undefined {
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
function setTo(node: ScalarNode, setting: ParameterSetting, name: string): ScalarNode | undefined {
  const kind = typeof node.value as keyof typeof KINDS;
  const { words, parse } = KINDS[kind];
  const value = typeof setting === 'object' ? parse(setting.text) : setting;
  const what = `the value set for "${name}"`;
  if (typeof value !== kind) {
    const found = typeof setting === 'object' || typeof setting === 'string' ? 'a text' : `a ${typeof setting}`;
    return reportAt(node, 'wrong-type', `found ${found}; ${what} must be ${words}, like the value that it replaces`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return reportAt(node, 'wrong-type', `found a number that is not finite; ${what} must be one`);
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

/** The names of parameters in messages: those of one policy, or any of the right form. */
export function parameterPattern(own: SchemaNames['own']): string {
  if (!own) return NAME.pattern.source.slice(1, -1);
  return own.parameters.size > 0 ? [...own.parameters.keys()].join('|') : '(?!)';
}

/** The definition of `$name`. */
export function parameterDefinition(own: SchemaNames['own']): JsonSchema {
  const words = { title: '$name', description: 'The value of a parameter.' };
  const names = [...(own?.parameters.keys() ?? [])].map((name) => `$${name}`);
  if (names.length > 0) return { ...words, type: 'string', enum: names };
  const patternErrorMessage = own ? 'The policy declares no parameter.' : 'A parameter is written $name.';
  return { ...words, type: 'string', pattern: own ? '(?!)' : `^\\$(${parameterPattern(own)})$`, patternErrorMessage };
}

/** The schema of a place in which a parameter may stand too; a text that begins with a dollar sign has two. */
export function orParameter(schema: JsonSchema): JsonSchema {
  // Editors do not complete from branches.
  const examples = schema['type'] === 'boolean' ? [true, false] : (schema['enum'] ?? schema['examples']);
  const branches = where({ type: 'string', pattern: '^\\$(?!\\$)' }, PARAMETER, schema);
  return { ...branches, ...(examples === undefined ? {} : { examples }) };
}

const PARAMETER = refer('parameter');

/** The schema of `parameters`. */
export function parametersSchema(names: SchemaNames): JsonSchema {
  const declaration = {
    anyOf: [PARAMETER_VALUE, { type: 'object' }],
    ...whereType('object', mapSchema(PARAMETER_KEYS, names), PARAMETER_VALUE),
  };
  return { type: 'object', minProperties: 1, propertyNames: NAME.schema, additionalProperties: declaration };
}
