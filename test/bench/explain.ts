/**
 * `node test/bench/explain.ts [--rules 30,300] [--people 200] [--seed 1]`: generated policies and people -> the
 * time of complete explanations, as Markdown.
 */

import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { explain } from '../../src/decision/explain/explain.ts';
import { DAY, generateApplicants, generatePolicy, readGenerated } from './generate.ts';
import { headOf, rounded, table } from './report.ts';

const { values: options } = parseArgs({
  options: {
    rules: { type: 'string', default: '30,300' },
    people: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(options.seed);
/** One fact in twenty is missing, as in the other benchmarks. */
const MISSING = 0.05;

const rows: string[][] = [];
for (const rules of options.rules.split(',')) {
  const policy = readGenerated(generatePolicy(Number(rules), seed));
  const people = generateApplicants(Number(options.people), MISSING, seed);
  // The first explanation also compiles the policy.
  const times: number[] = [];
  for (const facts of people) {
    const begun = performance.now();
    await explain(policy, facts, DAY);
    times.push(performance.now() - begun);
  }
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) => rounded(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  rows.push([rules, at(0.5), at(0.9), at(1)]);
}

process.stdout.write(`${headOf([])}\n`);
process.stdout.write(`${options.people} explanations per row; ${MISSING * 100} % of the facts are missing.\n\n`);
process.stdout.write(`${table(['rules', 'median, ms', '90th percentile, ms', 'maximum, ms'], rows)}\n`);
