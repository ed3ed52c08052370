/** A verdict, and the text of the one on record -> the parts in which they differ. */

import type { Verdict } from '../../../decision/meaning/verdict.ts';
import { readVerdictText, verdictText } from '../../entry/body.ts';

const PARTS = ['outcome', 'reasons', 'undetermined', 'score', 'shadow'] as const satisfies readonly (keyof Verdict)[];

/** The parts in which a verdict is another than the one on record; undefined where that cannot be read. */
export function differingParts(verdict: Verdict, text: string): (keyof Verdict)[] | undefined {
  // As it is written today, and most likely was: nothing is to be parsed.
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
