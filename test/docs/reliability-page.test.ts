/** docs/reliability.md has the default options of the client. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLIENT_DEFAULTS } from '../../src/signals/options.ts';

test('the page lists every numeric option with its default', () => {
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([\d.,]+|true|false|none) \|/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  const { tokenPath: _token, requestIdHeader: _header, requestIdPath: _path, now: _now, ...numbers } = CLIENT_DEFAULTS;
  const shown = (value: number | boolean) =>
    typeof value === 'number' ? value.toLocaleString('en-US') : String(value);
  const expected = Object.entries(numbers).map(([name, value]) => [name, shown(value)]);
  expect(rows.sort()).toEqual([...expected, ['maxPerSecond', 'none'], ['maxCallsPerDay', 'none']].sort());
});
