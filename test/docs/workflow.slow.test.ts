/** The workflow for GitHub: its commands run as they are written, and its jobs have no more rights than they need. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseCall, runCall } from '../support/docs/command-line.ts';
import { ROOT } from '../support/docs/docs.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const TEXT = readFileSync(join(ROOT, 'docs/examples/github/policy.yml'), 'utf8');
const { on, permissions, jobs } = parse(TEXT) as {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
};
const runsOf = (job: Job | undefined) => job?.steps.flatMap(({ run }) => run ?? []) ?? [];

/** What the rule rejects from, in a policy and its test. */
const policyFrom = (score: number, version: number) =>
  `${HEAD.replace(/version: .*/, `version: "${version}"`)}rules:\n  - { id: risky, when: { phone.score: { atLeast: ${score} } }, then: reject }\n`;
const testsOf = (score: number) => `policy: onboarding.yaml
at: 2026-11-20
tests:
  - name: the border
    table:
      columns: [phone.score, outcome]
      rows: [[${score}, reject], [${score - 1}, accept], [{ missing: notReturned }, review]]
`;

const git = (folder: string, ...args: readonly string[]) => execFileSync('git', ['-C', folder, ...args]);

/** The commands of the workflow in a repository whose branch `main` rejects from 80 points, after an edit. */
async function runWorkflow(edited: Readonly<Record<string, string>>) {
  const folder = temporaryFolder({ 'rules/onboarding.yaml': policyFrom(80, 1), 'rules/o.test.yaml': testsOf(80) });
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', 'rules');
  git(folder, '-c', 'user.name=Kim', '-c', 'user.email=kim@bank.example', 'commit', '-q', '-m', 'Rules');
  git(folder, 'update-ref', 'refs/remotes/origin/main', 'main');
  for (const [name, text] of Object.entries(edited)) writeFileSync(join(folder, 'rules', name), text);
  const codes: Record<string, number> = {};
  let comment = '';
  for (const command of runsOf(jobs['check'])) {
    const call = parseCall(command.trim().replaceAll('$OLD', 'origin/main'));
    if (!call) continue;
    const { exitCode, stdout } = await runCall({ args: call.args, folder, env: { CI: 'true' } });
    codes[call.args[0] ?? ''] = exitCode;
    if (call.rest === '> diff.md') comment = stdout;
  }
  return { codes, comment };
}

describe('the workflow for GitHub', () => {
  it('passes a change that is tested, has a new version and lets nobody in', async () => {
    const edited = { 'onboarding.yaml': policyFrom(70, 2), 'o.test.yaml': testsOf(70) };
    const { codes, comment } = await runWorkflow(edited);
    expect(codes).toEqual({ check: 0, test: 0, diff: 0 });
    expect(comment).toContain('| accept | reject | 1 |');
  });

  it('fails at a version that is not new, at a test that fails, and at somebody who is let in', async () => {
    const { codes, comment } = await runWorkflow({ 'onboarding.yaml': policyFrom(90, 1) });
    expect(codes).toEqual({ check: 1, test: 1, diff: 1 });
    expect(comment).toContain('| reject | accept | 1 |');
  });

  it('fails at a guarantee that is broken, and at a new border that passing tests do not reach', async () => {
    const guarantee = 'guarantees: [{ id: low, never: accept, when: { phone.score: { atLeast: 60 } } }]\n';
    const tests = testsOf(70).replace('[70, reject], [69, accept]', '[90, reject], [10, accept]');
    const { codes } = await runWorkflow({ 'onboarding.yaml': policyFrom(70, 2) + guarantee, 'o.test.yaml': tests });
    expect(codes).toEqual({ check: 1, test: 1, diff: 0 });
  });

  it('has no secret, and writes nothing where code of the pull request runs', () => {
    expect(TEXT).not.toContain('secrets.');
    expect(on).toEqual({ pull_request: { paths: ['rules/**'] } });
    expect(permissions).toEqual({});
    expect(jobs['check']?.permissions).toEqual({ contents: 'read' });
    expect(jobs['comment']?.permissions).toEqual({ 'pull-requests': 'write' });
    expect(jobs['comment']?.steps.map(({ uses }) => uses?.split('@')[0] ?? 'run')).toEqual([
      'actions/download-artifact',
      'run',
    ]);
    expect(runsOf(jobs['comment'])).toEqual([expect.stringMatching(/^gh pr comment /)]);
  });

  it('takes values of the pull request from the environment, never into the text of a command', () => {
    const runs = Object.values(jobs).flatMap(runsOf);
    expect(runs.length).toBeGreaterThan(4);
    expect(runs.filter((run) => run.includes('${{'))).toEqual([]);
  });
});
