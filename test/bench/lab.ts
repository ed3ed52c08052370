/** `node test/bench/lab.ts [--rules 30,300,3000] [--seed 7]`: the time of what the lab does, as Markdown. */

import { parseArgs } from 'node:util';
import { comparePolicies } from './compare.ts';
import { headOf, rounded, table } from './report.ts';

const { values: options } = parseArgs({
  options: { rules: { type: 'string', default: '30,300,3000' }, seed: { type: 'string', default: '7' } },
});

// Rows are printed as they are measured: large policies take minutes.
process.stdout.write(`${headOf([])}\n\n${table(['rules', 'what', 'ms', 'found'], [])}\n`);
for (const rules of options.rules.split(',')) {
  for await (const [what, ms, found] of comparePolicies(Number(rules), Number(options.seed))) {
    process.stdout.write(`| ${[rules, what, rounded(ms), found].join(' | ')} |\n`);
  }
}
process.exit(0);
