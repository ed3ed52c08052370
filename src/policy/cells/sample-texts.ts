/** The tests of a text fact -> sample texts that fall into different cells. */

import { examplesOf, readPart } from '../../formats/example.ts';
import type { Format } from '../../formats/format.ts';
import type { NamedList, Pattern } from '../arguments.ts';
import type { Test } from '../language.ts';
import type { Axis } from './cells.ts';
import { literalsOf } from './text-axis.ts';

/** The most texts that are composed of parts. */
const MOST_TEXTS = 500;

/** Texts that most tests do not match. */
const PLAIN_TEXTS = ['other', 'a', 'b', '0', 'a b'];

/** Sample texts for a fact on a day. They are not validated: some may not be values of the fact. */
export function sampleTexts(
  axes: readonly Axis[],
  tests: readonly Test[],
  format: Format | undefined,
  day: string,
): string[] {
  const named = tests.flatMap(literalsOf).map(String);
  // The country of an applicant may follow from other facts, of which few are tried.
  if (format === 'country') return [...examplesOf(format).take(MOST_COUNTRIES), ...named, ...tests.flatMap(entriesOf)];
  const witnesses = axes.flatMap(({ cells }) => cells.flatMap((cell) => cell.witness(day) ?? [])).map(String);
  const plain = format === undefined ? PLAIN_TEXTS : [...examplesOf(format).take(PLAIN_TEXTS.length)];
  const texts = composed(tests);
  const completed =
    format === undefined ? [] : texts.flatMap((text) => readPart(format, text, 'contains').example ?? []);
  return [...new Set([...witnesses, ...plain, ...named, ...texts, ...completed])];
}

/** The countries that are tried, those with the most telephone numbers. */
const MOST_COUNTRIES = 32;

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
    operator === 'matches' ? alternativesOf((argument as Pattern).source).flatMap(sampleOf) : [],
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

/** The most alternatives of one group that are tried. */
const MOST_ALTERNATIVES = 8;

/** A pattern with each of the alternatives of its first group that has some. */
function alternativesOf(source: string): string[] {
  const [group = '', inner] = /\((?:\?:)?([^()|]*(?:\|[^()|]*)+)\)/.exec(source) ?? [];
  if (inner === undefined) return [source];
  return inner
    .split('|')
    .slice(0, MOST_ALTERNATIVES)
    .map((each) => source.replace(group, () => each));
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
