/** A verdict and the JSON text of the recorded one -> the parts that differ. */

import type { Verdict } from '../../../decision/meaning/verdict.ts';
import { readVerdictText, verdictText } from '../../entry/body.ts';

const PARTS = ['outcome', 'reasons', 'undetermined', 'score', 'shadow'] as const satisfies readonly (keyof Verdict)[];

/** The parts in which a verdict differs from the recorded one; undefined if the recorded one is malformed. */
export function differingParts(verdict: Verdict, text: string): (keyof Verdict)[] | undefined {
  // The common case: the same text needs no parsing.
  if (verdictText(verdict) === text) return [];
  const recorded = readVerdictText(text);
  return recorded && PARTS.filter((part) => !isSameJson(verdict[part], recorded[part]));
}

/** Whether two values of JSON data have the same canonical form. */
function isSameJson(one: unknown, other: unknown): boolean {
  // -0 and 0 are one number in canonical JSON.
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}
