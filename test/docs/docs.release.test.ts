/** Every command of a whole journey prints the output that its page shows. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JOURNEYS, ROOT, runPage } from '../support/docs/docs.ts';
import { environmentOf, sandboxFor } from '../support/signals/service.ts';

describe.each(JOURNEYS)('%s', (page) => {
  const markdown = readFileSync(join(ROOT, page), 'utf8');

  it('shows the output of its examples', async () => {
    const env = environmentOf(await sandboxFor());
    expect(await runPage(markdown, env)).toBe(markdown);
  });
});
