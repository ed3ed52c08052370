/** Every command and program of a page prints the output that it shows; docs.release.test.ts has whole journeys. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPrograms, JOURNEYS, PAGES, ROOT, runPage } from '../support/docs/docs.ts';
import { environmentOf, sandboxFor } from '../support/signals/service.ts';

describe.each(PAGES.filter((page) => !JOURNEYS.includes(page)))('%s', (page) => {
  const markdown = readFileSync(join(ROOT, page), 'utf8');

  it('shows the output of its examples', async () => {
    const env = environmentOf(await sandboxFor());
    expect(await runPage(markdown, env)).toBe(markdown);
  });
});

it('has programs that compile', () => checkPrograms(PAGES));
