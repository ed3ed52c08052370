/** The fields of the answers -> the answers in which a source failed without a status that a mapping could read. */

import { isErrorName } from '../../facts/mapping/coverage/status-words.ts';
import { readSubject } from '../names/subject.ts';
import type { AnswerField } from './collect-fields.ts';
import { errorsIn } from './error-candidates.ts';
import { locatedErrors } from './located-errors.ts';
import { isInside } from './status-parts.ts';
import { SIGNALS_OF, type Status } from './statuses.ts';

/** A source that failed in some answers, as an error says that `sources` cannot read. */
export interface Failure {
  readonly signals: readonly string[];
  readonly answers: ReadonlySet<number>;
}

/** `error: { code: 504 }` of a section; of the whole answer only if nothing in it has a status. */
export function findFailures(
  fields: readonly AnswerField[],
  statuses: readonly Status[],
  answers: readonly unknown[],
): readonly Failure[] {
  const located = locatedErrors(answers);
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

/** The failures that error fields show; `located` are the answers whose `errors` list already says what failed. */
function failuresInFields(
  fields: readonly AnswerField[],
  statuses: readonly Status[],
  located: readonly unknown[],
): readonly Failure[] {
  return fields.flatMap((field) => {
    const { names, jsonPath } = field;
    const index = names.findIndex(isErrorName);
    if (index < 0) return [];
    const { topic, section, isEcho, isForeign } = readSubject(names.slice(0, index));
    if (isForeign || isEcho) return [];
    const scope = topic ?? section ?? 'all';
    // The status of the whole answer does not cover a section's error.
    const about = statuses.filter(({ part, ...status }) => {
      if (part !== undefined && !status.isWhole && isInside(jsonPath, part)) return true;
      return (part === undefined && status.scope === scope) || (scope === 'all' && status.isWhole);
    });
    const failed = errorsIn(field).filter((answer) => {
      const isLocated = names[0] === 'errors' && located[answer] !== undefined;
      return !isLocated && !about.some((status) => status.failed.has(answer));
    });
    return failed.length === 0 ? [] : [{ signals: SIGNALS_OF[scope], answers: new Set(failed) }];
  });
}
