/** A place -> the scale that its name tells, or a field that stands beside it. */

import type { Told } from '../propose/candidates.ts';
import { scaleInWords, scaleOf } from './numbers.ts';

/** A scale in the name, in parentheses behind it, or in a field beside it: `max: 10`. */
export function scaleOfPlace(
  { spot, subject }: Told,
  siblings: readonly Told[],
): readonly [number, number] | undefined {
  const inName = scaleInWords(subject.aside) ?? scaleOfNumbers(subject.numbers);
  if (inName) return inName;
  const values = siblings.filter(({ spot: other }) => other.kind === 'value' && other.place !== spot.place);
  const isWrapped =
    subject.facets.size > 0 || siblings.filter(({ subject: { leaf } }) => leaf.has('score')).length === 1;
  for (const { spot: other } of values) {
    const name = (other.names.at(-1) ?? '').replace(/^[^\p{L}]+/u, '');
    const isItsOwn = isWrapped && OWN_SCALE.test(name);
    const own = spot.names.at(-1) ?? '';
    const isNamedAfter = name.toLowerCase().startsWith(own.toLowerCase()) && OWN_SCALE.test(name.slice(own.length));
    if (!isItsOwn && !isNamedAfter) continue;
    const scales = new Set(other.samples.map(({ value }) => String(value)));
    const [text = ''] = scales;
    const scale = scales.size === 1 ? (scaleInWords(text) ?? scaleOf(0, Number(text))) : undefined;
    if (scale) return scale;
  }
  return undefined;
}

const OWN_SCALE =
  /^[_\s-]*(?:max|maximum|out[_\s]?of|of|scale|range|max[_\s]?(?:score|value|points)|upper[_\s]?bound|scale[_\s]?max)$/i;

function scaleOfNumbers(numbers: readonly number[]): readonly [number, number] | undefined {
  const [a, b] = numbers;
  if (numbers.length === 1 && a !== undefined && a >= 10) return scaleOf(0, a);
  return numbers.length === 2 && a !== undefined && b !== undefined ? scaleOf(a, b) : undefined;
}
