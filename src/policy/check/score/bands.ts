/** A policy -> the nodes of the bands of its score. */

import type { Yaml } from '../../../platform/yaml.ts';
import type { Band } from '../../language.ts';
import type { Check } from '../context.ts';

/** The node of a band's number. */
export function bandNode(band: Band, { keys }: Check): Yaml | undefined {
  const score = keys.get('score')?.value;
  return score?.kind === 'map' ? score.entries.get(band)?.value : undefined;
}
