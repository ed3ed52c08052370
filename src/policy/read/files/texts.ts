/** Texts by path, such as rows of a database or tabs of an editor, or data -> the parts of a policy. */

import type { Diagnostic } from '../../../diagnostics.ts';
import { treeOfData } from '../../../platform/data-tree.ts';
import { isTooLarge, reportAbsent, reportAt, Source } from '../../../platform/files/source.ts';
import { ANY_TEXT, type Kinds, mapOf, readArgument, TEXT } from '../../../platform/given/options.ts';
import { readGiven } from '../../../platform/given/read-given.ts';
import { describeNode, parseYaml, type Yaml } from '../../../platform/yaml.ts';
import { readText } from '../../../platform/yaml-fields.ts';
import type { Policy } from '../../language.ts';
import { type LoadingOptions, loadPolicyIn, POLICY_OPTIONS, type PolicyOptions } from '../read-policy.ts';
import type { PolicyFile, PolicyFiles } from './policy-files.ts';

/** How a policy is read from texts. */
export interface PolicyTextOptions extends PolicyOptions {
  /**
   * The texts of its rule sets and list files, by the path from the policy to them, with slashes: `lists/blocked.txt`.
   * Default: none.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** The policy's own path in diagnostics. Default: `policy.yaml`. */
  readonly shown?: string;
}

/** The kinds of `PolicyTextOptions`. */
export const POLICY_TEXT_OPTIONS: Kinds<PolicyTextOptions> = {
  ...POLICY_OPTIONS,
  'files?': mapOf(ANY_TEXT, 'an object with texts by path'),
  'shown?': TEXT,
};

/** The parts of a policy. Throws REQUEST_INVALID for a policy that is not a text. */
export function textsOf(text: string, options: PolicyTextOptions): PolicyFiles {
  readArgument('the text of the policy', ANY_TEXT, text);
  return readGiven('REQUEST_INVALID', 'the texts of the policy', () => new PolicyTexts(text, options));
}

/** Gives the texts of a policy in place of the files of a folder. */
class PolicyTexts implements PolicyFiles {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[] = [];
  readonly isInlined = false;
  /** The policy itself and the other files, by path from its folder. */
  readonly #texts: ReadonlyMap<string, string>;
  /** The policy's folder in diagnostics, with its slash. */
  readonly #shownFolder: string;

  constructor(text: string, { files = {}, shown = 'policy.yaml' }: PolicyTextOptions) {
    this.#shownFolder = shown.slice(0, shown.lastIndexOf('/') + 1);
    const path = shown.slice(this.#shownFolder.length);
    this.root = { path, realPath: path, shown };
    const others = Object.entries(files).map(([name, content]) => [resolvePath('', name) ?? name, content] as const);
    this.#texts = new Map([...others, [path, text]]);
  }

  readRoot(): Yaml | undefined {
    const source = this.#open(this.root);
    return source && parseYaml(source);
  }

  /** The path that a node names, relative to the node's own text; undefined if it leads out of the policy's folder. */
  locate(node: Yaml, from: PolicyFile): PolicyFile | undefined {
    const name = readText(node, 'a path');
    if (name === undefined) return undefined;
    const path = resolvePath(from.path, name);
    if (path !== undefined) return { path, realPath: path, shown: this.#shownFolder + path };
    return reportAt(node, 'file-outside', "the path leaves the policy's folder", {
      hint: 'paths are relative to the file that names them',
    });
  }

  readRuleSet(file: PolicyFile, node: Yaml): Yaml | undefined {
    const source = this.#open(file, node);
    return source && parseYaml(source);
  }

  openText(file: PolicyFile, node: Yaml): Source | undefined {
    const source = this.#open(file, node);
    if (!source || source.text.isWellFormed()) return source;
    return reportAt(node, 'file-unreadable', 'the file has half a character (a lone surrogate)');
  }

  hasLostEntries(): boolean {
    return false;
  }

  #open({ path, shown }: PolicyFile, from?: Yaml): Source | undefined {
    const text = this.#texts.get(path);
    const asked = { shown, diagnostics: this.diagnostics, from };
    if (text === undefined) return reportAbsent(asked, this.#namesIn(path.slice(0, path.lastIndexOf('/') + 1)));
    if (isTooLarge(asked, new TextEncoder().encode(text).length)) return undefined;
    // A byte order mark is not part of a text, as in files.
    return new Source(shown, text.replace(/^\ufeff/, ''), this.diagnostics);
  }

  /** The names of the texts in a folder, which ends with a slash; undefined if it has none. */
  #namesIn(folder: string): readonly string[] | undefined {
    const paths = [...this.#texts.keys()].filter((path) => path.startsWith(folder));
    const names = paths.map((path) => path.slice(folder.length)).filter((name) => !name.includes('/'));
    return names.length === 0 ? undefined : names;
  }
}

/** The path that a path leads to, seen from a file; undefined if it leads out of the folder of the policy. */
function resolvePath(from: string, path: string): string | undefined {
  if (/^(?:[a-z]:)?[/\\]/i.test(path)) return undefined;
  const steps = from.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..' && steps.pop() === undefined) return undefined;
    if (step !== '..' && step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}

/** How the data of a policy are read. */
export interface PolicyDataOptions extends PolicyOptions {
  /** The file name of the data in diagnostics. Default: `policy`. */
  readonly shown?: string;
}

/** The kinds of `PolicyDataOptions`. */
export const POLICY_DATA_OPTIONS: Kinds<PolicyDataOptions> = { ...POLICY_OPTIONS, 'shown?': TEXT };

/** Reads the data of a policy. Throws a `DiagnosticsError`, or REQUEST_INVALID for data that cannot be read. */
export function loadPolicyData(data: unknown, given: PolicyDataOptions & LoadingOptions): Policy {
  const { shown = 'policy', ...options } = given;
  return readGiven('REQUEST_INVALID', 'the data', () => loadPolicyIn(partsOfData(data, shown), options));
}

/** The data of a policy as its parts; a problem is reported in the file `shown`. */
export function partsOfData(data: unknown, shown: string): PolicyFiles {
  return new PolicyData(data, shown);
}

/** The parts of a policy's data, in place of the files of a folder. */
class PolicyData implements PolicyFiles {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[] = [];
  readonly isInlined = true;
  readonly #data: unknown;

  constructor(data: unknown, shown: string) {
    this.#data = data;
    this.root = { path: shown, realPath: shown, shown };
  }

  readRoot(): Yaml | undefined {
    const tree = treeOfData(this.#data, this.root.shown, this.diagnostics);
    if (tree) tree.source.isOnRecord = true;
    return tree;
  }

  /** Each rule set counts as a file of its own, even if it equals another. */
  locate(node: Yaml): PolicyFile {
    const path = `${this.root.path}:${node.start}`;
    return { path, realPath: path, shown: this.root.shown };
  }

  readRuleSet(_: PolicyFile, node: Yaml): Yaml | undefined {
    return node.kind === 'map' ? node : refuse(node);
  }

  openText(_: PolicyFile, node: Yaml): undefined {
    return refuse(node);
  }

  hasLostEntries(): boolean {
    return false;
  }
}

/** Data never open a file: they may come from anywhere. */
function refuse(node: Yaml): undefined {
  const message = `found ${describeNode(node)}; the data of a policy must have its rule sets and lists inlined`;
  reportAt(node, 'wrong-type', message);
}
