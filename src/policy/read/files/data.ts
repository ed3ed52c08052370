/** A policy as data, with its rule sets and lists inlined -> the policy as it was when the data were taken. */

import type { Diagnostic } from '../../../diagnostics.ts';
import { type Kinds, TEXT } from '../../../given/options.ts';
import { readGiven } from '../../../given/read-given.ts';
import { treeOfData } from '../../../platform/data-tree.ts';
import { reportAt } from '../../../platform/files/source.ts';
import { describeNode, type Yaml } from '../../../platform/yaml.ts';
import type { Policy } from '../../language.ts';
import { type LoadingOptions, loadPolicyIn, POLICY_OPTIONS, type PolicyOptions } from '../read-policy.ts';
import type { PolicyFile, PolicyFiles } from './policy-files.ts';

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
  return readGiven('REQUEST_INVALID', 'the data', () => loadPolicyIn(new PolicyData(data, shown), options));
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
    return treeOfData(this.#data, this.root.shown, this.diagnostics);
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
