/** The numbers of a score or of a coordinate -> how they are written, and on what scale they are as far as can be told. */

import type { FactDefinition } from '../../facts/catalog.ts';
import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';
import type { Subject } from '../names/subject.ts';
import type { Evidence, Reading } from './reading.ts';

const NUMERAL = /^[+-]?\d{1,12}(?:\.\d{1,15})?$/;
const FRACTION = /^\d+(?:\.\d+)?\s*\/\s*\d+(?:\.\d+)?$/;
const PERCENT = /^\d+(?:\.\d+)?\s*%$/;
const HEMISPHERE = /^(?:[NESW]\s?)?\d+(?:\.\d+)?\s?°?\s?[NESW]?$/i;

/** What no answer shows of a score. */
export function askOfUpperEnd(path: string): string {
  return path === 'email.behaviour.activityScore' ? 'is 100 the most active?' : 'is 100 the riskiest?';
}

/** A score; where nothing tells the scale, the number alone does not make it known, and `settleScales` has to. */
export function readScore(
  values: readonly Scalar[],
  subject: Subject,
  { scale }: Evidence,
  path: string,
): Reading | undefined {
  const texts = values.map((value) => (typeof value === 'boolean' ? '' : String(value).trim()));
  const ask = [askOfUpperEnd(path)];
  const base = { read: texts.length, asked: texts.length, ask, sureness: 'likely' } as const;
  if (texts.every((text) => FRACTION.test(text))) {
    const shares = texts.map((text) => {
      const [part = 0, whole = 0] = text.split('/').map(Number);
      return (part / whole) * 100;
    });
    return {
      ...base,
      keys: { form: 'fraction' },
      why: ['each value tells its scale'],
      score: { numbers: shares, isScaleTold: true },
    };
  }
  if (texts.every((text) => PERCENT.test(text))) {
    const numbers = texts.map(Number.parseFloat);
    return { ...base, keys: { form: 'percent' }, why: ['percent'], score: { numbers, isScaleTold: true } };
  }
  const outOf = readOutOf(texts);
  if (outOf) return { ...base, ...outOf, why: ['each value tells its scale'] };
  if (!texts.every((text) => NUMERAL.test(text))) return undefined;
  const numbers = texts.map(Number);
  const told =
    scale ?? (subject.units.has('percent') && numbers.some((number) => number > 1) ? ([0, 100] as const) : undefined);
  if (!told || numbers.some((number) => number < told[0] || number > told[1])) {
    return { ...base, keys: {}, why: [], score: { numbers, isScaleTold: false } };
  }
  const isOwn = told[0] === 0 && told[1] === 100;
  const why = [`the answer tells its scale, ${told[0]} to ${told[1]}`];
  return {
    ...base,
    keys: isOwn ? {} : { range: told },
    why,
    score: { numbers: onHundred(numbers, told), isScaleTold: true },
  };
}

/** `61 of 100`: where all are of the same whole, the first part on its scale. */
function readOutOf(texts: readonly string[]): Pick<Reading, 'keys' | 'score'> | undefined {
  const parts = texts.map((text) => OUT_OF.exec(text));
  const [first] = parts;
  const scale = scaleOf(0, Number(first?.[3]));
  if (!first || !scale || parts.some((part) => part?.[2] !== first[2] || part?.[3] !== first[3])) return undefined;
  const numbers = parts.map((part) => Number(part?.[1]));
  if (numbers.some((number) => number > scale[1])) return undefined;
  const range = scale[1] === 100 ? {} : { range: scale };
  const keys = { split: first[2], part: 1, ...range };
  return { keys, score: { numbers: onHundred(numbers, scale), isScaleTold: true } };
}

const OUT_OF = /^(\d+(?:\.\d+)?)\s+(of|out of|von|from)\s+(\d+)$/i;

function onHundred(numbers: readonly number[], [least, most]: readonly [number, number]): readonly number[] {
  return numbers.map((number) => ((number - least) / (most - least)) * 100);
}

/** Degrees, with or without the letter of a hemisphere. */
export function readDegrees(values: readonly Scalar[], { range }: FactDefinition): Reading | undefined {
  const texts = values.map((value) => (typeof value === 'boolean' ? '' : String(value).trim()));
  const [least, most] = range ?? [0, 0];
  const base = { read: texts.length, asked: texts.length, ask: [], sureness: 'sure' } as const;
  const isWithin = (number: number) => number >= least && number <= most;
  if (texts.every((text) => NUMERAL.test(text))) {
    return texts.every((text) => isWithin(Number(text))) ? { ...base, keys: {}, why: ['degrees'] } : undefined;
  }
  const letters = most === 90 ? /[NS]/i : /[EW]/i;
  const isDegrees = (text: string) =>
    HEMISPHERE.test(text) && letters.test(text) && isWithin(Number.parseFloat(text.replace(/^\D+/, '')));
  if (!texts.every(isDegrees)) return undefined;
  return { ...base, keys: { form: 'hemisphere' }, why: ['degrees with the letter of the hemisphere'] };
}

/** A scale in words: `0-100`, `out of 10`, `/100`, `1000`. */
export function scaleInWords(text: string): readonly [number, number] | undefined {
  const range = /(-?\d+(?:\.\d+)?)\s*(?:-|–|—|\.\.+|to|,)\s*(\d+(?:\.\d+)?)/.exec(text);
  if (range) return scaleOf(Number(range[1]), Number(range[2]));
  const most = /(?:out of|of|\/|max|scale)\s*(\d+(?:\.\d+)?)/i.exec(text);
  return most ? scaleOf(0, Number(most[1])) : undefined;
}

/** Scales that people make. */
export function scaleOf(least: number, most: number): readonly [number, number] | undefined {
  const isUsual = (least === 0 || least === 1) && [1, 5, 10, 20, 50, 100, 500, 1000].includes(most) && least < most;
  return isUsual ? [least, most] : undefined;
}
