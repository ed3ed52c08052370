/** The `formats` of one signal (YAML) -> how its day can be written. */

import { reportAt, type Yaml } from '../../platform/yaml.ts';
import { readItems, readOneOf } from '../../platform/yaml-fields.ts';
import { DAY_FORMATS, type DayFormat, RIVAL_FORMATS } from './value/day-format.ts';

/** Each format once, and none that reads the texts of another as other days. */
export function readFormats(node: Yaml, what: string): readonly DayFormat[] | undefined {
  const formats: DayFormat[] = [];
  for (const item of readItems(node, what) ?? []) {
    const format = readOneOf(item, `an entry of ${what}`, DAY_FORMATS);
    if (format === undefined) continue;
    const rival = formats.find((other) => RIVAL_FORMATS.some((sides) => areOpposed(sides, format, other)));
    if (formats.includes(format)) reportAt(item, 'duplicate-name', `"${format}" is listed twice`);
    else if (rival !== undefined) {
      const message = `"${format}" contradicts "${rival}": 03/04/2019 would be two days`;
      reportAt(item, 'wrong-value', message, { hint: 'ask the service which of the two it writes' });
    } else formats.push(format);
  }
  return formats.length > 0 ? formats : undefined;
}

type Sides = (typeof RIVAL_FORMATS)[number];

function areOpposed([one, other]: Sides, a: DayFormat, b: DayFormat): boolean {
  return (one.includes(a) && other.includes(b)) || (one.includes(b) && other.includes(a));
}
