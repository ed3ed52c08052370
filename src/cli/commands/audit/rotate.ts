/** `verdict audit rotate`: a log and its keys -> more keys, which take the place of the present ones. */

import type { Command } from 'commander';
import type { Finish } from '../../io.ts';
import { EXIT, type Io, UsageError, write } from '../../io.ts';
import { addKeys, type KeysOptions, logPlaceOf } from '../../options/log-place.ts';

interface Options extends KeysOptions {
  readonly index?: boolean;
  readonly signing?: boolean;
}

/** Adds the command. */
export function addRotate(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('rotate <dir>')
    .description('add keys that are used from now on; the earlier ones stay for what they were used on')
    .option(
      '--index',
      'a key for the hashes of subjects; processes that have the log open use it once they open it anew',
    )
    .option('--signing', 'a key to sign checkpoints and tombstones with');
  addKeys(command).action(async (dir: string, options: Options) => {
    if (!options.index && !options.signing) throw new UsageError('which keys? Give --index, --signing, or both');
    const { readLog } = await import('../../../audit/log-file.ts');
    const { addIndexKey, readIndexKeys } = await import('../../../audit/keys/index-keys.ts');
    const { rotateSigningKey } = await import('../../../audit/keys/rotate.ts');
    const { keys } = logPlaceOf(dir, options, io);
    const { log } = await readLog(dir);
    await readIndexKeys(keys, log);
    if (options.index) await write(io.stdout, `index key ${await addIndexKey(keys)} added\n`);
    if (options.signing) {
      const id = await rotateSigningKey(dir, keys);
      await write(
        io.stdout,
        `signing key ${id} added, which signs from now on; keep a copy of ${dir}/public/${id}.pem elsewhere\n`,
      );
    }
    finish(EXIT.done);
  });
}
