/** Runs the documentation: every command and program in it gives the output that the page shows. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, ROOT, runPage } from '../support/docs/docs.ts';
import { environmentOf, sandboxFor } from '../support/signals/service.ts';

describe.each(PAGES)('%s', (page) => {
  const markdown = readFileSync(join(ROOT, page), 'utf8');

  it('shows what its examples print', { timeout: 60_000 }, async () => {
    const env = environmentOf(await sandboxFor());
    expect(await runPage(markdown, env)).toBe(markdown);
  });
});
