/** A mapping and an answer -> which status vouches for each fact, and where the mapping looks at no or a wrong one. */

import type { Mapping } from '../mapping.ts';
import { formatSteps, locateIn, type Path, type Steps } from '../path.ts';
import type { SignalMapping } from '../signal.ts';
import { type AnswerPart, findAnswerParts, isInside, isSame } from './answer-parts.ts';
import { findAnswerStatuses } from './answer-statuses.ts';

/** Facts that would be believed if their source failed, or that are missing when another source fails. */
export interface CoverageGap {
  readonly code: 'unread-status' | 'source-elsewhere';
  /** The paths of the facts. */
  readonly facts: readonly string[];
  /** The source that covers too much. */
  readonly source?: string;
  /** What was found, then what to do about it. */
  readonly message: string;
  readonly hint: string;
}

/** The names of the sources that cover a fact, or `answer` if only the status of the whole answer does. */
export function vouchersOf(path: string, { facts, sources, status }: Mapping): readonly string[] {
  const { origin, inputs = [] } = facts.get(path) ?? {};
  const paths = origin === 'derived' ? inputs : [path];
  const names = sources.flatMap((source) => (paths.some((one) => source.facts.has(one)) ? [source.name] : []));
  return names.length > 0 || !status ? names : ['answer'];
}

/** Where a fact is read in the answer. */
interface Reading {
  readonly fact: string;
  readonly steps: Steps;
}

/** The gaps that this answer shows. Never throws. */
export function findGaps(body: unknown, mapping: Mapping): readonly CoverageGap[] {
  const readings = [...mapping.signals].flatMap(([fact, signal]) => {
    return readingsOf(signal, body).map((steps) => ({ fact, steps }));
  });
  const read = new Set(readings.map(({ steps }) => formatSteps(steps)));
  const statuses = findAnswerStatuses(body).filter(({ steps }) => !read.has(formatSteps(steps)));
  const parts = findAnswerParts(
    statuses,
    readings.map(({ steps }) => steps),
    body,
  );
  return [...unreadStatuses(parts, readings, body, mapping), ...sourcesElsewhere(parts, readings, body, mapping)];
}

/** The positions of a signal's values; of a list of events, that of the list. */
function readingsOf({ paths, take }: SignalMapping, body: unknown): readonly Steps[] {
  for (const path of paths) {
    const { found } = locateIn(path, body);
    if (found.length === 0) continue;
    return found.map(({ steps }) => {
      const last = steps.findLastIndex((step) => typeof step === 'number');
      return take !== undefined && isOfEvents(path) && last >= 0 ? steps.slice(0, last) : steps;
    });
  }
  return [];
}

/** Whether it leads into every entry of a list: `history[*].date`. An event may have a status that is no source's. */
function isOfEvents({ text }: Path): boolean {
  return text.lastIndexOf('[*]') > text.lastIndexOf('[?');
}

function unreadStatuses(
  parts: readonly AnswerPart[],
  readings: readonly Reading[],
  body: unknown,
  { status, sources }: Mapping,
): readonly CoverageGap[] {
  const looked = sources.map(({ path, facts }) => ({ facts, places: placesOf(path, body) }));
  return parts.flatMap((one): readonly CoverageGap[] => {
    const inside = readings.filter(({ steps }) => belongsTo(steps, one, parts));
    // The status of the whole answer, wherever it is, does for a part that holds everything.
    if (inside.length === 0 || (status && inside.length === readings.length)) return [];
    const isRead = (fact: string) => looked.some(({ facts, places }) => facts.has(fact) && isAt(places, one));
    const facts = distinct(inside.map(({ fact }) => fact)).filter((fact) => !isRead(fact));
    if (facts.length === 0) return [];
    const [first = []] = one.statuses;
    const [are, them] = facts.length === 1 ? ['is', 'it'] : ['are', 'them'];
    const what = `${listed(facts)} ${are} read from ${shown(one.part)}`;
    const message = `${what}, whose status (${shown(first)}) no source for ${them} looks at`;
    const hint = 'add a source with this status to `sources`, and these signals to its `signals`';
    return [{ code: 'unread-status', facts, message, hint }];
  });
}

function sourcesElsewhere(
  parts: readonly AnswerPart[],
  readings: readonly Reading[],
  body: unknown,
  { sources }: Mapping,
): readonly CoverageGap[] {
  return sources.flatMap(({ name, path, facts }): readonly CoverageGap[] => {
    const places = placesOf(path, body);
    const own = parts.filter((one) => isAt(places, one));
    if (own.length === 0) return [];
    const others = parts.filter((one) => !own.includes(one));
    const elsewhere = distinct(
      readings.flatMap(({ fact, steps }) => {
        if (!facts.has(fact) || own.some(({ part }) => isInside(steps, part))) return [];
        return others.some(({ part }) => part.length > 0 && isInside(steps, part)) ? [fact] : [];
      }),
    );
    if (elsewhere.length === 0) return [];
    const part = own.map((one) => shown(one.part)).join(' and ');
    const what = `the source "${name}" looks at the status of ${part}`;
    const message = `${what}, and covers ${listed(elsewhere)}, read elsewhere`;
    const hint =
      'name only the signals that are read from the part of its status, and give the others their own source';
    return [{ code: 'source-elsewhere', facts: elsewhere, source: name, message, hint }];
  });
}

/** Whether a reading is in a part: of parts whose statuses are elsewhere, the innermost counts. */
function belongsTo(steps: Steps, { part, isApart }: AnswerPart, parts: readonly AnswerPart[]): boolean {
  if (!isInside(steps, part)) return false;
  const isNearer = (other: AnswerPart) => {
    return other.isApart && other.part.length > part.length && isInside(steps, other.part);
  };
  return !isApart || !parts.some(isNearer);
}

/** The positions of what a path finds. */
function placesOf(path: Path, body: unknown): readonly Steps[] {
  return locateIn(path, body).found.map(({ steps }) => steps);
}

/** Whether one of the positions is a status of the part, or beside one if the part has several. */
function isAt(places: readonly Steps[], { statuses, isApart }: AnswerPart): boolean {
  return places.some((place) =>
    statuses.some((steps) => isSame(steps, place) || (!isApart && isSame(steps.slice(0, -1), place.slice(0, -1)))),
  );
}

function distinct(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}

/** `phone.score, phone.type and 3 others`. */
function listed(facts: readonly string[]): string {
  const rest = facts.length - 2;
  return rest > 1 ? `${facts.slice(0, 2).join(', ')} and ${rest} others` : facts.join(', ');
}

/** A position, without names that could be an applicant's. */
function shown(steps: Steps): string {
  if (steps.length === 0) return 'the answer';
  return formatSteps(steps.map((step) => (typeof step === 'string' && isPersonal(step) ? '…' : step)));
}

/** An email, an IP address, or digits enough for a phone number. */
function isPersonal(name: string): boolean {
  return /@|(?:\d+\.){3}|:.*:/.test(name) || name.replace(/\D/g, '').length > 6;
}
