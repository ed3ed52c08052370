/** The statuses of an answer and the positions of its signals -> the parts of the answer that have a status. */

import { formatSteps, type Steps } from '../path.ts';
import { spellingKey } from '../value/spelling-key.ts';
import { type AnswerStatus, isName } from './answer-statuses.ts';

/** A part of the answer, with all its statuses. */
export interface AnswerPart {
  readonly part: Steps;
  readonly statuses: readonly Steps[];
  /** Whether the statuses are elsewhere, under the name of the part. */
  readonly isApart: boolean;
}

/** The parts of the statuses, as far as a signal is read from there; `readings` are the positions of the signals. */
export function findAnswerParts(
  statuses: readonly AnswerStatus[],
  readings: readonly Steps[],
  body: unknown,
): readonly AnswerPart[] {
  const holders = new Map(readings.flatMap(prefixesOf).map((part) => [formatSteps(part), part]));
  const nearest = (steps: Steps) => prefixesOf(steps).findLast((part) => holders.has(formatSteps(part))) ?? [];
  const own = new Map(statuses.map((status) => [status, nearest(status.steps)]));
  const parts = new Map<string, AnswerPart>();
  for (const status of statuses) {
    const holder = own.get(status) ?? [];
    const isBeside = (other: AnswerStatus) =>
      isSame(own.get(other) ?? [], holder) && !isSame(other.steps.slice(0, -1), holder);
    const isDirect = status.steps.length === holder.length + 1;
    const isOwn =
      !status.isMapped && (isDirect || (canHoldOne(holder, status.steps) && groupsOf(statuses.filter(isBeside)) === 1));
    const part = isOwn ? holder : namesake(status, [...holders.values()], body);
    if (!part) continue;
    const id = `${formatSteps(part)} ${!isOwn}`;
    parts.set(id, { part, isApart: !isOwn, statuses: [...(parts.get(id)?.statuses ?? []), status.steps] });
  }
  return [...parts.values()];
}

/** Whether a status further inside can be that of all of it: no entry of a list says so, and not of the answer. */
function canHoldOne(part: Steps, status: Steps): boolean {
  return part.length > 0 && status.slice(part.length).every((step) => typeof step === 'string');
}

/** The number of maps that hold the statuses. */
function groupsOf(statuses: readonly AnswerStatus[]): number {
  return new Set(statuses.map(({ steps }) => formatSteps(steps.slice(0, -1)))).size;
}

/** The outermost part with one of the names: that of a field, or a text in the part. */
function namesake({ steps, names }: AnswerStatus, holders: readonly Steps[], body: unknown): Steps | undefined {
  const named = holders.filter((part) => {
    const last = part.at(-1);
    const isField = typeof last === 'string';
    // An entry of a list has no status in another entry of it.
    if (isInside(steps, isField ? part : part.slice(0, -1))) return false;
    const labels = isField ? [last] : textsIn(valueAt(body, part));
    return labels.some((label) => names.has(spellingKey(label)));
  });
  return named.toSorted((a, b) => a.length - b.length)[0];
}

function textsIn(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.values(value).filter(isName)
    : [];
}

function valueAt(body: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>((value, step) => (value as Readonly<Record<string | number, unknown>>)[step], body);
}

function prefixesOf(steps: Steps): readonly Steps[] {
  return steps.map((_, length) => steps.slice(0, length));
}

/** Whether a position is in a part, or the part itself. */
export function isInside(steps: Steps, part: Steps): boolean {
  return steps.length >= part.length && part.every((step, index) => steps[index] === step);
}

export function isSame(one: Steps, other: Steps): boolean {
  return one.length === other.length && isInside(one, other);
}
