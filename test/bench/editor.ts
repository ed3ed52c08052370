/**
 * `node test/bench/editor.ts [--rules 300] [--times 40]`: a service with a release of that many rules and a list of
 * 10,000 lines -> how long the editor of a draft waits for the checker and the tests, alone and beside 64 callers, and
 * how long a key in that list takes until it is drawn in Chromium, as Markdown.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readRules } from '../../src/release/files.ts';
import { createSessions } from '../../src/service/auth/sessions.ts';
import { openState } from '../../src/stores/state/state.ts';
import { releaseShipped } from '../support/release/shipped.ts';
import { chromiumPath, launchChromium } from '../support/report/chromium.ts';
import { generatePolicy, writeGenerated } from './generate.ts';
import { type Contestant, running } from './http-clients.ts';
import { headOf, rounded, table } from './report.ts';
import { beside, csrfOf, open, quantile, startServed } from './visits.ts';

const { values: options } = parseArgs({
  options: { rules: { type: 'string', default: '300' }, times: { type: 'string', default: '40' } },
});
const [rules, times] = [Number(options.rules), Number(options.times)];
const [LINES, TESTS, TURN_MS, KEYS] = [10_000, 200, 3000, 60];
const root = mkdtempSync(join(tmpdir(), 'verdict-editor-'));
const RULES = join(import.meta.dirname, '../../rules');

/** The rules, 200 tests of them, and the list. */
function writeFiles(): string {
  const folder = mkdtempSync(join(root, 'rules-'));
  const policy = writeGenerated(generatePolicy(rules, 1), folder);
  const people = 'lists: { people: { file: people.txt } }\n';
  writeFileSync(policy, `${readFileSync(policy, 'utf8')}${people}`);
  writeFileSync(join(folder, 'people.txt'), Array.from({ length: LINES }, (_, i) => `p${i}@mail.example\n`).join(''));
  writeFileSync(join(folder, 'signals.yaml'), readFileSync(join(RULES, 'signals.yaml')));
  const facts = (i: number) => `{ phone.type: mobile, email.domain.firstSeen: 2020-01-${10 + (i % 20)} }`;
  const tests = Array.from({ length: TESTS }, (_, i) => {
    return `  - { name: test ${i}, facts: ${facts(i)}, expect: { outcome: review } }\n`;
  });
  const head = 'policy: policy.yaml\nmapping: signals.yaml\nat: 2026-11-20\ntests:\n';
  writeFileSync(join(folder, 'policy.test.yaml'), `${head}${tests.join('')}`);
  return folder;
}

async function startService() {
  const { options: released } = await releaseShipped(readRules(writeFiles()));
  const service = await startServed(root, [
    ...['policies: { onboarding: policy.yaml }', `rules: ${released.rules}`],
    ...[`audit: { dir: ${released.audit} }`, 'state: { dir: state }'],
  ]);
  const state = await openState({ dir: join(root, 'state'), rememberMs: 86_400_000 });
  const person = { subject: 'ana', display: 'Ana', name: 'Ana <ana>', roles: ['read', 'edit'] } as const;
  const value = await createSessions(state).begin(person);
  await state.close();
  return { service, value };
}

/** What the editor asks, one after the other; how long each took, ascending. */
async function ask(service: Contestant, cookie: string, act: 'check' | 'test', draft: string, count: number) {
  const at = `${draft}?file=rules-1.yaml`;
  const { text: page } = await open(service, cookie, at);
  const shown = /<textarea id="text"[^>]*>\n([\s\S]*?)<\/textarea>/.exec(page)?.[1] ?? '';
  const text = shown
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    const form = { csrf: csrfOf(page), file: 'rules-1.yaml', version: '1', do: act, as: 'data' };
    found.push((await open(service, cookie, `${draft}/edit`, { ...form, text: `${text}# ${i}\n` })).ms);
  }
  return found.sort((one, other) => one - other);
}

/** Keys in the list until the frame that shows each. */
async function typeKeys({ url }: Contestant, value: string, draft: string): Promise<readonly number[]> {
  const executable = chromiumPath();
  if (executable === undefined) throw new Error('no Chromium found; set CHROMIUM to its path');
  const browser = await launchChromium(executable);
  try {
    const context = await browser.newContext();
    await context.addCookies([{ name: 'verdict', value, url: url.origin }]);
    const page = await context.newPage();
    await page.goto(new URL(`${draft}?file=people.txt`, url).href);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    const found: number[] = [];
    for (let i = 0; i < KEYS; i++) {
      await page.evaluate(`void (window.shown = new Promise((resolve) => addEventListener('keydown', () => {
        const at = performance.now();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - at)));
      }, { once: true, capture: true })))`);
      await page.keyboard.press('a');
      found.push((await page.evaluate('window.shown')) as number);
    }
    return found.sort((one, other) => one - other);
  } finally {
    await browser.close();
  }
}

try {
  const { service, value } = await startService();
  const cookie = `verdict=${value}`;
  const { text } = await open(service, cookie, '/releases');
  const { to: draft } = await open(service, cookie, '/releases/1/change', { csrf: csrfOf(text) });
  const rows: string[][] = [];
  for (const [what, act, count] of [
    ['check', 'check', times],
    [`${TESTS} tests`, 'test', Math.ceil(times / 4)],
  ] as const) {
    await ask(service, cookie, act, draft, 3);
    const alone = await ask(service, cookie, act, draft, count);
    const loaded = await beside(service, TURN_MS, () => ask(service, cookie, act, draft, count));
    rows.push([what, ...[alone, loaded].flatMap((each) => [0.5, 0.95].map((share) => rounded(quantile(each, share))))]);
  }
  const columns = [`${rules} rules`, 'median, ms', 'p95, ms', 'median beside 64 callers, ms', 'p95, ms'];
  const keys = await typeKeys(service, value, draft);
  const key = table(
    ['a key, ms', 'median', 'p95'],
    [[`${LINES} lines`, ...[0.5, 0.95].map((q) => rounded(quantile(keys, q)))]],
  );
  process.stdout.write(`${headOf([])}\n\n${table(columns, rows)}\n\n${key}\n`);
} finally {
  for (const each of running) each.kill();
  rmSync(root, { recursive: true, force: true });
}
