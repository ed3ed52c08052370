/** The events and notes of a decision -> what its cases went through, the earliest first. */

import type { DecisionRecord, RecordedEvent, RecordedNote } from '../../../audit/query/decision-record.ts';
import { questionOf } from '../../../policy/language.ts';
import type { CaseStep } from '../parts/steps.ts';

export function caseHistory({ events, notes }: Pick<DecisionRecord, 'events' | 'notes'>): readonly CaseStep[] {
  const acts = events.filter(({ type }) => type.startsWith('case.'));
  // Who resolves a case took it last.
  const taken = acts.filter(({ type }) => type === 'case.taken' || type === 'case.renewed');
  const dueAt = (at: string) => taken.findLast((each) => each.at <= at)?.details?.['due'];
  const reviews = notes.filter(({ disposition }) => questionOf(disposition) === 'review');
  const steps = [
    ...acts.filter(({ type }) => type !== 'case.renewed').map(stepOf),
    ...reviews.map((note) => resolutionOf(note, dueAt(note.at))),
  ];
  return steps.toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

function stepOf({ at, type, detail, by, why, details = {} }: RecordedEvent): CaseStep {
  const { queue, to, until, skip } = details;
  const code = type === 'case.asked' || type === 'case.answered' ? detail : undefined;
  return { at, what: type, by, why: why || undefined, code, queue, to, until, isSkipped: skip === 'true' };
}

function resolutionOf({ at, by, why, disposition }: RecordedNote, due: string | undefined): CaseStep {
  return { at, what: 'case.resolved', by, why, code: disposition, ...(due === undefined ? {} : { isLate: at > due }) };
}
