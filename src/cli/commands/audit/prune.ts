/** `verdict audit prune`: a log and a day -> the log without older segments. */

import type { Command } from 'commander';
import type { Pruned } from '../../../audit/retain/prune.ts';
import { count } from '../../../text.ts';
import { formatFindings } from '../../findings.ts';
import { EXIT, type Io, say } from '../../io.ts';
import { addJson, readDay } from '../../options/arguments.ts';
import { addSigning, readSigning } from '../../options/signing.ts';
import { endWith } from '../../result.ts';

export function addPrune(audit: Command, io: Io): void {
  const command = audit
    .command('prune <log>')
    .description('replace closed segments whose records are all older by signed tombstones, and erase their keys')
    .requiredOption('--before <day>', 'keep records of this UTC day and later; today or earlier', readDay)
    .option('--checkpoint <file>', 'prune only if the log continues this signed note, kept elsewhere')
    .option('--dry-run', 'print what would be pruned, and write nothing');
  addJson(addSigning(command)).action(async (dir, options) => {
    const { pruneLog } = await import('../../../audit/retain/prune.ts');
    const { before, dryRun = false } = options;
    const { place, signingKey, checkpoint } = await readSigning(dir, options, io, options.checkpoint);
    const pruned = await pruneLog({ ...place, signingKey, before, dryRun, ...(checkpoint ? { checkpoint } : {}) });
    const { against, segments, keptKeys } = pruned;
    if (against.length > 0 && options.format === 'text') {
      // An interrupted pruning is finished even so.
      const [finished, nothing] =
        segments.length > 0 ? [formatPruned(pruned, dryRun), 'nothing more'] : ['', 'nothing'];
      const refusal = `verdict: the log does not continue the checkpoint: ${nothing} was pruned`;
      await say(io.stderr, `${formatFindings(against)}${finished}${refusal}\n`);
    }
    await endWith(io, options, {
      data: () => ({ ...pruned, dryRun }),
      text: () => (against.length > 0 ? '' : formatPruned(pruned, dryRun)),
      exitCode: against.length > 0 || keptKeys > 0 ? EXIT.found : EXIT.done,
    });
  });
}

function formatPruned(pruned: Pruned, dryRun: boolean): string {
  const { segments, keys, keysBefore, missingKeys, keptKeys, keptSegments } = pruned;
  const records = segments.reduce((sum, segment) => sum + segment.records, 0);
  const would = dryRun ? 'would be ' : '';
  const counts = [
    `${count(segments.length, 'segment')} with ${count(records, 'record')} ${would}pruned`,
    `${count(keys, 'key')} ${would}erased`,
    ...(keysBefore > 0 ? [`${keysBefore} erased before`] : []),
    ...(missingKeys > 0 ? [`${missingKeys} not in the key folder`] : []),
  ];
  const lines = [
    counts.join(', '),
    ...(keptSegments > 0
      ? [`${count(keptSegments, 'older segment')} kept: needed for erasure entries of records that stay`]
      : []),
    ...(keptKeys > 0
      ? [`${count(keptKeys, 'key')} kept: records that stay may use them; run verdict audit verify`]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}
