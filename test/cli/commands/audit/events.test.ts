/** `verdict audit events`, as an auditor types it. */

import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addEvent } from '../../../../src/audit/query/event.ts';
import { logFolder } from '../../../support/audit/decisions.ts';
import { runCli } from '../../../support/cli/cli.ts';

const RITA = 'Rita Okoye <8f3c>';

async function logOf() {
  const folder = await logFolder();
  const log = await folder.open({});
  const event = { log, by: RITA, subjects: {} } as const;
  const at = (day: number) => () => Date.UTC(2026, 10, day);
  await addEvent({ ...event, type: 'subject.searched', now: at(2) });
  await addEvent({ ...event, type: 'case.reassigned', why: 'Speaks Portuguese.', details: { to: 'Raj' }, now: at(1) });
  await addEvent({ ...event, type: 'key.changed', by: 'Otto', now: at(3) });
  await log.close();
  const { dir, keys } = folder.place;
  const run = (...args: string[]) => runCli(['audit', 'events', dir, '--keys', keys, ...args]);
  return { run, dir, keys };
}

describe('verdict audit events', () => {
  it('lists what people did, in its order, with why', async () => {
    const { run } = await logOf();
    expect((await run()).stdout).toBe(`2026-11-01T00:00:00.000Z  case.reassigned  ${RITA}, to Raj
  Speaks Portuguese.
2026-11-02T00:00:00.000Z  subject.searched  ${RITA}
2026-11-03T00:00:00.000Z  key.changed  Otto
`);
    expect((await run('--actor', RITA, '--type', 'subject.searched', 'key.changed')).stdout).toBe(
      `2026-11-02T00:00:00.000Z  subject.searched  ${RITA}\n`,
    );
    expect((await run('--from', '2026-11-04')).stdout).toBe('no event found\n');
    expect(JSON.parse((await run('--to', '2026-11-01', '--json')).stdout)).toMatchObject([
      { by: RITA, details: { to: 'Raj' } },
    ]);
  });

  it('says so where names cannot be read without the keys', async () => {
    const { dir, keys } = await logOf();
    renameSync(keys, `${keys}-away`);
    const { stdout } = await runCli(['audit', 'events', dir]);
    expect(stdout).toMatch(/case\.reassigned {2}cannot be read\n/);
    expect(stdout).not.toContain('Rita');
  });

  it.each([
    [['--type', 'case'], 'Allowed choices are case.opened'],
    [['--from', 'today'], 'Expected'],
    [['--by', RITA], '--by, --why and --unrecorded go with --subject; --actor says whose events are listed'],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stderr } = await (await logOf()).run(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
