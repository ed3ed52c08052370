/** Every file that a page names exists, every link has a target, and the map of the code is complete. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { PAGES, ROOT } from '../support/docs/docs.ts';

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

describe.each([...PAGES, 'CHANGELOG.md'])('%s', (page) => {
  it('names no file of the repository that does not exist', () => {
    const paths = [...read(page).matchAll(/`((?:src|test|rules|docs)\/[a-z][\w./-]*)`/g)].map(([, path = '']) => path);
    // A word in capitals is a placeholder.
    const named = paths.filter((path) => !/[A-Z]{4}/.test(path));
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

/** The paths in the first column of the map, without trailing slashes. */
function mapOf(folder: 'src' | 'test'): readonly string[] {
  const table = read('CONTRIBUTING.md').split(`| \`${folder}/\` |`)[1]?.split('\n\n')[0] ?? '';
  const cells = table.split('\n').flatMap((row) => /^\| (`[^|]+) \|/.exec(row)?.[1] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, path = '']) => path));
}

test('the map of the source lists every stage, and only existing paths', () => {
  const paths = mapOf('src');
  const stages = readdirSync(join(ROOT, 'src')).filter((name) => name !== 'tsconfig.json');
  expect(stages.filter((name) => !paths.includes(name))).toEqual([]);
  // `cli/commands/`, `options/` …: folders that share a row share its parent.
  const exists = (path: string) => [path, `cli/${path}`].some((each) => existsSync(join(ROOT, 'src', each)));
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});

test('the map of the tests lists only existing paths', () => {
  const paths = mapOf('test');
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(ROOT, 'test', path)))).toEqual([]);
});
