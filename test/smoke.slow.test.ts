/** A first look at what `npm run test:release` looks at as a whole: the build, the start of the README, a page. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, test } from 'vitest';
import { decisionPage } from '../src/report/html/decision-page.ts';
import { temporaryFolder } from './support/policy/policy.ts';
import { chromiumPath, launchChromium, withPage } from './support/report/chromium.ts';
import { everythingExample } from './support/report/example-pages.ts';
import { FAINT_TEXTS, type FaintText, OPEN_ALL, OVERFLOW } from './support/report/measure.ts';

const ROOT = resolve(import.meta.dirname, '..');

const IMPORTING = `
import { createDecider } from 'verdict-engine';
import { loadPolicyText } from 'verdict-engine/core';
import { diffPolicies } from 'verdict-engine/lab';
import { RE2 } from 'verdict-engine/patterns';
import { startSandbox } from 'verdict-engine/sandbox';
console.log([createDecider, loadPolicyText, diffPolicies, RE2, startSandbox].map((each) => typeof each).join());
`;

it('the built package has its five parts, and its command line', () => {
  const folder = temporaryFolder({ 'main.mjs': IMPORTING });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/verdict-engine'));
  const run = (...args: readonly string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(run('main.mjs')).toBe('function,function,function,object,function\n');
  expect(run(join(ROOT, 'dist/cli/main.js'), '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('the start of the README decides on three people', () => {
  const printed = execFileSync(process.execPath, ['docs/examples/start/main.ts'], { cwd: ROOT, encoding: 'utf8' });
  expect(printed).toMatch(/^ACCEPT {2}clean: .*\nREVIEW {2}ported-risky-email: .*\nREJECT {2}voip-disposable: /m);
});

const path = chromiumPath();

if (path === undefined) {
  test.skip('NOT TESTED: no Chromium found; set CHROMIUM to its path');
} else {
  it('the page of a decision fits a phone, can be read, loads nothing and complains of nothing', async () => {
    const file = join(temporaryFolder({}), 'page.html');
    writeFileSync(file, decisionPage(everythingExample()));
    await using browser = await launchChromium(path);
    const options = { viewport: { width: 360, height: 740 } };
    await withPage(browser, pathToFileURL(file).href, options, async ({ page, requests, complaints }) => {
      await page.evaluate(OPEN_ALL);
      expect(await page.evaluate(OVERFLOW)).toBe(0);
      const { measured, faint } = await page.evaluate<{ measured: number; faint: FaintText[] }>(FAINT_TEXTS);
      expect(measured).toBeGreaterThan(10);
      expect([faint, requests, complaints]).toEqual([[], [], []]);
    });
  });
}
