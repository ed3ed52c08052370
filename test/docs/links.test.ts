/** The links of the documentation lead to files and headings that exist. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/docs/docs.ts';

const PAGES = ['*.md', 'docs/**/*.md'].flatMap((pattern) => globSync(pattern, { cwd: ROOT }));

const withoutCode = (text: string) => text.replace(/^(```+)[\s\S]*?^\1$/gm, '');

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(file: string): readonly string[] {
  const headings = withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each(PAGES)('%s', (page) => {
  const links = withoutCode(readFileSync(join(ROOT, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g);
  const broken = [...links].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
    const exists = existsSync(file) && (anchor === undefined || anchorsOf(file).includes(anchor));
    return exists ? [] : [link];
  });
  expect(broken).toEqual([]);
});
