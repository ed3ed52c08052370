/** The file, text or data of a policy -> the policy, not checked, with RE2; its lists as they are declared. */

import { DiagnosticsError, type Place } from '../../diagnostics.ts';
import { RE2 } from '../../platform/formats/re2.ts';
import { type FilePath, readPath } from '../../platform/given/file-path.ts';
import { optionsReader } from '../../platform/given/options.ts';
import type { Policy } from '../language.ts';
import { placeOfSpan } from '../source-map.ts';
import { PolicyFolder } from './files/folder.ts';
import {
  loadPolicyData,
  POLICY_DATA_OPTIONS,
  POLICY_TEXT_OPTIONS,
  type PolicyDataOptions,
  type PolicyTextOptions,
  textsOf,
} from './files/texts.ts';
import { loadPolicyIn, POLICY_OPTIONS, type PolicyOptions, readParts } from './read-policy.ts';
import type { WrittenEntry } from './values/declared-list.ts';

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

/** A list as declared. */
export interface ListDeclaration {
  readonly name: string;
  readonly description: string | undefined;
  /** Where it is declared. */
  readonly place: Place | undefined;
  readonly entries: readonly (WrittenEntry & { readonly place: Place })[];
}

/** A policy and its lists. */
export interface Declarations {
  readonly policy: Policy;
  /** In the order of its files. */
  readonly lists: readonly ListDeclaration[];
}

/** Loads a policy. Throws a `DiagnosticsError` (`POLICY_INVALID`) that carries every problem if there is an error. */
export function loadDeclarations(file: string, options: PolicyOptions): Declarations {
  const read = readParts(new PolicyFolder(file), { ...options, patterns: RE2 });
  const { policy, unknownSettings, problems } = read;
  if (!policy || unknownSettings.size > 0) {
    throw new DiagnosticsError('POLICY_INVALID', [...unknownSettings.values(), ...problems().diagnostics]);
  }
  const lists = read.lists.map(({ list, key }) => ({
    name: list.name,
    description: list.description,
    place: key && placeOfSpan(key),
    entries: list.entries.map(({ written, span }) => ({ ...written, place: placeOfSpan(span) })),
  }));
  return { policy, lists };
}
