/** The file or the text of a policy -> the policy and its diagnostics, with the geodata of this package. */

import { WORLD } from '../../formats/geo/world.ts';
import { type FilePath, readPath } from '../../given/file-path.ts';
import { optionsReader } from '../../given/options.ts';
import type { Policy } from '../language.ts';
import { PolicyFolder } from './files/folder.ts';
import { POLICY_TEXT_OPTIONS, type PolicyTextOptions, textsOf } from './files/texts.ts';
import { loadPolicyIn, POLICY_OPTIONS, type PolicyOptions, type ReadPolicy, readPolicyIn } from './read-policy.ts';

export type { PolicyOptions, ReadPolicy } from './read-policy.ts';

const readOptions = optionsReader('the options of the policy', POLICY_OPTIONS);

/**
 * Reads a policy with its rule sets and lists, and checks it. Every problem of the files is among the diagnostics;
 * throws only for arguments that cannot be used.
 */
export function readPolicy(file: FilePath, options: PolicyOptions = {}): ReadPolicy {
  return readPolicyIn(new PolicyFolder(readPath(file)), { ...readOptions(options), geodata: WORLD });
}

/**
 * Loads a policy with its rule sets and lists.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function loadPolicy(file: FilePath, options: PolicyOptions = {}): Policy {
  return loadPolicyIn(new PolicyFolder(readPath(file)), readOptions(options));
}

const readTextOptions = optionsReader('the options of the policy', POLICY_TEXT_OPTIONS);

/**
 * Reads and checks a policy from its text; no file is opened. Every problem of the texts is among the diagnostics;
 * throws only for arguments that cannot be used.
 */
export function readPolicyText(text: string, options: PolicyTextOptions = {}): ReadPolicy {
  const read = readTextOptions(options);
  return readPolicyIn(textsOf(text, read), { ...read, geodata: WORLD });
}
