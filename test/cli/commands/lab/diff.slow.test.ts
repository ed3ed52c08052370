/** `verdict diff`, as an analyst types it. */

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { commitAll } from '../../../support/policy/git.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-diff-'));

const POLICY = `
policy: onboarding
version: "1"
default: accept
rules:
  - id: ported
    when: { phone.porting.portedDate: { withinLast: 30 days }, email.address.riskLevel: { atLeast: high } }
    then: review
  - id: risky
    when: { phone.score: { atLeast: 80 } }
    then: reject
`;

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const old = fileOf('old.yaml', POLICY);
const now = fileOf('new.yaml', POLICY.replace('30 days', '5 days'));

const diff = (...args: string[]) => runCli(['diff', ...args, '--at', '2026-11-20']);

describe('verdict diff', () => {
  it('says whose decisions differ, with an example, and that the rest is proved the same', async () => {
    const { exitCode, stdout } = await diff(old, now);
    expect(stdout).toBe(`- rule ported: phone.porting.portedDate withinLast 30 days is now 5 days (${now}:7)

review to accept: 1 region

  email.address.riskLevel is high or more, or missing
  phone.porting.portedDate is 6 to 30 days old
  the other rules alone give accept
  because of rule ported
  such as
    phone.porting.portedDate  2026-11-14, 6 days before
    and 1 other fact: --json has the whole line for evaluate

All other applicants are decided the same from 2026-11-20 on: proved.
`);
    expect(exitCode).toBe(1);
  });

  it('ends with 0 where the policies decide the same, whatever their rules are called', async () => {
    const renamed = fileOf('renamed.yaml', POLICY.replace('id: risky', 'id: other'));
    const { exitCode, stdout } = await diff(old, renamed);
    expect(
      stdout,
    ).toBe(`- rule risky is now called other, and its reason RISKY is now OTHER; reports by the old id or reason miss it (${renamed}:9)

The policies decide every applicant the same from 2026-11-20 on: proved.
`);
    expect(exitCode).toBe(0);
  });

  it('fails on the changes that are named alone', async () => {
    expect((await diff(old, now, '--fail-on', 'review->accept,reject->accept')).exitCode).toBe(1);
    expect((await diff(old, now, '--fail-on', 'reject->accept')).exitCode).toBe(0);
    const wrong = await diff(old, now, '--fail-on', 'reject>accept');
    expect(wrong.stderr).toContain('Expected changes, separated by commas, among accept->review, accept->reject');
    expect((await diff(old, now, '--fail-on', 'reject-')).stderr).toContain('Expected changes in quotes: "reject->');
    expect(wrong.exitCode).toBe(2);
  });

  it('finds a change that fails however few regions are asked for, and says which changes happen to nobody', async () => {
    const rule = (id: string, test: string, then: string) => `  - { id: ${id}, when: { ${test} }, then: ${then} }\n`;
    const head = 'policy: p\nversion: "1"\ndefault: accept\nwhenUnknown: ignore\nrules:\n';
    const land = fileOf('land.yaml', head + rule('land', 'phone.country: KP', 'reject'));
    const reviews = ['phone.type: voip', 'phone.riskLevel: high', 'email.address.riskLevel: high'];
    const risky = fileOf('risky.yaml', head + reviews.map((test, i) => rule(`r${i}`, test, 'review')).join(''));
    expect((await diff(land, risky, '--regions', '1', '--fail-on', 'reject->accept')).exitCode).toBe(1);
    const { exitCode, stdout } = await diff(
      land,
      risky,
      '--regions',
      '1',
      '--fail-on',
      'review->accept,accept->reject',
    );
    expect(stdout).toContain(
      'There may be more regions: --regions looks for more of them. Nobody changes from accept to reject, ' +
        'from review to accept, or from review to reject from 2026-11-20 on: proved.\n',
    );
    expect(exitCode).toBe(0);
  });

  it('writes a comment for a pull request', async () => {
    const { stdout } = await diff(old, now, '--format', 'markdown');
    expect(stdout).toBe(`- rule ported: phone.porting.portedDate withinLast 30 days is now 5 days (${now}:7)

| from | to | regions |
| --- | --- | ---: |
| review | accept | 1 |

**All other applicants are decided the same from 2026-11-20 on: proved.**

### review to accept

| applicants | such as |
| --- | --- |
| Email address risk is high or more, or missing<br>Number last ported is 6 to 30 days old<br>the other rules alone give accept<br>because of rule ported | Number last ported: \`2026-11-14\`, 6 days before<br><details><summary>1 more fact, as a line for evaluate</summary>\`{"facts":{"phone.porting.portedDate":"2026-11-14","phone.score":0}}\`</details> |
`);
  });

  it('folds the regions of a comment where they are many', async () => {
    const types = ['voip', 'pager', 'tollFree', 'premiumRate', 'satellite', 'mobile'];
    const rules = types.map(
      (type, i) =>
        `  - { id: r${i}, when: { phone.type: ${type}, phone.score: { below: ${i + 2} }, phone.status: active, email.domain.type: free, email.address.status: valid }, then: review, whenUnknown: ignore }`,
    );
    const many = fileOf('many.yaml', `${POLICY}${rules.join('\n')}\n`);
    const { stdout } = await diff(old, many, '--format', 'markdown');
    expect(stdout).toMatch(/<details>\n<summary>accept to review: \d+ regions<\/summary>\n\n\| applicants/);
    // So are long examples.
    expect(stdout).toMatch(
      /<details><summary>[^<]*as a line for evaluate<\/summary>`\{"facts":[^`]{90,}`<\/details> \|/,
    );
  });

  it('writes a page', async () => {
    const page = join(folder, 'diff.html');
    const { stdout, exitCode } = await diff(old, now, '--html', page);
    expect({ stdout, exitCode }).toEqual({ stdout: (await diff(old, now)).stdout, exitCode: 1 });
    expect(readFileSync(page, 'utf8')).toContain('Number last ported is 6 to 30 days old');
    expect(await diff(old, now, '--html', old)).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await diff(old, now, '--format', 'html')).stderr).toContain('A page is written by --html FILE');
  });

  it('sets a parameter of the new policy alone with --set-new', async () => {
    const limited = POLICY.replace('rules:', 'parameters: { limit: 80 }\nrules:').replace(
      'atLeast: 80',
      'atLeast: $limit',
    );
    const file = fileOf('limit.yaml', limited);
    const { exitCode, stdout } = await diff(file, file, '--set-new', 'limit=70');
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('phone.score is at least 70 and below 80\n')]);
  });

  it('compares only the applicants who are asked about', async () => {
    const young = 'conditions: { young: { email.address.firstSeen: { withinLast: 9 days } } }\n';
    const named = `${POLICY.replace('30 days', '5 days')}${young}`;
    const asked = (...args: string[]) => diff(old, fileOf('named.yaml', named), ...args);
    const { stdout } = await asked('--where', 'phone.porting.portedDate: { withinLast: 10 days }');
    expect(stdout).toContain('phone.porting.portedDate is 6 to 10 days old');
    expect(stdout).toContain(
      'All other applicants for whom phone.porting.portedDate lies within the last 10 days are decided the same',
    );
    expect((await asked('--where', 'young')).stdout).toContain('young (email.address.firstSeen is at most 9 days old)');
    const nobody = await asked('--where', '{ email.address.riskLevel: low }', '--json');
    expect(JSON.parse(nobody.stdout)).toMatchObject({
      same: true,
      where: 'email.address.riskLevel is low',
      changes: [],
    });
    expect(nobody.exitCode).toBe(0);
  });

  it('refuses a condition that the new policy cannot have, with its place', async () => {
    const { stderr, exitCode } = await diff(old, now, '--where', 'phone.contry: GB');
    expect(stderr).toContain('--where:1:1: error[unknown-fact]: there is no fact "phone.contry"');
    expect(stderr).toContain('did you mean "phone.country"?');
    expect(exitCode).toBe((await diff(old, fileOf('broken.yaml', 'policy: x\n'))).exitCode);
  });

  it.each([
    [
      'a condition that is read as it may be meant',
      [old, now, '--where', 'phone.score: >80'],
      3,
      'write `phone.score: { above: 80 }`',
    ],
    ['an empty condition', [old, now, '--where', ' '], 2, '--where is empty; expected a condition'],
    ['a revision without a file', ['main', now], 2, `for a git revision, write the file too: main:${now}`],
    ['a folder', [folder, now], 3, 'a folder; expected a file'],
    [
      'a rule set',
      [fileOf('set.yaml', 'rules: []\n'), now],
      3,
      'hint: a rule set is read with the policy that includes it',
    ],
  ])('refuses %s', async (_, args, code, said) => {
    const { exitCode, stderr, stdout } = await diff(...args);
    expect(stderr).toContain(said);
    expect([exitCode, stdout]).toEqual([code, '']);
  });

  it('ends with 4 where no applicant of a region was found', async () => {
    const rule = "  - { id: odd, when: { ip.isp: { matches: '^zq[0-9]{3}y', contains: telecom } }, then: reject }\n";
    const known = `${POLICY}  - { id: unknown, when: { ip.isp: { known: false } }, then: reject }\n`;
    const { exitCode, stdout } = await diff(fileOf('known.yaml', known), fileOf('odd.yaml', known + rule));
    expect(stdout).toContain('no example was found: not proved');
    expect(exitCode).toBe(4);
  });

  it('compares with the files of a git revision, rule sets and lists too', async () => {
    const policy = (days: number) => `
policy: signup
version: "1"
default: accept
ruleSets: [ported.yaml]
rules: [{ id: never, when: { phone.score: { above: ${days} } }, then: review }]
`;
    const set = (days: number) =>
      `rules:\n  - { id: ported, when: { phone.porting.portedDate: { withinLast: ${days} days } }, then: review }\n`;
    const gone = '  - { id: gone, when: { phone.valid: false }, then: review, mode: shadow }\n';
    const repository = temporaryFolder({ 'policy.yaml': policy(99), 'ported.yaml': `${set(30)}${gone}` });
    commitAll(repository);
    writeFileSync(join(repository, 'ported.yaml'), set(10));
    const file = join(repository, 'policy.yaml');
    const { exitCode, stdout } = await diff(`HEAD:${file}`, file);
    expect(stdout).toContain('phone.porting.portedDate is 11 to 30 days old');
    expect(exitCode).toBe(1);
    const removed = 'rule gone is removed: review, in shadow mode if phone.valid is false';
    expect(stdout).toContain(`- ${removed} (HEAD:${join(repository, 'ported.yaml')}:3)\n`);
    const misspelt = await diff(`HEAD:${join(repository, 'polcy.yaml')}`, file);
    expect(misspelt.stderr).toContain('no such file in that revision\n  hint: did you mean "policy.yaml"?');
    const unknown = await diff(`nope:${file}`, file);
    expect(unknown.stderr).toContain('the repository of the policy has no such revision');
    expect(unknown.exitCode).toBe(2);
  });

  it('compares with a revision whose folder is gone since', async () => {
    const repository = temporaryFolder({ 'rules/old/policy.yaml': POLICY });
    commitAll(repository);
    mkdirSync(join(repository, 'moved'));
    renameSync(join(repository, 'rules/old/policy.yaml'), join(repository, 'moved/policy.yaml'));
    rmSync(join(repository, 'rules'), { recursive: true });
    const { exitCode, stdout } = await diff(
      `HEAD:${join(repository, 'rules/old/policy.yaml')}`,
      join(repository, 'moved/policy.yaml'),
    );
    expect(stdout).toContain('The policies decide every applicant the same');
    expect(exitCode).toBe(0);
    const misspelt = await diff(`HEAD:${join(repository, 'rules/old/p.yaml')}`, join(repository, 'moved/policy.yaml'));
    expect(misspelt.stderr).toContain('no such file in that revision');
  });

  it('refuses a file of a revision that is too large, as one on disk', async () => {
    const repository = temporaryFolder({ 'policy.yaml': `${POLICY}#${'x'.repeat(5_000_000)}` });
    commitAll(repository);
    const file = join(repository, 'policy.yaml');
    const said = /error\[file-too-large\]: the file has 500\d{4} bytes; the limit is 4194304/;
    expect((await diff(file, file)).stderr).toMatch(said);
    writeFileSync(file, POLICY);
    const { exitCode, stderr } = await diff(`HEAD:${file}`, file);
    expect(stderr).toMatch(said);
    expect(exitCode).toBe(3);
  });
});
