/** No line is too wide: the formatter does not wrap comments and texts. */

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

test.each(Object.entries(WIDE))(`no line of %s is wider than ${MOST_COLUMNS} columns`, (folder, isWide) => {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('node_modules'),
  );
  const wide = files.flatMap((file) =>
    readFileSync(join(ROOT, folder, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (isWide(line) ? [`${folder}/${file}:${i + 1}`] : [])),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(wide).toEqual([]);
});
