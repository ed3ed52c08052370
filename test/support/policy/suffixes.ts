/**
 * The Public Suffix List as its keepers publish it (public_suffix_list.dat) -> the table of `src`. To renew it:
 * `npx node test/support/policy/suffixes.ts public_suffix_list.dat`
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asciiForm } from '../../../src/platform/formats/domain.ts';

const TABLE = join(import.meta.dirname, '../../../src/platform/formats/public-suffixes.json');
const [, , file = 'public_suffix_list.dat'] = process.argv;

const rules = readFileSync(file, 'utf8')
  .split('\n')
  .map((line) => line.trim().split(/\s/)[0] ?? '')
  .filter((rule) => rule !== '' && !rule.startsWith('//'))
  .map((rule) => {
    const [, sign = '', name = ''] = /^(!|\*\.)?(.*)$/.exec(rule) ?? [];
    return `${sign}${asciiForm(name)}`;
  });
const tops = Map.groupBy(rules, (rule) => rule.slice(rule.lastIndexOf('.') + 1));
const headOf = (rule: string) => rule.slice(0, Math.max(0, rule.lastIndexOf('.')));
const isAlone = ([, [only = '', ...others]]: readonly [string, readonly string[]]) =>
  others.length === 0 && !only.includes('.');
const sorted = [...tops].sort(([one], [other]) => (one < other ? -1 : 1));
const alone = sorted.filter(isAlone).map(([top]) => top);
const table = sorted
  .filter((each) => !isAlone(each))
  .map(
    ([top, each]) =>
      [
        top,
        each
          .map(headOf)
          .filter((head) => head !== '')
          .join(' '),
      ] as const,
  );
const about =
  'The Public Suffix List (publicsuffix.org): the labels before each last label; `.` has those without. This file is ' +
  'under the Mozilla Public License, v. 2.0: https://mozilla.org/MPL/2.0/. Made by test/support/policy/suffixes.ts.';
writeFileSync(TABLE, `${JSON.stringify({ '': about, '.': alone.join(' '), ...Object.fromEntries(table) }, null, 2)}\n`);
