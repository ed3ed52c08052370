/** The documentation, run: every command and program in it gives the output that stands there, every link leads somewhere. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, ROOT, runPage } from '../support/docs/docs.ts';
import { environmentOf, sandboxFor } from '../support/signals/service.ts';

describe.each(PAGES)('%s', (page) => {
  const markdown = readFileSync(join(ROOT, page), 'utf8');

  it('shows what its examples really give', { timeout: 60_000 }, async () => {
    const env = environmentOf(await sandboxFor());
    expect(await runPage(markdown, env)).toBe(markdown);
  });

  it('has no link that leads nowhere', () => {
    const targets = [...markdown.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => target);
    const inside = targets.filter((target) => !/^https?:/.test(target));
    expect(inside.filter((target) => !existsSync(resolve(ROOT, dirname(page), target)))).toEqual([]);
  });
});
