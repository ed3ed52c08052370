/** `verdict audit shadow`: what a rule that was only observed would have changed, by the policy of each decision. */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDecider } from '../../../../src/decision/decide.ts';
import { localVerifier, logFolder } from '../../../support/audit/decisions.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';

const FACTS = 'facts: { context.age: { type: integer }, context.debt: { type: integer } }\n';
const RULES = `rules:
  - { id: debt, when: { context.debt: { atLeast: 80 } }, then: review, whenUnknown: ignore }
  - { id: young, when: { context.age: { below: 21 } }, then: reject, mode: shadow }
`;

/** Decisions by a policy that observes `young`, by one that has it in force, and by one without it. */
async function logOf() {
  const folder = await logFolder();
  const log = await folder.open({});
  const decide = async (rules: string, day: string, ...people: readonly Record<string, number>[]) => {
    const policy = policyOf(`${HEAD}${FACTS}${rules}`);
    const now = () => Date.parse(`${day}T12:00:00Z`);
    const decider = createDecider({ policy, verify: localVerifier, audit: log, now });
    for (const context of people) await decider.decide({}, { context });
  };
  await decide(RULES, '2026-11-01', { age: 20, debt: 1 }, { age: 20, debt: 90 }, { age: 40, debt: 90 }, { debt: 1 });
  await decide(RULES.replace('80', '70'), '2026-11-02', { age: 18, debt: 75 });
  await decide(RULES.replace(', mode: shadow', ''), '2026-11-03', { age: 20, debt: 1 });
  await decide('', '2026-11-03', { age: 20, debt: 1 });
  await log.close();
  const { dir, keys } = folder.place;
  const run = (...args: string[]) => runCli(['audit', 'shadow', dir, '--keys', keys, ...args]);
  return { run, dir };
}

describe('verdict audit shadow', () => {
  it('counts each decision by its own policy', async () => {
    const { run } = await logOf();
    expect((await run('--rule', 'young')).stdout).toBe(`It would have fired in 3 of 5 decisions.
  accept to reject: 1
  review to reject: 2
In 1 decision it is undetermined.
Not counted: 2 by policies that do not have it as a shadow rule.
`);
    expect(JSON.parse((await run('--rule', 'young', '--to', '2026-11-01', '--json')).stdout)).toMatchObject({
      ...{ decisions: 4, fired: 2, undetermined: 1, others: 0 },
      changes: [
        { from: 'accept', to: 'reject', applicants: 1 },
        { from: 'review', to: 'reject', applicants: 1 },
      ],
    });
  });

  it('ends with 3 if no decision has it, and counts those whose policy is gone', async () => {
    const { run, dir } = await logOf();
    const { exitCode, stdout } = await run('--rule', 'old');
    expect([exitCode, stdout]).toEqual([3, expect.stringContaining('0 of 0 decisions')]);
    for (const file of readdirSync(join(dir, 'policies'))) rmSync(join(dir, 'policies', file));
    expect((await run('--rule', 'young')).stdout).toContain('Not counted: 7 whose policy the log does not keep.');
    expect((await run()).exitCode).toBe(2);
  });
});
