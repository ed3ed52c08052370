/** The file, text or data of a policy -> the policy, not checked, with RE2. */

import { RE2 } from '../../formats/re2.ts';
import { type FilePath, readPath } from '../../given/file-path.ts';
import { optionsReader } from '../../given/options.ts';
import type { Policy } from '../language.ts';
import { loadPolicyData, POLICY_DATA_OPTIONS, type PolicyDataOptions } from './files/data.ts';
import { PolicyFolder } from './files/folder.ts';
import { POLICY_TEXT_OPTIONS, type PolicyTextOptions, textsOf } from './files/texts.ts';
import { loadPolicyIn, POLICY_OPTIONS, type PolicyOptions } from './read-policy.ts';

const readOptions = optionsReader('the options of the policy', POLICY_OPTIONS);

/**
 * Loads a policy with its rule sets and lists.
 * Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error.
 */
export function loadPolicy(file: FilePath, options: PolicyOptions = {}): Policy {
  return loadPolicyIn(new PolicyFolder(readPath(file)), { ...readOptions(options), patterns: RE2 });
}

const readTextOptions = optionsReader('the options of the policy', POLICY_TEXT_OPTIONS);

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
