/** Tests that are suggested for random policies with all features, against many random applicants. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { isMissing } from '../../../src/facts/fact.ts';
import { coverage, gapsOf } from '../../../src/lab/test/coverage/coverage.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { acceptSuggested, FILE, goalsOf } from '../../support/lab/accepted.ts';
import { manyOf } from '../../support/lab/applicants.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs, readPlainFacts } from '../../support/runners/case.ts';
import type { PlainFacts } from '../../support/runners/plain.ts';
import { IS_SOAK, sampled } from '../../support/sampled.ts';

/** The values that a file of tests can give: it refuses those that their facts cannot have. */
function writtenFacts(applicant: PlainFacts, policy: Policy, day: string): Readonly<Record<string, unknown>> {
  const read = readPlainFacts(applicant, policy, day);
  const known = Object.entries(applicant).filter(([path]) => !isMissing(read.get(path) ?? { missing: 'notGiven' }));
  return Object.fromEntries(known.map(([path, fact]) => [path, 'value' in fact ? fact.value : undefined]));
}

it('suggested tests pass and reach what they claim, and what is proved to be impossible reaches nobody', async () => {
  const seen = { reached: 0, unreachable: 0, open: 0 };
  for (const { policy: plain, applicants, day } of fc.sample(aCase({ applicants: sampled(10, 60) }), sampled(1, 200))) {
    const folder = temporaryFolder();
    const policy = loadPolicyAsIs(plain, folder);
    const facts = { one: writtenFacts(applicants[0] ?? {}, policy, day) };
    const tests = [{ name: 'one', from: 'one', expect: { notice: 'any' } }];
    writeFileSync(join(folder, FILE), stringify({ policy: 'policy.yaml', at: day, facts, tests }));
    const shown = JSON.stringify([plain, day, facts]);
    const { found, report, gaps } = await acceptSuggested(folder);
    expect(
      report.results.filter(({ name, result }) => name !== 'one' && result !== 'passed'),
      shown,
    ).toEqual([]);
    expect(goalsOf(gaps), shown).toEqual(goalsOf([...found.unreachable, ...found.withheld, ...found.open]));
    const people = [...manyOf(applicants, sampled(200, 10_000), policy, day)];
    const { items } = coverage(
      policy,
      people.map((each) => ({ facts: each, at: day })),
    );
    const keyOf = (...words: readonly unknown[]) => JSON.stringify(words);
    const unreached = new Set(
      items.flatMap((item) => gapsOf(item).map((goal) => keyOf(item.kind, item.name, item.rules, goal))),
    );
    for (const { item, goal } of found.unreachable) {
      const rules = item.rules?.map((rule) => policy.rules[rule]?.id) ?? [];
      expect(unreached.has(keyOf(item.kind, item.name, rules, goal.name)), `${item.name} ${goal.name} ${shown}`).toBe(
        true,
      );
    }
    seen.reached += found.gaps.length - gaps.length;
    seen.unreachable += found.unreachable.length;
    seen.open += found.open.length;
  }
  expect(seen.reached).toBeGreaterThan(0);
  expect(seen.unreachable).toBeGreaterThan(0);
  if (IS_SOAK) expect(seen.open).toBeLessThan(seen.reached / 8);
});
