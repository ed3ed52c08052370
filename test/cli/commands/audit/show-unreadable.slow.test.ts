/** `verdict audit show` of decisions whose facts cannot be read: text, page and exit code. */

import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestLog } from '../../../support/audit/log.ts';
import { Victim } from '../../../support/audit/victim.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';
import { all, readPage, textOf } from '../../../support/report/read-page.ts';

const EMAIL = 'nora.kestrel@plover.example';

/** A log with one decision and a note on it. */
async function recorded() {
  const root = temporaryFolder();
  const [dir, keys] = [join(root, 'log'), join(root, 'log-keys')];
  await runCli(['audit', 'init', dir]);
  const decided = await runCli([
    'decide',
    '--sandbox',
    '--email',
    EMAIL,
    '--reference',
    'R-kestrel',
    '--audit',
    dir,
    '--json',
  ]);
  const { id } = JSON.parse(decided.stdout);
  const words = ['--disposition', 'approve', '--by', 'A. Okafor', '--why', 'Came to the branch.'];
  await runCli(['audit', 'note', dir, id, ...words]);
  const show = (...args: readonly string[]) => runCli(['audit', 'show', dir, id, ...args]);
  const data = join(keys, 'data');
  const keyFiles = () =>
    readdirSync(data)
      .sort()
      .map((name) => join(data, name));
  /** The exit code and the text of the page. */
  const showPage = async () => {
    const file = join(root, 'page.html');
    const { exitCode, stderr } = await show('--html', file);
    expect(stderr).toBe('');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const html = readFileSync(file, 'utf8');
    expect(html).not.toMatch(/kestrel/);
    const page = readPage(html);
    const said = [...all(page, 'p', 'lead'), ...all(page, 'div', 'warning')].map(textOf);
    return { exitCode, text: textOf(page), said };
  };
  return { root, dir, keys, id, show, showPage, keyFiles };
}

const ERASED = /^Its facts were erased\. The erasure is on record: \d{4}-\d\d-\d\dT[\d:.]+Z\.$/;
const erase = (dir: string) => runCli(['audit', 'erase', dir, '--subject', EMAIL]);

describe('verdict audit show of a decision whose facts cannot be read', () => {
  it.each([
    ['the key is overwritten', false],
    ['the key file is missing', true],
  ])('says when it was erased, and shows the clear fields, if %s', async (_, isGone) => {
    const { dir, id, show, showPage, keyFiles } = await recorded();
    await erase(dir);
    if (isGone) for (const file of keyFiles()) rmSync(file);
    const { exitCode, stdout } = await show();
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').some((line) => ERASED.test(line.trim()))).toBe(true);
    expect(stdout).toMatch(/After the decision\n.*\n {2}\S+ {2}approve {6}erased {2}erased\n/);
    expect(stdout).toMatch(/\nWhat can be read\n {2}outcome {13}\w+\n {2}reasons {13}\w/);
    const page = await showPage();
    expect(page).toMatchObject({ exitCode: 0, said: [expect.stringMatching(ERASED)] });
    for (const text of [stdout, page.text]) expect(text).toContain("The digest is that of the policy's archived form");
    for (const text of [id, 'approve', '✓ sound', 'What was erased']) expect(page.text).toContain(text);
  });

  it('says that the key is missing and no erasure is on record', async () => {
    const { show, showPage, keyFiles } = await recorded();
    for (const file of keyFiles()) rmSync(file);
    const words = 'Its facts cannot be read: its key is not in the key folder, and no erasure is on record.';
    const { exitCode, stdout } = await show();
    expect(exitCode).toBe(1);
    expect(stdout).toContain(words);
    expect(await showPage()).toMatchObject({ exitCode: 1, said: [words] });
  });

  it('an overwritten key is an erasure only if the erasure is on record', async () => {
    const { show, showPage, keyFiles } = await recorded();
    for (const file of keyFiles()) writeFileSync(file, Buffer.alloc(statSync(file).size));
    const words = 'Its facts cannot be read: its key was overwritten, and no erasure is on record.';
    const { exitCode, stdout } = await show();
    expect(exitCode).toBe(1);
    expect(stdout).toContain(words);
    expect(await showPage()).toMatchObject({ exitCode: 1, said: [words] });
    expect(JSON.parse((await show('--json')).stdout)).toMatchObject({ closed: 'key-missing' });
  });

  it('reports an erasure that was undone, or is on record for another subject', async () => {
    const { dir, show, showPage, keyFiles } = await recorded();
    const kept = keyFiles().map((file) => readFileSync(file));
    await erase(dir);
    const chains = readdirSync(join(dir, 'chains'));
    const victim = new Victim({ dir, chains } as unknown as TestLog);
    for (const [i, file] of keyFiles().entries()) if (kept[i]) writeFileSync(file, kept[i]);
    const undone = await show();
    expect(undone).toMatchObject({ exitCode: 1, stderr: '' });
    expect(undone.stdout).toMatch(
      / {2}record {5}broken: .*; BUT its erasure is on record, \S+, but its facts can still be read\n/,
    );
    victim.rewrite(0, (segments) => {
      for (const line of segments.flat()) if (line['kind'] === 'erasure') line['subject'] = [`1:${'b'.repeat(64)}`];
    });
    for (const file of keyFiles()) writeFileSync(file, Buffer.alloc(statSync(file).size));
    const page = await showPage();
    expect(page).toMatchObject({
      exitCode: 1,
      said: [expect.stringMatching(/overwritten, and the erasure on record, \S+, is of another subject\.$/)],
    });
    expect(page.text).not.toContain('facts erased');
  });

  it('says that there are no keys; named keys that do not exist are a usage error', async () => {
    const { root, keys, show, showPage } = await recorded();
    renameSync(keys, join(root, 'elsewhere'));
    const words = 'Its facts cannot be read without the key folder, and no erasure is on record.';
    expect((await show()).stdout).toContain(words);
    expect(await showPage()).toMatchObject({ exitCode: 0, said: [words] });
    expect(await show('--keys', keys)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'verdict: found no keys.json in the key folder, expected the key folder of this log\n',
    });
    expect((await show('--keys', join(root, 'elsewhere'))).stdout).toMatch(/ {2}reference {2}R-kestrel\n/);
  });

  it('exits with 1 if the key does not open the body', async () => {
    const { show, showPage, keyFiles } = await recorded();
    for (const file of keyFiles()) writeFileSync(file, Buffer.alloc(statSync(file).size, 7));
    const words = 'Its facts cannot be read: its key does not open its body. Verify the log with its keys.';
    const { exitCode, stdout } = await show();
    expect(exitCode).toBe(1);
    expect(stdout).toContain(words);
    const page = await showPage();
    expect(page).toMatchObject({ exitCode: 1, said: [words] });
    expect(page.text).toMatch(/× broken: .*BUT its key does not open its body/);
  });
});
