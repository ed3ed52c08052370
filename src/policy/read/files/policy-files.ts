/** What a policy is read from: files of a folder, texts by name, or data. */

import type { Diagnostic } from '../../../diagnostics.ts';
import type { Source } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';

/** A file of a policy: its path, and its name in diagnostics. */
export interface PolicyFile {
  readonly path: string;
  /** The path with symbolic links resolved: equal for two paths of one file. */
  readonly realPath: string;
  readonly shown: string;
}

/** The source of a policy's parts: its own file, its rule sets, its list files. */
export interface PolicyFiles {
  readonly root: PolicyFile;
  readonly diagnostics: Diagnostic[];
  /** Whether the contents of other files stand where these are named, as in the data of a policy. */
  readonly isInlined: boolean;
  /** Whether names that are not declared may be those of other parts of the policy, which are not there. */
  readonly isPart?: boolean;
  /** The tree of the policy's own file. */
  readRoot(): Yaml | undefined;
  /** The file that a node of the file `from` names. */
  locate(node: Yaml, from: PolicyFile): PolicyFile | undefined;
  /** The tree of a rule set; a problem with its file is reported at the node that names it. */
  readRuleSet(file: PolicyFile, node: Yaml): Yaml | undefined;
  /** The text of a list or table file; a problem with it is reported in the same way. */
  openText(file: PolicyFile, node: Yaml): Source | undefined;
  /** Notes whether a list file is empty. Gives whether it had entries at the last reading and now has none. */
  hasLostEntries(file: PolicyFile, isEmpty: boolean): boolean;
}
