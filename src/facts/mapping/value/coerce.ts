/** One value found in an answer -> a value of its fact's type, as the signal's mapping says; nothing is guessed. */

import type { Big } from 'big.js';
import type { FactDefinition, FactType } from '../../catalog.ts';
import { LAST_DAY } from '../../day.ts';
import { type FactValue, isMissing, type PresentFact } from '../../fact.ts';
import { readFact } from '../../fact-reader.ts';
import type { SignalMapping } from '../signal.ts';
import { isNoDate, readDayAs } from './day-format.ts';
import { decimalOf, numberOn, readForm, type Share, shareOn } from './scale.ts';
import { isScalar, spellingKey } from './spelling-key.ts';

/** The fact that a value is read for, the mapping of its signal, and the day of the decision (yyyy-MM-dd). */
export interface ReadingContext {
  readonly definition: FactDefinition;
  readonly signal: SignalMapping;
  readonly today: string;
}

/** Undefined if the value cannot be read as the fact's type. */
export function coerce(found: unknown, context: ReadingContext): PresentFact | undefined {
  const named = isScalar(found) ? context.signal.values.get(spellingKey(found)) : undefined;
  const value = COERCERS[context.definition.type](found, named, context);
  // Dates are checked against the day of the decision later, when the facts are read.
  const fact = readFact(context.definition, { value }, LAST_DAY);
  return isMissing(fact) ? undefined : fact;
}

/** Whether a date is one that services write for "no date", and `values` does not say what it means. */
export function meansNoDate(found: unknown, context: ReadingContext): boolean {
  const { definition, signal } = context;
  if (definition.type !== 'date' || !isScalar(found) || signal.values.has(spellingKey(found))) return false;
  const read = coerce(found, context);
  return read !== undefined && isNoDate(String(read.value), { past: definition.past ?? false });
}

/** `named` is the value that `values` has for what was found. */
type Coercer = (found: unknown, named: FactValue | undefined, context: ReadingContext) => unknown;

/** Only names in `values`, which include the type's own names. */
const byName: Coercer = (_, named) => named;

const COERCERS: Readonly<Record<FactType, Coercer>> = {
  number: readNumber,
  integer: readNumber,
  level: byName,
  boolean: byName,
  enum: byName,
  string: (found, named) => named ?? found,
  date: (found, named, { definition: { past = false }, signal: { formats, partial }, today }) =>
    named ?? readDayAs(found, { formats, partial, past, today }),
};

/** A number that `values` gives is on the scale of the answer, too. */
function readNumber(found: unknown, named: FactValue | undefined, { definition, signal }: ReadingContext): unknown {
  const { form, range, invert } = signal;
  const amount = named === undefined ? amountOf(found, definition, form) : named;
  if (amount === undefined) return undefined;
  const scale = range ?? (invert ? definition.range : undefined);
  const share = isShare(amount) ? amount : scale && isNumeric(amount) ? shareOn(scale, amount) : undefined;
  if (share && definition.range) return numberOn(definition.range, share, invert);
  // Outside the scale, or a share without a scale to put it on.
  if (scale || isShare(amount)) return undefined;
  return typeof amount === 'object' ? amount.toNumber() : amount;
}

function amountOf(
  found: unknown,
  definition: FactDefinition,
  form: SignalMapping['form'],
): Share | Big | number | undefined {
  if (typeof found === 'string') return form === undefined ? decimalOf(found) : readForm(form, found, definition);
  return typeof found === 'number' && Number.isFinite(found) && form === undefined ? found : undefined;
}

function isShare(amount: Share | Big | FactValue): amount is Share {
  return typeof amount === 'object' && Object.hasOwn(amount, 'whole');
}

function isNumeric(amount: Share | Big | FactValue): amount is Big | number {
  return typeof amount === 'number' || (typeof amount === 'object' && !isShare(amount));
}
