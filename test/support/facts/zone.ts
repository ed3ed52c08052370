/**
 * `node zone.ts COUNT`: so many dates, possible and impossible, in every format -> the digest of the facts that
 * they give in this process's time zone.
 */

import { createHash } from 'node:crypto';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber } from '../../../src/facts/day.ts';
import { readFact } from '../../../src/facts/fact-reader.ts';
import { DAY_FORMATS, readDayAs } from '../../../src/facts/mapping/value/day-format.ts';
import { pick, type Random, randomOf } from './mutate.ts';

const TODAY = '2025-11-20';
const DEFINITION = CATALOG_TABLE.get('email.domain.firstSeen');
if (!DEFINITION) throw new Error('no such fact');

const FIRST = dayNumber('1900-01-01');
const LAST = dayNumber('2030-12-31');

/** The edges of months and years, leap days, and days that do not exist. */
const EDGES = [
  '01-01',
  '12-31',
  '02-28',
  '02-29',
  '02-30',
  '03-01',
  '03-31',
  '04-31',
  '06-30',
  '10-31',
  '13-01',
  '00-10',
];

const random = randomOf(50_000);
const hash = createHash('sha256');
const counts = { valid: 0, invalid: 0 };
for (let i = Number(process.argv[2]); i > 0; i--) {
  const written = aDate(random);
  const day = readDayAs(written, {
    formats: ['yyyy-MM-dd', ...formatsFor(i)],
    partial: undefined,
    past: true,
    today: TODAY,
  });
  const fact = day === undefined ? undefined : readFact(DEFINITION, { value: day }, TODAY);
  counts[day === undefined ? 'invalid' : 'valid']++;
  hash.update(JSON.stringify([written, day, fact]));
}
const offset = -new Date(2019, 6, 1).getTimezoneOffset();
process.stdout.write(JSON.stringify({ digest: hash.digest('hex'), ...counts, offset }));

/** All of them, day first and month first in turn. */
function formatsFor(i: number) {
  const isMonthFirst = (format: string) => /^M+\//.test(format);
  const isDayFirst = (format: string) => /^d+\//.test(format);
  return DAY_FORMATS.filter((format) => !(i % 2 === 0 ? isMonthFirst(format) : isDayFirst(format)));
}

function aDate(random: Random): string | number {
  const days = FIRST + Math.floor(random() * (LAST - FIRST));
  const [year = '', month = '', day = ''] = dayOfNumber(days).split('-');
  const edge = `${year}-${pick(EDGES, random)}`;
  const [, edgeMonth = '', edgeDay = ''] = edge.split('-');
  const time = `T${pick(['00:00:00', '00:30:00', '23:59:59.999', '12:00'], random)}`;
  const offset = pick(['', 'Z', '+14:00', '-12:00', '+05:45', '-03:00'], random);
  const millis = days * 86_400_000 + Math.floor(random() * 86_400_000);
  return pick(
    [
      dayOfNumber(days),
      edge,
      `${edge}${time}${offset}`,
      `${dayOfNumber(days)}${time}${offset}`,
      `${day}/${month}/${year}`,
      `${edgeDay}/${edgeMonth}/${year}`,
      `${edgeDay}.${edgeMonth}.${year}`,
      `${year}${edgeMonth}${edgeDay}`,
      `${Number(edgeDay)} ${pick(['Jan', 'Feb', 'Mar', 'Oct', 'December'], random)} ${year}`,
      millis,
      Math.floor(millis / 1000),
      Math.floor(random() * 20_000),
    ],
    random,
  );
}
