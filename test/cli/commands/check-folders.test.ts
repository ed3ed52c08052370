/** `verdict check` on folders as people keep them: what it finds, what it passes over, and everything once. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import type { Diagnostic } from '../../../src/diagnostics.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const RULE = '  - { id: voip, when: { phone.type: voip }, then: review }\n';

/** Files of a temporary folder, checked; paths in what is printed are relative to it. */
async function check(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = temporaryFolder(files);
  const paths = args.filter((arg) => !arg.startsWith('-')).map((arg) => join(folder, arg));
  const flags = args.filter((arg) => arg.startsWith('-'));
  const ran = await runCli(['check', ...(paths.length === 0 ? [folder] : paths), ...flags]);
  return { ...ran, stdout: ran.stdout.replaceAll(`${folder}/`, ''), folder };
}

/** Files with `‹` at each place that is to be reported: `file:line:column` of what was, and of the marks. */
async function placesOf(files: Readonly<Record<string, string>>) {
  const unmarked = Object.entries(files).map(([name, text]) => [name, text.replaceAll('‹', '')]);
  const { stdout, exitCode } = await check(Object.fromEntries(unmarked), '--json');
  const found = (JSON.parse(stdout) as Diagnostic[]).map(({ file, code, severity, position }) => ({
    place: `${file}:${position?.line}:${position?.column}`,
    code,
    severity,
  }));
  const marks = Object.entries(files).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i) => {
      const pieces = line.split('‹').slice(0, -1);
      return pieces.map((_, n) => `${file}:${i + 1}:${pieces.slice(0, n + 1).join('').length + 1}`);
    }),
  );
  return { found, marks, exitCode };
}

const MISTAKES = {
  'lists/empty.txt': '# nothing\n',
  'policy.yaml': `policy: ‹my policy
version: ‹2026.11
default: ‹acept
‹rulse: []
whenUnknown: ‹reject
facts:
  ‹phone.score: { type: number }
  context.limit: { type: ‹nubmer }
lists:
  numbers: [‹+447400123456]
  ‹empty: { file: lists/empty.txt }
  gone: { file: ‹lists/gone.txt }
  outside: { file: ‹../outside.txt }
conditions:
  round: ‹round
  voip: { phone.type: voip }
stages: ‹[[email]]
ruleSets: [sets/more.yaml]
score: ‹{ review: 80, reject: 40 }
rules:
  - { id: ‹Port_1, when: voip, then: review }
  - { id: twice, when: voip, then: review }
  - { id: ‹twice, when: voip, then: review }
  - { id: ‹nothing, when: voip }
  - { id: credit, when: voip, then: reject, points: ‹-5 }
  - { id: told, when: voip, then: review, message: "Ported {‹" }
  - { id: late, when: voip, then: review, from: 2026-02-01, until: ‹2026-01-01 }
`
    .replace('stages: ‹[[email]]', 'stages: [‹[email]]')
    .replace('{‹"', '‹{"'),
  'sets/more.yaml': `rules:
  - { id: a, when: { ‹phone.riskLvel: high }, then: review }
  - { id: b, when: { phone.riskLevel: { ‹atLaest: high } }, then: review }
  - { id: c, when: { phone.riskLevel: { ‹above: hihg } }, then: review }
  - { id: d, when: { phone.valid: { ‹withinLast: 3 days } }, then: review }
  - { id: e, when: { ip.isp: { matches: ‹"(?=a)" } }, then: review }
  - { id: f, when: ‹vopi, then: review }
  - { id: g, when: { ip.isp: { inList: ‹numbres } }, then: review }
  - { id: h, when: { phone.score: { is: { fact: ‹ip.isp } } }, then: review }
  - { id: i, when: { email.address.firstSeen: { withinLast: ‹3 months } }, then: review }
  - { id: j, when: { atLeastOf: { count: ‹3, of: [voip, voip] } }, then: review }
  - { id: k, when: { any: ‹[] }, then: review }
tables:
  - id: table
    columns: [phone.type, then]
    rows:
      - ‹[voip]
      - [voip, ‹maybe]
`.replace('{ ‹above: hihg }', '{ above: ‹hihg }'),
};

/** Whatever can be found in a policy that loads. */
const SUSPICIONS = {
  'policy.yaml': `policy: suspicious
version: "1"
default: accept
whenUnknown: ‹ignore
stages: [[phoneNo, email], ‹[phoneNo]]
lists:
  ‹unread: [a]
conditions:
  ‹unasked: { phone.valid: false }
  risky: { phone.riskLevel: { atLeast: high } }
rules:
  - { id: never, when: { phone.score: { above: 10, below: ‹5 } }, then: review }
  - { id: always, when: { phone.serviceType: ‹[prepaid, postpaid, other] }, points: 1 }
  - { id: ‹dead, when: { all: [risky, { phone.riskLevel: low }] }, points: 1 }
  - { id: risky, when: risky, then: review }
  - { id: ‹risky-again, when: { phone.riskLevel: { atLeast: high } }, points: 5 }
  - { id: ‹very-risky, when: { phone.riskLevel: veryHigh }, then: review }
  - { id: ours, when: { ip.isp: a }, then: accept, final: ‹true }
  - { id: ‹not-ours, when: { ip.isp: a, phone.type: voip }, then: reject, final: true }
  - { id: told, when: { phone.type: pager }, then: review, notice: ‹"phone.type" }
  - { id: gone, when: { phone.country: { known: ‹false } }, then: review }
tables:
  - id: ‹gaps
    columns: [phone.valid, email.darkWeb.hitCount, then]
    rows:
      - [true, any, accept]
      - [false, { above: 5 }, review]
`,
  'unused.yaml': 'conditions: { a: { phone.valid: true } }\n',
};

describe('verdict check finds', () => {
  it('thirty and more mistakes, each at its place and once', async () => {
    const { found, marks, exitCode } = await placesOf(MISTAKES);
    expect(found.map(({ place }) => place)).toEqual(marks);
    expect(marks.length).toBeGreaterThanOrEqual(30);
    expect(exitCode).toBe(1);
  });

  it('everything that a policy as a whole gives away, at its place and once', async () => {
    const { found, marks, exitCode } = await placesOf(SUSPICIONS);
    const [inPolicy, unused] = [found.slice(0, -1), found.at(-1)];
    expect(inPolicy.map(({ place }) => place)).toEqual(marks);
    expect(unused).toMatchObject({ code: 'unused-file', place: expect.stringMatching(/^unused\.yaml/) });
    expect(found.every(({ severity }) => severity === 'warning')).toBe(true);
    expect(new Set(found.map(({ code }) => code))).toHaveLength(found.length);
    expect(exitCode).toBe(1);
  });

  it('a problem of a shared rule set once, whichever policies include it', async () => {
    const shared = 'rules:\n  - { id: voip, when: { phone.tpye: voip }, then: review }\n';
    const policy = `${HEAD}ruleSets: [shared.yaml]\n`;
    const { stdout } = await check({ 'a.yaml': policy, 'b.yaml': policy, 'shared.yaml': shared }, '--format=line');
    expect(stdout).toBe('shared.yaml:2:25: error[unknown-fact]: there is no fact "phone.tpye"\n');
  });

  it('a name of a shared rule set unused only where no policy uses it', async () => {
    const shared = `conditions:\n  used: { phone.type: voip }\n  unused: { phone.type: pager }\nlists: { bad: [a] }\n`;
    const files = {
      'a.yaml': `${HEAD}ruleSets: [shared.yaml]\n`,
      'b.yaml': `${HEAD}ruleSets: [shared.yaml]\nrules:\n  - { id: b, when: used, then: review }\n`,
      'c.yaml': `${HEAD}ruleSets: [shared.yaml]\nrules:\n  - { id: c, when: { ip.isp: { inList: bad } }, then: review }\n`,
      'shared.yaml': shared,
    };
    const codes = ({ stdout }: { stdout: string }) =>
      [...stdout.matchAll(/^(\S+): warning\[(.*?)\]/gm)].map(([, place, code]) => `${place} ${code}`);
    expect(codes(await check(files, '--format=line'))).toEqual(['shared.yaml:3:3 unused-condition']);
    expect(codes(await check(files, 'a.yaml', '--format=line'))).toEqual([
      'shared.yaml:2:3 unused-condition',
      'shared.yaml:3:3 unused-condition',
      'shared.yaml:4:10 unused-list',
    ]);
    // What a policy that does not load uses, nobody knows.
    const broken = { ...files, 'c.yaml': `${files['c.yaml']}x: 1\n` };
    expect(codes(await check({ ...broken, 'spare.yaml': shared }, '--format=line'))).toEqual([]);
  });

  it('a mapping that is wrong, beside the policies', async () => {
    const files = { 'policy.yaml': `${HEAD}rules:\n${RULE}`, 'signals.yaml': 'signals: { phone.tpye: a }\n' };
    const { stdout, exitCode } = await check(files, '--format=line');
    expect(stdout).toMatch(/^signals\.yaml:1:12: error\[unknown-fact\]/);
    expect(exitCode).toBe(1);
  });

  it('a file that is no YAML, and one that is nothing known, but no test cases and no empty files', async () => {
    const files = {
      'policy.yaml': HEAD,
      'broken.yaml': 'a: b: c\n',
      'comment.yaml': '# later\n',
      'policy.test.yaml': 'cases: []\n',
      'polcy.yml': 'polcy: a\n',
      'elsewhere/compose.yaml': 'services: {}\n',
      '.hidden/policy.yaml': 'policy: 1\n',
      'node_modules/a/policy.yaml': 'policy: 1\n',
      'policy.schema.json': '{ "policy": 1 }\n',
    };
    const { stdout } = await check(files, '--format=line');
    expect(stdout.replace(/\]: .*/g, ']')).toBe(
      'broken.yaml:1:4: error[yaml-syntax]\npolcy.yml: warning[unknown-file]\n',
    );
  });

  it('a file that the user names itself, whatever it is', async () => {
    const files = { 'compose.yaml': 'services: {}\n', 'set.yaml': `rules:\n${RULE}`, 'empty.yaml': '' };
    const { stdout } = await check(files, 'compose.yaml', 'set.yaml', 'empty.yaml', 'compose.yaml', '--format=line');
    expect(stdout.replace(/\]: .*/g, ']')).toBe(
      'compose.yaml: error[unknown-file]\nempty.yaml:1:1: error[empty]\nset.yaml: warning[unused-file]\n',
    );
  });

  it('its way past links that lead in a circle or to nothing', async () => {
    const folder = temporaryFolder({ 'policy.yaml': HEAD });
    mkdirSync(join(folder, 'deep'));
    symlinkSync(folder, join(folder, 'deep', 'again'));
    symlinkSync(join(folder, 'none.yaml'), join(folder, 'gone.yaml'));
    symlinkSync(join(folder, 'policy.yaml'), join(folder, 'link.yaml'));
    const { stdout, exitCode } = await runCli(['check', folder]);
    expect({ stdout, exitCode }).toEqual({ stdout: '1 file checked: 0 errors, 0 warnings\n', exitCode: 0 });
  });
});

describe('verdict check cannot run', () => {
  it.each([
    ['for a file that is not there', ['none.yaml'], 'there is no file or folder'],
    ['for a folder without anything to check', ['nothing'], 'there is no policy, rule set or mapping'],
  ])('%s', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await check({ 'nothing/notes.txt': 'a' }, ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('verdict check reports', () => {
  it('as SARIF with relative references, so that the log means the same in every checkout', async () => {
    const folder = temporaryFolder({ 'a b#%/policy.yaml': `${HEAD}rules: 1\n` });
    const before = process.cwd();
    process.chdir(folder);
    const { stdout } = await runCli(['check', 'a b#%/', '--format', 'sarif']).finally(() => process.chdir(before));
    const log = JSON.parse(stdout);
    expect(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe('a%20b%23%25/policy.yaml');
  });

  it('in colour on a terminal, unless that is not wanted', async () => {
    const folder = temporaryFolder({ 'policy.yaml': `${HEAD}rules: 1\n` });
    const onTerminal = async (env: Record<string, string>) => {
      let printed = '';
      const stdout = new Writable({
        write(chunk, _, done) {
          printed += String(chunk);
          done();
        },
      });
      const terminal = Object.assign(stdout, { isTTY: true });
      const io = { stdin: process.stdin, stdout: terminal, stderr: stdout, env, signal: new AbortController().signal };
      await run(['check', folder], io);
      return printed;
    };
    expect(await onTerminal({})).toContain('\u001b[31merror[wrong-type]:\u001b[39m');
    expect(await onTerminal({ NO_COLOR: '1' })).not.toContain('\u001b');
  });
});

describe('without files', () => {
  it('it checks the folder rules', async () => {
    const folder = temporaryFolder({ 'rules/policy.yaml': HEAD });
    writeFileSync(join(folder, 'policy.yaml'), 'policy: 1\n');
    const before = process.cwd();
    process.chdir(folder);
    const { stdout } = await runCli(['check']).finally(() => process.chdir(before));
    expect(stdout).toBe('1 file checked: 0 errors, 0 warnings\n');
  });
});
