/** The fields of the answers -> those that may be statuses, by their names, their values and the fields beside them. */

import {
  flagSense,
  isFailure,
  isFlagValue,
  isPlainStatus,
  isStatusMapName,
  isSuccess,
  isTrue,
  oppositeOf,
} from '../../../facts/mapping/status-words.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import type { Section } from '../names/subject.ts';
import { enumValueOf } from '../values/enums.ts';
import type { AnswerField } from './collect-fields.ts';
import { findErrorCandidates } from './error-candidates.ts';
import { type StatusCandidate, scopeOf } from './status-candidate.ts';

export function findStatusCandidates(
  fields: readonly AnswerField[],
  answers: readonly unknown[],
): readonly StatusCandidate[] {
  const clear = fields.flatMap((field) => candidateOf(field) ?? []);
  const plain = [...clear, ...findAlike(clear, fields)];
  const worded = [...plain, ...findMapped(plain, fields)];
  const knownPaths = new Set(worded.map(({ field }) => field.jsonPath));
  const others = [...fields.flatMap((field) => flagOf(field, answers) ?? []), ...findErrorCandidates(fields, answers)];
  return [...worded, ...others.filter(({ field }) => !knownPaths.has(field.jsonPath))];
}

/** `timed_out: false`, `failed: "no"`; `success: "yes"`, which does not mean success elsewhere. */
function flagOf(field: AnswerField, answers: readonly unknown[]): StatusCandidate | undefined {
  const values = valuesOf(field);
  const sense = flagSense(field.names.at(-1) ?? '');
  if (sense === undefined || values.length === 0 || !values.every(isFlagValue) || !canBeStatus(field, values)) {
    return undefined;
  }
  const isGood = (value: Scalar | null) => value !== null && isTrue(value) === (sense === 'success');
  const good = new Set(field.samples.flatMap(({ answer, value }) => (isGood(value) ? [answer] : [])));
  const bad = field.samples.flatMap(({ answer, value }) => (isGood(value) ? [] : [answer]));
  const failed = answers.flatMap((_, answer) => (good.has(answer) && !bad.includes(answer) ? [] : [answer]));
  const seen = values.find(isGood);
  const answered = [seen ?? oppositeOf(values[0] ?? false)];
  return { field, scope: scopeOf(field), values, shows: { answered, failed: new Set(failed), shown: new Set(bad) } };
}

/** A field whose name and values, by themselves, are those of a status. */
function candidateOf(field: AnswerField): StatusCandidate | undefined {
  const { subject } = field;
  const values = valuesOf(field);
  if (values.length === 0 || !values.every((value) => isSuccess(value) || isFailure(value))) return undefined;
  if (!canBeStatus(field, values) || !isStatusName(field, values)) return undefined;
  const areTexts = values.every((value) => typeof value === 'string');
  if (!areTexts && !subject.leaf.has('success') && !values.every((value) => value === 200)) return undefined;
  return { field, scope: scopeOf(field), values };
}

/**
 * The fields that are statuses because most fields of the same name beside them are, with any values: the `status` of
 * each entry of a list of sources, with `NO_DATA` in one of them. Unknown values mean failure.
 */
function findAlike(clear: readonly StatusCandidate[], fields: readonly AnswerField[]): readonly StatusCandidate[] {
  const knownFields = new Set(clear.map(({ field }) => field));
  const groups = groupBy(
    fields.filter(({ kind }) => kind === 'value'),
    placesOf,
  );
  const alike = [...groups.values()].flatMap((group) =>
    isMostly(group, (field) => knownFields.has(field)) ? group : [],
  );
  return [...new Set(alike)].flatMap((field) => {
    const values = valuesOf(field);
    const isStatus = !knownFields.has(field) && values.length > 0 && canBeStatus(field, values);
    return isStatus ? [{ field, scope: scopeOf(field), values }] : [];
  });
}

/** Equal for the fields of one name in the parts beside each other: `status`, or `meta.status`. */
function placesOf({ jsonPath, above }: AnswerField): readonly string[] {
  return [1, 2].flatMap((depth) => {
    const part = above.at(-depth);
    const around = above.at(-depth - 1);
    return part === undefined || around === undefined ? [] : [`${around} ${jsonPath.slice(part.length)}`];
  });
}

/**
 * The fields of a map of statuses: most of its texts can only be statuses, or its name says what it is. Each counts
 * only if a part of the answer has its name: `checks: { address: failed }` is not a source.
 */
function findMapped(clear: readonly StatusCandidate[], fields: readonly AnswerField[]): readonly StatusCandidate[] {
  const knownFields = new Set(clear.map(({ field }) => field));
  const maps = Map.groupBy(
    fields.filter(({ kind }) => kind === 'value'),
    ({ parent }) => parent,
  );
  return [...maps.values()].flatMap((map) => {
    const isPlain = (field: AnswerField) => valuesOf(field).some(isPlainStatus);
    const [first] = map;
    const isNamed = isStatusMapName(first?.names.at(-2) ?? '');
    if (!isNamed && !(map.length > 1 && isMostly(map, isPlain))) return [];
    return map.flatMap((field) => {
      const values = valuesOf(field);
      const areStatuses = isNamed || values.every((value) => isPlainStatus(value) || isSuccess(value));
      if (knownFields.has(field) || values.length === 0 || !areStatuses || !canBeStatus(field, values)) return [];
      return [{ field, scope: scopeOf(field), values, needsNamesake: true }];
    });
  });
}

function isMostly(group: readonly AnswerField[], matches: (field: AnswerField) => boolean): boolean {
  return group.filter(matches).length * 2 >= group.length;
}

function groupBy(fields: readonly AnswerField[], keysOf: (field: AnswerField) => readonly string[]) {
  const groups = new Map<string, AnswerField[]>();
  for (const field of fields) {
    for (const key of keysOf(field)) groups.set(key, [...(groups.get(key) ?? []), field]);
  }
  return groups;
}

function valuesOf({ samples }: AnswerField): readonly Scalar[] {
  return samples.flatMap(({ value }) => (value === null || value === '' ? [] : [value]));
}

function canBeStatus({ kind, isRepeated, subject }: AnswerField, values: readonly Scalar[]): boolean {
  if (kind !== 'value' || subject.isEcho || subject.isForeign) return false;
  // If several entries cannot be distinguished, each must have succeeded; events are not sources.
  if (isRepeated && subject.topic !== undefined) return false;
  return !values.every((value) => isFactValue(subject.section, value));
}

/** `status`, `sourceStatus`, `success`; or the name of a source below `sources` or `statuses`. */
function isStatusName(
  { names, subject: { leaf, tail, section, topic, inside } }: AnswerField,
  values: readonly Scalar[],
): boolean {
  if (leaf.size === 0 && /^(?:outcome|result|response)$/i.test(names.at(-1) ?? '')) return true;
  if (leaf.has('outcome') || leaf.has('success') || leaf.has('phoneStatus')) return leaf.size <= 3;
  // The status of a porting or a domain may be a fact about it; the status of a section may be that of its source.
  if (leaf.has('status') && (topic === undefined || topic === 'darkWeb' || values.every(isPlainStatus))) {
    return leaf.size <= 3;
  }
  const isSource = (section !== undefined && leaf.has(section)) || (topic !== undefined && leaf.has(topic));
  const isBelow = [...tail].some((concept) => concept === 'status' || concept === 'outcome' || concept === 'sources');
  return isSource && leaf.size === 1 && (isBelow || inside.has('outcome') || inside.has('sources'));
}

/** Whether the value is one of the section's status fact, such as `unreachable` of a phone number or a mailbox. */
function isFactValue(section: Section | undefined, value: Scalar): boolean {
  if (typeof value !== 'string') return false;
  const path = section === 'phone' ? 'phone.status' : 'email.address.status';
  return section !== undefined && section !== 'ip' && enumValueOf(path, value) !== undefined;
}
