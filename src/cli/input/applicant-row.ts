/** The fields of a row, by their names -> an applicant to be decided, or what is wrong; never repeats a value. */

import type { Applicant } from '../../decision/applicant.ts';
import type { ContextValue } from '../../decision/context-facts.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { normaliseVariable } from '../../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import { didYouMean, printable } from '../../text.ts';
import { contextFact, readContextJson, readContextText } from './context.ts';

/** An applicant of a file. */
export interface Row {
  /** Where it stands in its file, from 1. */
  readonly line: number;
  /** Where it ends, in bytes. */
  readonly end: number;
  readonly applicant: Applicant;
  readonly clientReference?: string;
  readonly context: Readonly<Record<string, ContextValue>>;
  readonly variables: Readonly<Record<string, string>>;
}

/** A row that cannot be decided on. */
export interface BadRow {
  readonly line: number;
  readonly end: number;
  readonly problem: string;
}

/** A field that a row may have; its values are texts in CSV, and JSON otherwise. */
export type Field =
  | { readonly kind: 'identity'; readonly name: IdentityVariable }
  | { readonly kind: 'reference' }
  | { readonly kind: 'context' | 'variable'; readonly name: string };

/** The names of fields, in small letters; `context.NAME` and `variable.NAME` are read apart. */
const FIELDS: Readonly<Record<string, Field>> = {
  phoneno: { kind: 'identity', name: 'phoneNo' },
  phone: { kind: 'identity', name: 'phoneNo' },
  email: { kind: 'identity', name: 'email' },
  ip: { kind: 'identity', name: 'ip' },
  clientreference: { kind: 'reference' },
  reference: { kind: 'reference' },
};

/** As they are written, for hints. */
export const FIELD_NAMES = ['phoneNo', 'phone', 'email', 'ip', 'clientReference', 'reference'] as const;

/** Anything else may be somebody's phone number or address, where a file has no line of names. */
const LIKE_A_NAME = /^[A-Za-z_][A-Za-z_ .-]{0,39}$/;

/** The field of this name; or what is wrong with the name. */
export function findField(
  written: string,
  facts: FactTable,
): Field | { readonly problem: string; readonly isNoName?: true } {
  const name = written.trim();
  const field = Object.hasOwn(FIELDS, name.toLowerCase()) ? FIELDS[name.toLowerCase()] : undefined;
  if (field) return field;
  const [, kind, own = ''] = /^(context|variable)\.(.+)$/.exec(name) ?? [];
  if (kind === 'variable') return { kind, name: own };
  if (kind === 'context' && contextFact(own, facts)) return { kind, name: own };
  const declared = [...facts].flatMap(([path, { origin }]) => (origin === 'caller' ? [path] : []));
  if (!LIKE_A_NAME.test(name)) {
    return { problem: 'something that is no name stands where the name of a field was expected', isNoName: true };
  }
  const { hint } = didYouMean(name, [...FIELD_NAMES, ...declared]);
  const what = kind === 'context' ? 'the policy declares no fact' : 'there is no field';
  return { problem: `${what} "${printable(name.slice(0, 80))}"${hint === undefined ? '' : `; ${hint}`}` };
}

/** What identifies a field: two names of one field have the same. */
export function keyOf(field: Field): string {
  return field.kind === 'reference' ? 'clientReference' : field.kind === 'identity' ? field.name : nameOf(field);
}

function nameOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}.${printable(name.slice(0, 80))}`;
}

/** A row of these fields. What is null or blank is not given. */
export function readRow(
  place: { readonly line: number; readonly end: number },
  given: Iterable<readonly [Field, unknown]>,
  facts: FactTable,
  format: 'csv' | 'ndjson',
): Row | BadRow {
  const { line, end } = place;
  const applicant: { [Variable in IdentityVariable]?: string } = {};
  const context: [string, ContextValue][] = [];
  const variables: [string, string][] = [];
  let clientReference: string | undefined;
  const bad = (problem: string): BadRow => ({ line, end, problem });
  for (const [field, value] of given) {
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) continue;
    switch (field.kind) {
      case 'identity': {
        const problem = identityProblem(field.name, value, format);
        if (problem !== undefined) return bad(`${field.name} ${problem}`);
        applicant[field.name] = String(value).trim();
        break;
      }
      case 'reference':
        if (typeof value !== 'string') return bad('clientReference has to be a text, in quotes');
        clientReference = value.trim();
        break;
      case 'context': {
        const definition = contextFact(field.name, facts);
        const read =
          definition && format === 'ndjson'
            ? readContextJson(value, definition)
            : readContextText(String(value).trim(), definition);
        if ('problem' in read) return bad(`${nameOf(field)}: ${read.problem}`);
        context.push([field.name, read.value]);
        break;
      }
      case 'variable':
        if (typeof value !== 'string') return bad(`${nameOf(field)} has to be a text, in quotes`);
        variables.push([field.name, value.trim()]);
    }
  }
  if (IDENTITY_VARIABLES.every((variable) => applicant[variable] === undefined)) {
    return bad('neither a phone number, nor an email, nor an IP address');
  }
  return {
    line,
    end,
    applicant,
    ...(clientReference === undefined ? {} : { clientReference }),
    context: Object.fromEntries(context),
    variables: Object.fromEntries(variables),
  };
}

/** Why a value makes its row a wrong one: an email or an IP that cannot be sent does not, a phone number does. */
function identityProblem(variable: IdentityVariable, value: unknown, format: 'csv' | 'ndjson'): string | undefined {
  if (format === 'csv' && /["\n]/.test(String(value))) {
    return 'has a quotation mark or a line break inside: are its quotation marks closed?';
  }
  if (typeof value === 'string' && variable !== 'phoneNo') return undefined;
  const read = normaliseVariable(variable, value);
  if (!('problem' in read)) return undefined;
  // What a spreadsheet makes of a long number.
  const isScientific = typeof value === 'string' && /^\s*\d([.,]\d+)?e\+?\d+\s*$/i.test(value);
  return isScientific ? 'is a number in scientific notation: its digits are lost' : read.problem;
}
