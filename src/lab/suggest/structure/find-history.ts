/** Fields in the many shapes of a history (of ports, of leaks) -> its entries, its days, and how a mapping reads it. */

import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import type { Topic } from '../names/subject.ts';
import type { Sureness } from '../sureness.ts';
import { type DayOrder, type DaySeries, readDays } from '../values/days.ts';
import { isCommonPlaceholder } from '../values/placeholder.ts';
import type { SignalKeys } from '../values/reading.ts';
import type { AnswerField, Sample } from './collect-fields.ts';

/** A list of events. */
export interface History {
  /** The field whose values are counted. */
  readonly field: AnswerField;
  readonly keys: SignalKeys;
  readonly why: string;
  readonly sureness: Sureness;
  /** How the days are read; undefined if there are none. */
  readonly days: HistoryDays | undefined;
  /** The number of entries in each answer. */
  readonly counts: ReadonlyMap<number, number>;
  /** The days of each answer, the latest last; empty if some cannot be read. */
  readonly daysOf: ReadonlyMap<number, readonly string[]>;
  /** Answers whose history is an empty list. */
  readonly empty: ReadonlySet<number>;
}

interface HistoryDays {
  readonly at: string;
  readonly keys: SignalKeys;
  readonly sureness: Sureness;
  readonly why: string;
}

/** The history of a topic, the clearest if there are several. */
export function findHistory(topic: Topic, fields: readonly AnswerField[], order: DayOrder): History | undefined {
  const related = fields.filter(({ subject }) => subject.topic === topic && !subject.isEcho && !subject.isForeign);
  const historyFields = related.filter((field) => isHistoryName(field, topic));
  const histories = [
    ...historyFields.flatMap((field) => listHistory(field, related, order) ?? []),
    ...historyFields.flatMap((field) => repeatedHistory(field, order) ?? []),
    ...historyFields.flatMap((field) => textHistory(field, order) ?? []),
  ];
  // A history with days is more useful than a list of references to it.
  const worth = ({ sureness, days }: History) => (sureness === 'guess' ? 0 : 2) + (days ? 1 : 0);
  return histories.toSorted((a, b) => worth(b) - worth(a))[0];
}

/** `portingHistory`, `ports`, `breaches`, `hits`; or a list of dates. */
function isHistoryName({ kind, subject: { leaf, spoilers, unknownInLeaf } }: AnswerField, topic: Topic): boolean {
  if (unknownInLeaf.length > 0 || spoilers.some((word) => word !== 'previous')) return false;
  const expected: readonly string[] = ['history', 'hit', 'filler', 'phone', 'email', 'date', topic];
  const isNamed = leaf.has('history') || leaf.has('hit') || leaf.has(topic);
  return [...leaf].every((concept) => expected.includes(concept)) && (isNamed || (kind === 'list' && leaf.has('date')));
}

/** A list of days, or of maps with a day each. */
function listHistory(field: AnswerField, related: readonly AnswerField[], order: DayOrder): History | undefined {
  const { kind, isRepeated, lengths, samples, jsonPath } = field;
  if (kind !== 'list' || isRepeated) return undefined;
  const list = {
    field,
    keys: {},
    counts: new Map(lengths.map(({ answer, length }) => [answer, length])),
    empty: new Set(lengths.flatMap(({ answer, length }) => (length === 0 ? [answer] : []))),
  };
  if (samples.length > 0) {
    return { ...list, sureness: surenessOf(field), why: 'a list', ...daysOfField(field, order) };
  }
  const children = related.filter((child) => isChild(child, field));
  const dated = children.filter((child) => valuesOf(child.samples).length > 0 && daysOfField(child, order).days);
  const dates = dated.filter(({ subject }) => subject.leaf.has('date'));
  const [date, ...others] = dated.length > 1 ? dates : dated;
  const labels = related.flatMap((child) =>
    child.jsonPath.startsWith(`${jsonPath}[?`) ? [child.jsonPath.slice(jsonPath.length).split(']')[0]] : [],
  );
  const isMixed = new Set(labels).size > 1 || children.some(isMixture);
  const days = date && others.length === 0 ? daysOfField(date, order) : { days: undefined, daysOf: new Map() };
  return isMixed
    ? { ...list, sureness: 'guess', why: 'a list that may mix several kinds of entries', ...days }
    : { ...list, sureness: surenessOf(field), why: 'a list', ...days };
}

const KIND_NAME = /^(?:\w*[\W_])?(?:kind|type|event|event_?type|direction|action|state|status|outcome|result)$/i;
const NOT_DONE = /\bout\b|_out|reject|fail|cancel|pending|schedul|revers|revert|refus|request|plann/i;

/** `{ kind: port_in }` next to `{ kind: port_out }`, or an event that did not take place. */
function isMixture({ names, samples }: AnswerField): boolean {
  if (!KIND_NAME.test(names.at(-1) ?? '')) return false;
  const texts = new Set(samples.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])));
  return texts.size > 1 || [...texts].some((text) => NOT_DONE.test(text));
}

/** A field of the list's entries, its value wrapped or not. */
function isChild(child: AnswerField, list: AnswerField): boolean {
  const depth = child.names.length - list.names.length;
  return child.kind === 'value' && child.jsonPath.startsWith(`${list.jsonPath}[*]`) && depth > 0 && depth <= 2;
}

/** Several entries with the same label and a day each. */
function repeatedHistory(field: AnswerField, order: DayOrder): History | undefined {
  const { kind, jsonPath, samples, subject, isRepeated } = field;
  if (kind !== 'value' || !jsonPath.includes('[?')) return undefined;
  if (valuesOf(samples).length === 0 || !(subject.leaf.has('history') || isRepeated)) return undefined;
  const days = daysOfField(field, order);
  if (!days.days) return undefined;
  return {
    field,
    keys: {},
    why: isRepeated ? 'several entries with the same label' : 'an entry with a label that may repeat',
    sureness: isRepeated ? 'likely' : 'guess',
    counts: new Map([...byAnswer(samples)].map(([answer, all]) => [answer, all.length])),
    ...days,
    empty: new Set(),
  };
}

const SEPARATORS = [';', '|', ',', ' / ', '\n'] as const;

/** One text that lists days. */
function textHistory(field: AnswerField, order: DayOrder): History | undefined {
  const { kind, isRepeated, samples, subject, jsonPath } = field;
  if (kind !== 'value' || isRepeated || !subject.leaf.has('history')) return undefined;
  const values = valuesOf(samples);
  const texts = values.filter((value) => typeof value === 'string' && value.length < 5000).map(String);
  if (texts.length === 0 || texts.length < values.length) return undefined;
  const separator = SEPARATORS.find((one) => texts.some((text) => text.includes(one)));
  if (separator === undefined) return undefined;
  const split = (text: unknown) =>
    String(text)
      .split(separator)
      .map((piece) => piece.trim())
      .filter((piece) => piece !== '');
  const series = readDays(texts.flatMap(split), order);
  if (!series || series.days.size + series.partial === 0) return undefined;
  const filled = samples.filter(({ value }) => !isCommonPlaceholder(value));
  const keys = { split: separator.trim() === '' ? separator : separator.trim() };
  return {
    field,
    keys,
    why: 'one text that lists days',
    sureness: surenessOf(field),
    counts: new Map(filled.map(({ answer, value }) => [answer, split(value).length])),
    days: historyDays(jsonPath, series, keys),
    daysOf: new Map(filled.map(({ answer, value }) => [answer, sortDays(split(value), series)])),
    empty: new Set(),
  };
}

/** `previousPorts` may leave out the latest. */
function surenessOf({ subject: { spoilers } }: AnswerField): Sureness {
  return spoilers.length > 0 ? 'guess' : 'likely';
}

/** The days of a field whose values are days; none if they are not. */
function daysOfField({ jsonPath, samples }: AnswerField, order: DayOrder): Pick<History, 'days' | 'daysOf'> {
  const series = readDays(valuesOf(samples), order);
  if (!series) return { days: undefined, daysOf: new Map() };
  const sorted = [...byAnswer(samples)].map(
    ([answer, all]) => [answer, sortDays(valuesOf(all).map(String), series)] as const,
  );
  return { days: historyDays(jsonPath, series, {}), daysOf: new Map(sorted) };
}

function historyDays(at: string, series: DaySeries, keys: SignalKeys): HistoryDays {
  const isOpen = series.order === 'open' || !series.isSupported;
  return {
    at,
    keys: series.formats.length > 0 ? { ...keys, formats: series.formats } : keys,
    sureness: isOpen ? 'guess' : 'likely',
    why: isOpen ? 'no date in the answers shows the format' : `dates as ${series.formats.join(', ') || 'yyyy-MM-dd'}`,
  };
}

function byAnswer(samples: readonly Sample[]): ReadonlyMap<number, readonly Sample[]> {
  return Map.groupBy(samples, ({ answer }) => answer);
}

/** Empty if one of the texts cannot be read. */
function sortDays(texts: readonly string[], { days }: DaySeries): readonly string[] {
  const foundDays = texts.flatMap((text) => days.get(text.trim()) ?? []);
  return foundDays.length === texts.length ? foundDays.toSorted() : [];
}

function valuesOf(samples: readonly Sample[]): readonly Scalar[] {
  return samples.flatMap(({ value }) => (value === null || isCommonPlaceholder(value) ? [] : [value]));
}
