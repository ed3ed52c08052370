/** The fields of the answers -> the answers in which a source failed without a status that a mapping could read. */

import { readSubject } from '../names/subject.ts';
import type { AnswerField } from './collect-fields.ts';
import { isMap } from './labels.ts';
import { isInside } from './status-parts.ts';
import { SIGNALS_OF, type Status } from './statuses.ts';

/** A source that failed in some answers, as an error says that `sources` cannot read. */
export interface Failure {
  readonly signals: readonly string[];
  readonly answers: ReadonlySet<number>;
}

const ERROR =
  /^(?:errors?|failures?|faults?|exceptions?|err)(?:code|message|msg|text|reason|description|details?|info|type|id)?$/i;

/** `error: { code: 504 }` of a section; of the whole answer only if nothing in it has a status. */
export function findFailures(
  fields: readonly AnswerField[],
  statuses: readonly Status[],
  answers: readonly unknown[],
): readonly Failure[] {
  const located = answers.map(errorPaths);
  return [
    ...located.flatMap((paths, answer) => (paths ?? []).map((path) => failureAt(path, answer))),
    ...failuresInFields(fields, statuses, located),
  ];
}

/** The failure of what an error's own path leads to. */
function failureAt(path: readonly string[], answer: number): Failure {
  const { topic, section } = readSubject(path);
  return { signals: SIGNALS_OF[topic ?? section ?? 'all'], answers: new Set([answer]) };
}

const LOCATION = /^(?:path|source|pointer|section|component|module|field|service|product)$/i;

/** The paths in `errors: [{ message, path: [verify, phone] }]` (GraphQL, section 7.1.2), if every error has one. */
function errorPaths(answer: unknown): readonly (readonly string[])[] | undefined {
  const errors = isMap(answer) && Object.hasOwn(answer, 'errors') ? answer['errors'] : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const paths = errors.map((error: unknown) => {
    const entries = typeof error === 'object' && error !== null ? Object.entries(error) : [];
    const found: unknown = entries.find(([key]) => LOCATION.test(key))?.[1];
    const path = typeof found === 'string' ? found.split(/[./]/) : Array.isArray(found) ? found : [];
    const names = path.filter((step): step is string => typeof step === 'string' && step !== '');
    const { topic, section } = readSubject(names);
    return topic === undefined && section === undefined ? [] : names;
  });
  return paths.every((path) => path.length > 0) ? paths : undefined;
}

/** The failures that error fields show; `located` are the answers whose `errors` list already says what failed. */
function failuresInFields(
  fields: readonly AnswerField[],
  statuses: readonly Status[],
  located: readonly unknown[],
): readonly Failure[] {
  return fields.flatMap(({ names, samples, lengths, jsonPath }) => {
    const index = names.findIndex((name) => ERROR.test(name.replace(/[^\p{L}]/gu, '')));
    if (index < 0) return [];
    const { topic, section, isEcho, isForeign } = readSubject(names.slice(0, index));
    const scope = topic ?? section ?? 'all';
    // The status of the whole answer does not cover a section's error.
    const hasStatus = statuses.some(({ part, ...status }) => {
      if (part !== undefined && !status.isWhole && isInside(jsonPath, part)) return true;
      return (part === undefined && status.scope === scope) || (scope === 'all' && status.isWhole);
    });
    if (isForeign || isEcho || hasStatus) return [];
    const failed = [
      ...samples.flatMap(({ answer, value }) => (isError(value) ? [answer] : [])),
      ...lengths.flatMap(({ answer, length }) => (length > 0 ? [answer] : [])),
    ].filter((answer) => names[0] !== 'errors' || located[answer] === undefined);
    return failed.length === 0 ? [] : [{ signals: SIGNALS_OF[scope], answers: new Set(failed) }];
  });
}

/** A value other than `0`, `false`, `none` and the like. */
function isError(value: unknown): boolean {
  return (
    value !== null && value !== false && !/^(?:\s*|0+|false|no|none|null|nil|n\/?a|-|ok|success)$/i.test(String(value))
  );
}
