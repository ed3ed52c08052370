/** The text or JSON of a context fact -> the value in the type of the fact, or a problem. */

import type { ContextValue } from '../../decision/fetch/context-facts.ts';
import { type FactDefinition, type FactTable, LEVELS } from '../../facts/catalog.ts';
import { isDay } from '../../facts/day.ts';
import { NEVER } from '../../facts/fact.ts';
import { AMBIGUOUS_NUMBER, withDecimalPoint } from '../../platform/files/csv.ts';
import { readFormat } from '../../platform/formats/format.ts';
import { didYouMean } from '../../text.ts';
import { UsageError } from '../io.ts';

/** A value, or a problem, which says what was expected and never repeats the value. */
export type ReadContext = { readonly value: ContextValue } | { readonly problem: string };

/** The declaration of `context.NAME`; undefined if the policy has none. */
export function contextFact(name: string, facts: FactTable): FactDefinition | undefined {
  const definition = facts.get(`context.${name}`);
  return definition?.origin === 'caller' ? definition : undefined;
}

/** Reads the texts of `--context` as values of the facts' types. */
export function readContextOption(given: Readonly<Record<string, string>>, facts: FactTable) {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const fact = contextFact(name, facts);
      // The name may be a misplaced value.
      if (!fact) throw new UsageError(`--context: the policy declares no fact with that name${nearFact(name, facts)}`);
      const read = readContextText(text, fact);
      if ('problem' in read) throw new UsageError(`--context ${name}: ${read.problem}`);
      return [name, read.value];
    }),
  );
}

/** `; did you mean "tier"?`, or nothing. */
function nearFact(name: string, facts: FactTable): string {
  const bare = name.replace(/^context\./, '');
  if (bare !== name && facts.get(`context.${bare}`)?.origin === 'caller') return `; leave out the prefix: ${bare}=…`;
  const declared = [...facts].flatMap(([path, { origin }]) =>
    origin === 'caller' ? [path.slice('context.'.length)] : [],
  );
  const { hint } = didYouMean(bare, declared);
  return hint === undefined ? '' : `; ${hint}`;
}

/** Reads the text of an option, or of a cell of a file with a delimiter. */
export function readContextText(written: string, definition: FactDefinition | undefined, delimiter = ','): ReadContext {
  const isNumber = definition?.type === 'number' || definition?.type === 'integer';
  const text = isNumber ? withDecimalPoint(written, delimiter) : written;
  if (text === undefined) return { problem: AMBIGUOUS_NUMBER };
  switch (definition?.type) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? { value: Number(text) } : { problem: 'expected a number' };
    case 'integer':
      return /^-?\d+(\.0+)?$/.test(text) ? { value: Number(text) } : { problem: 'expected a whole number' };
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : { problem: 'expected true or false' };
    default:
      return checkText(text, definition);
  }
}

export function readContextJson(value: unknown, definition: FactDefinition): ReadContext {
  switch (definition.type) {
    case 'number':
    case 'integer':
      return typeof value === 'number' ? { value } : { problem: 'expected a number, without quotes' };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { problem: 'expected true or false, without quotes' };
    default:
      return typeof value === 'string' ? checkText(value, definition) : { problem: 'expected a text, in quotes' };
  }
}

function checkText(text: string, definition: FactDefinition | undefined): ReadContext {
  const { type, values = [], format } = definition ?? {};
  const allowed = type === 'enum' ? values : type === 'level' ? LEVELS : [text];
  if (!allowed.some((value) => value === text)) return { problem: `expected one of ${allowed.join(', ')}` };
  if (type === 'date' && text !== NEVER && !isDay(text)) return { problem: 'expected a day as yyyy-MM-dd, or never' };
  const read = format ? readFormat(format, text) : {};
  return 'problem' in read ? { problem: `the value ${read.problem}` } : { value: text };
}
