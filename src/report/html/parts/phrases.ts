/** Facts, values, tests and days -> phrases of a page. */

import type { Distance } from '../../../decision/explain/distance.ts';
import type { FactState, TurningTest } from '../../../decision/explain/explanation.ts';
import type { FactDefinition, FactTable } from '../../../facts/catalog.ts';
import { daysBetween, isDay } from '../../../facts/day.ts';
import type { Cause } from '../../../facts/fact.ts';
import { count } from '../../../text.ts';
import { causeWords } from '../../words/missing.ts';
import { valueWords } from '../../words/reasons.ts';
import { sentenceOf } from '../../words/sentence.ts';
import { type Child, element, type Markup } from '../markup.ts';

/** What phrases depend on beside what they are of. */
export interface PhraseSetting {
  readonly table: FactTable;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
}

/** A name that machines read; it may be broken behind its dots, dashes, slashes and low lines. */
export function codeName(text: string, kind: 'fact' | 'name' = 'name'): Markup {
  const parts = text.split(/(?<=[._/-])/);
  return element(
    'code',
    { class: kind },
    parts.map((part, i) => (i === 0 ? part : [element('wbr', {}), part])),
  );
}

/** A path of a fact. */
export function factName(path: string): Markup {
  return codeName(path, 'fact');
}

/** A value as it stands in a policy or in an answer. */
export function codeValue(text: string): Markup {
  return element('code', { class: 'value' }, text);
}

/** What a fact is: `2026-11-13, 7 days before`; `missing: its source did not answer`. */
export function stateWords(state: FactState, path: string, { table, day }: PhraseSetting): Child {
  if ('missing' in state) return missingWords(path, state.missing);
  if ('hidden' in state) return element('span', { class: 'soft' }, 'known, and not shown here');
  const shown = codeValue(valueWords(state.value));
  const isDate = table.get(path)?.type === 'date' && typeof state.value === 'string' && isDay(state.value);
  return isDate ? [shown, `, ${agoWords(String(state.value), day)}`] : shown;
}

/** `7 days before`: the day of the decision, which may be long ago. */
function agoWords(of: string, day: string): string {
  const age = daysBetween(of, day);
  if (age === 0) return 'the same day';
  return age < 0 ? `${count(-age, 'day')} later` : `${count(age, 'day')} before`;
}

/** `missing: its source did not answer`. */
function missingWords(path: string, cause: Cause): Markup {
  return element('span', { class: 'missing' }, `missing: ${causeWords(path, cause)}`);
}

/** A test as data. */
export type TestData = Pick<TurningTest, 'fact' | 'operator' | 'expected' | 'negated'> & {
  readonly other?: { readonly fact: string };
};

/** `phone.porting.portedDate lies within the last 30 days`. */
export function testPhrase({ fact, other, ...test }: TestData): Child {
  const { text, isNegated } = sentenceOf(test);
  const [before = '', after] = text.split('…');
  const argument = other ? factName(other.fact) : argumentWords(test.operator, test.expected);
  return [isNegated ? 'not: ' : '', factName(fact), ` ${before}`, after === undefined ? '' : [argument, after]];
}

/** Several values with a comma, or `and` where they are the ends of a range. */
function argumentWords(operator: string, expected: unknown): Child {
  if (!Array.isArray(expected)) return codeValue(valueWords(expected));
  const between = operator === 'between' ? ' and ' : ', ';
  return expected.map((each, i) => [i === 0 ? '' : between, codeValue(valueWords(each))]);
}

const DISTANCE_UNITS: Readonly<Record<Distance['unit'], string>> = { number: '', days: 'day', levels: 'level' };

/** `missed by 3 days`; `at the limit`, where the limit itself is out. */
export function distanceWords({ amount, unit }: Distance): string {
  if (amount === 0) return 'at the limit, which is out';
  return `missed by ${DISTANCE_UNITS[unit] === '' ? amount : count(amount, DISTANCE_UNITS[unit])}`;
}

/** A point in time: ISO 8601 as it is recorded, with the day and the time apart. */
export function instant(iso: string): Markup {
  const match = /^(\d{4}-\d{2}-\d{2})T([\d:.]+)Z$/.exec(iso);
  return element('time', { datetime: iso }, match ? `${match[1]} ${match[2]} UTC` : iso);
}

/** A day. */
export function dayOf(day: string): Markup {
  return element('time', { datetime: day }, day);
}

/** A count, with its thousands apart. */
export function grouped(n: number): string {
  return n.toLocaleString('en-US');
}

/** Things with a comma between them. */
export function listed(children: readonly Child[]): Child {
  return children.map((child, i) => [i === 0 ? '' : ', ', child]);
}

/** What a fact means, for people; undefined where nobody says. */
export function meaningOf(definition: FactDefinition | undefined): string | undefined {
  return definition?.description === '' ? undefined : definition?.description;
}
