/** `checkFiles` on folders as people keep them: what it finds, what it skips, and each problem once. */

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiagnosticsError, formatDiagnostic, formatDiagnosticLine } from '../../../src/diagnostics.ts';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const RULE = '  - { id: voip, when: { phone.type: voip }, then: review }\n';
const SHARED_RULE = 'rules:\n  - { id: invalid, when: { phone.valid: false }, then: review }\n';
const POLICY = `${HEAD}rules:\n${RULE}`;

/** The path with a byte that is not UTF-8 before its ending. */
function notUtf8(path: string): Buffer {
  return Buffer.concat([Buffer.from(path.replace(/\.yaml$/, '')), Buffer.from([0xff]), Buffer.from('.yaml')]);
}

/** Checks the whole folder, or the paths in it that are given; file names in the result are relative to it. */
function check(files: Readonly<Record<string, string>>, ...paths: readonly string[]) {
  const folder = temporaryFolder(files);
  const report = checkFiles(paths.length === 0 ? [folder] : paths.map((path) => join(folder, path)));
  const diagnostics = report.diagnostics.map((each) => ({ ...each, file: each.file.replace(`${folder}/`, '') }));
  return { ...report, diagnostics, lines: diagnostics.map(formatDiagnosticLine) };
}

/** `file:line:column: severity[code]` of each problem, without its message. */
function codesOf({ lines }: ReturnType<typeof check>): readonly string[] {
  return lines.map((line) => line.replace(/\]: .*/, ']'));
}

/** Checks files with `‹` at each position that is to be reported: the positions that were, and those of the marks. */
function checkMarked(files: Readonly<Record<string, string>>) {
  const unmarked = Object.entries(files).map(([name, text]) => [name, text.replaceAll('‹', '')]);
  const { diagnostics } = check(Object.fromEntries(unmarked));
  const found = diagnostics.map(({ file, code, severity, position }) => ({
    at: `${file}:${position?.line}:${position?.column}`,
    code,
    severity,
  }));
  const marks = Object.entries(files).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i) => {
      const pieces = line.split('‹').slice(0, -1);
      return pieces.map((_, n) => `${file}:${i + 1}:${pieces.slice(0, n + 1).join('').length + 1}`);
    }),
  );
  return { found, marks };
}

/** Everything that can be suspicious in a policy that loads. */
const SUSPICIONS = {
  'policy.yaml': `policy: suspicious
version: "1"
default: accept
whenUnknown: ‹ignore
stages: [[phoneNo, email, ip], ‹[phoneNo]]
lists:
  ‹unread: [a]
conditions:
  ‹unasked: { phone.valid: false }
  risky: { phone.riskLevel: { atLeast: high } }
rules:
  - { id: never, when: { phone.score: { above: 10, below: ‹5 } }, then: review }
  - { id: always, when: { phone.serviceType: ‹[prepaid, postpaid, other] }, then: review }
  - { id: ‹dead, when: { all: [risky, { phone.riskLevel: low }] }, then: review }
  - { id: risky, when: risky, then: review }
  - { id: ‹risky-again, when: { phone.riskLevel: { atLeast: high } }, then: review }
  - { id: ‹very-risky, when: { phone.riskLevel: veryHigh }, then: review }
  - { id: ours, when: { ip.isp: a }, then: accept, final: ‹true }
  - { id: ‹not-ours, when: { ip.isp: a, phone.type: voip }, then: reject }
  - { id: told, when: { phone.type: pager, email.domain.type: other }, then: review, notice: ‹"phone.type" }
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

describe('checkFiles finds', () => {
  it('tells a rule set with the head of a policy of it alone, and not that its names are unknown', () => {
    const own = 'facts: { context.own: { type: number } }\nruleSets: [set.yaml]\n';
    const rule = '  - { id: own, when: { context.own: { above: 5 } }, then: review }\n';
    const { found, marks } = checkMarked({
      'a.yaml': `${HEAD}${own}`,
      'set.yaml': `‹policy: set\n‹version: "1"\n‹default: accept\nrules:\n${rule}`,
    });
    expect(found.map(({ at }) => at)).toEqual(marks);
  });

  it('says where a name or an id is that another file has too', () => {
    const named = 'conditions: { same: { phone.valid: false } }\n';
    const rule = '{ id: voip, when: same, then: review }';
    const { diagnostics } = check({
      'a.yaml': `${HEAD}ruleSets: [set.yaml]\n${named}rules:\n  - ${rule}\n`,
      'set.yaml': `${named}rules:\n  - ${rule}\n`,
    });
    const places = diagnostics.map(({ code, related }) => [code, related?.position.line]);
    expect(places).toEqual([
      ['duplicate-name', 5],
      ['duplicate-name', 7],
    ]);
  });

  it('everything suspicious in a policy that loads, at its position and once', () => {
    const { found, marks } = checkMarked(SUSPICIONS);
    const [inPolicy, unused] = [found.slice(0, -1), found.at(-1)];
    expect(inPolicy.map(({ at }) => at)).toEqual(marks);
    expect(unused).toMatchObject({ code: 'unused-file', at: expect.stringMatching(/^unused\.yaml/) });
    expect(found.every(({ severity }) => severity === 'warning')).toBe(true);
    expect(new Set(found.map(({ code }) => code))).toHaveLength(found.length);
  });

  it('a problem of a shared rule set once, whichever policies include it', () => {
    const shared = 'rules:\n  - { id: voip, when: { phone.tpye: voip }, then: review }\n';
    const policy = `${HEAD}ruleSets: [shared.yaml]\n`;
    const { lines } = check({ 'a.yaml': policy, 'b.yaml': policy, 'shared.yaml': shared });
    expect(lines).toEqual(['shared.yaml:2:25: error[unknown-fact]: there is no fact "phone.tpye"']);
  });

  it('points in a shared rule set only if no policy has a score', () => {
    const shared = 'rules:\n  - { id: voip, when: { phone.type: voip }, points: 5 }\n';
    const policy = `${HEAD}ruleSets: [shared.yaml]\n`;
    const files = { 'a.yaml': policy, 'b.yaml': policy, 'shared.yaml': shared };
    expect(codesOf(check(files))).toEqual(['shared.yaml:2:53: warning[points-without-score]']);
    expect(codesOf(check({ ...files, 'b.yaml': `${policy}score: { review: 5 }\n` }))).toEqual([]);
  });

  it('an unused name of a shared rule set only if no policy uses it', () => {
    const shared = `conditions:\n  used: { phone.type: voip }\n  unused: { phone.type: pager }\nlists: { bad: [a] }\n${SHARED_RULE}`;
    const including = `${HEAD}ruleSets: [shared.yaml]\n`;
    const files = {
      'a.yaml': including,
      'b.yaml': `${including}rules:\n  - { id: b, when: used, then: review }\n`,
      'c.yaml': `${including}rules:\n  - { id: c, when: { ip.isp: { inList: bad } }, then: review }\n`,
      'shared.yaml': shared,
    };
    expect(codesOf(check(files))).toEqual(['shared.yaml:3:3: warning[unused-condition]']);
    expect(codesOf(check(files, 'a.yaml'))).toEqual([
      'shared.yaml:2:3: warning[unused-condition]',
      'shared.yaml:3:3: warning[unused-condition]',
      'shared.yaml:4:10: warning[unused-list]',
    ]);
    // What a policy with errors uses is not known.
    const broken = { ...files, 'c.yaml': `${files['c.yaml']}x: 1\n` };
    const { diagnostics } = check({ ...broken, 'spare.yaml': shared });
    expect(diagnostics.filter(({ severity }) => severity === 'warning')).toEqual([]);
  });

  it('the problems of a mapping beside the policies', () => {
    const files = { 'policy.yaml': POLICY, 'signals.yaml': 'signals: { phone.tpye: a }\n' };
    expect(codesOf(check(files))).toEqual(['signals.yaml:1:12: error[unknown-fact]']);
  });

  it('no file of tests, named or not, and says who checks them if there is nothing else', () => {
    const files = { 'policy.yaml': POLICY, 'policy.test.yaml': 'policy: policy.yaml\n' };
    expect(codesOf(check(files, 'policy.yaml', 'policy.test.yaml'))).toEqual([]);
    expect(() => check(files, 'policy.test.yaml')).toThrow('a file of tests, which `verdict test` checks and runs');
  });

  it('files that are not YAML or of no known kind, but no test cases and no empty files', () => {
    const files = {
      'policy.yaml': POLICY,
      'broken.yaml': 'a: b: c\n',
      'comment.yaml': '# later\n',
      'policy.test.yaml': 'cases: []\n',
      'polcy.yml': 'polcy: a\n',
      'elsewhere/compose.yaml': 'services: {}\n',
      '.hidden/policy.yaml': 'policy: 1\n',
      'node_modules/a/policy.yaml': 'policy: 1\n',
      'policy.schema.json': '{ "policy": 1 }\n',
    };
    expect(codesOf(check(files))).toEqual(['broken.yaml:1:4: error[yaml-syntax]', 'polcy.yml: warning[unknown-file]']);
  });

  it('the problems of every file that the caller names, whatever its kind', () => {
    const files = { 'compose.yaml': 'services: {}\n', 'set.yaml': `rules:\n${RULE}`, 'empty.yaml': '' };
    expect(codesOf(check(files, 'compose.yaml', 'set.yaml', 'empty.yaml', 'compose.yaml'))).toEqual([
      'compose.yaml: error[unknown-file]',
      'empty.yaml:1:1: error[empty]',
      'set.yaml: warning[unused-file]',
    ]);
  });

  it('a table in CSV that no policy uses, and no other CSV file', () => {
    const tables = 'tables:\n  - { id: t, rows: { file: used.csv } }\n';
    const files = {
      'policy.yaml': HEAD + tables,
      'used.csv': 'phone.type,then\nvoip,review\n',
      'forgotten.csv': 'phone.type,points\nvoip,5\n',
      'applicants.csv': 'phoneNo,email\n"447400123456,\n',
      'values.csv': 'value;then\n1;2\n',
    };
    expect(codesOf(check(files))).toEqual(['forgotten.csv: warning[unused-file]']);
    expect(codesOf(check(files, 'policy.yaml', 'used.csv'))).toEqual([]);
    expect(codesOf(check(files, 'policy.yaml', 'applicants.csv'))).toEqual(['applicants.csv: error[unknown-file]']);
  });

  it('nothing in linked folders, and a file with two names once', () => {
    const folder = temporaryFolder({ 'policy.yaml': POLICY });
    mkdirSync(join(folder, 'deep'));
    symlinkSync(folder, join(folder, 'deep', 'again'));
    symlinkSync(folder, join(folder, 'linked.yaml'));
    symlinkSync(join(folder, 'policy.yaml'), join(folder, 'link.yaml'));
    expect(checkFiles([folder])).toEqual({ diagnostics: [], silenced: [], files: 1, within: [] });
  });
});

describe('what cannot be read is a finding at its place, beside all others', () => {
  const BROKEN = { 'broken.yaml': 'a: b: c\n' };
  const FOUND = 'broken.yaml:1:4: error[yaml-syntax]';
  const listing = (name: string) =>
    `${HEAD}lists: { l: { file: ${name} } }\nrules: [{ id: a, when: { ip.isp: { inList: l } }, then: review }]\n`;

  it.each([
    ['a link to itself', (path: string) => symlinkSync('x.yaml', path), 'ELOOP'],
    ['a link to nothing', (path: string) => symlinkSync('none.yaml', path), 'no such file'],
    ['a device', (path: string) => symlinkSync('/dev/zero', path), 'a link out of the project'],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'not a file'],
    ['a name that is not UTF-8', (path: string) => writeFileSync(notUtf8(path), ''), 'not UTF-8'],
  ])('%s', (_, make, message) => {
    const folder = temporaryFolder(BROKEN);
    make(join(folder, 'x.yaml'));
    const { diagnostics, files } = checkFiles([folder]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['yaml-syntax', 'file-unreadable']);
    expect(diagnostics[1]?.message).toContain(message);
    expect(files).toBe(2);
  });

  it.each([
    ['a list file that is a link to itself', 'loop.txt', 'ELOOP'],
    ['a list file with NUL in its name', '"a\\0b"', 'cannot be read'],
  ])('%s', (_, name, message) => {
    const folder = temporaryFolder({ ...BROKEN, 'policy.yaml': listing(name) });
    symlinkSync('loop.txt', join(folder, 'loop.txt'));
    const { diagnostics } = checkFiles([folder]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['yaml-syntax', 'file-unreadable']);
    expect(diagnostics[1]).toMatchObject({ message: expect.stringContaining(message), position: { line: 4 } });
  });

  it.each([
    ['a file outside', '../secret.yaml'],
    ['the environment', existsSync('/proc/self/environ') ? '/proc/self/environ' : '/etc/hosts'],
  ])('a link to %s, which is read only where the caller names it, and is not quoted then', (_, to) => {
    const folder = temporaryFolder({ 'project/package.json': '', 'secret.yaml': 'policy: "CANARY\n' });
    symlinkSync(to, join(folder, 'project', 'x.yaml'));
    const found = (path: string) => checkFiles([join(folder, path)]).diagnostics;
    expect(found('project')).toMatchObject([{ message: expect.stringContaining('a link out of the project') }]);
    expect(found('project/x.yaml')).not.toEqual([]);
    const shown = ['project', 'project/x.yaml']
      .flatMap(found)
      .map((each) => formatDiagnostic(each) + JSON.stringify(each));
    expect(shown.join()).not.toMatch(/CANARY|PATH=/);
  });

  it('a file that the caller names', () => {
    const folder = temporaryFolder(BROKEN);
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    const { diagnostics } = checkFiles([join(folder, 'loop.yaml'), folder]);
    expect(diagnostics.map(formatDiagnosticLine)).toEqual([
      expect.stringContaining(FOUND),
      expect.stringMatching(/loop\.yaml: error\[file-unreadable\]/),
    ]);
  });

  // Root may read any folder.
  it.skipIf(process.getuid?.() === 0)('a folder', () => {
    const folder = temporaryFolder({ ...BROKEN, 'closed/policy.yaml': HEAD });
    chmodSync(join(folder, 'closed'), 0);
    const { diagnostics } = checkFiles([folder]);
    expect(diagnostics[1]).toMatchObject({ code: 'file-unreadable', message: 'the folder cannot be read (EACCES)' });
  });
});

describe('checkFiles throws a DiagnosticsError', () => {
  const diagnosticsOf = (paths: readonly string[]) => {
    try {
      return checkFiles(paths);
    } catch (error) {
      if (!(error instanceof DiagnosticsError)) throw error;
      return { code: error.code, diagnostics: error.diagnostics.map(({ code, file }) => [code, file]) };
    }
  };

  it('that names every path that does not exist', () => {
    const folder = temporaryFolder({ 'policy.yaml': POLICY });
    const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two')];
    expect(diagnosticsOf([one, folder, two])).toEqual({
      code: 'POLICY_INVALID',
      diagnostics: [
        ['file-unreadable', one],
        ['file-unreadable', two],
      ],
    });
  });

  it('for a folder without a policy, rule set or mapping', () => {
    const folder = temporaryFolder({ 'notes.txt': 'a' });
    expect(diagnosticsOf([folder])).toEqual({ code: 'POLICY_INVALID', diagnostics: [['unknown-file', folder]] });
  });
});
