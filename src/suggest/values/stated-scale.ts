/** A field and its siblings -> the scale that its name, or a sibling, states. */

import type { AnswerField } from '../structure/collect-fields.ts';
import { findScale, usualScale } from './numbers.ts';
import type { Scale } from './reading.ts';

/** A scale in the name, in parentheses after it, or in a sibling: `max: 10`, `scoreMax: 10`. */
export function statedScale(field: AnswerField, siblings: readonly AnswerField[]): Scale | undefined {
  const { subject } = field;
  const inName = findScale(subject.aside) ?? scaleOfNumbers(subject.numbers);
  if (inName) return inName;
  const isOnlyScore = siblings.filter(({ subject: { leaf } }) => leaf.has('score')).length === 1;
  const ownName = field.names.at(-1) ?? '';
  for (const sibling of siblings) {
    if (sibling.kind !== 'value' || sibling.jsonPath === field.jsonPath) continue;
    const name = (sibling.names.at(-1) ?? '').replace(/^[^\p{L}]+/u, '');
    const isScale = (subject.facets.size > 0 || isOnlyScore) && SCALE_NAME.test(name);
    const isNamedAfter =
      name.toLowerCase().startsWith(ownName.toLowerCase()) && SCALE_NAME.test(name.slice(ownName.length));
    if (!isScale && !isNamedAfter) continue;
    const scales = new Set(sibling.samples.map(({ value }) => String(value)));
    const [text = ''] = scales;
    const scale = scales.size === 1 ? (findScale(text) ?? usualScale(0, Number(text))) : undefined;
    if (scale) return scale;
  }
  return undefined;
}

const SCALE_NAME = new RegExp(
  '^[_\\s-]*(?:max|maximum|out[_\\s]?of|of|scale|range|max[_\\s]?(?:score|value|points)|upper[_\\s]?bound|' +
    'scale[_\\s]?max)$',
  'i',
);

function scaleOfNumbers(numbers: readonly number[]): Scale | undefined {
  const [a, b] = numbers;
  if (numbers.length === 1 && a !== undefined && a >= 10) return usualScale(0, a);
  return numbers.length === 2 && a !== undefined && b !== undefined ? usualScale(a, b) : undefined;
}
