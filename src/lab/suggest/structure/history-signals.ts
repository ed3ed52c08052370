/** Histories -> the signals of the facts that follow from their length, their days, and whether they are empty. */

import { quoteName } from '../names/subject.ts';
import type { Candidate, Context } from '../propose/candidate-signals.ts';
import type { Choice } from '../propose/choose.ts';
import { isBetter, type ProposedSignal } from '../propose/proposed-signal.ts';
import { leastSure } from '../sureness.ts';
import { type DayOrder, readDays } from '../values/days.ts';
import { isCommonPlaceholder, isOwnPlaceholder } from '../values/placeholder.ts';
import type { AnswerField, Sample } from './collect-fields.ts';
import { findHistory, type History } from './find-history.ts';

/** The facts that follow from a history, with its topic. */
interface HistoryFacts {
  readonly topic: 'porting' | 'darkWeb';
  readonly count: string;
  readonly latest: string;
  readonly previous?: string;
}

const HISTORIES: readonly HistoryFacts[] = [
  {
    topic: 'porting',
    count: 'phone.porting.portCount',
    latest: 'phone.porting.portedDate',
    previous: 'phone.porting.previousPort',
  },
  { topic: 'darkWeb', count: 'email.darkWeb.hitCount', latest: 'email.darkWeb.lastHit' },
];

/** Adds the signals that follow from histories, and `never` if an empty history or a count of 0 was seen. */
export function addHistories(
  signals: Map<string, ProposedSignal>,
  chosen: ReadonlyMap<string, Choice>,
  fields: readonly AnswerField[],
  order: DayOrder,
  context: Context,
): void {
  for (const facts of HISTORIES) {
    const history = findHistory(facts.topic, fields, order);
    if (history) {
      const conflicts = findConflicts(history, chosen.get(facts.count)?.best, chosen.get(facts.latest)?.best, order);
      for (const signal of historySignals(history, facts, conflicts)) {
        if (isBetter(signal, signals.get(signal.path))) signals.set(signal.path, signal);
      }
    }
    addNever(signals, facts, history, chosen, context);
  }
}

function historySignals(
  { field, keys, days, why, sureness }: History,
  { count, latest, previous }: HistoryFacts,
  conflicts: readonly string[],
): readonly ProposedSignal[] {
  const hasConflict = conflicts.length > 0;
  const reason = `${quoteName(field.subject)} is ${why}`;
  const ask = hasConflict ? ['what does the list contain?'] : [];
  const counted: ProposedSignal = {
    path: count,
    at: field.jsonPath,
    keys: { take: 'count', ...keys },
    sureness: hasConflict ? 'guess' : sureness,
    why: [reason, 'its entries are counted', ...conflicts],
    ask: hasConflict ? ask : ['does the list contain every entry, the latest included?'],
  };
  if (!days) return [counted];
  const dated = (path: string, take: string): ProposedSignal => ({
    path,
    at: days.at,
    keys: { take, ...days.keys },
    sureness: leastSure([counted.sureness, days.sureness]),
    why: [reason, days.why, ...conflicts],
    ask,
  });
  return [counted, dated(latest, 'latest'), ...(previous === undefined ? [] : [dated(previous, 'previous')])];
}

/** Finds separate fields that contradict the history. */
function findConflicts(
  history: History,
  count: Candidate | undefined,
  latest: Candidate | undefined,
  order: DayOrder,
): readonly string[] {
  const differsInCount = count?.field.samples.some(({ answer, value }) => {
    const length = history.counts.get(answer);
    return length !== undefined && value !== null && String(length) !== String(value).trim();
  });
  const differsInDay = latest?.field.samples.some(({ answer, value }) => {
    const last = history.daysOf.get(answer)?.at(-1);
    const day = value === null ? undefined : readDays([value], order)?.days.get(String(value).trim());
    return last !== undefined && day !== undefined && last !== day;
  });
  return [
    ...(differsInCount ? ['the count in the answer differs from the length of the list'] : []),
    ...(differsInDay ? ['the latest day in the answer differs from that of the list'] : []),
  ];
}

/** Adds `never` if an answer has an empty list, or a count of 0, and no date. */
function addNever(
  signals: Map<string, ProposedSignal>,
  { count, latest, previous }: HistoryFacts,
  history: History | undefined,
  chosen: ReadonlyMap<string, Choice>,
  { samplesOf }: Context,
): void {
  const date = chosen.get(latest)?.best.field;
  const dated = new Set((date ? samplesOf(date, latest) : []).filter(hasDay).map(({ answer }) => answer));
  const counted = chosen.get(count)?.best.field;
  const zeros = counted ? samplesOf(counted, count).filter(({ value }) => String(value).trim() === '0') : [];
  const isZero = signals.get(count)?.at === counted?.jsonPath && zeros.some(({ answer }) => !dated.has(answer));
  const isEmpty = history && [...history.empty].some((answer) => !dated.has(answer));
  if (!isEmpty && !isZero) return;
  const never = isEmpty ? { at: history.field.jsonPath, is: [[]] } : { at: counted?.jsonPath, is: [0] };
  const seen = isEmpty ? 'an empty list' : 'a count of 0';
  for (const path of [latest, previous]) {
    const signal = path === undefined ? undefined : signals.get(path);
    if (!signal) continue;
    signals.set(signal.path, {
      ...signal,
      keys: { ...signal.keys, never },
      why: [...signal.why, `${seen} was seen, which means that it never happened`],
      sureness: leastSure([signal.sureness, 'likely']),
    });
  }
}

/** Whether a sample has a day, not a placeholder such as `0000-00-00`. */
function hasDay({ value }: Sample): boolean {
  return value !== null && !isCommonPlaceholder(value) && !isOwnPlaceholder(value, 'date');
}
