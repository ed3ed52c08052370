import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogRows } from '../../src/facts/json-schema.ts';
import { catalogMarkdown } from '../support/docs/facts-page.ts';

const DOCS = new URL('../../docs/facts.md', import.meta.url);

// To write the page again: npm run test:file -- docs/facts-page --update=all
test('docs/facts.md matches the catalog', async () => {
  expect(readFileSync(DOCS, 'utf8')).not.toBe('');
  await expect(catalogMarkdown()).toMatchFileSnapshot(DOCS.pathname);
});

test('a row lists the values that a fact can have', () => {
  const row = (path: string) => catalogRows().find((one) => one.path === path);
  expect(row('phone.score')).toMatchObject({ type: 'number', values: '0 to 100', unit: 'points, 100 the riskiest' });
  expect(row('phone.riskLevel')?.values).toBe('veryLow to veryHigh');
  expect(row('phone.serviceType')?.values).toBe('prepaid, postpaid, other');
  expect(row('phone.porting.portCount')?.values).toBe('0 or more');
  expect(row('phone.porting.portedDate')?.values).toBe('a day in the past, or never');
  expect(row('ip.country')?.signal).toBe('derived from ip.location.latitude, ip.location.longitude');
});
