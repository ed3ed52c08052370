/** `verdict mapping diff`: a changed mapping, compared on captured answers. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

const OLD = `facts: { identity.nameOnFile: { type: string, personal: true } }
signals:
  phone.score: phone.score
  phone.riskLevel: phone.level
  identity.nameOnFile: name
`;

const NEW = OLD.replace('phone.score: phone.score', 'phone.score: phone.points')
  .replace(
    'phone.riskLevel: phone.level\n',
    'phone.riskLevel: { at: phone.level, values: { severe: veryHigh, low: low } }\n',
  )
  .replace('identity.nameOnFile: name', 'identity.nameOnFile: fullName');

const answer = (score: number, more: object = {}) =>
  JSON.stringify({
    phone: { score, points: score + 5, level: 'low', ...more },
    name: 'Ada Lane',
    fullName: 'Ada Secret',
  });

const ANSWERS = {
  'answers/a.json': answer(60),
  'answers/b.json': answer(60),
  'answers/c.json': answer(78, { level: 'severe' }),
  'answers/d.json': answer(10, { points: undefined }),
  'answers/notes.txt': 'not an answer',
};

const POLICY = `policy: test
version: "1"
default: accept
rules: [{ id: risky, when: { phone.score: { atLeast: 80 } }, then: review, whenUnknown: ignore }]
`;

/** Compares these mappings on the answers. */
async function diff(files: Readonly<Record<string, string>>, ...args: string[]) {
  const folder = temporaryFolder({ 'old.yaml': OLD, 'new.yaml': NEW, 'policy.yaml': POLICY, ...ANSWERS, ...files });
  const [old, now, policy, answers] = ['old.yaml', 'new.yaml', 'policy.yaml', 'answers'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const named = args.map((arg) => ({ OLD: old, NEW: now, POLICY: policy, ANSWERS: answers })[arg] ?? arg);
  return runCli(['mapping', 'diff', ...named, '--at', '2026-11-20']);
}

const all = ['OLD', 'NEW', '--answers', 'ANSWERS'];

describe('verdict mapping diff', () => {
  it('shows each fact that changes, with its values or causes, but no personal value', async () => {
    const { exitCode, stdout, stderr } = await diff({}, ...all);
    expect(stdout).toBe(`3 facts change in 4 answers.

  phone.riskLevel      missing (invalid) -> veryHigh  1 answer, such as c.json
  phone.score          60 -> 65                       2 answers, such as a.json
                       78 -> 83                       1 answer, such as c.json
                       10 -> missing (notReturned)    1 answer, such as d.json
  identity.nameOnFile  a personal value -> another    4 answers, such as a.json
`);
    expect(stderr).toBe('');
    expect(exitCode).toBe(1);
  });

  it('shows the decisions of a policy that change, with the reasons of both', async () => {
    const { stdout } = await diff({}, ...all, '--policy', 'POLICY');
    expect(stdout).toContain(`1 decision changes.
  accept to review  c.json
    decided by DEFAULT; now by RISKY
`);
  });

  it('gives the same as data', async () => {
    const { stdout } = await diff({}, ...all, '--policy', 'POLICY', '--json');
    const { answers, facts, decisions, unreadable } = JSON.parse(stdout);
    expect([answers, unreadable]).toEqual([4, 0]);
    expect(facts[1]).toMatchObject({ path: 'phone.score', answers: 4 });
    expect(facts[1].changes[2]).toEqual({
      ...{ old: { value: 10 }, new: { missing: 'notReturned' }, answers: 1, example: 'd.json' },
    });
    expect(facts[2].changes).toEqual([{ old: { known: true }, new: { known: true }, answers: 4, example: 'a.json' }]);
    expect(decisions).toEqual([
      { answer: 'c.json', from: 'accept', to: 'review', reasons: { old: ['DEFAULT'], new: ['RISKY'] } },
    ]);
    expect(stdout).not.toMatch(/Ada (Lane|Secret)/);
  });

  it('ends with 0 where nothing changes', async () => {
    const { exitCode, stdout } = await diff({}, 'OLD', 'OLD', '--answers', 'ANSWERS', '--policy', 'POLICY');
    expect(stdout).toBe('No fact changes in 4 answers.\n\nNo decision changes.\n');
    expect(exitCode).toBe(0);
  });

  it('says which answers cannot be read, compares the others, and ends with 3', async () => {
    const { exitCode, stdout, stderr } = await diff({ 'answers/e.json': '{ "name": Ada Lane' }, ...all);
    expect(stderr).toMatch(/^verdict: .*e\.json is not JSON\n$/);
    expect(stdout).toContain('3 facts change in 4 answers.');
    expect(exitCode).toBe(3);
  });

  it('refuses a folder without answers', async () => {
    const empty = temporaryFolder();
    const { exitCode, stderr } = await diff({}, 'OLD', 'NEW', '--answers', empty);
    expect(stderr).toBe(`verdict: ${empty} has no *.json, expected captured answers\n`);
    expect(exitCode).toBe(3);
    expect((await diff({}, 'OLD', 'NEW', '--answers', join(empty, 'none'))).stderr).toContain('no such folder');
    expect((await diff({}, 'OLD', 'NEW', '--answers', 'OLD')).stderr).toContain('is a file, expected a folder');
  });
});
