/** A text for people -> the ages and amounts that it names as limits: `the last 30 days`, `more than 3 ports`. */

/** A number with its unit. */
export interface Amount {
  readonly number: number;
  /** `days`, `years`, or the unit of a fact. */
  readonly unit: string;
  /** As written: `2 weeks`. */
  readonly words: string;
}

const AGE = String.raw`(?<![\d.,])(?<number>\d{1,5}) (?<unit>day|week|year)s?`;
/** Ways to speak of an age. `within 2 days` is not one of them: the analyst may have to answer by then. */
const AGES = [
  String.raw`\b(?:last|past|previous) ${AGE}\b`,
  String.raw`\b(?:older|newer|younger) than ${AGE}\b`,
  String.raw`${AGE} (?:ago|old)\b`,
].map((source) => new RegExp(source, 'gi'));

const COMPARED = '(?:more than|less than|fewer than|over|above|below|under|at least|at most|up to)';

/** The ages that a text names, in days, or in years if they are so written. */
export function agesIn(text: string): readonly Amount[] {
  return AGES.flatMap((pattern) => [...plain(text).matchAll(pattern)]).map(({ groups }) => {
    const { number = '', unit = '' } = groups ?? {};
    const words = `${number} ${unit}${number === '1' ? '' : 's'}`;
    const isWeek = unit.toLowerCase() === 'week';
    return { number: Number(number) * (isWeek ? 7 : 1), unit: unit.toLowerCase() === 'year' ? 'years' : 'days', words };
  });
}

/** The amounts of a unit that a text compares something with. */
export function amountsIn(text: string, unit: string): readonly Amount[] {
  const pattern = new RegExp(String.raw`\b${COMPARED} (?<number>\d{1,9}) ${unit.replace(/s$/, '')}s?\b`, 'gi');
  return [...plain(text).matchAll(pattern)].map(({ groups }) => {
    return { number: Number(groups?.['number']), unit, words: `${groups?.['number']} ${unit}` };
  });
}

/** A text with one space for any white space. A placeholder is no number: it shows the right one. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ');
}
