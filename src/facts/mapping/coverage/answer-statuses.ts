/** An answer -> the values in it that look like statuses, and the names under which they may be about another part. */

import type { LocatedValue, Steps } from '../path.ts';
import { isScalar, spellingKey } from '../value/spelling-key.ts';
import {
  flagSense,
  isErrorName,
  isFailure,
  isFlagValue,
  isPlainStatus,
  isStatusMapName,
  isSuccess,
} from './status-words.ts';

/** A status in an answer. */
export interface AnswerStatus {
  readonly steps: Steps;
  /** Whether it is one of a map of statuses, so that its own name is that of a part. */
  readonly isMapped: boolean;
  /** By `spellingKey`: its name, that of the map that holds it, and the texts beside it. */
  readonly names: ReadonlySet<string>;
}

type Json = Readonly<Record<string, unknown>>;

/** The most values to visit; an answer has some hundreds. */
const MAX_VISITS = 100_000;
/** Longer texts are not names. */
const MAX_NAME_LENGTH = 100;

/** Every status, in the answer's order. Iterative: an answer may nest deep. Never throws. */
export function findAnswerStatuses(body: unknown): readonly AnswerStatus[] {
  const statuses: AnswerStatus[] = [];
  const open: LocatedValue[] = [{ value: body, steps: [] }];
  for (let visits = 0; visits < MAX_VISITS; visits++) {
    const each = open.pop();
    if (!each) break;
    const { value, steps } = each;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) statuses.push(...statusesOf(value as Json, steps));
    const children = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [step, child] of children.slice(0, MAX_VISITS).toReversed()) {
      if (typeof child === 'object' && child !== null) open.push({ value: child, steps: [...steps, step] });
    }
  }
  return statuses;
}

function statusesOf(map: Json, steps: Steps): readonly AnswerStatus[] {
  const entries = Object.entries(map);
  const isMap = isStatusMap(entries, steps);
  const texts = [steps.at(-1), ...entries.map(([, value]) => value)].filter(isName).map(spellingKey);
  return entries.flatMap(([name, value]) => {
    if (!isMap && !isStatus(name, value)) return [];
    if (isMap && !(isScalar(value) && (isSuccess(value) || isFailure(value)))) return [];
    return [{ steps: [...steps, name], isMapped: isMap, names: new Set([spellingKey(name), ...texts]) }];
  });
}

/** A map of nothing but statuses: by its values, or by its name. */
function isStatusMap(entries: readonly (readonly [string, unknown])[], steps: Steps): boolean {
  const plain = entries.filter(([, value]) => isScalar(value) && isPlainStatus(value));
  const named = entries.filter(([, value]) => isScalar(value) && (isSuccess(value) || isFailure(value)));
  const isNamed = isStatusMapName(String(steps.at(-1) ?? '')) && named.length === entries.length;
  return (isNamed && entries.length > 0) || (plain.length > 1 && plain.length * 2 >= entries.length);
}

const STATUS = /(?:status|state|outcome)$/i;
const RESULT = /^(?:result|response|(?:(?:result|response|return|status)_?)?code)$/i;

/** Whether name and value are those of a status; `completed` may be said of anything but by a `status`. */
function isStatus(name: string, value: unknown): boolean {
  if (isErrorName(name)) return true;
  if (flagSense(name) !== undefined && isScalar(value) && isFlagValue(value)) return true;
  if (typeof value === 'number') return value === 200 && /(?:status|code)$/i.test(name);
  if (typeof value !== 'string') return false;
  if (STATUS.test(name)) return isSuccess(value) || isFailure(value);
  return RESULT.test(name) && isPlainStatus(value);
}

/** Whether a text may name a part; statuses name none. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_LENGTH) return false;
  return !isSuccess(value) && !isFailure(value);
}
