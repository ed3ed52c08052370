/** `verdict facts fold`: a Parquet or CSV file of facts -> a copy with folded texts, for SQL on another engine. */

import type { Command } from 'commander';
import { VerdictError } from '../../errors.ts';
import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { count } from '../../text.ts';
import { addSet, loadPolicyFiles } from '../input/load-policy.ts';
import { type Io, orCannotRun, say, UsageError } from '../io.ts';
import { type OptionsOf, refuseOld, requireWith } from '../options/arguments.ts';
import { describeUnwritable } from '../options/own-file.ts';
import { endWith } from '../result.ts';

/** Adds the command to `verdict facts`. */
export function addFold(facts: Command<[], { format: string }>, io: Io): void {
  withOptions(facts.command('fold')).action((options) =>
    // Commander reads an option that `facts` has too as one of `facts`.
    orCannotRun(() => fold({ ...options, ...facts.opts() }, io)),
  );
}

type Options = OptionsOf<typeof withOptions> & { readonly format: string };

function withOptions(fold: Command) {
  refuseOld(fold, '--to <file>', 'the copy is given with --out');
  const command = fold
    .description('copy a Parquet or CSV file of facts, with its texts folded as SQL compares them')
    .requiredOption('--from <file>', 'the file; its columns are named by the convention')
    .requiredOption('--out <file>', 'write the copy to this new .parquet or .csv file')
    .option('--policy <file>', 'a policy that declares more facts')
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)")
    .option('--json', 'print { columns, refused } as JSON');
  return addSet(command);
}

async function fold({ from, out, ...options }: Options, io: Io): Promise<void> {
  requireWith(options, ['set'], 'policy');
  const { policy, format } = options;
  if (format === 'csv') throw new UsageError('facts fold prints text, or JSON with --json');
  const { foldFile } = await import('../../decision/rows/fold-file.ts');
  const table = policy === undefined ? CATALOG_TABLE : (await loadPolicyFiles({ ...options, policy })).facts;
  const { columns, refused } = await io.interruptible((signal) =>
    foldFile(table, { from, to: out, signal }).catch((error: unknown) => {
      throw signal.aborted
        ? new VerdictError('ABORTED', 'interrupted: nothing was written')
        : describeUnwritable(error, out);
    }),
  );
  const formats = [...refused].sort();
  await endWith(io, options, {
    data: () => ({ columns, refused: formats }),
    text: () => `${count(columns.length, 'column')} folded: ${columns.join(', ')}\n`,
  });
  if (format === 'json' || refused.size === 0) return;
  const problem = 'some texts cannot be facts of their format, and are missing in the copy';
  await say(io.stderr, `${problem}: ${formats.join(', ')}\n`);
}
