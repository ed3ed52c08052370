/** A policy as data, with its rule sets and lists in their places -> the policy, as it was when the data were taken. */

import type { Diagnostic } from '../../diagnostics.ts';
import { treeOfData } from '../../platform/data-tree.ts';
import { describeNode, reportAt, type Yaml } from '../../platform/yaml.ts';
import type { Policy } from '../language.ts';
import type { PolicyFile, PolicyFiles } from './folder.ts';
import { loadPolicyIn, type PolicyOptions } from './parse.ts';

/** What data of a policy are read with. */
export interface PolicyDataOptions extends PolicyOptions {
  /** What diagnostics call the data. Default: `policy`. */
  readonly shown?: string;
}

/**
 * Reads what `policyData` gave: the same digest and the same meaning, and no file is opened. `mapping` is the one that the
 * policy was read with, whose declared facts are no part of its data.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function policyFromData(data: unknown, { shown = 'policy', ...options }: PolicyDataOptions = {}): Policy {
  return loadPolicyIn(new PolicyData(data, shown), options);
}

/** The parts of a policy's data, as the reader asks a folder for files. */
class PolicyData implements PolicyFiles {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[] = [];
  readonly #data: unknown;

  constructor(data: unknown, shown: string) {
    this.#data = data;
    this.root = { path: shown, realPath: shown, shown };
  }

  readRoot(): Yaml | undefined {
    return treeOfData(this.#data, this.root.shown, this.diagnostics);
  }

  /** Each rule set is a part of its own, even one that is like another. */
  locate(node: Yaml): PolicyFile {
    const path = `${this.root.path}:${node.start}`;
    return { path, realPath: path, shown: this.root.shown };
  }

  readRuleSet(_: PolicyFile, node: Yaml): Yaml | undefined {
    return node.kind === 'map' ? node : refuse(node);
  }

  openList(_: PolicyFile, node: Yaml): undefined {
    return refuse(node);
  }

  hasLostEntries(): boolean {
    return false;
  }
}

/** Data never lead to a file, wherever they come from. */
function refuse(node: Yaml): undefined {
  const message = `${describeNode(node)}; in the data of a policy its rule sets and lists stand in their places`;
  reportAt(node, 'wrong-type', message);
}
