/** No line is too wide: the formatter does not wrap comments and texts. No test is judged by the clock. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const MOST_COLUMNS = 120;

/** Lines that no code or comment of `src`, and no comment of `test`, may be: texts in tests are data. */
const WIDE: Readonly<Record<string, (line: string) => boolean>> = {
  src: (line) => line.length > MOST_COLUMNS,
  test: (line) => line.length > MOST_COLUMNS && /^\s*(?:\/\*|\*|\/\/)/.test(line),
};

function readAll(folder: string): readonly (readonly [file: string, text: string])[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  return own.map((file) => [`${folder}/${file}`, readFileSync(join(ROOT, folder, file), 'utf8')]);
}

test.each(Object.entries(WIDE))(`no line of %s is wider than ${MOST_COLUMNS} columns`, (folder, isWide) => {
  const files = readAll(folder);
  const wide = files.flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i) => (isWide(line) ? [`${file}:${i + 1}`] : [])),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(wide).toEqual([]);
});

/** A limit of a test or of a wait, which a busy machine passes; a time that is compared. */
const BY_THE_CLOCK = [
  /^.*\b(?:it|test|describe)\b.*\{ timeout\b.*$/gm,
  /^.*\b(?:waitFor|waitUntil|poll)\(.*(?:\btimeout: |, \d[\d_]*\)).*$/gm,
  /^\s*\}, (?:\d[\d_]{3,}|\w+_MS)\);$/gm,
  /^.*\bexpect\((?:performance|Date)\.now\(\) - .*$/gm,
];

test('no test has a limit of time of its own', () => {
  const tests = readAll('test').filter(([file]) => !/^test\/(?:soak|bench|style|support\/patience)\b/.test(file));
  const found = tests.flatMap(([file, text]) =>
    BY_THE_CLOCK.flatMap((pattern) => (text.match(pattern) ?? []).map((line) => `${file}: ${line.trim()}`)),
  );
  expect(found).toEqual([]);
});
