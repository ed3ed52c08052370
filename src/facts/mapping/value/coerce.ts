/** One value found in an answer -> the value of its fact's type, as the mapping of its signal says; nothing is guessed. */

import type { Big } from 'big.js';
import type { FactDefinition, FactType } from '../../catalog.ts';
import { type FactValue, isMissing, type PresentFact } from '../../fact.ts';
import { readFact } from '../../read.ts';
import type { SignalMapping } from '../signal.ts';
import { readDayAs } from './day-format.ts';
import { decimalOf, numberOn, readForm, type Share, shareOn } from './scale.ts';
import { isScalar, spellingKey } from './spelling-key.ts';

/** No date lies ahead of it: which dates do is for the day of the decision to say, when the facts are read. */
const LAST_DAY = '9999-12-31';

/** How one value is read: of what fact, by which mapping, and on which day (yyyy-MM-dd). */
export interface ReadingContext {
  readonly definition: FactDefinition;
  readonly signal: SignalMapping;
  readonly today: string;
}

/** Undefined where the value cannot be read as the fact's type. */
export function coerce(found: unknown, reading: ReadingContext): PresentFact | undefined {
  const named = isScalar(found) ? reading.signal.values.get(spellingKey(found)) : undefined;
  const value = COERCERS[reading.definition.type](found, named, reading);
  const fact = readFact(reading.definition, { value }, LAST_DAY);
  return isMissing(fact) ? undefined : fact;
}

/** From what was found, and what `values` makes of it. */
type Coercer = (found: unknown, named: FactValue | undefined, reading: ReadingContext) => unknown;

/** Only what `values` names: the type's own names are among them. */
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

/** What `values` names is a number of the scale on the wire too. */
function readNumber(found: unknown, named: FactValue | undefined, { definition, signal }: ReadingContext): unknown {
  const { form, range, invert } = signal;
  const amount = named === undefined ? amountOf(found, definition, form) : named;
  if (amount === undefined) return undefined;
  const scale = range ?? (invert ? definition.range : undefined);
  const share = isShare(amount) ? amount : scale && isNumeric(amount) ? shareOn(scale, amount) : undefined;
  if (share && definition.range) return numberOn(definition.range, share, invert);
  // Outside the scale, or on none.
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
