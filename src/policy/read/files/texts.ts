/** Texts by path, such as rows of a database or the tabs of an editor -> the parts of a policy. */

import type { Diagnostic } from '../../../diagnostics.ts';
import { ANY_TEXT, type Kinds, mapOf, readArgument, TEXT } from '../../../given/options.ts';
import { readGiven } from '../../../given/read-given.ts';
import { isTooLarge, reportAbsent, reportAt, Source } from '../../../platform/files/source.ts';
import { parseYaml, type Yaml } from '../../../platform/yaml.ts';
import { readText } from '../../../platform/yaml-fields.ts';
import { POLICY_OPTIONS, type PolicyOptions } from '../read-policy.ts';
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
    // A byte order mark is no part of a text, as in files.
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
