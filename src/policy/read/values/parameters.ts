/** The parameters that the files of a policy declare, and values set for them -> the values that `$name` has. */

import type { Diagnostic } from '../../../diagnostics.ts';
import { reportAt, type Span } from '../../../platform/files/source.ts';
import { type MapEntry, type MapNode, type ScalarNode, toData, type Yaml } from '../../../platform/yaml.ts';
import { didYouMean } from '../../../text.ts';
import type { Parameter, ParameterValue } from '../../language.ts';
import { NAME } from '../form.ts';
import type { UnresolvedNames } from '../unresolved-names.ts';
import { type ParameterSetting, type ParameterSettings, readDeclaration, setTo } from './parameter-value.ts';

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

  #resolveScalar(node: ScalarNode, path: string | undefined): ScalarNode | undefined {
    const { value, source, start, end } = node;
    if (typeof value !== 'string' || !value.startsWith('$')) return node;
    if (!isParameterName(value)) return { ...node, value: value.slice(1) };
    const name = value.slice(1);
    if (!NAME.pattern.test(name)) {
      const hint = `for the text itself, write "$${value}"`;
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
      const hint = 'declare it once; the file of the policy may set it anew';
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
