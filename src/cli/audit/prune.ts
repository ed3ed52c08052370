/** `verdict audit prune`: a log and a day -> the log without what is older. */

import type { Command } from 'commander';
import { count } from '../../diagnostics.ts';
import { readDay } from '../arguments.ts';
import { EXIT, type Io, write } from '../io.ts';
import type { Finish } from '../program.ts';
import { checkIsLog, placeOf } from './place.ts';
import { addSigning, type SigningOptions } from './signing.ts';

interface Options extends SigningOptions {
  readonly before: string;
}

/** Adds the command. */
export function addPrune(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('prune <dir>')
    .description('remove the closed segments whose records are all older, with their keys, and leave signed tombstones')
    .requiredOption('--before <day>', 'records of this day and later ones stay', readDay);
  addSigning(command).action(async (dir: string, options: Options) => {
    const { pruneLog } = await import('../../audit/prune.ts');
    const { readSigningKey } = await import('../../audit/signing-key.ts');
    const { keys } = placeOf(dir, options, io);
    checkIsLog(dir);
    const signingKey = await readSigningKey(keys, options.signingKey);
    const {
      segments,
      keys: erased,
      missingKeys,
    } = await pruneLog({ dir, keysDir: keys, before: options.before, signingKey });
    const records = segments.reduce((sum, segment) => sum + segment.records, 0);
    const missing = missingKeys > 0 ? `, ${count(missingKeys, 'key')} not found` : '';
    await write(
      io.stdout,
      `${count(segments.length, 'segment')} with ${count(records, 'record')} pruned, ${count(erased, 'key')} erased${missing}\n`,
    );
    finish(EXIT.done);
  });
}
