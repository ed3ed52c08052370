/** docs/checks/ has a page for each diagnostic code; its example causes this code and no other, and is then mended. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Diagnostic, DiagnosticCode } from '../../src/diagnostics.ts';
import {
  CHECKS_INDEX,
  CODES,
  checkMarkdown,
  checkPage,
  checksIndexMarkdown,
  pagesOnChecks,
  problemsOfExample,
} from '../support/docs/checks-pages.ts';

/** Codes that the example of another code cannot avoid. */
const ALSO: Partial<Record<DiagnosticCode, readonly DiagnosticCode[]>> = { 'too-many': ['empty'] };

// To write the heads, messages and index again: npm run test:file -- docs/checks --update=all
describe('docs/checks', () => {
  it('has a page for each diagnostic code, and no other', () => {
    expect([...pagesOnChecks()].sort()).toEqual([...CODES].sort());
  });

  it('has an index of all pages', async () => {
    await expect(checksIndexMarkdown(readFileSync(CHECKS_INDEX, 'utf8'))).toMatchFileSnapshot(CHECKS_INDEX);
  });
});

describe.each(CODES)('docs/checks/%s.md', (code) => {
  const page = readFileSync(checkPage(code), 'utf8');
  let problems: Promise<readonly Diagnostic[]> | undefined;
  const avoided = () => {
    problems ??= problemsOfExample(page, code, 'Avoid');
    return problems;
  };

  it('has an example to avoid, one to prefer, and says why', () => {
    const headings = [...page.replace(/^```.*?^```$/gms, '').matchAll(/^##? (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([code, 'Avoid', 'Prefer', 'Why']);
    expect(page.split('## Why\n')[1]?.trim()).toMatch(/\.$/);
  });

  it('has an example to avoid that causes this code and no other', async () => {
    const found = new Set((await avoided()).map((problem) => problem.code));
    expect([...found].sort()).toEqual([code, ...(ALSO[code] ?? [])].sort());
  });

  it('has an example to prefer that causes nothing', async () => {
    expect(await problemsOfExample(page, code, 'Prefer')).toEqual([]);
  });

  it('has a current head and current messages', async () => {
    await expect(checkMarkdown(page, code, await avoided())).toMatchFileSnapshot(checkPage(code));
  });
});
