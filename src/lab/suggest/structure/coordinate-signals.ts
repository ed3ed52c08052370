/** Fields that hold latitude and longitude together, as one text or a list of two -> the signals of both. */

import { CATALOG } from '../../../facts/catalog.ts';
import { indexSegment } from '../names/json-path.ts';
import { quoteName, type Subject } from '../names/subject.ts';
import type { ProposedSignal } from '../propose/proposed-signal.ts';
import type { Sureness } from '../sureness.ts';
import { readDegrees } from '../values/numbers.ts';
import { isCommonPlaceholder } from '../values/placeholder.ts';
import type { SignalKeys } from '../values/reading.ts';
import type { AnswerField } from './collect-fields.ts';

const LATITUDE = 'ip.location.latitude';
const LONGITUDE = 'ip.location.longitude';
const SEPARATORS = [',', ';', '|', ' '] as const;

/** The values of one field: in each answer, two texts. */
type Pairs = readonly (readonly string[])[];

/** The signals of both, from the first field that has both. */
export function coordinateSignals(fields: readonly AnswerField[]): readonly ProposedSignal[] {
  for (const field of fields) {
    const { section, topic, leaf, unknownInLeaf, isEcho, isForeign } = field.subject;
    const isNamed = topic === 'location' || leaf.has('latLon') || leaf.has('lonLat');
    const isElsewhere = (section !== undefined && section !== 'ip') || isEcho || isForeign;
    if (!isNamed || isElsewhere || unknownInLeaf.length > 0 || field.isRepeated) continue;
    const signals = field.kind === 'list' ? listSignals(field, isGeoJson(field, fields)) : textSignals(field);
    if (signals.length > 0) return signals;
  }
  return [];
}

function textSignals({ samples, subject, jsonPath }: AnswerField): readonly ProposedSignal[] {
  const texts = samples.flatMap(({ value }) =>
    typeof value === 'string' && !isCommonPlaceholder(value) ? [value.trim()] : [],
  );
  if (texts.length === 0 || texts.some((text) => text.length > 100)) return [];
  const separator = SEPARATORS.find((one) => texts.every((text) => text.split(one).length === 2));
  if (separator === undefined) return [];
  const pairs = texts.map((text) => text.split(separator).map((part) => part.trim()));
  return signalsOf(subject, pairs, (part) => ({ at: jsonPath, keys: { split: separator, part } }));
}

/** `{ type: Point, coordinates }` is GeoJSON, with the longitude first (RFC 7946, section 3.1.1). */
function isGeoJson({ names, parent }: AnswerField, fields: readonly AnswerField[]): boolean {
  if (names.at(-1) !== 'coordinates') return false;
  const type = fields.find((other) => other.parent === parent && other.names.at(-1) === 'type');
  return type?.samples.every(({ value }) => value === 'Point') === true;
}

function listSignals({ samples, subject, jsonPath }: AnswerField, isPoint: boolean): readonly ProposedSignal[] {
  const byAnswer = [...Map.groupBy(samples, ({ answer }) => answer).values()];
  const pairs = byAnswer.map((inAnswer) => inAnswer.map(({ value }) => String(value)));
  if (pairs.length === 0 || pairs.some((pair) => pair.length !== 2)) return [];
  return signalsOf(subject, pairs, (part) => ({ at: `${jsonPath}${indexSegment(part - 1)}`, keys: {} }), isPoint);
}

function signalsOf(
  subject: Subject,
  pairs: Pairs,
  partAt: (part: number) => Pick<ProposedSignal, 'at' | 'keys'>,
  isPoint = false,
): readonly ProposedSignal[] {
  const [forward, backward] = [keysIfRead(pairs, 0, 1), keysIfRead(pairs, 1, 0)];
  const order = isPoint
    ? GEO_JSON
    : (orderOfName(subject) ?? orderOfValues(pairs, forward !== undefined, backward !== undefined));
  const keysOf = order.isLatitudeFirst ? forward : backward;
  if (!keysOf) return [];
  const hasSection = subject.section === 'ip' || subject.topic === 'location';
  return [LATITUDE, LONGITUDE].map((path, index) => {
    const { at, keys } = partAt((index === 0) === order.isLatitudeFirst ? 1 : 2);
    return {
      path,
      at,
      keys: { ...keys, ...keysOf[index] },
      sureness: hasSection ? order.sureness : 'guess',
      why: [`named ${quoteName(subject)}`, 'latitude and longitude in one field', order.why],
      ask: ['does the latitude or the longitude come first?'],
    };
  });
}

interface Order {
  readonly isLatitudeFirst: boolean;
  readonly sureness: Sureness;
  readonly why: string;
}

const GEO_JSON: Order = { isLatitudeFirst: false, sureness: 'likely', why: 'a GeoJSON point has the longitude first' };

function orderOfName({ leaf }: Subject): Order | undefined {
  const isLatitudeFirst = leaf.has('latLon');
  if (isLatitudeFirst === leaf.has('lonLat')) return undefined;
  return { isLatitudeFirst, sureness: 'likely', why: 'the name gives the order' };
}

/** Judges by what can be a latitude, or else by where people live. */
function orderOfValues(pairs: Pairs, canBeForward: boolean, canBeBackward: boolean): Order {
  if (!(canBeForward && canBeBackward)) {
    const why = 'only one order is possible';
    return { isLatitudeFirst: canBeForward, sureness: 'likely', why };
  }
  const isLatitudeFirst = areInhabited(pairs, 0);
  return isLatitudeFirst === areInhabited(pairs, 1)
    ? { isLatitudeFirst: true, sureness: 'guess', why: 'nothing shows which of the two comes first' }
    : { isLatitudeFirst, sureness: 'likely', why: 'in the other order, nobody lives there' };
}

/** The northernmost town, Longyearbyen, is at 78.2 degrees north; the southernmost, Puerto Williams, at 54.9 south. */
function areInhabited(pairs: Pairs, latitude: number): boolean {
  return pairs.every((pair) => {
    const text = pair[latitude] ?? '';
    const degrees = Number.parseFloat(text.replace(/[^\d.-]/g, '')) * (/s/i.test(text) ? -1 : 1);
    return degrees > -56 && degrees < 79;
  });
}

/** The keys of latitude and longitude, if every pair has them at these indexes. */
function keysIfRead(pairs: Pairs, latitude: number, longitude: number): readonly SignalKeys[] | undefined {
  const column = (index: number) => pairs.map((pair) => pair[index] ?? '');
  const lat = readDegrees(column(latitude), CATALOG[LATITUDE]);
  const lon = readDegrees(column(longitude), CATALOG[LONGITUDE]);
  return lat && lon ? [lat.keys, lon.keys] : undefined;
}
