/** `node test/bench/lab.ts [--rules 30,300,3000] [--seed 7]`: the time of comparisons of policies, as Markdown. */

import { parseArgs } from 'node:util';
import { comparePolicies } from './compare.ts';
import { headOf, rounded, table } from './report.ts';

const { values: options } = parseArgs({
  options: { rules: { type: 'string', default: '30,300,3000' }, seed: { type: 'string', default: '7' } },
});

const rows: string[][] = [];
for (const rules of options.rules.split(',')) {
  for (const [what, ms, found] of await comparePolicies(Number(rules), Number(options.seed))) {
    rows.push([rules, what, rounded(ms), found]);
  }
}
process.stdout.write(`${headOf([])}\n${table(['rules', 'comparison', 'ms', 'found'], rows)}\n`);
process.exit(0);
