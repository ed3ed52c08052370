/** `node test/bench/lab.ts [--rules 30,300,3000] [--seed 7]`: the time of what the lab does, as Markdown. */

import { parseArgs } from 'node:util';
import { type Comparison, comparePolicies, startDiff } from './compare.ts';
import { headOf, rounded, table } from './report.ts';

const { values: options } = parseArgs({
  options: { rules: { type: 'string', default: '30,300,3000' }, seed: { type: 'string', default: '7' } },
});

// Rows are printed as they are measured: large policies take minutes.
process.stdout.write(`${headOf([])}\n\n${table(['rules', 'what', 'ms', 'in z3', 'found'], [])}\n`);
for (const rules of options.rules.split(',')) {
  const show = ({ what, ms, z3Ms, found }: Comparison) =>
    process.stdout.write(
      `| ${[rules, what, rounded(ms), z3Ms === undefined ? '' : rounded(z3Ms), found].join(' | ')} |\n`,
    );
  show(await startDiff(Number(rules), Number(options.seed)));
  for await (const row of comparePolicies(Number(rules), Number(options.seed))) show(row);
}
process.exit(0);
