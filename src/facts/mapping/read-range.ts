/** The `range` of one signal (YAML) -> the scale on the wire. */

import { reportAt, type Yaml } from '../../platform/yaml.ts';
import { readItems, readNumber } from '../../platform/yaml-fields.ts';
import type { Scale } from './value/scale.ts';

/** Two numbers, the least and the greatest. */
export function readRange(node: Yaml, what: string): Scale | undefined {
  const items = readItems(node, what);
  if (items && items.length !== 2) {
    reportAt(node, 'wrong-value', `${what} has two numbers, the least and the greatest`);
    return undefined;
  }
  const [least, most] = items?.map((item) => readNumber(item, what)) ?? [];
  if (least === undefined || most === undefined) return undefined;
  if (least < most) return [least, most];
  reportAt(node, 'wrong-value', `${what} begins with ${least}, which is not less than ${most}`);
  return undefined;
}
