/** A field that may be a status: its names and values, its sign of success, and the part of the answer it is about. */

import { type Scalar, spellingKey } from '../../../facts/mapping/value/spelling-key.ts';
import { lastName } from '../names/json-path.ts';
import type { Section, Topic } from '../names/subject.ts';
import type { AnswerField } from './collect-fields.ts';

/** The subject of a status according to its names. */
export type Scope = Section | Topic | 'all';

/** A field that may be a status. */
export interface StatusCandidate {
  readonly field: AnswerField;
  readonly scope: Scope;
  readonly values: readonly Scalar[];
  /** Whether it is a status only if some part of the answer has its name. */
  readonly needsNamesake?: boolean;
  /** Whether it is one only if facts are beside it. */
  readonly needsFacts?: boolean;
  /** The signs of success and failure, if the words of the values do not show them. */
  readonly shows?: Showing;
}

/** The success or failure that a flag or an error shows. */
export interface Showing {
  /** The values that mean success; undefined if only the absence of a value does. */
  readonly answered: readonly unknown[] | undefined;
  /** The answers in which it does not show success. */
  readonly failed: ReadonlySet<number>;
  /** The answers in which it shows a failure. */
  readonly shown: ReadonlySet<number>;
}

/** The subject of a status according to its names. */
export function scopeOf({ subject: { topic, section } }: AnswerField): Scope {
  return topic ?? section ?? 'all';
}

/** The part of the answer that a status is about. */
export interface Part {
  /** The JSONPath of a map, a list or an entry; undefined if only the names of the status say what it is about. */
  readonly part: string | undefined;
  /** Whether the status is elsewhere: in a map or a list of statuses, under the name of the part. */
  readonly isApart: boolean;
  /** Whether it is about everything in the answer. */
  readonly isWhole: boolean;
}

/** Whether a JSONPath leads into a part. */
export function isInside(jsonPath: string, part: string): boolean {
  return jsonPath.startsWith(`${part}.`) || jsonPath.startsWith(`${part}[`);
}

/** Finds the part of each status. A status without a part that holds facts keeps only its names. */
export function placeStatuses<Candidate extends StatusCandidate>(
  candidates: readonly Candidate[],
  data: readonly AnswerField[],
): readonly (Candidate & Part)[] {
  const holders = new Set(data.flatMap(({ above }) => above));
  const nearest = new Map(candidates.map(({ field }) => [field, nearestHolder(field, holders)]));
  return candidates.flatMap((candidate) => {
    const { field, scope } = candidate;
    const ownPart = nearest.get(field);
    const beside = candidates.filter((other) => other.field.parent !== ownPart && nearest.get(other.field) === ownPart);
    const isOwn =
      ownPart !== '$' &&
      !namesItself(candidate) &&
      !candidate.needsNamesake &&
      (field.parent === ownPart || new Set(beside.map((other) => other.field.parent)).size === 1);
    const part = isOwn ? ownPart : findNamesake(field, holders);
    if (candidate.needsFacts && part !== field.parent) return [];
    if (part === undefined && (candidate.needsNamesake || (scope === 'all' && !canBeWhole(candidate)))) return [];
    const isWhole = part === undefined ? scope === 'all' : data.every(({ above }) => above.includes(part));
    return [{ ...candidate, part, isApart: !isOwn, isWhole }];
  });
}

/** The innermost map or entry around a status that holds facts. */
function nearestHolder({ above }: AnswerField, holders: ReadonlySet<string>): string {
  return above.findLast((path) => holders.has(path)) ?? '$';
}

/** `emailStatus`: the name of the status itself says what it is about, not the map that holds it. */
function namesItself({ field: { subject } }: StatusCandidate): boolean {
  const { leaf, section, topic } = subject;
  return leaf.has('phoneStatus') || (section !== undefined && leaf.has(section)) || (!!topic && leaf.has(topic));
}

/** The outermost part with the name of the status, or of the map or entry that holds it. */
function findNamesake({ jsonPath, parent, above }: AnswerField, holders: ReadonlySet<string>): string | undefined {
  const names = [jsonPath, parent].flatMap((path) => lastName(path) ?? []).map(spellingKey);
  const parts = [...holders].filter((part) => {
    const name = lastName(part);
    return name !== undefined && names.includes(spellingKey(name)) && !above.includes(part);
  });
  return parts.toSorted((a, b) => a.length - b.length)[0];
}

/** Whether a status whose names say nothing of a part is that of the whole answer. */
function canBeWhole({ field: { isRepeated, names, subject } }: StatusCandidate): boolean {
  return !isRepeated && subject.unknownInLeaf.length === 0 && names.length <= 4;
}

/** One value of each spelling, without white space around it. */
export function distinct(values: readonly Scalar[]): readonly Scalar[] {
  const trimmed = (value: Scalar) => (typeof value === 'string' ? value.trim() : value);
  return [...new Map(values.map((value) => [spellingKey(value), trimmed(value)])).values()];
}
