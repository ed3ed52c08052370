/** Whom operations trust with releases, and how far. */

import type { KeyObject } from 'node:crypto';
import { keyIdOf } from '../audit/keys/signature.ts';

/** What a key may sign: approvals, activations, or a tightening without others. */
export const USES = ['approve', 'activate', 'tighten'] as const;

export interface TrustedKey {
  readonly key: KeyObject;
  readonly uses: readonly (typeof USES)[number][];
  /** Whose key it is; undefined for that of a service, which signs for people who signed in. */
  readonly person?: string | undefined;
  /** The last day of what it signs, yyyy-MM-dd: what it signed before stays sound. */
  readonly until?: string | undefined;
}

export interface Trust {
  readonly series: string;
  /** How many people have to approve a release. */
  readonly approvals: number;
  /** By their ids. */
  readonly keys: ReadonlyMap<string, TrustedKey>;
  /** For so many days evidence can be approved. */
  readonly evidenceDays: number;
  /** Undefined if nobody may activate alone. */
  readonly tighten?: { readonly atMost: number; readonly confirmWithinMs: number } | undefined;
}

export function keysById(keys: readonly TrustedKey[]): Trust['keys'] {
  return new Map(keys.map((each) => [keyIdOf(each.key), each]));
}
