/** A field that may be a status: its names and values, and what shows success and failure. */

import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';
import type { Section, Topic } from '../names/subject.ts';
import type { AnswerField } from './collect-fields.ts';

/** What the names of a status say that it is the status of. */
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
  /** What shows success and failure, if the words of the values do not. */
  readonly shows?: Showing;
}

/** What a flag or an error shows. */
export interface Showing {
  /** The values that mean success; undefined if only that nothing is there does. */
  readonly answered: readonly unknown[] | undefined;
  /** The answers in which it does not show success. */
  readonly failed: ReadonlySet<number>;
  /** The answers in which it shows a failure. */
  readonly shown: ReadonlySet<number>;
}

/** What the names of a status say that it is about. */
export function scopeOf({ subject: { topic, section } }: AnswerField): Scope {
  return topic ?? section ?? 'all';
}
