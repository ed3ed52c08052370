/** Facts that the command line reads or erases: who and why is in the log before anything is shown. */

import { execFileSync } from 'node:child_process';
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { type ListedEvent, listEvents } from '../../../../src/audit/query/list-events.ts';
import { createDecider } from '../../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../../support/audit/decisions.ts';
import { mountSmall } from '../../../support/audit/small-disk.ts';
import { ACTOR, runCli } from '../../../support/cli/cli.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}facts: { context.branch: { type: string } }
rules:
  - { id: risky, when: { phone.score: { atLeast: 0 } }, then: review }
`;
const { phoneNo: PHONE = '' } = personOf(0);
const FACTS = /canary-branch|4477009|@/;

async function recorded() {
  const folder = await logFolder();
  const log = await folder.open();
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit: log });
  const { id } = await decider.decide(personOf(0), { context: { branch: 'canary-branch' }, clientReference: 'R-1' });
  await log.close();
  const run = (group: string, command: string, ...args: readonly string[]) =>
    runCli([group, command, folder.dir, ...args, '--keys', folder.keys], { isNobody: true });
  const audit = (command: string, ...args: readonly string[]) => run('audit', command, ...args);
  const events = async () =>
    (await listEvents(folder.place)).map(({ type, by, why, object, detail }) => ({ type, by, why, object, detail }));
  return { ...folder, id, run, audit, events };
}

const SAID = ['--by', ACTOR.by, '--why', ACTOR.why];

test.each<
  [
    name: string,
    args: (id: string) => readonly [string, string, ...string[]],
    event: Partial<Pick<ListedEvent, 'type' | 'detail'>>,
  ]
>([
  ['a decision', (id) => ['audit', 'show', id], { type: 'data.revealed' }],
  ['a decision as data', (id) => ['audit', 'show', id, '--json'], { type: 'data.revealed' }],
  ['a decision by its reference', () => ['audit', 'show', '--reference', 'R-1'], { type: 'data.revealed' }],
  ['a search for a person', () => ['audit', 'search', '--subject', PHONE], { type: 'subject.searched' }],
  [
    'a search by a fact',
    () => ['audit', 'search', '--fact', 'context.branch=canary-branch'],
    { type: 'facts.searched' },
  ],
  [
    'an export by a condition',
    () => ['audit', 'search', '--where', 'context.branch: { known: true }', '--format', 'csv'],
    { type: 'facts.searched' },
  ],
  ['a count by person', () => ['audit', 'search', '--count-by', 'outcome,person'], { type: 'facts.searched' }],
  ['a count by reason of people', () => ['audit', 'search', '--count-by', 'why', '--json'], { type: 'facts.searched' }],
  ['a test of a decision', (id) => ['test', 'record', id], { type: 'data.revealed', detail: 'test' }],
  [
    'what people did about a person',
    () => ['audit', 'events', '--subject', PHONE],
    { type: 'subject.searched', detail: 'events' },
  ],
])('%s is read by who says who they are and why, and on record', async (_, args, event) => {
  const { id, run, events } = await recorded();
  const [group, command, ...more] = args(id);
  for (const some of [[], SAID.slice(0, 2), SAID.slice(2)]) {
    const refused = await run(group, command, ...more, ...some);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toBe(
      'verdict: reading facts goes on record: say who does it with --by, and why with --why\n',
    );
  }
  const unrecorded = await run(group, command, ...more, '--unrecorded');
  expect(unrecorded).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unrecorded.stderr).toContain('--unrecorded is for a log that cannot be written: give --by and --why');
  expect(await events()).toEqual([]);
  const shown = await run(group, command, ...more, ...SAID);
  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).not.toBe('');
  const object = event.type === 'data.revealed' ? id : undefined;
  expect(await events()).toEqual([{ detail: undefined, ...event, ...ACTOR, object }]);
  expect(await run('audit', 'verify')).toMatchObject({ exitCode: 0 });
});

it('asks nobody who reads what is not encrypted', async () => {
  const { id, dir, keys, audit, events } = await recorded();
  for (const args of [
    ['search'],
    ['search', '--reference', 'R-1'],
    ['search', '--rule', 'risky', '--json'],
    ['search', '--count-by', 'disposition,waited'],
    ['replay'],
    ['events'],
    ['events', '--actor', ACTOR.by],
  ]) {
    expect(await audit(...(args as [string]))).toMatchObject({ exitCode: 0 });
  }
  expect(await events()).toEqual([]);
  renameSync(keys, `${keys}-away`);
  const clear = await runCli(['audit', 'show', dir, id], { isNobody: true });
  expect(clear.stdout).toContain('cannot be read without the key folder');
  expect(clear.stdout).not.toMatch(FACTS);
});

it('reads a log that cannot be written only with --unrecorded, and says so', async ({ skip }) => {
  const at = mountSmall('size=8m');
  if (at === undefined) return skip('NOT TESTED: a file system cannot be mounted here');
  const { id, dir, keys } = await recorded();
  cpSync(dir, join(at, 'log'), { recursive: true });
  cpSync(keys, join(at, 'keys'), { recursive: true });
  execFileSync('mount', ['-o', 'remount,ro', at]);
  for (const keysDir of [join(at, 'keys'), keys]) {
    const run = (...args: readonly string[]) => runCli(['audit', ...args, '--keys', keysDir], { isNobody: true });
    for (const args of [
      ['show', join(at, 'log'), id],
      ['search', join(at, 'log'), '--subject', PHONE],
    ]) {
      const refused = await run(...args, ...SAID);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain('--unrecorded reads facts without a record of it\n');
      const shown = await run(...args, '--unrecorded');
      expect(shown).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^not on record: /) });
      expect(shown.stdout).toContain(id);
    }
  }
});

it('erases for who says who they are and why, which an erasure of the same person leaves', async () => {
  const { audit, events } = await recorded();
  const erase = (...more: readonly string[]) => audit('erase', '--subject', PHONE, '--yes', ...more);
  const refused = await erase();
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toBe('verdict: an erasure goes on record: say who does it with --by, and why with --why\n');
  expect((await erase('--dry-run')).stdout).toMatch(/^1 record would be erased/);
  expect(await events()).toEqual([]);
  expect((await erase(...SAID)).stdout).toMatch(/^1 record erased/);
  await erase(...SAID);
  const event = { type: 'subject.erased', ...ACTOR, object: undefined, detail: 'subject' };
  expect(await events()).toEqual([event, event]);
});
