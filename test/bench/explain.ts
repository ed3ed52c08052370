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

const rows = options.rules.split(',').map((rules) => {
  const policy = readGenerated(generatePolicy(Number(rules), seed));
  const people = generateApplicants(Number(options.people), MISSING, seed);
  // The first explanation also compiles the policy.
  const times = people.map((facts) => {
    const begun = performance.now();
    explain(policy, facts, DAY);
    return performance.now() - begun;
  });
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) => rounded(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return [rules, at(0.5), at(0.9), at(1)];
});

process.stdout.write(`${headOf([])}\n`);
process.stdout.write(`${options.people} explanations per row; ${MISSING * 100} % of the facts are missing.\n\n`);
process.stdout.write(`${table(['rules', 'median, ms', '90th percentile, ms', 'maximum, ms'], rows)}\n`);
