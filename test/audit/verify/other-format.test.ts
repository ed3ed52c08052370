/** A log that another version wrote is not called changed, and one that was changed is not called another version's. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLog } from '../../../src/audit/place.ts';
import { readEntries } from '../../../src/audit/read/read-log.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { makeLog } from '../../support/audit/log.ts';
import { Victim, withHash } from '../../support/audit/victim.ts';
import { runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

/** As versions wrote it that knew no references. */
const withoutReference = (line: string) => line.replace(/"reference":"[^"]+",/, '');

async function smallLog(): Promise<Victim> {
  return new Victim(
    await makeLog(join(temporaryFolder(), 'log'), { chains: 1, decisions: 3, segmentBytes: 1_000_000 }),
  );
}

async function searchOf(dir: string): Promise<unknown> {
  const folder = folderAt(dir);
  const { log } = await readLog(folder);
  return (async () => {
    for await (const _ of readEntries(folder, log));
  })().catch((error: unknown) => error);
}

test('whole lines of another version are said to be that', async () => {
  const victim = await smallLog();
  victim.forge(0, 1, 2, withoutReference);
  const { findings } = await verifyLog({ dir: victim.dir });
  expect(findings).toMatchObject([{ code: 'line-format', line: 2, message: expect.stringContaining('no reference') }]);
  const { exitCode, stdout } = await runCli(['audit', 'verify', victim.dir]);
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/NOT VERIFIED: .*another version/)]);
  expect(stdout).not.toContain('BAD');
  const error = await searchOf(victim.dir);
  expect(error).toMatchObject({
    code: 'AUDIT_FAILED',
    message: expect.stringContaining('cannot be read: the line has'),
  });
});

test('a line that no later one follows was changed', async () => {
  const victim = await smallLog();
  victim.change(0, 1, (lines) => lines.with(1, withHash(withoutReference(lines[1] ?? ''))));
  const { findings } = await verifyLog({ dir: victim.dir });
  expect(findings).toMatchObject([{ code: 'line-shape', line: 2 }]);
  const { stdout } = await runCli(['audit', 'verify', victim.dir]);
  expect(stdout).toContain('BAD: 1 finding');
});
