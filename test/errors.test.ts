/** docs/errors.md, held to the codes of errors. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

test('each code of an error has its row, and each row its code', () => {
  const union = /export type ErrorCode =([\s\S]*?');\n/.exec(read('src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/\| '(\w+)'/g)].map(([, code]) => code);
  const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(15);
  expect(rows).toEqual(codes);
});
