/** One value of an answer -> a value of its fact's type, as the signal's mapping says; nothing is guessed. */

import Big from 'big.js';
import { trimWhiteSpace } from '../../../text.ts';
import type { FactDefinition, FactType } from '../../catalog.ts';
import { LAST_DAY } from '../../day.ts';
import { type FactValue, isMissing, type PresentFact } from '../../fact.ts';
import { readFact } from '../../fact-reader.ts';
import { type Form, hemispheresOf, type Scale, type SignalMapping } from '../signal.ts';
import { isNoDate, readDayAs } from './day-format.ts';
import { isScalar, spellingKey } from './spelling-key.ts';

/** The fact that a value is read for, the mapping of its signal, and the day of the decision (yyyy-MM-dd). */
export interface ReadingContext {
  readonly definition: FactDefinition;
  readonly signal: SignalMapping;
  readonly today: string;
}

/** Undefined if the value cannot be read as the fact's type. */
export function coerce(raw: unknown, context: ReadingContext): PresentFact | undefined {
  const named = isScalar(raw) ? context.signal.values.get(spellingKey(raw)) : undefined;
  const value = COERCERS[context.definition.type](raw, named, context);
  // Dates are checked against the day of the decision later, when the facts are read.
  const fact = readFact(context.definition, { value }, LAST_DAY);
  return isMissing(fact) ? undefined : fact;
}

/** Whether a date is one that services write for "no date", and `values` does not say what it means. */
export function meansNoDate(raw: unknown, context: ReadingContext): boolean {
  const { definition, signal } = context;
  if (definition.type !== 'date' || !isScalar(raw) || signal.values.has(spellingKey(raw))) return false;
  const read = coerce(raw, context);
  return read !== undefined && isNoDate(String(read.value), { past: definition.past ?? false });
}

/** `named` is the value that `values` has for the raw value. */
type Coercer = (raw: unknown, named: FactValue | undefined, context: ReadingContext) => unknown;

/** Only names in `values`, which include the type's own names. */
const byName: Coercer = (_, named) => named;

const COERCERS: Readonly<Record<FactType, Coercer>> = {
  number: readNumber,
  integer: readNumber,
  level: byName,
  boolean: byName,
  enum: byName,
  string: (raw, named) => named ?? raw,
  date: (raw, named, { definition: { past = false }, signal: { formats, partial }, today }) =>
    named ?? readDayAs(raw, { formats, partial, past, today }),
};

/** A number that `values` gives is on the scale of the answer, too. */
function readNumber(raw: unknown, named: FactValue | undefined, { definition, signal }: ReadingContext): unknown {
  const { form, range, invert } = signal;
  const amount = named === undefined ? amountOf(raw, definition, form) : named;
  if (amount === undefined) return undefined;
  const scale = range ?? (invert ? definition.range : undefined);
  const share = isShare(amount) ? amount : scale && isNumeric(amount) ? shareOn(scale, amount) : undefined;
  if (share && definition.range) return numberOn(definition.range, share, invert);
  // The number is outside the scale, or a share has no scale to be put on.
  if (scale || isShare(amount)) return undefined;
  return typeof amount === 'object' ? amount.toNumber() : amount;
}

function amountOf(
  raw: unknown,
  definition: FactDefinition,
  form: SignalMapping['form'],
): Share | Big | number | undefined {
  if (typeof raw === 'string') return form === undefined ? decimalOf(raw) : readForm(form, raw, definition);
  return typeof raw === 'number' && Number.isFinite(raw) && form === undefined ? raw : undefined;
}

function isShare(amount: Share | Big | FactValue): amount is Share {
  return typeof amount === 'object' && Object.hasOwn(amount, 'whole');
}

function isNumeric(amount: Share | Big | FactValue): amount is Big | number {
  return typeof amount === 'number' || (typeof amount === 'object' && !isShare(amount));
}

/** A private copy of Big, because its settings are global; a quotient is rounded half up to 10 decimal places. */
const Decimal = Big();
Decimal.DP = 10;
Decimal.RM = Big.roundHalfUp;

/** A part of a whole; neither is rounded. */
interface Share {
  readonly part: Big;
  readonly whole: Big;
}

/** No measurement has more characters; a longer text is an attack or an accident. */
const MAX_NUMERAL_LENGTH = 100;

/** Reads `-36.8485`; undefined for `1e3`, `1,234.5`, `.5` and `0x1f`. */
function decimalOf(text: string): Big | undefined {
  if (text.length > 2 * MAX_NUMERAL_LENGTH) return undefined;
  const numeral = trimWhiteSpace(text);
  if (numeral.length > MAX_NUMERAL_LENGTH || !/^[+-]?\d+(?:\.\d+)?$/.test(numeral)) return undefined;
  return new Decimal(numeral.replace('+', ''));
}

/** A number's share of a scale; undefined outside the scale. */
function shareOn([least, most]: Scale, value: Big | number): Share | undefined {
  const part = new Decimal(value).minus(least);
  const whole = new Decimal(most).minus(least);
  return part.lt(0) || part.gt(whole) ? undefined : { part, whole };
}

/** The number with the same share of another scale, counted from the scale's other end if `invert` is set. */
function numberOn([least, most]: Scale, { part, whole }: Share, invert: boolean): number {
  const counted = invert ? whole.minus(part) : part;
  return counted.times(new Decimal(most).minus(least)).div(whole).plus(least).toNumber();
}

/** The value of a text in one of the forms: a share of the scale, or the number itself. */
type FormValue = Share | Big | undefined;

/** Undefined for a text that is not in the form: to read 0.7 as 70% would be a guess. */
function readForm(form: Form, text: string, { range }: FactDefinition): FormValue {
  return text.length > 2 * MAX_NUMERAL_LENGTH ? undefined : FORM_READERS[form](trimWhiteSpace(text), range);
}

const FORM_READERS: Readonly<Record<Form, (text: string, range: Scale | undefined) => FormValue>> = {
  fraction: (text) => {
    const [part, whole, ...others] = text.split('/').map(decimalOf);
    return part && whole && others.length === 0 ? shareOf(part, whole) : undefined;
  },
  percent: (text, range) => {
    const part = text.endsWith('%') ? decimalOf(text.slice(0, -1)) : undefined;
    return part && range ? shareOf(part, new Decimal(100)) : part;
  },
  hemisphere: (text, range) => {
    const [, before, digits, after] = HEMISPHERE.exec(text) ?? [];
    const letter = (before ?? after)?.toUpperCase();
    const degrees = digits === undefined || (before && after) ? undefined : decimalOf(digits);
    const [plus, minus] = hemispheresOf(range) ?? [];
    if (!degrees || (letter !== plus && letter !== minus)) return undefined;
    return (letter === minus ? degrees.times(-1) : degrees).round(Decimal.DP);
  },
};

/** `36.8485 S`, `36.8485°S`, `S 36.8485`. */
const HEMISPHERE = /^([NESW])?\s?(\d+(?:\.\d+)?)\s?°?\s?([NESW])?$/i;

function shareOf(part: Big, whole: Big): Share | undefined {
  return part.lt(0) || whole.lte(0) || part.gt(whole) ? undefined : { part, whole };
}
