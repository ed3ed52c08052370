import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The published schema of SARIF 2.1.0 (OASIS). A file next to it names its source. */
const SARIF = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/sarif/sarif-2.1.0-rtm.5.json'), 'utf8'),
);

/** One error that has one right answer, and one that has none. */
const MISTAKES = `${HEAD}rules:
  - { id: a, when: { phone.risk_level: veryHigh }, then: review }
  - { id: b, when: { phone.scor: 1 }, then: review }
`;

/** One error, and one warning. */
const WRONG = `${HEAD}lists:
  unused: [a]
rules:
  - { id: a, when: { phone.scor: 1 }, then: review }
`;
const SUSPICIOUS = `${HEAD}lists:
  unused: ["a, b: 100%"]
rules:
  - { id: a, when: { phone.score: { above: 1 } }, then: review }
`;

async function check(files: Readonly<Record<string, string>>, ...args: string[]) {
  const folder = temporaryFolder(files);
  const ran = await runCli(['check', folder, ...args]);
  return { ...ran, stdout: ran.stdout.replaceAll(`${folder}/`, ''), folder };
}

describe('verdict check', () => {
  it('checks the shipped rules by default and finds nothing', async () => {
    const { exitCode, stdout } = await runCli(['check', join(ROOT, 'rules')]);
    expect(stdout).toMatch(/^\d+ files checked: 0 errors, 0 warnings, 1 silenced\n$/);
    expect(exitCode).toBe(0);
  });

  it('shows each problem at its position, and counts them', async () => {
    const { exitCode, stdout } = await check({ 'a.yaml': WRONG, 'b.yaml': SUSPICIOUS });
    expect(exitCode).toBe(1);
    expect(stdout).toMatchInlineSnapshot(`
      "a.yaml:7:22: error[unknown-fact]: there is no fact "phone.scor"
        7 |   - { id: a, when: { phone.scor: 1 }, then: review }
          |                      ^^^^^^^^^^
        hint: did you mean "phone.score"?

      b.yaml:5:3: warning[unused-list]: the list "unused" is never used: editing it changes no decision
        5 |   unused: ["a, b: 100%"]
          |   ^^^^^^

      2 files checked: 1 error, 1 warning; a policy with errors is not searched for suspicious rules
      "
    `);
  });

  it('says in which policies a rule set that is named alone was checked', async () => {
    const set = 'rules:\n  - { id: a, when: { phone.score: { above: 1 } }, then: review }\n';
    const folder = temporaryFolder({ 'a.yaml': `${HEAD}ruleSets: [sets/set.yaml]\n`, 'sets/set.yaml': set });
    const { exitCode, stdout } = await runCli(['check', join(folder, 'sets/set.yaml')]);
    expect({ exitCode, stdout: stdout.replace(`${folder}/`, '') }).toEqual({
      ...{ exitCode: 0, stdout: '1 file checked, as part of a.yaml: 0 errors, 0 warnings\n' },
    });
  });

  it('checks as of a day with --at, and refuses what is no day', async () => {
    const ending = SUSPICIOUS.replace(/lists:.*\n.*\n/, '').replace('then: review', 'then: review, until: 2030-06-30');
    const on = (day: string) => check({ 'a.yaml': ending }, '--at', day, '--format', 'line', '--max-warnings', '2');
    expect((await on('2030-06-30')).stdout).toBe('');
    const { stdout } = await on('2030-07-01');
    expect(stdout.match(/\[.*?\]/g)).toEqual(['[no-active-rule]', '[expired-rule]']);
    expect((await on('2030-02-30')).exitCode).toBe(2);
  });

  it('prints one line per problem with --format line', async () => {
    const { stdout } = await check({ 'a.yaml': WRONG, 'b.yaml': SUSPICIOUS }, '--format', 'line');
    expect(stdout).toMatchInlineSnapshot(`
      "a.yaml:7:22: error[unknown-fact]: there is no fact "phone.scor"
      b.yaml:5:3: warning[unused-list]: the list "unused" is never used: editing it changes no decision
      "
    `);
  });

  it('prints workflow commands, escaped', async () => {
    const { stdout } = await check({ 'a,b.yaml': SUSPICIOUS, 'c.yaml': 'a: [1\n' }, '--format', 'github');
    expect(stdout).toContain('::warning file=');
    expect(stdout).toMatch(/a%2Cb\.yaml,line=5,col=3,endColumn=9,title=unused-list::/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  it.each([
    ['sarif', '"uri": "set.yaml"', '"text": "\\"wide\\" is here"', '"startLine": 2'],
    ['github', 'set.yaml:2:11: "wide" is here)'],
  ])('names the other rule of a warning with --format %s', async (format, ...expected) => {
    const set = 'rules:\n  - { id: wide, when: { phone.score: { above: 1 } }, then: review }\n';
    const rule = '{ id: narrow, when: { phone.score: { above: 2 } }, then: review }';
    const files = { 'a.yaml': `${HEAD}ruleSets: [set.yaml]\nrules:\n  - ${rule}\n`, 'set.yaml': set };
    const { stdout } = await check(files, '--format', format);
    for (const text of expected) expect(stdout.replace(/[^" ]*\/set\.yaml/g, 'set.yaml')).toContain(text);
  });

  it('fixes with --fix what has one right answer, says so, and reports what is left', async () => {
    const { exitCode, stdout, folder } = await check({ 'a.yaml': MISTAKES }, '--fix');
    expect(exitCode).toBe(1);
    expect(stdout).toMatchInlineSnapshot(`
      "a.yaml:5:22: fixed[unknown-fact]: phone.risk_level is now phone.riskLevel
      1 problem fixed

      a.yaml:6:22: error[unknown-fact]: there is no fact "phone.scor"
        6 |   - { id: b, when: { phone.scor: 1 }, then: review }
          |                      ^^^^^^^^^^
        hint: did you mean "phone.score"?

      1 file checked: 1 error, 0 warnings; a policy with errors is not searched for suspicious rules
      "
    `);
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(MISTAKES.replace('risk_level', 'riskLevel'));
    expect(await runCli(['check', folder, '--fix'])).toMatchObject({ exitCode: 1, stderr: '' });
  });

  it('exits as for the fixed files, and keeps what was fixed out of the output for programs', async () => {
    const fixable = { 'a.yaml': MISTAKES.replace('phone.scor:', 'Phone.Score:').replace('high', 'veryHigh') };
    const { exitCode, stdout, stderr } = await check(fixable, '--fix', '--json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '[]\n' });
    expect(stderr).toContain('fixed[unknown-fact]: phone.risk_level is now phone.riskLevel\n');
    expect(stderr).toContain('2 problems fixed\n');
  });

  it('prints the diagnostics as JSON', async () => {
    for (const flags of [['--json'], ['--format', 'json']]) {
      const { stdout } = await check({ 'a.yaml': WRONG }, ...flags);
      expect(JSON.parse(stdout)).toMatchObject([{ code: 'unknown-fact', severity: 'error', position: { line: 7 } }]);
    }
  });

  it('prints SARIF that the published schema accepts', async () => {
    const { $schema: _, id: __, ...schema } = SARIF;
    const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
    const twice = `${HEAD}rules:\n${['a', 'b'].map((id) => `  - { id: ${id}, when: { phone.valid: false }, points: 1 }\n`).join('')}`;
    for (const files of [{ 'a.yaml': WRONG, 'b é.yaml': SUSPICIOUS, 'c.yaml': twice }, { 'a.yaml': HEAD }]) {
      const { stdout } = await check({ ...files, 'mistakes.yaml': MISTAKES }, '--format', 'sarif');
      const log = JSON.parse(stdout);
      expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...log, runs: [{ ...log.runs[0], results: [{ level: 'awful' }] }] })).toBe(false);
    }
  });

  it('has the page on each code that was found as its help in SARIF', async () => {
    const { stdout } = await check({ 'a.yaml': WRONG }, '--format', 'sarif');
    const { rules } = JSON.parse(stdout).runs[0].tool.driver;
    const withHelp = rules.filter((rule: object) => 'help' in rule);
    expect(withHelp.map(({ id }: { id: string }) => id)).toEqual(['unknown-fact']);
    expect(withHelp[0].help.markdown).toMatch(/^# unknown-fact\n.*## Avoid.*## Why/s);
    expect(withHelp[0].help.markdown).not.toContain('](');
  });

  it('explains a code', async () => {
    const { exitCode, stdout } = await runCli(['check', '--explain', 'never-true']);
    expect([exitCode, stdout.split('\n')[0]]).toEqual([0, '# never-true']);
    const wrong = async (code: string) => (await runCli(['check', '--explain', code])).stderr;
    expect(await wrong('never-tru')).toContain('did you mean "never-true"?');
    expect(await wrong('../never-true')).toContain('--explain: there is no such code');
    expect(await wrong('outcome-gap')).toContain('--explain: the check "outcome-gap" no longer exists');
    expect(await wrong('toString')).toContain('error[unknown-fact]');
  });

  it('reports a part of a shared file once if no policy uses it, and not if one of them does', async () => {
    const set =
      'lists:\n  one: [a]\n  two: [b]\nrules:\n  - { id: s, when: { phone.score: { above: 1 } }, then: review }\n';
    const policy = (rule: string) => `${HEAD}ruleSets: [sets/set.yaml]\nrules:\n  - { id: p, ${rule}, then: review }\n`;
    const { stdout } = await check(
      {
        'a.yaml': policy('when: { ip.isp: { inList: one } }'),
        'b.yaml': policy('when: { phone.valid: false }'),
        'sets/set.yaml': set,
      },
      '--format',
      'line',
    );
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/sets\/set\.yaml:3:3: warning\[unused-list\].*"two"/),
    ]);
  });

  it('tries mappings on captured answers, and says where a status is not read, or covers too much', async () => {
    const files = {
      'signals.yaml': `sources:
  phone: { at: phone.status, answered: [ok], signals: [phone.*, email.darkWeb.*] }
signals:
  phone.score: phone.score
  email.darkWeb.hitCount: darkWeb.hits
`,
      'one.json': '{ "phone": { "status": "ok", "score": 12 } }',
      'both.json': '{ "phone": { "status": "ok", "score": 12 }, "darkWeb": { "state": "ok", "hits": 0 } }',
    };
    const folder = temporaryFolder(files);
    const run = (...names: readonly string[]) => {
      const answers = names.flatMap((name) => ['--answer', join(folder, name)]);
      return runCli(['check', join(folder, 'signals.yaml'), ...answers, '--format', 'line']);
    };
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(await run('one.json')).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await run('one.json', 'both.json', 'both.json');
    expect(exitCode).toBe(1);
    expect(stdout.replaceAll(`${folder}/`, '').split('\n')).toEqual([
      expect.stringMatching(
        /^signals\.yaml:2:3: warning\[source-elsewhere\]: the source "phone" .*hitCount, read elsewhere$/,
      ),
      expect.stringMatching(
        /^signals\.yaml:5:3: warning\[unread-status\]: email\.darkWeb\.hitCount is read from darkWeb, /,
      ),
      '',
    ]);
  });

  it('also checks mappings, but not test cases', async () => {
    const { stdout } = await check(
      { 'm.yaml': 'signals:\n  phone.scor: risk.score\n', 'p.test.yaml': 'cases: 1\n' },
      '--format',
      'line',
    );
    expect(stdout.trimEnd().split('\n')).toEqual([expect.stringMatching(/m\.yaml:2:3: error\[unknown-fact\]/)]);
  });

  it('exits with 3 for a missing path, and with 2 for an unknown format', async () => {
    expect(await runCli(['check', 'nowhere'])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('nowhere'),
    });
    expect(await runCli(['check', '--format', 'xml'])).toMatchObject({ exitCode: 2 });
    expect(await runCli(['check', '--steps', '5M'])).toMatchObject({
      exitCode: 2,
      stderr: 'verdict: --steps goes with --deep\n',
    });
  });
});

it('thirty different mistakes give thirty diagnostics, each at its line', async () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['{ id: Bad_Id, when: A, then: review }', 'malformed'],
    ['{ id: r2, when: { phone.scor: 1 }, then: review }', 'unknown-fact'],
    ['{ id: r3, when: { phone.score: { atLeest: 1 } }, then: review }', 'unknown-operator'],
    ['{ id: r4, when: { phone.score: "1" }, then: review }', 'wrong-type'],
    ['{ id: r5, when: { phone.riskLevel: severe }, then: review }', 'wrong-value'],
    ['{ id: r6, when: { phone.porting.portedDate: { withinLast: 1 month } }, then: review }', 'malformed'],
    ['{ id: r7, when: { phone.score: { contains: a } }, then: review }', 'operator-type'],
    ['{ id: r8, when: A }', 'no-effect'],
    ['{ id: r9, when: A, points: 1, final: true }', 'no-effect'],
    ['{ id: r10, when: A, then: review, points: 1.5 }', 'wrong-type'],
    ['{ id: r11, when: A, then: review, points: -1 }', 'points-sign'],
    ['{ id: r12, when: B, then: review }', 'unknown-condition'],
    ['{ id: r13, when: { ip.isp: { inList: nowhere } }, then: review }', 'unknown-list'],
    ['{ id: r14, when: { all: [] }, then: review }', 'empty'],
    ['{ id: r15, when: { atLeastOf: { count: 3, of: [A, A] } }, then: review }', 'wrong-value'],
    ['{ id: r16, when: { phone.score: { between: [9, 1] } }, then: review }', 'wrong-value'],
    ['{ id: r17, when: { ip.isp: { matches: "(" } }, then: review }', 'bad-pattern'],
    ['{ id: r18, when: { ip.isp: { contains: " " } }, then: review }', 'empty'],
    ['{ id: r19, when: { phone.score: { is: { fact: ip.isp } } }, then: review }', 'fact-types'],
    ['{ id: r20, when: { ip.isp: null }, then: review }', 'null-value'],
    ['{ id: r21, when: A, then: approve }', 'wrong-value'],
    ['{ id: r22, when: A, then: review, reason: lower }', 'malformed'],
    ['{ id: r23, when: A, then: review, message: "{phone.scre}" }', 'unknown-fact'],
    ['{ id: r24, when: A, then: review, message: "{applicant.email}" }', 'bad-message'],
    ['{ id: r25, when: A, then: review, mode: live }', 'wrong-value'],
    ['{ id: r26, when: A, then: review, from: 2026-02-30 }', 'malformed'],
    ['{ id: r27, when: A, then: review, from: 2026-03-02, until: 2026-03-01 }', 'wrong-value'],
    ['{ id: r28, when: A, then: review, colour: red }', 'unknown-key'],
    ['{ id: r2, when: A, then: review }', 'duplicate-name'],
    ['{ id: r30, then: review }', 'missing-key'],
  ];
  const rules = wrong.map(([rule]) => `  - ${rule}\n`).join('');
  const text = `${HEAD}conditions: { A: { phone.valid: true } }\nrules:\n${rules}`;
  const { stdout } = await check({ 'policy.yaml': text }, '--json');
  const found = JSON.parse(stdout).map(({ code, position }: { code: string; position: { line: number } }) => [
    position.line,
    code,
  ]);
  expect(found).toEqual(wrong.map(([, code], i) => [i + 6, code]));
});

describe('warnings', () => {
  const RULE = 'rules:\n  - { id: a, when: used, then: review }\n';
  const unused = (...names: readonly string[]) => names.map((name) => `  ${name}: { phone.valid: true }\n`).join('');
  const checked = async (conditions: string, ...options: readonly string[]) => {
    const text = `${HEAD}conditions:\n${conditions}  used: { applicant.emailDomain: our-house.example }\n${RULE}`;
    return runCli(['check', temporaryFolder({ 'p.yaml': text }), ...options]);
  };

  it.each([
    [2, [], 1],
    [0, [], 0],
    [2, ['--max-warnings', '1'], 1],
    [2, ['--max-warnings', '2'], 0],
    [2, ['--errors-only'], 0],
    [2, ['--errors-only', '--max-warnings', '2'], 2],
    [2, ['--max-warnings', '-1'], 2],
    [2, ['--max-warnings', '1.5'], 2],
  ])('of %d, %j: exits with %d', async (n, options, exitCode) => {
    expect((await checked(unused(...['a', 'b'].slice(0, n)), ...options)).exitCode).toBe(exitCode);
  });

  it('that may be there do not excuse an error', async () => {
    const wrong = '  a: { phone.typ: voip }\n';
    for (const option of [['--errors-only'], ['--max-warnings', '9']]) {
      expect((await checked(wrong, ...option)).exitCode).toBe(1);
    }
  });

  it('that a comment silences are counted, and in SARIF suppressed with the reason', async () => {
    const text = `  # verdict: allow unused-condition (for later)\n${unused('a')}${unused('b')}`;
    const { stdout, exitCode } = await checked(text, '--max-warnings', '1');
    const last = stdout.trimEnd().split('\n').at(-1);
    expect([last, exitCode]).toEqual(['1 file checked: 0 errors, 1 warning, 1 silenced', 0]);
    const sarif = JSON.parse((await checked(text, '--format', 'sarif')).stdout);
    const found = sarif.runs[0].results.map(({ suppressions }: { suppressions: unknown }) => suppressions);
    expect(found).toEqual([[], [{ kind: 'inSource', justification: 'for later' }]]);
    for (const format of ['line', 'json']) {
      expect((await checked(text, '--format', format)).stdout.match(/unused-condition/g)).toHaveLength(1);
    }
  });
});
