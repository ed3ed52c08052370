/** A mapping and an answer -> which status covers each fact, and the facts that no status or a wrong one covers. */

import type { Diagnostic } from '../../diagnostics.ts';
import { allowancesOf } from '../../platform/files/allowance.ts';
import { reportAt } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { isObject } from '../../platform/json.ts';
import { type MapEntry, parseYaml, type Yaml } from '../../platform/yaml.ts';
import type { Mapping } from './mapping.ts';
import { formatSteps, type LocatedValue, locateIn, type Path, type Steps } from './path.ts';
import type { SignalMapping } from './signal.ts';
import {
  flagSense,
  isErrorName,
  isFailure,
  isFlagValue,
  isPlainStatus,
  isStatusMapName,
  isSuccess,
} from './status-words.ts';
import { isScalar, spellingKey } from './value/spelling-key.ts';

/** Facts that would be believed if their source failed, or that are missing when another source fails. */
export interface StatusGap {
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
export function findGaps(body: unknown, mapping: Mapping): readonly StatusGap[] {
  const readings = [...mapping.signals].flatMap(([fact, signal]) => {
    return readingsOf(signal, body).map((steps) => ({ fact, steps }));
  });
  const readPaths = new Set(readings.map(({ steps }) => formatSteps(steps)));
  const statuses = findAnswerStatuses(body).filter(({ steps }) => !readPaths.has(formatSteps(steps)));
  const parts = findAnswerParts(
    statuses,
    readings.map(({ steps }) => steps),
    body,
  );
  return [...unreadStatuses(parts, readings, body, mapping), ...sourcesElsewhere(parts, readings, body, mapping)];
}

/** The positions of a signal's values; for a list of events, the position of the list. */
function readingsOf({ paths, take }: SignalMapping, body: unknown): readonly Steps[] {
  for (const path of paths) {
    const { matches } = locateIn(path, body);
    if (matches.length === 0) continue;
    return matches.map(({ steps }) => {
      const last = steps.findLastIndex((step) => typeof step === 'number');
      return take !== undefined && readsEvents(path) && last >= 0 ? steps.slice(0, last) : steps;
    });
  }
  return [];
}

/** Whether a path leads into every entry of a list: `history[*].date`. An event may have a status of its own. */
function readsEvents({ text }: Path): boolean {
  return text.lastIndexOf('[*]') > text.lastIndexOf('[?');
}

function unreadStatuses(
  parts: readonly AnswerPart[],
  readings: readonly Reading[],
  body: unknown,
  { status, sources }: Mapping,
): readonly StatusGap[] {
  const covered = sources.map(({ path, facts }) => ({ facts, places: placesOf(path, body) }));
  return parts.flatMap((one): readonly StatusGap[] => {
    const inside = readings.filter(({ steps }) => belongsTo(steps, one, parts));
    // The status of the whole answer, wherever it is, is enough for a part that holds everything.
    if (inside.length === 0 || (status && inside.length === readings.length)) return [];
    const isRead = (fact: string) => covered.some(({ facts, places }) => facts.has(fact) && isAt(places, one));
    const facts = distinct(inside.map(({ fact }) => fact)).filter((fact) => !isRead(fact));
    if (facts.length === 0) return [];
    const [first = []] = one.statuses;
    const [are, them] = facts.length === 1 ? ['is', 'it'] : ['are', 'them'];
    const what = `${listFacts(facts)} ${are} read from ${showSteps(one.part)}`;
    const message = `${what}, whose status (${showSteps(first)}) no source for ${them} looks at`;
    const hint = 'add a source with this status to `sources`, and these signals to its `signals`';
    return [{ code: 'unread-status', facts, message, hint }];
  });
}

function sourcesElsewhere(
  parts: readonly AnswerPart[],
  readings: readonly Reading[],
  body: unknown,
  { sources }: Mapping,
): readonly StatusGap[] {
  return sources.flatMap(({ name, path, facts }): readonly StatusGap[] => {
    const places = placesOf(path, body);
    const ownParts = parts.filter((one) => isAt(places, one));
    if (ownParts.length === 0) return [];
    const others = parts.filter((one) => !ownParts.includes(one));
    const elsewhere = distinct(
      readings.flatMap(({ fact, steps }) => {
        if (!facts.has(fact) || ownParts.some(({ part }) => isInside(steps, part))) return [];
        return others.some(({ part }) => part.length > 0 && isInside(steps, part)) ? [fact] : [];
      }),
    );
    if (elsewhere.length === 0) return [];
    const part = ownParts.map((one) => showSteps(one.part)).join(' and ');
    const what = `the source "${name}" looks at the status of ${part}`;
    const message = `${what}, and covers ${listFacts(elsewhere)}, read elsewhere`;
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
  return locateIn(path, body).matches.map(({ steps }) => steps);
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
function listFacts(facts: readonly string[]): string {
  const rest = facts.length - 2;
  return rest > 1 ? `${facts.slice(0, 2).join(', ')} and ${rest} others` : facts.join(', ');
}

/** A position for messages, without names that could be personal data. */
function showSteps(steps: Steps): string {
  if (steps.length === 0) return 'the answer';
  return formatSteps(steps.map((step) => (typeof step === 'string' && isPersonal(step) ? '…' : step)));
}

/** An email, an IP address, or digits enough for a phone number. */
function isPersonal(name: string): boolean {
  return /@|(?:\d+\.){3}|:.*:/.test(name) || name.replace(/\D/g, '').length > 6;
}

/** A part of the answer, with all its statuses. */
interface AnswerPart {
  readonly part: Steps;
  readonly statuses: readonly Steps[];
  /** Whether the statuses are elsewhere, under the name of the part. */
  readonly isApart: boolean;
}

/** The parts that the statuses cover and signals are read from; `readings` are the positions of the signals. */
function findAnswerParts(
  statuses: readonly AnswerStatus[],
  readings: readonly Steps[],
  body: unknown,
): readonly AnswerPart[] {
  const holders = new Map(readings.flatMap(prefixesOf).map((part) => [formatSteps(part), part]));
  const nearest = (steps: Steps) => prefixesOf(steps).findLast((part) => holders.has(formatSteps(part))) ?? [];
  const holderByStatus = new Map(statuses.map((status) => [status, nearest(status.steps)]));
  const parts = new Map<string, AnswerPart>();
  for (const status of statuses) {
    const holder = holderByStatus.get(status) ?? [];
    const isBeside = (other: AnswerStatus) =>
      isSame(holderByStatus.get(other) ?? [], holder) && !isSame(other.steps.slice(0, -1), holder);
    const isDirect = status.steps.length === holder.length + 1;
    const isOwn =
      !status.isMapped && (isDirect || (canHoldOne(holder, status.steps) && groupsOf(statuses.filter(isBeside)) === 1));
    const part = isOwn ? holder : findNamedPart(status, [...holders.values()], body);
    if (!part) continue;
    const id = `${formatSteps(part)} ${!isOwn}`;
    parts.set(id, { part, isApart: !isOwn, statuses: [...(parts.get(id)?.statuses ?? []), status.steps] });
  }
  return [...parts.values()];
}

/** Whether a status deeper inside may cover the whole part: not from an entry of a list, and not the whole answer. */
function canHoldOne(part: Steps, status: Steps): boolean {
  return part.length > 0 && status.slice(part.length).every((step) => typeof step === 'string');
}

/** The number of maps that hold the statuses. */
function groupsOf(statuses: readonly AnswerStatus[]): number {
  return new Set(statuses.map(({ steps }) => formatSteps(steps.slice(0, -1)))).size;
}

/** The outermost part that a status names: its field, or a text in it, has one of the names. */
function findNamedPart({ steps, names }: AnswerStatus, holders: readonly Steps[], body: unknown): Steps | undefined {
  const namedParts = holders.filter((part) => {
    const last = part.at(-1);
    const isField = typeof last === 'string';
    // An entry of a list has no status in another entry of it.
    if (isInside(steps, isField ? part : part.slice(0, -1))) return false;
    const labels = isField ? [last] : textsIn(valueAt(body, part));
    return labels.some((label) => names.has(spellingKey(label)));
  });
  return namedParts.toSorted((a, b) => a.length - b.length)[0];
}

function textsIn(value: unknown): readonly string[] {
  return isObject(value) ? Object.values(value).filter(isName) : [];
}

function valueAt(body: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>((value, step) => (value as Readonly<Record<string | number, unknown>>)[step], body);
}

function prefixesOf(steps: Steps): readonly Steps[] {
  return steps.map((_, length) => steps.slice(0, length));
}

/** Whether a position is in a part, or the part itself. */
function isInside(steps: Steps, part: Steps): boolean {
  return steps.length >= part.length && part.every((step, index) => steps[index] === step);
}

function isSame(one: Steps, other: Steps): boolean {
  return one.length === other.length && isInside(one, other);
}

/** One warning for each gap, at its first signal or at its source; a gap of several answers is reported once. */
export function checkStatusGaps(file: string, mapping: Mapping, answers: readonly unknown[]) {
  const gaps = answers.flatMap((answer) => findGaps(answer, mapping));
  const diagnostics: Diagnostic[] = [];
  const allowances = allowancesOf(diagnostics);
  const checked = { diagnostics, silenced: allowances.silenced };
  if (answers.length === 0) return checked;
  const source = readSource(file, file, diagnostics);
  const root = source && parseYaml(source);
  if (!root) return checked;
  const reported = new Map(gaps.map((gap) => [JSON.stringify([gap.code, gap.facts, gap.source]), gap]));
  for (const gap of reported.values()) {
    const { code, message, hint } = gap;
    reportAt(placeOf(gap, root), code, message, { severity: 'warning', hint });
  }
  allowances.reportUnused((code) => code === 'unread-status' || code === 'source-elsewhere');
  return checked;
}

/** The key to report a gap at; the root if there is none. */
function placeOf({ facts: [first = ''], source }: StatusGap, root: Yaml): Yaml | MapEntry['key'] {
  const [section, name] = source === undefined ? ['signals', first] : ['sources', source];
  return entryOf(entryOf(root, section)?.value, name)?.key ?? root;
}

function entryOf(node: Yaml | undefined, name: string): MapEntry | undefined {
  return node?.kind === 'map' ? node.entries.get(name) : undefined;
}

/** A status in an answer. */
interface AnswerStatus {
  readonly steps: Steps;
  /** Whether it is one of a map of statuses, so that its own name is that of a part. */
  readonly isMapped: boolean;
  /** By `spellingKey`: its own name, the name of the map that holds it, and the texts beside it. */
  readonly names: ReadonlySet<string>;
}

type Json = Readonly<Record<string, unknown>>;

/** The most values to visit; an answer has some hundreds. */
const MAX_VISITS = 100_000;
/** Longer texts are not names. */
const MAX_NAME_LENGTH = 100;

/** Every status, in the answer's order. Iterative: an answer may nest deep. Never throws. */
function findAnswerStatuses(body: unknown): readonly AnswerStatus[] {
  const statuses: AnswerStatus[] = [];
  const open: LocatedValue[] = [{ value: body, steps: [] }];
  for (let visits = 0; visits < MAX_VISITS; visits++) {
    const each = open.pop();
    if (!each) break;
    const { value, steps } = each;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) statuses.push(...statusesOf(value as Json, steps));
    const children = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [step, child] of children.slice(0, MAX_VISITS).toReversed()) {
      if (typeof child === 'object' && child !== null) open.push({ value: child, steps: [...steps, step] });
    }
  }
  return statuses;
}

function statusesOf(map: Json, steps: Steps): readonly AnswerStatus[] {
  const entries = Object.entries(map);
  const isMap = isStatusMap(entries, steps);
  const texts = [steps.at(-1), ...entries.map(([, value]) => value)].filter(isName).map(spellingKey);
  return entries.flatMap(([name, value]) => {
    if (!isMap && !isStatus(name, value)) return [];
    if (isMap && !(isScalar(value) && (isSuccess(value) || isFailure(value)))) return [];
    return [{ steps: [...steps, name], isMapped: isMap, names: new Set([spellingKey(name), ...texts]) }];
  });
}

/** Whether a map contains only statuses, judged by its values or by its name. */
function isStatusMap(entries: readonly (readonly [string, unknown])[], steps: Steps): boolean {
  const plain = entries.filter(([, value]) => isScalar(value) && isPlainStatus(value));
  const statuses = entries.filter(([, value]) => isScalar(value) && (isSuccess(value) || isFailure(value)));
  const isNamed = isStatusMapName(String(steps.at(-1) ?? '')) && statuses.length === entries.length;
  return (isNamed && entries.length > 0) || (plain.length > 1 && plain.length * 2 >= entries.length);
}

const STATUS = /(?:status|state|outcome)$/i;
const RESULT = /^(?:result|response|(?:(?:result|response|return|status)_?)?code)$/i;

/** Whether name and value are those of a status. Words like `completed` count only under a name like `status`. */
function isStatus(name: string, value: unknown): boolean {
  if (isErrorName(name)) return true;
  if (flagSense(name) !== undefined && isScalar(value) && isFlagValue(value)) return true;
  if (typeof value === 'number') return value === 200 && /(?:status|code)$/i.test(name);
  if (typeof value !== 'string') return false;
  if (STATUS.test(name)) return isSuccess(value) || isFailure(value);
  return RESULT.test(name) && isPlainStatus(value);
}

/** Whether a text may name a part. A status does not. */
function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_LENGTH) return false;
  return !isSuccess(value) && !isFailure(value);
}
