/**
 * The flagged decision of docs/audit.md, made by the commands of that page, and a backtest of two policies ->
 * docs/decision-page.png and docs/backtest-page.png, pictures of their pages on a desktop. Run by hand.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { backtestProject } from '../cli/backtest-project.ts';
import { runCli } from '../cli/cli.ts';
import { chromiumPath, launchChromium, withPage } from './chromium.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const executable = chromiumPath();
if (executable === undefined) throw new Error('no Chromium found; set CHROMIUM to its path');
const folder = mkdtempSync(join(tmpdir(), 'verdict-picture-'));
try {
  await takePicture(await writeDecisionPage(), executable, { name: 'decision-page', lastShown: '#told' });
  await takePicture(await writeBacktestPage(), executable, { name: 'backtest-page', lastShown: '#edits' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Creates a log with the decision and writes the page of the decision. */
async function writeDecisionPage(): Promise<string> {
  const [log, keys, applicants, page] = ['log', 'keys', 'applicants.csv', 'page.html'].map((name) =>
    join(folder, name),
  );
  writeFileSync(
    String(applicants),
    'phone,email,ip,reference\n+12025550102,d.marsh@copper-kettle.example,203.0.113.12,ONB-7731\n',
  );
  await verdict('audit', 'init', log, '--keys', keys, '--origin', 'bank-onboarding');
  const policy = ['--policy', join(ROOT, 'rules/onboarding.yaml')];
  const out = ['--out', join(folder, 'decisions.ndjson')];
  await verdict(
    ...['decide', '--sandbox', '--file', applicants, ...policy, ...out, '--at', '2026-11-20'],
    ...['--audit', log, '--keys', keys],
  );
  const [found] = JSON.parse(await verdict('audit', 'search', log, '--outcome', 'review', '--json'));
  await verdict('audit', 'show', log, found.id, '--keys', keys, '--html', page);
  return String(page);
}

/** Writes the page of a backtest of two policies, with labels and costs. */
async function writeBacktestPage(): Promise<string> {
  const page = join(folder, 'backtest.html');
  await backtestProject().run(
    ...['--against', 'old.yaml', '--facts', 'facts.ndjson', '--labels', 'fraud.csv', '--mature', '20 days'],
    ...['--cost', 'review=4,accepted-fraud=900,rejected-good=60', '--html', page],
  );
  return page;
}

async function verdict(...args: (string | undefined)[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCli(args.map(String));
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

/** `lastShown`: the picture ends below this part. */
async function takePicture(
  page: string,
  executablePath: string,
  { name, lastShown }: { readonly name: string; readonly lastShown: string },
): Promise<void> {
  const browser = await launchChromium(executablePath);
  try {
    const viewport = { width: 1280, height: 900 };
    await withPage(browser, pathToFileURL(page).href, { viewport, colorScheme: 'light' }, async ({ page: shown }) => {
      const end = await shown.locator(lastShown).first().boundingBox();
      if (!end) throw new Error(`the page has no ${lastShown}`);
      await shown.screenshot({
        path: join(ROOT, `docs/${name}.png`),
        fullPage: true,
        clip: { x: 0, y: 0, width: viewport.width, height: Math.ceil(end.y + end.height) + 7 },
      });
    });
  } finally {
    await browser.close();
  }
}
