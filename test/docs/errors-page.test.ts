/** docs/errors.md and docs/audit.md list all codes of errors, of problems and of findings. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FINDING_CODES } from '../../src/audit/verify/finding.ts';
import { WARNING_CODES } from '../../src/decision/events.ts';
import { writeProblems } from '../support/docs/problems-table.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const WARNINGS = /^## Warnings of a decision\n[\s\S]*?(?=^## )/m;
const codesIn = (page: string) => [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);

test('each warning code has one row, and each row a warning code', () => {
  expect(codesIn(WARNINGS.exec(read('docs/errors.md'))?.[0] ?? '')).toEqual(WARNING_CODES);
});

test('each error code has one row, and each row an error code', () => {
  const union = /export type ErrorCode =([\s\S]*?');\n/.exec(read('src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/\| '(\w+)'/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(15);
  expect(codesIn(read('docs/errors.md').replace(WARNINGS, ''))).toEqual(codes);
});

test('the problems of the HTTP service have their rows', () => {
  const page = read('docs/errors.md');
  expect(writeProblems(page), 'run npm run generate').toBe(page);
});

test('each verification finding has a row with its sentence', () => {
  const rows = [...read('docs/audit.md').matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(([, code, said]) => [
    code,
    said,
  ]);
  const codes = new Set(Object.keys(FINDING_CODES));
  expect(rows.filter(([code = '']) => codes.has(code))).toEqual(Object.entries(FINDING_CODES));
});
