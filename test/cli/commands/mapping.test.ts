import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type RunSetting, runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const wire = (name: string) => fileURLToPath(new URL(`../../fixtures/wire/${name}`, import.meta.url));
const SHAPE_1 = wire('shape-1.json');
const AT = ['--at', '2025-11-20'];

const tryMapping = (args: readonly string[], setting?: RunSetting) => runCli(['mapping', 'try', ...args], setting);

/** Creates a file with this text. */
const fileOf = (name: string, text: string) => `${temporaryFolder({ [name]: text })}/${name}`;

describe('verdict mapping try', () => {
  it('shows every fact with its value or cause, in groups, and each unused value of the answer', async () => {
    const { exitCode, stdout, stderr } = await tryMapping([SHAPE_1, ...AT]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^phone\n {2}phone\.operator\.current {9}Harbour Mobile +source service, phone\n/);
    expect(stdout).toMatch(/\n\nip\n/);
    expect(stdout).toMatch(/^ {2}ip\.country {21}NZ +source service, ip$/m);
    expect(stdout).toMatch(/^ {2}identity\.verified +- notRequested$/m);
    expect(stdout).toMatch(/^Not used\n {2}countryCode +"Global"$/m);
    expect(stdout).toMatch(/\n30 facts: 29 with a value, 1 notRequested\. Unused values of the answer: 13\.\n$/);
    expect(stdout).not.toContain('applicant.');
  });

  it.each([
    ['shape-1', 'shape-1'],
    ['shape-1-failed', 'shape-1'],
    ['shape-3', 'shape-3'],
    ['shape-4', 'shape-4'],
    ['shape-7', 'shape-7'],
  ])('prints exactly the facts of %s as JSON', async (answer, mapping) => {
    const expected = JSON.parse(readFileSync(wire(`${answer}.facts.json`), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(expected).length).toBeGreaterThan(20);
    for (const flags of [['--json'], ['--format', 'json']]) {
      const { stdout } = await tryMapping([
        wire(`${answer}.json`),
        '--mapping',
        wire(`${mapping}.yaml`),
        ...AT,
        ...flags,
      ]);
      const trial = JSON.parse(stdout);
      expect(Object.keys(trial)).toEqual(['facts', 'warnings', 'unused']);
      for (const [path, fact] of Object.entries(expected)) {
        const shown = typeof fact === 'object' ? fact : { value: fact, vouchers: expect.any(Array) };
        expect({ [path]: trial.facts[path] }).toEqual({ [path]: shown });
      }
      expect(trial.facts['identity.verified']).toEqual({ missing: 'notRequested' });
    }
  });

  it('says of several answers how often each fact has a value, why not, and what is not read', async () => {
    const answer = JSON.parse(readFileSync(SHAPE_1, 'utf8'));
    const names = ['a.json', 'b.json', 'c.json'];
    const folder = temporaryFolder({
      'a.json': JSON.stringify(answer),
      'b.json': JSON.stringify({ ...answer, extra: [{ word: 1 }, { word: 2 }] }),
      'c.json': readFileSync(wire('shape-1-failed.json'), 'utf8'),
    });
    const files = names.map((name) => `${folder}/${name}`);
    const { exitCode, stdout } = await tryMapping([...files, ...AT]);
    const single = await Promise.all(files.map(async (file) => (await tryMapping([file, ...AT, '--json'])).stdout));
    const trials = single.map((text) => JSON.parse(text));
    expect(exitCode).toBe(1);
    for (const path of Object.keys(trials[0].facts)) {
      const of = trials.map(({ facts }) => facts[path]);
      const line = stdout.split('\n').find((each) => each.startsWith(`  ${path} `)) ?? '';
      expect(line).toMatch(new RegExp(` ${of.filter((fact) => 'value' in fact).length} of 3( |$)`));
      const [cause] = of.flatMap((fact) => ('missing' in fact ? [fact.missing] : []));
      if (cause) expect(line).toContain(` ${of.filter(({ missing }) => missing === cause).length} ${cause}, such as `);
    }
    expect(stdout).toMatch(/^ {2}extra\[\*\]\.word +1 of 3$/m);
    expect(stdout).toMatch(
      /\n30 facts in 3 answers: \d+ with a value in all, \d+ in some, 1 in none\. Unused values: \d+\.\n$/,
    );
    const json = JSON.parse((await tryMapping([...files, ...AT, '--json'])).stdout);
    expect(json.answers).toEqual(trials.map((trial, i) => ({ answer: files[i], ...trial })));
  });

  it('prints the paths of unused values as a list of texts', async () => {
    const { stdout } = await tryMapping([wire('shape-4.json'), '--mapping', wire('shape-4.yaml'), ...AT, '--json']);
    const tumbling = ['results[19].group', 'results[19].name', 'results[19].value'];
    expect(JSON.parse(stdout).unused).toEqual(expect.arrayContaining(tumbling));
    expect(stdout).not.toContain('results[0]');
  });

  it('shows an unreadable value, and exits with 1', async () => {
    const mapping = fileOf(
      'm.yaml',
      'signals: { phone.score: score, phone.type: type, email.domain.score: "$.none" }\n',
    );
    const stdin = JSON.stringify({ score: 'very\u202e high', type: 'x'.repeat(300) });
    const { exitCode, stdout } = await tryMapping(['-', '--mapping', mapping, ...AT], { stdin });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('- invalid: very\\u{202e} high\n');
    expect(stdout).toMatch(/- invalid: x+…\n/);
    expect(stdout).toContain('- notReturned\n');
    const json = await tryMapping(['-', '--mapping', mapping, ...AT, '--json'], { stdin });
    expect(json.exitCode).toBe(1);
    const { facts } = JSON.parse(json.stdout);
    expect(facts['phone.score']).toEqual({ missing: 'invalid', raw: 'very\u202e high' });
    expect(facts['phone.type'].raw).toHaveLength(200);
    expect(facts['phone.status']).toEqual({ missing: 'unmapped' });
  });

  it('shows the sources of a value beside it, warns where none looks at a status, and exits with 1', async () => {
    const mapping = fileOf(
      'm.yaml',
      `sources: { phone: { at: phone.status, answered: [ok], signals: [phone.*] } }
signals: { phone.score: phone.score, email.darkWeb.hitCount: darkWeb.hits, ip.isp: isp }
`,
    );
    const stdin = '{ "phone": { "status": "ok", "score": 1 }, "darkWeb": { "state": "ok", "hits": 0 }, "isp": "x" }';
    const { exitCode, stdout } = await tryMapping(['-', '--mapping', mapping, ...AT], { stdin });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^ {2}phone\.score +1 +source phone$/m);
    expect(stdout).toMatch(/^ {2}email\.darkWeb\.hitCount +0 +status of its source not read$/m);
    expect(stdout).toMatch(/^ {2}ip\.isp +x +no source$/m);
    expect(stdout).toMatch(
      /^Sources\n {2}warning\[unread-status\]: email\.darkWeb\.hitCount is read from darkWeb, .*\n {4}hint: /m,
    );
    const json = JSON.parse((await tryMapping(['-', '--mapping', mapping, '--json', ...AT], { stdin })).stdout);
    expect(json.facts['phone.score']).toEqual({ value: 1, vouchers: ['phone'] });
    expect(json.facts['ip.isp']).toEqual({ value: 'x', vouchers: [] });
    expect(json.warnings).toMatchObject([{ code: 'unread-status', facts: ['email.darkWeb.hitCount'] }]);
  });

  it('exits with 1 if a source failed, and with 0 if a fact is not mapped or not returned', async () => {
    expect((await tryMapping([wire('shape-1-failed.json'), ...AT])).exitCode).toBe(1);
    const mapping = fileOf('m.yaml', 'signals: { phone.score: score }\n');
    const { exitCode, stdout } = await tryMapping(['-', '--mapping', mapping], { stdin: '{}' });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 notReturned');
    expect(stdout).toMatch(/\d+ unmapped/);
  });

  it('distinguishes numbers and texts among unused values', async () => {
    const mapping = fileOf('m.yaml', 'signals: { phone.score: score }\n');
    const stdin =
      '{ "a": 1e400, "b": "1", "c": [], "long": "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz abcdefghij" }';
    const { stdout } = await tryMapping(['-', '--mapping', mapping], { stdin });
    expect(stdout).toMatch(/^ {2}a {5}Infinity\n {2}b {5}"1"\n {2}c {5}\[\]\n {2}long {2}"abc.{50,60}…$/m);
  });

  it('treats a further service as requested with --composite', async () => {
    const { stdout } = await tryMapping([SHAPE_1, ...AT, '--composite', '--json']);
    expect(JSON.parse(stdout).facts['identity.verified']).toEqual({ missing: 'sourceFailed' });
  });

  it.each<[string, string, string]>([
    ['invalid JSON', 'HTTP/1.1 200 OK\n\n{}', 'is not JSON'],
    ['no text', '', 'is empty; JSON was expected'],
    [
      'a duplicate name',
      '{\n  "a": 1,\n  "b": { "c": [{ "x": 1 }, { "x": 2 }] },\n  "\\u0061"\n: "447700900461"\n}',
      'has a duplicate name in an object (line 4)',
    ],
    [
      'brackets in texts and a duplicate name',
      '{ "a": "}{\\"", "b": { "a": [1] },\n "a": 1 }',
      'has a duplicate name in an object (line 2)',
    ],
    ['too many levels', `${'['.repeat(101)}${']'.repeat(101)}`, 'nests deeper than 100 levels'],
    ['too many bytes', `"${'x'.repeat(5_000_000)}"`, 'has more than 1048576 bytes'],
  ])('refuses an answer with %s, and quotes nothing of it', async (_, stdin, said) => {
    const { exitCode, stdout, stderr } = await tryMapping(['-', ...AT], { stdin });
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain(`verdict: standard input`);
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/447700900461|HTTP|\n./);
  });

  it('exits with 3 if a file is missing or the mapping is wrong', async () => {
    const missing = await tryMapping(['nowhere.json']);
    expect(missing).toMatchObject({ exitCode: 3, stderr: 'verdict: nowhere.json: no such file\n' });
    const mapping = fileOf('m.yaml', 'signals: { phone.scor: score }\n');
    const wrong = await tryMapping([SHAPE_1, '--mapping', mapping]);
    expect(wrong.exitCode).toBe(3);
    expect(wrong.stderr).toMatch(/m\.yaml:1:12: error\[unknown-fact\].*\n(.*\n)*.*did you mean "phone\.score"/);
  });
});

describe('verdict mapping suggest', () => {
  it('prints a mapping that reads facts from the answer it was made from', async () => {
    const { exitCode, stdout, stderr } = await runCli(['mapping', 'suggest', SHAPE_1]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const tried = await tryMapping([SHAPE_1, '--mapping', fileOf('suggested.yaml', stdout), ...AT, '--json']);
    expect(JSON.parse(tried.stdout).facts['phone.operator.current']).toMatchObject({ value: 'Harbour Mobile' });
  });

  it('reads several answers, and refuses a text that is not an answer', async () => {
    expect((await runCli(['mapping', 'suggest', SHAPE_1, wire('shape-1-failed.json')])).exitCode).toBe(0);
    expect((await runCli(['mapping', 'suggest', SHAPE_1, '-'], { stdin: '{' })).exitCode).toBe(3);
    expect((await runCli(['mapping', 'suggest'])).exitCode).toBe(2);
  });
});
