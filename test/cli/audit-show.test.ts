/** `verdict audit show`: a decision on record is explained. */

import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/decision/audit.ts';
import { createDecider } from '../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../support/audit-decisions.ts';
import { runCli } from '../support/cli.ts';
import { HEAD, policyOf } from '../support/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { atLeast: 0 } }, then: review, points: 5 }
  - { id: moved, when: { phone.porting.portCount: { above: 90 } }, then: reject }
`;

/** A log with a decision; `alter` changes what is recorded of it. */
async function recorded(alter: (entry: AuditEntry) => AuditEntry = (entry) => entry) {
  const folder = await logFolder();
  const log = await folder.open();
  const audit = { ...log, record: (entry: AuditEntry) => log.record(alter(entry)) };
  const now = () => Date.UTC(2026, 10, 20, 12);
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit, now });
  const { id } = await decider.decide(personOf(0));
  await log.close();
  const show = (...args: readonly string[]) =>
    runCli(['audit', 'show', folder.dir, id, '--keys', folder.keys, ...args]);
  return { ...folder, id, show };
}

describe('verdict audit show', () => {
  it('tells what was decided, where it stands, why, why not, and what would have changed it', async () => {
    const { id, show } = await recorded();
    const { exitCode, stdout, stderr } = await show();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(`^decision ${id}\n  decided  2026-11-20T12:00:00.000Z, review, by policy test 1 `),
    );
    expect(stdout).toMatch(/\n {2}record {3}number 2 of chain .*; that segment is as it was written/);
    for (const part of [
      'REVIEW  policy test 1',
      'RISKY: review, 5 points',
      '  moved  reject',
      'Facts that settle the outcome',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).toContain('What would lead to accept');
    expect((await show('--to', 'reject')).stdout).toContain('What would lead to reject');
    expect(stdout).not.toContain('decided again');
  });

  it('gives it as data with --json, and as a page with --html', async () => {
    const { id, show } = await recorded();
    expect(JSON.parse((await show('--json')).stdout)).toMatchObject({
      record: { id },
      surroundings: { state: 'whole' },
      decision: { id, outcome: 'review' },
      explanation: { outcome: 'review' },
    });
    const { stdout } = await show('--html', '-');
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain('sound');
    expect(stdout).not.toContain('class="warning"');
  });

  it('says where it does not come out again as it is on record', async () => {
    const { show } = await recorded((entry) => ({ ...entry, decision: { ...entry.decision, outcome: 'accept' } }));
    expect((await show()).stdout).toMatch(
      /, accept, by policy .*\n.*\n.*\n {2}BUT {6}decided again it does not come out so/,
    );
    expect((await show('--html', '-')).stdout).toContain('<p class="warning">Decided again');
  });
});
