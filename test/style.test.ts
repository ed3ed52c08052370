/** What the formatter does not hold: the width of comments and texts. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const MOST_COLUMNS = 120;

test.each(['src', 'test'])(`no line of %s is wider than ${MOST_COLUMNS} columns`, (folder) => {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\/node_modules\/.*)\.ts$/.test(`/${file}`),
  );
  const wide = files.flatMap((file) =>
    readFileSync(join(ROOT, folder, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (line.length > MOST_COLUMNS ? [`${folder}/${file}:${i + 1}`] : [])),
  );
  expect(wide).toEqual([]);
});
