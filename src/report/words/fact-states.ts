/** Facts, their states and tests of them -> words. */

import type { Distance } from '../../decision/explain/distance.ts';
import type { FactState, TurningTest } from '../../decision/explain/explanation.ts';
import { isRange, saysValue, sentenceOf, valueWords } from '../../decision/explain/sentence.ts';
import { type Evidence, isListed, shownArgument } from '../../decision/meaning/evidence.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { isDay } from '../../facts/day.ts';
import type { ExampleLine } from '../../lab/question/find-applicant.ts';
import { hasPersonalTexts, isPersonal } from '../../policy/identities.ts';
import type { Policy } from '../../policy/language.ts';
import { count, toJson } from '../../text.ts';
import { code, joined, listed, type Marked, soft, type Words } from '../outline.ts';
import { ageWords } from './days.ts';
import { causeWords } from './missing.ts';

/** Replaces a known value. */
export const NOT_SHOWN = '(not shown)';

/** What the words for facts of a decision depend on. */
export interface StateSetting {
  /** yyyy-MM-dd. */
  readonly day: string;
  /** The facts of its policy. */
  readonly table: FactTable;
}

/** The longest description of a declared fact that can be its name. */
const LONGEST_NAME = 60;

/** The name of a fact for people: its label in the catalog, or its description if that is short. */
export function nameOfFact(path: string, table: FactTable): string | undefined {
  const { label, description = '' } = table.get(path) ?? {};
  if (label !== undefined) return label;
  const text = description.replace(/\.$/, '');
  return text === '' || text.length > LONGEST_NAME || text.includes('. ') ? undefined : text;
}

/** A fact, as the subject of a sentence. */
function factMark(path: string, table: FactTable): Marked {
  return { mark: 'fact', of: path, name: nameOfFact(path, table) };
}

/** The paths of facts that were named for people. */
export function pathMarks(paths: readonly string[], table: FactTable): Words {
  const named = [...new Set(paths)].filter((path) => nameOfFact(path, table) !== undefined);
  return named.map((of): Marked => ({ mark: 'path', of }));
}

/** A fact with its path, as a cell of a table. */
export function factCell(path: string, table: FactTable): Words {
  return [factMark(path, table), pathMarks([path], table)];
}

/** The state of a fact: `2026-11-13, 7 days before`; `missing: its source did not answer`. */
export function stateWords(path: string, state: FactState, { day, table }: StateSetting): Words {
  if ('missing' in state) return { mark: 'missing', of: `missing: ${causeWords(path, state.missing, table)}` };
  if ('hidden' in state) return soft(NOT_SHOWN);
  const { value } = state;
  const shown = code(valueWords(value));
  return typeof value === 'string' && isDay(value) ? [shown, `, ${ageWords(value, day)}`] : shown;
}

/** The states of the facts of a test: `2500; The limit of the household: 2500`. */
export function testStates(
  { fact, is, other }: Pick<TurningTest, 'fact' | 'is' | 'other'>,
  setting: StateSetting,
): Words {
  const shown = stateWords(fact, is, setting);
  if (!other) return shown;
  return [shown, '; ', factMark(other.fact, setting.table), ': ', stateWords(other.fact, other.is, setting)];
}

type TestData = Pick<TurningTest, 'fact' | 'operator' | 'expected' | 'negated'> & {
  readonly other?: { readonly fact: string } | undefined;
};

/** `Number last ported lies within the last 30 days`. */
export function testPhrase({ fact, other, ...test }: TestData, table: FactTable): Words {
  const [before = '', after] = sentenceOf(test).split('…');
  const argument = other
    ? factMark(other.fact, table)
    : argumentWords(test.operator, shownArgument({ fact, ...test }, table));
  return [factMark(fact, table), ` ${before}`, after === undefined ? [] : [argument, after]];
}

/** Several values with commas, or the ends of a range with `and`. */
function argumentWords(operator: string, expected: unknown): Words {
  if (isListed(expected)) return valueWords(expected);
  if (!Array.isArray(expected)) return code(valueWords(expected));
  const values = expected.map((each) => code(valueWords(each)));
  return isRange(operator) ? joined(values, ' and ') : listed(values);
}

/** What a rule found: its message, or the tests that made it fire. */
export function foundWords(message: string | undefined, evidence: readonly Evidence[], setting: StateSetting): Words {
  const tests = evidence.map((each) => evidenceWords(each, setting));
  return message ?? joined(tests, '; ');
}

/**
 * `Number last ported lies within the last 30 days: 2026-11-13, 7 days before`. Never shows the values of personal
 * facts: the output of terminals is logged and copied, and pages are passed on.
 */
export function evidenceWords(evidence: Evidence, setting: StateSetting): Words {
  const { fact, other, value } = evidence;
  const { table } = setting;
  const met = (path: string, found: Evidence['value']) => {
    if (found === undefined) return 'missing';
    return stateWords(path, isPersonal(path, table) ? { hidden: true } : { value: found }, setting);
  };
  return [
    testPhrase(evidence, table),
    saysValue(evidence, value) ? [] : [': ', met(fact, value)],
    other ? ['; ', factMark(other.fact, table), ': ', met(other.fact, other.value)] : [],
  ];
}

/** `3 days`; `2 levels`; `12.5`. */
export function amountWords({ amount, unit }: Distance): string {
  return unit === 'number' ? String(amount) : count(amount, unit.slice(0, -1));
}

/** `missed by 3 days`; `at the limit` if the limit itself does not pass. */
export function distanceWords(distance: Distance): string {
  return distance.amount === 0 ? 'at the limit, which is out' : `missed by ${amountWords(distance)}`;
}

/** `+15 points`. */
export function pointWords(points: number): string {
  return `${points < 0 ? '−' : '+'}${count(Math.abs(points), 'point')}`;
}

/** The policies say which facts are personal. */
export function shownLine({ facts, ...causes }: ExampleLine, policies: readonly Policy[]): string {
  const isHidden = (path: string) => policies.some((policy) => hasPersonalTexts(path, policy.facts));
  const shown = Object.entries(facts).map(([path, value]) => [path, isHidden(path) ? NOT_SHOWN : value]);
  return toJson({ facts: Object.fromEntries(shown), ...causes });
}
