/** One value found in an answer -> the value of its fact's type, as the mapping of its signal says; nothing is guessed. */

import Big from 'big.js';
import type { FactDefinition, FactType } from './catalog.ts';
import { formatDay, isCalendarDay } from './day.ts';
import { isMissing, type PresentFact } from './fact.ts';
import { trimWhiteSpace } from './fold.ts';
import { isScalar, nameKey } from './name.ts';
import { readFact } from './read.ts';
import type { DayFormat, SignalMapping } from './signal.ts';

/** No date lies ahead of it: which dates do is for the day of the decision to say, when the facts are read. */
const LAST_DAY = '9999-12-31';

/** Undefined where the value cannot be read as the fact's type. */
export function readWireValue(
  found: unknown,
  definition: FactDefinition,
  signal: SignalMapping,
): PresentFact | undefined {
  const named = isScalar(found) ? signal.values.get(nameKey(found)) : undefined;
  const value = rescale(named ?? WIRE_READERS[definition.type](found, signal), definition, signal);
  const fact = readFact(definition, { value }, LAST_DAY);
  return isMissing(fact) ? undefined : fact;
}

type WireReader = (found: unknown, signal: SignalMapping) => unknown;

/** Only what `values` names: the type's own names are among them. */
const byName: WireReader = () => undefined;

const WIRE_READERS: Readonly<Record<FactType, WireReader>> = {
  number: (found) => (typeof found === 'string' ? decimalOf(found) : found),
  integer: (found) => (typeof found === 'string' ? decimalOf(found) : found),
  level: byName,
  boolean: byName,
  enum: byName,
  string: (found) => found,
  date: (found, { formats }) => (typeof found === 'string' ? dayOf(trimWhiteSpace(found), formats) : undefined),
};

/** No measurement has more characters; what has is an attack or an accident. */
const MAX_NUMERAL_LENGTH = 100;

/** `-36.8485`; not `1e3`, `1,234.5`, `.5` or `0x1f`. */
function decimalOf(text: string): number | undefined {
  const numeral = trimWhiteSpace(text);
  if (numeral.length > MAX_NUMERAL_LENGTH || !/^[+-]?\d+(?:\.\d+)?$/.test(numeral)) return undefined;
  return Number(numeral);
}

const YYYY_MM_DD = /^(\d{4})-(\d{2})-(\d{2})$/;
/** ISO 8601, a space in place of the T allowed (RFC 3339, 5.6); seconds, fraction and offset may be absent. */
const ISO_DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](?:[01]\d|2[0-4]):[0-5]\d(?::[0-5]\d|:60)?(?:[.,]\d{1,9})?(?:[Zz]|[+-][01]\d(?::?[0-5]\d)?)?$/;

const DAY_PATTERNS: Readonly<Record<DayFormat, RegExp>> = { 'yyyy-MM-dd': YYYY_MM_DD, isoDateTime: ISO_DATE_TIME };

/** The day as written: a time and an offset beside it never move it, so that the sender's calendar day is kept. */
function dayOf(text: string, formats: readonly DayFormat[]): string | undefined {
  for (const format of formats) {
    const match = DAY_PATTERNS[format].exec(text);
    if (!match) continue;
    const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
    return isCalendarDay(year, month, day) ? formatDay(year, month, day) : undefined;
  }
  return undefined;
}

/** Big of our own, so that its settings are nobody else's; a quotient is rounded to 10 places, half up. */
const Decimal = Big();
Decimal.DP = 10;
Decimal.RM = Big.roundHalfUp;

/** From the scale on the wire to the fact's own, in exact decimal arithmetic; undefined outside the scale. */
function rescale(value: unknown, definition: FactDefinition, { range }: SignalMapping): unknown {
  if (!range || !definition.range) return value;
  if (typeof value !== 'number' || !(value >= range[0] && value <= range[1])) return undefined;
  const [least, most] = definition.range;
  const share = new Decimal(value).minus(range[0]);
  const width = new Decimal(range[1]).minus(range[0]);
  return share.times(new Decimal(most).minus(least)).div(width).plus(least).toNumber();
}
