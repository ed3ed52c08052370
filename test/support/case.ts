/** Policies and facts as plain data -> what a runner takes, read by the project's own readers; and the live runner's verdict. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { runLive } from '../../src/decision/live.ts';
import type { Verdict } from '../../src/decision/verdict.ts';
import { formatDiagnostic } from '../../src/diagnostics.ts';
import type { Fact, Facts } from '../../src/facts/fact.ts';
import { readFact } from '../../src/facts/read.ts';
import type { Policy } from '../../src/policy/language.ts';
import { readPolicy } from '../../src/policy/parse.ts';
import type { PlainFacts, PlainPolicy } from './reference.ts';

/** Writes a policy's files into a folder and reads them; throws if it has a problem. */
export function loadPlainPolicy(plain: PlainPolicy, folder: string): Policy {
  for (const [name, text] of Object.entries(policyFiles(plain))) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const { policy, diagnostics } = readPolicy(join(folder, 'policy.yaml'));
  if (!policy || diagnostics.length > 0) throw new Error(diagnostics.map(formatDiagnostic).join('\n'));
  return policy;
}

/** Facts as they came, read by the policy's table. */
export function readPlainFacts(plain: PlainFacts, { facts: table }: Policy, day: string): Facts {
  return new Map(
    Object.entries(plain).flatMap(([path, fact]): [string, Fact][] => {
      const definition = table.get(path);
      return definition ? [[path, readFact(definition, fact, day)]] : [];
    }),
  );
}

/** The live runner's verdict on facts in hand. */
export async function decideLive(policy: Policy, facts: Facts, day: string): Promise<Verdict> {
  const { verdict } = await runLive(policy, (path) => facts.get(path) ?? { missing: 'notGiven' }, day);
  return verdict;
}

/** A policy as the files that an analyst would write: half of its rules in a rule set, its lists in all three forms. */
function policyFiles(policy: PlainPolicy): Record<string, string> {
  const { rules, conditions = {}, lists = {}, ...rest } = policy;
  const half = Math.ceil(rules.length / 2);
  const [[firstName, first] = ['', []], ...others] = Object.entries(lists);
  const main = {
    policy: 'random',
    version: '1',
    ...rest,
    lists: { [firstName]: { file: 'lists/first.txt' } },
    ruleSets: ['sets/more.yaml'],
    rules: rules.slice(0, half),
  };
  const more = {
    lists: Object.fromEntries(others.map(([name, entries], i) => [name, i === 0 ? entries : { entries }])),
    conditions,
    ...(rules.length > half ? { rules: rules.slice(half) } : {}),
  };
  return {
    'policy.yaml': toYaml(main),
    'sets/more.yaml': toYaml(more),
    'lists/first.txt': `# entries\n\n${first.join(' # why\n')}\n`,
  };
}

function toYaml(data: unknown): string {
  return stringify(data, { aliasDuplicateObjects: false });
}
