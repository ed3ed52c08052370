/** `verdict audit rotate`: a log and its keys -> new keys, used from now on. */

import type { Command } from 'commander';
import { type Io, UsageError } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { addKeys, logPlaceOf } from '../../options/log-place.ts';
import { isDatabase } from '../../options/tables.ts';
import { endWith } from '../../result.ts';

export function addRotate(audit: Command, io: Io): void {
  const command = audit
    .command('rotate <log>')
    .description('add new keys, used from now on; earlier keys stay for earlier records and signatures')
    .option('--index', 'a key for the hashes of subjects; running processes use it once they reopen the log')
    .option('--signing', 'a key to sign checkpoints and tombstones with');
  addJson(addKeys(command)).action(async (dir, options) => {
    if (!options.index && !options.signing) throw new UsageError('no key to add: give --index, --signing, or both');
    const { homeOf } = await import('../../../audit/home.ts');
    const { readLog } = await import('../../../audit/place.ts');
    const { addIndexKey, readIndexKeys, rotateSigningKey } = await import('../../../audit/keys/key-folder.ts');
    const { log: folder, keys } = await homeOf(logPlaceOf(dir, options, io));
    const { log } = await readLog(folder);
    await readIndexKeys(keys, log);
    const index = options.index ? await addIndexKey(keys) : undefined;
    const signing = options.signing ? await rotateSigningKey(folder, keys) : undefined;
    const copy = isDatabase(dir)
      ? `keep public/${signing}.pem of a copy that \`verdict audit copy\` makes in a folder`
      : `keep a copy of ${dir}/public/${signing}.pem elsewhere`;
    const lines = [
      ...(index === undefined ? [] : [`index key ${index} added\n`]),
      ...(signing === undefined ? [] : [`signing key ${signing} added, used from now on; ${copy}\n`]),
    ];
    const data = { indexKey: index ?? null, signingKey: signing ?? null };
    await endWith(io, options, { data: () => data, text: () => lines.join('') });
  });
}
