/** A number as an answer writes it -> the number on its fact's scale, in exact decimal arithmetic. */

import Big from 'big.js';
import { trimWhiteSpace } from '../../../text.ts';
import type { FactDefinition } from '../../catalog.ts';
import { type Form, hemispheresOf, type Scale } from './number-form.ts';

/** A private copy of Big, because its settings are global; a quotient is rounded half up to 10 decimal places. */
const Decimal = Big();
Decimal.DP = 10;
Decimal.RM = Big.roundHalfUp;

/** A part of a whole; neither is rounded. */
export interface Share {
  readonly part: Big;
  readonly whole: Big;
}

/** No measurement has more characters; a longer text is an attack or an accident. */
const MAX_NUMERAL_LENGTH = 100;

/** Reads `-36.8485`; undefined for `1e3`, `1,234.5`, `.5` and `0x1f`. */
export function decimalOf(text: string): Big | undefined {
  if (text.length > 2 * MAX_NUMERAL_LENGTH) return undefined;
  const numeral = trimWhiteSpace(text);
  if (numeral.length > MAX_NUMERAL_LENGTH || !/^[+-]?\d+(?:\.\d+)?$/.test(numeral)) return undefined;
  return new Decimal(numeral.replace('+', ''));
}

/** A number's share of a scale; undefined outside the scale. */
export function shareOn([least, most]: Scale, value: Big | number): Share | undefined {
  const part = new Decimal(value).minus(least);
  const whole = new Decimal(most).minus(least);
  return part.lt(0) || part.gt(whole) ? undefined : { part, whole };
}

/** The number with the same share of another scale, counted from the scale's other end if `invert` is set. */
export function numberOn([least, most]: Scale, { part, whole }: Share, invert: boolean): number {
  const counted = invert ? whole.minus(part) : part;
  return counted.times(new Decimal(most).minus(least)).div(whole).plus(least).toNumber();
}

/** The value of a text in one of the forms: a share of the scale, or the number itself. */
export type FormValue = Share | Big | undefined;

/** Undefined for a text that is not in the form: to read 0.7 as 70% would be a guess. */
export function readForm(form: Form, text: string, { range }: FactDefinition): FormValue {
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
