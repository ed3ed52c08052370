/** The file of a policy -> the policy with its lists as they are declared, which a decision does not need. */

import { DiagnosticsError, type Place } from '../../diagnostics.ts';
import { RE2 } from '../../formats/re2.ts';
import type { Span } from '../../platform/files/source.ts';
import type { Policy } from '../language.ts';
import { PolicyFolder } from './files/folder.ts';
import { type PolicyOptions, readParts } from './read-policy.ts';
import type { WrittenEntry } from './values/declared-list.ts';

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

function placeOfSpan({ source, start, end }: Span): Place {
  return source.placeOf(start, end);
}
