/** The page of an invented decision -> docs/decision-page.png, as it looks on a desktop. Run by hand; a palette of 160 colours then makes it small. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decisionPage } from '../../../src/cli/page/decision.ts';
import { chromiumPath, launchChromium, withPage } from '../../support/chromium.ts';
import { onboardingExample } from './example-pages.ts';

/** The picture ends below the first rule that could not be determined. */
const LAST_SHOWN = '.rule.unknown';

const executable = chromiumPath();
if (executable === undefined) throw new Error('there is no Chromium; CHROMIUM may name one');
const folder = mkdtempSync(join(tmpdir(), 'verdict-picture-'));
const file = join(folder, 'page.html');
writeFileSync(file, decisionPage(onboardingExample()));
const browser = await launchChromium(executable);
try {
  const viewport = { width: 1280, height: 900 };
  await withPage(browser, pathToFileURL(file).href, { viewport, colorScheme: 'light' }, async ({ page }) => {
    const end = await page.locator(LAST_SHOWN).first().boundingBox();
    if (!end) throw new Error('nothing to end the picture with');
    await page.screenshot({
      path: resolve(import.meta.dirname, '../../../docs/decision-page.png'),
      fullPage: true,
      clip: { x: 0, y: 0, width: viewport.width, height: Math.ceil(end.y + end.height) },
    });
  });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
