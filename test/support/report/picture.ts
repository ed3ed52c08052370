/**
 * The flagged decision of docs/audit.md, made by the commands of that page, and a backtest of the invented bank ->
 * docs/decision-page.png and docs/backtest-page.png, pictures of their pages on a desktop. Run by hand.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCli } from '../cli/cli.ts';
import { invent } from '../lab/bank/applicants.ts';
import { edited, policyTexts, TO_THEN } from '../lab/bank/editions.ts';
import { csvOf, labelsCsv } from '../lab/bank/files.ts';
import { pastOf } from '../lab/bank/history.ts';
import { chromiumPath, launchChromium, withPage } from './chromium.ts';

/** Of the invented bank. */
const SEED = 1;

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
  const applicants = invent(SEED, 5000);
  const past = pastOf(applicants, SEED);
  const texts = { now: policyTexts(), then: edited(policyTexts(), TO_THEN) };
  const files = Object.entries(texts).flatMap(([edition, of]) =>
    Object.entries(of).map(([name, text]) => [join(edition, name), text] as const),
  );
  const rows = csvOf(applicants, past, { hasDispositions: true });
  for (const [name, text] of [...files, ['past.csv', rows] as const, ['labels.csv', labelsCsv(past)] as const]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const [policy, old, facts, labels, page] = [
    ...['now/tidewater.yaml', 'then/tidewater.yaml', 'past.csv', 'labels.csv', 'backtest.html'],
  ].map((name) => join(folder, name));
  await verdict(
    ...['backtest', '--policy', policy, '--against', old, '--facts', facts, '--labels', labels, '--holdout', 'let_in'],
    ...['--mature', '30 days', '--cost', 'review=4,accepted-fraud=900,rejected-good=60', '--html', page],
  );
  return String(page);
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
