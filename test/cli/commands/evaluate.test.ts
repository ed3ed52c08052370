import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
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
});
