/** Histories -> the lines of the facts that they tell by how long they are, by their days, and by being empty. */

import { type Candidate, type Context, cleanName, least, type Told } from '../propose/candidates.ts';
import type { Choice } from '../propose/choose.ts';
import { isBetter, type ProposedSignal } from '../propose/proposed-signal.ts';
import { type DayOrder, readDays } from '../values/days.ts';
import { isCommonPlaceholder, isOwnPlaceholder } from '../values/placeholder.ts';
import { findHistory, type History } from './find-history.ts';

interface HistoryRow {
  readonly topic: 'porting' | 'darkWeb';
  readonly count: string;
  readonly latest: string;
  readonly previous?: string;
}

const HISTORIES: readonly HistoryRow[] = [
  {
    topic: 'porting',
    count: 'phone.porting.portCount',
    latest: 'phone.porting.portedDate',
    previous: 'phone.porting.previousPort',
  },
  { topic: 'darkWeb', count: 'email.darkWeb.hitCount', latest: 'email.darkWeb.lastHit' },
];

/** Facts that a list tells by its length and its days, and where an empty one says that something never happened. */
export function addHistories(
  lines: Map<string, ProposedSignal>,
  chosen: ReadonlyMap<string, Choice>,
  places: readonly Told[],
  order: DayOrder,
  context: Context,
): void {
  for (const { topic, count, latest, previous } of HISTORIES) {
    const history = findHistory(topic, places, order);
    if (history)
      addHistory(
        lines,
        history,
        { topic, count, latest, ...(previous === undefined ? {} : { previous }) },
        chosen,
        order,
      );
    addNever(
      lines,
      { topic, count, latest, ...(previous === undefined ? {} : { previous }) },
      history,
      chosen,
      context,
    );
  }
}

function addHistory(
  lines: Map<string, ProposedSignal>,
  history: History,
  { count, latest, previous }: HistoryRow,
  chosen: ReadonlyMap<string, Choice>,
  order: DayOrder,
): void {
  const why = [`"${cleanName(history.told.subject.shown)}" is ${history.why}`];
  const conflicts = conflictsOf(history, chosen.get(count)?.best, chosen.get(latest)?.best, order);
  const sureness = least([history.sureness, ...(conflicts.length > 0 ? ['guess'] : [])]);
  const ask = conflicts.length > 0 ? ['what exactly does the list hold?'] : [];
  const countLine: ProposedSignal = {
    path: count,
    at: history.countAt,
    keys: { take: 'count', ...history.keys },
    sureness,
    why: [...why, 'its entries are counted', ...conflicts],
    ask: ask.length > 0 ? ask : ['does it hold every one of them, the latest too?'],
  };
  if (isBetter(countLine, lines.get(count))) lines.set(count, countLine);
  const { days } = history;
  if (!days) return;
  const dayLine = (path: string, take: string): ProposedSignal => ({
    path,
    at: days.at,
    keys: { take, ...days.keys },
    sureness: least([sureness, days.sureness]),
    why: [...why, days.why, ...conflicts],
    ask,
  });
  const latestLine = dayLine(latest, 'latest');
  if (isBetter(latestLine, lines.get(latest))) lines.set(latest, latestLine);
  const previousLine = previous === undefined ? undefined : dayLine(previous, 'previous');
  if (previous !== undefined && previousLine && isBetter(previousLine, lines.get(previous)))
    lines.set(previous, previousLine);
}

/** Where the list says one thing and a field of its own another. */
function conflictsOf(
  history: History,
  count: Candidate | undefined,
  latest: Candidate | undefined,
  order: DayOrder,
): readonly string[] {
  const conflicts: string[] = [];
  for (const { answer, value } of count?.spot.samples ?? []) {
    const length = history.counts.get(answer);
    if (length !== undefined && value !== null && String(length) !== String(value).trim()) {
      conflicts.push('the answer counts otherwise than its list');
      break;
    }
  }
  for (const { answer, value } of latest?.spot.samples ?? []) {
    const last = history.daysOf.get(answer)?.at(-1);
    const day = value === null ? undefined : readDays([value], order)?.days.get(String(value).trim());
    if (last !== undefined && day !== undefined && last !== day) {
      conflicts.push('the latest day of the list is not the one that the answer names as such');
      break;
    }
  }
  return conflicts;
}

/** An empty list, or a count of 0, seen where the date is not: so the answer says that there was none. */
function addNever(
  lines: Map<string, ProposedSignal>,
  { count, latest, previous }: HistoryRow,
  history: History | undefined,
  chosen: ReadonlyMap<string, Choice>,
  { samplesOf }: Context,
): void {
  const date = chosen.get(latest)?.best.spot;
  const answered = new Set(
    date
      ? samplesOf(date, latest)
          .filter(({ value }) => hasDay(value))
          .map(({ answer }) => answer)
      : [],
  );
  const counted = chosen.get(count)?.best;
  const zeros = counted ? samplesOf(counted.spot, count).filter(({ value }) => String(value).trim() === '0') : [];
  const isZero =
    counted && lines.get(count)?.at === counted.spot.place && zeros.some(({ answer }) => !answered.has(answer));
  const isEmpty = history && [...history.empty].some((answer) => !answered.has(answer));
  const never = isEmpty ? { at: history.countAt, is: [[]] } : isZero ? { at: counted.spot.place, is: [0] } : undefined;
  if (!never) return;
  for (const path of [latest, previous]) {
    const line = path === undefined ? undefined : lines.get(path);
    if (!line || path === undefined) continue;
    const why = isEmpty
      ? 'an empty list was seen, which says that there was none'
      : 'a count of 0 was seen, which says that there was none';
    lines.set(path, {
      ...line,
      keys: { ...line.keys, never },
      why: [...line.why, why],
      sureness: least([line.sureness, 'likely']),
    });
  }
}

/** Whether it is more than a placeholder: `0000-00-00` is none. */
function hasDay(value: Told['spot']['samples'][number]['value']): boolean {
  return value !== null && !isCommonPlaceholder(value) && !isOwnPlaceholder(value, 'date');
}
