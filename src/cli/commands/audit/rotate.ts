/** `verdict audit rotate`: a log and its keys -> new keys, used from now on. */

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
    .description('add new keys, used from now on; earlier keys stay for earlier records and signatures')
    .option('--index', 'a key for the hashes of subjects; running processes use it once they reopen the log')
    .option('--signing', 'a key to sign checkpoints and tombstones with');
  addKeys(command).action(async (dir: string, options: Options) => {
    if (!options.index && !options.signing) throw new UsageError('no key to add: give --index, --signing, or both');
    const { readLog } = await import('../../../audit/place.ts');
    const { addIndexKey, readIndexKeys, rotateSigningKey } = await import('../../../audit/keys/key-folder.ts');
    const { keys } = logPlaceOf(dir, options, io);
    const { log } = await readLog(dir);
    await readIndexKeys(keys, log);
    if (options.index) await write(io.stdout, `index key ${await addIndexKey(keys)} added\n`);
    if (options.signing) {
      const id = await rotateSigningKey(dir, keys);
      const copy = `keep a copy of ${dir}/public/${id}.pem elsewhere`;
      await write(io.stdout, `signing key ${id} added, used from now on; ${copy}\n`);
    }
    finish(EXIT.done);
  });
}
