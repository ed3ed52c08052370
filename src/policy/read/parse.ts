/** The file, text or data of a policy -> the policy and its diagnostics, with the geodata and RE2 of this package. */

import { WORLD } from '../../formats/geo/world.ts';
import { RE2 } from '../../formats/re2.ts';
import { type FilePath, readPath } from '../../given/file-path.ts';
import { optionsReader } from '../../given/options.ts';
import type { Policy } from '../language.ts';
import { loadPolicyData, POLICY_DATA_OPTIONS, type PolicyDataOptions } from './files/data.ts';
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
  return readPolicyIn(new PolicyFolder(readPath(file)), { ...readOptions(options), geodata: WORLD, patterns: RE2 });
}

/**
 * Loads a policy with its rule sets and lists.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function loadPolicy(file: FilePath, options: PolicyOptions = {}): Policy {
  return loadPolicyIn(new PolicyFolder(readPath(file)), { ...readOptions(options), patterns: RE2 });
}

const readTextOptions = optionsReader('the options of the policy', POLICY_TEXT_OPTIONS);

/**
 * Reads and checks a policy from its text; no file is opened. Every problem of the texts is among the diagnostics;
 * throws only for arguments that cannot be used.
 */
export function readPolicyText(text: string, options: PolicyTextOptions = {}): ReadPolicy {
  const read = readTextOptions(options);
  return readPolicyIn(textsOf(text, read), { ...read, geodata: WORLD, patterns: RE2 });
}

/**
 * Loads a policy from its text; no file is opened.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem, with its line, if there is an error.
 */
export function loadPolicyText(text: string, options: PolicyTextOptions = {}): Policy {
  const read = readTextOptions(options);
  return loadPolicyIn(textsOf(text, read), { ...read, patterns: RE2 });
}

const readDataOptions = optionsReader('the options of the policy', POLICY_DATA_OPTIONS);

/**
 * Reads the data that `policyData` gave: the policy has the same digest and the same meaning, parameters included, and
 * no file is opened.
 * `mapping` is the one that the policy was read with; its declared facts are not part of the data.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function policyFromData(data: unknown, options: PolicyDataOptions = {}): Policy {
  return loadPolicyData(data, { ...readDataOptions(options), patterns: RE2 });
}
