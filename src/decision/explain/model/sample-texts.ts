/** The tests of a text fact -> sample texts that fall into different cells. */

import type { Axis } from '../../../policy/cells/cells.ts';
import { literalsOf } from '../../../policy/cells/text-axis.ts';
import type { Test } from '../../../policy/language.ts';
import type { NamedList, Pattern } from '../../../policy/operators.ts';

/** The most texts that are composed of parts. */
const MOST_TEXTS = 500;

/** Texts that most tests do not match. */
const PLAIN_TEXTS = ['other', 'a', 'b', '0', 'a b'];

/**
 * ISO 3166-1 codes, folded: a fact with that unit has only codes of countries and territories as values.
 * Countries with the most telephone numbers come first.
 */
const COUNTRY_CODES =
  'us gb in br de jp fr it es mx id tr kr pl ca ng za au nl eg ke ar co ro be se pt gr cz at ch ie nz'.split(' ');

/** The unit of facts that hold these codes. */
export const COUNTRY_UNIT = 'ISO 3166-1 alpha-2';

/** Sample texts for a fact on a day. They are not validated: some may not be values of the fact. */
export function sampleTexts(
  axes: readonly Axis[],
  tests: readonly Test[],
  unit: string | undefined,
  day: string,
): string[] {
  const named = tests.flatMap(literalsOf).map(String);
  if (unit === COUNTRY_UNIT) return [...COUNTRY_CODES, ...named, ...tests.flatMap(entriesOf)];
  const witnesses = axes.flatMap(({ cells }) => cells.flatMap((cell) => cell.witness(day) ?? [])).map(String);
  return [...new Set([...witnesses, ...PLAIN_TEXTS, ...named, ...composed(tests)])];
}

/** The most entries of a list that are tried: most tests treat all entries of a list alike. */
const MOST_ENTRIES = 50;

function entriesOf({ argument }: Test): string[] {
  const isList = typeof argument === 'object' && 'entries' in argument && 'longest' in argument;
  return isList ? [...(argument as NamedList).entries.keys()].slice(0, MOST_ENTRIES) : [];
}

/** Every combination of a tested start, middle and end. The middles are also joined, for two `contains` of one fact. */
function composed(tests: readonly Test[]): string[] {
  const parts = (operator: Test['operator']) =>
    tests.filter((test) => test.operator === operator).map(({ argument }) => String(argument));
  const patterns = tests.flatMap(({ operator, argument }) =>
    operator === 'matches' ? sampleOf((argument as Pattern).source) : [],
  );
  const middles = parts('contains');
  const inside = ['', ...middles, ...patterns, ...(middles.length > 1 ? [middles.join(' ')] : [])];
  const texts: string[] = [];
  for (const start of ['', ...parts('startsWith')]) {
    for (const middle of inside) {
      for (const end of ['', ...parts('endsWith')]) {
        texts.push(`${start}${middle}${end}`);
        if (texts.length >= MOST_TEXTS) return texts;
      }
    }
  }
  return texts;
}

/** Texts that a simple pattern may match: the first character of a class, the first alternative, one repeat. */
function sampleOf(source: string): string[] {
  const sample = source
    .replace(/\(\?[a-zA-Z]*:?/g, '(')
    .replace(/\|[^()]*(?=\)|$)/g, '')
    .replace(/\[([^\]^])[^\]]*\]/g, '$1')
    .replace(/\\d/g, '0')
    .replace(/\\[wW]/g, 'a')
    .replace(/\\s/g, ' ')
    .replace(/\\[bBAz]/g, '')
    .replace(/([^\\]|^)[$^()]/g, '$1')
    .replace(/(.)\{(\d+)[^}]*\}/g, (_, one: string, count: string) => one.repeat(Math.min(Number(count), 100)))
    .replace(/([^\\])[*+?]/g, '$1')
    .replace(/([^\\]|^)\./g, '$1a')
    .replace(/\\(.)/g, '$1')
    .toLowerCase();
  return [sample, source.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, '')];
}
