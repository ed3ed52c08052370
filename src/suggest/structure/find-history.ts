/** Histories (of ports, of leaks) in their many shapes -> how many entries they have and when; what their facts' lines say. */

import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';
import type { Sureness } from '../names/profiles.ts';
import type { Topic } from '../names/subject.ts';
import type { Told } from '../propose/candidates.ts';
import { least } from '../propose/candidates.ts';
import { type DayOrder, type DaySeries, readDays } from '../values/days.ts';
import { isCommonPlaceholder } from '../values/placeholder.ts';
import type { SignalKeys } from '../values/reading.ts';

/** A list of things that happened. */
export interface History {
  readonly told: Told;
  /** The place whose values are counted. */
  readonly countAt: string;
  /** The place of the days, with what a mapping says of them; undefined where it has none. */
  readonly days:
    | { readonly at: string; readonly keys: SignalKeys; readonly sureness: Sureness; readonly why: string }
    | undefined;
  readonly keys: SignalKeys;
  readonly why: string;
  readonly sureness: Sureness;
  /** How many entries each answer has. */
  readonly counts: ReadonlyMap<number, number>;
  /** The days of each answer, the latest last, where all of them can be read. */
  readonly daysOf: ReadonlyMap<number, readonly string[]>;
  /** Answers whose history is an empty list. */
  readonly empty: ReadonlySet<number>;
}

/** The history of a topic, the clearest if there are several. */
export function findHistory(topic: Topic, places: readonly Told[], order: DayOrder): History | undefined {
  const about = places.filter(({ subject }) => subject.topic === topic && !subject.isEcho && !subject.foreign);
  const named = about.filter((told) => isHistoryName(told, topic));
  const found = [
    ...named.flatMap((told) => listHistory(told, about, order) ?? []),
    ...named.flatMap((told) => repeatedHistory(told, order) ?? []),
    ...named.flatMap((told) => joinedHistory(told, order) ?? []),
  ];
  // One that has days tells more than a list of references to it.
  const worth = ({ sureness, days }: History) => (sureness === 'guess' ? 0 : 2) + (days ? 1 : 0);
  return found.toSorted((a, b) => worth(b) - worth(a))[0];
}

/** `portingHistory`, `ports`, `breaches`, `hits`; dates alone where the topic is in the same name, or where they are a list. */
function isHistoryName({ spot: { kind }, subject: { leaf, spoilers, unknownInLeaf } }: Told, topic: Topic): boolean {
  if (unknownInLeaf.length > 0 || spoilers.some((word) => word !== 'previous')) return false;
  const rest = [...leaf].filter(
    (concept) => !['history', 'hit', 'filler', 'phone', 'email', 'date', topic].includes(concept),
  );
  const isNamed = leaf.has('history') || leaf.has('hit') || leaf.has(topic);
  return rest.length === 0 && (isNamed || (kind === 'list' && leaf.has('date')));
}

/** A list: of maps that have a day each, or of days. */
function listHistory(told: Told, about: readonly Told[], order: DayOrder): History | undefined {
  const { spot } = told;
  if (spot.kind !== 'list' || spot.many) return undefined;
  const counts = new Map(spot.lengths.map(({ answer, length }) => [answer, length]));
  const empty = new Set(spot.lengths.flatMap(({ answer, length }) => (length === 0 ? [answer] : [])));
  const base = { told, countAt: spot.place, keys: {}, why: 'a list', counts, empty };
  if (spot.samples.length > 0) {
    const series = readDays(valuesOf(spot.samples), order);
    const daysOf = series ? daysByAnswer(spot.samples, series) : new Map<number, readonly string[]>();
    return { ...base, sureness: suspected(told), days: series && daysKeys(spot.place, series, {}), daysOf };
  }
  const children = about.filter(({ spot: child }) => isChild(child, spot));
  const dated = children.filter(
    ({ spot: child }) => valuesOf(child.samples).length > 0 && readDays(valuesOf(child.samples), order),
  );
  const labels = about.flatMap(({ spot: child }) => {
    return child.place.startsWith(`${spot.place}[?`) ? [child.place.slice(spot.place.length).split(']')[0]] : [];
  });
  const isMixed = new Set(labels).size > 1 || children.some(({ spot: child }) => isMixture(child));
  const [date] = dated.length > 1 ? dated.filter(({ subject }) => subject.leaf.has('date')) : dated;
  const isOne = dated.length === 1 || dated.filter(({ subject }) => subject.leaf.has('date')).length === 1;
  const series = date && isOne ? readDays(valuesOf(date.spot.samples), order) : undefined;
  return {
    ...base,
    sureness: isMixed ? 'guess' : suspected(told),
    why: isMixed ? 'a list of what may be of several kinds' : base.why,
    days: date && series && daysKeys(date.spot.place, series, {}),
    daysOf: date && series ? daysByAnswer(date.spot.samples, series) : new Map(),
  };
}

/** `{ kind: port_in }` beside `{ kind: port_out }`, or one that has not come to pass. */
function isMixture({ names, samples }: Told['spot']): boolean {
  if (
    !/^(?:\w*[\W_])?(?:kind|type|event|event_?type|direction|action|state|status|outcome|result)$/i.test(
      names.at(-1) ?? '',
    )
  )
    return false;
  const texts = new Set(samples.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])));
  return texts.size > 1 || [...texts].some((text) => NOT_DONE.test(text));
}

const NOT_DONE = /\bout\b|_out|reject|fail|cancel|pending|schedul|revers|revert|refus|request|plann/i;

/** A field of the list's entries, its value wrapped or not. */
function isChild(child: Told['spot'], list: Told['spot']): boolean {
  const depth = child.names.length - list.names.length;
  return child.kind === 'value' && child.place.startsWith(`${list.place}[*]`) && depth > 0 && depth <= 2;
}

/** The same label several times, a day beside each. */
function repeatedHistory(told: Told, order: DayOrder): History | undefined {
  const { spot } = told;
  if (spot.kind !== 'value' || !spot.place.includes('[?')) return undefined;
  const values = valuesOf(spot.samples);
  const isNamed = told.subject.leaf.has('history') || spot.many;
  const series = values.length > 0 && isNamed ? readDays(values, order) : undefined;
  if (!series) return undefined;
  const counts = Map.groupBy(spot.samples, ({ answer }) => answer);
  return {
    told,
    countAt: spot.place,
    keys: {},
    why: spot.many ? 'an entry for each, under the same label' : 'an entry under a label that can be repeated',
    sureness: spot.many ? 'likely' : 'guess',
    counts: new Map([...counts].map(([answer, all]) => [answer, all.length])),
    days: daysKeys(spot.place, series, {}),
    daysOf: daysByAnswer(spot.samples, series),
    empty: new Set(),
  };
}

const SEPARATORS = [';', '|', ',', ' / ', '\n'] as const;

/** One text that lists days. */
function joinedHistory(told: Told, order: DayOrder): History | undefined {
  const { spot, subject } = told;
  const values = valuesOf(spot.samples);
  if (spot.kind !== 'value' || spot.many || !subject.leaf.has('history')) return undefined;
  const texts = values.filter((value) => typeof value === 'string' && value.length < 5000).map(String);
  if (texts.length === 0 || texts.length < values.length) return undefined;
  const separator = SEPARATORS.find((one) => texts.some((text) => text.includes(one)));
  if (separator === undefined) return undefined;
  const pieces = (text: string) =>
    text
      .split(separator)
      .map((piece) => piece.trim())
      .filter((piece) => piece !== '');
  const series = readDays(texts.flatMap(pieces), order);
  if (!series || series.days.size + series.partial === 0) return undefined;
  const told0 = spot.samples.filter(({ value }) => !isCommonPlaceholder(value));
  return {
    told,
    countAt: spot.place,
    keys: { split: separator.trim() === '' ? separator : separator.trim() },
    why: 'one text that lists days',
    sureness: suspected(told),
    counts: new Map(told0.map(({ answer, value }) => [answer, pieces(String(value)).length])),
    days: daysKeys(spot.place, series, { split: separator.trim() === '' ? separator : separator.trim() }),
    daysOf: new Map(told0.map(({ answer, value }) => [answer, sorted(pieces(String(value)), series)])),
    empty: new Set(),
  };
}

/** `previousPorts` may leave the latest out. */
function suspected({ subject: { spoilers } }: Told): Sureness {
  return spoilers.length > 0 ? 'guess' : 'likely';
}

function daysKeys(at: string, series: DaySeries, keys: SignalKeys): History['days'] {
  const formats = series.formats.length > 0 ? { formats: series.formats } : {};
  const isOpen = series.order === 'open' || !series.supported;
  return {
    at,
    keys: { ...keys, ...formats },
    sureness: isOpen ? 'guess' : least(['likely']),
    why: isOpen
      ? 'no date in the answers shows how they are written'
      : `dates as ${series.formats.join(', ') || 'yyyy-MM-dd'}`,
  };
}

function daysByAnswer(samples: Told['spot']['samples'], series: DaySeries): ReadonlyMap<number, readonly string[]> {
  const byAnswer = Map.groupBy(samples, ({ answer }) => answer);
  return new Map([...byAnswer].map(([answer, all]) => [answer, sorted(valuesOf(all).map(String), series)]));
}

/** None where one of them cannot be told. */
function sorted(texts: readonly string[], { days }: DaySeries): readonly string[] {
  const found = texts.flatMap((text) => days.get(text.trim()) ?? []);
  return found.length === texts.length ? found.toSorted() : [];
}

function valuesOf(samples: Told['spot']['samples']): readonly Scalar[] {
  return samples.flatMap(({ value }) => (value === null || isCommonPlaceholder(value) ? [] : [value]));
}
