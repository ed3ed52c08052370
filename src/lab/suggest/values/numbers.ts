/** The numbers of a score or a coordinate -> how they are written, and their scale if the answers state it. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import type { Subject } from '../names/subject.ts';
import { createReading, type Evidence, type Reading, type Scale } from './reading.ts';

const NUMERAL = /^[+-]?\d{1,12}(?:\.\d{1,15})?$/;
const FRACTION = /^\d+(?:\.\d+)?\s*\/\s*\d+(?:\.\d+)?$/;
const PERCENT = /^\d+(?:\.\d+)?\s*%$/;
const OUT_OF = /^(\d+(?:\.\d+)?)\s+(of|out of|von|from)\s+(\d+)$/i;
const HEMISPHERE = /^(?:[NESW]\s?)?\d+(?:\.\d+)?\s?°?\s?[NESW]?$/i;

/** The question that no answer settles for a score. */
export function askDirection(path: string): string {
  return path === 'email.behaviour.activityScore' ? 'is 100 the most active?' : 'is 100 the riskiest?';
}

/** Reads a score. If nothing states its scale, `settleScores` judges it by all of the answers. */
export function readScore(
  values: readonly Scalar[],
  subject: Subject,
  { scale }: Evidence,
  path: string,
): Reading | undefined {
  const texts = textsOf(values);
  const read = (why: string, numbers: readonly number[], keys: Reading['keys']): Reading =>
    createReading('likely', why, { keys, ask: [askDirection(path)], score: { numbers, hasScale: true } });
  if (texts.every((text) => FRACTION.test(text))) {
    const shares = texts.map((text) => {
      const [part = 0, whole = 0] = text.split('/').map(Number);
      return (part / whole) * 100;
    });
    return read('each value states its scale', shares, { form: 'fraction' });
  }
  if (texts.every((text) => PERCENT.test(text))) {
    return read('percent', texts.map(Number.parseFloat), { form: 'percent' });
  }
  const outOf = readOutOf(texts);
  if (outOf) return read('each value states its scale', outOf.numbers, outOf.keys);
  if (!texts.every((text) => NUMERAL.test(text))) return undefined;
  const numbers = texts.map(Number);
  const isPercent = subject.units.has('percent') && numbers.some((number) => number > 1);
  const stated: Scale | undefined = scale ?? (isPercent ? [0, 100] : undefined);
  if (!stated || numbers.some((number) => number < stated[0] || number > stated[1])) {
    return { ...read('', numbers, {}), why: [], score: { numbers, hasScale: false } };
  }
  const keys = stated[0] === 0 && stated[1] === 100 ? {} : { range: stated };
  return read(`the answer states its scale, ${stated[0]} to ${stated[1]}`, toHundred(numbers, stated), keys);
}

function textsOf(values: readonly Scalar[]): readonly string[] {
  return values.map((value) => (typeof value === 'boolean' ? '' : String(value).trim()));
}

/** `61 of 100`: if all have the same whole, the first part on its scale. */
function readOutOf(texts: readonly string[]) {
  const parts = texts.map((text) => OUT_OF.exec(text));
  const [first] = parts;
  const scale = usualScale(0, Number(first?.[3]));
  if (!first || !scale || parts.some((part) => part?.[2] !== first[2] || part?.[3] !== first[3])) return undefined;
  const numbers = parts.map((part) => Number(part?.[1]));
  if (numbers.some((number) => number > scale[1])) return undefined;
  const range = scale[1] === 100 ? {} : { range: scale };
  return { keys: { split: first[2], part: 1, ...range }, numbers: toHundred(numbers, scale) };
}

function toHundred(numbers: readonly number[], [lowest, highest]: Scale): readonly number[] {
  return numbers.map((number) => ((number - lowest) / (highest - lowest)) * 100);
}

/** Reads degrees, with or without a hemisphere letter. */
export function readDegrees(values: readonly Scalar[], { range }: FactDefinition): Reading | undefined {
  const texts = textsOf(values);
  const [lowest, highest] = range ?? [0, 0];
  const isWithin = (number: number) => number >= lowest && number <= highest;
  if (texts.every((text) => NUMERAL.test(text))) {
    return texts.every((text) => isWithin(Number(text))) ? createReading('sure', 'degrees') : undefined;
  }
  const letters = highest === 90 ? /[NS]/i : /[EW]/i;
  const areDegrees = texts.every(
    (text) => HEMISPHERE.test(text) && letters.test(text) && isWithin(Number.parseFloat(text.replace(/^\D+/, ''))),
  );
  if (!areDegrees) return undefined;
  return createReading('sure', 'degrees with a hemisphere letter', { keys: { form: 'hemisphere' } });
}

/** The scale that a text states: `0-100`, `out of 10`, `/100`, `max 1000`. */
export function findScale(text: string): Scale | undefined {
  const range = /(-?\d+(?:\.\d+)?)\s*(?:-|–|—|\.\.+|to|,)\s*(\d+(?:\.\d+)?)/.exec(text);
  if (range) return usualScale(Number(range[1]), Number(range[2]));
  const highest = /(?:out of|of|\/|max|scale)\s*(\d+(?:\.\d+)?)/i.exec(text);
  return highest ? usualScale(0, Number(highest[1])) : undefined;
}

/** The scale, if it is one that people use. */
export function usualScale(lowest: number, highest: number): Scale | undefined {
  const isUsual =
    (lowest === 0 || lowest === 1) && [1, 5, 10, 20, 50, 100, 500, 1000].includes(highest) && lowest < highest;
  return isUsual ? [lowest, highest] : undefined;
}
