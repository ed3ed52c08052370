/** `verdict audit prune`: a log and a day -> the log without what is older. */

import type { Command } from 'commander';
import type { Pruned } from '../../../audit/retain/prune.ts';
import { count } from '../../../text.ts';
import type { Finish } from '../../io.ts';
import { EXIT, type Io, say, write } from '../../io.ts';
import { readDay } from '../../options/arguments.ts';
import { checkIsLog, logPlaceOf, readInputFile } from '../../options/log-place.ts';
import { addSigning, type SigningOptions } from '../../options/signing.ts';
import { formatFinding } from '../../terminal/format-finding.ts';

interface Options extends SigningOptions {
  readonly before: string;
  readonly checkpoint?: string;
  readonly dryRun?: boolean;
}

/** Adds the command. */
export function addPrune(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('prune <dir>')
    .description('remove the closed segments whose records are all older, with their keys, and leave signed tombstones')
    .requiredOption('--before <day>', 'records of this day and later ones stay; today, UTC, at the latest', readDay)
    .option('--checkpoint <file>', 'prune only a log that continues this signed note, kept elsewhere')
    .option('--dry-run', 'say what would go, and write nothing');
  addSigning(command).action(async (dir: string, options: Options) => {
    const { pruneLog } = await import('../../../audit/retain/prune.ts');
    const { readSigningKey } = await import('../../../audit/keys/signing-key.ts');
    const { before, checkpoint, dryRun = false } = options;
    const { keys } = logPlaceOf(dir, options, io);
    checkIsLog(dir);
    const heldTo = checkpoint === undefined ? {} : { checkpoint: readInputFile(checkpoint, 'checkpoint') };
    const signingKey = await readSigningKey(keys, options.signingKey);
    const pruned = await pruneLog({ dir, keysDir: keys, before, signingKey, dryRun, ...heldTo });
    const { against, segments } = pruned;
    if (against.length > 0) {
      const found = against.map((finding) => `${formatFinding(finding)}\n`).join('');
      const begun = segments.length > 0 ? `${wordsOf(pruned, dryRun)}\n` : '';
      const refused = `verdict: the log does not continue that checkpoint: nothing ${begun === '' ? 'was' : 'more was'} pruned`;
      await say(io.stderr, `${found}${begun}${refused}\n`);
    } else await write(io.stdout, `${wordsOf(pruned, dryRun)}\n`);
    finish(against.length > 0 || pruned.keptKeys > 0 ? EXIT.found : EXIT.done);
  });
}

function wordsOf({ segments, keys, keysBefore, missingKeys, keptKeys, keptSegments }: Pruned, dryRun: boolean): string {
  const records = segments.reduce((sum, segment) => sum + segment.records, 0);
  const [pruned, erased] = dryRun ? ['would be pruned', 'would be erased'] : ['pruned', 'erased'];
  const counted = [
    `${count(segments.length, 'segment')} with ${count(records, 'record')} ${pruned}, ${count(keys, 'key')} ${erased}`,
    ...(keysBefore > 0 ? [`${keysBefore} erased before`] : []),
    ...(missingKeys > 0 ? [`${missingKeys} not in the key folder`] : []),
  ];
  return [
    counted.join(', '),
    ...(keptSegments > 0
      ? [
          `${count(keptSegments, 'older segment')} kept: what they tell of erasures is needed as long as a record that was erased stays`,
        ]
      : []),
    ...(keptKeys > 0
      ? [`${count(keptKeys, 'key')} kept: a record that stays may have them; verdict audit verify says more`]
      : []),
  ].join('\n');
}
