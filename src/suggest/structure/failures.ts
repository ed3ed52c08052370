/** The places of the answers -> in which of them a source failed without a status by which a mapping could tell. */

import { readSubject } from '../names/subject.ts';
import type { Told } from '../propose/candidates.ts';
import { SIGNALS_OF, type Status } from './statuses.ts';

/** A source that said in some answers that it failed, only not where `sources` could look. */
export interface Failure {
  readonly signals: readonly string[];
  readonly answers: ReadonlySet<number>;
}

const ERROR =
  /^(?:errors?|failures?|faults?|exceptions?|err)(?:code|message|msg|text|reason|description|detail|details|info|type|id)?$/i;

/** `error: { code: 504 }` of a section; of the whole answer, where nothing in it has a status. */
export function findFailures(
  places: readonly Told[],
  statuses: readonly Status[],
  answers: readonly unknown[],
): readonly Failure[] {
  const located = answers.map(locatedErrors);
  return [
    ...located.flatMap((paths, answer) => (paths ?? []).map((path) => failureAt(path, answer))),
    ...unlocated(places, statuses, located),
  ];
}

/** What an error's own path leads to. */
function failureAt(path: readonly string[], answer: number): Failure {
  const { topic, section } = readSubject(path);
  return { signals: SIGNALS_OF[topic ?? section ?? 'all'], answers: new Set([answer]) };
}

const LOCATION = /^(?:path|source|pointer|section|component|module|field|service|product)$/i;

/** `errors: [{ message, path: [verify, phone] }]`, as GraphQL has it (section 7.1.2): where every error says what it is of. */
function locatedErrors(answer: unknown): readonly (readonly string[])[] | undefined {
  const errors: unknown =
    typeof answer === 'object' && answer !== null && 'errors' in answer ? answer.errors : undefined;
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

function unlocated(
  places: readonly Told[],
  statuses: readonly Status[],
  located: readonly (readonly (readonly string[])[] | undefined)[],
): readonly Failure[] {
  return places.flatMap(({ spot }) => {
    const index = spot.names.findIndex((name) => ERROR.test(name.replace(/[^\p{L}]/gu, '')));
    if (index < 0) return [];
    const { topic, section, isEcho, foreign } = readSubject(spot.names.slice(0, index));
    // What failed there is nothing that a fact is told of.
    if (foreign) return [];
    const signals = SIGNALS_OF[topic ?? section ?? 'all'];
    const scope = topic ?? section ?? 'all';
    // The status of the whole answer says nothing of one section.
    const isTold = statuses.some((status) => status.scope === scope || (scope === 'all' && status.isWhole));
    const isLocated = (answer: number) => spot.names[0] === 'errors' && located[answer] !== undefined;
    const answers = [
      ...spot.samples.flatMap(({ answer, value }) => (isError(value) ? [answer] : [])),
      ...spot.lengths.flatMap(({ answer, length }) => (length > 0 ? [answer] : [])),
    ];
    const failing = new Set(answers.filter((answer) => !isLocated(answer)));
    return isTold || isEcho || failing.size === 0 ? [] : [{ signals, answers: failing }];
  });
}

/** More than `0`, `false` and `none`. */
function isError(value: unknown): boolean {
  return (
    value !== null && value !== false && !/^(?:\s*|0+|false|no|none|null|nil|n\/?a|-|ok|success)$/i.test(String(value))
  );
}
