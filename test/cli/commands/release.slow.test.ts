/** `verdict release`: what it takes, prints and ends with. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { BEN, CLEO, EVE, pemOf, TINY, trustLine, withDebt } from '../../support/release/releases.ts';

/** A log with releases, rules, trust.yaml by which Ben approves, and keys. */
async function begin() {
  const folder = temporaryFolder({
    ...Object.fromEntries(Object.entries(TINY).map(([path, text]) => [`rules/${path}`, text])),
    ...{ 'ben.pem': pemOf(BEN), 'cleo.pem': pemOf(CLEO), 'eve.pem': pemOf(EVE), 'no.pem': 'no key' },
  });
  const at = (name: string) => join(folder, name);
  const audit = await runCli(['audit', 'init', at('log')]);
  expect(audit.exitCode).toBe(0);
  const run = (...args: string[]) => runCli(['release', ...args]);
  const { stdout } = await run('init', at('log'));
  writeFileSync(at('trust.yaml'), `${stdout}${trustLine(BEN)}`);
  const trust = ['--trust', at('trust.yaml')];
  const log = at('log');
  const propose = (title = 'First') =>
    run('propose', log, '--rules', at('rules'), '--title', title, '--author', 'ana@bank.example');
  const by = (signer: typeof BEN, pem: string) => ['--by', signer.by, '--signing-key', at(pem), ...trust];
  return { folder, at, log, run, trust, propose, by };
}

/** Without digests, times and the version. */
const plain = (text: string) => text.replace(/[0-9a-f]{64}/g, '…').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');

test('a release is proposed, signed elsewhere, put in force, listed, shown and verified', async () => {
  const { at, log, run, trust, propose, by } = await begin();
  expect(await propose()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^release 1 sha256:\w{64}\n$/) });
  expect(await run('evidence', log, '1')).toMatchObject({
    ...{ exitCode: 1, stdout: expect.stringMatching(/^policy signup is new\nnot tested: /) },
  });
  expect(await run('export', log, '1', '--out', at('one.json'))).toEqual({ exitCode: 0, stdout: '', stderr: '' });

  // Elsewhere: with the bundle alone.
  const signed = await run('sign', at('one.json'), ...by(BEN, 'ben.pem').slice(0, 4));
  expect(signed).toMatchObject({ exitCode: 0, stderr: '' });
  writeFileSync(at('note.txt'), signed.stdout);
  const approved = await run('approve', log, '1', '--note', at('note.txt'), ...trust);
  expect(approved).toMatchObject({ exitCode: 0, stderr: '' });
  const lines = (text: string) =>
    plain(text)
      .split('\n')
      .filter((line) => !line.startsWith('  not tested: '));
  const shown = [
    ...['release 1: First', '  sha256:…', '  by ana@bank.example; replaces nothing', '  policy signup is new'],
    ...['  then approved by ben@bank.example', '  it can be put in force', ''],
  ];
  expect(lines(approved.stdout)).toEqual(shown);
  expect((await run('show', log, '1', ...trust)).stdout).toBe(approved.stdout);

  expect(await run('evidence', log, '1', '--since-proposed', '--steps', '5')).toMatchObject({ exitCode: 2 });
  expect(await run('evidence', log, '1', '--since-proposed')).toEqual({ exitCode: 0, stdout: '', stderr: '' });

  const activated = await run('activate', log, '1', '--by', 'ana@bank.example', ...trust);
  expect(lines(activated.stdout)).toEqual(shown.toSpliced(-2, 1, '  then put in force by ana@bank.example'));
  expect((await run('list', log)).stdout.split('\n')).toEqual([
    '  number  state     title  authors           approved by',
    '  1       in force  First  ana@bank.example  ben@bank.example',
    ...['', '1 release', ''],
  ]);
  const listed = JSON.parse((await run('list', log, '--format', 'json')).stdout);
  expect(listed).toMatchObject([{ number: 1, state: 'in force', approvals: [BEN.by], authors: ['ana@bank.example'] }]);
  await run('export', log, '1', '--out', at('active.json'));
  for (const what of [[log], [log, '1'], [at('active.json')]]) {
    const { exitCode, stdout } = await run('verify', ...what, ...trust);
    expect({ exitCode, stdout: plain(stdout) }).toEqual({
      exitCode: 0,
      stdout: 'release 1: sound, put in force then\n1 release, 0 problems\n',
    });
  }
  const again = await run('verify', log, '--rerun', ...trust);
  expect(again.stdout).toContain('; its proof is made again to the byte, and so is its impact\n');
});

test('what is refused ends with 1, and says why', async () => {
  const { at, log, run, trust, propose, by } = await begin();
  await propose();
  const refused = async (why: string, ...args: string[]) =>
    expect(await run(...args)).toEqual({ exitCode: 1, stdout: '', stderr: `verdict: ${why}\n` });
  await refused(
    'release 1 has no evidence yet: `verdict release evidence` makes it',
    ...['approve', log, '1', ...by(BEN, 'ben.pem')],
  );
  await run('evidence', log, '1');
  const what = 'the note approve of release 1';
  const other = expect.stringMatching(/^verdict: the note approve of release 1: signed with key \w+, which is not/);
  expect(await run('approve', log, '1', ...by(EVE, 'eve.pem'))).toMatchObject({ exitCode: 1, stderr: other });
  await refused(`${what} is signed with the key of somebody else`, 'approve', log, '1', ...by(CLEO, 'ben.pem'));
  await refused(
    'release 1 cannot be put in force: it has 0 of 1 approvals by people who did not write it',
    ...['activate', log, '1', '--by', BEN.by, ...trust],
  );
  const missing = 'there is no release 7: see `verdict release list`';
  for (const args of [
    ['evidence', log, '7'],
    ['show', log, '7', ...trust],
    ['restore', log, '7', '--by', BEN.by],
  ])
    await refused(missing, ...args);
  expect(await run('verify', log, '7', ...trust)).toMatchObject({
    exitCode: 1,
    stdout: `release 7: ${missing}\n1 release, 1 problem\n`,
  });
  await run('export', log, '1', '--out', at('one.json'));
  writeFileSync(at('changed.json'), readFileSync(at('one.json'), 'utf8').replace('ann@mail', 'amn@mail'));
  expect(await run('verify', at('changed.json'), ...trust)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('release 1: the file lists/people.txt is not the one of the manifest'),
  });
  writeFileSync(at('not.json'), '{}');
  await refused('this is not the bundle of a release', 'verify', at('not.json'), ...trust);
});

test('an exported release is proposed in another log, to the byte and without its approvals', async () => {
  const one = await begin();
  writeFileSync(one.at('rules/notes.txt'), '\ufefftabs\t\r\nno last line end');
  await one.propose();
  await one.run('evidence', one.log, '1');
  await one.run('approve', one.log, '1', ...one.by(BEN, 'ben.pem'));
  await one.run('export', one.log, '1', '--out', one.at('one.json'));
  const other = await begin();
  const as = ['--title', 'From there', '--author', CLEO.by];
  const imported = await other.run('import', other.log, one.at('one.json'), ...as);
  expect(imported).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^release 1 sha256:/) });
  await other.run('export', other.log, '1', '--out', other.at('one.json'));
  const [there, here] = [one, other].map(({ at }) => JSON.parse(readFileSync(at('one.json'), 'utf8')));
  expect(here.files).toEqual(there.files);
  expect(here.files['notes.txt']).toBe('\ufefftabs\t\r\nno last line end');
  expect(here.salt).not.toBe(there.salt);
  expect([there.notes.length, here.notes.length]).toEqual([1, 0]);
  const note = await other.run('sign', one.at('one.json'), '--by', BEN.by, '--signing-key', one.at('ben.pem'));
  writeFileSync(other.at('note.txt'), note.stdout);
  expect(await other.run('approve', other.log, '1', '--note', other.at('note.txt'), ...other.trust)).toMatchObject({
    ...{ exitCode: 1, stderr: expect.stringContaining('evidence') },
  });
});

test('what is not understood ends with 2, and what cannot be read with 3', async () => {
  const { folder, at, log, run, trust, propose, by } = await begin();
  await propose();
  const usage = async (why: string | RegExp, ...args: string[]) => {
    expect(await run(...args)).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringMatching(why) });
  };
  const ben = by(BEN, 'ben.pem');
  await usage('expected the number of a release', 'approve', log, 'one', ...ben);
  await usage('expected --by and --signing-key, or --note', 'approve', log, '1', '--by', BEN.by, ...trust);
  await usage('Allowed choices are approve, reject, tighten, confirm.', 'approve', log, '1', '--say', 'agree', ...ben);
  await usage(/--note <file>' cannot be used with/, 'approve', log, '1', '--note', at('ben.pem'), ...ben);
  await usage('--signing-key: expected a private Ed25519 key', 'approve', log, '1', ...by(BEN, 'no.pem'));
  await usage("required option '--by <subject>' not specified", 'activate', log, '1', ...trust);
  await usage('found no audit log in that folder', 'list', folder);
  await usage('a bundle has one release: expected no number', 'verify', at('one.json'), '1', ...trust);
  await usage('there is no release 7', 'export', log, '7', '--out', at('seven.json'));
  await runCli(['audit', 'init', at('other')]);
  await usage('this log has no releases: `verdict release init` begins them', ...proposing(at('other'), at('rules')));
  const away = await run('show', log, '1', '--trust', at('away.yaml'));
  expect(away).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining('away.yaml') });
});

const proposing = (log: string, rules: string, ...more: string[]) => {
  return ['propose', log, '--rules', rules, '--title', 'A', '--author', 'ana@bank.example', ...more];
};

test('rules with errors are not proposed, and the errors are in the files of the caller', async () => {
  const { at, log, run } = await begin();
  writeFileSync(at('rules/signup.yaml'), `${TINY['signup.yaml']}  - { id: person, then: reject }\n`);
  const { exitCode, stderr } = await run(...proposing(log, at('rules')));
  expect(exitCode).toBe(3);
  expect(stderr).toContain('\nsignup.yaml:9:7: error[missing-key]');
  expect(stderr).not.toContain('verdict-release-');
  writeFileSync(at('rules/signup.yaml'), withDebt(80)['signup.yaml'] ?? '');
  expect(await run(...proposing(log, at('rules'), '--mapping', '../trust.yaml'))).toEqual({
    ...{ exitCode: 1, stdout: '' },
    stderr: 'verdict: the files have no ../trust.yaml, which is to be the mapping\n',
  });
  expect((await run('list', log)).stdout).toContain('0 releases');
});
