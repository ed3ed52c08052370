/** A value of an answer -> whether it is a placeholder, and whether a mapping has to name it. */

import type { FactType } from '../../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../../facts/mapping/value/spelling-key.ts';
import { splitList } from '../names/vocabulary.ts';

/** The placeholders that every proposed mapping names. */
export const COMMON_PLACEHOLDERS: readonly string[] = ['N/A', 'NA', 'Not Available', 'unknown', '-'];

/** Further placeholders, named in the signals where they occur. */
const OTHER_PLACEHOLDERS = String.raw`
  none, null, nil, undefined, nan, n.a., n.a, --, ---, ?, #n/a, n\a, ., *, tbd, error,
  no data, not found, unavailable, not applicable, not provided, not known, not supplied, not returned,
  no record, no records, no result, no results, no information, no info, data unavailable, missing,
  not determined, undetermined, not checked, not supported, unsupported, not specified, unspecified,
  pending, in progress, timeout, withheld, redacted, hidden, empty, no match, not set, blank`;

const COMMON: ReadonlySet<string> = new Set(COMMON_PLACEHOLDERS.map(spellingKey));
const OTHER: ReadonlySet<string> = new Set(splitList(OTHER_PLACEHOLDERS).map(spellingKey));

/** Days that mean no day: the zero of a database, Unix, .NET and Excel, and the end of time. */
const NO_DAY = /^(?:0000-00-00|0001-01-01|1900-01-0[01]|1899-12-3[01]|1970-01-01|9999-12-31)(?:[T ].*)?$/;
const NO_DAY_NUMERIC = /^(?:0?[01][/.-]0?[01][/.-](?:0000|0001|1900|1970)|31[/.-]12[/.-]9999|12[/.-]31[/.-]9999)$/;

/** Whether a value is a placeholder of every proposed mapping: null, blank, or a common placeholder. */
export function isCommonPlaceholder(value: Scalar | null): boolean {
  return value === null || (typeof value === 'string' && (value.trim() === '' || COMMON.has(spellingKey(value))));
}

/** Whether a value is a placeholder for a fact of this type that its signal has to name. */
export function isOwnPlaceholder(value: Scalar, type: FactType): boolean {
  const text = String(value).trim();
  const isNumeric = type === 'number' || type === 'integer';
  if (/^-(?:1|9|99|999|9999)(?:\.0+)?$/.test(text)) return type !== 'string';
  if (type === 'date') return text === '0' || NO_DAY.test(text) || NO_DAY_NUMERIC.test(text) || isNothing(text);
  // Almost any text can be the name of a company, but not a sentence with its full stop.
  if (type === 'string' && !/[.!]$/.test(text)) return OTHER.has(spellingKey(text));
  return (isNumeric || typeof value === 'string') && isNothing(text);
}

/** A word for no value, or a sentence that says so: `Not included in your plan.` */
function isNothing(text: string): boolean {
  return (
    OTHER.has(spellingKey(text)) || (text.length < 100 && /^(?:[Nn]ot?|NOT?) \p{Ll}+(?: \p{Ll}.*)?[.!]?$/u.test(text))
  );
}
