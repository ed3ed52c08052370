/** Places that give latitude and longitude together, as one text or a list of two -> the lines of both. */

import { CATALOG } from '../../facts/catalog.ts';
import { indexStep } from '../names/json-path.ts';
import type { Sureness } from '../names/profiles.ts';
import { cleanName, type Told } from '../propose/candidates.ts';
import type { ProposedSignal } from '../propose/proposed-signal.ts';
import { readDegrees } from '../values/numbers.ts';
import { isCommonPlaceholder } from '../values/placeholder.ts';

const LATITUDE = 'ip.location.latitude';
const LONGITUDE = 'ip.location.longitude';
const SEPARATORS = [',', ';', '|', ' '] as const;

/** The lines of both, for the first place that has both. */
export function coordinateLines(places: readonly Told[]): readonly ProposedSignal[] {
  for (const told of places) {
    const { spot, subject } = told;
    const isNamed = subject.topic === 'location' || subject.leaf.has('latLon') || subject.leaf.has('lonLat');
    const isElsewhere =
      (subject.section !== undefined && subject.section !== 'ip') || subject.isEcho || subject.foreign;
    if (!isNamed || isElsewhere || subject.unknownInLeaf.length > 0 || spot.many) continue;
    const lines = spot.kind === 'list' ? listLines(told, isGeoJson(told, places)) : textLines(told);
    if (lines.length > 0) return lines;
  }
  return [];
}

function textLines({ spot, subject }: Told): readonly ProposedSignal[] {
  const texts = spot.samples.flatMap(({ value }) =>
    typeof value === 'string' && !isCommonPlaceholder(value) ? [value.trim()] : [],
  );
  if (texts.length === 0 || texts.some((text) => text.length > 100)) return [];
  const separator = SEPARATORS.find((one) => texts.every((text) => text.split(one).length === 2));
  if (separator === undefined) return [];
  const pairs = texts.map((text) => text.split(separator).map((part) => part.trim()));
  return linesOf(subject, pairs, (part) => ({ at: spot.place, keys: { split: separator, part } }));
}

/** `{ type: Point, coordinates }` is GeoJSON, where the longitude stands first (RFC 7946, section 3.1.1). */
function isGeoJson({ spot }: Told, places: readonly Told[]): boolean {
  if (spot.names.at(-1) !== 'coordinates') return false;
  const type = places.find(({ spot: other }) => other.parent === spot.parent && other.names.at(-1) === 'type');
  return type?.spot.samples.every(({ value }) => value === 'Point') === true;
}

function listLines({ spot, subject }: Told, isBackward: boolean): readonly ProposedSignal[] {
  const byAnswer = [...Map.groupBy(spot.samples, ({ answer }) => answer).values()];
  const pairs = byAnswer.map((samples) => samples.map(({ value }) => String(value)));
  if (pairs.length === 0 || pairs.some((pair) => pair.length !== 2)) return [];
  return linesOf(subject, pairs, (part) => ({ at: `${spot.place}${indexStep(part - 1)}`, keys: {} }), isBackward);
}

function linesOf(
  subject: Told['subject'],
  pairs: readonly (readonly string[])[],
  placeOf: (part: number) => Pick<ProposedSignal, 'at' | 'keys'>,
  isGeoJson = false,
): readonly ProposedSignal[] {
  const [forward, backward] = [readsAs(pairs, 0, 1), readsAs(pairs, 1, 0)];
  const isNamed = subject.leaf.has('latLon') !== subject.leaf.has('lonLat');
  const order = isGeoJson
    ? GEO_JSON
    : isNamed
      ? byName(subject.leaf.has('latLon'))
      : byValues(pairs, forward !== undefined, backward !== undefined);
  const reading = order.isForward ? forward : backward;
  if (!reading) return [];
  const why = [`named "${cleanName(subject.shown)}"`, 'both in one', order.why];
  const hasSection = subject.section === 'ip' || subject.topic === 'location';
  return [LATITUDE, LONGITUDE].map((path, index) => {
    const { at, keys } = placeOf((index === 0) === order.isForward ? 1 : 2);
    return {
      path,
      at,
      keys: { ...keys, ...reading[index] },
      sureness: hasSection ? order.sureness : 'guess',
      why,
      ask: ['is it the latitude first, or the longitude?'],
    };
  });
}

interface Order {
  /** Whether the latitude stands first. */
  readonly isForward: boolean;
  readonly sureness: Sureness;
  readonly why: string;
}

const GEO_JSON: Order = { isForward: false, sureness: 'likely', why: 'a point of GeoJSON, the longitude first' };

function byName(isForward: boolean): Order {
  return { isForward, sureness: 'likely', why: 'in the order of the name' };
}

/** By what a latitude cannot be; else by where nobody lives. */
function byValues(pairs: readonly (readonly string[])[], canForward: boolean, canBackward: boolean): Order {
  if (!(canForward && canBackward)) {
    return { isForward: canForward, sureness: 'likely', why: 'only one of the two can be the longitude' };
  }
  const isForward = arePeopled(pairs, 0);
  const isShown = isForward !== arePeopled(pairs, 1);
  return isShown
    ? { isForward, sureness: 'likely', why: 'the other way round, it would be where nobody lives' }
    : { isForward: true, sureness: 'guess', why: 'nothing shows which of the two stands first' };
}

/** The northernmost town, Longyearbyen, lies at 78.2 degrees north; the southernmost, Puerto Williams, at 54.9 south. */
function arePeopled(pairs: readonly (readonly string[])[], index: number): boolean {
  return pairs.every((pair) => {
    const text = pair[index] ?? '';
    const degrees = Number.parseFloat(text.replace(/[^\d.-]/g, '')) * (/s/i.test(text) ? -1 : 1);
    return degrees > -56 && degrees < 79;
  });
}

/** The keys of both, where every pair can be a latitude and a longitude at these indexes. */
function readsAs(pairs: readonly (readonly string[])[], latitude: number, longitude: number) {
  const lat = readDegrees(
    pairs.map((pair) => pair[latitude] ?? ''),
    CATALOG[LATITUDE],
  );
  const lon = readDegrees(
    pairs.map((pair) => pair[longitude] ?? ''),
    CATALOG[LONGITUDE],
  );
  return lat && lon ? [lat.keys, lon.keys] : undefined;
}
