/** `verdict test record`: a test of a decision on record, with nothing of the person. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDecider } from '../../../../src/decision/decide.ts';
import type { Applicant } from '../../../../src/decision/request.ts';
import { localVerifier, logFolder, personOf } from '../../../support/audit/decisions.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../../../support/policy/policy.ts';

/** Rules that ask for a country, a domain, parts of texts, networks, and for facts against each other. */
const POLICY = `${HEAD}facts:
  context.branch: { type: string, description: branch }
  context.name: { type: string, description: name, personal: true }
  context.income: { type: integer, description: income }
  context.limit: { type: integer, description: limit }
  context.born: { type: date, past: true, description: born }
  context.share: { type: number, description: share, compute: { ratio: [context.limit, context.income] } }
lists: { people: { file: people.txt } }
rules:
  - { id: british, when: { phone.country: GB }, then: review }
  - { id: prefix, when: { applicant.phoneNo: { startsWith: "4474" } }, then: review }
  - { id: domain, when: { applicant.emailDomain: { endsWith: .example } }, then: review }
  - { id: network, when: { applicant.ip: { in: [81.2.69.0/24] } }, then: review }
  - { id: branch, when: { context.branch: { contains: kestrel } }, then: review }
  - { id: same, when: { context.name: { is: { fact: context.branch } } }, then: review }
  - { id: large, when: { context.share: { above: 0.5 } }, then: review }
  - { id: adult, when: { context.born: { yearsSince: { atLeast: 18 } } }, then: review }
  - { id: listed, when: { applicant.email: { inList: people } }, then: reject }
  - { id: risky, when: { phone.score: { atLeast: 80 } }, then: reject }
`;
const files = { 'people.txt': 'listed@blocked.example\n' };
const CONTEXT = { branch: 'North kestrel 417', name: 'Nora Plover', income: 48_317, limit: 31_299, born: '1983-02-17' };

/** A log with a decision on a person. */
async function recorded(
  applicant: Applicant = personOf(0),
  context: Readonly<Record<string, string | number>> = CONTEXT,
) {
  const folder = await logFolder();
  const audit = await folder.open();
  const now = () => Date.UTC(2026, 10, 20, 12);
  const decider = createDecider({ policy: policyOf(POLICY, files), verify: localVerifier, audit, now });
  const decision = await decider.decide(applicant, { context, clientReference: 'ONB kestrel 1' });
  await audit.close();
  const record = (...args: readonly string[]) => runCli(['test', 'record', folder.dir, ...args, '--keys', folder.keys]);
  return { decision, record };
}

describe('verdict test record', () => {
  it('makes a test that passes, of an applicant who has nothing of the one on record', async () => {
    const { decision, record } = await recorded();
    const { exitCode, stdout, stderr } = await record(decision.id);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { phoneNo = '', email = '', ip = '' } = personOf(0);
    const canaries = [phoneNo.slice(1), email, email.split('@')[0], ip, ...Object.values(CONTEXT).map(String)];
    for (const canary of [...canaries, 'North', '417', 'Nora', 'Plover', 'ONB', decision.id]) {
      expect(stdout.toLowerCase()).not.toContain(String(canary).toLowerCase());
    }
    const indented = stdout.replaceAll(/^(?=.)/gm, '  ');
    const folder = temporaryFolder({ ...files, 'policy.yaml': POLICY });
    writeFileSync(join(folder, 'a.test.yaml'), `policy: policy.yaml\nat: 2026-01-01\ntests:\n${indented}`);
    expect((await runCli(['test', folder])).stdout).toBe('1 test: 1 passed\n');
    // Each rule has the truth that it had.
    for (const reason of decision.reasons) expect(stdout).toContain(reason.code);
    expect(stdout).toContain(`- name: ${decision.outcome} on 2026-11-20 for `);
  });

  it('appends it to a file of tests, whose policy it keeps apart too', async () => {
    const { decision, record } = await recorded();
    const tests = 'policy: policy.yaml\nat: 2026-11-20\ntests:\n  - { name: one, expect: { score: 0 } }\n';
    const edited = POLICY.replace('atLeast: 80', 'atLeast: 3').replace(
      '{ ratio: [context.limit, context.income] }',
      '{ difference: [context.income, context.limit] }',
    );
    const folder = temporaryFolder({ ...files, 'policy.yaml': edited, 'a.test.yaml': tests });
    const file = join(folder, 'a.test.yaml');
    for (const _ of ['once', 'twice']) {
      const { exitCode, stderr } = await record('--reference', 'ONB kestrel 1', '--write', file);
      expect([exitCode, stderr]).toEqual([0, `verdict: 1 test appended to ${file}\n`]);
    }
    const text = readFileSync(file, 'utf8');
    expect(text.startsWith(tests)).toBe(true);
    expect(text).not.toContain('    at: ');
    expect(text.match(/name: .* \(2\)"?$/gm)).toHaveLength(1);
    // As on record: more than half of the income, which is what one policy computes, and below it, by the other one.
    const [limit, income] = ['limit', 'income'].map((name) => Number(text.match(`context.${name}: (-?\\d+)`)?.[1]));
    expect([Number(limit) / Number(income) > 0.5, Number(income) - Number(limit) > 0.5]).toEqual([true, true]);
    expect(decision.outcome).toBe('review');

    writeFileSync(
      join(folder, 'policy.yaml'),
      POLICY.replace('context.limit: { type: integer', 'context.limit: { type: number'),
    );
    const { exitCode, stderr } = await record('--reference', 'ONB kestrel 1', '--write', file);
    const why =
      'the policies declare context.limit in ways that cannot be compared; give it another name in one of them';
    expect([exitCode, stderr]).toEqual([3, `verdict: no test was made: ${why}, or print the test without --write\n`]);
  });

  it('takes the policy of the decision, of several in a file and in the folder of a new file', async () => {
    const { record } = await recorded();
    const tests = 'policy: [a.yaml, policy.yaml]\nat: 2026-11-20\ntests:\n  - { name: one, expect: { score: 0 } }\n';
    const other = `${HEAD.replace('test', 'other')}rules: []\n`;
    const all = { ...files, 'policy.yaml': POLICY, 'a.yaml': other, 'a.test.yaml': tests };
    const folder = temporaryFolder({ ...all, 'o.test.yaml': tests.replace('[a.yaml, policy.yaml]', 'a.yaml') });
    const write = (name: string) => record('--reference', 'ONB kestrel 1', '--write', join(folder, name));
    expect((await write('a.test.yaml')).exitCode).toBe(0);
    expect(readFileSync(join(folder, 'a.test.yaml'), 'utf8')).toMatch(/- name: review on.*\n {4}policy: policy.yaml\n/);
    const created = join(folder, 'new.test.yaml');
    expect((await write('new.test.yaml')).stderr).toBe(`verdict: ${created} created with 1 test\n`);
    expect(readFileSync(created, 'utf8')).toMatch(
      /^policy: policy.yaml\nat: 2026-11-20\n\ntests:\n {2}- name: review on/,
    );
    expect((await runCli(['test', created])).stdout).toBe('1 test: 1 passed\n');

    const wrong = `the decision is by the policy test; ${join(folder, 'o.test.yaml')} has tests of other`;
    expect(await write('o.test.yaml')).toMatchObject({ exitCode: 2, stderr: `verdict: --write: ${wrong}\n` });
    writeFileSync(join(folder, 'copy.yaml'), POLICY);
    const two = `the policy test in ${folder}, found ${join(folder, 'copy.yaml')} and ${join(folder, 'policy.yaml')}. Make`;
    const { exitCode, stderr } = await write('more.test.yaml');
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(two)]);
  });

  it('says that no value can be invented where a rule asks for the very value', async () => {
    const { decision, record } = await recorded({ email: 'listed@blocked.example' }, {});
    const { exitCode, stdout, stderr } = await record(decision.id);
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toBe(
      'verdict: no test was made: a rule asks for the very value of applicant.email, so that none can be invented\n',
    );
    expect((await record()).exitCode).toBe(2);
  });
});
