import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../../src/platform/files/text-lines.ts';
import { runCli } from '../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { above: 50 } }, then: review, message: "Score {phone.score}." }
  - { id: moved, when: { phone.porting.portedDate: { withinLast: 7 days } }, then: reject }
`;

const evaluate = (stdin: string, ...args: string[]) => {
  const policy = join(temporaryFolder({ 'policy.yaml': POLICY }), 'policy.yaml');
  return runCli(['evaluate', '--policy', policy, '--facts', '-', '--at', '2026-11-20', ...args], { stdin });
};

const line = (facts: object, rest: object = {}) => `${JSON.stringify({ facts, ...rest })}\n`;

describe('verdict evaluate', () => {
  it('gives one verdict per line, in order', async () => {
    const lines = [10, 60, 20].map((score) => line({ 'phone.score': score, 'phone.porting.portedDate': 'never' }));
    const { exitCode, stdout, stderr } = await evaluate(lines.join(''));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const verdicts = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['accept', 'review', 'accept']);
    expect(verdicts[1]).toEqual({
      outcome: 'review',
      reasons: [
        {
          because: 'fired',
          rule: 'risky',
          code: 'RISKY',
          outcome: 'review',
          decisive: true,
          message: 'Score 60.',
          evidence: [{ fact: 'phone.score', operator: 'above', expected: 50, value: 60 }],
        },
      ],
      undetermined: [],
      score: { least: 0, most: 0, band: null },
      shadow: [],
    });
  });

  describe('of a CSV file', () => {
    const evaluateCsv = (text: string) => {
      const folder = temporaryFolder({ 'policy.yaml': POLICY, 'x.csv': text });
      return runCli(['evaluate', '--policy', join(folder, 'policy.yaml'), '--facts', join(folder, 'x.csv')]);
    };
    const ABSENT = 'note: no column phone_porting_ported_date: its fact is missing in every row\n';

    it('says which columns no fact has, and of which no value can be read', async () => {
      const rows = '2026-10-01;A;90,5;b;TRUE\n2026-10-02;B;80,0;;FALSE\n2026-10-03;C;;;\n';
      const { exitCode, stderr } = await evaluateCsv(`at;client_reference;phone_score;note;phone_valid\n${rows}`);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr:
          `${ABSENT}note: 1 column is not read: note\n` +
          'note: no value of the column phone_valid can be read: numbers are written 90.5, booleans true\n',
      });
    });

    it('says nothing of a column with one value that can be read, or without any', async () => {
      const { stderr } = await evaluateCsv('at,phone_score,phone_valid\n2026-10-01,"90,5",\n2026-10-01,90.5,\n');
      expect(stderr).toBe(ABSENT);
    });

    it('says that the first line of Excel is to be removed', async () => {
      const { exitCode, stderr } = await evaluateCsv('sep=;\nat;phone_score\n2026-10-01;90.5\n');
      expect(exitCode).toBe(3);
      expect(stderr).toContain('line 1, the header: found `sep=`, which Excel alone reads; remove the line');
    });
  });

  it('reads the day and reference of a line', async () => {
    const facts = { 'phone.score': 1, 'phone.porting.portedDate': '2026-11-01' };
    const { stdout } = await evaluate(line(facts) + line(facts, { at: '2026-11-05', clientReference: 'A-1' }));
    const [first, second] = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(first).toMatchObject({ outcome: 'accept' });
    expect(first).not.toHaveProperty('clientReference');
    expect(second).toMatchObject({ outcome: 'reject', clientReference: 'A-1' });
  });

  it('reports a bad line by its number, continues, and exits with 1', async () => {
    const good = line({ 'phone.score': 1, 'phone.porting.portedDate': 'never' });
    const { exitCode, stdout, stderr } = await evaluate(
      `${good}not json\n\n${line({ 'phone.scores': 1 })}${line({ 'phone.score': '1' })}` +
        `${'x'.repeat(1_100_000)}\n${good}`,
    );
    expect(exitCode).toBe(1);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text).outcome),
    ).toEqual(['accept', 'review', 'accept']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'verdict: line 2: the text is not JSON; a line is one JSON object',
      'verdict: line 4: no fact "phone.scores" is declared; did you mean "phone.score"?',
      'verdict: line 6: longer than 1 MiB',
    ]);
  });

  it('treats an unreadable value as missing, says so, and decides', async () => {
    const { exitCode, stdout } = await evaluate(line({ 'phone.score': '99', 'phone.porting.portedDate': 'never' }));
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).undetermined).toEqual([
      { rule: 'risky', asks: 'review', missing: [{ fact: 'phone.score', cause: 'invalid' }] },
    ]);
  });

  it.each<[string, readonly string[], number, string]>([
    ['no policy', ['--facts', '-'], 2, '--policy'],
    ['a missing policy', ['--policy', 'nowhere.yaml', '--facts', '-'], 3, 'nowhere.yaml'],
    [
      'a missing facts file',
      ['--policy', resolve(import.meta.dirname, '../../../rules/phone-only.yaml'), '--facts', 'nowhere.ndjson'],
      3,
      'nowhere.ndjson: no such file',
    ],
    [
      'an unknown runner',
      ['--policy', 'x', '--facts', '-', '--runner', 'magic'],
      2,
      'Allowed choices are matcher, live',
    ],
  ])('reports %s', async (_, args, exitCode, said) => {
    const ran = await runCli(['evaluate', ...args]);
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stderr).toContain(said);
  });

  it('reports all ten mistakes of a policy', async () => {
    const broken = `policy: 10
version: "1"
default: maybe
rulez: []
rules:
  - { id: Bad_Id, when: { phone.score: 1 }, then: review }
  - { id: b, when: { phone.scor: 1 }, then: review }
  - { id: c, when: { phone.score: { atLeest: 1 } }, then: review }
  - { id: d, when: { phone.score: "1" }, then: review }
  - { id: e, when: { phone.riskLevel: severe }, then: review }
  - { id: f, when: { phone.porting.portedDate: { withinLast: 1 month } }, then: review }
  - { id: g, when: { phone.score: 1 } }
`;
    const policy = join(temporaryFolder({ 'policy.yaml': broken }), 'policy.yaml');
    const { exitCode, stderr } = await runCli(['evaluate', '--policy', policy, '--facts', '-']);
    expect(exitCode).toBe(3);
    const places = [...stderr.matchAll(/policy\.yaml:(\d+):\d+: error\[([a-z-]+)\]/g)].map(
      ([, at, code]) => `${at} ${code}`,
    );
    expect(places).toEqual([
      '1 wrong-type',
      '3 wrong-value',
      '4 unknown-key',
      '6 malformed',
      '7 unknown-fact',
      '8 unknown-operator',
      '9 wrong-type',
      '10 wrong-value',
      '11 malformed',
      '12 no-effect',
    ]);
  });
});

describe('lines', () => {
  async function* chunksOf(...texts: (string | Buffer)[]) {
    for (const text of texts) yield Buffer.from(text);
  }
  const read = async (...texts: (string | Buffer)[]) => Array.fromAsync(readLines(chunksOf(...texts)));

  it('are assembled from chunks, wherever those are cut', async () => {
    const text = Buffer.from('\uFEFFé1\r\n\n2\n3');
    const whole = await read(text);
    expect(whole.map((found) => 'text' in found && `${found.number}${found.text.trim()}`)).toEqual(['1é1', '32', '43']);
    for (let cut = 1; cut < text.length; cut++) {
      expect(await read(text.subarray(0, cut), text.subarray(cut))).toEqual(whole);
    }
  });

  it('that are too long or not UTF-8 are skipped, with at most 1 MiB in memory', async () => {
    const long = 'x'.repeat(700_000);
    expect(await read(long, long, long, '\n', Buffer.from([0xff, 0x0a]), 'a')).toMatchObject([
      { number: 1, problem: 'longer than 1 MiB' },
      { number: 2, problem: 'not UTF-8' },
      { number: 3, text: 'a' },
    ]);
  });
});
