/** Fields of the answers -> the places where errors show that a source failed: by their presence or their paths. */

import { isErrorName } from '../../../facts/mapping/status-words.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import { isObject } from '../../../platform/json.ts';
import { lastName } from '../names/json-path.ts';
import { readSubject } from '../names/subject.ts';
import type { AnswerField } from './collect-fields.ts';
import { distinct, type Showing, type StatusCandidate, scopeOf } from './status-candidate.ts';

/** The most places to look at; an answer has a dozen parts. */
const MAX_PLACES = 200;

/** The place of an error, and everything at or below it. */
type ErrorPlace = ReturnType<typeof findPlaces>[number];

/**
 * The place of each error, with the value that means success: `null` in `error: null` if an answer has it; otherwise
 * only the absence of the field, for this part and for the parts beside it, which may show their errors alike.
 */
export function findErrorCandidates(
  fields: readonly AnswerField[],
  answers: readonly unknown[],
): readonly StatusCandidate[] {
  const places = findPlaces(fields, answers);
  const filled = places.filter((place) => !place.leaves.some((leaf) => canBeNothing(leaf, place)));
  const none = { answered: undefined, failed: new Set<number>(), shown: new Set<number>() };
  return [
    ...places.map((place) => candidateAt(place, answers)),
    ...placesBeside(filled, places, fields).map((field) => ({ ...candidateOf(field, none), needsFacts: true })),
  ];
}

function candidateAt(place: ErrorPlace, answers: readonly unknown[]): StatusCandidate {
  const { field, leaves, failed: shown } = place;
  const empty = leaves.find((leaf) => canBeNothing(leaf, place));
  if (!empty) return candidateOf(field, { answered: undefined, failed: shown, shown });
  // One position can have both single values and lists.
  const fieldsThere = leaves.filter(({ jsonPath }) => jsonPath === empty.jsonPath);
  const good = new Set(fieldsThere.flatMap(nothingIn));
  const failed = new Set([...answers.keys()].filter((answer) => !good.has(answer)));
  return candidateOf(empty, { answered: nothings(fieldsThere), failed, shown });
}

function candidateOf(field: AnswerField, shows: Showing): StatusCandidate {
  return { field, scope: scopeOf(field), values: [], shows };
}

function findPlaces(fields: readonly AnswerField[], answers: readonly unknown[]) {
  const isLocated = locatedErrors(answers).some((paths) => paths !== undefined);
  const groups = new Map<string, { readonly field: AnswerField; readonly leaves: AnswerField[] }>();
  for (const leaf of fields) {
    const field = errorField(leaf);
    // Errors that name their part are read with it.
    if (!field || (isLocated && field.jsonPath === '$.errors')) continue;
    const { isForeign, isEcho, topic } = readSubject(field.names.slice(0, -1));
    const isOfEvent = field.jsonPath.includes('[*]') && topic !== undefined;
    if (isForeign || isEcho || isOfEvent) continue;
    const group = groups.get(field.jsonPath) ?? { field, leaves: [] };
    groups.set(field.jsonPath, group);
    group.leaves.push(leaf);
  }
  return [...groups.values()].slice(0, MAX_PLACES).map((group) => ({
    ...group,
    /** The answers that have an error there. */
    failed: new Set(group.leaves.flatMap(errorsIn)),
  }));
}

/** The outermost field with the name of an error at or above a field. */
function errorField(leaf: AnswerField): AnswerField | undefined {
  const { above, jsonPath, names } = leaf;
  const chain = [...above, jsonPath];
  const depth = chain.findIndex((path) => isErrorName(lastName(path) ?? ''));
  const path = chain[depth];
  const index = names.findIndex(isErrorName);
  if (path === undefined || index < 0) return undefined;
  return { ...leaf, ...fieldAt(path, chain.slice(0, depth), names.slice(0, index + 1)) };
}

function fieldAt(jsonPath: string, above: readonly string[], names: readonly string[]) {
  const parent = above.at(-1) ?? '$';
  return { kind: 'value', jsonPath, parent, above, names, subject: readSubject(names) } as const;
}

/** Whether a leaf says that there is no error, and never so where something beside it says that there is one. */
function canBeNothing(leaf: AnswerField, { leaves, field }: ErrorPlace): boolean {
  const good = new Set(nothingIn(leaf));
  const isAtTop = leaf.jsonPath === field.jsonPath;
  return good.size > 0 && (isAtTop || !leaves.some((other) => errorsIn(other).some((answer) => good.has(answer))));
}

/** The answers that have an error at a field. */
export function errorsIn({ samples, lengths }: AnswerField): readonly number[] {
  const values = samples.flatMap(({ answer, value }) => (isNothing(value) ? [] : [answer]));
  return [...values, ...lengths.flatMap(({ answer, length }) => (length > 0 ? [answer] : []))];
}

/** The answers that say at a field that there is no error. */
function nothingIn(field: AnswerField): readonly number[] {
  const failed = new Set(errorsIn(field));
  return [...field.samples, ...field.lengths].flatMap(({ answer }) => (failed.has(answer) ? [] : [answer]));
}

/** Every way in which a field says that there is no error. */
function nothings(leaves: readonly AnswerField[]): readonly unknown[] {
  const values = leaves.flatMap(({ samples }) => samples.flatMap(({ value }) => (isNothing(value) ? [value] : [])));
  const written = distinct(values.filter((value) => value !== null));
  const isNull = values.includes(null);
  const isEmpty = leaves.some(({ lengths }) => lengths.some(({ length }) => length === 0));
  return [...(isNull ? [null] : []), ...written, ...(isEmpty ? [[]] : [])];
}

/** `0`, `false`, `none` and the like. */
function isNothing(value: Scalar | null): boolean {
  return (
    value === null || value === false || /^(?:\s*|0+|false|no|none|null|nil|n\/?a|-|ok|success)$/i.test(String(value))
  );
}

/** The same places in neighbouring parts, such as `phone.error` for `email.error`, unless an error was seen there. */
function placesBeside(
  filled: readonly ErrorPlace[],
  places: readonly ErrorPlace[],
  fields: readonly AnswerField[],
): readonly AnswerField[] {
  const seen = new Set(places.map(({ field }) => field.jsonPath));
  // One for each map or list that holds parts, because its parts show their errors in the same way.
  const models = new Map(filled.toReversed().map(({ field }) => [field.above.at(-2), field]));
  const beside = new Map<string, AnswerField>();
  for (const one of fields) {
    for (const [index, part] of one.above.entries()) {
      const model = index > 0 ? models.get(one.above[index - 1]) : undefined;
      const path = model && part + model.jsonPath.slice(model.parent.length);
      if (!model || path === undefined || seen.has(path)) continue;
      // The names that all fields of the part share are the names of the part.
      const names = commonPrefix(one.names.slice(0, -1), beside.get(path)?.names.slice(0, -1));
      const place = fieldAt(path, one.above.slice(0, index + 1), [...names, model.names.at(-1) ?? '']);
      beside.set(path, { ...place, samples: [], lengths: [], isRepeated: one.isRepeated });
    }
  }
  return [...beside.values()];
}

/** The beginning that two lists of names have in common. */
function commonPrefix(names: readonly string[], others: readonly string[] = names): readonly string[] {
  const end = names.findIndex((name, index) => name !== others[index]);
  return end < 0 ? names : names.slice(0, end);
}

/** By answer; undefined without errors, or if one of them has no path to a part. */
export function locatedErrors(answers: readonly unknown[]): readonly (readonly (readonly string[])[] | undefined)[] {
  return answers.map(pathsIn);
}

const LOCATION = /^(?:path|source|pointer|section|component|module|field|service|product)$/i;

/** The paths in `errors: [{ message, path: [verify, phone] }]` (GraphQL, section 7.1.2), if every error has one. */
function pathsIn(answer: unknown): readonly (readonly string[])[] | undefined {
  const errors = isObject(answer) && Object.hasOwn(answer, 'errors') ? answer['errors'] : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const paths = errors.map((error: unknown) => {
    const entries = typeof error === 'object' && error !== null ? Object.entries(error) : [];
    const location: unknown = entries.find(([key]) => LOCATION.test(key))?.[1];
    const path = typeof location === 'string' ? location.split(/[./]/) : Array.isArray(location) ? location : [];
    const names = path.filter((step): step is string => typeof step === 'string' && step !== '');
    const { topic, section } = readSubject(names);
    return topic === undefined && section === undefined ? [] : names;
  });
  return paths.every((path) => path.length > 0) ? paths : undefined;
}
