/** Drafts: what is acknowledged is kept, and what their process is asked can break nothing else. */

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeOfLog } from '../../../src/audit/log.ts';
import type { FolderPlace } from '../../../src/audit/place.ts';
import { type Files, realFiles } from '../../../src/audit/store/files.ts';
import { openDrafts, type Save } from '../../../src/release/draft/drafts.ts';
import { acceptedTests, missingTests, testDraft } from '../../../src/release/draft/work.ts';
import { DraftWorker } from '../../../src/release/draft/worker.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { newLogPlace, openReleasesIn, TINY } from '../../support/release/releases.ts';
import { sampled } from '../../support/sampled.ts';

const PERSON = 'ann@mail.example';

const saveOf = (text: string, by = 'ana'): Save => ({
  ...{ base: 1, title: 'Young domains', authors: [by], by, at: '2026-11-20T09:00:00.000Z' },
  edited: { 'lists/people.txt': text },
});

async function openedDrafts() {
  const place = (await newLogPlace()) as FolderPlace;
  const { log } = await openReleasesIn(place);
  return { place, drafts: openDrafts(homeOfLog(log)) };
}

test('of several who save at once, each save that is acknowledged is what the next one replaced', async () => {
  const { drafts } = await openedDrafts();
  const id = await drafts.begin(saveOf(''));
  const each = sampled(20, 100);
  const save = async (by: string) => {
    let kept = 0;
    while (kept < each) {
      const now = await drafts.read(id);
      const text = `${now?.edited['lists/people.txt']}${by}${kept}\n`;
      if ((await drafts.save(id, now?.version ?? 0, saveOf(text, by))) !== undefined) kept += 1;
    }
  };
  const people = ['ana', 'ben', 'lea'];
  await Promise.all(people.map(save));
  const last = await drafts.read(id);
  const lines = last?.edited['lists/people.txt']?.trimEnd().split('\n') ?? [];
  for (const by of people) {
    const own = lines.filter((line) => line.startsWith(by));
    expect(own).toEqual(Array.from({ length: each }, (_, i) => `${by}${i}`));
  }
  expect(last?.version).toBe(1 + people.length * each);
});

test.each([1, 2, 9])('a save is refused that comes after %i others, and loses none of them', async (others) => {
  const { place, drafts } = await openedDrafts();
  const id = await drafts.begin(saveOf(''));
  const { log } = await openReleasesIn(place);
  const home = homeOfLog(log);
  let meanwhile: (() => Promise<unknown>) | undefined = async () => {
    for (let version = 1; version <= others; version++)
      expect(await drafts.save(id, version, saveOf(`other ${version}`))).toBe(version + 1);
  };
  const files: Files = {
    ...realFiles,
    open: async (path, mode) => {
      const act = meanwhile;
      meanwhile = undefined;
      await act?.();
      return realFiles.open(path, mode);
    },
  };
  const late = openDrafts({ ...home, log: { ...home.log, files } });
  expect(await late.save(id, 1, saveOf('late'))).toBeUndefined();
  expect((await drafts.read(id))?.edited).toEqual({ 'lists/people.txt': `other ${others}` });
  const kept = () => readdirSync(join(place.dir, 'releases')).filter((name) => name.startsWith('draft-'));
  expect(kept().at(-1)).toBe(`draft-${id}.${String(others + 1).padStart(6, '0')}`);
  expect(kept().length).toBeLessThanOrEqual(8);
  await drafts.end(id, others + 1);
  expect(kept()).toEqual([]);
});

test('a draft is sealed, and one that was changed is refused', async () => {
  const { place, drafts } = await openedDrafts();
  const id = await drafts.begin(saveOf(`${PERSON}\n`));
  const folder = join(place.dir, 'releases');
  const names = readdirSync(folder).filter((name) => name.startsWith('draft-'));
  expect(names).toEqual([`draft-${id}.000001`]);
  expect(readFileSync(join(folder, names[0] ?? ''), 'latin1')).not.toContain(PERSON);
  expect((await drafts.read(id))?.edited).toEqual({ 'lists/people.txt': `${PERSON}\n` });
  await expect(drafts.save(id, 1, { ...saveOf(''), edited: { '../x.yaml': 'x' } })).rejects.toThrow(
    '../x.yaml cannot be the path of a file',
  );
  // The file of one version in the place of another.
  const other = await drafts.begin(saveOf('other'));
  copyFileSync(join(folder, `draft-${other}.000001`), join(folder, `draft-${id}.000001`));
  await expect(drafts.read(id)).rejects.toThrow(`the draft ${id} does not open with its key`);
});

test('a process that is ended while it is asked says so, and the next one is answered', async () => {
  const worker = new DraftWorker();
  onTestFinished(() => worker.end());
  const answer = worker.ask('check', TINY);
  const ended = worker.ask('check', TINY);
  await answer;
  await worker.end();
  await expect(ended).rejects.toThrow('the process that reads drafts has ended');
  expect((await worker.ask('test', TINY)).passed).toBe(1);
});

test('tests read nothing outside the draft, and a draft without tests has none that fail', async () => {
  const table = join(temporaryFolder(), 'table.csv');
  writeFileSync(table, 'context.debt,outcome\n90,review\n');
  const outside = `${'../'.repeat(30)}${table.slice(1)}`;
  const head = 'policy: signup.yaml\nmapping: signals.yaml\nat: today\ntests:\n';
  const files = { ...TINY, 'other.test.yaml': `${head}  - name: other\n    table: { file: ${outside} }\n` };
  const refused = 'a test reads a file outside the folder of rules; copy it there';
  await expect(testDraft(files)).rejects.toThrow(refused);
  await expect(missingTests(files, 1000)).rejects.toThrow(refused);
  await expect(acceptedTests(files)).rejects.toThrow(refused);
  const { 'signup.test.yaml': _, ...untested } = TINY;
  expect(await testDraft(untested)).toEqual({ passed: 0, skipped: 0, failed: [], reached: [] });
  expect([await missingTests(untested, 1000), await acceptedTests(untested)]).toEqual([{}, {}]);
});

test('aliases that multiply, and rules without end, are answered by what the checker says of them', async () => {
  const worker = new DraftWorker();
  onTestFinished(() => worker.end());
  const names = Array.from({ length: 12 }, (_, i) => `x${i}`);
  const bomb = names.map((name, i) => {
    return `${name}: &${name} [${
      i === 0
        ? 'lol'
        : Array(9)
            .fill(`*${names[i - 1]}`)
            .join(', ')
    }]`;
  });
  const found = await worker.ask('check', { ...TINY, 'rule-sets/debts.yaml': `${bomb.join('\n')}\nrules: []\n` });
  expect(found.filter(({ severity }) => severity === 'error')).not.toEqual([]);
  const rule = (i: number) => `  - { id: debt-${i}, when: { context.debt: { atLeast: ${i + 100} } }, then: review }\n`;
  const rules = `rules:\n${Array.from({ length: sampled(500, 10_000) }, (_, i) => rule(i)).join('')}`;
  await worker.ask('check', { ...TINY, 'rule-sets/debts.yaml': rules }).catch(({ code }) => {
    expect(code).toBe('SOLVER_FAILED');
  });
  expect((await worker.ask('test', TINY)).passed).toBe(1);
});
