/** `verdict velocity`: the commands for the store of what was seen before. */

import type { Command } from 'commander';
import { count } from '../../../text.ts';
import type { Io } from '../../io.ts';
import { addStore, storeOptions, withVelocity } from '../../options/velocity-store.ts';
import { endWith } from '../../result.ts';
import { addRebuild } from './rebuild.ts';
import { addShow } from './show-counts.ts';

export function addVelocityCommands(program: Command, io: Io): void {
  const velocity = program
    .command('velocity')
    .description('make, prune, look into and rebuild the store of what was seen before');
  addStore(
    velocity
      .command('init')
      .description(
        'make the tables of a store, or mark a database of Redis as one, and make its key; again, no change',
      ),
  )
    .option('--discard', 'start over with a store of an earlier format, and lose what it has counted')
    .action(async (options) => {
      const { initVelocityStore } = await import('../../../stores/velocity/velocity.ts');
      await initVelocityStore(await storeOptions(options, io), options.discard);
      await endWith(io, options, { data: () => ({ ready: true }), text: () => 'the velocity store is ready\n' });
    });
  addStore(velocity.command('prune').description('delete what no window of a policy reaches any more')).action(
    async (options) => {
      const deleted = await withVelocity(await storeOptions(options, io), (store) => store.prune(Date.now()));
      const text = () => `${count(deleted, 'member')} deleted\n`;
      await endWith(io, options, { data: () => ({ deleted }), text });
    },
  );
  addShow(velocity, io);
  addRebuild(velocity, io);
}
