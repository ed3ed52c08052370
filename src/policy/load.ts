/** The file or text of a policy -> the policy and its diagnostics, with the geodata and RE2 of this package. */

import { WORLD } from '../platform/formats/geo/world.ts';
import { RE2 } from '../platform/formats/re2.ts';
import { type FilePath, readPath } from '../platform/given/file-path.ts';
import { optionsReader } from '../platform/given/options.ts';
import { readChecked } from './check/check.ts';
import { PolicyFolder } from './read/files/folder.ts';
import { POLICY_TEXT_OPTIONS, type PolicyTextOptions, textsOf } from './read/files/texts.ts';
import { POLICY_OPTIONS, type PolicyOptions, type ReadPolicy } from './read/read-policy.ts';

const readOptions = optionsReader('the options of the policy', POLICY_OPTIONS);

/**
 * Reads a policy with its rule sets and lists, and checks it. Every problem of the files is among the diagnostics;
 * throws only for arguments that cannot be used.
 */
export function readPolicy(file: FilePath, options: PolicyOptions = {}): ReadPolicy {
  return readChecked(new PolicyFolder(readPath(file)), { ...readOptions(options), geodata: WORLD, patterns: RE2 });
}

const readTextOptions = optionsReader('the options of the policy', POLICY_TEXT_OPTIONS);

/**
 * Reads and checks a policy from its text; no file is opened. Every problem of the texts is among the diagnostics;
 * throws only for arguments that cannot be used.
 */
export function readPolicyText(text: string, options: PolicyTextOptions = {}): ReadPolicy {
  const read = readTextOptions(options);
  return readChecked(textsOf(text, read), { ...read, geodata: WORLD, patterns: RE2 });
}
