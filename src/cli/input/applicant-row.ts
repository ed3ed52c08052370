/** The named fields of a row -> an applicant, or a problem, which never repeats a value. */

import type { ContextValue } from '../../decision/fetch/context-facts.ts';
import type { Applicant } from '../../decision/request.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { normaliseVariable } from '../../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import { didYouMean, printable } from '../../text.ts';
import { contextFact, readContextJson, readContextText } from './context.ts';

export interface Row {
  /** The line of the file, from 1. */
  readonly line: number;
  /** The end of the row in the file, in bytes. */
  readonly end: number;
  readonly applicant: Applicant;
  readonly clientReference?: string;
  readonly context: Readonly<Record<string, ContextValue>>;
  readonly variables: Readonly<Record<string, string>>;
}

export interface BadRow {
  readonly line: number;
  readonly end: number;
  readonly problem: string;
}

/** A field of a row; its values are texts in CSV, and JSON in NDJSON. */
export type Field =
  | { readonly kind: 'identity'; readonly name: IdentityVariable }
  | { readonly kind: 'reference' | 'context' | 'variable'; readonly name: string };

const REFERENCE: Field = { kind: 'reference', name: 'clientReference' };

/** The fields by their names, which may be in any case; without `context.NAME` and `variable.NAME`. */
const FIELDS: Readonly<Record<string, Field>> = {
  phoneNo: { kind: 'identity', name: 'phoneNo' },
  phone: { kind: 'identity', name: 'phoneNo' },
  email: { kind: 'identity', name: 'email' },
  ip: { kind: 'identity', name: 'ip' },
  clientReference: REFERENCE,
  reference: REFERENCE,
};
const FIELDS_IN_LOWER_CASE = new Map(Object.entries(FIELDS).map(([name, field]) => [name.toLowerCase(), field]));

/** If a file has no header, other texts may be a phone number or an address, and must not be repeated. */
const LIKE_A_NAME = /^[A-Za-z_][A-Za-z_ .-]{0,39}$/;

/** The field of this name, or the problem of the name. */
export function findField(
  written: string,
  facts: FactTable,
): Field | { readonly problem: string; readonly isNoName?: true } {
  const name = written.trim();
  const field = FIELDS_IN_LOWER_CASE.get(name.toLowerCase());
  if (field) return field;
  const [, kind, own = ''] = /^(context|variable)\.(.+)$/.exec(name) ?? [];
  if (kind === 'variable') return { kind, name: own };
  if (kind === 'context' && contextFact(own, facts)) return { kind, name: own };
  const declared = [...facts].flatMap(([path, { origin }]) => (origin === 'caller' ? [path] : []));
  if (!LIKE_A_NAME.test(name)) {
    return { problem: 'found a value, expected the name of a field', isNoName: true };
  }
  const { hint } = didYouMean(name, [...Object.keys(FIELDS), ...declared]);
  const what = kind === 'context' ? 'the policy declares no fact' : 'there is no field';
  return { problem: `${what} "${printable(name.slice(0, 80))}"${hint === undefined ? '' : `; ${hint}`}` };
}

/** The key of a field: two names of one field have the same key. */
export function keyOf({ kind, name }: Field): string {
  return kind === 'context' || kind === 'variable' ? `${kind}.${printable(name.slice(0, 80))}` : name;
}

/** The row with these fields. A null or blank value counts as not given. `delimiter`: of a CSV file. */
export function readRow(
  { line, end }: { readonly line: number; readonly end: number },
  fields: Iterable<readonly [Field, unknown]>,
  facts: FactTable,
  delimiter?: string,
): Row | BadRow {
  const applicant: { [Variable in IdentityVariable]?: string } = {};
  const context: [string, ContextValue][] = [];
  const variables: [string, string][] = [];
  let clientReference: string | undefined;
  const bad = (problem: string): BadRow => ({ line, end, problem });
  for (const [field, value] of fields) {
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) continue;
    switch (field.kind) {
      case 'identity': {
        const problem = identityProblem(field.name, value, delimiter !== undefined);
        if (problem !== undefined) return bad(`${field.name} ${problem}`);
        applicant[field.name] = String(value).trim();
        break;
      }
      case 'context': {
        const definition = contextFact(field.name, facts);
        const read =
          definition && delimiter === undefined
            ? readContextJson(value, definition)
            : readContextText(String(value).trim(), definition, delimiter);
        if ('problem' in read) return bad(`${keyOf(field)}: ${read.problem}`);
        context.push([field.name, read.value]);
        break;
      }
      case 'reference':
      case 'variable':
        if (typeof value !== 'string') return bad(`${keyOf(field)} is not a text: put it in quotes`);
        if (field.kind === 'reference') clientReference = value.trim();
        else variables.push([field.name, value.trim()]);
    }
  }
  if (IDENTITY_VARIABLES.every((variable) => applicant[variable] === undefined)) {
    return bad('no phone number, email or IP address');
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

/** Only a phone number must be valid; an email or an IP that cannot be sent becomes a missing fact. */
function identityProblem(variable: IdentityVariable, value: unknown, isCell: boolean): string | undefined {
  if (isCell && /["\n]/.test(String(value))) {
    return 'contains a quotation mark or a line break: is a quotation mark not closed?';
  }
  if (typeof value === 'string' && variable !== 'phoneNo') return undefined;
  const read = normaliseVariable(variable, value);
  if (!('problem' in read)) return undefined;
  // Spreadsheets turn long numbers into this.
  const isScientific = typeof value === 'string' && /^\s*\d([.,]\d+)?e\+?\d+\s*$/i.test(value);
  return isScientific ? 'is in scientific notation, so that its digits are lost' : read.problem;
}
